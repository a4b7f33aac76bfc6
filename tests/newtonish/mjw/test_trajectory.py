"""Adjoints of trajectories against differences of MuJoCo's trajectories in float64, along random directions, in unequal worlds."""

import mujoco
import numpy as np
import oracle
import pytest
import warp as wp
from gradient_models import CONTACTS, JOINTS, pair_of

from newtonish import mjw
from newtonish.errors import ModelError, UnsupportedError

pytestmark = pytest.mark.filterwarnings("ignore::newtonish.errors.NewtonishWarning")
NSTEP = 50
CARTPOLE = """
<mujoco>
  <option timestep="0.01" integrator="Euler"/>
  <worldbody><body><joint name="cart" type="slide" axis="1 0 0" damping="1"/><geom size=".1" mass="1"/>
    <body><joint name="pole" axis="0 1 0" damping=".02"/><geom type="capsule" fromto="0 0 0 0 0 .6" size=".03" mass=".2"/></body></body></worldbody>
  <actuator><motor joint="cart" gear="10"/></actuator>
  <sensor><jointpos joint="pole"/></sensor>
</mujoco>
"""
STOOL = """
<mujoco>
  <option timestep=".004" cone="elliptic"/>
  <default><geom size=".05" solref=".05 1" friction=".8"/></default>
  <worldbody>
    <geom type="plane" size="3 3 .1"/>
    <body pos="0 0 .05"><freejoint/><geom pos=".3 .02 0"/><geom pos="-.2 .3 0"/><geom pos="-.2 -.3 0"/><geom type="box" size=".1 .2 .03" pos="0 0 .1"/>
      <body pos=".05 0 .2"><joint name="arm" axis="0 1 0" damping=".1" stiffness="3"/><geom type="capsule" size=".03" fromto="0 0 0 .1 0 .3"/></body></body>
  </worldbody>
  <actuator><motor joint="arm"/></actuator>
</mujoco>
"""
"""Stands and slides a little, so that no contact begins or ends."""


