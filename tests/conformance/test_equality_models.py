"""Real models with equality constraints against MuJoCo, without contacts: rows, accelerations and motion in unequal worlds."""

import mujoco
import numpy as np
import oracle
import pytest
from paths import shared_model

from newtonish import mjw

DATA = "converter_tests/tests/data/equality"
MODELS = {
    "cassie": "cassie/cassie.xml",
    "softfoot": "softfoot/softfoot.xml",
    "xarm7": "xarm7/xarm7.xml",
    "wx250s": "wx250s/wx250s.xml",
    "manipulator": "dmc_manipulator/manipulator.xml",
    "connect": f"{DATA}_connect_attributes.xml",
    "nested": f"{DATA}_weld_with_nested_bodies.xml",
    "sites": f"{DATA}_weld_with_sites.xml",
    "weld": f"{DATA}_weld_attributes.xml",
}


def without_contacts(mjm: mujoco.MjModel) -> None:
    mjm.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    mjm.opt.solver = int(mujoco.mjtSolver.mjSOL_NEWTON)
    mjm.opt.noslip_iterations = 0


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.filterwarnings("ignore::newtonish.errors.NewtonishWarning")
def test_rows_and_solution_agree_in_motion(name, device):
    pair = oracle.load(shared_model(MODELS[name]), change=without_contacts, device=device)
    for steps in (50, 150):
        oracle.advance(pair, steps)
        oracle.forward(pair)
        oracle.compare_rows(pair)
        oracle.compare_solution(pair)


def test_a_closed_mechanism_stays_closed(device):
    """Cassie's leg springs are closed by connects: 200 steps, each world released from another pose."""
    pair = oracle.load(shared_model(MODELS["cassie"]), change=without_contacts, device=device)
    for _ in range(200):
        for mjd in pair.mjds:
            mujoco.mj_step(pair.mjm, mjd)
        mjw.step(pair.m, pair.d)
    mjw.forward(pair.m, pair.d)
    for world, mjd in enumerate(pair.mjds):
        mujoco.mj_forward(pair.mjm, mjd)
        gap = np.abs(pair.d.efc.pos.numpy()[world, : mjd.ne]).max()
        assert gap < max(1.5 * np.abs(mjd.efc_pos[: mjd.ne]).max(), 1e-3)
        np.testing.assert_allclose(pair.d.qpos.numpy()[world], mjd.qpos, atol=2e-3)
