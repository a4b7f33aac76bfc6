"""Derivatives of sensors by state and controls against MuJoCo's centred differences in float64, at smooth points of unequal worlds."""

import re

import mujoco
import numpy as np
import oracle
import pytest
import warp as wp
from field_gradients import difference, directions, follow
from gradient_models import pair_of
from gradient_models_forces import LAWS, ROWS, STRINGS, TRANSMISSIONS
from paths import REPO

from newtonish import mjw
from newtonish.errors import UnsupportedError

pytestmark = pytest.mark.filterwarnings("ignore::newtonish.errors.NewtonishWarning")
TOLERANCE = 2e-4

MODEL = REPO / "tests" / "models" / "smooth_sensors.xml"


def matrices(pair: oracle.Pair) -> tuple[np.ndarray, np.ndarray]:
    nx, ns = 2 * pair.mjm.nv + pair.mjm.na, pair.mjm.nsensordata
    C, D = (wp.full((pair.nworld, ns, n), 9.0, dtype=float, device=pair.d.device) for n in (nx, pair.mjm.nu))
    mjw.transition(pair.m, pair.d, C=C, D=D)
    return C.numpy().astype(float), D.numpy().astype(float)


def pair_with_energy(integrator: str, device: str) -> oracle.Pair:
    text = MODEL.read_text().replace("Euler", integrator)
    if integrator == "discrete":  # has no derivative of forces of limits
        text = re.sub(r"<(joint|tendon)limitfrc [^>]*/>", "", text)
    pair = pair_of(text, 30, device, spread=0.3)
    rng = np.random.default_rng(3)
    for mjd in pair.mjds:
        mjd.xfrc_applied[1:] = (0.3 * rng.standard_normal((pair.mjm.nbody - 1, 6))).astype(np.float32)
        mjd.qfrc_applied[:] = (0.1 * rng.standard_normal(pair.mjm.nv)).astype(np.float32)
    oracle.push(pair)
    for mjd in pair.mjds:
        mujoco.mj_forward(pair.mjm, mjd)
    return pair


def differences(mjm: mujoco.MjModel, mjd: mujoco.MjData, eps: float = 1e-6) -> tuple[np.ndarray, np.ndarray]:
    """By evaluations of ``mj_forward``: mjd_transitionFD has no RK4, and does not evaluate energies at other velocities."""
    nv, nx = mjm.nv, 2 * mjm.nv + mjm.na
    columns = []
    for k in range(nx + mjm.nu):
        ends = []
        for sign in (eps, -eps):
            moved = mujoco.MjData(mjm)
            mujoco.mj_copyData(moved, mjm, mjd)
            if k < nv:
                mujoco.mj_integratePos(mjm, moved.qpos, np.eye(nv)[k], sign)
            elif k < 2 * nv:
                moved.qvel[k - nv] += sign
            elif k < nx:
                moved.act[k - 2 * nv] += sign
            else:
                moved.ctrl[k - nx] += sign
            mujoco.mj_forward(mjm, moved)
            ends.append(moved.sensordata.copy())
        columns.append((ends[0] - ends[1]) / (2.0 * eps))
    both = np.array(columns).T
    return both[:, :nx], both[:, nx:]


@pytest.mark.parametrize("integrator", ["Euler", "RK4", "implicit", "discrete"])
def test_sensors(integrator, device):
    pair = pair_with_energy(integrator, device)
    C, D = matrices(pair)
    nx, ns = 2 * pair.mjm.nv + pair.mjm.na, pair.mjm.nsensordata
    wrong, moved = [], set()
    for world, mjd in enumerate(pair.mjds):
        assert mjd.ncon >= 2
        C2, D2 = differences(pair.mjm, mjd)
        if integrator == "Euler":
            C3, D3 = np.zeros((ns, nx)), np.zeros((ns, pair.mjm.nu))
            mujoco.mjd_transitionFD(pair.mjm, mjd, 1e-6, True, None, None, C3, D3)
            energy = pair.mjm.sensor_adr[pair.mjm.sensor_type == mujoco.mjtSensor.mjSENS_E_KINETIC]
            C3[energy] = C2[energy]
            assert np.linalg.norm(C - C3, axis=(1, 2))[world] <= TOLERANCE * np.linalg.norm(C3)
            assert np.linalg.norm(D - D3, axis=(1, 2))[world] <= TOLERANCE * np.linalg.norm(D3)
        for s in range(pair.mjm.nsensor):
            rows = slice(pair.mjm.sensor_adr[s], pair.mjm.sensor_adr[s] + pair.mjm.sensor_dim[s])
            for name, ours, theirs in (("C", C[world, rows], C2[rows]), ("D", D[world, rows], D2[rows])):
                error, size = np.linalg.norm(ours - theirs), np.linalg.norm(theirs)
                if size > 0.0:
                    moved.add(s)
                if error > TOLERANCE * max(size, 1e-3):
                    wrong.append(f"{name} of {mujoco.mjtSensor(pair.mjm.sensor_type[s]).name} ({s}), world {world}: {error:.1e} of {size:.1e}")
    assert not wrong, "\n".join(wrong)
    still = [mujoco.mjtSensor(pair.mjm.sensor_type[s]).name[7:] for s in range(pair.mjm.nsensor) if s not in moved]
    assert still == ["CLOCK", "INSIDESITE", "JOINTVEL", "FRAMEPOS"]  # the last two: held by its cutoff, and of a camera of the world