def numbers(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def ends(mjm: mujoco.MjModel, mjd: mujoco.MjData, ctrl: np.ndarray, force: np.ndarray, start: np.ndarray) -> list[mujoco.MjData]:
    """MuJoCo's states after each step from a state that is ``start`` away, tangent space."""
    nv, moved, states = mjm.nv, mujoco.MjData(mjm), []
    mujoco.mj_copyData(moved, mjm, mjd)
    mujoco.mj_integratePos(mjm, moved.qpos, start[:nv], 1.0)
    moved.qvel[:] += start[nv : 2 * nv]
    moved.act[:] += start[2 * nv :]
    for t in range(len(ctrl)):
        moved.ctrl[:], moved.qfrc_applied[:] = ctrl[t], force[t]
        mujoco.mj_step(mjm, moved)
        states.append((moved.qpos.copy(), moved.qvel.copy(), moved.act.copy()))
    return states


def slope(mjm: mujoco.MjModel, one: list, other: list, bars: np.ndarray, eps: float) -> float:
    """Change of the cost between two trajectories, per unit."""
    total, moved = 0.0, np.zeros(mjm.nv)
    for (qpos, qvel, act), (qpos_b, qvel_b, act_b), bar in zip(one, other, bars, strict=True):
        mujoco.mj_differentiatePos(mjm, moved, 2.0 * eps, qpos_b, qpos)
        total += bar @ np.concatenate([moved, (qvel - qvel_b) / (2.0 * eps), (act - act_b) / (2.0 * eps)])
    return total


def bars_of(pair: oracle.Pair, trajectory: mjw.Trajectory, next_bar: np.ndarray) -> list[np.ndarray]:
    nx, device = 2 * pair.m.nv + pair.m.size.na, pair.d.device
    worlds = (trajectory.nstep, pair.nworld)
    shapes = (pair.nworld, nx), (*worlds, pair.m.nu), (*worlds, pair.m.nv)
    found = [wp.zeros(shape, dtype=float, device=device) for shape in shapes]
    trajectory.vjp(wp.array(next_bar, device=device), *found)
    return [array.numpy() for array in found]


@pytest.mark.parametrize(
    ("xml", "warm", "tolerance"),
    [(JOINTS.format(integrator="implicitfast"), 5, 1e-4), (JOINTS.format(integrator="RK4"), 5, 1e-4), (STOOL, 100, 1e-3)],
)
def test_the_gradient_is_that_of_differences(xml, warm, tolerance, device):
    pair = pair_of(xml, warm, device)
    assert all(mjd.ncon == 3 * (xml is STOOL) for mjd in pair.mjds)
    mjm, nx = pair.mjm, 2 * pair.mjm.nv + pair.mjm.na
    ctrl, force = 0.1 * numbers(NSTEP, pair.nworld, mjm.nu), 0.1 * numbers(NSTEP, pair.nworld, mjm.nv, seed=1)
    trajectory = mjw.Trajectory(pair.m, pair.d, NSTEP)
    trajectory.rollout(wp.array(ctrl, device=device), wp.array(force, device=device))
    next_bar = numbers(NSTEP, pair.nworld, nx, seed=2)
    state_bar, ctrl_bar, force_bar = bars_of(pair, trajectory, next_bar)
    eps, rng = 1e-6, np.random.default_rng(3)
    for world, mjd in enumerate(pair.mjds):
        for start, control, push in ((1, 0, 0), (0, 1, 0), (0, 0, 1)):
            changes = start * rng.standard_normal(nx), control * rng.standard_normal((NSTEP, mjm.nu)), push * rng.standard_normal((NSTEP, mjm.nv))
            states = [ends(mjm, mjd, ctrl[:, world] + e * changes[1], force[:, world] + e * changes[2], e * changes[0]) for e in (eps, -eps)]
            expected = slope(mjm, *states, next_bar[:, world], eps)
            bars = state_bar[world], ctrl_bar[:, world], force_bar[:, world]
            found = sum((bar * change).sum() for bar, change in zip(bars, changes, strict=True))
            size = sum(np.linalg.norm(bar) * np.linalg.norm(change) for bar, change in zip(bars, changes, strict=True))
            assert abs(found - expected) <= tolerance * size, (world, start, control, push, found, expected)


def test_states_between_checkpoints_are_taken_again_to_the_bit(device):
    """However far apart the kept states are, the gradient has the same bits, and so has a second call."""
    pair = pair_of(CONTACTS.format(integrator="Euler", cone="elliptic", dim=3, friction="1"), 150, device)
    row = wp.zeros((pair.nworld, mjw.state_size(pair.m, mjw.State.INTEGRATION)), dtype=float, device=device)
    mjw.get_state(pair.m, pair.d, row, mjw.State.INTEGRATION)
    force = wp.array(numbers(23, pair.nworld, pair.m.nv), device=device)
    next_bar = numbers(23, pair.nworld, 2 * pair.m.nv + pair.m.size.na, seed=2)
    after, results = wp.zeros_like(row), []
    for every in (1, 5, 23, None):
        mjw.set_state(pair.m, pair.d, row, mjw.State.INTEGRATION)
        trajectory = mjw.Trajectory(pair.m, pair.d, 23, every)
        trajectory.rollout(None, force)
        mjw.get_state(pair.m, pair.d, after, mjw.State.INTEGRATION)
        before = after.numpy().copy()
        results.append([*bars_of(pair, trajectory, next_bar), trajectory.qpos.numpy()])
        mjw.get_state(pair.m, pair.d, after, mjw.State.INTEGRATION)
        np.testing.assert_array_equal(before, after.numpy())
        results.append([*bars_of(pair, trajectory, next_bar), trajectory.qpos.numpy()])
    for other in results[1:]:
        for array, expected in zip(other, results[0], strict=True):
            np.testing.assert_array_equal(array, expected)


def test_a_rollout_is_that_of_steps_and_one_step_that_of_step_vjp(device):
    m, d = mjw.load(CARTPOLE, nworld=19, device=device)  # enough for two threads
    d.qpos.assign(np.random.default_rng(0).standard_normal((19, 2)))
    _, other = m, mjw.make_data(m, 19)
    mjw.copy_state(m, d, other)
    ctrl = np.random.default_rng(1).standard_normal((7, 19, 1)).astype(np.float32)
    trajectory = mjw.Trajectory(m, d, 7, 3)
    trajectory.rollout(wp.array(ctrl, device=device))
    for t in range(7):
        other.ctrl.assign(ctrl[t])
        mjw.step(m, other)
        np.testing.assert_array_equal(trajectory.qpos.numpy()[t], other.qpos.numpy())
        np.testing.assert_array_equal(trajectory.qvel.numpy()[t], other.qvel.numpy())
        np.testing.assert_array_equal(trajectory.sensordata.numpy()[t], other.sensordata.numpy())
    assert d.time.numpy()[0] == other.time.numpy()[0]
    single = mjw.Trajectory(m, d, 1)
    next_bar = wp.array(np.random.default_rng(2).standard_normal((19, 4)), dtype=float, device=device)
    found, expected = ([wp.zeros((19, *shape), dtype=float, device=device) for shape in ((4,), (1,))] for _ in range(2))
    mjw.step_vjp(m, d, next_bar, *expected)
    single.rollout()
    single.vjp(next_bar, found[0], wp.array(ptr=found[1].ptr, shape=(1, 19, 1), dtype=float, device=device))
    for one, two in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one.numpy(), two.numpy())


