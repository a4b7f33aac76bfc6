"""Delays and history buffers of controls and sensors against MuJoCo, in unequal worlds."""

import mujoco
import numpy as np
import oracle
import pytest
import warp as wp
from paths import OWN

import newtonish
from newtonish import mjw
from newtonish.convert import convert
from newtonish.errors import ImporterError, ModelError
from newtonish.mjw.supported import unsupported

DELAYS = OWN / "delays.xml"


def controls(world: int, k: int, nu: int) -> np.ndarray:
    return 0.9 * np.sin(0.11 * k * (1.0 + 0.3 * world) + np.arange(nu) + 0.5 * world)


def step(pair: oracle.Pair, k: int) -> None:
    """One step on both sides, under controls of each world's own."""
    for world, mjd in enumerate(pair.mjds):
        mjd.ctrl[:] = controls(world, k, pair.mjm.nu)
        mujoco.mj_step(pair.mjm, mjd)
    pair.d.ctrl.assign(np.stack([controls(w, k, pair.mjm.nu) for w in range(pair.nworld)]).astype(np.float32))
    mjw.step(pair.m, pair.d)


def fresh(mjm: mujoco.MjModel, pair: oracle.Pair) -> None:
    """Same buffers on both sides."""
    pair.d.history.assign(np.stack([mjd.history for mjd in pair.mjds]).astype(np.float32))


@pytest.mark.parametrize("integrator", ["EULER", "RK4", "IMPLICITFAST", "IMPLICIT", "DISCRETE"])
def test_200_steps_stay_with_mujocos(integrator: str, device: str) -> None:
    def change(mjm: mujoco.MjModel) -> None:
        mjm.opt.integrator = int(getattr(mujoco.mjtIntegrator, f"mjINT_{integrator}"))

    pair = oracle.load(DELAYS, change=change, device=device)
    np.testing.assert_allclose(pair.d.history.numpy(), [mjd.history for mjd in pair.mjds], atol=1e-6)
    for k in range(200):
        step(pair, k)
        if k % 20 == 19:
            for world, mjd in enumerate(pair.mjds):
                for name in ("actuator_force", "act", "qpos"):
                    oracle.close(f"{name} at {k}", getattr(pair.d, name).numpy()[world], getattr(mjd, name), 5e-4, world)
                for name in ("history", "sensordata"):
                    oracle.close(f"{name} at {k}", getattr(pair.d, name).numpy()[world], getattr(mjd, name), 1e-3, world)


@pytest.mark.parametrize("interp", ["zoh", "linear", "cubic"])
@pytest.mark.parametrize("integrator", ["Euler", "RK4", "implicitfast", "discrete"])
def test_a_strong_delayed_motor_agrees_closely(interp: str, integrator: str, device: str) -> None:
    """The delay is all that the buffer holds: stages of RK4 within the step must still find its oldest sample."""
    file = f"""<mujoco><option timestep="0.002" integrator="{integrator}"/><worldbody><body><joint name="h" axis="0 1 0"/>
      <geom size=".1" pos=".3 0 0"/></body></worldbody>
      <actuator><motor joint="h" gear="100" nsample="5" delay=".01" interp="{interp}"/></actuator></mujoco>"""
    pair = oracle.from_model(mujoco.MjModel.from_xml_string(file), device=device)
    for k in range(12):
        step(pair, k)
    for world, mjd in enumerate(pair.mjds):
        np.testing.assert_allclose(pair.d.qvel.numpy()[world], mjd.qvel, rtol=5e-6, atol=1e-5)


def test_worlds_have_delays_of_their_own(device: str) -> None:
    pair = oracle.load(DELAYS, nworld=2, device=device)
    delay = np.tile(pair.m.actuator_delay.numpy(), (2, 1))
    delay[1] *= 0.5
    pair.m.actuator_delay = delay
    seen = pair.m.sensor_delay.numpy().repeat(2, axis=0)
    seen[1] *= 0.7
    pair.m.sensor_delay = seen
    models = [pair.mjm, mujoco.MjModel.from_xml_path(str(DELAYS))]
    models[1].actuator_delay[:] *= 0.5
    models[1].sensor_delay[:] *= 0.7
    for name in ("actuator_history", "sensor_history"):  # and orders of interpolation
        buffers = getattr(pair.m, name).numpy().repeat(2, axis=0)
        buffers[1, :, 1] = (buffers[1, :, 1] + 1) % 3
        setattr(pair.m, name, buffers)
        getattr(models[1], name)[:] = buffers[1]
    for k in range(60):
        for world, mjd in enumerate(pair.mjds):
            mjd.ctrl[:] = controls(world, k, pair.mjm.nu)
            mujoco.mj_step(models[world], mjd)
        pair.d.ctrl.assign(np.stack([controls(w, k, pair.mjm.nu) for w in range(2)]).astype(np.float32))
        mjw.step(pair.m, pair.d)
    for world, mjd in enumerate(pair.mjds):
        for name in ("actuator_force", "sensordata", "history"):
            oracle.close(name, getattr(pair.d, name).numpy()[world], getattr(mjd, name), 1e-3, world)


