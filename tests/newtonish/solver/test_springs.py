"""Contacts and equality constraints in mode SPRING: springs and dampers of the gains asked for, at rest and in motion, whose friction holds."""

import re
import warnings

import numpy as np
import pytest
import warp as wp

from newtonish import ModelBuilder, ModelError, ModelFlags, NewtonishWarning, SolverMuJoCo, mjw
from newtonish.assets import asset_path
from newtonish.common.enums import EnableBit

MASSES = np.array([0.01, 0.1, 1.0, 10.0])
DECADES = 10.0 ** np.arange(-3, 3)
"""Masses over five decades."""
FORCE_SPACE, SPRING = 0, 3
KE, RATIO, FORCE = 1.0e4, 0.1, 50.0
ANGLE, STRIDE, SAMPLES = 0.05, 6, 60
"""Natural frequency times time step, and how many samples of an oscillation are taken, so many steps apart."""


def bodies(device: str, shape: str, mode: int, condim: int = 3, mu: float = 0.7, masses: np.ndarray = MASSES):
    """A free body a world on a plane, of unequal masses, and the damping that its contacts have together."""
    scene, one = ModelBuilder(), ModelBuilder()
    attributes = {"mujoco:solref_mode": mode, "mujoco:condim": condim}
    for builder in (scene, one):
        SolverMuJoCo.register_custom_attributes(builder)
    number = 1 if shape == "sphere" else 4
    config = ModelBuilder.ShapeConfig(ke=KE / number, mu=mu, density=0.0)
    scene.add_shape_plane(cfg=config, body=-1, custom_attributes=attributes)
    body = one.add_body(xform=wp.transform((0.0, 0.0, 0.1), wp.quat_identity()), mass=1.0, inertia=wp.mat33(np.eye(3) * 0.004), lock_inertia=True)
    if shape == "sphere":
        one.add_shape_sphere(body, radius=0.1, cfg=config, custom_attributes=attributes, label="shape")
    else:
        one.add_shape_box(body, hx=0.1, hy=0.1, hz=0.1, cfg=config, custom_attributes=attributes, label="shape")
    for _ in masses:
        scene.add_world(one)
    model = scene.finalize(device=device)
    model.set_gravity((0.0, 0.0, 0.0))
    model.body_mass.assign(masses.astype(np.float32))
    model.body_inertia.assign(0.004 * np.eye(3, dtype=np.float32)[None] * masses[:, None, None].astype(np.float32))
    damping = 2.0 * RATIO * np.sqrt(KE * masses)
    values = np.full(model.shape_count, damping.min() / number)  # of the plane, shared by all; the mean of two shapes counts
    values[1:] = 2.0 * damping / number - values[0]
    model.shape_material_kd.assign(values.astype(np.float32))
    return model, damping


def begun(model, exact: bool, **options) -> SolverMuJoCo:
    """A solver, with the flag ``diagexact`` or without."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NewtonishWarning)  # of pyramids' friction
        solver = SolverMuJoCo(model, **options)
    if exact:
        solver.mjw_model.opt.enableflags = int(solver.mjw_model.opt.enableflags) | EnableBit.DIAGEXACT
    return solver


def oscillation(solver: SolverMuJoCo, omega: np.ndarray) -> np.ndarray:
    """(samples, worlds, nq) positions from the state it is in, in steps of the same share of each world's period."""
    m, d = solver.mjw_model, solver.mjw_data
    m.opt.timestep = wp.array((ANGLE / omega).astype(np.float32), device=d.device)
    course = []
    for k in range(STRIDE * SAMPLES):
        if k % STRIDE == 0:
            course.append(d.qpos.numpy().astype(float))
        mjw.step(m, d)
    return np.array(course)


def assert_springs(samples: np.ndarray, mass: np.ndarray, ke: float, damping: np.ndarray, rest: float) -> None:
    """Samples (samples, worlds) are those of x'' = -(c/m) x' - (k/m) (x - rest), to 2 % of each."""
    for world, one in enumerate(samples.T):
        lagged = np.stack([one[1:-1], one[:-2], np.ones(len(one) - 2)], axis=1)
        c1, c2, c0 = np.linalg.lstsq(lagged, one[2:], rcond=None)[0]
        step = STRIDE * ANGLE * np.sqrt(mass[world] / ke)
        rate = np.log(complex(c1, np.sqrt(max(-c1 * c1 - 4.0 * c2, 0.0))) / 2.0) / step
        found = c0 / (1.0 - c1 - c2), abs(rate) ** 2 * mass[world], -2.0 * rate.real * mass[world]
        assert found == pytest.approx((rest, ke, damping[world]), rel=0.02), f"{mass[world]:g} kg or kg m²"


