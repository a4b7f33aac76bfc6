"""Many worlds: equal ones share, unequal ones are batched and equal MuJoCo's numbers, unlike structures are refused."""

import numpy as np
import pytest
import warp as wp

import newtonish
from newtonish.common import frames
from newtonish.convert import convert
from newtonish.convert.maps import CTRL_DIRECT, TARGET_POSITION, TARGET_VELOCITY
from newtonish.errors import ModelError, NewtonishWarning, UnsupportedError
from newtonish.model.enums import BodyFlags, JointTargetMode, ShapeFlags
from newtonish.namespaces.mujoco import register


def place(x: float = 0.0, y: float = 0.0, z: float = 0.0, axis: tuple = (0, 0, 1), angle: float = 0.0) -> wp.transform:
    """A transform from a position and an axis-angle rotation."""
    return wp.transform((x, y, z), wp.quat_from_axis_angle(wp.vec3(*axis), angle))


def inertia(*diagonal: float) -> wp.mat33:
    """A diagonal inertia matrix."""
    return wp.mat33(np.diag(diagonal).astype(np.float32))


def robot(mass: float = 1.0, stiffness: float = 50.0, second: str = "revolute", radius: float = 0.1):
    """A free base, an arm with a position drive and a hand on a D6 joint."""
    builder = newtonish.ModelBuilder()
    register(builder)
    link = {"lock_inertia": True, "inertia": inertia(0.1, 0.2, 0.25)}
    base = builder.add_link(xform=place(z=1.0), mass=mass, label="base", **link)
    arm = builder.add_link(xform=place(0.2, 0, 1), mass=0.5, com=wp.vec3(0.1, 0, 0), label="arm", **link)
    hand = builder.add_link(xform=place(0.4, 0, 1), mass=0.3, label="hand", **link)
    frames = {"parent_xform": place(0.2, axis=(1, 0, 0), angle=0.3), "child_xform": place(-0.1, angle=0.4)}
    joints = [builder.add_joint_free(base, label="root")]
    mode = JointTargetMode.POSITION_VELOCITY
    if second == "revolute":
        joints.append(
            builder.add_joint_revolute(
                base, arm, axis=(0, 1, 0), label="elbow", limit_lower=-1, limit_upper=2, limit_ke=900.0, limit_kd=4.0,
                target_ke=stiffness, target_kd=2.0, actuator_mode=mode, effort_limit=7.0, **frames,
            )
        )  # fmt: skip
    else:
        joints.append(builder.add_joint_prismatic(base, arm, axis=(0, 1, 0), label="elbow", actuator_mode=mode, **frames))
    dof = newtonish.ModelBuilder.JointDofConfig
    axes = {"linear_axes": [dof(axis=(1, 0, 0))], "angular_axes": [dof(axis=(0, 1, 0)), dof(axis=(0, 0, 1))]}
    joints.append(builder.add_joint_d6(arm, hand, label="wrist", parent_xform=place(0.2), **axes))
    builder.add_articulation(joints)
    builder.add_shape_box(base, hx=0.1, hy=0.2, hz=0.3, label="box")
    builder.add_shape_sphere(hand, radius=radius, label="ball")
    return builder


def worlds(*builders: newtonish.ModelBuilder, spacing: float = 0.0) -> newtonish.Model:
    """A ground shared by all worlds and one world for each builder."""
    main = newtonish.ModelBuilder()
    main.add_ground_plane()
    for k, builder in enumerate(builders):
        main.add_world(builder, xform=place(k * spacing))
    return main.finalize(device="cpu")


def test_equal_worlds_share_everything() -> None:
    compiled = convert(worlds(robot(), robot(), robot()))
    assert compiled.nworld == 3
    assert compiled.batched == {}
    assert compiled.nbody == 4
    assert compiled.ngeom == 3