def test_long_after_the_start_a_whole_number_of_steps_is_still_one(device: str) -> None:
    """Times are sums in float32: after 40 s a delay of five steps must still mean the control of five steps ago."""
    file = """<mujoco><option timestep="0.002"/><worldbody><body><joint name="h"/><geom size=".1" mass="1e4"/></body></worldbody>
      <actuator><motor joint="h" nsample="5" delay="0.01"/></actuator></mujoco>"""
    m, d = mjw.load(file, nworld=2, device=device)
    d.time.fill_(40.0)
    sent = []
    for k in range(60):
        sent.append([float(k), -2.0 * k])
        d.ctrl.assign(np.array(sent[-1], dtype=np.float32)[:, None])
        mjw.step(m, d)
        if k >= 10:
            assert d.actuator_force.numpy()[:, 0].tolist() == sent[k - 5], k


def query(pair: oracle.Pair, read, theirs, i: int, dim: int, times: np.ndarray, order: int) -> None:
    for t in times:
        result = wp.zeros((pair.nworld, dim), dtype=float, device=pair.d.device)
        stamp = wp.full(pair.nworld, float(t), dtype=float, device=pair.d.device)
        read(pair.m, pair.d, i, stamp, order, result)
        for world, mjd in enumerate(pair.mjds):
            target = np.zeros(dim)
            found = theirs(pair.mjm, mjd, i, float(t), target, order)
            oracle.close(f"{i} at {t}", result.numpy()[world], target if found is None else found, 2e-4, world)


@pytest.mark.parametrize("order", [-1, 0, 1, 2])
def test_buffers_are_read_as_mujoco_reads_them(order: int, device: str) -> None:
    pair = oracle.load(DELAYS, device=device)
    for k in range(13):
        step(pair, k)
    fresh(pair.mjm, pair)
    times = np.arange(-0.005, 0.05, 0.00137)
    for a in range(pair.mjm.nactuator):
        query(pair, mjw.read_ctrl, mujoco.mj_readCtrl, a, 1, times, order)
    for s in range(pair.mjm.nsensor):
        query(pair, mjw.read_sensor, mujoco.mj_readSensor, s, int(pair.mjm.sensor_dim[s]), times, order)


@pytest.mark.parametrize("given", [True, False])
def test_buffers_are_filled_as_mujoco_fills_them(given: bool, device: str) -> None:
    pair = oracle.load(DELAYS, device=device)
    for k in range(8):
        step(pair, k)
    fresh(pair.mjm, pair)
    rng = np.random.default_rng(3)
    times = np.cumsum(rng.uniform(0.001, 0.004, 6)) if given else None
    values = rng.standard_normal((pair.nworld, 6, 3))
    control = rng.standard_normal((pair.nworld, 5))
    mjw.init_sensor_history(pair.m, pair.d, 1, times, values, 0.25)
    mjw.init_ctrl_history(pair.m, pair.d, 0, None if times is None else times[:5], control)
    for world, mjd in enumerate(pair.mjds):
        mujoco.mj_initSensorHistory(pair.mjm, mjd, 1, times, values[world], 0.25)
        mujoco.mj_initCtrlHistory(pair.mjm, mjd, 0, None if times is None else times[:5], control[world])
        oracle.close("history", pair.d.history.numpy()[world], mjd.history, 1e-6, world)


def test_samples_out_of_order_find_their_place(device: str) -> None:
    """A clock that is set back: samples between those of the buffer, equal to one, and older than all."""
    pair = oracle.load(DELAYS, nworld=2, device=device)
    for k, time in enumerate((0.0, 0.004, 0.008, 0.006, 0.004, -0.5, 0.02, 0.001)):
        for mjd in pair.mjds:
            mjd.time = time
        pair.d.time.fill_(time)
        step(pair, k)
    for world, mjd in enumerate(pair.mjds):
        for a in range(5):
            first = pair.mjm.actuator_historyadr[a]
            part = slice(first, first + 2 + 2 * pair.mjm.actuator_history[a, 0])
            oracle.close(f"buffer {a}", pair.d.history.numpy()[world, part], mjd.history[part], 1e-5, world)


def test_resets_empty_the_buffers(device: str) -> None:
    pair = oracle.load(DELAYS, device=device)
    initial = pair.d.history.numpy().copy()
    for k in range(30):
        step(pair, k)
    filled = pair.d.history.numpy().copy()
    mjw.reset_data(pair.m, pair.d, np.array([True, False, False]))
    qvel = pair.d.qvel.numpy().copy()
    qvel[1] = np.inf
    pair.d.qvel.assign(qvel)
    np.testing.assert_allclose(pair.d.history.numpy()[0], initial[0], atol=1e-7)
    np.testing.assert_array_equal(pair.d.history.numpy()[1:], filled[1:])
    mjw.step(pair.m, pair.d)
    np.testing.assert_allclose(pair.d.history.numpy()[1], initial[1], atol=1e-7)
    assert pair.d.nonfinite.numpy().tolist() == [0, 1, 0]
    mjw.reset_history(pair.m, pair.d)
    np.testing.assert_allclose(pair.d.history.numpy(), initial, atol=1e-7)