def test_inside_a_capture(device):
    m, d = mjw.load(CARTPOLE, nworld=3, device=device)
    trajectory, start = mjw.Trajectory(m, d, 6, 3), wp.array([[0.1, 0.2], [0.0, 1.0], [0.3, -0.4]], dtype=float, device=device)
    ctrl, next_bar = (wp.array(np.random.default_rng(n).standard_normal((6, 3, n)), dtype=float, device=device) for n in (1, 4))
    state_bar = wp.zeros((3, 4), dtype=float, device=device)

    def gradient() -> None:
        wp.copy(d.qpos, start)
        d.qvel.zero_()
        d.qacc_warmstart.zero_()
        trajectory.rollout(ctrl)
        trajectory.vjp(next_bar, state_bar)

    gradient()
    expected = state_bar.numpy().copy()
    with wp.ScopedCapture(device=device) as capture:
        gradient()
    state_bar.zero_()
    wp.capture_launch(capture.graph)
    np.testing.assert_array_equal(state_bar.numpy(), expected)
    with pytest.raises(ModelError, match=r"call rollout once with the same arguments"), wp.ScopedCapture(device=device):
        trajectory.rollout(ctrl, wp.zeros((6, 3, 2), dtype=float, device=device))


def test_a_world_that_was_reset_has_no_gradient(device):
    m, d = mjw.load(CARTPOLE, nworld=2, device=device)
    ctrl = np.zeros((5, 2, 1), dtype=np.float32)
    qfrc = np.zeros((5, 2, 2), dtype=np.float32)
    qfrc[2, 1] = np.nan
    trajectory = mjw.Trajectory(m, d, 5)
    trajectory.rollout(wp.array(ctrl, device=device), wp.array(qfrc, device=device))
    resets = d.nonfinite.numpy().tolist()
    state_bar, ctrl_bar = wp.zeros((2, 4), dtype=float, device=device), wp.zeros((5, 2, 1), dtype=float, device=device)
    trajectory.vjp(wp.ones((2, 4), dtype=float, device=device), state_bar, ctrl_bar)
    assert d.nonfinite.numpy().tolist() == resets == [0, 1]
    assert np.isnan(state_bar.numpy()[1]).all() and np.isfinite(state_bar.numpy()[0]).all()
    assert np.isfinite(ctrl_bar.numpy()[:, 0]).all() and np.isnan(ctrl_bar.numpy()[:, 1]).all()


