"""Each option and each flag of MuJoCo 4.0 changes what happens here as it changes it there, or is refused or warned of by name.

An option counts as obeyed if, in a model where it matters, MuJoCo's results with it differ clearly from those without it, and ours
agree with MuJoCo's in both cases: set in the model before it is put, and set at run time.
"""

import warnings

import mujoco
import numpy as np
import oracle
import pytest

from newtonish import mjw
from newtonish.errors import NewtonishWarning, UnsupportedError

MODEL = """<mujoco><option timestep="0.004" density="20" viscosity=".05" iterations="200" tolerance="1e-12" ls_iterations="50"/>
  <asset><mesh name="brick" vertex="-.1 -.06 -.05  .1 -.06 -.05  -.1 .06 -.05  .1 .06 -.05  -.1 -.06 .05  .1 -.06 .05  -.1 .06 .05  .1 .06 .05"/></asset>
  <worldbody><geom name="floor" type="plane" size="3 3 .1" solref=".003 1"/><site name="w" pos="0 0 1"/>
  <body pos="1 0 .095" quat="1 .02 .01 0"><freejoint/><geom name="box" type="box" size=".2 .15 .1" condim="4" friction=".3 .02 .001"/></body>
  <body pos="1 0 .241" quat="1 .02 .01 0"><freejoint/><geom name="mesh" type="mesh" mesh="brick"/></body>
  <body pos="0 0 1"><joint name="a" axis="0 1 0" limited="true" range="-.1 .2" ref="0" damping=".4" stiffness="5" armature=".01"/>
    <geom type="capsule" size=".04 .1" pos=".1 0 0"/><site name="s" pos=".2 0 .1"/>
    <body pos=".06 0 .02"><joint name="b" axis="0 1 0" frictionloss=".3"/><geom type="capsule" size=".04 .1" pos=".1 0 0"/>
      <body pos=".3 0 0"><joint name="c" axis="1 0 0" damping=".2"/><geom type="capsule" size=".03 .1" pos="0 .1 0"/><site name="e"/></body></body></body>
  <body pos="-1 0 1"><joint name="d" axis="0 1 0"/><geom size=".1" pos=".2 0 0"/></body></worldbody>
  <equality><joint joint1="d" joint2="c" polycoef=".2 .5 0 0 0" solref=".006 1"/></equality>
  <actuator><motor joint="b" ctrlrange="-1 1" ctrllimited="true"/><motor joint="c" group="3"/></actuator>
  <sensor><magnetometer site="e"/><accelerometer site="s"/><jointlimitfrc joint="a"/></sensor></mujoco>"""
WORLDS = 2
DIFFERENT = 5e-4  # of the largest number: what counts as an effect
CLOSE = 1e-4

OPTIONS = {
    "timestep": 0.002, "gravity": (1, 0, -5), "wind": (3, 1, 0), "magnetic": (1, 0.2, 0), "density": 200.0, "viscosity": 1.0, "impratio": 20.0,
    "o_margin": 0.01, "o_solref": (0.05, 0.5), "o_solimp": (0.5, 0.6, 0.01, 0.5, 2), "o_friction": (2, 2, 0.1, 0.1, 0.1),
    "integrator": 3, "cone": 1, "solver": 1, "jacobian": 1, "noslip_iterations": 30, "noslip_tolerance": 1e3, "disableactuator": 1 << 3,
    "iterations": 1, "tolerance": 1e3, "ls_iterations": 1, "ls_tolerance": 0.9,
}  # fmt: skip
# what has to hold for an option to matter
BEFORE = {
    "impratio": {"cone": 1}, "noslip_tolerance": {"noslip_iterations": 30, "cone": 1}, "noslip_iterations": {"cone": 1},
    "ls_iterations": {"iterations": 1}, "ls_tolerance": {"iterations": 3, "tolerance": 1.0},
    "o_margin": {"OVERRIDE": True}, "o_solref": {"OVERRIDE": True}, "o_solimp": {"OVERRIDE": True}, "o_friction": {"OVERRIDE": True},
    "WARMSTART": {"iterations": 1}, "MULTICCD": {"tolerance": 1e-12},
}  # fmt: skip
# the same motion by another way, in MuJoCo too
SAME = ("solver", "jacobian", "ISLAND", "MIDPHASE")
DISABLED = (
    "CONSTRAINT", "EQUALITY", "FRICTIONLOSS", "LIMIT", "CONTACT", "SPRING", "DAMPER", "GRAVITY", "CLAMPCTRL", "WARMSTART", "FILTERPARENT",
    "ACTUATION", "REFSAFE", "SENSOR", "MIDPHASE", "EULERDAMP", "ISLAND", "MULTICCD",
)  # fmt: skip
ENABLED = ("OVERRIDE", "DIAGEXACT")
# with tests of their own below, or elsewhere
OWN_TESTS = ("AUTORESET", "NATIVECCD", "ENERGY", "FWDINV", "INVDISCRETE", "SLEEP", "IPC", "SPECULATIVE")
SEARCH = ("ccd_iterations", "ccd_tolerance", "sdf_iterations", "sdf_initpoints", "sleep_tolerance")  # of what is approximate or absent


