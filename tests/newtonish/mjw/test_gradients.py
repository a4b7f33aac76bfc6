"""Analytic derivatives of a step against MuJoCo's centred differences in float64, at smooth points of unequal worlds."""

import mujoco
import numpy as np
import oracle
import pytest
import warp as wp
from gradient_checks import check, check_adjoint, check_transpose, differences, matrices
from gradient_models import BONDS, CONTACTS, EQUALITIES, JOINTS, SATURATED, STACKS, pair_of
from paths import shared_model

from newtonish import mjw
from newtonish.errors import ModelError, UnsupportedError

pytestmark = pytest.mark.filterwarnings("ignore::newtonish.errors.NewtonishWarning")


@pytest.mark.parametrize("integrator", ["Euler", "implicitfast"])
def test_joints_springs_and_actuators(integrator, device):
    pair = pair_of(JOINTS.format(integrator=integrator), 20, device)
    check_adjoint(pair, *check(pair, 5e-6))


def test_the_flag_of_inverse_dynamics_is_no_matter(device):
    pair = pair_of(JOINTS.format(integrator="implicitfast"), 20, device)
    before = matrices(pair)
    pair.m.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_INVDISCRETE
    for ours, theirs in zip(matrices(pair), before, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_actuators_at_their_limits(device):
    """Forces, joints' totals, controls and activations out of their ranges, and a group that is switched off."""
    pair = pair_of(SATURATED, 10, device)
    for world, mjd in enumerate(pair.mjds):
        mjd.ctrl[:] = ((0.3, -1.0, 0.3, 0.2, 1.0, 0.05), (1.0, 0.01, 0.9, -0.2, 1.0, 0.3), (0.01, 0.5, -0.2, 0.0, 0.1, -0.03))[world]
        mujoco.mj_forward(pair.mjm, mjd)
    pair.d.ctrl.assign(np.array([mjd.ctrl for mjd in pair.mjds], dtype=np.float32))
    check_transpose(pair, *check(pair, 5e-6))


@pytest.mark.parametrize(
    ("cone", "dim", "friction"), [("pyramidal", 1, "1"), ("pyramidal", 3, "1"), ("pyramidal", 6, ".8 .1 .1"), ("elliptic", 3, "1"), ("elliptic", 6, ".8 .1 .1")]
)
def test_contacts(cone, dim, friction, device):
    pair = pair_of(CONTACTS.format(integrator="Euler", cone=cone, dim=dim, friction=friction), 150, device)
    assert all(mjd.ncon >= 7 for mjd in pair.mjds)
    check_adjoint(pair, *check(pair))


@pytest.mark.parametrize("steps", [0, 4])
def test_contacts_of_faces_edges_and_corners(steps, device):
    pair = pair_of(STACKS, steps, device, spread=0.02)
    touching = {tuple(sorted(pair.mjm.geom_type[pair_of_geoms])) for mjd in pair.mjds for pair_of_geoms in mjd.contact.geom}
    assert len(touching) == 10  # kinds of pairs
    check_transpose(pair, *check(pair, 1e-4))


def test_equalities_and_limits(device):
    pair = pair_of(EQUALITIES, 60, device)
    kinds = {int(kind) for mjd in pair.mjds for kind in mjd.efc_type}
    assert kinds == {
        int(getattr(mujoco.mjtConstraint, f"mjCNSTR_{name}")) for name in ("EQUALITY", "FRICTION_DOF", "FRICTION_TENDON", "LIMIT_JOINT", "LIMIT_TENDON")
    }
    check_transpose(pair, *check(pair, 2e-5))


def test_connects_and_welds(device):
    pair = pair_of(BONDS, 20, device)
    assert all(mjd.nefc == 18 for mjd in pair.mjds)
    check_transpose(pair, *check(pair, 1e-4))


@pytest.mark.parametrize("name", ["dm_humanoid/humanoid.xml", "gym_half_cheetah/half_cheetah.xml", "barkour_vb/scene.xml"])
def test_robots_in_contact(name, device):
    pair = pair_of(shared_model(name), 150, device)
    assert all(mjd.ncon for mjd in pair.mjds)
    check_transpose(pair, *check(pair))


def test_the_same_call_gives_the_same_bits_and_leaves_the_state(device):
    pair = pair_of(CONTACTS.format(integrator="Euler", cone="elliptic", dim=3, friction="1"), 150, device)
    row = wp.zeros((pair.nworld, mjw.state_size(pair.m, mjw.State.INTEGRATION)), dtype=float, device=device)
    mjw.get_state(pair.m, pair.d, row, mjw.State.INTEGRATION)
    before = row.numpy().copy()
    first, second = matrices(pair)[0], matrices(pair)[0]
    mjw.get_state(pair.m, pair.d, row, mjw.State.INTEGRATION)
    np.testing.assert_array_equal(first, second)
    np.testing.assert_array_equal(before, row.numpy())


def test_worlds_have_their_own_values_and_do_not_depend_on_their_neighbours(device):
    few = pair_of(JOINTS.format(integrator="Euler"), 20, device)
    many = oracle.from_model(few.mjm, 19, device=device)  # enough for two threads
    damping = np.repeat(few.m.dof_damping.numpy()[:1], 19, axis=0) * np.linspace(1.0, 5.0, 19)[:, None].astype(np.float32)
    many.m.dof_damping = damping
    found = matrices(many)[0]
    for world in (0, 3, 18):
        few.mjm.dof_damping[:] = damping[world]
        np.testing.assert_allclose(found[world], differences(many, world)[0], rtol=0, atol=1e-5 * np.linalg.norm(found[world]))


def test_inside_a_capture(device):
    pair = pair_of(JOINTS.format(integrator="Euler"), 20, device)
    A = wp.zeros((3, 2 * pair.mjm.nv + pair.mjm.na, 2 * pair.mjm.nv + pair.mjm.na), dtype=float, device=device)
    with pytest.raises(ModelError, match="call transition once before the capture"), wp.ScopedCapture(device=device):
        mjw.transition(pair.m, pair.d, A)
    mjw.transition(pair.m, pair.d, A)
    before = A.numpy().copy()
    with wp.ScopedCapture(device=device) as capture:
        mjw.transition(pair.m, pair.d, A)
    A.zero_()
    wp.capture_launch(capture.graph)
    np.testing.assert_array_equal(A.numpy(), before)


def test_shapes_without_a_derivative_are_refused_where_they_touch(device):
    xml = """<mujoco><asset><hfield name="flat" nrow="2" ncol="2" size=".4 .4 .1 .1" elevation="0 0 0 0"/></asset>
      <worldbody><body><inertial pos="0 0 0" mass="1" diaginertia=".1 .1 .1"/><joint axis="0 1 0"/><geom name="field" type="hfield" hfield="flat"/></body>
      <body pos=".02 .1 .079"><freejoint/><geom name="stick" type="capsule" size=".08 .2" euler="0 90 0"/></body></worldbody></mujoco>"""
    pair = pair_of(xml, 0, device, spread=0.0)
    A = wp.zeros((3, 14, 14), dtype=float, device=device)
    with pytest.raises(UnsupportedError, match=r"field and stick|stick and field"):
        mjw.transition(pair.m, pair.d, A)
    assert not A.numpy().any()
    with wp.ScopedCapture(device=device) as capture:
        mjw.transition(pair.m, pair.d, A)
    wp.capture_launch(capture.graph)
    assert np.isnan(A.numpy()).all()


def test_what_has_no_derivative_is_refused_by_name(device):
    xml = """<mujoco><option noslip_iterations="2"/><worldbody><body name="a"><joint name="j"/><geom size=".1"/></body><body name="b" pos="1 0 0"><joint/><geom size=".1"/></body></worldbody>
      <actuator><general name="pull" joint="j" dyntype="user"/></actuator></mujoco>"""
    pair = pair_of(xml, 0, device)
    with pytest.raises(UnsupportedError, match=r"m.opt.noslip_iterations: got 2") as caught:
        mjw.transition(pair.m, pair.d)
    assert "actuator 'pull': got functions of the user's" in str(caught.value)
    pair.m.opt.noslip_iterations = 0
    with pytest.raises(UnsupportedError, match="pull"):
        mjw.step_vjp(pair.m, pair.d, wp.zeros((3, 5), dtype=float, device=device))


def test_wrong_arrays_are_refused(device):
    pair = pair_of(JOINTS.format(integrator="Euler"), 0, device)
    with pytest.raises(ModelError, match="transition: A"):
        mjw.transition(pair.m, pair.d, wp.zeros((3, 2, 2), dtype=float, device=device))
    with pytest.raises(ModelError, match="step_vjp: next_bar"):
        mjw.step_vjp(pair.m, pair.d, wp.zeros((3, 2), dtype=float, device=device))
