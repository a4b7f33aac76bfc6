"""Single claims of Newton's page on its MuJoCo solver that no other test is about, tried out on both solvers."""

import warnings

import mujoco
import newton
import numpy as np
import pytest
import warp as wp

import newtonish
from newtonish.convert import convert
from newtonish.errors import ModelError

INERTIA = wp.mat33(np.eye(3) * 0.1)
SOLVERS = {newtonish: newtonish.SolverMuJoCo, newton: newton.solvers.SolverMuJoCo}


def solver_of(module, build, **options):
    """A solver of ours or of Newton's for what ``build`` makes, and its model; what was said is left out."""
    builder = module.ModelBuilder()
    SOLVERS[module].register_custom_attributes(builder)
    build(module, builder)
    model = builder.finalize(device="cpu")
    if module is newton:
        options["use_mujoco_cpu"] = True
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return SOLVERS[module](model, **options), model


def names_of(solver, kind: str) -> list[str]:
    if isinstance(solver, newtonish.SolverMuJoCo):
        return list(getattr(solver.compiled, f"{kind}_names"))
    m = solver.mj_model
    count, item = {"jnt": (m.njnt, m.joint), "actuator": (m.nu, m.actuator)}[kind]
    return [item(i).name for i in range(count)]


def test_dofs_of_a_d6_joint_are_joints_of_their_own_with_newtons_names():
    def build(module, b):
        axis = module.ModelBuilder.JointDofConfig
        links = [b.add_link(mass=1.0, inertia=INERTIA) for _ in range(2)]
        joints = [
            b.add_joint_d6(-1, links[0], linear_axes=[axis(axis=(1, 0, 0)), axis(axis=(0, 1, 0))], angular_axes=[axis(axis=(0, 0, 1)), axis(axis=(0, 1, 0))], label="wide"),
            b.add_joint_d6(links[0], links[1], linear_axes=[axis(axis=(1, 0, 0))], angular_axes=[axis(axis=(0, 0, 1))], label="narrow"),
        ]  # fmt: skip
        b.add_articulation(joints)

    found = [names_of(solver_of(module, build)[0], "jnt") for module in SOLVERS]
    assert found[0] == found[1] == ["wide_lin0", "wide_lin1", "wide_ang0", "wide_ang1", "narrow_lin", "narrow_ang"]


def test_the_initial_pose_of_a_free_body_is_that_of_the_body():
    """Also where the joint's frames are not the body's."""
    pose = wp.transform((0.1, 0.2, 0.3), wp.quat_from_axis_angle(wp.normalize(wp.vec3(1.0, 2.0, 3.0)), 0.8))

    def build(module, b):
        link = b.add_link(xform=pose, mass=1.0, inertia=INERTIA)
        frame = wp.transform((0.5, 0.0, 0.0), wp.quat_from_axis_angle(wp.vec3(0.0, 0.0, 1.0), 0.3))
        b.add_articulation([b.add_joint_free(link, child_xform=frame)])

    (ours, _), (theirs, _) = (solver_of(module, build) for module in SOLVERS)
    np.testing.assert_allclose(ours.compiled.qpos0, theirs.mj_model.qpos0, atol=1e-6)
    np.testing.assert_allclose(ours.compiled.body_pos[1], pose.p, atol=1e-6)


def test_a_ball_has_an_actuator_for_each_axis_by_its_gear():
    def build(module, b):
        link = b.add_link(mass=1.0, inertia=INERTIA)
        b.add_articulation([b.add_joint_ball(-1, link, actuator_mode=module.JointTargetMode.POSITION)])
        b.joint_target_ke[:], b.joint_target_kd[:], b.joint_effort_limit[:] = [5.0, 6.0, 7.0], [1.0] * 3, [7.0, 8.0, 9.0]

    (ours, _), (theirs, _) = (solver_of(module, build) for module in SOLVERS)
    for name in ("actuator_gear", "actuator_gainprm", "actuator_biasprm", "actuator_forcerange", "actuator_forcelimited"):
        np.testing.assert_allclose(getattr(ours.compiled, name), getattr(theirs.mj_model, name), err_msg=name)
    np.testing.assert_array_equal(ours.compiled.actuator_gear[:, :3], np.eye(3))


