"""Gradients of trajectories by sensors, and kinks on the way, in unequal worlds; what is asked for may change from call to call."""

import mujoco
import numpy as np
import pytest
import warp as wp

from newtonish import mjw
from newtonish.errors import ModelError, UnsupportedError

pytestmark = pytest.mark.filterwarnings("ignore::newtonish.errors.NewtonishWarning")
NSTEP, NWORLD = 12, 3
XML = """
<mujoco>
  <option timestep=".01" integrator="{integrator}"/>
  <worldbody>
    <body name="cart"><joint name="cart" type="slide" axis="1 0 0" damping="1"/><geom size=".1" mass="1"/>
      <body><joint name="pole" axis="0 1 0" damping=".02"/><geom type="capsule" fromto="0 0 0 0 0 .6" size=".03" mass=".2"/><site name="tip" pos="0 0 .6"/>
        <body pos="0 0 .6"><joint name="ball" type="ball" damping=".01"/><geom type="box" size=".05 .1 .08" mass=".1" pos=".03 0 .1"/></body></body></body>
  </worldbody>
  <actuator><motor joint="cart" gear="10"/></actuator>
  <sensor>
    <jointpos joint="pole"/><accelerometer site="tip"/><gyro site="tip"/><framepos objtype="site" objname="tip"/><actuatorfrc actuator="{actuator}"/>
  </sensor>
</mujoco>
""".replace("<motor ", '<motor name="{actuator}" ').replace("{actuator}", "push")
STEPPER = """
<mujoco>
  <option timestep=".01"/>
  <worldbody><geom type="plane" size="1 1 .1"/><body><joint name="z" type="slide" axis="0 0 1"/><geom size=".1" mass="1" margin=".02"/></body></worldbody>
  <sensor>{sensor}</sensor>
</mujoco>
"""


