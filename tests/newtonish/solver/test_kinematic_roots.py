"""Kinematic roots go where the caller says, carry what lies on them, and can become dynamic and back; joints that bind nothing."""

import numpy as np
import pytest
import warp as wp

import newtonish
from newtonish import SolverMuJoCo
from newtonish.errors import NewtonishWarning, UnsupportedError
from newtonish.model.enums import BodyFlags, ModelFlags

INERTIA = wp.mat33(*(0.1 * np.eye(3)).ravel())
STEP = 0.002


def lift(kind: str, radius: float) -> newtonish.ModelBuilder:
    """A plate that the caller moves, and a ball on it."""
    builder = newtonish.ModelBuilder()
    SolverMuJoCo.register_custom_attributes(builder)
    plate = builder.add_link(mass=2.0, inertia=INERTIA, is_kinematic=True, label="plate")
    if kind == "free":
        joint = builder.add_joint_free(plate)
    else:
        joint = builder.add_joint_prismatic(-1, plate, axis=(0, 0, 1), armature=0.5)
    builder.add_articulation([joint])
    builder.add_shape_box(plate, hx=0.5, hy=0.5, hz=0.05, cfg=newtonish.ModelBuilder.ShapeConfig(density=0.0))
    ball = builder.add_body(xform=wp.transform((0.0, 0.0, 0.05 + radius), wp.quat_identity()), mass=1.0, inertia=INERTIA, label="ball")
    builder.add_shape_sphere(ball, radius=radius, cfg=newtonish.ModelBuilder.ShapeConfig(density=0.0))
    return builder


def two_lifts(kind: str, device: str) -> newtonish.Model:
    scene = newtonish.ModelBuilder()
    SolverMuJoCo.register_custom_attributes(scene)
    for radius in (0.1, 0.15):
        scene.add_world(lift(kind, radius))
    return scene.finalize(device=device)


@pytest.mark.parametrize("kind", ["free", "prismatic"])
def test_a_kinematic_root_passes_through_and_carries(kind: str, device: str) -> None:
    model = two_lifts(kind, device)
    solver, state = SolverMuJoCo(model), model.state()
    coords, dofs = model.joint_coord_count // 2, model.joint_dof_count // 2
    z, vz = (2, 2) if kind == "free" else (0, 0)
    forces = np.zeros((4, 6), dtype=np.float32)
    forces[[0, 2], 2] = -50.0  # on the plates: they do not feel it
    for k in range(250):
        q, qd = state.joint_q.numpy().copy(), state.joint_qd.numpy().copy()
        for world, speed in enumerate((0.2, -0.1)):
            q[world * coords + z] = speed * k * STEP
            qd[world * dofs : world * dofs + (6 if kind == "free" else 1)] = 0.0
            qd[world * dofs + vz] = speed
        state.joint_q.assign(q)
        state.joint_qd.assign(qd)
        state.body_f.assign(forces)
        solver.step(state, state, None, None, STEP)
        plates = [slice(w * coords, w * coords + (7 if kind == "free" else 1)) for w in range(2)]
        for part in plates:
            np.testing.assert_array_equal(state.joint_q.numpy()[part], q[part])
    heights = state.body_q.numpy()[[1, 3], 2]
    np.testing.assert_allclose(heights, [0.2 * 0.498 + 0.15, -0.1 * 0.498 + 0.2], atol=2e-3)


def test_a_root_becomes_dynamic_and_kinematic_again_by_notify(device: str) -> None:
    model = two_lifts("prismatic", device)
    solver, state = SolverMuJoCo(model), model.state()
    flags = model.body_flags.numpy().copy()
    changed = flags.copy()
    changed[2] = int(BodyFlags.DYNAMIC)  # the second world's plate
    changed[0] = int(BodyFlags.DYNAMIC)
    model.body_flags.assign(changed)
    solver.notify_model_changed(ModelFlags.BODY_PROPERTIES)
    assert np.all(solver.compiled.dof_armature[0] == 0.5)
    for _ in range(50):
        solver.step(state, state, None, None, STEP)
    fallen = state.joint_q.numpy()[[0, 8]].copy()
    assert np.all(fallen < -0.02)
    model.body_flags.assign(flags)
    solver.notify_model_changed(ModelFlags.BODY_PROPERTIES)
    assert solver.compiled.dof_armature[0] == 1e10
    for _ in range(20):
        solver.step(state, state, None, None, STEP)
    np.testing.assert_array_equal(state.joint_q.numpy()[[0, 8]], fallen)


def single(add) -> newtonish.Model:
    builder = newtonish.ModelBuilder()
    SolverMuJoCo.register_custom_attributes(builder)
    body = builder.add_link(mass=1.0, inertia=INERTIA, label="weight")
    builder.add_articulation([add(builder, body)])
    return builder.finalize(device="cpu")


def test_a_distance_joint_leaves_its_body_free_with_a_warning() -> None:
    model = single(lambda b, body: b.add_joint_distance(-1, body, max_distance=0.1, label="string"))
    with pytest.warns(NewtonishWarning, match=r"joint 'string': got type DISTANCE.*moves freely"):
        solver = SolverMuJoCo(model)
    assert (solver.compiled.nq, solver.compiled.nv) == (7, 6)
    state = model.state()
    for _ in range(200):
        solver.step(state, state, None, None, STEP)
    assert state.body_q.numpy()[0, 2] == pytest.approx(-0.5 * 9.81 * 0.4**2, rel=0.02)


def test_a_cable_is_refused_by_name() -> None:
    model = single(lambda b, body: b.add_joint_free(body, label="hose"))
    model.joint_type.fill_(7)
    with pytest.raises(UnsupportedError, match=r"joint 'hose': got joint type ROD, a cable"):
        SolverMuJoCo(model)
