"""Setting options of a model: numbers for all worlds, arrays for each, and a medium that comes later."""

import warnings

import mujoco
import numpy as np
import pytest
import warp as wp
from paths import OWN

from newtonish import mjw
from newtonish.errors import ModelError, NewtonishWarning, UnsupportedError

PENDULUM = """<mujoco><worldbody><body pos="0 0 1"><joint axis="0 1 0"/><geom size=".1" pos=".3 0 0"/></body>
  <body pos="0 1 1"><freejoint/><geom type="ellipsoid" size=".1 .2 .05" fluidshape="ellipsoid" mass=".1"/></body></worldbody></mujoco>"""


@pytest.fixture
def pair(device):
    m = mjw.put_model(mujoco.MjModel.from_xml_string(PENDULUM), device=device)
    return m, mjw.make_data(m, 3)


def oracle_after(steps: int, **options) -> np.ndarray:
    mjm = mujoco.MjModel.from_xml_string(PENDULUM)
    for name, value in options.items():
        setattr(mjm.opt, name, value)
    mjd = mujoco.MjData(mjm)
    mjd.qvel[:] = 0.5
    mujoco.mj_step(mjm, mjd, nstep=steps)
    return mjd.qpos


def run(m, d, steps: int) -> np.ndarray:
    mjw.reset_data(m, d)
    d.qvel.fill_(0.5)
    for _ in range(steps):
        mjw.step(m, d)
    return d.qpos.numpy()


@pytest.mark.parametrize("timestep", [0.004, np.float64(0.001), 1, np.array(0.003)], ids=str)
def test_a_number_is_for_all_worlds(timestep, pair):
    m, d = pair
    mjw.step(m, d)  # recorded with the old one
    m.opt.timestep = timestep
    before = d.time.numpy().copy()
    mjw.step(m, d)
    np.testing.assert_allclose(d.time.numpy() - before, float(timestep), rtol=1e-3)


def test_vectors_and_worlds(pair):
    m, d = pair
    m.opt.gravity = (0, 0, -1.6)
    np.testing.assert_allclose(run(m, d, 20)[2], oracle_after(20, gravity=(0, 0, -1.6)), atol=1e-5)
    gravity = np.array([[0, 0, -9.81], [0, 0, 0], [1, 2, 3]])
    m.opt.gravity, m.opt.timestep = gravity, [0.001, 0.002, 0.004]
    result = run(m, d, 20)
    for world, dt in enumerate((0.001, 0.002, 0.004)):
        np.testing.assert_allclose(result[world], oracle_after(20, gravity=gravity[world], timestep=dt), atol=1e-5)
    m.opt.gravity = wp.vec3(0.0, 0.0, -3.0)
    m.opt.timestep = wp.full(3, 0.002, dtype=float, device=m.device)
    np.testing.assert_allclose(run(m, d, 5)[0], oracle_after(5, gravity=(0, 0, -3)), atol=1e-5)


@pytest.mark.parametrize("integrator", ["EULER", "IMPLICITFAST", "IMPLICIT", "RK4"])
@pytest.mark.parametrize("on_device", [False, True])
def test_a_medium_may_come_later(integrator, on_device, device):
    kind = int(getattr(mujoco.mjtIntegrator, f"mjINT_{integrator}"))
    mjm = mujoco.MjModel.from_xml_string(PENDULUM)
    mjm.opt.integrator = kind
    m = mjw.put_model(mjm, device=device)
    d = mjw.make_data(m, 3)
    np.testing.assert_allclose(run(m, d, 20)[1], oracle_after(20, integrator=kind), atol=2e-5)
    m.opt.density = wp.full(1, 30.0, dtype=float, device=device) if on_device else 30.0
    m.opt.viscosity = 0.2
    result = run(m, d, 20)[1]
    np.testing.assert_allclose(result, oracle_after(20, density=30.0, viscosity=0.2, integrator=kind), atol=2e-5)
    assert not np.allclose(result, oracle_after(20, integrator=kind), atol=1e-4)
    m.opt.density = m.opt.viscosity = 0.0
    np.testing.assert_allclose(run(m, d, 20)[1], oracle_after(20, integrator=kind), atol=2e-5)


def test_a_medium_written_in_place_before_the_first_step_is_felt(pair):
    m, d = pair
    m.opt.density.fill_(30.0)
    np.testing.assert_allclose(run(m, d, 20)[1], oracle_after(20, density=30.0), atol=2e-5)


def test_integers_and_enumerations(pair):
    m, d = pair
    m.opt.iterations = np.int64(7)
    m.opt.integrator = mjw.IntegratorType.RK4
    assert (m.opt.iterations, m.opt.integrator) == (7, int(mjw.IntegratorType.RK4))
    np.testing.assert_allclose(run(m, d, 5)[0], oracle_after(5, integrator=1), atol=1e-5)


WRONG = {
    "timestep": [None, "fast", [[0.1]], np.zeros(0), np.zeros((3, 2))], "gravity": [1.0, (1, 2), np.zeros((3, 2))],
    "o_solimp": [0.5, np.zeros((2, 4))], "iterations": [2.5, "many", None],
}  # fmt: skip


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in WRONG.items() for value in values], ids=str)
def test_what_does_not_fit_is_named(name, value, pair):
    m, d = pair
    before = getattr(m.opt, name)
    with pytest.raises(ValueError, match=rf"m\.opt\.{name}: got .*; allowed: .*; .*\.$"):
        setattr(m.opt, name, value)
    assert getattr(m.opt, name) is before or getattr(m.opt, name) == before
    mjw.step(m, d)