def test_the_adjoint_is_the_transpose(device):
    pair = pair_with_energy("implicitfast", device)
    nx, ns, nv, nbody = 2 * pair.mjm.nv + pair.mjm.na, pair.mjm.nsensordata, pair.mjm.nv, pair.mjm.nbody
    C, D = matrices(pair)
    rng = np.random.default_rng(0)
    given = rng.standard_normal((pair.nworld, ns)).astype(np.float32)
    state, ctrl, qfrc = (wp.zeros((pair.nworld, n), dtype=float, device=device) for n in (nx, pair.mjm.nu, nv))
    xfrc = wp.zeros((pair.nworld, nbody), dtype=wp.spatial_vector, device=device)
    nothing = wp.zeros((pair.nworld, nx), dtype=float, device=device)
    mjw.step_vjp(pair.m, pair.d, nothing, state, ctrl, qfrc, xfrc, sensor_bar=wp.array(given, device=device))
    for world, bar in enumerate(given):
        assert np.linalg.norm(state.numpy()[world] - C[world].T @ bar) <= 1e-6 * np.linalg.norm(C[world].T @ bar)
        assert np.linalg.norm(ctrl.numpy()[world] - D[world].T @ bar) <= 1e-6 * np.linalg.norm(D[world].T @ bar)
        force, wrench = rng.standard_normal(nv), rng.standard_normal((nbody, 6))
        ends = []
        for sign in (1e-5, -1e-5):
            moved = mujoco.MjData(pair.mjm)
            mujoco.mj_copyData(moved, pair.mjm, pair.mjds[world])
            moved.qfrc_applied[:] += sign * force
            moved.xfrc_applied[1:] += sign * wrench[1:]
            mujoco.mj_forward(pair.mjm, moved)
            ends.append(moved.sensordata.copy())
        change = (ends[0] - ends[1]) / 2e-5
        found = qfrc.numpy()[world] @ force + (xfrc.numpy()[world][1:] * wrench[1:]).sum()
        assert abs(found - bar @ change) <= 1e-4 * np.linalg.norm(bar) * np.linalg.norm(change)


@pytest.mark.parametrize(
    "xml",
    [LAWS.format(integrator="Euler", warm="", limited=""), STRINGS.format(integrator="discrete"), TRANSMISSIONS.format(integrator="discrete")],
    ids=["laws", "strings", "outputs"],
)
def test_accelerations_answer_to_all_inputs(xml, device):
    """Of laws with many inputs, and of muscles and gains that stiffen the metric of discrete."""
    sensors = '<sensor><accelerometer site="h"/><framelinacc objtype="site" objname="fin"/><gyro site="m"/></sensor></mujoco>'
    pair = pair_of(xml.replace("</mujoco>", sensors), 10, device)
    C, D = matrices(pair)
    given = np.random.default_rng(0).standard_normal((pair.nworld, pair.mjm.nsensordata)).astype(np.float32)
    nx = 2 * pair.mjm.nv + pair.mjm.na
    state, ctrl, nothing = (wp.zeros((pair.nworld, n), dtype=float, device=device) for n in (nx, pair.mjm.nu, nx))
    mjw.step_vjp(pair.m, pair.d, nothing, state, ctrl, sensor_bar=wp.array(given, device=device))
    for world, bar in enumerate(given):
        C2, D2 = differences(pair.mjm, pair.mjds[world])
        assert np.linalg.norm(C[world] - C2) <= 5e-6 * np.linalg.norm(C2)
        assert np.linalg.norm(D[world] - D2) <= 5e-6 * np.linalg.norm(D2)
        assert np.linalg.norm(state.numpy()[world] - C[world].T @ bar) <= 2e-6 * np.linalg.norm(C[world].T @ bar)
        assert np.linalg.norm(ctrl.numpy()[world] - D[world].T @ bar) <= 2e-6 * np.linalg.norm(D[world].T @ bar)


def measured(xml: str) -> str:
    """A model with all sensors of its actuators and tendons."""
    spec = mujoco.MjSpec.from_string(xml)
    found = ""
    for i, actuator in enumerate(spec.actuators):
        actuator.name = f"a{i}"
        found += "".join(f'<actuator{what} actuator="a{i}"/>' for what in ("pos", "vel", "frc"))
    for i, tendon in enumerate(spec.tendons):
        tendon.name = tendon.name or f"t{i}"
        found += "".join(f'<tendon{what} tendon="{tendon.name}"/>' for what in ("pos", "vel", "actuatorfrc"))
        found += "".join(f'<tendonlimit{what} tendon="{tendon.name}"/>' for what in ("pos", "vel", "frc") if tendon.limited == 1)
    return spec.to_xml().replace("</mujoco>", f"<sensor>{found}</sensor></mujoco>")


