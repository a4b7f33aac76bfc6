"""Control and passive callbacks against MuJoCo's, for every integrator, in unequal worlds and on several threads."""

import mujoco
import numpy as np
import oracle
import pytest
import warp as wp

from newtonish import mjw

XML = """
<mujoco>
  <option timestep=".005"/>
  <worldbody>
    <geom type="plane" size="5 5 .1"/>
    <body pos="0 0 1"><joint name="a" axis="0 1 0" damping=".1"/><geom type="capsule" size=".05" fromto="0 0 0 .4 0 0"/>
      <body pos=".4 0 0"><joint name="b" axis="0 1 0"/><geom type="capsule" size=".04" fromto="0 0 0 .3 0 0"/>
        <site name="tip" pos=".3 0 0"/></body></body>
    <body pos="0 1 .12"><freejoint/><geom size=".1"/></body>
  </worldbody>
  <actuator><motor joint="a"/><motor joint="b" gear="2"/></actuator>
  <sensor><jointpos joint="a"/><framelinvel objtype="site" objname="tip"/></sensor>
</mujoco>
"""
INTEGRATORS = ("EULER", "IMPLICITFAST", "IMPLICIT", "RK4")


@wp.kernel
def _law(
    time: wp.array(dtype=float), sensors: wp.array2d(dtype=float), xpos: wp.array2d(dtype=wp.vec3),
    qvel: wp.array2d(dtype=float), ctrl: wp.array2d(dtype=float), xfrc: wp.array2d(dtype=wp.spatial_vector),
    gain: wp.array(dtype=float), first: int,
):  # fmt: skip
    w = wp.tid()
    k = gain[first + w]
    ctrl[w, 0] = -k * sensors[w, 0] - 0.3 * qvel[w, 0] + wp.sin(40.0 * time[w])
    ctrl[w, 1] = -0.5 * k * sensors[w, 1] - 2.0 * xpos[w, 2][2]
    xfrc[w, 3] = wp.spatial_vector(k * xpos[w, 2][0], 0.0, -qvel[w, 4], 0.0, 0.0, 0.0)


@wp.kernel
def _wind(qvel: wp.array2d(dtype=float), passive: wp.array2d(dtype=float)):
    w, i = wp.tid()
    passive[w, i] = passive[w, i] - 0.2 * qvel[w, i] * wp.abs(qvel[w, i]) + 0.1 * float(i)


def passive(m: mjw.Model, d: mjw.Data) -> None:
    wp.launch(_wind, dim=(d.nworld, m.nv), inputs=[d.qvel, d.qfrc_passive], device=d.device)


def law_of(gains: wp.array):
    def law(m: mjw.Model, d: mjw.Data) -> None:
        inputs = [d.time, d.sensordata, d.xpos, d.qvel, d.ctrl, d.xfrc_applied, gains, d.first_world]
        wp.launch(_law, dim=d.nworld, inputs=inputs, device=d.device)

    return law


def mujoco_law(k: float):
    def law(m, d):
        d.ctrl[0] = -k * d.sensordata[0] - 0.3 * d.qvel[0] + np.sin(40.0 * d.time)
        d.ctrl[1] = -0.5 * k * d.sensordata[1] - 2.0 * d.xpos[2][2]
        d.xfrc_applied[3, :3] = (k * d.xpos[2][0], 0.0, -d.qvel[4])

    return law


def mujoco_passive(m, d):
    d.qfrc_passive[:] += -0.2 * d.qvel * np.abs(d.qvel) + 0.1 * np.arange(m.nv)


def rig(integrator: str, nworld: int, device: str) -> tuple[oracle.Pair, np.ndarray]:
    def change(mjm):
        mjm.opt.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator}")

    pair = oracle.from_model(mujoco.MjModel.from_xml_string(XML), nworld, change=change, device=device)
    return pair, np.linspace(0.5, 3.0, nworld)


def step_mujoco(pair: oracle.Pair, gains: np.ndarray, steps: int, control: bool = True, wind: bool = True) -> None:
    try:
        for mjd, gain in zip(pair.mjds, gains, strict=True):
            mujoco.set_mjcb_control(mujoco_law(gain) if control else None)
            mujoco.set_mjcb_passive(mujoco_passive if wind else None)
            for _ in range(steps):
                mujoco.mj_step(pair.mjm, mjd)
    finally:
        mujoco.set_mjcb_control(None)
        mujoco.set_mjcb_passive(None)


def compare(pair: oracle.Pair, tolerance: float) -> None:
    for name in ("qpos", "qvel", "ctrl", "sensordata", "qfrc_passive"):
        for world, mjd in enumerate(pair.mjds):
            oracle.close(name, getattr(pair.d, name).numpy()[world], getattr(mjd, name), tolerance, world)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_callbacks_do_what_mujocos_do(integrator, device):
    pair, gains = rig(integrator, 3, device)
    pair.m.callback.control = law_of(wp.array(gains, dtype=float, device=device))
    pair.m.callback.passive = passive
    for _ in range(10):
        mjw.step(pair.m, pair.d)
    step_mujoco(pair, gains, 10)
    compare(pair, 1e-4)
    np.testing.assert_allclose(pair.d.time.numpy(), [mjd.time for mjd in pair.mjds], rtol=1e-5)


def test_callbacks_come_and_go_and_follow_the_slices_of_threads(device):
    pair, gains = rig("EULER", 17, device)
    try:
        mjw.set_num_threads(2)
        for control, wind in ((True, False), (False, True), (False, False), (True, True)):
            pair.m.callback.control = law_of(wp.array(gains, dtype=float, device=device)) if control else None
            pair.m.callback.passive = passive if wind else None
            for _ in range(2):
                mjw.step(pair.m, pair.d)
            step_mujoco(pair, gains, 2, control, wind)
        compare(pair, 1e-4)
    finally:
        mjw.set_num_threads(None)


def test_forward_and_the_two_halves_of_a_step_call_it_too(device):
    pair, gains = rig("EULER", 3, device)
    other = mjw.make_data(pair.m, 3)
    mjw.copy_state(pair.m, pair.d, other)
    pair.m.callback.control = law_of(wp.array(gains, dtype=float, device=device))
    mjw.forward(pair.m, pair.d)
    assert pair.d.ctrl.numpy().any(axis=1).all()
    mjw.step1(pair.m, other)
    np.testing.assert_array_equal(other.ctrl.numpy(), pair.d.ctrl.numpy())
    wp.copy(other.qacc_warmstart, pair.d.qacc_warmstart)  # where the solver ends depends on where it begins
    mjw.step2(pair.m, other)
    mjw.step(pair.m, pair.d)
    np.testing.assert_allclose(other.qvel.numpy(), pair.d.qvel.numpy(), atol=1e-6)


def test_what_is_no_callback_is_refused(device):
    m = mjw.put_model(mujoco.MjModel.from_xml_string(XML), device=device)
    with pytest.raises(AttributeError, match=r"m\.callback\.contactfilter.*control, passive"):
        m.callback.contactfilter = passive
    with pytest.raises(AttributeError, match=r"m\.callback\.control.*a str"):
        m.callback.control = "law"
