"""Force-space gains: a limit and a contact give way by F/ke, whatever the mass, on both paths of contacts.

The impedance d(r) must have reached its largest value (the penetration exceeds its width, 1 mm here) and the time constant
must be at least two time steps.
"""

import warnings

import numpy as np
import pytest
import warp as wp

from newtonish import Contacts, ModelBuilder, ModelFlags, NewtonishWarning, SolverMuJoCo

MASSES = np.array([0.01, 0.1, 1.0, 10.0, 100.0])
KE, FORCE, DT, DMAX = 1.0e5, 500.0, 0.0005, 0.95
FORCE_SPACE, RAW, MJCF_DEFAULT, SPRING = 0, 1, 2, 3


def critical(factor: np.ndarray) -> np.ndarray:
    """Damping with which the constraint comes to rest fastest; ``factor``: inverse weight times (1 - dmax)."""
    return 2.0 * np.sqrt(KE / factor)


def pressed(device: str, mode: int = FORCE_SPACE, condim: int = 3):
    """A sphere a world, of unequal masses, on a vertical slide over a plane; no gravity."""
    plane, one = ModelBuilder(), ModelBuilder()
    attributes = {"mujoco:solref_mode": mode, "mujoco:condim": condim}
    for builder in (plane, one):
        SolverMuJoCo.register_custom_attributes(builder)
    plane.add_shape_plane(cfg=ModelBuilder.ShapeConfig(ke=KE, density=0.0), body=-1, custom_attributes=attributes)
    body = one.add_link(mass=1.0, inertia=wp.mat33(np.eye(3) * 0.004), lock_inertia=True)
    up = wp.transform((0.0, 0.0, 0.1), wp.quat_identity())
    one.add_articulation([one.add_joint_prismatic(-1, body, axis=(0.0, 0.0, 1.0), parent_xform=up)])
    one.add_shape_sphere(body, radius=0.1, cfg=ModelBuilder.ShapeConfig(ke=KE), custom_attributes=attributes, label="ball")
    for _ in MASSES:
        plane.add_world(one)
    model = plane.finalize(device=device)
    model.set_gravity((0.0, 0.0, 0.0))
    model.body_mass.assign(MASSES.astype(np.float32))
    return model


def damp(model, kd) -> None:
    """Give each world's shapes its damping; the plane, shared by all, the least of them, which the mean then shows."""
    values = np.empty(model.shape_count)
    values[0], values[1:] = np.min(kd), kd
    model.shape_material_kd.assign((2.0 * values - values[0]).astype(np.float32))


def settle(model, outside: bool, cone: str, steps: int = 2500, dt: float = DT):
    solver = SolverMuJoCo(model, cone=cone, use_mujoco_contacts=not outside)
    finder = SolverMuJoCo(model) if outside else None
    state, scratch = model.state(), model.state()
    force = np.zeros((len(MASSES), 6), dtype=np.float32)
    force[:, 2] = -FORCE
    state.body_f.assign(force)
    contacts = None
    if outside:  # the points of a sphere on a plane follow the sphere: found once, they serve for all steps
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NewtonishWarning)
            finder.step(state, scratch, None, None, dt)
        contacts = Contacts(finder.get_max_contact_count(), device=model.device)
        finder.update_contacts(contacts)
    for _ in range(steps):
        solver.step(state, state, None, contacts, dt)
    return solver, state.joint_q.numpy()


@pytest.mark.parametrize("outside", [False, True])
@pytest.mark.parametrize(("cone", "condim"), [("pyramidal", 1), ("pyramidal", 3), ("elliptic", 3), ("pyramidal", 6)])
def test_a_mass_on_a_plane_sinks_by_force_over_stiffness(outside, cone, condim, device: str):
    model = pressed(device, condim=condim)
    square = 1.0 if cone == "elliptic" or condim == 1 else 2.0 / (condim - 1)  # mu^2 (1 + mu^2) / (dim - 1) for mu = 1
    damp(model, critical((1.0 - DMAX) / MASSES * square))
    with warnings.catch_warnings():
        warnings.simplefilter("error", NewtonishWarning)  # no gain is clamped
        _, depth = settle(model, outside, cone)
    np.testing.assert_allclose(depth, -FORCE / KE, rtol=0.02)