def numbers(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def started(integrator: str, device: str) -> tuple[mujoco.MjModel, mjw.Model, mjw.Data, np.ndarray]:
    """A model whose worlds begin differently, and where."""
    mjm = mujoco.MjModel.from_xml_string(XML.format(integrator=integrator))
    mjm.opt.tolerance, mjm.opt.iterations = 1e-14, 100
    m, d = mjw.load(XML.format(integrator=integrator), nworld=NWORLD, device=device)
    qpos = np.tile(mjm.qpos0, (NWORLD, 1))
    for row, change in zip(qpos, numbers(NWORLD, mjm.nv, seed=9), strict=True):
        mujoco.mj_integratePos(mjm, row, 0.4 * change, 1.0)
    d.qpos.assign(qpos.astype(np.float32))
    return mjm, m, d, qpos.astype(np.float32)


def found(way: mjw.Trajectory, m: mjw.Model, device: str, next_bar: np.ndarray, sensor_bar: np.ndarray | None, *names: str) -> dict[str, np.ndarray]:
    """All gradients that ``names`` ask for beside those by state and controls."""
    nx, shape = 2 * m.nv + m.size.na, (way.nstep, NWORLD)
    arrays = {"state": wp.zeros((NWORLD, nx), dtype=float, device=device), "ctrl": wp.zeros((*shape, m.nu), dtype=float, device=device)}
    arrays |= {"qfrc": wp.zeros((*shape, m.nv), dtype=float, device=device)} if "qfrc" in names else {}
    fields = {name: wp.zeros((NWORLD, *getattr(m, name).shape[1:]), dtype=getattr(m, name).dtype, device=device) for name in names if "_" in name}
    kinks = wp.full(shape, -1, dtype=wp.int32, device=device) if "kinks" in names else None
    bar = None if sensor_bar is None else wp.array(sensor_bar, device=device)
    way.vjp(wp.array(next_bar, device=device), arrays["state"], arrays["ctrl"], arrays.get("qfrc"), sensor_bar=bar, fields=fields or None, kinks=kinks)
    return {name: array.numpy().copy() for name, array in (arrays | fields | ({} if kinks is None else {"kinks": kinks})).items()}


@pytest.mark.parametrize("integrator", ["implicitfast", "RK4"])
def test_gradients_by_sensors_are_those_of_differences(integrator, device):
    """Of a cost of all sensors of all steps and of the last state, by the first state, controls and damping."""
    mjm, m, d, qpos = started(integrator, device)
    m.opt.tolerance.fill_(0.0)
    ctrl, next_bar, sensor_bar = numbers(NSTEP, NWORLD, 1), numbers(NWORLD, 2 * mjm.nv, seed=1), numbers(NSTEP, NWORLD, mjm.nsensordata, seed=2)
    way = mjw.Trajectory(m, d, NSTEP, 5)
    way.rollout(wp.array(ctrl, device=device))
    bars = found(way, m, device, next_bar, sensor_bar, "dof_damping")

    def cost(world: int, start: np.ndarray, control: np.ndarray, damping: np.ndarray) -> float:
        mjd, mjm.dof_damping[:] = mujoco.MjData(mjm), damping
        mjd.qpos[:] = qpos[world]
        mujoco.mj_normalizeQuat(mjm, mjd.qpos)
        mujoco.mj_integratePos(mjm, mjd.qpos, start[: mjm.nv], 1.0)
        mjd.qvel[:] = start[mjm.nv :]
        total = 0.0
        for t in range(NSTEP):
            mjd.ctrl[:] = control[t]
            mujoco.mj_step(mjm, mjd)
            total += sensor_bar[t, world] @ mjd.sensordata
        ends.append(mjd.qpos.copy())
        return total + next_bar[world, mjm.nv :] @ mjd.qvel

    rng, usual, eps = np.random.default_rng(4), mjm.dof_damping.copy(), 1e-6
    for world in range(NWORLD):
        zero = np.zeros(2 * mjm.nv), ctrl[:, world].astype(float), usual
        for place, name, at in ((0, "state", (world,)), (1, "ctrl", (slice(None), world)), (2, "dof_damping", (world,))):
            change, values, ends = rng.standard_normal(zero[place].shape), [], []
            for sign in (eps, -eps):
                moved = list(zero)
                moved[place] = moved[place] + sign * change
                values.append(cost(world, *moved))
            moved = np.zeros(mjm.nv)
            mujoco.mj_differentiatePos(mjm, moved, 2.0 * eps, ends[1], ends[0])
            expected = (values[0] - values[1]) / (2.0 * eps) + next_bar[world, : mjm.nv] @ moved
            bar = bars[name][at]
            size = np.linalg.norm(bar) * np.linalg.norm(change)
            assert abs((bar * change).sum() - expected) <= 1e-4 * size, (world, name, (bar * change).sum(), expected, size)


def test_checkpoints_and_a_capture_change_no_bit(device):
    results = []
    for every in (1, 5, None):
        _, m, d, _ = started("implicitfast", device)
        way = mjw.Trajectory(m, d, NSTEP, every)
        way.rollout(wp.array(numbers(NSTEP, NWORLD, 1), device=device))
        given = numbers(NSTEP, NWORLD, 2 * m.nv, seed=1), numbers(NSTEP, NWORLD, m.size.nsensordata, seed=2)
        results += [found(way, m, device, *given, "dof_damping", "kinks") for _ in range(2)]
    for other in results[1:]:
        for name, array in results[0].items():
            np.testing.assert_array_equal(array, other[name], err_msg=name)
    bars, bar = (wp.array(array, device=device) for array in given), wp.zeros((NSTEP, NWORLD, 1), dtype=float, device=device)
    next_bar, sensor_bar = bars
    kinks = wp.full((NSTEP, NWORLD), -1, dtype=wp.int32, device=device)
    with wp.ScopedCapture(device=device) as capture:
        way.vjp(next_bar, None, bar, sensor_bar=sensor_bar, kinks=kinks)
    bar.zero_()
    wp.capture_launch(capture.graph)
    np.testing.assert_array_equal(bar.numpy(), results[0]["ctrl"])
    np.testing.assert_array_equal(kinks.numpy(), results[0]["kinks"])


def test_one_step_is_that_of_step_vjp(device):
    _, m, d, _ = started("implicitfast", device)
    d.ctrl.fill_(0.3)
    way, kinks = mjw.Trajectory(m, d, 1), wp.zeros(NWORLD, dtype=wp.int32, device=device)
    given = [wp.array(numbers(NWORLD, n, seed=n), device=device) for n in (2 * m.nv, m.size.nsensordata)]
    state, ctrl = wp.zeros((NWORLD, 2 * m.nv), dtype=float, device=device), wp.zeros((NWORLD, 1), dtype=float, device=device)
    mjw.step_vjp(m, d, given[0], state, ctrl, sensor_bar=given[1], kinks=kinks)
    way.rollout()
    bars = found(way, m, device, given[0].numpy(), given[1].numpy()[None], "kinks")
    np.testing.assert_array_equal(bars["state"], state.numpy())
    np.testing.assert_array_equal(bars["ctrl"][0], ctrl.numpy())
    np.testing.assert_array_equal(bars["kinks"][0], kinks.numpy())


def test_what_is_wanted_may_change_from_call_to_call(device):
    """Arrays that are made for the first time later are those that recorded steps write."""
    _, m, d, _ = started("implicitfast", device)
    row = wp.zeros((NWORLD, mjw.state_size(m, mjw.State.INTEGRATION)), dtype=float, device=device)
    mjw.get_state(m, d, row, mjw.State.INTEGRATION)
    push = wp.array(numbers(NSTEP, NWORLD, m.nv, seed=5), device=device)
    given = numbers(NSTEP, NWORLD, 2 * m.nv, seed=1), numbers(NSTEP, NWORLD, m.size.nsensordata, seed=2)
    calls = [((given[0], None), ()), ((given[0], None), ("qfrc",)), (given, ("qfrc", "kinks")), (given, ("dof_damping",)), ((given[0], None), ())]
    way, ends = mjw.Trajectory(m, d, NSTEP, 4), []
    for force in (None, push, None):
        for maker in (lambda: way, lambda: mjw.Trajectory(m, d, NSTEP, 4)):  # the same each time, and a new one
            mjw.set_state(m, d, row, mjw.State.INTEGRATION)
            one = maker()
            one.rollout(None, force)
            ends.append(one.qpos.numpy().copy())
        np.testing.assert_array_equal(ends[-1], ends[-2])
    assert np.abs(ends[0] - ends[2]).max() > 0.01
    for arguments, names in calls:
        bars = [found(one, m, device, *arguments, *names) for one in (way, mjw.Trajectory(m, d, NSTEP, 4)) if one is way or _rolled(one, m, d, row)]
        for name, array in bars[0].items():
            np.testing.assert_array_equal(array, bars[1][name], err_msg=name)
            assert array.any() or name == "kinks", name


def _rolled(way: mjw.Trajectory, m: mjw.Model, d: mjw.Data, row: wp.array) -> bool:
    mjw.set_state(m, d, row, mjw.State.INTEGRATION)
    way.rollout()
    return True


def test_kinks_tell_the_step_in_which_a_contact_begins(device):
    """The first world's ball is at the end of its margin in step 3, the second's never, the third's from the start."""
    m, d = mjw.load(STEPPER.format(sensor=""), nworld=NWORLD, device=device)
    m.opt.gravity.fill_(wp.vec3(0.0, 0.0, 0.0))
    speed = np.float32(-0.5)
    way, kinks = mjw.Trajectory(m, d, 6, 2), wp.full((6, NWORLD), -1, dtype=wp.int32, device=device)
    margin = 0.12
    heights = np.array([margin + 3 * 0.005, 1.0, margin], dtype=np.float32)
    d.qpos.assign(heights[:, None])
    d.qvel.assign(np.array([[speed], [speed], [0.0]], dtype=np.float32))
    way.rollout()
    way.vjp(wp.ones((NWORLD, 2), dtype=float, device=device), kinks=kinks)
    began = (kinks.numpy() & int(mjw.Kink.CONTACT)) != 0
    assert began[:, 0].tolist() == [False, False, False, True, False, False]
    assert not kinks.numpy()[:, 1].any() and began[:, 2].all()


def test_what_is_refused(device):
    m, d = mjw.load(STEPPER.format(sensor='<clock name="time"/><rangefinder name="eye" site="s"/>').replace("<body>", '<body><site name="s"/>'), device=device)
    way = mjw.Trajectory(m, d, 2)
    way.rollout()
    next_bar = wp.zeros((1, 2), dtype=float, device=device)
    with pytest.raises(UnsupportedError, match=r"sensor 'eye': got RANGEFINDER"):
        way.vjp(next_bar, sensor_bar=wp.zeros((2, 1, 2), dtype=float, device=device))
    with pytest.raises(ModelError, match=r"Trajectory.vjp: sensor_bar: .* allowed: .*\(2, 1, 2\)"):
        way.vjp(next_bar, sensor_bar=wp.zeros((1, 2), dtype=float, device=device))
    with pytest.raises(ModelError, match=r"Trajectory.vjp: kinks: .* allowed: an array of shape \(2, 1\) of int32"):
        way.vjp(next_bar, kinks=wp.zeros((2, 1), dtype=float, device=device))
    _, m, d, _ = started("implicitfast", device)
    way = mjw.Trajectory(m, d, 2)
    way.rollout()
    arrays = wp.zeros((NWORLD, 2 * m.nv), dtype=float, device=device), wp.zeros((2, NWORLD, m.size.nsensordata), dtype=float, device=device)
    with pytest.raises(UnsupportedError, match=r"fields actuator_gainprm in the law of sensor 'sensor4' of type ACTUATORFRC"):
        way.vjp(arrays[0], sensor_bar=arrays[1], fields={"actuator_gainprm": wp.zeros((NWORLD, 1), dtype=m.actuator_gainprm.dtype, device=device)})
    with pytest.raises(ModelError, match=r"call vjp once with the same arguments before the capture"), wp.ScopedCapture(device=device):
        way.vjp(arrays[0], kinks=wp.zeros((2, NWORLD), dtype=wp.int32, device=device))
