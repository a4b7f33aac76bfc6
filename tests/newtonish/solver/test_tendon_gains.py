"""Force-space gains of tendons' limits: stiffness in N/m whatever the mass, in worlds of other gains and masses."""

import numpy as np
import pytest

from newtonish import ModelBuilder, ModelFlags, SolverMuJoCo
from newtonish.convert.gains import FORCE_SPACE

XML = """<mujoco><option gravity="0 0 0"/><worldbody><body name="slider"><joint name="slide" type="slide" axis="1 0 0"/><geom size=".05" mass="2"/></body></worldbody>
  <tendon><fixed limited="true" range="-.1 .1" solimplimit=".95 .95 .001 .5 2"><joint joint="slide" coef="1"/></fixed></tendon></mujoco>"""


@pytest.fixture
def model():
    builder = ModelBuilder()
    for _ in range(3):
        world = ModelBuilder()
        world.add_mjcf(XML)
        builder.add_world(world)
    model = builder.finalize(device="cpu")
    model.body_mass.assign(model.body_mass.numpy() * np.float32([1.0, 5.0, 1.0]))
    model.mujoco.tendon_solref_limit_mode.fill_(FORCE_SPACE)
    model.mujoco.tendon_limit_ke.assign(np.float32([100.0, 100.0, 0.0]))
    return model


def accelerations(solver, damping: float) -> np.ndarray:
    """What 3 N do 3 cm beyond the limit, where 100 N/m hold them [m/s]."""
    solver.model.mujoco.tendon_limit_kd.fill_(damping)
    solver.notify_model_changed(ModelFlags.TENDON_PROPERTIES)
    state, control = solver.model.state(), solver.model.control()
    state.joint_q.fill_(0.13)
    control.joint_f.fill_(3.0)
    solver.step(state, state, control, None, 0.001)
    return state.joint_qd.numpy()


@pytest.mark.parametrize("native", [False, True])
def test_limits_hold_with_damping_and_without_and_go_with_their_stiffness(model, native: bool) -> None:
    solver = SolverMuJoCo(model, use_mujoco_cpu=native)
    free = 3.0 * 0.001 / 2.0
    for damping in (20.0, 0.0):
        np.testing.assert_allclose(accelerations(solver, damping), [0.0, 0.0, free], atol=2e-7)
    assert (solver.mjw_model.tendon_solref_lim.numpy()[:2, 0, 1] == 0.0).all()
    assert np.isinf(solver.mjw_model.tendon_range.numpy()[2]).all()
    model.mujoco.tendon_limit_ke.fill_(100.0)
    np.testing.assert_allclose(accelerations(solver, 20.0), 0.0, atol=2e-7)
