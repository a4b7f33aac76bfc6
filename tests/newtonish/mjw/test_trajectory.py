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


def numbers(pair: oracle.Pair, *shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((pair.nworld, *shape)).astype(np.float32)


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
    shapes = (nx,), (trajectory.nstep, pair.m.nu), (trajectory.nstep, pair.m.nv)
    found = [wp.zeros((pair.nworld, *shape), dtype=float, device=device) for shape in shapes]
    trajectory.vjp(wp.array(next_bar, device=device), *found)
    return [array.numpy() for array in found]


@pytest.mark.parametrize(
    ("xml", "warm", "tolerance"),
    [(JOINTS.format(integrator="implicitfast"), 5, 1e-4), (STOOL, 100, 1e-3)],
)
def test_the_gradient_is_that_of_differences(xml, warm, tolerance, device):
    pair = pair_of(xml, warm, device)
    assert all(mjd.ncon == 3 * (xml is STOOL) for mjd in pair.mjds)
    mjm, nx = pair.mjm, 2 * pair.mjm.nv + pair.mjm.na
    ctrl, force = 0.1 * numbers(pair, NSTEP, mjm.nu), 0.1 * numbers(pair, NSTEP, mjm.nv, seed=1)
    trajectory = mjw.Trajectory(pair.m, pair.d, NSTEP)
    trajectory.rollout(wp.array(ctrl, device=device), wp.array(force, device=device))
    next_bar = numbers(pair, NSTEP, nx, seed=2)
    state_bar, ctrl_bar, force_bar = bars_of(pair, trajectory, next_bar)
    eps, rng = 1e-6, np.random.default_rng(3)
    for world, mjd in enumerate(pair.mjds):
        for start, control, push in ((1, 0, 0), (0, 1, 0), (0, 0, 1)):
            changes = start * rng.standard_normal(nx), control * rng.standard_normal(ctrl.shape[1:]), push * rng.standard_normal(force.shape[1:])
            states = [ends(mjm, mjd, ctrl[world] + e * changes[1], force[world] + e * changes[2], e * changes[0]) for e in (eps, -eps)]
            expected = slope(mjm, *states, next_bar[world], eps)
            found = sum((bar[world] * change).sum() for bar, change in zip((state_bar, ctrl_bar, force_bar), changes, strict=True))
            size = sum(np.linalg.norm(bar[world]) * np.linalg.norm(change) for bar, change in zip((state_bar, ctrl_bar, force_bar), changes, strict=True))
            assert abs(found - expected) <= tolerance * size, (world, start, control, push, found, expected)


def test_states_between_checkpoints_are_taken_again_to_the_bit(device):
    """However far apart the kept states are, the gradient has the same bits, and so has a second call."""
    pair = pair_of(CONTACTS.format(integrator="Euler", cone="elliptic", dim=3, friction="1"), 150, device)
    row = wp.zeros((pair.nworld, mjw.state_size(pair.m, mjw.State.INTEGRATION)), dtype=float, device=device)
    mjw.get_state(pair.m, pair.d, row, mjw.State.INTEGRATION)
    force = wp.array(numbers(pair, 23, pair.m.nv), device=device)
    next_bar = numbers(pair, 23, 2 * pair.m.nv + pair.m.size.na, seed=2)
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
    ctrl = np.random.default_rng(1).standard_normal((19, 7, 1)).astype(np.float32)
    trajectory = mjw.Trajectory(m, d, 7, 3)
    trajectory.rollout(wp.array(ctrl, device=device))
    for t in range(7):
        other.ctrl.assign(ctrl[:, t])
        mjw.step(m, other)
        np.testing.assert_array_equal(trajectory.qpos.numpy()[:, t], other.qpos.numpy())
        np.testing.assert_array_equal(trajectory.qvel.numpy()[:, t], other.qvel.numpy())
        np.testing.assert_array_equal(trajectory.sensordata.numpy()[:, t], other.sensordata.numpy())
    assert d.time.numpy()[0] == other.time.numpy()[0]
    single = mjw.Trajectory(m, d, 1)
    next_bar = wp.array(np.random.default_rng(2).standard_normal((19, 4)), dtype=float, device=device)
    found, expected = ([wp.zeros((19, *shape), dtype=float, device=device) for shape in ((4,), (1,))] for _ in range(2))
    mjw.step_vjp(m, d, next_bar, *expected)
    single.rollout()
    single.vjp(next_bar, found[0], wp.array(ptr=found[1].ptr, shape=(19, 1, 1), dtype=float, device=device))
    for one, two in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one.numpy(), two.numpy())


