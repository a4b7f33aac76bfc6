"""Analytic derivatives of a step with turning transmissions, spatial tendons, muscles and a medium, against MuJoCo's differences."""

import mujoco
import oracle
import pytest
import warp as wp
from gradient_checks import check, check_adjoint, matrices
from gradient_models import pair_of
from gradient_models_forces import CARRIED, LAWS, ROWS, SHARED, SHARED_LAWS, STATELESS, STRINGS, TRANSMISSIONS
from paths import REPO, shared_model

from newtonish import mjw
from newtonish.errors import UnsupportedError

pytestmark = pytest.mark.filterwarnings("ignore::newtonish.errors.NewtonishWarning")
WARM = 'thermal="2 30 0 0.05 25 20"'
INTEGRATORS = pytest.mark.parametrize("integrator", ["Euler", "RK4", "implicit", "implicitfast"])


@INTEGRATORS
def test_transmissions_that_turn(integrator, device):
    check(pair_of(TRANSMISSIONS.format(integrator=integrator), 20, device), 2e-6)


@INTEGRATORS
def test_spatial_tendons_and_muscles(integrator, device):
    pair = pair_of(STRINGS.format(integrator=integrator), 20, device)
    assert all((mjd.ten_wrapnum[2:7] == 4).all() for mjd in pair.mjds)  # wrap
    check(pair, 2e-6)


@pytest.mark.parametrize("integrator", ["Euler", "implicit", "implicitfast", "discrete"])
def test_dampers_with_a_kink_at_rest_count_as_the_mean_of_both_sides(integrator, device):
    xml = f"""<mujoco><option timestep=".005" integrator="{integrator}"/><worldbody>
      <body><joint name="a" axis="0 1 0" damping=".1 4 1"/><geom type="capsule" size=".05" fromto="0 0 0 .4 0 0"/>
        <body pos=".4 0 0"><joint name="b" axis="0 1 .3"/><geom type="capsule" size=".04" fromto="0 0 0 .3 0 .1" contype="0"/></body></body></worldbody>
      <tendon><fixed name="t" damping=".1 3 1"><joint joint="a" coef="1"/><joint joint="b" coef="-.5"/></fixed></tendon>
      <actuator><motor tendon="t"/></actuator></mujoco>"""
    pair = pair_of(xml, 0, device)
    for mjd in pair.mjds:
        mjd.qvel[:] = 0.0
        mujoco.mj_forward(pair.mjm, mjd)
    oracle.push(pair)
    check(pair, 2e-6)


def test_rows_of_spatial_tendons(device):
    """Friction that sticks and slips, both limits, equalities with a curved polynomial."""
    pair = pair_of(ROWS, 30, device)
    assert {int(state) for mjd in pair.mjds for state in mjd.efc_state} == {1, 2, 3}
    check(pair, 5e-6)


@INTEGRATORS
def test_weight_that_actuators_carry(integrator, device):
    """On a joint whose actuators are at their limit, on others, and with actuators off."""
    pair = pair_of(CARRIED.format(integrator=integrator), 10, device)
    assert all(mjd.qfrc_actuator[1] == -0.3 for mjd in pair.mjds)
    check(pair, 1e-5)
    pair.mjm.opt.disableflags = pair.m.opt.disableflags = mujoco.mjtDisableBit.mjDSBL_ACTUATION
    for mjd in pair.mjds:
        mujoco.mj_forward(pair.mjm, mjd)
    check(pair, 1e-5)


@INTEGRATORS
def test_tendons_with_inertia_and_a_limit_for_their_actuators(integrator, device):
    """Forces are scaled together, and one of them is at a limit of its own besides."""
    pair = pair_of(SHARED.format(integrator=integrator), 10, device)
    check(pair, 2e-6)
    assert pair.d.actuator_held.numpy()[:, [0, 5]].tolist() == [[0, 1], [1, 1], [1, 1]]


@pytest.mark.parametrize(
    "name", ["arm21/arm21.xml", "myofinger/myo_sim/finger/myofinger_v0.xml", "small_mechanisms/slider_crank/slider_crank.xml", "skydio_x2/x2.xml"]
)
def test_robots_with_tendons_cranks_and_a_medium(name, device):
    check(pair_of(shared_model(name), 40, device), 1e-5)


