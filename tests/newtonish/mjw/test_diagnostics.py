"""Warnings by kind, forward against inverse dynamics, the course of the solver and the times of stages."""

import mujoco
import numpy as np
import oracle
import pytest
from paths import shared_model

from newtonish import mjw
from newtonish.errors import ModelError, UnsupportedError

pytestmark = pytest.mark.filterwarnings("ignore::newtonish.errors.NewtonishWarning")

BOX = """
<mujoco>
  <worldbody>
    <geom type="plane" size="5 5 .1"/>
    <body pos="0 0 .09"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
    <body pos="1 0 1"><joint name="a" range="-1 1" limited="true"/><geom size=".1"/></body>
  </worldbody>
  <actuator><motor joint="a"/></actuator>
</mujoco>
"""
TROUBLES = {"BADQPOS": "qpos", "BADQVEL": "qvel", "BADQACC": "qfrc_applied", "BADCTRL": "ctrl"}


def box(device: str, nworld: int = 3, **capacity) -> oracle.Pair:
    return oracle.from_model(mujoco.MjModel.from_xml_string(BOX), nworld, device=device, **capacity)


@pytest.mark.parametrize("autoreset", [True, False])
@pytest.mark.parametrize("kind", TROUBLES)
def test_warnings_are_counted_as_mujocos(kind, autoreset, device):
    pair = box(device)
    if not autoreset:
        pair.mjm.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_AUTORESET)
        pair.m.opt.disableflags = int(pair.mjm.opt.disableflags)
    mjw.watch(pair.m)
    getattr(pair.mjds[1], TROUBLES[kind])[-1] = 1e12 if kind == "BADQACC" else np.nan
    if kind == "BADCTRL":
        pair.mjds[1].ctrl[:] = np.nan
    oracle.push(pair)
    for mjd in pair.mjds:
        mujoco.mj_step(pair.mjm, mjd)
    mjw.step(pair.m, pair.d)
    counts = pair.d.warning.numpy()
    for world, mjd in enumerate(pair.mjds):
        # without the reset MuJoCo's own matrices may be singular too; the first thing that is wrong has to be the same
        theirs = [int(entry.number) for entry in mjd.warning][: len(mjw.WarningType)]
        if autoreset or kind == "BADCTRL" or world != 1:
            assert counts[world].tolist() == theirs, f"world {world}"
        else:
            assert counts[world, mjw.WarningType[kind]] == theirs[mjw.WarningType[kind]] == 1
    found = mjw.warnings(pair.m, pair.d)
    assert found[mjw.WarningType[kind]].tolist() == [0, 1, 0]
    mjw.reset_data(pair.m, pair.d)
    assert mjw.warnings(pair.m, pair.d) == {}


def test_lack_of_room_is_counted(device):
    pair = box(device, nconmax=2, njmax=3)
    mjw.watch(pair.m)
    pair.d.qpos.assign(np.array([[0, 0, 0.09, 1, 0, 0, 0, 0], [0, 0, 3, 1, 0, 0, 0, 0], [0, 0, 3, 1, 0, 0, 0, 0]], np.float32))
    for _ in range(2):
        mjw.step(pair.m, pair.d)
    found = mjw.warnings(pair.m, pair.d)
    assert found[mjw.WarningType.CONTACTFULL].tolist() == [2, 0, 0]
    assert found[mjw.WarningType.CNSTRFULL].tolist() == [2, 0, 0]


def test_a_singular_inertia_is_counted(device):
    pair = box(device)
    mass, inertia = (np.repeat(getattr(pair.m, name).numpy(), 3, axis=0) for name in ("body_mass", "body_inertia"))
    mass[2, 2], inertia[2, 2] = 0.0, 0.0
    pair.m.body_mass, pair.m.body_inertia = mass, inertia
    mjw.watch(pair.m)
    mjw.step(pair.m, pair.d)
    assert mjw.warnings(pair.m, pair.d)[mjw.WarningType.INERTIA].tolist() == [0, 0, 1]


def test_nobody_counts_unasked(device):
    pair = box(device)
    with pytest.raises(ModelError, match=r"watch\(m\)"):
        mjw.warnings(pair.m, pair.d)


def standing(device: str, cone: str = "pyramidal", solver: int = 2) -> oracle.Pair:
    def change(mjm):
        mjm.opt.cone, mjm.opt.solver = cone == "elliptic", solver
        mjm.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_FWDINV)

    pair = oracle.load(shared_model("dm_humanoid/humanoid.xml"), nworld=3, change=change, device=device)
    oracle.advance(pair, 150)
    for mjd in pair.mjds:
        mjd.qacc_warmstart[:] = 0.0
    oracle.push(pair)
    return pair


