"""Body velocities, axis rates and inverse dynamics, against MuJoCo."""

import mujoco
import numpy as np
import oracle
import pytest
from paths import OWN, shared_model
from random_tree import random_tree

from newtonish.kernels.smooth.com import com_pos
from newtonish.kernels.smooth.com_vel import com_vel
from newtonish.kernels.smooth.kinematics import kinematics
from newtonish.kernels.smooth.rne import rne

STAGES = (kinematics, com_pos, com_vel, rne)
ARRAYS = ("cvel", "cdof_dot", "qfrc_bias")

pytestmark = pytest.mark.filterwarnings("ignore::newtonish.errors.NewtonishWarning")


def run_and_compare(pair: oracle.Pair) -> None:
    for mjd in pair.mjds:
        mujoco.mj_fwdPosition(pair.mjm, mjd)
        mujoco.mj_fwdVelocity(pair.mjm, mjd)
    for stage in STAGES:
        stage(pair.m, pair.d)
    oracle.compare_arrays(pair, ARRAYS, oracle.SMOOTH)


@pytest.mark.parametrize("robot", ["dm_humanoid/humanoid.xml", "gym_ant/ant.xml", "barkour_vb/scene.xml"])
def test_robots(robot: str, device: str) -> None:
    run_and_compare(oracle.load(shared_model(robot), device=device))


@pytest.mark.parametrize("seed", range(6))
def test_random_trees(seed: int, device: str) -> None:
    pair = oracle.from_model(mujoco.MjModel.from_xml_string(random_tree(seed)), seed=seed, device=device)
    run_and_compare(pair)


@pytest.mark.parametrize("disabled", [0, int(mujoco.mjtDisableBit.mjDSBL_GRAVITY)])
def test_bias_and_inverse_dynamics(disabled: int, device: str) -> None:
    pair = oracle.load(OWN / "smooth_zoo.xml", device=device)
    pair.mjm.opt.disableflags |= disabled
    pair.m.opt.disableflags |= disabled
    run_and_compare(pair)
    rng = np.random.default_rng(5)
    for mjd in pair.mjds:
        mjd.qacc[:] = rng.standard_normal(pair.mjm.nv)
    pair.d.qacc.assign(np.stack([mjd.qacc for mjd in pair.mjds]).astype(np.float32))
    rne(pair.m, pair.d, flg_acc=True)
    for world, mjd in enumerate(pair.mjds):
        expected = np.zeros(pair.mjm.nv)
        mujoco.mj_rne(pair.mjm, mjd, 1, expected)
        oracle.close("rne with accelerations", pair.d.qfrc_bias.numpy()[world], expected, oracle.SMOOTH, world)
