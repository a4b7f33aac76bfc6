"""Gradients by numbers of the model on a tape against differences of the whole program, whose solver takes edits over."""

import itertools

import numpy as np
import pytest
import warp as wp
from tape_costs import squares

import newtonish
from newtonish.errors import ModelError

pytestmark = pytest.mark.filterwarnings("ignore::newtonish.errors.NewtonishWarning")
XML = """
<mujoco>
  <option timestep=".005" integrator="implicitfast"/>
  <default><geom contype="0" conaffinity="0"/></default>
  <worldbody>
    <geom type="plane" size="3 3 .1" contype="1" friction=".6"/>
    <body name="arm" pos="0 0 1" euler="20 0 0"><joint name="a" axis="0 1 0" damping=".1" stiffness="2" frictionloss=".2"/><geom type="capsule" size=".05" fromto="0 0 0 .4 0 0"/>
      <body name="hand" pos=".4 0 0" euler="0 30 10"><joint name="b" axis="1 0 1" damping=".05" armature=".01"/><geom type="box" size=".04 .1 .06" pos=".1 0 .02"/></body></body>
    <body name="box" pos="0 1 .098"><joint name="x" type="slide" axis="1 0 0"/><joint name="z" type="slide" axis="0 0 1"/>
      <geom type="sphere" size=".1" conaffinity="1" friction=".4" solref=".03 1"/></body>
  </worldbody>
  <actuator><position joint="a" kp="5" kv=".3"/><general joint="b" gainprm="3" biastype="affine" biasprm="0 -2 -.1"/></actuator>
</mujoco>
"""
NWORLD, NSTEP, DT = 2, 4, 0.005
F = newtonish.ModelFlags
NUMBERS = {
    "body_mass": F.BODY_INERTIAL_PROPERTIES,
    "joint_armature": F.JOINT_DOF_INERTIAL_PROPERTIES,
    "joint_damping": F.JOINT_DOF_FORCE_PROPERTIES,
    "joint_friction": F.JOINT_DOF_FORCE_PROPERTIES,
    "joint_stiffness": F.JOINT_DOF_FORCE_PROPERTIES,
    "joint_target_ke": F.JOINT_DOF_FORCE_PROPERTIES,
    "joint_target_kd": F.JOINT_DOF_FORCE_PROPERTIES,
    "shape_material_mu": F.SHAPE_PROPERTIES,
    "gravity": F.MODEL_PROPERTIES,
    "mujoco.actuator_gainprm": F.ACTUATOR_PROPERTIES,
    "mujoco.actuator_biasprm": F.ACTUATOR_PROPERTIES,
}


def number(model: newtonish.Model, name: str) -> wp.array:
    space, _, own = name.rpartition(".")
    return getattr(model.mujoco if space else model, own)