def test_planes_stand_on_static_bodies():
    """Newton allows them on the world alone; here also on what is fixed to it, as MuJoCo does."""

    def moving(module, b):
        b.add_shape_plane(body=b.add_body(mass=1.0, inertia=INERTIA), label="floor")

    def fixed(module, b):
        link = b.add_link(mass=1.0, inertia=INERTIA)
        b.add_articulation([b.add_joint_fixed(-1, link)])
        b.add_shape_plane(body=link, label="floor")

    with pytest.raises(ValueError, match="static"):
        solver_of(newton, moving)
    with pytest.raises(ModelError, match="shape 'floor': got a plane on a body that moves"):
        solver_of(newtonish, moving)
    assert solver_of(newtonish, fixed)[0].compiled.ngeom == 1


def test_cones_are_meshes():
    """Which Newton 1.8 does, whatever its page says: the same surface at the same place."""

    def build(module, b):
        b.add_shape_cone(b.add_body(mass=1.0, inertia=INERTIA), radius=0.1, half_height=0.2, label="hat")

    (ours, _), (theirs, _) = (solver_of(module, build) for module in SOLVERS)
    m = theirs.mj_model
    assert ours.compiled.geom_type.tolist() == m.geom_type.tolist() == [7]
    surfaces = []
    for model in (ours.compiled, m):
        turn = np.zeros(9)
        mujoco.mju_quat2Mat(turn, np.asarray(model.geom_quat[0], dtype=np.float64))
        surfaces.append(np.asarray(model.mesh_vert) @ turn.reshape(3, 3).T + model.geom_pos[0])
    for point in surfaces[0]:
        assert np.linalg.norm(surfaces[1] - point, axis=1).min() < 1e-6


def test_a_cone_stands_on_its_base():
    def build(module, b):
        b.add_shape_cone(b.add_body(xform=wp.transform((0.0, 0.0, 0.2), wp.quat_identity())), radius=0.1, half_height=0.2)
        b.add_ground_plane()

    solver, model = solver_of(newtonish, build)
    state = model.state()
    for _ in range(200):
        solver.step(state, state, None, None, 0.005)
    np.testing.assert_allclose(state.body_q.numpy()[0, :3], [0.0, 0.0, 0.2], atol=2e-3)


def test_barrels_weigh_what_they_hold_and_collide_as_cylinders():
    """With the mass, inertia and geoms of Newton's."""
    compiled = []
    for library in (newtonish, newton):
        builder = library.ModelBuilder()
        for end, half, arc in ((0.2, 0.3, 0.35), (0.1, 0.4, 0.5)):
            builder.begin_world()
            builder.add_shape_cylinder(builder.add_body(), radius=end, half_height=half, barrel_radius=arc)
            hollow = library.ModelBuilder.ShapeConfig(is_solid=False, margin=0.02)
            builder.add_shape_cylinder(builder.add_body(), radius=end, half_height=half, barrel_radius=arc, cfg=hollow)
            builder.end_world()
        model = builder.finalize(device="cpu")
        with pytest.warns(newtonish.errors.NewtonishWarning, match="a barrel radius, as have 4 shapes"):
            compiled.append(convert(model))
        theirs = model
    for name in ("body_mass", "body_inertia", "geom_size"):
        np.testing.assert_allclose(*(c.world(name, 1) for c in compiled), rtol=1e-5, err_msg=name)
    straight = compiled[0].world("geom_size", 1)[0]
    np.testing.assert_allclose(straight, [0.1, 0.4, 0.0], rtol=1e-6)
    np.testing.assert_array_equal(newton.solvers.SolverMuJoCo(theirs, njmax=20, nconmax=20).mj_model.geom_size[0, :2], compiled[0].world("geom_size", 0)[0, :2])