def test_a_world_that_has_stopped_has_no_gradient(device):
    """In the rollout in which it did, and in all after it, whatever its state is set to, until it is reset."""
    m, _ = mjw.load(CARTPOLE, device=device)
    d = mjw.make_data(m, 2, on_nonfinite="stop")
    trajectory, state_bar = mjw.Trajectory(m, d, 3), wp.zeros((2, 4), dtype=float, device=device)
    qfrc = np.zeros((3, 2, 2), dtype=np.float32)
    qfrc[1, 1] = np.nan
    for force, lost in ((qfrc, 1), (0.0 * np.nan_to_num(qfrc), 1), (None, 0)):
        if force is None:
            mjw.reset_data(m, d)
        d.qvel.fill_(1.0)
        trajectory.rollout(None, None if force is None else wp.array(force, device=device))
        trajectory.vjp(wp.ones((2, 4), dtype=float, device=device), state_bar)
        assert trajectory.lost.numpy().tolist() == [0, lost]
        assert np.isfinite(state_bar.numpy()).all(axis=1).tolist() == [True, not lost]


def test_what_is_refused(device):
    m, d = mjw.load(CARTPOLE, nworld=2, device=device)
    with pytest.raises(ModelError, match=r"Trajectory: nstep: got 0"):
        mjw.Trajectory(m, d, 0)
    with pytest.raises(ModelError, match=r"Trajectory: every: got 0"):
        mjw.Trajectory(m, d, 3, 0)
    trajectory = mjw.Trajectory(m, d, 3)
    with pytest.raises(ModelError, match=r"Trajectory.vjp: got a trajectory without steps"):
        trajectory.vjp(wp.zeros((2, 4), dtype=float, device=device))
    with pytest.raises(ModelError, match=r"Trajectory.rollout: ctrl: .* allowed: an array of shape \(3, 2, 1\)"):
        trajectory.rollout(wp.zeros((2, 3, 1), dtype=float, device=device))
    trajectory.rollout()
    with pytest.raises(ModelError, match=r"Trajectory.vjp: next_bar"):
        trajectory.vjp(wp.zeros((3, 2, 5), dtype=float, device=device))
    other, data = mjw.load(CARTPOLE, device=device)
    other.opt.noslip_iterations = 3
    with pytest.raises(UnsupportedError, match="noslip"):
        mjw.Trajectory(other, data, 3)


def test_gradients_by_fields_are_those_of_differences_and_sums_of_steps(device):
    """Of friction, mass and gain of unequal worlds, with every state kept and with few."""
    xml = CARTPOLE.replace('damping="1"', 'damping="1" frictionloss=".5"').replace("<motor", '<position kp="7" kv="1"')
    names = {"dof_damping": (2,), "dof_frictionloss": (2,), "body_mass": (3,), "actuator_gainprm": (1,), "actuator_biasprm": (1,)}
    mjm, results = mujoco.MjModel.from_xml_string(xml), []
    ctrl, next_bar = numbers(20, 2, 1), numbers(20, 2, 4, seed=1)
    for every in (1, 6):
        m, d = mjw.load(xml, nworld=2, device=device)
        m.opt.tolerance.fill_(0.0)
        d.qpos.assign(np.array([[0.1, 0.4], [-0.3, 0.2]], dtype=np.float32))
        trajectory = mjw.Trajectory(m, d, 20, every)
        trajectory.rollout(wp.array(ctrl, device=device))
        fields = {name: wp.zeros((2, *shape), dtype=getattr(m, name).dtype, device=device) for name, shape in names.items()}
        for _ in range(2):  # they do not add up from call to call
            trajectory.vjp(wp.array(next_bar, device=device), fields=fields)
        results.append({name: array.numpy().astype(float) for name, array in fields.items()})
    for name, array in results[0].items():
        np.testing.assert_array_equal(array, results[1][name])
    mjm.opt.tolerance, mjm.opt.iterations = 1e-14, 100

    def cost(world):
        mjd = mujoco.MjData(mjm)
        mjd.qpos[:] = ((0.1, 0.4), (-0.3, 0.2))[world]
        total = 0.0
        for t in range(20):
            mjd.ctrl[:] = ctrl[t, world]
            mujoco.mj_step(mjm, mjd)
            total += next_bar[t, world] @ np.concatenate([mjd.qpos, mjd.qvel])
        return total

    for world in range(2):
        for name, places in (
            ("dof_damping", [0, 1]),
            ("dof_frictionloss", [0]),
            ("body_mass", [1, 2]),
            ("actuator_gainprm", [(0, 0)]),
            ("actuator_biasprm", [(0, 1)]),
        ):
            for place in places:
                array, ends = getattr(mjm, name), []
                before = array[place]
                for eps in (1e-6, -1e-6):
                    array[place] = before + eps
                    ends.append(cost(world))
                array[place] = before
                expected = (ends[0] - ends[1]) / 2e-6
                np.testing.assert_allclose(results[0][name][world][place], expected, rtol=1e-3, atol=1e-4, err_msg=f"{name} {place}")


