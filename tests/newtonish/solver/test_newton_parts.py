"""Parts of a step under Newton's names: into ``mjw_data`` and ``MjData``, and out of them."""

import mujoco
import numpy as np
import pytest
from solver_rigs import every_joint, replicated, shake

from newtonish import SolverMuJoCo


@pytest.fixture(scope="module")
def solver() -> SolverMuJoCo:
    return SolverMuJoCo(replicated(every_joint(), 2, "cpu"))


@pytest.fixture
def state(solver):
    state = solver.model.state()
    shake(solver.model, state)
    return state


@pytest.mark.parametrize("native", [False, True])
def test_a_state_goes_in_and_comes_out(solver, state, native: bool) -> None:
    data = solver.mj_data if native else solver.mjw_data
    solver._update_mjc_data(data, solver.model, state)
    after = solver.model.state()
    if native:
        mujoco.mj_forward(solver.mj_model, data)
    solver._update_newton_state(solver.model, after, data)
    for name in ("joint_q", "joint_qd"):
        mine, theirs = (getattr(s, name).numpy().reshape(2, -1)[: 2 - native] for s in (after, state))
        np.testing.assert_allclose(mine, theirs, atol=2e-6, err_msg=name)


def test_forces_go_in(solver, state) -> None:
    control = solver.model.control()
    control.joint_f.assign(np.arange(solver.model.joint_dof_count, dtype=np.float32))
    data = mujoco.MjData(solver.mj_model)
    solver._apply_mjc_control(solver.model, state, control, data)
    np.testing.assert_allclose(data.qfrc_applied, solver.mjw_data.qfrc_applied.numpy()[0])
    assert np.abs(data.qfrc_applied).max() > 1.0 and np.abs(solver.mjw_data.qfrc_applied.numpy()[1]).max() > 1.0
