"""Gradients of steps on a tape against differences of the whole program, through free, ball and hinge joints of two unequal worlds."""

import itertools

import numpy as np
import pytest
import warp as wp
from tape_costs import squares

import newtonish
from newtonish.errors import UnsupportedError

pytestmark = pytest.mark.filterwarnings("ignore::newtonish.errors.NewtonishWarning")
XML = """
<mujoco>
  <option timestep=".005"/>
  <default><geom contype="0" conaffinity="0"/></default>
  <worldbody>
    <body name="arm" pos="0 0 1" euler="20 0 0"><joint name="a" axis="0 1 0" damping=".1" stiffness="2"/><geom type="capsule" size=".05" fromto="0 0 0 .4 0 0"/>
      <body name="hand" pos=".4 0 0" euler="0 30 10"><joint name="b" type="ball" damping=".05"/><geom type="box" size=".04 .1 .06" pos=".1 0 .02"/></body></body>
    <body name="box" pos="0 1 .5"><freejoint/><geom type="box" size=".1 .15 .2" pos=".1 0 .05"/></body>
  </worldbody>
  <actuator><position joint="a" kp="5"/><general joint="a" dyntype="filter" dynprm=".05" gainprm="3"/></actuator>
</mujoco>
"""
NWORLD, NSTEP, DT = 2, 6, 0.005


def scene() -> tuple[newtonish.Model, newtonish.SolverMuJoCo, dict[str, np.ndarray]]:
    """A solver, and unequal states, targets and forces of two worlds."""
    part, builder = newtonish.ModelBuilder(), newtonish.ModelBuilder()
    newtonish.SolverMuJoCo.register_custom_attributes(part)
    part.add_mjcf(XML)
    builder.replicate(part, NWORLD)
    model = builder.finalize(device="cpu", requires_grad=True)
    rng = np.random.default_rng(0)
    q = model.joint_q.numpy().reshape(NWORLD, -1)
    q += 0.3 * rng.standard_normal(q.shape).astype(np.float32)
    for first in (1, 8):
        q[:, first : first + 4] /= np.linalg.norm(q[:, first : first + 4], axis=1, keepdims=True)
    sizes = {"joint_qd": model.joint_qd.size, "joint_f": model.joint_f.size, "ctrl": model.mujoco.ctrl.size}
    given = {"joint_q": q.ravel()} | {name: rng.standard_normal(size).astype(np.float32) for name, size in sizes.items()}
    given["body_f"] = rng.standard_normal((model.body_count, 6)).astype(np.float32)
    return model, newtonish.SolverMuJoCo(model), given


def cost_and_gradients(model, solver, given: dict[str, np.ndarray], nstep: int) -> tuple[float, dict[str, np.ndarray]]:
    """Steps on a tape."""
    states, control = [model.state() for _ in range(nstep + 1)], model.control()
    solver.reset(model.state())
    states[0].joint_q.assign(given["joint_q"])
    states[0].joint_qd.assign(given["joint_qd"])
    control.joint_f.assign(given["joint_f"])
    control.mujoco.ctrl.assign(given["ctrl"])
    for state in states[:-1]:
        state.body_f.assign(given["body_f"])
    total = wp.zeros(1, dtype=float, device="cpu", requires_grad=True)
    with wp.Tape() as tape:
        for before, after in itertools.pairwise(states):
            solver.step(before, after, control, None, DT)
        end = states[-1]
        wp.launch(squares, end.joint_q.size, inputs=[end.joint_q, end.joint_qd, end.body_q, end.body_qd, total], device="cpu")
    tape.backward(total)
    found = {"joint_q": states[0].joint_q.grad, "joint_qd": states[0].joint_qd.grad, "joint_f": control.joint_f.grad, "ctrl": control.mujoco.ctrl.grad}
    bars = {name: array.numpy().copy() for name, array in found.items()} | {"body_f": sum(state.body_f.grad.numpy() for state in states[:-1])}
    tape.zero()
    return float(total.numpy()[0]), bars


def test_gradients_are_those_of_differences() -> None:
    """Of the whole program by its inputs, along random directions; eps is large, as all of it is float32, and the motion smooth."""
    model, solver, given = scene()
    _, bars = cost_and_gradients(model, solver, given, NSTEP)
    rng, eps = np.random.default_rng(1), 2e-3
    for name in given:
        for world in range(NWORLD):
            change = np.zeros_like(given[name]).reshape(NWORLD, -1)
            change[world] = rng.standard_normal(change.shape[1])
            change = change.reshape(given[name].shape)
            ends = [cost_and_gradients(model, solver, given | {name: (given[name] + sign * eps * change).astype(np.float32)}, NSTEP)[0] for sign in (1, -1)]
            expected = (ends[0] - ends[1]) / (2.0 * eps)
            found = float((bars[name] * change).sum())
            size = np.linalg.norm(bars[name]) * np.linalg.norm(change)
            assert abs(found - expected) <= 5e-3 * size, (name, world, found, expected, size)