@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
def test_forward_and_inverse_are_compared(cone, device):
    """An unfinished solution differs by the forces that MuJoCo finds; a finished one hardly."""
    pair = standing(device, cone)
    d = mjw.make_data(pair.m, pair.nworld)
    for iterations in (1, 100):
        pair.mjm.opt.iterations = pair.m.opt.iterations = iterations
        mjw.copy_state(pair.m, pair.d, d)
        mjw.step(pair.m, d)
        force = d.efc.force.numpy()
        for world, mjd in enumerate(pair.mjds):
            mujoco.mj_resetData(pair.mjm, other := mujoco.MjData(pair.mjm))
            mujoco.mj_copyData(other, pair.mjm, mjd)
            mujoco.mj_step(pair.mjm, other)
            ours, theirs = d.solver_fwdinv.numpy()[world], other.solver_fwdinv
            scale = np.linalg.norm(other.qfrc_constraint)
            assert np.isfinite(ours).all() and np.abs(ours - theirs).max() <= 1e-3 * max(scale, theirs[1])
            assert force[world].any() == (other.nefc > 0)


@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
@pytest.mark.parametrize("solver", [1, 2], ids=["CG", "Newton"])
def test_the_course_of_the_solver(solver, cone, device):
    """Improvements are MuJoCo's, iteration by iteration; costs fall; the gradient ends small; nothing else changes."""
    pair = standing(device, cone, solver)
    mjw.step1(pair.m, pair.d)
    warm = pair.d.qacc_warmstart.numpy().copy()
    course = mjw.solver_course(pair.m, pair.d)
    np.testing.assert_array_equal(pair.d.qacc_warmstart.numpy(), warm)
    assert pair.m.opt.iterations == pair.mjm.opt.iterations
    for world, mjd in enumerate(pair.mjds):
        mujoco.mj_forward(pair.mjm, mjd)
        n = int(course.niter[world])
        assert n == pair.d.solver_niter.numpy()[world] and n > 0
        scale = course.cost[world, 0]
        assert (course.improvement[world, 1 : n + 1] >= -1e-5 * scale).all()
        assert course.gradient[world, n] < 1e-4 * course.gradient[world, 0] + 1e-6 * scale
        theirs = np.array([entry.improvement for entry in mjd.solver[: min(n, int(mjd.solver_niter[0]))]])
        many = 2 if solver == 1 else len(theirs)  # conjugate gradients drift apart after some iterations
        np.testing.assert_allclose(course.improvement[world, 1 : many + 1], theirs[:many], atol=1e-3 * scale)
        assert course.nactive[world, n] == np.count_nonzero(pair.d.efc.state.numpy()[world, : mjd.nefc])
    assert course.nchange.any()


def test_what_has_another_metric_is_refused(device):
    pair = box(device)
    pair.m.opt.integrator = int(mjw.IntegratorType.DISCRETE)
    with pytest.raises(UnsupportedError, match="solver_course"):
        mjw.solver_course(pair.m, pair.d)
    pair.m.opt.enableflags |= mjw.EnableBit.FWDINV
    with pytest.raises(UnsupportedError, match="FWDINV with integrator DISCRETE"):
        mjw.step(pair.m, pair.d)


def test_times_of_stages(device):
    pair = standing(device)
    before = {name: getattr(pair.d, name).numpy().copy() for name in ("qpos", "qvel", "time", "qacc_warmstart")}
    times = mjw.stage_times(pair.m, pair.d, repeats=2)
    assert next(iter(times)) == "position" and list(times)[-1] == "integration"
    assert all(seconds > 0.0 for seconds in times.values())
    for name, value in before.items():
        np.testing.assert_array_equal(getattr(pair.d, name).numpy(), value)


def test_sensors_that_look_at_the_scene_are_a_stage(device):
    """Rangefinders alone: nothing for the kernel of the other sensors."""
    text = """<mujoco><worldbody><geom type="plane" size="1 1 1"/><body pos="0 0 1"><joint axis="0 1 0"/><geom size=".1"/><site name="eye" zaxis="0 0 -1"/></body>
      </worldbody><sensor><rangefinder site="eye"/></sensor></mujoco>"""
    m, d = mjw.load(text, nworld=2, device=device)
    assert mjw.stage_times(m, d, repeats=1)["sensors"] > 0.0
