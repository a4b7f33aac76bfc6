"""Gains, biases and dynamics of the user's as Warp functions, against MuJoCo's callbacks in Python."""

import contextlib

import mujoco
import numpy as np
import oracle
import pytest
import warp as wp

from newtonish import mjw
from newtonish.errors import ModelError, UnsupportedError

XML = """
<mujoco><compiler angle="radian"/><option timestep="0.004" {option}/>
<worldbody>
 <body pos="0 0 1"><joint name="h" axis="0 1 0" damping="0.1"/><geom size="0.1" pos="0.2 0 0"/>
  <body pos="0.4 0 0"><joint name="k" axis="0 1 0" damping="0.1"/><geom size="0.08" pos="0.2 0.1 0"/></body></body>
</worldbody>
<tendon><fixed name="t" actuatorfrcrange="-1 1"><joint joint="h" coef="1.5"/><joint joint="k" coef="-0.5"/></fixed></tendon>
<actuator>
 <general joint="h" gaintype="user" biastype="user" dyntype="user" actdim="2" gainprm="3 1" biasprm="0.5 2" dynprm="4 0.3"/>
 <general joint="k" gaintype="user" biastype="affine" biasprm="0 -1 -0.3" gainprm="2 0.5" ctrlrange="-1 1" gear="2"/>
 <general joint="k" biastype="user" dyntype="filterexact" dynprm="0.1" biasprm="1 3" forcerange="-2 2" actearly="true"/>
 <general joint="h" gaintype="affine" gainprm="1 0.2 0.3" dyntype="user" dynprm="2 1" actlimited="true" actrange="-0.4 0.5" actearly="true"/>
 <general tendon="t" gaintype="user" biastype="user" gainprm="3 1" biasprm="0.5 2"/>
 <motor tendon="t"/><pid joint="h" ki="0.5"/>
</actuator></mujoco>"""  # fmt: skip


@wp.func
def gain(x: mjw.ActuatorInput, act: wp.array2d(dtype=float)) -> float:
    return x.prm[0] + x.prm[1] * wp.sin(x.length) * x.velocity + 0.1 * wp.float32(x.actuator)


@wp.func
def bias(x: mjw.ActuatorInput, act: wp.array2d(dtype=float)) -> float:
    force = -x.prm[0] * x.velocity * wp.abs(x.velocity) - x.prm[1] * x.length + 0.3 * x.ctrl + x.time
    if x.actadr >= 0:
        force += 0.2 * act[x.world, x.actadr]
    return force


@wp.func
def dyn(x: mjw.ActuatorInput, act: wp.array2d(dtype=float)) -> float:
    rate = x.prm[0] * (x.ctrl - x.act)
    if x.component == 1:
        rate = x.prm[1] * act[x.world, x.actadr] - x.act
    return rate


def _inputs(m, d, i):
    o, u = m.actuator_outadr[i], m.actuator_ctrladr[i]
    ctrl = float(np.clip(d.ctrl[u], *m.actuator_ctrlrange[u])) if m.actuator_ctrllimited[u] else float(d.ctrl[u])
    return float(d.actuator_length[o]), float(d.actuator_velocity[o]), ctrl, int(m.actuator_actadr[i])


def c_gain(m, d, i):
    length, velocity, _, _ = _inputs(m, d, i)
    prm = m.actuator_gainprm[i]
    return prm[0] + prm[1] * np.sin(length) * velocity + 0.1 * i


def c_bias(m, d, i):
    length, velocity, ctrl, adr = _inputs(m, d, i)
    prm = m.actuator_biasprm[i]
    return -prm[0] * velocity * abs(velocity) - prm[1] * length + 0.3 * ctrl + d.time + (0.2 * d.act[adr] if adr >= 0 else 0.0)


def c_dyn(m, d, i):
    _, _, ctrl, adr = _inputs(m, d, i)
    prm = m.actuator_dynprm[i]
    rate = prm[0] * (ctrl - d.act[adr])
    if m.actuator_actnum[i] == 2:
        d.act_dot[adr] = rate
        d.act_dot[adr + 1] = prm[1] * d.act[adr] - d.act[adr + 1]
    return rate


@contextlib.contextmanager
def callbacks():
    mujoco.set_mjcb_act_gain(c_gain)
    mujoco.set_mjcb_act_bias(c_bias)
    mujoco.set_mjcb_act_dyn(c_dyn)
    try:
        yield
    finally:
        mujoco.set_mjcb_act_gain(None)
        mujoco.set_mjcb_act_bias(None)
        mujoco.set_mjcb_act_dyn(None)