def members(enum, prefix: str) -> set[str]:
    return {name.removeprefix(prefix) for name in dir(enum) if name.startswith(prefix)}


def test_the_table_is_complete():
    flags = members(mujoco.mjtDisableBit, "mjDSBL_") | members(mujoco.mjtEnableBit, "mjENBL_")
    assert {*DISABLED, *ENABLED, *OWN_TESTS} == flags
    options = {name for name in dir(mujoco.MjOption) if not name.startswith("_")} - {"disableflags", "enableflags"}
    assert {*OPTIONS, *SEARCH} == options


def change(opt, name: str, value) -> None:
    """Set an option, or switch a flag to what is not its default, of MuJoCo's options or ours."""
    if name in DISABLED or name == "AUTORESET":
        opt.disableflags = int(opt.disableflags) | int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{name}"))
    elif name.isupper():
        opt.enableflags = int(opt.enableflags) | int(getattr(mujoco.mjtEnableBit, f"mjENBL_{name}"))
    elif isinstance(opt, mujoco.MjOption) and np.ndim(value):
        getattr(opt, name)[:] = value
    elif name == "impratio" and not isinstance(opt, mujoco.MjOption):
        opt.impratio_invsqrt = value**-0.5
    else:
        setattr(opt, name, value)


def model(changes: dict) -> mujoco.MjModel:
    mjm = mujoco.MjModel.from_xml_string(MODEL)
    for name, value in changes.items():
        change(mjm.opt, name, value)
    return mjm


def start(mjm: mujoco.MjModel) -> list[mujoco.MjData]:
    mjds = []
    for world in range(WORLDS):
        mjd = mujoco.MjData(mjm)
        rng = np.random.default_rng(world)
        a = int(mjm.joint("a").qposadr[0])
        mjd.qpos[a] = 0.25 + 0.05 * world
        mjd.qvel[:] = (0.1 * rng.standard_normal(mjm.nv)).astype(np.float32)
        mjd.qvel[-4:] += 0.5
        mjd.ctrl[:] = 1.5, -0.4
        mjds.append(mjd)
    return mjds


def theirs(changes: dict, steps: int) -> list[np.ndarray]:
    mjm = model(changes)
    mjds = start(mjm)
    for mjd in mjds:
        mujoco.mj_step(mjm, mjd, nstep=steps)
        mujoco.mj_forward(mjm, mjd)
    return [np.concatenate([mjd.qpos, mjd.qvel]) for mjd in mjds], [mjd.sensordata.copy() for mjd in mjds]


def ours(m, d, mjm: mujoco.MjModel, steps: int) -> tuple[np.ndarray, np.ndarray]:
    oracle.push(oracle.Pair(mjm, start(mjm), m, d))
    for _ in range(steps):
        mjw.step(m, d)
    mjw.forward(m, d)
    return np.concatenate([d.qpos.numpy(), d.qvel.numpy()], axis=1), d.sensordata.numpy()


def distance(a, b) -> float:
    """Largest difference of states, and of sensors as a share of their largest number."""
    motion = max(np.abs(x - y).max() for x, y in zip(a[0], b[0], strict=True))
    senses = max(np.abs(x - y).max() / max(1.0, np.abs(y).max()) for x, y in zip(a[1], b[1], strict=True))
    return float(max(motion, senses))


