"""Actuators with several controls through ``SolverMuJoCo``: controls in ``mujoco.ctrl`` and ``mujoco.ctrl_more``."""

import numpy as np
import pytest

import newtonish
from newtonish import mjw
from newtonish.errors import ModelError

XML = """<mujoco><compiler angle="radian"/><option timestep="0.004"/><worldbody>
<body pos="0 0 1"><joint name="h" axis="0 1 0" damping="0.1"/><geom size="0.1" pos="0.2 0 0"/>
 <body pos="0.4 0 0"><joint name="b" type="ball" damping="0.1"/><geom size="0.1" pos="0 0 -0.2"/></body></body></worldbody>
<actuator><dcmotor joint="h" motorconst="0.5" resistance="2" input="none"/><pid joint="h" kp="3" kv="1" ki="1" input="pos vel ff"/>
<orientation joint="b" kp="2" kv="0.1" input="quat"/><motor joint="h"/></actuator></mujoco>"""


def make(worlds: int):
    template = newtonish.ModelBuilder()
    template.add_mjcf(XML)
    builder = newtonish.ModelBuilder()
    builder.replicate(template, worlds)
    return builder.finalize(device="cpu")


def test_controls_reach_their_places() -> None:
    model = make(2)
    solver = newtonish.solvers.SolverMuJoCo(model)
    state, out, control = model.state(), model.state(), model.control()
    ctrl, more = control.mujoco.ctrl.numpy(), control.mujoco.ctrl_more.numpy()
    assert ctrl.reshape(2, 4)[:, 2].tolist() == [1.0, 1.0]  # the identity
    rng = np.random.default_rng(0)
    ctrl[:], more[:] = rng.standard_normal(ctrl.shape), rng.standard_normal(more.shape)
    control.mujoco.ctrl.assign(ctrl)
    control.mujoco.ctrl_more.assign(more)
    solver.step(state, out, control, None, 0.004)
    ctrl, more = ctrl.reshape(2, 4), more.reshape(2, 4, 3)
    wanted = np.concatenate([ctrl[:, 1:2], more[:, 1, :2], ctrl[:, 2:3], more[:, 2], ctrl[:, 3:]], axis=1)
    np.testing.assert_allclose(solver.mjw_data.ctrl.numpy(), wanted, rtol=1e-6)
    m, d = mjw.load(XML, nworld=2)
    d.ctrl.assign(wanted.astype(np.float32))
    mjw.step(m, d)
    np.testing.assert_allclose(solver.mjw_data.qvel.numpy(), d.qvel.numpy(), rtol=1e-5, atol=1e-6)


def test_a_control_without_them_is_refused() -> None:
    model = make(1)
    solver = newtonish.solvers.SolverMuJoCo(model)
    control = model.control()
    control.mujoco.ctrl_more = None
    with pytest.raises(ModelError, match="ctrl_more"):
        solver.step(model.state(), model.state(), control, None, 0.004)