@pytest.fixture(scope="module")
def functions() -> mjw.UserActuation:
    return mjw.UserActuation(gain=gain, bias=bias, dyn=dyn)


def pair_of(integrator: str, functions: mjw.UserActuation, device: str) -> oracle.Pair:
    """Three unequal worlds."""
    mjm = mujoco.MjModel.from_xml_string(XML.format(option=f'integrator="{integrator}"'))
    m = mjw.put_model(mjm, device=device, actuation=functions)
    pair = oracle.Pair(mjm, [mujoco.MjData(mjm) for _ in range(3)], m, mjw.make_data(m, 3))
    for world, mjd in enumerate(pair.mjds):
        rng = np.random.default_rng(world)
        for array, scale in ((mjd.qpos, 0.5), (mjd.qvel, 1.0), (mjd.act, 0.3), (mjd.ctrl, 1.0)):
            array[:] = scale * rng.standard_normal(array.shape)
    oracle.push(pair)
    return pair


@pytest.mark.parametrize("integrator", ["Euler", "implicitfast", "implicit", "RK4", "discrete"])
def test_callbacks_of_mujoco(integrator: str, functions: mjw.UserActuation, device: str) -> None:
    pair = pair_of(integrator, functions, device)
    with callbacks():
        oracle.forward(pair)
        oracle.compare_all(pair)
        oracle.compare_arrays(pair, ("act_dot",), oracle.SMOOTH)
        for _ in range(30):
            for mjd in pair.mjds:
                mujoco.mj_step(pair.mjm, mjd)
            mjw.step(pair.m, pair.d)
    for name in ("qpos", "qvel", "act"):
        for world, mjd in enumerate(pair.mjds):
            oracle.close(name, getattr(pair.d, name).numpy()[world], getattr(mjd, name), 1e-4, world)


def test_both_entrances_and_new_functions(functions: mjw.UserActuation, device: str) -> None:
    """A file through our importer gives the same forces; other functions take effect at the next step."""
    pair = pair_of("Euler", functions, device)
    m, d = mjw.load(XML.format(option=""), nworld=3, device=device, actuation=functions, strict=True)
    for name in ("qpos", "qvel", "act", "ctrl"):
        ours = getattr(d, name)
        ours.assign(getattr(pair.d, name).numpy()[:, : ours.shape[1]])
    mjw.forward(pair.m, pair.d)
    mjw.forward(m, d)
    theirs = pair.d.actuator_force.numpy()[:, : d.actuator_force.shape[1]]
    np.testing.assert_allclose(d.actuator_force.numpy(), theirs, rtol=1e-4, atol=1e-4)
    mjw.set_user_actuation(m, gain=bias, bias=gain, dyn=dyn)
    mjw.forward(m, d)
    assert np.abs(d.actuator_force.numpy() - theirs)[:, 1].min() > 1e-3


def test_refusals(functions: mjw.UserActuation, device: str) -> None:
    mjm = mujoco.MjModel.from_xml_string(XML.format(option=""))
    with pytest.raises(UnsupportedError, match=r"actuator 0: gaintype.*UserActuation\(gain=") as error:
        mjw.put_model(mjm, device=device)
    assert str(error.value).count("UserActuation") == 8
    with pytest.raises(UnsupportedError, match="dyntype"):
        mjw.put_model(mjm, device=device, actuation=mjw.UserActuation(gain=gain, bias=bias))
    with pytest.raises(ModelError, match=r"UserActuation: gain: got a function; allowed: a @wp.func"):
        mjw.UserActuation(gain=lambda x, act: 1.0)
    m = mjw.put_model(mjm, device=device, actuation=functions)
    with pytest.raises(ModelError, match="set_user_actuation: dyntype"):
        mjw.set_user_actuation(m, gain=gain, bias=bias)


def test_bits_repeat_with_threads(functions: mjw.UserActuation, device: str) -> None:
    """The kernel is part of what is recorded and replayed by several threads."""
    mjm = mujoco.MjModel.from_xml_string(XML.format(option=""))
    m = mjw.put_model(mjm, device=device, actuation=functions)
    results = []
    for threads in (1, 2):
        mjw.set_num_threads(threads)
        d = mjw.make_data(m, 20)
        d.qvel.assign(np.linspace(-1, 1, d.qvel.size, dtype=np.float32).reshape(d.qvel.shape))
        for _ in range(20):
            mjw.step(m, d)
        results.append(d.qpos.numpy())
    mjw.set_num_threads(None)
    np.testing.assert_array_equal(*results)