@pytest.mark.parametrize("name", [*OPTIONS, *DISABLED, *ENABLED])
def test_an_option_has_the_effect_that_it_has_in_mujoco(name, device):
    steps = 3
    before = BEFORE.get(name, {})
    before = before if name != "OVERRIDE" else {"o_margin": 0.01}
    after = before | {name: OPTIONS.get(name, True)}
    without, expected = theirs(before, steps), theirs(after, steps)
    assert (distance(without, expected) > DIFFERENT) == (name not in SAME), distance(without, expected)
    unsolved = name in ("iterations", "tolerance", "ls_iterations", "ls_tolerance", "WARMSTART")
    mjm = model(before)
    m = mjw.put_model(mjm, device=device)
    d = mjw.make_data(m, WORLDS)
    first = ours(m, d, mjm, steps)
    if not (unsolved and before):
        assert distance(first, without) < CLOSE, distance(first, without)
    d = mjw.make_data(m, WORLDS)
    change(m.opt, name, after[name])
    if name == "FILTERPARENT":  # decides which pairs of geoms are listed
        with pytest.raises(UnsupportedError, match="another FILTERPARENT; allowed: on, as when"):
            mjw.step(m, d)
        later = None
    else:
        later = ours(m, d, mjm, steps)
    m = mjw.put_model(model(after), device=device)
    put = ours(m, mjw.make_data(m, WORLDS), mjm, steps)
    for result in (later or put, put):
        if unsolved:  # two solvers that stop short stop in different places
            assert distance(result, first) > DIFFERENT
        else:
            assert distance(result, expected) < CLOSE, distance(result, expected)


@pytest.mark.parametrize("flag", ["IPC"])
def test_modes_that_are_not_simulated_are_refused(flag):
    with pytest.raises(UnsupportedError, match=f"option flag {flag.lower()}: got enable"):
        mjw.put_model(model({flag: True}))


def test_a_mode_that_only_changes_the_way_is_warned_of():
    mjm = model({})
    mjm.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_NATIVECCD)
    with pytest.warns(NewtonishWarning, match="option flag nativeccd"):
        mjw.put_model(mjm)


def test_the_automatic_reset(device):
    for disabled in (False, True):
        mjm = model({"AUTORESET": True} if disabled else {})
        m = mjw.put_model(mjm, device=device)
        d, mjd = mjw.make_data(m, WORLDS), mujoco.MjData(mjm)
        mjd.qvel[2] = 2e10
        d.qvel.assign(np.tile(mjd.qvel, (WORLDS, 1)).astype(np.float32))
        mujoco.mj_step(mjm, mjd)
        mjw.step(m, d)
        again = np.abs(mjd.qpos - mjm.qpos0).max() < 1.0
        assert again != disabled
        assert [bool(np.abs(q - mjm.qpos0).max() < 1.0) for q in d.qpos.numpy()] == [not disabled] * WORLDS


def test_energy_and_the_check_of_inverse_dynamics_are_computed_on_request(device):
    for on in (False, True):
        mjm = model({"ENERGY": True, "FWDINV": True} if on else {})
        m = mjw.put_model(mjm, device=device)
        d = mjw.make_data(m, WORLDS)
        ours(m, d, mjm, 2)
        assert bool(d.energy.numpy().any()) == on
        assert bool(d.solver_fwdinv.numpy().any()) == on
        if on:
            mjds = start(mjm)
            for world, mjd in enumerate(mjds):
                mujoco.mj_step(mjm, mjd, nstep=2)
                mujoco.mj_forward(mjm, mjd)
                np.testing.assert_allclose(d.energy.numpy()[world], mjd.energy, rtol=1e-4)


def test_discrete_inverse_dynamics(device):
    found = []
    for on in (False, True):
        mjm = model({"INVDISCRETE": True} if on else {})
        m = mjw.put_model(mjm, device=device)
        d = mjw.make_data(m, WORLDS)
        ours(m, d, mjm, 0)
        mjw.inverse(m, d)
        for world, mjd in enumerate(start(mjm)):
            mujoco.mj_forward(mjm, mjd)
            mujoco.mj_inverse(mjm, mjd)
            scale = max(1.0, np.linalg.norm(mjd.qfrc_constraint))
            np.testing.assert_allclose(d.qfrc_inverse.numpy()[world], mjd.qfrc_inverse, atol=1e-3 * scale)
        found.append(mjd.qfrc_inverse.copy())
    assert np.abs(found[0] - found[1]).max() > 1e-3


def test_what_belongs_to_other_things_has_no_effect_and_no_word():
    """Signed distance fields are refused and sleeping is warned of by themselves."""
    mjm = model({})
    mjm.opt.sdf_iterations, mjm.opt.sdf_initpoints, mjm.opt.sleep_tolerance = 3, 7, 0.5
    with warnings.catch_warnings():
        warnings.simplefilter("error", NewtonishWarning)
        mjw.put_model(mjm)
