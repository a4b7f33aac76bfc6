"""Single steps of few worlds that are taken again without asking what changed: whatever does change is seen by the next one."""

import copy
import gc
import warnings
import weakref

import mujoco
import numpy as np
import pytest
import warp as wp

from newtonish import mjw
from newtonish.errors import CapacityError, ModelError, NewtonishWarning, NonfiniteError
from newtonish.mjw import recording

SCENE = """
<mujoco>
  <option timestep="0.005"/>
  <worldbody>
    <geom type="plane" size="5 5 .1"/>
    <body pos="0 0 .15"><freejoint/><geom type="sphere" size=".1"/></body>
    <body pos=".05 0 .37"><freejoint/><geom type="capsule" size=".05 .1" euler="0 90 0"/></body>
    <body pos="0 0 1"><joint name="swing" type="hinge" axis="0 1 0" damping=".1" range="-40 40"/><geom type="capsule" fromto="0 0 0 .3 0 0" size=".04"/></body>
  </worldbody>
  <actuator><motor joint="swing" ctrlrange="-1 1"/></actuator>
</mujoco>
"""
WORLDS = 3


def scene(device, **more):
    """Three worlds with velocities and controls of their own."""
    m = mjw.put_model(mujoco.MjModel.from_xml_string(SCENE), device=device)
    d = mjw.make_data(m, WORLDS, **more)
    rng = np.random.default_rng(4)
    d.qvel.assign(0.3 * rng.standard_normal((WORLDS, m.nv)).astype(np.float32))
    d.ctrl.assign(rng.uniform(-1, 1, (WORLDS, m.nu)).astype(np.float32))
    return m, d


def result(d):
    return {name: getattr(d, name).numpy().copy() for name in ("time", "qpos", "qvel", "qacc", "ncon", "nefc", "overflow")}


def assert_same(one, other):
    for name, array in one.items():
        assert np.array_equal(array, other[name]), name


def repeats(d):
    """Whether single steps of ``d`` are taken in the short way."""
    return d.repeat_step is not None