@pytest.mark.parametrize("exact", [False, True], ids=["", "diagexact"])
@pytest.mark.parametrize(
    ("cone", "shape", "condim"),
    [("elliptic", "sphere", 3), ("elliptic", "box", 6), ("elliptic", "sphere", 4), ("pyramidal", "box", 3), ("pyramidal", "sphere", 1)],
)
def test_contacts_hold_their_gains_at_rest_and_in_motion(cone, shape, condim, exact, device: str) -> None:
    model, damping = bodies(device, shape, SPRING, condim, masses=DECADES)
    omega, rest = np.sqrt(KE / DECADES), FORCE / KE
    solver = begun(model, exact, cone=cone)
    d = solver.mjw_data
    force, qpos, qvel = d.xfrc_applied.numpy(), d.qpos.numpy(), d.qvel.numpy()
    force[:, 1, 2], qpos[:, 2], qvel[:, 2] = -FORCE, 0.1 - rest, 0.3 * rest * omega
    for array, values in ((d.xfrc_applied, force), (d.qpos, qpos), (d.qvel, qvel)):
        array.assign(values)
    assert_springs(0.1 - oscillation(solver, omega)[:, :, 2], DECADES, KE, damping, rest)


def slide(device: str, slope: float, cone: str, mode: int) -> np.ndarray:
    """(steps, worlds) positions of boxes along a slope, in steps of 2 ms."""
    model, _ = bodies(device, "box", mode, mu=0.5)
    model.set_gravity((9.81 * np.sin(slope), 0.0, -9.81 * np.cos(slope)))
    values = np.stack([KE * MASSES / 4.0, 0.5 * np.sqrt(KE) * MASSES / 2.0])
    for name, each in zip(("ke", "kd"), values, strict=True):
        array = getattr(model, f"shape_material_{name}")
        array.assign(np.r_[each.min(), 2.0 * each - each.min()].astype(np.float32))
    solver, state, course = SolverMuJoCo(model, cone=cone), model.state(), []
    for _ in range(600):
        solver.step(state, state, None, None, 0.002)
        course.append(state.joint_q.numpy().reshape(-1, 7)[:, 0].astype(float))
    return np.array(course)


def test_friction_of_springs_holds_and_slides_as_coulombs(device: str) -> None:
    at_rest = slide(device, 0.3, "elliptic", SPRING)
    creep = (at_rest[-1] - at_rest[300]) / 0.6
    assert np.all(np.abs(creep) < 2e-4), "m/s; 0.037 in force space"
    slope = 0.6
    course = slide(device, slope, "elliptic", SPRING)[300:]
    acceleration = 2.0 * np.polyfit(np.arange(len(course)) * 0.002, course, 2)[0]
    np.testing.assert_allclose(acceleration, 9.81 * (np.sin(slope) - 0.5 * np.cos(slope)), rtol=1e-3)


def test_pyramids_are_warned_of(device: str) -> None:
    with pytest.warns(NewtonishWarning, match=r"shape 'shape_0' and 1 more: got contacts in mode SPRING.*cone='elliptic'"):
        slide(device, 0.0, "pyramidal", SPRING)


def test_springs_that_a_step_cannot_follow_are_named(device: str) -> None:
    model, _ = bodies(device, "sphere", SPRING, condim=1)
    solver = SolverMuJoCo(model)
    assert not solver.clamped_gains(1.0e-4)
    (line,) = solver.clamped_gains(0.002)
    assert "shape 'shape'" in line and "1e+03 rad/s" in line and "unstable" in line
    assert not SolverMuJoCo(model, integrator="discrete").clamped_gains(0.002)


def test_force_space_and_spring_in_one_contact_are_force_space(device: str) -> None:
    model, _ = bodies(device, "sphere", SPRING)
    model.mujoco.solref_mode.assign(np.r_[FORCE_SPACE, np.full(len(MASSES), SPRING)].astype(np.int32))
    solver, state = SolverMuJoCo(model, cone="elliptic"), model.state()
    state.joint_q.assign((state.joint_q.numpy().reshape(-1, 7) - np.eye(7)[2] * 0.001).ravel().astype(np.float32))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NewtonishWarning)
        solver.step(state, state, None, None, 1.0e-4)
    np.testing.assert_allclose(solver.mjw_data.contact.solimp.numpy()[:, 0, :2], np.tile([0.9, 0.95], (len(MASSES), 1)), rtol=1e-6)


