"""Editing a model after its solver was made: a notified solver equals a new one, bit by bit."""

import numpy as np
import pytest
import warp as wp
from solver_rigs import replicated, shake

from newtonish import ModelBuilder, ModelFlags, SolverMuJoCo
from newtonish.errors import ModelError, UnsupportedError
from newtonish.solver.notify import changed_names

NWORLD = 3


def scene(device: str):
    """A box on a plane that carries an arm with limits and a drive."""
    builder = ModelBuilder()
    SolverMuJoCo.register_custom_attributes(builder)
    base, arm = builder.add_link(label="base"), builder.add_link(label="arm")
    builder.add_shape_box(base, hx=0.2, hy=0.1, hz=0.1)
    builder.add_shape_sphere(arm, radius=0.1, xform=wp.transform((0.0, 0.0, 0.4), wp.quat_identity()))
    joints = [
        builder.add_joint_free(base),
        builder.add_joint_revolute(
            base, arm, axis=(0.0, 1.0, 0.0), limit_lower=-0.2, limit_upper=0.3, target_ke=5.0, target_kd=0.5,
            parent_xform=wp.transform((0.0, 0.0, 0.1), wp.quat_identity()),
        ),
    ]  # fmt: skip
    builder.add_articulation(joints)
    builder.joint_q[2] = 0.11
    builder.add_ground_plane()
    return replicated(builder, NWORLD, device)


def spread(array: wp.array, factor: float) -> None:
    """Scale the values of each world by another factor."""
    values = array.numpy()
    count = len(values) // NWORLD
    shape = (NWORLD * count, *([1] * (values.ndim - 1)))
    scale = np.repeat(np.linspace(1.0, factor, NWORLD), count).reshape(shape)
    values[: NWORLD * count] = values[: NWORLD * count] * scale
    array.assign(values.astype(np.float32))


def edit_gravity(model):
    gravity = model.gravity.numpy()
    gravity[:NWORLD] = [[0.0, 0.0, -9.81], [1.0, 0.0, -8.0], [0.0, 2.0, -5.0]]
    model.gravity.assign(gravity)


def edit_mass(model):
    spread(model.body_mass, 1.5)
    spread(model.body_inertia, 1.5)
    com = model.body_com.numpy()
    com[:, 0] += 0.02
    model.body_com.assign(com)


def edit_limits(model):
    spread(model.joint_limit_ke, 0.5)
    upper = model.joint_limit_upper.numpy()
    upper[6::7] = [0.1, 0.2, 0.15]
    model.joint_limit_upper.assign(upper)


def edit_dofs(model):
    for name in ("joint_armature", "joint_damping", "joint_friction"):
        array = getattr(model, name)
        array.assign(np.linspace(0.01, 0.1, len(array)).astype(np.float32))


def edit_drive(model):
    spread(model.joint_target_ke, 3.0)
    spread(model.joint_target_kd, 2.0)


def edit_friction(model):
    spread(model.shape_material_mu, 0.1)
    spread(model.shape_material_kd, 2.0)


def edit_material(model):
    """Contacts that pull and a ground that moves, where there was neither."""
    model.mujoco.geom_adhesion.fill_(3.0)
    motion = model.mujoco.geom_surfacevel.numpy()
    motion[-1, :2] = [0.3, 0.1]
    model.mujoco.geom_surfacevel.assign(motion)


def edit_frames(model):
    frames = model.joint_X_p.numpy()
    frames[1::2, 0] += [0.01, 0.02, 0.03]
    model.joint_X_p.assign(frames)