def test_inside_a_capture(device):
    m, d = mjw.load(CARTPOLE, nworld=3, device=device)
    trajectory, start = mjw.Trajectory(m, d, 6, 3), wp.array([[0.1, 0.2], [0.0, 1.0], [0.3, -0.4]], dtype=float, device=device)
    ctrl, next_bar = (wp.array(np.random.default_rng(n).standard_normal((3, 6, n)), dtype=float, device=device) for n in (1, 4))
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
        trajectory.rollout(ctrl, wp.zeros((3, 6, 2), dtype=float, device=device))


def test_a_world_that_was_reset_has_no_gradient(device):
    m, d = mjw.load(CARTPOLE, nworld=2, device=device)
    ctrl = np.zeros((2, 5, 1), dtype=np.float32)
    qfrc = np.zeros((2, 5, 2), dtype=np.float32)
    qfrc[1, 2] = np.nan
    trajectory = mjw.Trajectory(m, d, 5)
    trajectory.rollout(wp.array(ctrl, device=device), wp.array(qfrc, device=device))
    resets = d.nonfinite.numpy().tolist()
    state_bar, ctrl_bar = wp.zeros((2, 4), dtype=float, device=device), wp.zeros((2, 5, 1), dtype=float, device=device)
    trajectory.vjp(wp.ones((2, 4), dtype=float, device=device), state_bar, ctrl_bar)
    assert d.nonfinite.numpy().tolist() == resets == [0, 1]
    assert np.isnan(state_bar.numpy()[1]).all() and np.isfinite(state_bar.numpy()[0]).all()
    assert np.isfinite(ctrl_bar.numpy()[0]).all() and np.isnan(ctrl_bar.numpy()[1]).all()


def test_what_is_refused(device):
    m, d = mjw.load(CARTPOLE, nworld=2, device=device)
    with pytest.raises(ModelError, match=r"Trajectory: nstep: got 0"):
        mjw.Trajectory(m, d, 0)
    with pytest.raises(ModelError, match=r"Trajectory: every: got 0"):
        mjw.Trajectory(m, d, 3, 0)
    trajectory = mjw.Trajectory(m, d, 3)
    with pytest.raises(ModelError, match=r"Trajectory.vjp: got a trajectory without steps"):
        trajectory.vjp(wp.zeros((2, 4), dtype=float, device=device))
    with pytest.raises(ModelError, match=r"Trajectory.rollout: ctrl: .* allowed: an array of shape \(2, 3, 1\)"):
        trajectory.rollout(wp.zeros((3, 2, 1), dtype=float, device=device))
    trajectory.rollout()
    with pytest.raises(ModelError, match=r"Trajectory.vjp: next_bar"):
        trajectory.vjp(wp.zeros((2, 3, 5), dtype=float, device=device))
    other, data = mjw.load(CARTPOLE, device=device)
    other.opt.noslip_iterations = 3
    with pytest.raises(UnsupportedError, match="noslip"):
        mjw.Trajectory(other, data, 3)


def test_gradients_by_quaternions(device):
    """A cost of the numbers of qpos changes along a tangent as its gradient there says, and back, perpendicular to the quaternions."""
    pair = pair_of(JOINTS.format(integrator="Euler"), 5, device)
    mjm, weights = pair.mjm, numbers(pair, pair.mjm.nq)
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
