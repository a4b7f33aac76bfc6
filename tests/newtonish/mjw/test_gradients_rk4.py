"""Analytic derivatives of a Runge-Kutta step, through all its stages, against MuJoCo's centred differences in float64."""

import mujoco
import numpy as np
import pytest
import warp as wp
from gradient_checks import check, check_adjoint, matrices
from gradient_models import BONDS, CONTACTS, EQUALITIES, JOINTS, SATURATED, pair_of

from newtonish import mjw
from newtonish.errors import UnsupportedError

pytestmark = pytest.mark.filterwarnings("ignore::newtonish.errors.NewtonishWarning")


def with_rk4(xml: str) -> str:
    """The same model with another integrator."""
    return xml.replace("<option ", '<option integrator="RK4" ')


def test_joints_springs_and_actuators(device):
    pair = pair_of(JOINTS.format(integrator="RK4"), 20, device)
    check_adjoint(pair, *check(pair, 5e-6))


@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
def test_contacts(cone, device):
    pair = pair_of(CONTACTS.format(integrator="RK4", cone=cone, dim=3, friction="1"), 150, device)
    assert all(mjd.ncon >= 7 for mjd in pair.mjds)
    check_adjoint(pair, *check(pair, 2e-4))


@pytest.mark.parametrize(("xml", "steps"), [(EQUALITIES, 60), (BONDS, 20)])
def test_equalities_and_limits(xml, steps, device):
    pair = pair_of(with_rk4(xml), steps, device)
    check_adjoint(pair, *check(pair, 1e-4))


def test_actuators_at_their_limits(device):
    pair = pair_of(SATURATED.replace("implicitfast", "RK4"), 10, device)
    for world, mjd in enumerate(pair.mjds):
        mjd.ctrl[:] = ((0.3, -1.0, 0.3, 0.2, 1.0, 0.05), (1.0, 0.01, 0.9, -0.15, 1.0, 0.3), (0.01, 0.5, -0.2, 0.0, 0.1, -0.03))[world]
        mujoco.mj_forward(pair.mjm, mjd)
    pair.d.ctrl.assign(np.array([mjd.ctrl for mjd in pair.mjds], dtype=np.float32))
    check_adjoint(pair, *check(pair, 5e-6))


def test_more_than_half_a_turn_in_a_step(device):
    """The rotation vectors of stages are then taken the shorter way."""
    xml = """<mujoco><option timestep=".02" integrator="RK4" gravity="0 0 0"/><worldbody>
      <body><joint type="ball" damping=".001"/><geom type="box" size=".1 .11 .12"/></body></worldbody></mujoco>"""
    pair = pair_of(xml, 0, device)
    for world, mjd in enumerate(pair.mjds):
        mjd.qvel[:] = ((200.0, 30.0, 10.0), (-20.0, 190.0, 40.0), (250.0, 10.0, -30.0))[world]
    pair.d.qvel.assign(np.array([mjd.qvel for mjd in pair.mjds], dtype=np.float32))
    check_adjoint(pair, *check(pair, 5e-5))


def test_the_same_bits_and_the_state_and_results_of_forward(device):
    pair = pair_of(CONTACTS.format(integrator="RK4", cone="elliptic", dim=3, friction="1"), 150, device)
    row = wp.zeros((pair.nworld, mjw.state_size(pair.m, mjw.State.INTEGRATION)), dtype=float, device=device)
    mjw.get_state(pair.m, pair.d, row, mjw.State.INTEGRATION)
    before = row.numpy().copy()
    first, second = matrices(pair)[0], matrices(pair)[0]
    np.testing.assert_array_equal(first, second)
    results = np.concatenate([pair.d.qacc.numpy().ravel(), pair.d.cacc.numpy().ravel()])
    bar, found = (wp.ones((pair.nworld, first.shape[1]), dtype=float, device=device) for _ in range(2))
    adjoints = []
    for _ in range(2):
        mjw.step_vjp(pair.m, pair.d, bar, found)
        adjoints.append(found.numpy().copy())
    np.testing.assert_array_equal(*adjoints)
    np.testing.assert_array_equal(results, np.concatenate([pair.d.qacc.numpy().ravel(), pair.d.cacc.numpy().ravel()]))
    mjw.get_state(pair.m, pair.d, row, mjw.State.INTEGRATION)
    np.testing.assert_array_equal(before, row.numpy())
    mjw.forward(pair.m, pair.d)
    np.testing.assert_array_equal(results[: pair.d.qacc.size], pair.d.qacc.numpy().ravel())


def test_another_integrator_after_the_first_call(device):
    """Stages get their arrays when they are needed."""
    pair = pair_of(JOINTS.format(integrator="Euler"), 20, device)
    check(pair, 5e-6)
    for integrator in (mjw.IntegratorType.RK4, mjw.IntegratorType.EULER):
        pair.m.opt.integrator = pair.mjm.opt.integrator = int(integrator)
        check_adjoint(pair, *check(pair, 5e-6))


def test_inside_a_capture(device):
    pair = pair_of(JOINTS.format(integrator="RK4"), 20, device)
    A = wp.zeros((3, 2 * pair.mjm.nv + pair.mjm.na, 2 * pair.mjm.nv + pair.mjm.na), dtype=float, device=device)
    mjw.transition(pair.m, pair.d, A)
    before = A.numpy().copy()
    with wp.ScopedCapture(device=device) as capture:
        mjw.transition(pair.m, pair.d, A)
    A.zero_()
    wp.capture_launch(capture.graph)
    np.testing.assert_array_equal(A.numpy(), before)


def test_shapes_without_a_derivative_are_refused_at_whatever_stage_they_touch(device):
    xml = """<mujoco><option timestep=".02" integrator="RK4"/><asset><hfield name="flat" nrow="2" ncol="2" size=".4 .4 .1 .1" elevation="0 0 0 0"/></asset>
      <worldbody><body><inertial pos="0 0 0" mass="1" diaginertia=".1 .1 .1"/><joint axis="0 1 0"/><geom name="field" type="hfield" hfield="flat"/></body>
      <body pos=".02 .1 .085"><freejoint/><geom name="stick" type="capsule" size=".08 .2" euler="0 90 0"/></body></worldbody></mujoco>"""
    pair = pair_of(xml, 0, device, spread=0.0)
    pair.d.qvel.assign(np.tile([0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0], (3, 1)).astype(np.float32))
    A = wp.zeros((3, 14, 14), dtype=float, device=device)
    with pytest.raises(UnsupportedError, match=r"field and stick|stick and field"):
        mjw.transition(pair.m, pair.d, A)
    assert not A.numpy().any()