@pytest.mark.parametrize(
    "xml", [TRANSMISSIONS.format(integrator="Euler"), STRINGS.format(integrator="implicitfast"), ROWS], ids=["transmissions", "strings", "rows"]
)
def test_sensors_of_moments_that_turn(xml, device):
    """Lengths, velocities and forces along paths between sites, cranks, and joints that turn."""
    pair = pair_of(measured(xml), 5, device, spread=0.2)
    C, D = matrices(pair)
    for world, mjd in enumerate(pair.mjds):
        C2, D2 = differences(pair.mjm, mjd)
        for s in range(pair.mjm.nsensor):
            row, kind = pair.mjm.sensor_adr[s], mujoco.mjtSensor(pair.mjm.sensor_type[s]).name
            assert np.linalg.norm(C[world, row] - C2[row]) <= TOLERANCE * max(np.linalg.norm(C2[row]), 1e-3), (kind, s, world)
            assert np.linalg.norm(D[world, row] - D2[row]) <= TOLERANCE * max(np.linalg.norm(D2[row]), 1e-3), (kind, s, world)


SENSORS = """<sensor><accelerometer site="imu"/><gyro site="tip"/><framelinacc objtype="body" objname="c"/><jointpos joint="c"/>
  <actuatorfrc actuator="servo"/><jointlimitvel joint="a"/></sensor>"""


@pytest.mark.parametrize("integrator", ["implicitfast", "RK4"])
def test_fields_of_what_sensors_feel(integrator, device):
    """Gradients by fields of a cost of both the next state and the sensors, and those refused that a sensor has in its law."""
    text = MODEL.read_text().replace("Euler", integrator)
    pair = pair_of(text[: text.index("<sensor>")] + SENSORS + "</mujoco>", 30, device, spread=0.3)
    mjm, nx, ns = pair.mjm, 2 * pair.mjm.nv + pair.mjm.na, pair.mjm.nsensordata
    rng = np.random.default_rng(0)
    bar, seen = (rng.standard_normal((3, n)).astype(np.float32) for n in (nx, ns))
    given, sensors = wp.array(bar, device=device), wp.array(seen, device=device)
    for name in ("body_mass", "body_inertia", "dof_damping", "dof_armature", "jnt_stiffness", "jnt_solref", "geom_friction", "geom_solref", "tendon_stiffness"):
        array = wp.zeros((3, *getattr(pair.m, name).shape[1:]), dtype=getattr(pair.m, name).dtype, device=device)
        mjw.step_vjp(pair.m, pair.d, given, fields={name: array}, sensor_bar=sensors)
        for world, mjd in enumerate(pair.mjds):
            direction = directions(mjm, name, rng)
            before = getattr(mjm, name).copy()
            ends = []
            for sign in (1e-6, -1e-6):
                getattr(mjm, name)[:] = before + sign * direction
                follow(mjm)
                moved = mujoco.MjData(mjm)
                mujoco.mj_copyData(moved, mjm, mjd)
                mujoco.mj_forward(mjm, moved)
                ends.append(moved.sensordata.copy())
            getattr(mjm, name)[:] = before
            change = np.concatenate([difference(mjm, mjd, name, direction, 1e-6), (ends[0] - ends[1]) / 2e-6])
            both = np.concatenate([bar[world], seen[world]])
            found = (array.numpy()[world].ravel() * direction.ravel()).sum()
            assert abs(found - both @ change) <= 5e-5 * np.linalg.norm(both) * max(np.linalg.norm(change), 1e-3), (name, world)
    gains = wp.zeros((3, mjm.nu), dtype=pair.m.actuator_gainprm.dtype, device=device)
    with pytest.raises(UnsupportedError, match=r"fields actuator_gainprm in the law of sensor 4 of type ACTUATORFRC"):
        mjw.step_vjp(pair.m, pair.d, given, fields={"actuator_gainprm": gains}, sensor_bar=sensors)


def test_sensors_without_a_derivative_are_refused_by_name(device):
    xml = """<mujoco><worldbody><geom type="plane" size="1 1 1"/><body pos="0 0 1"><joint name="j"/><geom size=".1"/><site name="s"/></body></worldbody>
      <sensor><rangefinder name="far" site="s"/><jointpos joint="j"/></sensor></mujoco>"""
    pair = pair_of(xml, 0, device)
    C = wp.zeros((3, 2, 2), dtype=float, device=device)
    with pytest.raises(UnsupportedError, match="sensor 'far': got RANGEFINDER"):
        mjw.transition(pair.m, pair.d, C=C)
    with pytest.raises(UnsupportedError, match="far"):
        mjw.step_vjp(pair.m, pair.d, wp.zeros((3, 2), dtype=float, device=device), sensor_bar=wp.zeros((3, 2), dtype=float, device=device))
    mjw.transition(pair.m, pair.d, wp.zeros((3, 2, 2), dtype=float, device=device))
