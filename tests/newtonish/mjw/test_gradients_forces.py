"""Analytic derivatives of a step with turning transmissions, spatial tendons, muscles and a medium, against MuJoCo's differences."""

import mujoco
import pytest
from gradient_checks import check, check_adjoint, matrices
from gradient_models import pair_of
from gradient_models_forces import CARRIED, ROWS, SHARED, STRINGS, TRANSMISSIONS
from paths import REPO, shared_model

pytestmark = pytest.mark.filterwarnings("ignore::newtonish.errors.NewtonishWarning")
INTEGRATORS = pytest.mark.parametrize("integrator", ["Euler", "RK4", "implicit", "implicitfast"])


@INTEGRATORS
def test_transmissions_that_turn(integrator, device):
    check(pair_of(TRANSMISSIONS.format(integrator=integrator), 20, device), 2e-6)


@INTEGRATORS
def test_spatial_tendons_and_muscles(integrator, device):
    pair = pair_of(STRINGS.format(integrator=integrator), 20, device)
    assert all((mjd.ten_wrapnum[2:7] == 4).all() for mjd in pair.mjds)  # wrap
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
    xml = SHARED.format(integrator=integrator)
    if integrator.startswith("implicit"):  # where MuJoCo tells by the sum of limited forces whether they were scaled
        xml = xml.replace('forcerange="-.1 .1"', "")
    pair = pair_of(xml, 10, device)
    check(pair, 2e-6)
    assert pair.d.actuator_held.numpy()[:, [0, 5]].all()


@pytest.mark.parametrize("integrator", ["Euler", "RK4"])
def test_a_medium_with_wind(integrator, device):
    path = REPO / "tests" / "models" / "fluid_zoo.xml"
    xml = path.read_text().replace("<option", f'<option integrator="{integrator}"')
    check(pair_of(xml, 20, device), 2e-6)


@pytest.mark.parametrize(
    "name", ["arm21/arm21.xml", "myofinger/myo_sim/finger/myofinger_v0.xml", "small_mechanisms/slider_crank/slider_crank.xml", "skydio_x2/x2.xml"]
)
def test_robots_with_tendons_cranks_and_a_medium(name, device):
    check(pair_of(shared_model(name), 40, device), 1e-5)


def test_the_adjoint_is_the_transpose(device):
    pair = pair_of(STRINGS.format(integrator="implicitfast"), 20, device)
    check_adjoint(pair, *matrices(pair))
