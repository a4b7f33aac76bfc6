"""Forward and inverse kinematics: analytic cases, finite differences, round trips, and Newton where it is installed."""

import numpy as np
import pytest
import warp as wp

import newtonish as nt
from newtonish.model import transforms as T

Dof = nt.ModelBuilder.JointDofConfig
UNIT_INERTIA = np.diag([0.01, 0.02, 0.025])


def random_pose(rng: np.random.Generator, size: float = 0.5) -> np.ndarray:
    quat = rng.normal(size=4)
    return np.concatenate([rng.normal(size=3) * size, quat / np.linalg.norm(quat)])


def mixed_tree(module, rng: np.random.Generator, skew: bool = False):
    """A builder of ours or Newton's with every joint type, random frames and centres of mass."""
    builder = module.ModelBuilder()
    dof = module.ModelBuilder.JointDofConfig
    frame = lambda: wp.transform(*random_pose(rng).tolist())  # noqa: E731
    third = (0.2, 0.3, 0.9) if skew else "z"
    joints, links = [], []

    def link() -> int:
        links.append(builder.add_link(mass=1.0, com=wp.vec3(*rng.normal(size=3) * 0.2), inertia=wp.mat33(np.eye(3))))
        return links[-1]

    frames = lambda: {"parent_xform": frame(), "child_xform": frame()}  # noqa: E731
    joints.append(builder.add_joint_free(link(), **frames()))
    joints.append(builder.add_joint_revolute(links[0], link(), axis=(1.0, 2.0, 0.5), **frames()))
    joints.append(builder.add_joint_prismatic(links[1], link(), axis=(0.0, 1.0, 0.3), **frames()))
    joints.append(builder.add_joint_ball(links[1], link(), **frames()))
    joints.append(builder.add_joint_fixed(links[3], link(), **frames()))
    linear, angular = [dof(axis="x"), dof(axis="z")], [dof(axis="x"), dof(axis="y"), dof(axis=third)]
    joints.append(builder.add_joint_d6(links[4], link(), linear_axes=linear, angular_axes=angular, **frames()))
    pair = [dof(axis="y"), dof(axis="z")]
    joints.append(builder.add_joint_d6(links[4], link(), angular_axes=pair, **frames()))
    joints.append(builder.add_joint_d6(links[6], link(), linear_axes=[dof(axis="y")], angular_axes=[dof(axis="z")]))
    joints.append(builder.add_joint_free(link(), parent=links[5], **frames()))
    builder.add_articulation(joints)
    return builder