def test_a_grid_of_worlds_differs_in_root_poses_only() -> None:
    compiled = convert(worlds(robot(), robot(), robot(), spacing=2.0))
    assert sorted(compiled.batched) == ["body_pos", "qpos0", "qpos_spring"]
    np.testing.assert_allclose(compiled.batched["qpos0"][:, 0], [0.0, 2.0, 4.0])


def test_each_unequal_world_equals_its_own_conversion() -> None:
    variants = [robot(), robot(mass=3.0), robot(), robot(stiffness=80.0, radius=0.2)]
    together = convert(worlds(*variants, spacing=1.0))
    alone = [convert(worlds(variant)) for variant in variants]
    expected = {"body_mass", "body_subtreemass", "dof_M0", "dof_invweight0", "body_invweight0", "jnt_solref"}
    expected |= {"actuator_gainprm", "actuator_biasprm", "actuator_acc0", "geom_size", "geom_rbound", "geom_aabb"}
    assert expected <= set(together.batched)
    for name, values in together.batched.items():
        assert len(values) == 4
        if name in ("body_pos", "qpos0", "qpos_spring"):
            continue
        for world, single in enumerate(alone):
            if name == "meaninertia":
                assert values[world] == pytest.approx(single.stat.meaninertia)
                continue
            np.testing.assert_allclose(values[world], getattr(single, name), rtol=1e-9, atol=1e-12, err_msg=name)
    np.testing.assert_array_equal(together.world("body_mass", 1)[1:], [3.0, 0.5, np.float32(0.3)])


def test_gravity_and_options_may_differ_between_worlds() -> None:
    model = worlds(robot(), robot())
    model.set_gravity((0.0, 0.0, -1.0), world=1)
    compiled = convert(model, options={"impratio": 5.0, "solver": "newton", "integrator": "euler", "cone": None})
    np.testing.assert_allclose(compiled.batched["gravity"], [[0, 0, -9.81], [0, 0, -1]], rtol=1e-6)
    assert (compiled.opt.impratio, compiled.opt.solver, compiled.opt.integrator, compiled.opt.cone) == (5.0, 2, 0, 0)
    assert compiled.opt.timestep == 0.002


@pytest.mark.parametrize("ratio", [0.0, -1.0, float("nan")])
def test_a_ratio_of_impedances_that_is_not_positive_is_refused(ratio: float) -> None:
    """In the second of two worlds, where its square root was taken."""
    model = worlds(robot(), robot())
    model.mujoco.impratio.assign(np.float32([2.0, ratio]))
    with pytest.raises(ModelError, match="impratio"):
        convert(model)


def test_an_inertia_edited_after_the_import_counts() -> None:
    """Principal axes that the importer wrote are kept only while they describe ``body_inertia``."""
    builder = robot()
    matrix = np.array([[0.2, 0.05, 0.0], [0.05, 0.3, 0.0], [0.0, 0.0, 0.4]], dtype=np.float32)
    quat, diagonal = (1.0, 0.0, 0.0, 0.0), (0.1, 0.2, 0.25)
    main = worlds(builder, builder, builder)
    values = main.body_inertia.numpy()
    values[0], values[3], values[6] = np.diag(diagonal), 2 * np.diag(diagonal), matrix
    main.body_inertia.assign(values)
    main.mujoco.inertial_quat.assign(np.tile(np.array(quat, dtype=np.float32), (9, 1)))
    main.mujoco.inertial_diag.assign(np.tile(np.array(diagonal, dtype=np.float32), (9, 1)))
    compiled = convert(main)
    np.testing.assert_allclose(compiled.world("body_inertia", 0)[1], diagonal, rtol=1e-6)
    np.testing.assert_allclose(compiled.world("body_inertia", 1)[1], np.multiply(2, diagonal), rtol=1e-6)
    np.testing.assert_allclose(compiled.world("body_inertia", 2)[1], np.linalg.eigvalsh(matrix)[::-1], rtol=1e-6)
    axes = frames.mat_from_quat(compiled.world("body_iquat", 2)[1])
    rebuilt = axes @ np.diag(compiled.world("body_inertia", 2)[1]) @ axes.T
    np.testing.assert_allclose(rebuilt, matrix, atol=1e-6)
    assert compiled.body_sameframe[1] == 0