def held(device: str, kind: int, ke: float, kd: np.ndarray, ke_angular: float = 0.0, masses: np.ndarray = MASSES):
    """A body a world, of unequal masses, that an equality constraint holds: 0 its centre, 1 its pose, 2 its slide."""
    one, scene = ModelBuilder(), ModelBuilder()
    for builder in (one, scene):
        SolverMuJoCo.register_custom_attributes(builder)
    if kind == 2:
        body = one.add_link(mass=1.0, inertia=wp.mat33(np.eye(3)), lock_inertia=True, label="body")
        joint = one.add_joint_prismatic(-1, body, axis=(1.0, 0.0, 0.0), armature=0.0)
        one.add_articulation([joint])
        ends = {"joint1": joint, "joint2": -1}
    else:
        body = one.add_body(mass=1.0, inertia=wp.mat33(np.eye(3)), lock_inertia=True, label="body")
        ends = {"body1": -1, "body2": body}
    values = {**ends, "type": kind, "torquescale": 1.0, "label": "spring", "solref_mode": SPRING, "ke": ke, "ke_angular": ke_angular}
    one.add_custom_values(**{f"mujoco:equality_constraint_{name}": value for name, value in values.items()})
    for _ in masses:
        scene.add_world(one)
    model = scene.finalize(device=device)
    model.set_gravity((0.0, 0.0, 0.0))
    model.body_mass.assign(masses.astype(np.float32))
    model.body_inertia.assign(np.eye(3, dtype=np.float32)[None] * masses[:, None, None].astype(np.float32))
    model.mujoco.equality_constraint_kd.assign(kd.astype(np.float32))
    return model


@pytest.mark.parametrize("exact", [False, True], ids=["", "diagexact"])
@pytest.mark.parametrize(("kind", "coordinate"), [(0, 0), (1, 1), (1, 3), (2, 0)], ids=["connect", "weld", "weld's rotation", "joint"])
def test_equalities_hold_their_gains_at_rest_and_in_motion(kind, coordinate, exact, device: str) -> None:
    damping = 2.0 * RATIO * np.sqrt(KE * DECADES)
    ke = KE if coordinate < 3 else 2000.0
    model = held(device, kind, ke, damping * ke / KE, ke_angular=KE if coordinate == 3 else 0.0, masses=DECADES)
    omega, rest = np.sqrt(KE / DECADES), FORCE / KE
    solver = begun(model, exact)
    d = solver.mjw_data
    force, qpos, qvel = d.xfrc_applied.numpy(), d.qpos.numpy(), d.qvel.numpy()
    force[:, 1, coordinate], qvel[:, coordinate] = FORCE, 0.3 * rest * omega
    number = coordinate if coordinate < 3 else 4  # of the quaternion's x
    qpos[:, number] = rest if coordinate < 3 else np.sin(0.5 * rest)
    for array, values in ((d.xfrc_applied, force), (d.qpos, qpos), (d.qvel, qvel)):
        array.assign(values)
    samples = oscillation(solver, omega)[:, :, number]
    assert_springs(samples if coordinate < 3 else 2.0 * np.arcsin(samples), DECADES, KE, damping, rest)


CORD = """<mujoco><worldbody><site name="here" pos="-1 0 0"/><body name="cart"><joint name="x" type="slide" axis="1 0 0"/><geom size=".1" mass="1" contype="0" conaffinity="0"/>
  <site name="there"/></body></worldbody><tendon><fixed name="cord" limited="true" range="-9 {cord}"><joint joint="x" coef="2"/></fixed>
  <spatial name="rope" limited="true" range="0 {rope}"><site site="here"/><site site="there"/></spatial></tendon></mujoco>"""


@pytest.mark.parametrize("exact", [False, True], ids=["", "diagexact"])
@pytest.mark.parametrize(("tendon", "coef", "cord", "rope"), [("cord", 2.0, 0, 9), ("rope", 1.0, 9, 1)])
def test_limits_of_tendons_hold_their_gains_at_rest_and_in_motion(tendon, coef, cord, rope, exact, device: str) -> None:
    """A mass on a fixed tendon that moves twice as far, and one on a rope; both beyond the tendon's limit."""
    one, scene = ModelBuilder(), ModelBuilder()
    for builder in (one, scene):
        SolverMuJoCo.register_custom_attributes(builder)
    one.add_mjcf(CORD.format(cord=cord, rope=rope))
    for _ in DECADES:
        scene.add_world(one)
    model = scene.finalize(device=device)
    model.set_gravity((0.0, 0.0, 0.0))
    model.set(body="cart", mass=DECADES)
    damping = 2.0 * RATIO * np.sqrt(KE * DECADES)
    model.set(tendon=tendon, limit_ke=KE / coef**2, limit_kd=damping / coef**2, solref_limit_mode=SPRING)
    solver, omega, rest = begun(model, exact), np.sqrt(KE / DECADES), FORCE / KE
    d = solver.mjw_data
    d.qfrc_applied.fill_(FORCE)
    d.qpos.fill_(rest)
    d.qvel.assign((0.3 * rest * omega)[:, None].astype(np.float32))
    assert_springs(oscillation(solver, omega)[:, :, 0], DECADES, KE, damping, rest)