def random_coordinates(model, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    q = rng.uniform(-1.0, 1.0, model.joint_coord_count)
    starts, kinds = model.joint_q_start.numpy(), model.joint_type.numpy()
    for joint, kind in enumerate(kinds):
        if kind in (nt.JointType.FREE, nt.JointType.BALL):
            at = starts[joint + 1] - 4
            q[at : at + 4] /= np.linalg.norm(q[at : at + 4])
    return q, rng.uniform(-1.0, 1.0, model.joint_dof_count)


def advance(model, q: np.ndarray, qd: np.ndarray, dt: float) -> np.ndarray:
    """Coordinates a short time later; only for models whose quaternion joints are balls."""
    q = q.copy()
    starts, speeds, kinds = model.joint_q_start.numpy(), model.joint_qd_start.numpy(), model.joint_type.numpy()
    for joint, kind in enumerate(kinds):
        a, b = starts[joint], speeds[joint]
        count = speeds[joint + 1] - b
        if kind == nt.JointType.BALL:
            half = 0.5 * dt * qd[b : b + 3]
            turn = np.append(half, 1.0)
            q[a : a + 4] = T.quat_multiply(turn / np.linalg.norm(turn), q[a : a + 4])
        else:
            q[a : a + count] += dt * qd[b : b + count]
    return q


def run_fk(model, q: np.ndarray, qd: np.ndarray, **kwargs):
    state = model.state()
    state.joint_q.assign(q.astype(np.float32))
    state.joint_qd.assign(qd.astype(np.float32))
    nt.eval_fk(model, state.joint_q, state.joint_qd, state, **kwargs)
    return state


def test_two_link_arm_by_hand(device: str) -> None:
    builder = nt.ModelBuilder()
    upper = builder.add_link(mass=1.0, com=(0.5, 0.0, 0.0))
    lower = builder.add_link(mass=1.0, com=(0.25, 0.0, 0.0))
    first = builder.add_joint_revolute(-1, upper, axis="z")
    second = builder.add_joint_prismatic(upper, lower, axis="x", parent_xform=wp.transform((1, 0, 0), wp.quat_identity()))
    builder.add_articulation([first, second])
    model = builder.finalize(device)
    angle, reach, turn, slide = 0.7, 0.3, 2.0, -0.5
    state = run_fk(model, np.array([angle, reach]), np.array([turn, slide]))
    out, across = np.array([np.cos(angle), np.sin(angle), 0.0]), np.array([-np.sin(angle), np.cos(angle), 0.0])
    body_q, body_qd = state.body_q.numpy(), state.body_qd.numpy()
    np.testing.assert_allclose(body_q[1, :3], (1.0 + reach) * out, atol=1e-6)
    np.testing.assert_allclose(body_qd[0, :3], 0.5 * turn * across, atol=1e-6)
    np.testing.assert_allclose(body_qd[1, :3], (1.25 + reach) * turn * across + slide * out, atol=1e-6)
    np.testing.assert_allclose(body_qd[:, 3:], [[0, 0, turn]] * 2, atol=1e-6)


def test_free_joint_velocity_is_that_of_the_centre_of_mass(device: str) -> None:
    builder = nt.ModelBuilder()
    pose = random_pose(np.random.default_rng(3))
    body = builder.add_link(mass=1.0, com=(0.1, 0.2, 0.3), xform=pose)
    frame = random_pose(np.random.default_rng(4))
    builder.add_articulation([builder.add_joint_free(body, parent_xform=frame)])
    model = builder.finalize(device)
    qd = np.arange(1.0, 7.0)
    state = run_fk(model, model.joint_q.numpy(), qd)
    assert abs(np.abs(state.body_q.numpy()[0, 3:] @ pose[3:]) - 1.0) < 1e-6
    np.testing.assert_allclose(state.body_q.numpy()[0, :3], pose[:3], atol=1e-6)
    expected = np.concatenate([T.quat_rotate(frame[3:], qd[:3]), T.quat_rotate(frame[3:], qd[3:])])
    np.testing.assert_allclose(state.body_qd.numpy()[0], expected, atol=1e-5)


def test_d6_axes_act_one_after_another(device: str) -> None:
    axes = [np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.6, 0.8]), np.array([0.48, 0.6, 0.64])]
    builder = nt.ModelBuilder()
    body = builder.add_link(mass=1.0)
    turning = [Dof(axis=axis) for axis in axes]
    builder.add_articulation([builder.add_joint_d6(-1, body, linear_axes=[Dof(axis="y")], angular_axes=turning)])
    model = builder.finalize(device)
    angles = np.array([0.4, -0.7, 1.1])
    state = run_fk(model, np.array([0.5, *angles]), np.zeros(4))
    expected = np.array([0.0, 0.0, 0.0, 1.0])
    for axis, angle in zip(axes, angles):
        expected = T.quat_multiply(expected, np.append(np.sin(angle / 2) * axis / np.linalg.norm(axis), np.cos(angle / 2)))
    result = state.body_q.numpy()[0]
    np.testing.assert_allclose(result[:3], [0.0, 0.5, 0.0], atol=1e-6)
    np.testing.assert_allclose(result[3:] * np.sign(result[3:] @ expected), expected, atol=1e-6)


@pytest.mark.parametrize("skew", [False, True])
def test_velocities_are_the_rate_of_poses_in_unequal_worlds(skew: bool, device: str) -> None:
    rng = np.random.default_rng(7)
    builder = nt.ModelBuilder()
    links, joints = [], []
    for k in range(5):
        links.append(builder.add_link(mass=1.0, com=rng.normal(size=3) * 0.3))
        parent = links[k - 1] if k else -1
        frames = {"parent_xform": random_pose(rng), "child_xform": random_pose(rng)}
        if k % 2:
            joints.append(builder.add_joint_ball(parent, links[k], **frames))
        else:
            turning = [Dof(axis="x"), Dof(axis=(0.3, 1.0, 0.0) if skew else "y"), Dof(axis="z")]
            linear = [Dof(axis="z"), Dof(axis="x")]
            joints.append(builder.add_joint_d6(parent, links[k], linear_axes=linear, angular_axes=turning, **frames))
    builder.add_articulation(joints)
    scene = nt.ModelBuilder()
    scene.replicate(builder, 3)
    model = scene.finalize(device)
    q, qd = random_coordinates(model, rng)
    dt = 2e-3
    after, before = (run_fk(model, advance(model, q, qd, s * dt), qd).body_q.numpy().astype(float) for s in (1, -1))
    state = run_fk(model, q, qd)
    com = model.body_com.numpy()
    points = [T.transform_point(pose, com) for pose in (after, before)]
    linear = (points[0] - points[1]) / (2 * dt)
    turn = T.quat_multiply(after[:, 3:], T.quat_conjugate(before[:, 3:]))
    angular = turn[:, :3] * np.sign(turn[:, 3:]) / dt
    np.testing.assert_allclose(state.body_qd.numpy(), np.hstack([linear, angular]), atol=5e-3)