def test_unknown_options_are_named() -> None:
    with pytest.raises(ModelError, match=r"option 'iteration'.*iterations"):
        convert(worlds(robot()), options={"iteration": 3})
    with pytest.raises(ModelError, match=r"option 'solver'.*'jacobi'.*newton"):
        convert(worlds(robot()), options={"solver": "jacobi"})


def test_a_world_of_another_structure_is_named() -> None:
    with pytest.raises(ModelError, match=r"world 1: joint 'elbow'.*joint_type = 0.*1, as in world 0"):
        convert(worlds(robot(), robot(second="prismatic")))
    more = robot()
    more.add_shape_sphere(0, radius=0.1, label="extra")
    with pytest.raises(ModelError, match=r"world 1.*3 shape entries.*2, as in world 0"):
        convert(worlds(robot(), more))


def test_bodies_of_all_worlds_and_other_meshes_of_sites_are_named() -> None:
    main = newtonish.ModelBuilder()
    main.add_body(mass=1.0, inertia=inertia(1, 1, 1), label="shared")
    main.add_world(robot())
    main.add_world(robot())
    with pytest.raises(ModelError, match=r"body 'shared': got world -1.*only shapes may be shared"):
        convert(main.finalize(device="cpu", skip_all_validations=True))

    def with_mesh(size: float) -> newtonish.ModelBuilder:
        builder = robot()
        vertices = size * np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=np.float32)
        mesh = newtonish.Mesh(vertices, np.array([0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]))
        builder.add_shape_mesh(0, mesh=mesh, label="wedge")
        return builder

    assert convert(worlds(with_mesh(0.1), with_mesh(0.1))).nmesh == 1  # two objects of one content
    compiled = convert(worlds(with_mesh(0.1), with_mesh(0.2), with_mesh(0.1)))
    assert compiled.nmesh == 2
    wedge = compiled.geom_names.index("wedge")
    assert compiled.batched["geom_dataid"][:, wedge].tolist() == [0, 1, 0]
    np.testing.assert_allclose(compiled.batched["geom_rbound"][:, wedge], np.array([1, 2, 1]) * compiled.geom_rbound[wedge])
    marked = with_mesh(0.1), with_mesh(0.2)
    for builder in marked:
        builder.shape_flags[builder.shape_label.index("wedge")] |= ShapeFlags.SITE
    with pytest.raises(ModelError, match=r"world 1: shape 'wedge': got shape_source"):
        convert(worlds(*marked))


def test_maps_lead_there_and_back() -> None:
    model = worlds(robot(), robot(mass=2.0), robot())
    compiled = convert(model)
    maps = compiled.maps
    for world in range(3):
        for mjc, newton in enumerate(maps.mjc_body[world, 1:], start=1):
            assert maps.body_to_mjc[newton] == mjc
            assert maps.body_world[newton] == world
        np.testing.assert_array_equal(maps.dof_to_mjc[maps.mjc_dof[world]], np.arange(compiled.nv))
        np.testing.assert_array_equal(maps.coord_to_qpos[maps.mjc_coord[world]], np.arange(compiled.nq))
        np.testing.assert_array_equal(maps.shape_to_geom[maps.mjc_geom[world]], np.arange(compiled.ngeom))
    # quaternions: w comes first in qpos and last in joint_q
    np.testing.assert_array_equal(maps.mjc_coord[0, :8], [0, 1, 2, 6, 3, 4, 5, 7])
    assert maps.joint_qposadr.tolist() == [0, 7, 8] * 3
    assert maps.joint_dofadr.tolist() == [0, 6, 7] * 3
    assert maps.shape_world[0] == -1