def test_kinds_of_shapes_that_mujoco_does_not_have_are_left_out():
    """In silence in Newton, with a warning here."""
    builder = newtonish.ModelBuilder()
    body = builder.add_body(mass=1.0, inertia=INERTIA)
    builder.add_shape_sphere(body, radius=0.1, label="cloud")
    model = builder.finalize(device="cpu")
    model.shape_type.fill_(11)  # what Newton calls Gaussian
    with pytest.warns(newtonish.NewtonishWarning, match="shape 'cloud'"):
        assert convert(model).ngeom == 0


def test_collision_radii_are_not_looked_at():
    """``geom_rbound`` follows from the geometry; the edited radius of the model changes nothing, in Newton either."""

    def build(module, b):
        b.add_shape_sphere(b.add_body(mass=1.0, inertia=INERTIA), radius=0.25)

    for module in SOLVERS:
        builder = module.ModelBuilder()
        SOLVERS[module].register_custom_attributes(builder)
        build(module, builder)
        model = builder.finalize(device="cpu")
        model.shape_collision_radius.fill_(7.0)
        more = {"use_mujoco_cpu": True} if module is newton else {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            solver = SOLVERS[module](model, **more)
        found = solver.mj_model.geom_rbound if module is newton else solver.compiled.geom_rbound
        np.testing.assert_allclose(found, 0.25)


def falling(module, b):
    b.add_shape_sphere(b.add_body(mass=1.0, inertia=INERTIA), radius=0.25)


def test_options_are_read_once():
    """An edit of ``model.mujoco.<option>`` after the constructor is not seen, not even by a notification of everything."""
    ends = []
    for edit in (False, True):
        solver, model = solver_of(newtonish, lambda module, b: (falling(module, b), b.add_ground_plane()), cone="elliptic")
        if edit:
            for name, value in (("viscosity", 5.0), ("density", 100.0), ("tolerance", 1.0), ("impratio", 50.0)):
                getattr(model.mujoco, name).fill_(value)
            solver.notify_model_changed(newtonish.ModelFlags.ALL)
        state = model.state()
        for _ in range(20):
            solver.step(state, state, None, None, 0.005)
        ends.append((state.joint_q.numpy(), solver.mjw_model.opt.viscosity.numpy(), solver.mjw_model.opt.tolerance.numpy()))
    for before, after in zip(*ends):
        np.testing.assert_array_equal(before, after)


def test_gains_of_limits_that_are_none_give_mujocos_default():
    for ke, kd in ((0.0, 10.0), (100.0, 0.0), (-1.0, 1.0)):

        def build(module, b, ke=ke, kd=kd):
            link = b.add_link(mass=1.0, inertia=INERTIA)
            b.add_articulation([b.add_joint_revolute(-1, link, limit_lower=-1.0, limit_upper=1.0, limit_ke=ke, limit_kd=kd)])

        (ours, _), (theirs, _) = (solver_of(module, build) for module in SOLVERS)
        np.testing.assert_allclose(ours.compiled.jnt_solref, [[0.02, 1.0]])
        np.testing.assert_allclose(theirs.mj_model.jnt_solref, [[0.02, 1.0]])


def test_an_authored_pair_of_zeros_is_kept_apart_from_none():
    """``solreflimit="0 0"`` is a value, and where it is not written gains that are edited count."""
    text = '<mujoco><worldbody><body><joint name="a" range="-1 1" limited="true" {}/><geom size="0.1"/></body></worldbody></mujoco>'
    for written, mode in (('solreflimit="0 0"', 1), ("", 2)):
        for module in SOLVERS:
            builder = module.ModelBuilder()
            SOLVERS[module].register_custom_attributes(builder)
            builder.add_mjcf(text.format(written))
            model = builder.finalize(device="cpu")
            assert model.mujoco.solreflimit_mode.numpy().tolist() == [mode]
            if mode == 1 and module is newtonish:
                np.testing.assert_array_equal(convert(model).jnt_solref, [[0.0, 0.0]])


def test_rows_of_the_actuator_table_stand_behind_the_targets_of_joints():
    def build(module, b):
        link = b.add_link(mass=1.0, inertia=INERTIA)
        joint = b.add_joint_revolute(-1, link, target_ke=3.0, target_kd=0.5, actuator_mode=module.JointTargetMode.POSITION_VELOCITY)
        b.add_articulation([joint])
        source = SOLVERS[module].CtrlSource
        b.add_custom_values(
            **{"mujoco:actuator_trnid": wp.vec2i(0, -1), "mujoco:actuator_gainprm": [2.5] + [0.0] * 9, "mujoco:ctrl_source": int(source.CTRL_DIRECT)}
        )

    (ours, _), (theirs, _) = (solver_of(module, build) for module in SOLVERS)
    np.testing.assert_allclose(ours.compiled.actuator_gainprm[:, 0], [3.0, 0.5, 2.5])
    np.testing.assert_allclose(theirs.mj_model.actuator_gainprm[:, 0], [3.0, 0.5, 2.5])


def test_rows_of_equalities_act_in_the_world_of_what_they_couple():
    """Newton refuses those of no world; mimic constraints are refused by both."""
    scene = newtonish.ModelBuilder()
    one = newtonish.ModelBuilder()
    for each in (scene, one):
        newtonish.SolverMuJoCo.register_custom_attributes(each)
    links = [one.add_link(mass=1.0, inertia=INERTIA) for _ in range(2)]
    one.add_articulation([one.add_joint_revolute(-1, links[0]), one.add_joint_revolute(links[0], links[1])])
    scene.replicate(one, 2)
    with pytest.raises(ModelError, match="world"):
        scene.add_constraint_mimic(1, 0, label="shared")
    for body in (0, 2):
        row = {"type": 0, "body1": body, "body2": -1, "label": f"pin{body}", "world": -1, "enabled": True}
        scene.add_custom_values(**{f"mujoco:equality_constraint_{key}": value for key, value in row.items()})
    assert convert(scene.finalize(device="cpu")).neq == 1


def test_kinematic_bodies_are_roots():
    for module in SOLVERS:
        builder = module.ModelBuilder()
        links = [builder.add_link(mass=1.0, inertia=INERTIA), builder.add_link(mass=1.0, inertia=INERTIA, is_kinematic=True, label="mid")]
        with pytest.raises(ValueError, match="kinematic"):
            builder.add_articulation([builder.add_joint_revolute(-1, links[0]), builder.add_joint_revolute(links[0], links[1])])
            builder.finalize(device="cpu")


def test_forces_on_kinematic_bodies_do_nothing():
    """Body wrenches and joint forces alike; the root keeps what the state says."""

    def build(module, b):
        base, arm = b.add_link(mass=1.0, inertia=INERTIA, is_kinematic=True), b.add_link(mass=0.5, inertia=INERTIA)
        b.add_articulation([b.add_joint_prismatic(-1, base, axis=(1, 0, 0)), b.add_joint_revolute(base, arm, axis=(0, 1, 0))])

    ends = []
    for push in (0.0, 1.0e3):
        solver, model = solver_of(newtonish, build)
        state, control = model.state(), model.control()
        state.joint_q.assign([0.25, 0.5])
        state.joint_qd.assign([0.4, 0.0])
        state.body_f.assign(np.r_[np.full(6, push), np.zeros(6)].reshape(2, 6).astype(np.float32))
        control.joint_f.assign([push, 0.0])
        solver.step(state, state, control, None, 0.01)
        ends.append(np.r_[state.joint_q.numpy(), state.joint_qd.numpy()])
    np.testing.assert_array_equal(*ends)
    np.testing.assert_array_equal(ends[0][[0, 2]], np.float32([0.25, 0.4]))


def test_poses_of_fixed_roots_follow_their_joint_after_a_notification():
    """Mocap bodies, whether kinematic or not; what is fixed to the world without an articulation is static geometry."""

    def build(module, b):
        for kinematic in (False, True):
            link = b.add_link(mass=1.0, inertia=INERTIA, is_kinematic=kinematic)
            b.add_articulation([b.add_joint_fixed(-1, link, parent_xform=wp.transform((0.0, 0.0, 1.0), wp.quat_identity()))])
        b.add_shape_box(-1)

    for module in SOLVERS:
        solver, model = solver_of(module, build)
        assert (solver.mj_model.nmocap if module is newton else solver.compiled.nmocap) == 2
        frames = model.joint_X_p.numpy()
        frames[:, 0] = 3.0
        model.joint_X_p.assign(frames)
        solver.notify_model_changed(module.ModelFlags.JOINT_PROPERTIES)
        state = model.state()
        solver.step(state, state, model.control(), None, 0.01)
        data = solver.mj_data.mocap_pos if module is newton else solver.mjw_data.mocap_pos.numpy()[0]
        np.testing.assert_allclose(data[:, 0], 3.0)
        if module is newtonish:
            np.testing.assert_allclose(state.body_q.numpy()[:, 0], 3.0)


def test_contacts_are_pulled_only_when_asked_for():
    def build(module, b):
        falling(module, b)
        b.add_ground_plane()

    solver, model = solver_of(newtonish, build)
    state, contacts = model.state(), newtonish.Contacts(solver.get_max_contact_count(), 0, device=model.device)
    solver.step(state, state, None, contacts, 0.005)
    assert int(contacts.rigid_contact_count.numpy()[0]) == 0
    solver.update_contacts(contacts)
    assert int(contacts.rigid_contact_count.numpy()[0]) == 1


CUBE = np.array([[x, y, z] for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (-0.1, 0.1)])
SIDES = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])
TRIANGLES = np.concatenate([SIDES[:, [0, 1, 2]], SIDES[:, [0, 2, 3]]])


