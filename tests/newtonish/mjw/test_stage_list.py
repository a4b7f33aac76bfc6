"""The list of stages in docs/mjw.md is a step, and the parts of a step do what MuJoCo's do, for options set at any time."""

import re

import mujoco
import numpy as np
import oracle
import pytest
import warp as wp
from paths import OWN, REPO

from newtonish import ModelError, mjw

FREE_BOX = """<mujoco><option density="1000" viscosity=".9" timestep=".002"/><worldbody>
<body pos="0 0 1"><freejoint/><geom type="box" size=".1 .2 .05"/></body></worldbody></mujoco>"""
BALLS = """<mujoco><worldbody><geom type="plane" size="2 2 .01"/>
<body pos=".5 0 .08"><freejoint/><geom size=".1"/></body><body pos="0 0 .08"><freejoint/><geom size=".1"/></body></worldbody></mujoco>"""
PENDULUM = """<mujoco><option timestep=".01"/><worldbody><body><joint name="j" axis="0 1 0" damping=".3"/><geom size=".1" pos=".5 0 0"/>
<body pos=".5 0 0"><joint axis="0 1 0"/><geom size=".1" pos=".3 0 0"/></body></body></worldbody><actuator><motor joint="j"/></actuator></mujoco>"""


def stages_of_the_page() -> list[str]:
    """The stages that docs/mjw.md names as a step of the Euler integrator."""
    text = (REPO / "docs" / "mjw.md").read_text().split("a step of the Euler integrator is")[1].split(".\n")[0]
    return re.findall(r"`(\w+)`", text)


def unequal(m: mjw.Model, nworld: int = 2) -> mjw.Data:
    d = mjw.make_data(m, nworld)
    rng = np.random.default_rng(2)
    d.qvel.assign(0.5 * rng.standard_normal((nworld, m.nv)).astype(np.float32))
    d.ctrl.assign(0.3 * rng.standard_normal((nworld, m.nu)).astype(np.float32))
    return d


@pytest.mark.parametrize(
    "name", ["smooth_zoo", "fluid_zoo", "tendon_zoo", "spatial_tendons", "equality_zoo", "delays", "plastic", "material_zoo", "actuator_zoo"]
)
@pytest.mark.parametrize("integrator", ["EULER", "IMPLICITFAST", "IMPLICIT"])
def test_the_stages_of_the_page_are_a_step(name, integrator, device):
    mjm = mujoco.MjModel.from_xml_path(str(OWN / f"{name}.xml"))
    mjm.opt.integrator = int(mjw.IntegratorType[integrator])
    m = mjw.put_model(mjm, device=device)
    whole, parts = unequal(m), unequal(m)
    *stages, last = stages_of_the_page()
    for _ in range(5):
        mjw.step(m, whole)
        for stage in (*stages, last if integrator == "EULER" else "implicit"):
            getattr(mjw, stage)(m, parts)
    for array in ("qpos", "qvel", "act", "plastic", "qfrc_passive", "qacc", "qfrc_actuator"):
        a, b = getattr(whole, array).numpy(), getattr(parts, array).numpy()
        assert np.isfinite(a).all()
        assert np.abs(a - b).max(initial=0.0) <= 1e-4 * max(1.0, np.abs(a).max(initial=0.0)), array


def test_passive_forces_hold_those_of_the_medium(device):
    mjm = mujoco.MjModel.from_xml_string(FREE_BOX)
    m = mjw.put_model(mjm, device=device)
    d = mjw.make_data(m, 2)
    speeds = np.array([[1.0, 2.0, 3.0, 0.5, 0.6, 0.7], [-0.3, 0.2, 0.1, 2.0, 0.0, -1.0]])
    d.qvel.assign(speeds.astype(np.float32))
    for stage in ("kinematics", "com_pos", "com_vel", "passive"):
        getattr(mjw, stage)(m, d)
    for world, speed in enumerate(speeds):
        mjd = mujoco.MjData(mjm)
        mjd.qvel[:] = speed
        mujoco.mj_forward(mjm, mjd)
        assert np.abs(mjd.qfrc_fluid).max() > 0.1
        for name in ("qfrc_fluid", "qfrc_passive"):
            oracle.close(name, getattr(d, name).numpy()[world], getattr(mjd, name), oracle.SMOOTH, world)


@wp.kernel
def _push(passive: wp.array2d(dtype=float)):
    w, i = wp.tid()
    passive[w, i] = passive[w, i] + float(1 + w)


def test_passive_calls_the_function_of_the_user(device):
    m = mjw.put_model(mujoco.MjModel.from_xml_string(PENDULUM), device=device)
    d = unequal(m)
    m.callback.passive = lambda m, d: wp.launch(_push, dim=(d.nworld, m.nv), inputs=[d.qfrc_passive], device=d.device)
    for stage in ("kinematics", "com_pos", "com_vel", "passive"):
        getattr(mjw, stage)(m, d)
    expected = d.qfrc_spring.numpy() + d.qfrc_damper.numpy() + np.array([[1.0], [2.0]])
    assert np.allclose(d.qfrc_passive.numpy(), expected)


