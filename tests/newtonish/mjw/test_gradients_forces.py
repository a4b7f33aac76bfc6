"""Analytic derivatives of a step with turning transmissions, spatial tendons, muscles and a medium, against MuJoCo's differences."""

import numpy as np
import pytest
import warp as wp
from gradient_checks import check, matrices
from gradient_models import pair_of
from gradient_models_forces import ROWS, STRINGS, TRANSMISSIONS
from paths import shared_model

from newtonish import mjw

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


@pytest.mark.parametrize("name", ["arm21/arm21.xml", "myofinger/myo_sim/finger/myofinger_v0.xml", "small_mechanisms/slider_crank/slider_crank.xml"])
def test_robots_with_tendons_and_cranks(name, device):
    check(pair_of(shared_model(name), 40, device), 1e-5)


def test_the_adjoint_is_the_transpose(device):
    pair = pair_of(STRINGS.format(integrator="implicitfast"), 20, device)
    A, B = matrices(pair)
    nx = A.shape[1]
    given = np.random.default_rng(0).standard_normal((pair.nworld, nx)).astype(np.float32)
    state, ctrl = (wp.zeros((pair.nworld, n), dtype=float, device=device) for n in (nx, pair.mjm.nu))
    mjw.step_vjp(pair.m, pair.d, wp.array(given, device=device), state, ctrl)
    for world, bar in enumerate(given):
        assert np.linalg.norm(state.numpy()[world] - A[world].T @ bar) <= 1e-6 * np.linalg.norm(A[world].T @ bar)
        assert np.linalg.norm(ctrl.numpy()[world] - B[world].T @ bar) <= 1e-6 * np.linalg.norm(B[world].T @ bar)