def hinges(device: str, mode: int):
    """A hinge a world, of unequal inertias, with a limit at 0.1 rad."""
    one = ModelBuilder()
    SolverMuJoCo.register_custom_attributes(one)
    body = one.add_link(mass=1.0, inertia=wp.mat33(np.eye(3)), lock_inertia=True)
    attributes = {"mujoco:solreflimit_mode": mode, "mujoco:solreflimit": (0.013, 0.7)}
    one.add_articulation(
        [
            one.add_joint_revolute(
                -1,
                body,
                axis=(0.0, 0.0, 1.0),
                limit_lower=-1.0,
                limit_upper=0.1,
                limit_ke=KE,
                limit_kd=1.0,
                label="hinge",
                custom_attributes={name: [v] for name, v in attributes.items()},
            )
        ]
    )
    builder = ModelBuilder()
    SolverMuJoCo.register_custom_attributes(builder)
    for _ in MASSES:
        builder.add_world(one)
    model = builder.finalize(device=device)
    model.set_gravity((0.0, 0.0, 0.0))
    model.body_inertia.assign(np.eye(3, dtype=np.float32)[None] * MASSES[:, None, None].astype(np.float32))
    model.joint_limit_kd.assign(critical((1.0 - DMAX) / MASSES).astype(np.float32))
    return model


def test_a_hinge_goes_beyond_its_limit_by_torque_over_stiffness(device: str):
    model = hinges(device, FORCE_SPACE)
    solver, state, control = SolverMuJoCo(model), model.state(), model.control()
    control.joint_f.fill_(FORCE)
    with warnings.catch_warnings():
        warnings.simplefilter("error", NewtonishWarning)
        for _ in range(3500):
            solver.step(state, state, control, None, DT)
    np.testing.assert_allclose(state.joint_q.numpy() - 0.1, FORCE / KE, rtol=0.02)


def test_modes_of_joint_limits_and_edits_of_their_gains(device: str):
    raw = SolverMuJoCo(hinges(device, RAW))
    np.testing.assert_array_equal(raw.mjw_model.jnt_solref.numpy()[0, 0], np.float32([0.013, 0.7]))
    model = hinges(device, MJCF_DEFAULT)
    solver = SolverMuJoCo(model)
    np.testing.assert_array_equal(solver.mjw_model.jnt_solref.numpy()[0, 0], np.float32([0.02, 1.0]))
    model.joint_limit_ke.fill_(2.0 * KE)
    solver.notify_model_changed(ModelFlags.JOINT_DOF_PROPERTIES)
    factor = (1.0 - DMAX) / MASSES
    b = critical(factor) * factor
    expected = np.stack([2.0 / b, b / (2.0 * np.sqrt(2.0 * KE * factor))], axis=1)
    np.testing.assert_allclose(solver.mjw_model.jnt_solref.numpy()[:, 0], expected, rtol=1e-4)


@pytest.mark.parametrize(("mode", "share"), [(SPRING, 1.0), (FORCE_SPACE, 1.0 - DMAX)])
def test_stiffness_and_damping_of_a_limit_at_rest_and_in_motion(mode: int, share: float, device: str):
    """Pressed against its limit, a hinge oscillates about torque/ke as a spring and damper, under SPRING of the gains asked for."""
    stiffness, ratio, step = 1.0e3, 0.1, 1.0e-4
    inertia = np.array([0.01, 0.1, 1.0, 10.0, 0.3])
    model = hinges(device, mode)
    omega, damping = np.sqrt(stiffness / inertia), 2.0 * ratio * np.sqrt(stiffness * inertia)
    model.body_inertia.assign(np.eye(3, dtype=np.float32)[None] * inertia[:, None, None].astype(np.float32))
    model.joint_limit_ke.fill_(stiffness)
    model.joint_limit_kd.assign(damping.astype(np.float32))
    solver, state, control = SolverMuJoCo(model), model.state(), model.control()
    control.joint_f.fill_(FORCE / 10.0)
    rest = 0.1 + FORCE / 10.0 / stiffness
    state.joint_q.fill_(rest)
    state.joint_qd.assign((0.02 * omega * np.sqrt(share)).astype(np.float32))
    course = []
    for _ in range(9000):
        solver.step(state, state, control, None, step)
        course.append(state.joint_q.numpy().astype(float))
    for world, positions in enumerate(np.array(course).T):
        stride = max(1, round(0.3 / (omega[world] * np.sqrt(share) * step)))
        samples = positions[::stride][:60]  # of x'' = -2 z w x' - w^2 (x - rest)
        lagged = np.stack([samples[1:-1], samples[:-2], np.ones(len(samples) - 2)], axis=1)
        c1, c2, c0 = np.linalg.lstsq(lagged, samples[2:], rcond=None)[0]
        rate = np.log(complex(c1, np.sqrt(max(-c1 * c1 - 4.0 * c2, 0.0))) / 2.0) / (stride * step)
        assert c0 / (1.0 - c1 - c2) - 0.1 == pytest.approx(rest - 0.1, rel=0.02)
        assert abs(rate) ** 2 * inertia[world] == pytest.approx(share * stiffness, rel=0.02)
        assert -2.0 * rate.real * inertia[world] == pytest.approx(share * damping[world], rel=0.02)


