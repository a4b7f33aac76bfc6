"""Time in float32 is the number of steps times the time step, also after many steps."""

import mujoco
import numpy as np
import pytest
import warp as wp

from newtonish import mjw

XML = """
<mujoco><option timestep="{dt}" integrator="{integrator}"/><worldbody><body><joint name="j" type="slide" axis="1 0 0"/><geom size=".1"/></body></worldbody>
  <actuator><motor joint="j" nsample="4" delay=".004"/></actuator><sensor><jointpos joint="j" nsample="2" interval=".01"/></sensor></mujoco>
"""


def start(dt: float, times: list[float], integrator: str = "Euler"):
    m = mjw.put_model(mujoco.MjModel.from_xml_string(XML.format(dt=dt, integrator=integrator)))
    d = mjw.make_data(m, len(times))
    d.time.assign(np.array(times, dtype=np.float32))
    return m, d


def test_a_sum_of_many_steps_is_the_product() -> None:
    m, d = start(0.002, [0.0, 0.001])
    mjw.step(m, d, nstep=20_000)  # a sum in float32 is 3 ms off
    assert d.time.numpy()[0] == np.float32(40.0)
    assert abs(float(d.time.numpy()[1]) - 40.001) < 4e-6  # no multiple of the step


@pytest.mark.parametrize("dt,begin", [(0.001, 40_000.0), (0.002, 40_000.0), (0.0001, 10_000.0), (0.002, 400.0)])
def test_the_clock_neither_stands_still_nor_runs_ahead(dt: float, begin: float) -> None:
    m, d = start(dt, [begin, 0.0])
    mjm = mujoco.MjModel.from_xml_string(XML.format(dt=dt, integrator="Euler"))
    mjd = mujoco.MjData(mjm)
    mjd.time = begin
    for _ in range(1000):
        mujoco.mj_step(mjm, mjd)
    mjw.step(m, d, nstep=1000)
    assert abs(float(d.time.numpy()[0]) - mjd.time) <= np.spacing(np.float32(begin))
    assert abs(float(d.time.numpy()[0]) + float(d.time_low.numpy()[0]) - mjd.time) < 1e-7 * begin + 1e-3 * dt
    assert abs(float(d.time.numpy()[1]) - 1000 * dt) < 1e-6


def test_a_restored_state_goes_on_with_the_same_times() -> None:
    from newtonish.common.enums import State

    m, d = start(0.002, [0.0, 123.456])
    mjw.step(m, d, nstep=3001)
    kept = wp.zeros((2, mjw.state_size(m, int(State.INTEGRATION))), dtype=wp.float32)
    mjw.get_state(m, d, kept, int(State.INTEGRATION))
    other = start(0.002, [987.6, 5.0])
    mjw.step(*other, nstep=777)
    mjw.set_state(m, other[1], kept, int(State.INTEGRATION))
    for data in (d, other[1]):
        mjw.step(m, data, nstep=501)
    assert np.array_equal(d.time.numpy(), other[1].time.numpy()) and np.array_equal(d.history.numpy(), other[1].history.numpy())


def test_sensors_with_an_interval_keep_their_rate() -> None:
    m, d = start(0.002, [0.0, 0.0])
    mjw.step(m, d, nstep=20_000)
    last = d.history.numpy()[:, m.sensor_historyadr.numpy()[0]]
    assert np.abs(last - 39.99).max() < 0.0101 and np.abs(last / 0.01 - np.round(last / 0.01)).max() < 1e-3
