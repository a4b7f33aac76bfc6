"""Whole models against MuJoCo: every array of every stage, at the start and in motion, in three unequal worlds."""

import mujoco
import numpy as np
import oracle
import pytest
from paths import shared_model

from newtonish import mjw

MODELS = {
    "humanoid": "dm_humanoid/humanoid.xml",
    "ant": "gym_ant/ant.xml",
    "walker2d": "gym_walker2d/walker2d_v5.xml",
    "half_cheetah": "gym_half_cheetah/half_cheetah.xml",
    "cartpole": "dmc_cartpole/cartpole.xml",
    "barkour": "barkour_vb/scene.xml",
}


@pytest.mark.parametrize("steps", [0, 50, 200])
@pytest.mark.parametrize("name", MODELS)
def test_every_stage_agrees(name, steps, device):
    pair = oracle.load(shared_model(MODELS[name]), device=device)
    oracle.advance(pair, steps)
    oracle.forward(pair)
    oracle.compare_all(pair)


@pytest.mark.parametrize("name", MODELS)
def test_passive_motion_without_contact(name, device):
    """200 steps of free motion, no controls, contacts off: the same state within 1e-4."""

    def change(mjm):
        mjm.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT

    pair = oracle.load(shared_model(MODELS[name]), change=change, device=device)
    for _ in range(200):
        for mjd in pair.mjds:
            mujoco.mj_step(pair.mjm, mjd)
        mjw.step(pair.m, pair.d)
    for world, mjd in enumerate(pair.mjds):
        np.testing.assert_allclose(pair.d.qpos.numpy()[world], mjd.qpos, atol=1e-4, rtol=0)
        np.testing.assert_allclose(pair.d.qvel.numpy()[world], mjd.qvel, atol=1e-4, rtol=0)