@pytest.mark.parametrize("interval", ["0.002 0", "0.002 -0.001", "0.01 0", "0.01 -0.005", "0.015 0", "0.0101 -0.0099"])
def test_buffers_of_sensors_faster_than_a_step_begin_as_mujocos_do(interval: str, device: str) -> None:
    file = f"""<mujoco><option timestep="0.01" gravity="0 0 0"/><worldbody><body><joint name="j" type="slide"/><geom size=".1"/></body></worldbody>
      <sensor><jointpos joint="j" delay="0.02" interval="{interval}" nsample="4"/></sensor></mujoco>"""
    pair = oracle.from_model(mujoco.MjModel.from_xml_string(file), 2, device=device)
    times = mujoco.MjData(pair.mjm).history
    d = mjw.make_data(pair.m, 2)
    np.testing.assert_allclose(d.history.numpy(), [times, times], atol=1e-7)
    assert np.all(np.diff(times[2:6]) > 0.0)


def test_put_data_carries_the_past(device: str) -> None:
    pair = oracle.load(DELAYS, nworld=2, device=device)
    for k in range(20):
        step(pair, k)
    d = mjw.put_data(pair.mjm, pair.mjds[1], 2, m=pair.m)
    back = mujoco.MjData(pair.mjm)
    mjw.get_data_into(back, pair.mjm, d, 1)
    np.testing.assert_allclose(back.history, pair.mjds[1].history, atol=1e-6)


def test_the_importer_says_what_mujoco_says(device: str) -> None:
    mjm = mujoco.MjModel.from_xml_path(str(DELAYS))
    builder = newtonish.ModelBuilder()
    report = builder.add_mjcf(str(DELAYS))
    assert not report.ignored
    compiled = convert(builder.finalize(device="cpu"))
    assert compiled.nhistory == mjm.nhistory
    kinds = ("history", "historyadr", "delay")
    names = [*(f"actuator_{k}" for k in kinds), *(f"sensor_{k}" for k in kinds), "sensor_interval"]
    for name in names:
        np.testing.assert_allclose(getattr(compiled, name), getattr(mjm, name), atol=1e-7, err_msg=name)
    assert not unsupported(compiled)
    m = mjw.put_model(compiled, device=device)
    assert m.hist.nhistory == mjm.nhistory


@pytest.mark.parametrize(
    ("tag", "text", "word"),
    [
        ("motor", 'delay="0.1"', "history buffer"), ("gyro", 'delay="0.1"', "history buffer"),
        ("gyro", 'nsample="2" interval="-1"', "period"), ("gyro", 'nsample="2" interval="0.1 0.2"', "phase"),
        ("gyro", 'nsample="2" interval="0.1 -0.3"', "phase"), ("gyro", 'nsample="2" interp="spline"', "spline"),
    ],
)  # fmt: skip
def test_what_mujoco_refuses_is_refused_with_its_place(tag: str, text: str, word: str) -> None:
    motor, gyro = (text if tag == name else "" for name in ("motor", "gyro"))
    file = f"""<mujoco><worldbody><body><joint name="h"/><geom size=".1"/><site name="s"/></body></worldbody>
      <actuator><motor joint="h" {motor}/></actuator><sensor><gyro site="s" {gyro}/></sensor></mujoco>"""
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_string(file)
    with pytest.raises(ImporterError, match=rf"<string>:2:\d+: .*{word}"):
        newtonish.ModelBuilder().add_mjcf(file)


def test_misuse_is_named(device: str) -> None:
    pair = oracle.load(DELAYS, nworld=2, device=device)
    m, d = pair.m, pair.d
    time, result = wp.zeros(2, dtype=float, device=device), wp.zeros((2, 1), dtype=float, device=device)
    wrong = [
        (lambda: mjw.read_ctrl(m, d, 9, time, 0, result), "ctrlid"),
        (lambda: mjw.read_ctrl(m, d, 0, time, 7, result), "interp"),
        (lambda: mjw.read_sensor(m, d, 1, time, 0, result), "result"),
        (lambda: mjw.read_sensor(m, d, 0, np.zeros(2), 0, result), "time"),
        (lambda: mjw.init_ctrl_history(m, d, 5, None, np.zeros((2, 3))), "history buffer"),
        (lambda: mjw.init_ctrl_history(m, d, 0, np.zeros(5), np.zeros((2, 5))), "rising"),
        (lambda: mjw.init_ctrl_history(m, d, 0, None, np.zeros((2, 4))), "shape"),
    ]
    for call, word in wrong:
        with pytest.raises(ModelError, match=word):
            call()