@pytest.mark.parametrize("integrator", ["Euler", "RK4"])
def test_contacts_without_a_derivative_are_named_with_their_step(integrator, device):
    """A stick falls along a face of a heightfield in the second world; inside a capture its gradient is NaN."""
    xml = f"""<mujoco><option integrator="{integrator}" timestep=".01"/><asset><hfield name="flat" nrow="2" ncol="2" size=".4 .4 .1 .1" elevation="0 0 0 0"/></asset>
      <worldbody><geom name="field" type="hfield" hfield="flat"/>
      <body pos=".02 .1 .2"><joint name="z" type="slide" axis="0 0 1"/><joint axis="1 0 0"/><geom name="stick" type="capsule" size=".08 .2" euler="0 90 0"/></body></worldbody></mujoco>"""
    m, d = mjw.load(xml, nworld=2, device=device)
    d.qvel.assign(np.array([[0.0, 0.0], [-2.0, 0.0]], dtype=np.float32))
    trajectory, state_bar = mjw.Trajectory(m, d, 10), wp.zeros((2, 4), dtype=float, device=device)
    trajectory.rollout()
    with pytest.raises(UnsupportedError, match=r"Trajectory.vjp: contacts: got (field and stick|stick and field) touch in world 1 in step \d"):
        trajectory.vjp(wp.ones((2, 4), dtype=float, device=device), state_bar)
    with wp.ScopedCapture(device=device) as capture:
        trajectory.vjp(wp.ones((2, 4), dtype=float, device=device), state_bar)
    wp.capture_launch(capture.graph)
    assert np.isnan(state_bar.numpy()[1]).all() and np.isfinite(state_bar.numpy()[0]).all()


def test_gradients_by_quaternions(device):
    """A cost of the numbers of qpos changes along a tangent as its gradient there says, and back, perpendicular to the quaternions."""
    pair = pair_of(JOINTS.format(integrator="Euler"), 5, device)
    mjm, weights = pair.mjm, numbers(pair.nworld, pair.mjm.nq)
    bar, back = (wp.zeros((pair.nworld, n), dtype=float, device=device) for n in (mjm.nv + 3, mjm.nq))
    mjw.to_tangent(pair.m, pair.d.qpos, wp.array(weights, device=device), bar)
    mjw.from_tangent(pair.m, pair.d.qpos, bar, back)
    assert not bar.numpy()[:, mjm.nv :].any()
    quaternions = [mjm.jnt_qposadr[j] + 3 * (mjm.jnt_type[j] == 0) for j in range(mjm.njnt) if mjm.jnt_type[j] < 2]
    for world, mjd in enumerate(pair.mjds):
        change = np.random.default_rng(world).standard_normal(mjm.nv)
        moved = [mjd.qpos.copy() for _ in range(2)]
        for qpos, eps in zip(moved, (1e-6, -1e-6), strict=True):
            mujoco.mj_integratePos(mjm, qpos, change, eps)
        np.testing.assert_allclose(bar.numpy()[world, : mjm.nv] @ change, weights[world] @ (moved[0] - moved[1]) / 2e-6, rtol=1e-5)
        expected = weights[world].astype(float)
        for q in quaternions:
            at = mjd.qpos[q : q + 4]
            expected[q : q + 4] -= (expected[q : q + 4] @ at) * at
        np.testing.assert_allclose(back.numpy()[world], expected, rtol=0, atol=1e-5)
    with pytest.raises(ModelError, match=r"to_tangent: bar: .* allowed: float32 of shape \(3, \d+ or more\)"):
        mjw.to_tangent(pair.m, pair.d.qpos, wp.array(weights, device=device), wp.zeros((3, 2), dtype=float, device=device))
