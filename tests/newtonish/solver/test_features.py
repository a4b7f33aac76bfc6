"""Every feature of a file through the builder and SolverMuJoCo: the same motion and sensors as of the arrays themselves."""

import mujoco
import numpy as np
import pytest
from features import FEATURES

from newtonish import ModelBuilder, SolverMuJoCo, mjw
from newtonish.errors import NewtonishError
from newtonish.mjw.supported import unsupported
from newtonish.solver.push import push

NWORLD, STEPS = 2, 6
# of groups whose rows differ by one word, some: the others go the same way
SAMPLED = {
    "Sensors": (
        "touch",
        "accelerometer",
        "rangefinder of a camera",
        "camprojection",
        "tendonlimitfrc",
        "insidesite",
        "fromto",
        "contact",
        "tactile",
        "delay and interval",
    ),
    "Flags": ("energy enabled", "fwdinv enabled", "refsafe disabled", "eulerdamp disabled"),
    "Contacts of two geoms": ("plane – sphere", "box – box", "mesh – mesh", "hfield – sphere"),
}
CHOSEN = [f for f in FEATURES if f.name in SAMPLED.get(f.group, (f.name,))]
OUTPUTS = ("sensordata", "act", "history", "plastic", "time")

pytestmark = pytest.mark.filterwarnings("ignore::newtonish.errors.NewtonishWarning")


def built(xml: str, device: str):
    """A model of unequal worlds: their speeds differ."""
    one, builder = ModelBuilder(), ModelBuilder()
    one.add_mjcf(xml)
    builder.replicate(one, NWORLD)
    model = builder.finalize(device=device)
    rng = np.random.default_rng(2)
    model.joint_qd.assign((model.joint_qd.numpy() + 0.2 * rng.standard_normal(len(model.joint_qd))).astype(np.float32))
    return model


def controls(model, rng) -> object:
    control = model.control()
    for name in ("ctrl", "ctrl_more"):
        array = getattr(getattr(control, "mujoco", None), name, None)
        if array is not None and array.size:
            array.assign((0.5 * rng.standard_normal(array.numpy().shape)).astype(np.float32))
    return control


@pytest.mark.parametrize("feature", CHOSEN, ids=lambda f: f.key)
def test_a_solver_moves_it_as_step_does(feature, device: str) -> None:
    if unsupported(mujoco.MjModel.from_xml_string(feature.xml)):
        pytest.skip("refused; tests/conformance/test_features.py")
    try:
        m, d = mjw.load(feature.xml, nworld=NWORLD, device=device)
    except NewtonishError:
        pytest.skip("not read from MJCF; the coverage page says with which message")
    model = built(feature.xml, device)
    solver = SolverMuJoCo(model, skip_visual_only_geoms=False)
    states, control = [model.state(), model.state()], controls(model, np.random.default_rng(3))
    push(solver.mjw_model, solver.mjw_data, solver._maps, solver._inputs, states[0], control, float(m.opt.timestep.numpy()[0]))
    for name in ("qpos", "qvel", "ctrl"):
        getattr(d, name).assign(getattr(solver.mjw_data, name).numpy())
    assert solver.mjw_model.opt.integrator == m.opt.integrator and solver.mjw_model.opt.enableflags == m.opt.enableflags
    for _ in range(STEPS):
        solver.step(states[0], states[1], control, None, float(m.opt.timestep.numpy()[0]))
        states.reverse()
        mjw.step(m, d)
    for name in ("qpos", "qvel", *OUTPUTS):
        ours, expected = (np.asarray(getattr(data, name).numpy(), dtype=np.float64) for data in (solver.mjw_data, d))
        assert ours.shape == expected.shape, name
        error, scale = np.linalg.norm(ours - expected), max(1.0, np.linalg.norm(expected))
        assert error <= 1e-5 * scale, f"{name}: error {error:.3g} of norm {scale:.3g}"