@pytest.mark.parametrize(
    ("integrator", "warm", "limited"),
    [("Euler", WARM, 'forcerange="0 1"'), ("RK4", WARM, 'forcerange="0 1"'), ("implicitfast", WARM, ""), ("implicit", WARM, "")],
)
def test_laws_of_their_own(integrator, warm, limited, device):
    """PID servos, DC motors and servos of orientations, with all their activations and inputs; and all of them switched off."""
    pair = pair_of(LAWS.format(integrator=integrator, warm=warm, limited=limited), 10, device)
    check_adjoint(pair, *check(pair, 5e-6 if integrator == "RK4" else 2e-6))
    pair.mjm.opt.disableflags = pair.m.opt.disableflags = mujoco.mjtDisableBit.mjDSBL_ACTUATION
    for mjd in pair.mjds:
        mujoco.mj_forward(pair.mjm, mjd)
    check(pair, 2e-6)


@pytest.mark.parametrize("integrator", ["Euler", "RK4", "implicit", "implicitfast"])
def test_laws_that_share_the_limit_of_a_tendon(integrator, device):
    """Some of them at a limit of their own besides, so that the tendon's holds none."""
    own = {"pid": 'forcerange="-.05 .05"', "motor": 'saturation=".01"'}
    pair = pair_of(SHARED_LAWS.format(integrator=integrator, **own), 10, device)
    check_adjoint(pair, *check(pair, 2e-6))
    assert pair.d.actuator_held.numpy()[:, 7:12].tolist() == 3 * [[0, 0, 0, 1, 1]]
    assert not pair.d.actuator_held.numpy()[:, 12:].any()


def test_laws_without_activations_through_the_stages_of_rk4(device):
    pair = pair_of(STATELESS.format(integrator="RK4", warm="", limited=""), 10, device)
    assert pair.mjm.na == 0
    check_adjoint(pair, *check(pair, 2e-6))


@pytest.mark.parametrize("integrator", ["Euler", "RK4"])
def test_actuators_of_every_kind(integrator, device):
    """Those that act on bodies too, along the normals of their contacts."""
    xml = (REPO / "tests" / "models" / "actuator_zoo.xml").read_text().replace("implicitfast", integrator)
    pair = pair_of(xml, 30, device)
    assert all(mjd.ncon and mjd.actuator_force[0] and mjd.actuator_force[1] for mjd in pair.mjds)
    check_adjoint(pair, *check(pair, 2e-5))


@pytest.mark.parametrize("name", ["plastic", "delays"])
def test_steps_that_remember(name, device):
    """What they remember is held; a trajectory, whose gradients would have to go through it, says so."""
    pair = pair_of(REPO / "tests" / "models" / f"{name}.xml", 30, device)
    check(pair, 2e-6)
    with pytest.raises(UnsupportedError, match="delays" if name == "delays" else "springs that yield"):
        mjw.Trajectory(pair.m, pair.d, 3)


def test_the_adjoint_is_the_transpose(device):
    pair = pair_of(STRINGS.format(integrator="implicitfast"), 20, device)
    check_adjoint(pair, *matrices(pair))


def test_what_has_no_derivative_is_refused_by_name(device):
    pair = pair_of(SHARED.format(integrator="Euler").replace('gear="4"', 'gear="0"'), 0, device)
    with pytest.raises(UnsupportedError, match="actuator 6, gear: got 0, on a tendon that limits"):
        mjw.transition(pair.m, pair.d)


def test_sensors_of_laws_are_refused_by_name(device):
    sensors = '</actuator><sensor><actuatorfrc actuator="servo" name="felt"/><jointactuatorfrc joint="a" name="sum"/></sensor>'
    xml = LAWS.format(integrator="Euler", warm="", limited="").replace("<pid joint", '<pid name="servo" joint', 1).replace("</actuator>", sensors)
    pair = pair_of(xml, 0, device)
    nx = 2 * pair.mjm.nv + pair.mjm.na
    with pytest.raises(UnsupportedError, match="ACTUATORFRC of an actuator with a force law of its own") as caught:
        mjw.transition(pair.m, pair.d, C=wp.zeros((3, pair.mjm.nsensordata, nx), dtype=float, device=device))
    assert "'sum'" in str(caught.value)
