"""Bodies, joints and shapes of one world: what the builder stores and what the model shows."""

import numpy as np
import pytest
import warp as wp

import newtonish as nt

Dof = nt.ModelBuilder.JointDofConfig


def small_robot() -> nt.ModelBuilder:
    builder = nt.ModelBuilder()
    torso = builder.add_link(label="torso", xform=wp.transform((0.0, 0.0, 1.0), wp.quat_identity()))
    leg = builder.add_link(label="leg")
    root = builder.add_joint_free(torso, label="root")
    hip = builder.add_joint_revolute(torso, leg, axis="y", limit_lower=-1.0, limit_upper=0.5, target_ke=2.0, label="hip")
    builder.add_articulation([root, hip], label="robot")
    builder.add_shape_sphere(torso, radius=0.2, label="ball")
    builder.add_shape_capsule(leg, radius=0.05, half_height=0.3, label="bone")
    builder.add_site(leg, label="foot")
    return builder


def test_counts_starts_and_labels(device: str) -> None:
    builder = small_robot()
    builder.color(balance_colors=False)  # for solvers that need it; none here does
    assert (builder.body_count, builder.joint_count, builder.shape_count) == (2, 2, 3)
    assert (builder.joint_dof_count, builder.joint_coord_count, builder.joint_constraint_count) == (7, 8, 5)
    model = builder.finalize(device)
    assert model.joint_q_start.numpy().tolist() == [0, 7, 8] == model.joint_target_q_start.numpy().tolist()
    assert len(model.joint_target_q) == 8
    assert model.joint_qd_start.numpy().tolist() == [0, 6, 7]
    assert model.articulation_start.numpy().tolist() == [0, 2]
    assert model.articulation_end.numpy().tolist() == [2]
    assert model.joint_ancestor.numpy().tolist() == [-1, 0]
    assert (model.max_joints_per_articulation, model.max_dofs_per_articulation) == (2, 7)
    assert model.world_count == 1 and builder.world_count == 0
    assert model.body_world_start.numpy().tolist() == [2, 2, 2]
    assert model.joint_dof_world_start.numpy().tolist() == [7, 7, 7]
    assert (model.body_label, model.joint_label) == (["torso", "leg"], ["root", "hip"])
    assert (model.shape_label, model.articulation_label) == (["ball", "bone", "foot"], ["robot"])
    assert model.body_shapes == {-1: [], 0: [0], 1: [1, 2]}


def test_array_types_follow_newton(device: str) -> None:
    model = small_robot().finalize(device)
    expected = {
        "body_q": wp.transformf, "body_qd": wp.spatial_vectorf, "body_com": wp.vec3f, "body_inertia": wp.mat33f,
        "body_inv_mass": wp.float32, "body_flags": wp.int32, "joint_X_p": wp.transformf, "joint_axis": wp.vec3f,
        "joint_q": wp.float32, "joint_type": wp.int32, "joint_enabled": wp.bool, "joint_mimic_coeffs": wp.vec2f,
        "shape_scale": wp.vec3f, "shape_is_solid": wp.bool, "shape_type": wp.int32, "gravity": wp.vec3f,
    }  # fmt: skip
    for name, dtype in expected.items():
        assert getattr(model, name).dtype == dtype, name
    assert model.joint_dof_dim.shape == (2, 2)