def test_a_spring_needs_no_damping(device: str):
    model = hinges(device, SPRING)
    model.joint_limit_kd.fill_(0.0)
    solver = SolverMuJoCo(model)
    solref = solver.mjw_model.jnt_solref.numpy()[:, 0]
    np.testing.assert_allclose(solref[:, 0], -KE * 0.999 / MASSES, rtol=1e-4)
    np.testing.assert_array_equal(solref[:, 1], 0.0)


@pytest.mark.parametrize("outside", [False, True])
def test_modes_of_shapes_and_edits_of_them(outside, device: str):
    model = pressed(device, RAW)
    solref = np.tile(np.float32([0.013, 0.7]), (model.shape_count, 1))
    model.mujoco.solref.assign(solref)
    solver, _ = settle(model, outside, "elliptic", steps=1, dt=0.002)
    np.testing.assert_array_equal(solver.mjw_data.contact.solref.numpy()[:, 0], solref[1:])
    model.mujoco.solref_mode.fill_(FORCE_SPACE)
    model.shape_material_kd.fill_(400.0)
    solver.notify_model_changed(ModelFlags.SHAPE_PROPERTIES)
    state, contacts = model.state(), Contacts(solver.get_max_contact_count(), device=device)
    solver.update_contacts(contacts)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NewtonishWarning)
        solver.step(state, state, None, contacts, DT)
    factor = (1.0 - DMAX) / MASSES
    expected = np.stack([2.0 / (400.0 * factor), 400.0 * factor / (2.0 * np.sqrt(KE * factor))], axis=1)
    np.testing.assert_allclose(solver.mjw_data.contact.solref.numpy()[:, 0], expected, rtol=1e-4)
    model.body_mass.assign((4.0 * MASSES).astype(np.float32))  # the factor follows the masses
    solver.notify_model_changed(ModelFlags.BODY_INERTIAL_PROPERTIES)
    solver.step(state, state, None, contacts, DT)
    np.testing.assert_allclose(solver.mjw_data.contact.solref.numpy()[:, 0, 0], 4.0 * expected[:, 0], rtol=1e-4)


def test_a_shape_without_gains_keeps_mujocos_mixing(device: str):
    model = pressed(device)
    model.mujoco.solref_mode.assign(np.r_[MJCF_DEFAULT, np.full(len(MASSES), FORCE_SPACE)].astype(np.int32))
    model.shape_material_ke.fill_(2500.0)
    solver, _ = settle(model, False, "elliptic", steps=1, dt=0.002)
    np.testing.assert_allclose(solver.mjw_data.contact.solref.numpy()[:, 0], np.tile([0.02, 1.0], (len(MASSES), 1)), rtol=1e-5)


def test_clamped_gains_are_named(device: str):
    model = hinges(device, FORCE_SPACE)
    solver, state = SolverMuJoCo(model), model.state()
    assert not solver.clamped_gains(DT)
    with pytest.warns(NewtonishWarning, match=r"joint 'hinge'.*clamped to 0\.02 s"):
        solver.step(state, state, None, None, 0.01)
    model = pressed(device)
    damp(model, np.full(len(MASSES), 1.0e5))
    lines = SolverMuJoCo(model).clamped_gains(0.01)
    assert len(lines) == 1 and "shape 'ball'" in lines[0] and "shape_material_kd" in lines[0]


def test_a_solref_without_a_mode_counts_unless_it_is_the_default(device: str):
    model = pressed(device, MJCF_DEFAULT)
    model.mujoco.solref.assign(np.array([[0.02, 1.0], [0.013, 0.7], *[[0.02, 1.0]] * (len(MASSES) - 1)], dtype=np.float32))
    model.shape_material_ke.fill_(10000.0)
    solver = SolverMuJoCo(model)
    expected = np.tile([0.02, 0.5], (len(MASSES), 2, 1))  # 2/kd and kd/(2 sqrt(ke)), for a unit mass
    expected[0, 1] = 0.013, 0.7
    np.testing.assert_allclose(solver.mjw_model.geom_solref.numpy(), expected, rtol=1e-6)