@pytest.mark.parametrize("multiccd", [None, False, True])
@pytest.mark.parametrize("margin", [0.0, 0.01])
def test_hulls_have_one_contact_or_several(multiccd, margin):
    """As many as in Newton, which takes margins away for several; here they stay."""

    def build(module, b):
        cfg = module.ModelBuilder.ShapeConfig(margin=margin, gap=0.0)
        for z in (0.1, 0.2999):
            body = b.add_body(xform=wp.transform((0.0, 0.0, z), wp.quat_identity()))
            b.add_shape_convex_hull(body, mesh=module.Mesh(CUBE, TRIANGLES.reshape(-1)), cfg=cfg)

    counts = []
    for module in SOLVERS:
        solver, model = solver_of(module, build, enable_multiccd=multiccd)
        states = [model.state(), model.state()]
        solver.step(*states, model.control(), None, 0.001)
        counts.append(solver.mj_data.ncon if module is newton else int(solver.mjw_data.ncon.numpy()[0]))
        if module is newtonish:
            np.testing.assert_allclose(solver.compiled.geom_margin, margin)
        else:
            np.testing.assert_allclose(solver.mj_model.geom_margin, 0.0 if multiccd else margin)
    assert counts == ([4, 4] if multiccd else [1, 1])


@pytest.mark.parametrize("margin", [0.0, 0.01])
def test_boxes_have_several_contacts_also_with_a_margin(margin):
    """Newton takes margins away where there are boxes, as its device code refuses them; here they count and cost no contact."""

    def build(module, b):
        cfg = module.ModelBuilder.ShapeConfig(margin=margin)
        for z in (0.1, 0.2999):
            b.add_shape_box(b.add_body(xform=wp.transform((0.0, 0.0, z), wp.quat_identity())), hx=0.1, hy=0.1, hz=0.1, cfg=cfg)

    solver, model = solver_of(newtonish, build, enable_multiccd=True)
    state = model.state()
    solver.step(state, state, None, None, 0.001)
    np.testing.assert_allclose(solver.compiled.geom_margin, margin)
    assert int(solver.mjw_data.ncon.numpy()[0]) == 4