def test_a_tape_changes_no_bit_of_the_steps_and_backward_leaves_the_solver_where_it_was() -> None:
    model, solver, given = scene()
    plain = newtonish.SolverMuJoCo(model)
    states, control = [model.state() for _ in range(3)], model.control()
    others = [model.state(requires_grad=False) for _ in range(3)]
    for first in (states[0], others[0]):
        first.joint_q.assign(given["joint_q"])
        first.joint_qd.assign(given["joint_qd"])
    with wp.Tape() as tape:
        solver.step(states[0], states[1], control, None, DT)
    tape.backward(grads={states[1].joint_q: wp.ones_like(states[1].joint_q)})
    assert states[0].joint_q.grad.numpy().any()
    solver.step(states[1], states[2], control, None, DT)
    with wp.Tape() as tape:
        for before, after in itertools.pairwise(others):
            plain.step(before, after, model.control(requires_grad=False), None, DT)
    assert not tape.launches  # nothing that has a gradient
    for name in ("joint_q", "joint_qd", "body_q", "body_qd"):
        np.testing.assert_array_equal(getattr(states[2], name).numpy(), getattr(others[2], name).numpy())


def test_the_same_bits_twice_and_worlds_of_their_own() -> None:
    model, solver, given = scene()
    first, second = (cost_and_gradients(model, solver, given, 2)[1] for _ in range(2))
    moved = {name: array.copy() for name, array in given.items()}
    moved["joint_qd"].reshape(NWORLD, -1)[1] += 0.5
    third = cost_and_gradients(model, solver, moved, 2)[1]
    for name, array in first.items():
        np.testing.assert_array_equal(array, second[name])
        rows, others = array.reshape(NWORLD, -1), third[name].reshape(NWORLD, -1)
        np.testing.assert_array_equal(rows[0], others[0])


def test_steps_that_do_not_read_the_state_go_on_from_the_step_before() -> None:
    """The same function of inputs and of the states that are read, however seldom they are; where none is, gradients by inputs stay."""
    model, _, given = scene()
    model.joint_q.assign(given["joint_q"])
    model.joint_qd.assign(given["joint_qd"])
    found = {interval: cost_and_gradients(model, newtonish.SolverMuJoCo(model, update_data_interval=interval), given, NSTEP) for interval in (1, 2, 4, 0)}
    for interval, (cost, bars) in found.items():
        assert abs(cost - found[1][0]) <= 1e-4 * found[1][0], interval
        for name, expected in found[1][1].items():
            if interval == 0 and name in ("joint_q", "joint_qd"):
                assert not bars["joint_qd"].any()  # nobody read them
            else:
                assert np.linalg.norm(bars[name] - expected) <= 1e-4 * np.linalg.norm(expected), (interval, name)


def test_a_step_off_the_tape_ends_the_way_of_activations() -> None:
    """What came before it has no part in what comes after."""
    model, solver, given = scene()
    states, control, first = [model.state() for _ in range(4)], model.control(), model.control()
    states[0].joint_q.assign(given["joint_q"])
    for plain in (False, True):
        solver.reset(model.state())
        with wp.Tape() as tape:
            solver.step(*states[:2], first, None, DT)
        if plain:
            solver.step(model.state(requires_grad=False), model.state(requires_grad=False), model.control(requires_grad=False), None, DT)
        with tape:
            solver.step(*states[2:], control, None, DT)
        tape.backward(grads={states[3].joint_qd: wp.ones_like(states[3].joint_qd)})
        assert control.mujoco.ctrl.grad.numpy().any() and first.mujoco.ctrl.grad.numpy().any() != plain
        tape.zero()


def test_what_is_kept_off_a_tape() -> None:
    model, solver, _ = scene()
    state, control = model.state(), model.control()
    with pytest.raises(UnsupportedError, match=r"SolverMuJoCo.step on a tape: state_out: got the arrays of state_in"), wp.Tape():
        solver.step(state, state, control, None, DT)
    with pytest.raises(UnsupportedError, match="use_mujoco_contacts: got False"), wp.Tape():
        newtonish.SolverMuJoCo(model, use_mujoco_contacts=False).step(state, model.state(), control, model.collide(state), DT)