def scene() -> tuple[newtonish.Model, newtonish.SolverMuJoCo]:
    """Two worlds that differ in their masses, with servos on targets and on controls."""
    part, builder = newtonish.ModelBuilder(), newtonish.ModelBuilder()
    newtonish.SolverMuJoCo.register_custom_attributes(part)
    part.add_mjcf(XML)
    dof = part.joint_qd_start[part.joint_label.index(next(label for label in part.joint_label if label.endswith("b")))]
    part.joint_target_mode[dof], part.joint_target_ke[dof], part.joint_target_kd[dof] = 3, 4.0, 0.2
    builder.replicate(part, NWORLD)
    model = builder.finalize(device="cpu", requires_grad=True)
    mass = model.body_mass.numpy()
    mass[: len(mass) // 2] *= 1.3
    model.body_mass.assign(mass)
    return model, newtonish.SolverMuJoCo(model, tolerance=1e-9, iterations=50)


def cost(model: newtonish.Model, solver: newtonish.SolverMuJoCo, backward: bool = False) -> float:
    """Of some steps from unequal states; ``backward`` leaves gradients in the model."""
    rng, states, control = np.random.default_rng(0), [model.state() for _ in range(NSTEP + 1)], model.control()
    q = model.joint_q.numpy().copy().reshape(NWORLD, -1)
    q[:, :2] += 0.3 * rng.standard_normal((NWORLD, 2))
    speed = rng.standard_normal((NWORLD, 4)).astype(np.float32)
    speed[:, 2:] = (0.8, -0.01)
    states[0].joint_q.assign(q.ravel())
    states[0].joint_qd.assign(speed.ravel())
    control.joint_target_q.assign(rng.standard_normal(control.joint_target_q.size).astype(np.float32))
    control.joint_target_qd.assign(rng.standard_normal(control.joint_target_qd.size).astype(np.float32))
    control.mujoco.ctrl.assign(rng.standard_normal(control.mujoco.ctrl.size).astype(np.float32))
    solver.reset(model.state())
    total, end = wp.zeros(1, dtype=float, device="cpu", requires_grad=True), states[-1]
    with wp.Tape() as tape:
        for before, after in itertools.pairwise(states):
            solver.step(before, after, control, None, DT)
        wp.launch(squares, end.joint_q.size, inputs=[end.joint_q, end.joint_qd, end.body_q, end.body_qd, total], device="cpu")
    if backward:
        tape.backward(total)
    return float(total.numpy()[0])


def test_gradients_by_numbers_of_the_model_are_those_of_differences() -> None:
    """Along random directions of the numbers that are not zero, of each world; masses but of what touches, whose rows follow their inverse weights."""
    model, solver = scene()
    cost(model, solver, backward=True)
    bars = {name: number(model, name).grad.numpy().copy() for name in NUMBERS}
    rng, eps = np.random.default_rng(1), 0.02
    for name, flags in NUMBERS.items():
        array = number(model, name)
        before = array.numpy().copy()
        for world in range(1 if name == "gravity" else NWORLD):
            change = (rng.uniform(0.5, 1.0, before.shape) * before).astype(np.float32)
            if name != "gravity":
                change.reshape(NWORLD, -1)[1 - world] = 0.0
            if name == "body_mass":
                change.reshape(NWORLD, -1)[:, 2] = 0.0
            ends = []
            for sign in (1, -1):
                array.assign(before + sign * eps * change)
                solver.notify_model_changed(flags)
                ends.append(cost(model, solver))
            array.assign(before)
            solver.notify_model_changed(flags)
            expected, found = (ends[0] - ends[1]) / (2.0 * eps), float((bars[name] * change).sum())
            assert abs(found - expected) <= 2e-3 * abs(expected) + 2e-4, (name, world, found, expected)


def test_the_same_bits_twice_and_sums_that_the_tape_clears() -> None:
    model, solver = scene()
    found = []
    for _ in range(2):
        cost(model, solver, backward=True)
        found.append({name: number(model, name).grad.numpy().copy() for name in NUMBERS})
        for name in NUMBERS:
            number(model, name).grad.zero_()
    for name, bar in found[0].items():
        np.testing.assert_array_equal(bar, found[1][name])
        assert np.isfinite(bar).all()
        assert bar.any(), name
    states = [model.state() for _ in range(2)]
    with wp.Tape() as tape:
        solver.step(*states, model.control(), None, DT)
    tape.backward(grads={states[1].joint_qd: wp.ones_like(states[1].joint_qd)})
    assert model.body_mass.grad.numpy().any()
    tape.zero()
    assert not model.body_mass.grad.numpy().any()


def test_numbers_without_a_gradient_are_nan_and_not_zero() -> None:
    """Those that the conversion makes another number of, and those that rows of a contact come from where its integrator has none."""
    model, _ = scene()
    bias = model.mujoco.actuator_biasprm.numpy()
    bias[0, :3] = (0.0, -5.0, 0.7)  # the first world's servo has a damping ratio
    model.mujoco.actuator_biasprm.assign(bias)
    gain = model.mujoco.actuator_gainprm.numpy()
    gain[0, 0] = 5.0
    model.mujoco.actuator_gainprm.assign(gain)
    flags = model.body_flags.numpy()
    flags[2] = int(newtonish.BodyFlags.KINEMATIC)
    model.body_flags.assign(flags)
    cost(model, newtonish.SolverMuJoCo(model), backward=True)
    unknown = np.isnan(model.mujoco.actuator_biasprm.grad.numpy())
    assert unknown[0, 2] and unknown.sum() == 1
    assert np.isnan(model.joint_armature.grad.numpy()).sum() == 2  # of the box in the first world
    assert np.isfinite(model.body_mass.grad.numpy()).all()
    model, _ = scene()
    model.joint_damping.requires_grad = False
    cost(model, newtonish.SolverMuJoCo(model, integrator="discrete"), backward=True)
    assert np.isnan(model.shape_material_mu.grad.numpy()).tolist() == [True, False, False, True] * NWORLD  # of the floor and the box, which touch
    assert np.isfinite(model.body_mass.grad.numpy()).all() and model.joint_damping.grad is None


def test_a_model_that_was_edited_has_no_way_back() -> None:
    model, solver = scene()
    states = [model.state() for _ in range(2)]
    with wp.Tape() as tape:
        solver.step(*states, model.control(), None, DT)
    solver.notify_model_changed(newtonish.ModelFlags.MODEL_PROPERTIES)
    with pytest.raises(ModelError, match=r"SolverMuJoCo.step on a tape, backward: got a model that was edited since"):
        tape.backward(grads={states[1].joint_qd: wp.ones_like(states[1].joint_qd)})
