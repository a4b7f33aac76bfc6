"""What finalize refuses, with names; and that everything wrong is reported at once."""

import numpy as np
import pytest
import warp as wp

import newtonish as nt


def hinged() -> nt.ModelBuilder:
    builder = nt.ModelBuilder()
    link = builder.add_link(mass=1.0, inertia=np.eye(3), label="arm")
    builder.add_articulation([builder.add_joint_revolute(-1, link, label="elbow")])
    builder.add_shape_sphere(link, radius=0.1, cfg=nt.ModelBuilder.ShapeConfig(density=0.0), label="ball")
    return builder


def test_all_problems_at_once(device: str) -> None:
    builder = hinged()
    builder.body_mass[0] = -1.0
    builder.shape_material_mu[0] = np.nan
    builder.joint_limit_lower[0], builder.joint_limit_upper[0] = 1.0, -1.0
    with pytest.raises(nt.ModelError) as caught:
        builder.finalize(device)
    assert len(caught.value.problems) == 3
    for part in ("'arm'", "mass -1.0", "'ball'", "mu = nan", "'elbow'", "lower <= upper"):
        assert part in str(caught.value)
    builder.finalize(device, skip_all_validations=True)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda b: b.joint_parent.__setitem__(0, 7), r"builder\.joint_parent: got 7 in row 0; allowed: -1 to 0"),
        (lambda b: b.body_mass.append(1.0), r"2 rows; allowed: 1|got 1 rows; allowed: 2"),
        (lambda b: b.joint_q.__setitem__(0, np.nan), r"builder\.joint_q: got nan in row 0"),
        (lambda b: b.joint_q_start.__setitem__(0, -5), r"builder\.joint_q_start"),
        (lambda b: b.shape_world.__setitem__(0, 3), r"shape worlds: got world 3 of 'ball'"),
        (lambda b: b.body_inertia.__setitem__(0, np.full((3, 3), np.inf)), r"inertia that is not finite of 'arm'"),
    ],
)
def test_spoiled_columns(spoil, message: str, device: str) -> None:
    builder = hinged()
    spoil(builder)
    with pytest.raises(nt.ModelError, match=message):
        builder.finalize(device)


@pytest.mark.filterwarnings("ignore:joint 'loop'")
def test_joints_outside_articulations(device: str) -> None:
    builder = nt.ModelBuilder()
    a, b, c = (builder.add_link(mass=1.0) for _ in range(3))
    builder.add_joint_revolute(-1, a)
    builder.add_joint_revolute(a, b, label="stray")
    with pytest.raises(nt.ModelError, match="'stray' outside any articulation"):
        builder.finalize(device)
    builder.finalize(device, skip_validation_joints=True)
    builder.add_articulation([0, 1])
    builder.add_joint_fixed(a, b, label="loop", child_xform=wp.transform((1.0, 0.0, 0.0), wp.quat_identity()))
    builder.add_articulation([builder.add_joint_revolute(b, c, label="across")])
    with pytest.raises(nt.ModelError, match="'across' on bodies of another articulation"):
        builder.finalize(device)


def test_entities_of_all_worlds_come_first_or_last(device: str) -> None:
    builder = nt.ModelBuilder()
    for k in range(2):
        builder.add_world(hinged())
        if k == 0:
            builder.add_ground_plane(label="floor")
    with pytest.raises(nt.ModelError, match="'floor' of all worlds between"):
        builder.finalize(device)


def test_impossible_inertia_is_replaced_with_a_warning(device: str) -> None:
    builder = hinged()
    builder.body_inertia[0] = np.diag([0.1, 0.1, 1.0])
    with pytest.warns(nt.NewtonishWarning, match="'arm'"):
        model = builder.finalize(device)
    moments = np.linalg.eigvalsh(model.body_inertia.numpy()[0])
    assert moments[2] <= moments[0] + moments[1] + 1e-6
    untouched = builder.finalize(device, skip_validation_inertia=True)
    np.testing.assert_allclose(np.diag(untouched.body_inertia.numpy()[0]), [0.1, 0.1, 1.0])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda b: b.add_joint_revolute(5, 0, label="j"),
            r"joint 'j': got parent body 5; allowed: -1 \(the world\) to 0",
        ),
        (lambda b: b.add_joint_revolute(0, 0), "also the parent"),
        (lambda b: b.add_joint(nt.JointType.REVOLUTE, -1, 0), "0 sliding and 0 turning axes.*REVOLUTE"),
        (lambda b: b.add_shape_sphere(3), "shape 'shape_1': got body 3"),
        (lambda b: b.add_shape_sphere(0, radius=0.0), r"size \[0\.0\] for type SPHERE"),
        (lambda b: b.add_shape_mesh(0), "type MESH without a source"),
        (lambda b: b.add_shape_sphere(0, opacity=2.0), "opacity 2"),
        (lambda b: b.add_shape_sphere(0, xform=(1.0, 2.0)), "shape 'shape_1'"),
        (lambda b: b.add_link(com=(0.0, 0.0)), "body 'body_1': got .* 3 numbers"),
        (lambda b: b.add_link(xform=(0.0,) * 7), "quaternion of length one"),
        (lambda b: b.add_joint_revolute(-1, 0, axis=(0.0, 0.0, 0.0)), "non-zero length"),
        (lambda b: b.add_articulation([]), "non-empty run"),
        (lambda b: b.add_articulation([0]), "belongs to 'articulation_0'"),
        (lambda b: b.set_joint_mimic(0, 4), "reference joint 4"),
        (lambda b: b.end_world(), "no open world"),
        (lambda b: b.replicate(b), "neither copy_count nor world_count"),
        (lambda b: b.replicate(nt.ModelBuilder(up_axis="y"), 1), "up axis Y"),
    ],
)
def test_arguments_out_of_range(make, message: str) -> None:
    builder = hinged()
    with pytest.raises(nt.ModelError, match=message):
        make(builder)
    counts = builder.body_count, builder.joint_count, builder.shape_count, builder.joint_dof_count
    assert counts == (1, 1, 1, 1)


def test_bodies_of_other_worlds_cannot_be_joined() -> None:
    builder = nt.ModelBuilder()
    builder.begin_world()
    first = builder.add_link(label="first")
    builder.end_world()
    builder.begin_world()
    second = builder.add_link()
    with pytest.raises(nt.ModelError, match="'first' of world 0"):
        builder.add_joint_revolute(first, second)


def test_unsupported_shape_settings() -> None:
    config = nt.ModelBuilder.ShapeConfig(is_hydroelastic=True)
    with pytest.raises(nt.UnsupportedError, match="is_hydroelastic"):
        hinged().add_shape_sphere(0, cfg=config)
    with pytest.raises(nt.ModelError, match=r"barrel radius 0.2.*at least the half height 0.5"):
        hinged().add_shape_cylinder(0, half_height=0.5, barrel_radius=0.2)


def test_second_joint_between_two_bodies_warns() -> None:
    builder = nt.ModelBuilder()
    body = builder.add_body(mass=1.0, label="box")
    with pytest.warns(nt.NewtonishWarning, match="'world' and 'box'"):
        builder.add_joint_revolute(-1, body)