CHANGES = {
    "a number among the options": lambda m, d: setattr(m.opt, "iterations", 2),
    "an array among the options": lambda m, d: setattr(m.opt, "gravity", wp.array([wp.vec3(0.0, 0.0, -3.0)], dtype=wp.vec3, device=d.device)),
    "an option in place": lambda m, d: m.opt.timestep.fill_(0.002),
    "a flag": lambda m, d: setattr(m.opt, "disableflags", int(mujoco.mjtDisableBit.mjDSBL_GRAVITY)),
    "a field of the model": lambda m, d: setattr(m, "body_mass", 2.0 * m.body_mass.numpy()),
    "an array of the data": lambda m, d: setattr(d, "qvel", wp.zeros(d.qvel.shape, dtype=float, device=d.device)),
    "an array in place": lambda m, d: d.qvel.zero_(),
    "a callback": lambda m, d: setattr(m.callback, "control", lambda m, d: d.qfrc_applied.fill_(0.2)),
    "watching": lambda m, d: mjw.watch(m),
    "other integrator": lambda m, d: setattr(m.opt, "integrator", mjw.IntegratorType.IMPLICITFAST),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_seen_by_the_next_step(name, device):
    found = []
    for known in (True, False):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(recording, "is_known", lambda known=known: known)
            m, d = scene(device)
            for _ in range(3):
                mjw.step(m, d)
            assert repeats(d) == (known and not d.device.is_cuda)
            CHANGES[name](m, d)
            for _ in range(3):
                mjw.step(m, d)
            found.append(result(d))
    m, d = scene(device)
    mjw.step(m, d, nstep=6)
    assert not np.array_equal(result(d)["qpos"], found[0]["qpos"]) or name in ("watching", "a number among the options")
    assert_same(*found)


def test_single_steps_are_as_many_in_one_call(device):
    found = []
    for nstep in (1, 20):
        m, d = scene(device)
        for _ in range(40 // nstep):
            mjw.step(m, d, nstep=nstep)
        found.append(result(d))
    assert found[0]["ncon"].any()
    assert_same(*found)


def test_single_steps_between_several_in_one_call(device):
    found = []
    for parts in ((1, 1, 4, 1, 1, 2, 1), (11,)):
        m, d = scene(device)
        for nstep in parts:
            mjw.step(m, d, nstep=nstep)
        found.append(result(d))
    assert_same(*found)


def test_another_model_is_another_step(device):
    """The same Data with two models by turns, as with each of them alone."""
    found = []
    for turns in (1, 2):
        m, d = scene(device)
        heavier, _ = scene(device)
        heavier.body_mass = 3.0 * heavier.body_mass.numpy()
        for model in (m, heavier):
            for _ in range(4 // turns):
                mjw.step(model, d, nstep=turns)
        found.append(result(d))
    assert_same(*found)
    m, d = scene(device)
    mjw.step(m, d, nstep=8)
    assert not np.array_equal(result(d)["qacc"], found[0]["qacc"])


def test_what_belongs_to_no_pair_is_refused(device):
    m, d = scene(device)
    mjw.step(m, d)
    with pytest.raises(ModelError, match="step"):
        mjw.step(d, m)
    with pytest.raises(ModelError, match="step"):
        mjw.step(m, np.zeros(3))


def test_a_capture_of_the_callers_has_the_step(device):
    m, d = scene(device)
    mjw.step(m, d)
    mjw.step(m, d)
    if not wp.get_device(device).is_cpu:
        pytest.skip("a capture on a GPU runs nothing")
    with wp.ScopedCapture(device=device) as capture:
        mjw.step(m, d)
    before = d.time.numpy().copy()
    wp.capture_launch(capture.graph)
    assert (d.time.numpy() > before).all()


@pytest.mark.parametrize("strict", [False, True])
def test_worlds_that_lack_room_are_told_of(strict, device):
    m, d = scene(device, nconmax=1, strict_capacity=strict)
    mjw.reset_data(m, d)
    d.qpos.assign(d.qpos.numpy() + np.tile(np.eye(1, m.nq, 2, dtype=np.float32), (WORLDS, 1)))  # nothing touches
    mjw.step(m, d)
    assert repeats(d) or d.device.is_cuda
    mjw.reset_data(m, d)
    with pytest.raises(CapacityError) if strict else pytest.warns(NewtonishWarning, match="left out"):
        for _ in range(40):
            mjw.step(m, d)
        mjw.check_capacity(m, d)


def test_room_grows_in_a_repeated_step(device):
    found = []
    for nstep in (1, 60):
        m, d = scene(device, nconmax=1, njmax=1)
        d.grow_contacts = d.grow_rows = True  # as if these small numbers had been estimated
        d.qpos.assign(d.qpos.numpy() + np.tile([0, 0, 0.3] + [0] * (m.nq - 3), (WORLDS, 1)).astype(np.float32))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NewtonishWarning)
            for _ in range(60 // nstep):
                mjw.step(m, d, nstep=nstep)
        found.append(result(d))
        assert d.device.is_cuda or d.nconmax > 1
    assert_same({name: found[0][name] for name in ("qpos", "qvel", "ncon")}, found[1])


def test_a_reset_is_told_of_by_its_step(device):
    m, d = scene(device, on_nonfinite="raise")
    for _ in range(2):
        mjw.step(m, d)
    velocity = d.qvel.numpy()
    velocity[1, 0] = np.nan
    d.qvel.assign(velocity)
    with pytest.raises(NonfiniteError):
        mjw.step(m, d)
    mjw.step(m, d)


def test_views_and_copies_do_not_take_the_steps_of_the_whole(device):
    m, d = scene(device)
    mjw.step(m, d)
    assert d.view(0, 1).repeat_step is None
    assert copy.copy(d).repeat_step is None


def test_data_goes_when_nobody_has_it(device):
    m, d = scene(device)
    mjw.step(m, d)
    gone = weakref.ref(d)
    gc.disable()
    try:
        del d
        assert gone() is None
    finally:
        gc.enable()


def test_larger_batches_go_the_longer_way(device):
    m = mjw.put_model(mujoco.MjModel.from_xml_string(SCENE), device=device)
    d = mjw.make_data(m, 40)
    mjw.step(m, d)
    assert not repeats(d)