def test_same_columns_as_newton(device: str) -> None:
    newton = pytest.importorskip("newton")

    def build(module):
        builder = module.ModelBuilder()
        config = module.ModelBuilder.ShapeConfig(density=700.0, margin=0.01)
        pose = wp.transform((0.1, 0.2, 0.3), wp.quat_from_axis_angle(wp.vec3(0.0, 0.6, 0.8), 0.7))
        free = builder.add_body(xform=pose, label="free")
        arm, hand = builder.add_link(mass=0.5, inertia=wp.mat33(np.eye(3))), builder.add_link()
        dof = module.ModelBuilder.JointDofConfig
        first = builder.add_joint_revolute(-1, arm, axis=(1.0, 1.0, 0.0), limit_lower=0.5, limit_upper=1.0, armature=0.1)
        d6 = {"linear_axes": [dof(axis="x", rest_q=0.2)], "angular_axes": [dof(axis="y", target_kd=1.0), dof(axis="z")]}
        second = builder.add_joint_d6(arm, hand, parent_xform=pose, **d6)
        builder.add_articulation([first, second])
        third = builder.add_link(mass=1.0, inertia=wp.mat33(np.eye(3)))
        builder.add_articulation([builder.add_joint_ball(-1, third, child_xform=pose, damping=0.3)])
        builder.add_shape_box(free, hx=0.1, hy=0.2, hz=0.3, cfg=config)
        builder.add_shape_capsule(arm, xform=pose, radius=0.1, half_height=0.4, cfg=config)
        builder.add_shape_cylinder(hand, radius=0.1, half_height=0.4)
        builder.add_shape_ellipsoid(hand, xform=pose, rx=0.1, ry=0.2, rz=0.3)
        builder.add_shape_cone(hand, radius=0.1, half_height=0.2)
        builder.add_shape_sphere(hand, radius=0.1, as_site=True)
        builder.add_shape_plane((0.0, 0.6, 0.8, 0.5), width=2.0, length=3.0)
        builder.add_ground_plane(height=-0.5)
        return builder.finalize(device)

    ours, theirs = build(nt), build(newton)
    skipped = {"shape_color", "body_label", "joint_cts", "shape_source"}
    from newtonish.model.tables import COLUMNS

    for name, spec in COLUMNS.items():
        if spec.in_model and spec.dtype is not None and name not in skipped:
            expected = getattr(theirs, name).numpy()
            np.testing.assert_allclose(getattr(ours, name).numpy(), expected, atol=2e-5, err_msg=name)
    for name in ("joint_q_start", "joint_qd_start", "joint_ancestor", "articulation_start", "body_world_start"):
        np.testing.assert_array_equal(getattr(ours, name).numpy(), getattr(theirs, name).numpy(), err_msg=name)
    for name in ("body_inv_mass", "body_inv_inertia", "shape_collision_radius"):
        np.testing.assert_allclose(getattr(ours, name).numpy(), getattr(theirs, name).numpy(), rtol=2e-4, err_msg=name)
    pairs = theirs.shape_collision_filter_pairs_array()
    np.testing.assert_array_equal(ours.shape_collision_filter_pairs_array(), np.sort(pairs, axis=1))
    assert (ours.joint_label, ours.articulation_label) == (theirs.joint_label, theirs.articulation_label)


def test_free_body_is_link_joint_and_articulation() -> None:
    builder = nt.ModelBuilder()
    pose = wp.transform((1.0, 2.0, 3.0), wp.quat_from_axis_angle(wp.vec3(0.0, 0.0, 1.0), 0.5))
    body = builder.add_body(xform=pose, mass=2.0, label="box")
    assert (builder.joint_type[0], builder.joint_child[0]) == (nt.JointType.FREE, body)
    assert builder.joint_label == ["box_free_joint"] and builder.articulation_label == ["box_articulation"]
    np.testing.assert_allclose(builder.joint_q[:7], list(pose), atol=1e-7)


def test_columns_behave_like_lists() -> None:
    builder = small_robot()
    builder.joint_q[:3] = [1.0, 2.0, 3.0]
    builder.joint_target_ke[-1] = 50.0
    builder.joint_damping = [0.5] * 7
    assert builder.joint_q[:3] == [1.0, 2.0, 3.0] and builder.joint_target_ke[-1] == 50.0
    assert builder.joint_damping == [0.5] * 7 and len(builder.joint_damping) == 7
    assert isinstance(builder.body_q[0], wp.transformf) and isinstance(builder.body_com[0], wp.vec3f)
    assert isinstance(builder.body_mass[0], float) and builder.shape_scale[0] == (0.2, 0.0, 0.0)
    assert builder.joint_type[1].name == "REVOLUTE" and list(builder.joint_parent) == [-1, 0]
    assert np.asarray(builder.body_q).shape == (2, 7) and np.asarray(builder.body_q).dtype == np.float64
    with pytest.raises(nt.ModelError, match=r"builder\.joint_q: got 2 values for 3 rows"):
        builder.joint_q[:3] = [0.0, 0.0]


def test_drive_mode_and_target_inside_limits() -> None:
    builder = small_robot()
    assert builder.joint_target_mode[-1] == nt.JointTargetMode.POSITION
    assert builder.joint_target_mode[0] == nt.JointTargetMode.NONE
    assert Dof(limit_lower=1.0, limit_upper=3.0).target_q == 2.0
    assert Dof(target_kd=1.0).mode == nt.JointTargetMode.VELOCITY
    builder.default_joint_cfg.armature = 0.25
    builder.add_joint_prismatic(-1, builder.add_link(), axis=nt.Axis.Z)
    assert builder.joint_armature[-1] == 0.25 and tuple(builder.joint_axis[-1]) == (0.0, 0.0, 1.0)


