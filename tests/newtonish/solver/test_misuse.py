"""Wrong arguments of SolverMuJoCo: every mistake is named at the border, before kernels read arrays that are too short."""

import numpy as np
import pytest
import warp as wp

from newtonish import ModelBuilder, SolverMuJoCo
from newtonish.errors import ModelError, UnsupportedError

ROBOT = """
<mujoco>
  <worldbody>
    <body pos="0 0 1"><freejoint/><geom size=".1"/>
      <body pos="0 0 .3"><joint name="j" damping="1"/><geom size=".05" pos=".1 0 0"/></body></body>
  </worldbody>
  <actuator><velocity joint="j" kv="3"/></actuator>
</mujoco>
"""
NWORLD = 3


def model_of(count: int, device: str):
    one = ModelBuilder()
    one.add_mjcf(ROBOT)
    many = ModelBuilder()
    SolverMuJoCo.register_custom_attributes(many)
    many.replicate(one, count)
    return many.finalize(device=device)


@pytest.fixture(scope="module")
def model(device):
    return model_of(NWORLD, device)


@pytest.fixture(scope="module")
def solver(model):
    return SolverMuJoCo(model)


def refused(match: str, call, *arguments, error: type[Exception] = ModelError, **named) -> None:
    with pytest.raises(error, match=match) as caught:
        call(*arguments, **named)
    for line in caught.value.problems:
        assert ": got " in line and "; allowed: " in line and line.endswith("."), line


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("iterations", -1), ("iterations", 2.5), ("iterations", "x"), ("iterations", True), ("ls_iterations", -3),
        ("tolerance", -1.0), ("tolerance", float("nan")), ("impratio", 0), ("impratio", "a"), ("cone", 7), ("cone", "round"),
        ("integrator", 9), ("solver", 5), ("jacobian", "thick"), ("wind", (1,)), ("magnetic", "north"), ("density", -1),
        ("disable_contacts", "yes"), ("nconmax", -1), ("njmax", "many"),
    ],
)  # fmt: skip
def test_values_of_options(option, value, model):
    refused(option, SolverMuJoCo, model, **{option: value})


def test_what_is_no_model():
    for thing in (None, "robot.xml", ModelBuilder()):
        refused("SolverMuJoCo: model: got a", SolverMuJoCo, thing)


@pytest.mark.parametrize("dt", [0, -1, float("nan"), float("inf"), "0.01", None, True])
def test_time_steps(dt, solver, model):
    refused("dt: got", solver.step, model.state(), model.state(), None, None, dt)


def test_states_and_controls_of_another_model(solver, model, device):
    other, state = model_of(2, device), model.state()
    refused(r"state_in\.joint_q: got array of shape \(16,\)", solver.step, other.state(), state, None, None, 0.01)
    refused(r"state_out\.body_qd: got array of shape \(4,\)", solver.step, state, other.state(), None, None, 0.01)
    refused(r"control\.mujoco\.ctrl: got array of shape \(2,\)", solver.step, state, state, other.control(), None, 0.01)
    refused(r"state_in: got a NoneType", solver.step, None, state, None, None, 0.01)
    refused(r"state_out: got a NoneType", solver.step, state, None, None, None, 0.01)
    refused(r"state_in: got a Model", solver.step, model, state, None, None, 0.01)
    refused(r"SolverMuJoCo\.reset: state\.joint_q: got", solver.reset, other.state())
    refused(r"reset: state: got a NoneType", solver.reset, None)


@pytest.mark.parametrize("name", ["joint_q", "joint_qd", "body_q", "body_f"])
def test_arrays_that_do_not_fit(name, solver, model, device):
    kind = getattr(model.state(), name).dtype
    for value in (wp.zeros(2, dtype=kind, device=device), wp.zeros(24, dtype=wp.float64, device=device), np.zeros(24)):
        state = model.state()
        setattr(state, name, value)
        refused(rf"state_in\.{name}: got", solver.step, state, model.state(), None, None, 0.01)


def test_a_shorter_array_at_a_known_address_is_noticed(solver, model):
    state = model.state()
    solver.step(state, state, None, None, 0.01)
    state.joint_q = state.joint_q[:5]
    refused(r"state_in\.joint_q: got array of shape \(5,\)", solver.step, state, state, None, None, 0.01)


def test_masks_and_flags(solver, model, device):
    state = model.state()
    solver.reset(state, [True, False, True])
    for mask in ([True], np.ones(NWORLD, dtype=int), wp.zeros(NWORLD, dtype=int, device=device)):
        refused("world_mask: got shape", solver.reset, state, mask)
    for flags in (-1, "all", 1 << 20):
        refused("reset: flags: got", solver.reset, state, None, flags)
    refused("notify_model_changed: flags: got", solver.notify_model_changed, "body")
    refused("contacts: got a NoneType without", solver.update_contacts, None)


def test_an_option_set_between_steps_takes_effect(model):
    solver = SolverMuJoCo(model, iterations=50)
    state = model.state()
    solver.step(state, state, None, None, 0.01)
    solver.mjw_model.opt.disableflags |= 1 << 7  # gravity
    solver.reset(state)
    solver.step(state, state, None, None, 0.01)
    np.testing.assert_allclose(state.joint_qd.numpy(), 0.0, atol=1e-5)
    solver.mjw_model.opt.integrator = 5
    refused(r"m\.opt\.integrator: got 5", solver.step, state, state, None, None, 0.01, error=UnsupportedError)