def test_joint_targets_become_actuators() -> None:
    compiled = convert(worlds(robot(), robot()))
    maps = compiled.maps
    assert maps.actuator_source.tolist() == [TARGET_POSITION, TARGET_VELOCITY]
    assert maps.actuator_index.tolist() == [[7, 6], [7 + 11, 6 + 10]]
    np.testing.assert_allclose(compiled.actuator_gainprm[:, 0], [50.0, 2.0])
    np.testing.assert_allclose(compiled.actuator_biasprm[:, :3], [[0, -50, 0], [0, 0, -2]])
    assert compiled.jnt_actfrclimited.tolist() == [False, True, False, False, False]
    np.testing.assert_allclose(compiled.jnt_actfrcrange[1], [-7.0, 7.0])


def test_rows_of_the_actuator_table_follow_the_targets() -> None:
    def driven(gain: float) -> newtonish.ModelBuilder:
        builder = robot()
        builder.add_custom_values(
            **{
                "mujoco:actuator_trnid": wp.vec2i(7, -1),
                "mujoco:actuator_label": "wrist",
                "mujoco:actuator_gear": (gain, 0, 0, 0, 0, 0),
            }
        )
        return builder

    compiled = convert(worlds(driven(2.0), driven(3.0)))
    assert compiled.maps.actuator_source.tolist() == [TARGET_POSITION, TARGET_VELOCITY, CTRL_DIRECT]
    assert compiled.maps.actuator_index[:, 2].tolist() == [0, 1]
    assert compiled.actuator_trnid[:, 0].tolist() == [1, 1, 2]
    np.testing.assert_allclose(compiled.batched["actuator_gear"][:, 2, 0], [2.0, 3.0])


def test_force_space_limits_follow_the_inertia_they_meet() -> None:
    compiled = convert(worlds(robot(), robot(mass=4.0)))
    for world in range(2):
        weight = compiled.world("dof_invweight0", world)[6] * (1.0 - 0.95)
        timeconst, dampratio = compiled.world("jnt_solref", world)[1]
        assert 2.0 / timeconst == pytest.approx(4.0 * weight, rel=1e-5)
        assert 1.0 / (timeconst**2 * dampratio**2) == pytest.approx(900.0 * weight, rel=1e-5)


def test_kinematic_roots_cannot_be_moved() -> None:
    builder = newtonish.ModelBuilder()
    body = builder.add_body(mass=1.0, inertia=inertia(1, 1, 1), is_kinematic=True, label="platform")
    builder.add_shape_sphere(body, radius=0.1)
    compiled = convert(builder.finalize(device="cpu"))
    assert int(BodyFlags.KINEMATIC) == 2
    assert np.all(compiled.dof_armature == 1e10)


def test_what_cannot_be_converted_is_named() -> None:
    builder = newtonish.ModelBuilder()
    body = builder.add_body(mass=1.0, inertia=inertia(1, 1, 1), label="tree")
    builder.add_shape_sphere(body, radius=0.1, label="fir")
    model = builder.finalize(device="cpu")
    model.shape_type.fill_(11)  # Newton's Gaussians
    with pytest.warns(NewtonishWarning, match=r"shape 'fir'.*left out"):
        assert convert(model).ngeom == 0
    nested = robot()
    limb = nested.add_link(mass=1.0, inertia=inertia(1, 1, 1), label="limb", lock_inertia=True)
    nested.add_joint_free(limb, parent=0, label="loose")
    with pytest.raises(UnsupportedError, match=r"joint 'loose'.*free joint below another link"):
        convert(nested.finalize(device="cpu", skip_all_validations=True))


def test_a_massless_moving_body_is_named() -> None:
    builder = newtonish.ModelBuilder()
    body = builder.add_link(label="ghost")
    builder.add_articulation([builder.add_joint_revolute(-1, body, axis=(0, 0, 1), label="spin")])
    with pytest.raises(ModelError, match=r"joint 'spin'.*not positive definite"):
        convert(builder.finalize(device="cpu", skip_all_validations=True))