@pytest.mark.parametrize("skew", [False, True])
def test_inverse_undoes_forward(skew: bool, device: str) -> None:
    rng = np.random.default_rng(11)
    scene = nt.ModelBuilder()
    scene.replicate(mixed_tree(nt, rng, skew), 2)
    model = scene.finalize(device)
    q, qd = random_coordinates(model, rng)
    state = run_fk(model, q, qd)
    got_q, got_qd = wp.zeros_like(state.joint_q), wp.zeros_like(state.joint_qd)
    nt.eval_ik(model, state, got_q, got_qd)
    again = run_fk(model, got_q.numpy(), got_qd.numpy())
    np.testing.assert_allclose(got_qd.numpy(), qd, atol=2e-4)
    np.testing.assert_allclose(np.abs(got_q.numpy()), np.abs(q), atol=2e-4)
    np.testing.assert_allclose(again.body_qd.numpy(), state.body_qd.numpy(), atol=5e-4)


def test_agrees_with_newton(device: str) -> None:
    newton = pytest.importorskip("newton")
    ours, theirs = (mixed_tree(module, np.random.default_rng(5)) for module in (nt, newton))
    mine, other = ours.finalize(device), theirs.finalize(device)
    q, qd = random_coordinates(mine, np.random.default_rng(6))
    state = run_fk(mine, q, qd)
    expected = other.state()
    joint_q, joint_qd = (wp.array(v.astype(np.float32), dtype=float, device=device) for v in (q, qd))
    newton.eval_fk(other, joint_q, joint_qd, expected)
    np.testing.assert_allclose(state.body_q.numpy(), expected.body_q.numpy(), atol=2e-5)
    np.testing.assert_allclose(state.body_qd.numpy(), expected.body_qd.numpy(), atol=5e-5)
    foreign = other.state()
    nt.eval_fk(other, joint_q, joint_qd, foreign)  # Newton's own model object is accepted too
    np.testing.assert_allclose(foreign.body_q.numpy(), expected.body_q.numpy(), atol=2e-5)


def test_masks_indices_flags_and_loose_joints(device: str) -> None:
    builder = nt.ModelBuilder()
    for k in range(3):
        body = builder.add_link(mass=1.0, is_kinematic=k == 2)
        joint = builder.add_joint_prismatic(-1, body, axis="x")
        if k < 2:
            builder.add_articulation([joint])
    model = builder.finalize(device)
    q, qd = np.array([1.0, 2.0, 3.0]), np.zeros(3)
    place = lambda **kwargs: run_fk(model, q, qd, **kwargs).body_q.numpy()[:, 0].tolist()  # noqa: E731
    assert place() == [1.0, 2.0, 3.0]
    assert place(mask=wp.array([False, True], dtype=wp.bool, device=device)) == [0.0, 2.0, 0.0]
    assert place(indices=wp.array([0], dtype=wp.int32, device=device)) == [1.0, 0.0, 0.0]
    assert place(body_flag_filter=nt.BodyFlags.DYNAMIC) == [1.0, 2.0, 0.0]
    assert place(joint_mask=wp.array([False, True, True], dtype=wp.bool, device=device)) == [0.0, 2.0, 3.0]
    with pytest.raises(nt.ModelError, match="mask and indices"):
        place(mask=model.joint_enabled, indices=model.joint_type)


def test_joints_in_any_order_inside_an_articulation(device: str) -> None:
    builder = nt.ModelBuilder()
    tip, base = builder.add_link(mass=1.0), builder.add_link(mass=1.0)
    up = wp.transform((0.0, 0.0, 1.0), wp.quat_identity())
    first = builder.add_joint_revolute(base, tip, axis="x", parent_xform=up)
    second = builder.add_joint_revolute(-1, base, axis="x", parent_xform=up)
    builder.add_articulation([first, second])
    assert not builder.validate_joint_ordering()
    state = run_fk(builder.finalize(device), np.zeros(2), np.zeros(2))
    np.testing.assert_allclose(state.body_q.numpy()[:, 2], [2.0, 1.0])


def test_loop_joint_does_not_place_its_child(device: str) -> None:
    builder = nt.ModelBuilder()
    a, b = builder.add_link(mass=1.0), builder.add_link(mass=1.0)
    tree = [builder.add_joint_prismatic(-1, a, axis="x"), builder.add_joint_prismatic(-1, b, axis="y")]
    builder.add_articulation(tree)
    far = wp.transform((5.0, 5.0, 5.0), wp.quat_identity())
    builder.add_joint_fixed(a, b, parent_xform=far)
    state = run_fk(builder.finalize(device), np.array([1.0, 2.0]), np.zeros(2))
    np.testing.assert_allclose(state.body_q.numpy()[:, :3], [[1, 0, 0], [0, 2, 0]])
