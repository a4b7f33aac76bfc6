"""Resetting selected worlds: the state, and what the solver remembers of them."""

import numpy as np
import pytest
import warp as wp
from solver_rigs import every_joint, replicated, shake

from newtonish import SolverMuJoCo, StateFlags, eval_fk
from newtonish.errors import ModelError

NWORLD = 4
MASK = [False, True, False, True]


@pytest.fixture
def run(device: str):
    model = replicated(every_joint(), NWORLD, device)
    solver, state = SolverMuJoCo(model), model.state()
    shake(model, state)
    state.body_f.assign(np.ones((model.body_count, 6), np.float32))
    for _ in range(3):
        solver.step(state, state, None, None, 0.002)
    return model, solver, state


def by_world(model, array: wp.array) -> np.ndarray:
    return array.numpy().reshape(NWORLD, -1)


def masked(device: str, extra: bool = False) -> wp.array:
    return wp.array(np.array(MASK + [True] * extra), dtype=wp.bool, device=device)


@pytest.mark.parametrize("extra", [False, True], ids=["worlds", "worlds-and-global"])
def test_only_the_masked_worlds_change(run, device: str, extra: bool):
    model, solver, state = run
    names = ("joint_q", "joint_qd", "body_q", "body_qd", "body_f")
    before = {name: by_world(model, getattr(state, name)).copy() for name in names}
    fresh = model.state()
    solver.reset(state, masked(device, extra))
    for name in names:
        after, initial = by_world(model, getattr(state, name)), by_world(model, getattr(fresh, name))
        np.testing.assert_array_equal(after[[0, 2]], before[name][[0, 2]], err_msg=name)
        if name != "body_q":  # initial poses of links below joints are those given to the builder
            np.testing.assert_allclose(after[[1, 3]], initial[[1, 3]], atol=1e-6, err_msg=name)
    assert np.all(solver.mjw_data.qacc_warmstart.numpy()[[1, 3]] == 0.0)
    assert np.all(np.abs(solver.mjw_data.qacc_warmstart.numpy()[[0, 2]]).max(axis=1) > 0.0)
    assert np.all(solver.mjw_data.xfrc_applied.numpy()[[1, 3]] == 0.0)


def test_flags_choose_the_arrays(run, device: str):
    _, solver, state = run
    before = {name: getattr(state, name).numpy().copy() for name in ("joint_q", "joint_qd", "body_q", "body_f")}
    solver.reset(state, flags=StateFlags.JOINT_QD)
    np.testing.assert_array_equal(state.joint_qd.numpy(), 0.0)
    for name in ("joint_q", "body_q", "body_f"):
        np.testing.assert_array_equal(getattr(state, name).numpy(), before[name], err_msg=name)


def test_a_world_that_went_wrong_is_healed(run, device: str):
    """NaN in the warm start and the state of one world does not outlive a reset of that world."""
    model, solver, state = run
    warm = solver.mjw_data.qacc_warmstart.numpy()
    warm[1] = np.nan
    solver.mjw_data.qacc_warmstart.assign(warm)
    q = by_world(model, state.joint_q).copy()
    q[1] = np.nan
    state.joint_q.assign(q.reshape(-1))
    solver.reset(state, masked(device))
    for _ in range(3):
        solver.step(state, state, None, None, 0.002)
    assert np.all(np.isfinite(state.joint_q.numpy())) and np.all(np.isfinite(state.body_qd.numpy()))
    np.testing.assert_array_equal(solver.mjw_data.nonfinite.numpy(), 0)


def test_a_mask_of_another_length_is_refused(run, device: str):
    _, solver, state = run
    with pytest.raises(ModelError, match="world_mask"):
        solver.reset(state, wp.zeros(NWORLD + 2, dtype=wp.bool, device=device))


@pytest.mark.parametrize("flag", list(StateFlags), ids=lambda flag: flag.name)
def test_each_flag_resets_its_arrays_and_no_others(run, device: str, flag: StateFlags):
    model, solver, state = run
    arrays = {"joint_q": StateFlags.JOINT_Q, "joint_qd": StateFlags.JOINT_QD, "body_f": StateFlags.BODY_F}
    before = {name: getattr(state, name).numpy().copy() for name in arrays}
    poses = state.body_q.numpy().copy()
    fresh = model.state()
    solver.reset(state, flags=flag)
    for name, bit in arrays.items():
        expected = getattr(fresh, name).numpy() if flag & bit else before[name]
        np.testing.assert_allclose(getattr(state, name).numpy(), expected, atol=1e-6, err_msg=name)
    if flag & StateFlags.BODY and flag & StateFlags.JOINT_Q:
        follow = model.state()
        eval_fk(model, state.joint_q, state.joint_qd, follow)
        np.testing.assert_allclose(state.body_q.numpy(), follow.body_q.numpy(), atol=1e-6)
    elif not flag & StateFlags.BODY:
        np.testing.assert_array_equal(state.body_q.numpy(), poses)