POSES = {"stretched": (0.0, 0.0, 0.0), "turned": (1.5, 0.2, 0.0), "folded": (1.5, -2.5, 1.8)}
"""Upper_roll, elbow and wrist of the packaged arm [rad]."""


@pytest.mark.parametrize("exact", [False, True], ids=["", "diagexact"])
def test_limits_of_an_arm_hold_their_gains_in_any_pose(exact, device: str) -> None:
    """Pressed beyond its limit, the shoulder of an arm that is free to move elsewhere swings on the spring asked for, with the inertia that MuJoCo finds in that pose."""
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo has no 4.0 for Python 3.10")
    text = re.sub(r'<actuator>.*</actuator>| damping="[^"]*"|<sensor>.*</sensor>|<keyframe>.*</keyframe>', "", asset_path("arm.xml").read_text(), flags=re.S)
    m = mujoco.MjModel.from_xml_string(text)
    m.opt.gravity[:] = 0.0
    data, limit, ke, torque = mujoco.MjData(m), 1.7, 2000.0, 10.0
    lift, others = m.joint("lift").dofadr[0], [m.joint(name).qposadr[0] for name in ("upper_roll", "elbow", "wrist")]
    starts, inertia = [], []
    for pose in POSES.values():
        data.qpos[others], data.qpos[lift] = pose, limit + torque / ke
        mujoco.mj_forward(m, data)
        full = np.zeros((m.nv, m.nv))
        mujoco.mj_fullM(m, data, full)
        starts += [data.qpos.copy()] * len(DECADES)
        inertia += list(DECADES / np.linalg.inv(full)[lift, lift])
    inertia, scale = np.array(inertia), np.tile(DECADES, len(POSES))
    assert inertia[:: len(DECADES)].max() > 2.5 * inertia[:: len(DECADES)].min()
    one, scene = ModelBuilder(), ModelBuilder()
    for builder in (one, scene):
        SolverMuJoCo.register_custom_attributes(builder)
    one.add_mjcf(text)
    for _ in scale:
        scene.add_world(one)
    model = scene.finalize(device=device)
    model.set_gravity((0.0, 0.0, 0.0))
    for array in (model.body_mass, model.body_inertia, model.joint_armature):
        values = array.numpy().reshape(len(scale), -1)
        array.assign((values * scale[:, None]).astype(np.float32).reshape(array.numpy().shape))
    damping = 2.0 * RATIO * np.sqrt(ke * inertia)
    model.mujoco.solreflimit_mode.fill_(SPRING)
    model.joint_limit_ke.fill_(ke)
    model.joint_limit_kd.assign(np.repeat(damping, m.nv).astype(np.float32))
    solver = begun(model, exact)
    d, omega = solver.mjw_data, np.sqrt(ke / inertia)
    force, qvel = d.qfrc_applied.numpy(), d.qvel.numpy()
    force[:, lift], qvel[:, lift] = torque, 0.3 * torque / ke * omega
    for array, values in ((d.qpos, np.array(starts, dtype=np.float32)), (d.qfrc_applied, force), (d.qvel, qvel)):
        array.assign(values)
    assert_springs(oscillation(solver, omega)[:, :, lift] - limit, inertia, ke, damping, torque / ke)


def test_gains_of_equalities_follow_edits_and_masses(device: str) -> None:
    model = held(device, 0, KE, np.zeros(len(MASSES)))
    solver = SolverMuJoCo(model)
    np.testing.assert_allclose(solver.mjw_model.eq_solref.numpy()[:, 0, 0], -0.999 * KE / MASSES, rtol=1e-5)
    model.mujoco.equality_constraint_ke.fill_(2.0 * KE)
    solver.notify_model_changed(ModelFlags.CONSTRAINT_PROPERTIES)
    np.testing.assert_allclose(solver.mjw_model.eq_solref.numpy()[:, 0, 0], -0.999 * 2.0 * KE / MASSES, rtol=1e-5)
    model.body_mass.assign((4.0 * MASSES).astype(np.float32))
    solver.notify_model_changed(ModelFlags.BODY_INERTIAL_PROPERTIES)
    np.testing.assert_allclose(solver.mjw_model.eq_solref.numpy()[:, 0, 0], -0.999 * 0.5 * KE / MASSES, rtol=1e-5)


def test_nonsense_of_equalities_is_refused(device: str) -> None:
    model = held(device, 0, KE, np.full(len(MASSES), -1.0))
    with pytest.raises(ModelError, match=r"equality constraint 'spring': got kd of -1; allowed: 0 or more"):
        SolverMuJoCo(model)
    model.mujoco.equality_constraint_solref_mode.fill_(FORCE_SPACE)
    with pytest.raises(ModelError, match=r"got mode 0; allowed: 1 \(its solref\) or 3 \(spring\)"):
        SolverMuJoCo(model)