def test_joined_bodies_do_not_collide() -> None:
    builder = small_robot()
    builder.add_shape_box(0, label="late")
    assert builder.shape_collision_filter_pairs == [(0, 1), (1, 3)]
    world = builder.add_link()
    builder.add_shape_sphere(world)
    builder.add_ground_plane()
    builder.add_joint_revolute(-1, world)
    assert len(builder.shape_collision_filter_pairs) == 2
    fixed = builder.add_link()
    builder.add_shape_sphere(fixed)
    builder.add_joint_fixed(-1, fixed)
    assert builder.shape_collision_filter_pairs[2:] == [(5, 6)]


def test_filter_lookup_in_the_model(device: str) -> None:
    builder = small_robot()
    builder.add_shape_collision_filter_pair(2, 0)
    model = builder.finalize(device)
    assert model.shape_collision_filter_contains(0, 2) and model.shape_collision_filter_contains(1, 0)
    assert not model.shape_collision_filter_contains(1, 2)
    assert model.shape_collision_filter_mask(np.array([[0, 1], [2, 1]])).tolist() == [True, False]
    assert model.shape_collision_filter_pairs == {(0, 1), (0, 2)}


def test_mass_from_density_and_locking() -> None:
    builder = nt.ModelBuilder()
    free, locked = builder.add_link(), builder.add_link(mass=1.0, lock_inertia=True)
    for body in (free, locked):
        builder.add_shape_box(body, hx=0.1, hy=0.1, hz=0.1, xform=wp.transform((0.5, 0.0, 0.0), wp.quat_identity()))
        builder.add_shape_box(body, hx=0.1, hy=0.1, hz=0.1, xform=wp.transform((-0.5, 0.0, 0.0), wp.quat_identity()))
    np.testing.assert_allclose(builder.body_mass, [16.0, 1.0])
    np.testing.assert_allclose(builder.body_com[0], [0.0, 0.0, 0.0], atol=1e-12)
    around = 2 * (8.0 / 3.0 * 0.02 + 8.0 * 0.25)
    np.testing.assert_allclose(np.diag(np.asarray(builder.body_inertia)[0]), [2 * 8 / 3 * 0.02, around, around])
    assert not np.any(np.asarray(builder.body_inertia)[1])


def test_gravity_follows_the_up_axis(device: str) -> None:
    assert tuple(nt.ModelBuilder(up_axis="y").gravity) == pytest.approx((0.0, -9.81, 0.0))
    builder = nt.ModelBuilder(gravity=-1.62)
    assert tuple(builder.gravity) == pytest.approx((0.0, 0.0, -1.62))
    builder.gravity = (1.0, 2.0, 3.0)
    builder.add_body(mass=1.0)
    model = builder.finalize(device)
    np.testing.assert_allclose(model.gravity.numpy(), [[1.0, 2.0, 3.0]])


def test_ground_plane_lies_across_the_up_axis(device: str) -> None:
    builder = nt.ModelBuilder(up_axis="x")
    builder.add_ground_plane(height=0.5)
    pose = builder.finalize(device).shape_transform.numpy()[0]
    turned = wp.quat_rotate(wp.quat(*pose[3:].tolist()), wp.vec3(0.0, 0.0, 1.0))
    np.testing.assert_allclose(np.append(pose[:3], turned), [0.5, 0, 0, 1, 0, 0], atol=1e-6)
    assert builder.shape_scale[0] == (0.0, 0.0, 0.0)


def test_mimic() -> None:
    builder = nt.ModelBuilder()
    links = [builder.add_link(mass=1.0) for _ in range(3)]
    joints = [builder.add_joint_revolute(-1, link) for link in links]
    builder.set_joint_mimic(joints[1], joints[0], coeffs=(0.5, -2.0))
    assert builder.joint_mimic_joint == [-1, 0, -1] and builder.joint_mimic_coeffs[1] == (0.5, -2.0)
    with pytest.raises(nt.ModelError, match="chain"):
        builder.set_joint_mimic(joints[2], joints[1])
    builder.set_joint_mimic(joints[1], None)
    assert builder.joint_mimic_joint[1] == -1
    assert builder.add_constraint_mimic(joints[2], joints[0], coef1=3.0, label="pair") == 0
    assert builder.constraint_mimic_label == ["pair"]


def test_settings_of_distance_fields_warn_that_they_do_nothing():
    with pytest.warns(nt.NewtonishWarning, match="sdf_texture_paired_samples=False, which has no effect"):
        assert nt.ModelBuilder(sdf_texture_paired_samples=False).sdf_texture_paired_samples is False