def test_arrays_on_the_device_are_checked(pair, device):
    m, _ = pair
    for array in (wp.zeros(3, dtype=wp.float64, device=device), wp.zeros((3, 3), dtype=float, device=device)):
        with pytest.raises(ValueError, match=r"m\.opt\.timestep: got array"):
            m.opt.timestep = array


def test_a_misspelt_option_is_named(pair):
    with pytest.raises(AttributeError, match=r"m\.opt\.time_step: got an unknown option; .*did you mean timestep"):
        pair[0].opt.time_step = 0.1


def test_another_number_of_worlds_is_found_at_the_next_step(pair):
    m, d = pair
    mjw.step(m, d)
    m.opt.timestep = [0.001, 0.002]
    with pytest.raises(ModelError, match=r"opt\.timestep.*2 worlds"):
        mjw.step(m, d)


def test_flags_that_are_not_simulated_are_refused_when_they_are_set(pair):
    m, d = pair
    m.opt.enableflags |= mjw.EnableBit.IPC
    with pytest.raises(UnsupportedError, match=r"m\.opt\.enableflags: got IPC; allowed"):
        mjw.step(m, d)
    m.opt.enableflags &= ~mjw.EnableBit.IPC


def test_what_does_not_go_together_with_sleep(device):
    """Equality constraints of tendons, contacts of the user's, and forward less inverse dynamics, when the model is put and when the flag is set later."""
    text = """<mujoco><option><flag sleep="enable"/></option><worldbody><body><joint name="a" axis="0 1 0"/><geom size=".1"/></body></worldbody>
        <tendon><fixed name="t"><joint joint="a" coef="1"/></fixed></tendon>{}</mujoco>"""
    mjm = mujoco.MjModel.from_xml_string(text.format('<equality><tendon tendon1="t"/></equality>'))
    with pytest.raises(UnsupportedError, match=r"equality constraint 0: got tendon with the flag sleep; .* as in MuJoCo"):
        mjw.put_model(mjm, device=device)
    mjm.opt.enableflags = 0
    m = mjw.put_model(mjm, device=device)
    d = mjw.make_data(m)
    m.opt.enableflags = int(mjw.EnableBit.SLEEP)
    with pytest.raises(UnsupportedError, match=r"m\.opt\.enableflags: got SLEEP with equality constraints of tendons"):
        mjw.step(m, d)
    m = mjw.put_model(mujoco.MjModel.from_xml_string(text.format("")), device=device)
    d = mjw.make_data(m)
    mjw.step(m, d)
    m.opt.run_collision_detection = False
    with pytest.raises(UnsupportedError, match="run_collision_detection: got False with the flag SLEEP"):
        mjw.step(m, d)
    m.opt.run_collision_detection = True
    with pytest.raises(UnsupportedError, match=r"derivatives: .*got SLEEP"):
        mjw.transition_fd(m, d, 1e-3, True)
    m.opt.enableflags |= mjw.EnableBit.FWDINV
    with pytest.raises(UnsupportedError, match="got FWDINV with SLEEP"):
        mjw.step(m, d)


CONVEX = """<mujoco><option {option}><flag {flag}/></option><worldbody><geom type="plane" size="1 1 1"/>
    <body pos="0 0 1"><freejoint/><geom type="ellipsoid" size=".1 .2 .3"/></body>
    <body><freejoint/><geom type="{kind}" size=".1 .1 .1"/></body></worldbody></mujoco>"""


@pytest.mark.parametrize(
    ("option", "flag", "told"),
    [
        ("", 'nativeccd="disable"', "option flag nativeccd: got disable, with 1 pairs of convex geoms; allowed: enable"),
        ('ccd_tolerance="1e-3"', "", "option ccd_tolerance: got 0.001; allowed: 1e-06 or less"),
        ('ccd_iterations="200"', "", "option ccd_iterations: got 200; allowed: 42 or fewer"),
    ],
)
def test_another_search_for_convex_contacts_is_not_made_in_silence(option, flag, told, device):
    mjm = mujoco.MjModel.from_xml_string(CONVEX.format(option=option, flag=flag, kind="box"))
    with pytest.warns(NewtonishWarning, match=told):
        m = mjw.put_model(mjm, device=device)
    mjw.step(m, mjw.make_data(m))
    plain = mujoco.MjModel.from_xml_string(CONVEX.format(option=option, flag=flag, kind="sphere").replace("ellipsoid", "sphere"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mjw.put_model(plain, device=device)


def test_the_other_search_is_refused_when_it_is_set(device):
    m = mjw.put_model(mujoco.MjModel.from_xml_string(CONVEX.format(option="", flag="", kind="box")), device=device)
    d = mjw.make_data(m)
    m.opt.disableflags |= mjw.DisableBit.NATIVECCD
    with pytest.raises(UnsupportedError, match=r"m\.opt\.disableflags: got NATIVECCD; allowed"):
        mjw.step(m, d)


def test_options_of_one_model_are_its_own(device):
    mjm = mujoco.MjModel.from_xml_path(str(OWN / "plastic.xml"))
    first, second = (mjw.put_model(mjm, device=device) for _ in range(2))
    first.opt.timestep = 0.05
    assert second.opt.timestep.numpy().tolist() == pytest.approx([mjm.opt.timestep])