@pytest.mark.parametrize("flags", [0, mujoco.mjtDisableBit.mjDSBL_ACTUATION, mujoco.mjtDisableBit.mjDSBL_SPRING | mujoco.mjtDisableBit.mjDSBL_DAMPER])
@pytest.mark.parametrize("function", ["forward", "step", "step1"])
def test_callbacks_are_called_where_mujoco_calls_them(flags, function, device):
    mjm = mujoco.MjModel.from_xml_string(PENDULUM)
    mjm.opt.disableflags |= int(flags)
    m = mjw.put_model(mjm, device=device)
    d = mjw.make_data(m, 2)
    m.callback.control = lambda m, d: d.ctrl.fill_(2.0)
    m.callback.passive = lambda m, d: wp.launch(_push, dim=(d.nworld, m.nv), inputs=[d.qfrc_passive], device=d.device)
    mjd = mujoco.MjData(mjm)

    def push(_m, mjd):
        mjd.qfrc_passive[:] += 1.0

    mujoco.set_mjcb_control(lambda _m, mjd: mjd.ctrl.fill(2.0))
    mujoco.set_mjcb_passive(push)
    try:
        getattr(mujoco, f"mj_{function}")(mjm, mjd)
    finally:
        mujoco.set_mjcb_control(None)
        mujoco.set_mjcb_passive(None)
    getattr(mjw, function)(m, d)
    assert np.allclose(d.ctrl.numpy()[0], mjd.ctrl)
    assert np.allclose(d.qfrc_passive.numpy()[0], mjd.qfrc_passive, atol=1e-5)


@pytest.mark.parametrize("integrator", ["EULER", "RK4", "IMPLICITFAST", "IMPLICIT", "DISCRETE"])
def test_the_second_half_of_a_step_is_mujocos(integrator, device):
    mjm = mujoco.MjModel.from_xml_string(PENDULUM)
    mjm.opt.integrator = int(mjw.IntegratorType[integrator])
    pair = oracle.from_model(mjm, 2, device=device)
    mjw.step1(pair.m, pair.d)
    for world, mjd in enumerate(pair.mjds):
        mujoco.mj_step1(mjm, mjd)
        mjd.ctrl[:] = 0.7 + world
    pair.d.ctrl.assign(np.array([[0.7], [1.7]], dtype=np.float32))
    mjw.step2(pair.m, pair.d)
    for mjd in pair.mjds:
        mujoco.mj_step2(mjm, mjd)
    oracle.compare_arrays(pair, ("qpos", "qvel"), 1e-6)


@pytest.mark.parametrize("broadphase", [mjw.BroadphaseType.NXN, mjw.BroadphaseType.SAP_TILE])
@pytest.mark.parametrize("between", [None, "reset_data"])
def test_collision_after_another_broadphase_was_set(broadphase, between, device):
    mjm = mujoco.MjModel.from_xml_string(BALLS)
    mjd = mujoco.MjData(mjm)
    mujoco.mj_forward(mjm, mjd)
    m = mjw.put_model(mjm, device=device)
    d = mjw.make_data(m, 2)
    m.opt.broadphase = broadphase
    if between:
        getattr(mjw, between)(m, d)
    mjw.kinematics(m, d)
    d.ncon.zero_()
    mjw.collision(m, d)
    assert mjd.ncon == 2 and d.ncon.numpy().tolist() == [2, 2]


def test_stages_have_the_arrays_of_a_solver_that_was_set_after_the_data_was_made(device):
    mjm = mujoco.MjModel.from_xml_string(BALLS)
    m = mjw.put_model(mjm, device=device)
    d = mjw.make_data(m, 2)
    m.opt.solver = mjw.SolverType.PGS
    mjm.opt.solver = int(mjw.SolverType.PGS)
    for stage in stages_of_the_page()[:-2]:
        getattr(mjw, stage)(m, d)
    mjw.solve_pgs(m, d)
    mjd = mujoco.MjData(mjm)
    mujoco.mj_forward(mjm, mjd)
    assert np.abs(d.qacc.numpy() - mjd.qacc).max() <= 1e-2 * np.abs(mjd.qacc).max()


def test_a_capture_has_no_use_for_data_that_lacks_arrays(device):
    m = mjw.put_model(mujoco.MjModel.from_xml_string(BALLS), device=device)
    d = mjw.make_data(m, 2)
    mjw.step(m, d)
    m.opt.broadphase = mjw.BroadphaseType.SAP_TILE
    for function in (mjw.step, mjw.collision):
        with wp.ScopedCapture(device=device), pytest.raises(ModelError, match=f"{function.__name__}: d: got data made before an option"):
            function(m, d)
    mjw.step(m, d)
    with wp.ScopedCapture(device=device):
        mjw.step(m, d)