EDITS = {
    "gravity": (edit_gravity, ModelFlags.MODEL_PROPERTIES),
    "mass": (edit_mass, ModelFlags.BODY_INERTIAL_PROPERTIES),
    "limits": (edit_limits, ModelFlags.JOINT_DOF_FORCE_PROPERTIES),
    "dofs": (edit_dofs, ModelFlags.JOINT_DOF_PROPERTIES),
    "drive": (edit_drive, ModelFlags.JOINT_DOF_PROPERTIES),
    "friction": (edit_friction, ModelFlags.SHAPE_PROPERTIES),
    "material": (edit_material, ModelFlags.SHAPE_PROPERTIES),
    "frames": (edit_frames, ModelFlags.JOINT_PROPERTIES),
    "all": (lambda model: [edit(model) for edit, _ in list(EDITS.values())[:-1]], ModelFlags.ALL),
}


def play(model, solver) -> list[np.ndarray]:
    state, control = model.state(), model.control()
    shake(model, state, q=0.02, qd=0.3)
    q = state.joint_q.numpy()
    q[7::8] += 0.25  # near the limit
    state.joint_q.assign(q)
    control.joint_target_q.assign(model.joint_q)
    solver.reset(model.state())
    for _ in range(20):
        solver.step(state, state, control, None, 0.004)
    return [state.joint_q.numpy(), state.joint_qd.numpy()]


@pytest.mark.parametrize("name", EDITS)
def test_a_notified_solver_equals_a_new_one(device: str, name: str):
    edit, flags = EDITS[name]
    model = scene(device)
    solver = SolverMuJoCo(model)
    unedited = play(model, solver)
    edit(model)
    solver.notify_model_changed(flags)
    notified, new = play(model, solver), play(model, SolverMuJoCo(model))
    assert any(np.any(a != b) for a, b in zip(unedited, notified)), "the edit has an effect"
    for a, b in zip(notified, new):
        np.testing.assert_array_equal(a, b)


def test_an_edit_without_its_flag_waits(device: str):
    model = scene(device)
    solver = SolverMuJoCo(model)
    before = play(model, solver)
    edit_gravity(model)
    solver.notify_model_changed(ModelFlags.BODY_INERTIAL_PROPERTIES)
    for a, b in zip(before, play(model, solver)):
        np.testing.assert_array_equal(a, b)


def test_a_captured_graph_sees_an_edit(device: str):
    model = scene(device)
    edit_mass(model)  # unequal worlds from the start, so that the arrays have one value a world
    solver, state = SolverMuJoCo(model), model.state()
    with wp.ScopedCapture(device=device) as capture:
        solver.step(state, state, None, None, 0.004)
    spread(model.body_mass, 2.0)
    solver.notify_model_changed(ModelFlags.BODY_INERTIAL_PROPERTIES)
    for _ in range(10):
        wp.capture_launch(capture.graph)
    fresh, expected = SolverMuJoCo(model), model.state()
    for _ in range(10):
        fresh.step(expected, expected, None, None, 0.004)
    np.testing.assert_array_equal(state.joint_q.numpy(), expected.joint_q.numpy())


def test_edits_of_structure_are_refused_by_name(device: str):
    model = scene(device)
    solver = SolverMuJoCo(model)
    flags = model.shape_flags.numpy()
    flags[1::3] = 1  # the sphere of every world
    model.shape_flags.assign(flags)
    with pytest.raises(UnsupportedError, match="geom_contype"):
        solver.notify_model_changed(ModelFlags.SHAPE_PROPERTIES)


def test_unknown_flags_and_calls_in_a_capture_are_refused(device: str):
    model = scene(device)
    solver = SolverMuJoCo(model)
    with pytest.raises(UnsupportedError, match="unknown bits"):
        solver.notify_model_changed(1 << 20)
    with pytest.raises(ModelError, match="capture"), wp.ScopedCapture(device=device):
        solver.notify_model_changed(ModelFlags.MODEL_PROPERTIES)


def test_names_are_those_of_the_devices_arrays(device: str):
    """A misspelt name in the table would never be taken over."""
    solver = SolverMuJoCo(scene(device))
    known = {g.flat_name(f) for g in solver.mjw_model.GROUPS for f in g.fields}
    assert changed_names(int(ModelFlags.ALL)) <= known
