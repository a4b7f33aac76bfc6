"""Steps by native calls: the same bits as by Warp's graphs, whatever the groups of worlds, and as many steps as were asked for."""

import re
import warnings

import mujoco
import numpy as np
import pytest
import warp as wp
from paths import REPO

from newtonish import mjw
from newtonish.errors import ModelError, NewtonishWarning
from newtonish.kernels.reset import autoreset
from newtonish.kernels.runtime.launch import launch
from newtonish.mjw import calls, recording
from newtonish.mjw.replay import record

PILE = """
<mujoco>
  <option timestep="0.005"/>
  <worldbody>
    <geom type="plane" size="5 5 .1"/>
    <body pos="0 0 .15"><freejoint/><geom type="sphere" size=".1"/></body>
    <body pos=".05 0 .37"><freejoint/><geom type="capsule" size=".05 .1" euler="0 90 0"/></body>
    <body pos="0 0 1"><joint type="hinge" axis="0 1 0" damping=".1"/><geom type="capsule" fromto="0 0 0 .3 0 0" size=".04"/>
      <body pos=".3 0 0"><joint name="elbow" type="hinge" axis="0 1 0" range="-90 90"/>
        <geom type="sphere" pos=".2 0 0" size=".05"/></body></body>
  </worldbody>
  <actuator><motor joint="elbow" ctrlrange="-1 1"/></actuator>
</mujoco>
"""


def worlds(nworld, device, masses=False, **capacity):
    """Worlds with velocities and controls of their own, and with masses of their own if wanted."""
    m = mjw.put_model(mujoco.MjModel.from_xml_string(PILE), device=device)
    d = mjw.make_data(m, nworld, **capacity)
    rng = np.random.default_rng(3)
    d.qvel.assign(0.3 * rng.standard_normal((nworld, m.nv)).astype(np.float32))
    d.ctrl.assign(rng.uniform(-1, 1, (nworld, m.nu)).astype(np.float32))
    if masses:
        m.body_mass = m.body_mass.numpy() * rng.uniform(0.8, 1.2, (nworld, 1)).astype(np.float32)
    return m, d


def result(d):
    return {name: getattr(d, name).numpy().copy() for name in ("time", "qpos", "qvel", "qacc", "ncon", "nefc", "overflow")}


def assert_same(one, other):
    for name, array in one.items():
        assert np.array_equal(array, other[name]), name


@pytest.fixture
def threads():
    yield mjw.set_num_threads
    mjw.set_num_threads(None)


@pytest.mark.parametrize("masses", [False, True])
@pytest.mark.parametrize(("nworld", "count"), [(1, 1), (2, 1), (7, 1), (37, 1), (37, 3), (130, 2)])
def test_calls_and_graphs_give_the_same_bits(nworld, count, masses, device, threads, monkeypatch):
    threads(count)
    found = []
    for known in (True, False):
        monkeypatch.setattr(recording, "is_known", lambda known=known: known)
        m, d = worlds(nworld, device, masses)
        for _ in range(4):
            mjw.step(m, d, nstep=10)
        found.append(result(d))
    assert nworld < 7 or found[0]["ncon"].any()
    assert_same(*found)


@pytest.mark.parametrize("size", [1, 2, 5, 12])
def test_the_size_of_groups_is_not_seen(size, device, threads, monkeypatch):
    threads(2)
    m, d = worlds(25, device, masses=True)
    for _ in range(30):
        mjw.step(m, d)
    expected = result(d)
    monkeypatch.setattr(calls, "group_size", lambda nworld, threads, nbytes: size)
    m, d = worlds(25, device, masses=True)
    mjw.step(m, d, nstep=30)
    assert_same(expected, result(d))


@pytest.mark.parametrize("count", [1, 2])
def test_groups_of_a_thread_share_its_scratch(count, device, threads, monkeypatch):
    if wp.get_device(device).is_cuda:
        pytest.skip("on a GPU all worlds are solved at once, each in scratch of its own")
    threads(count)
    monkeypatch.setattr(calls, "group_size", lambda nworld, threads, nbytes: 4)
    m, d = worlds(40, device)
    mjw.step(m, d, nstep=30)
    assert np.count_nonzero(d.nefc.numpy()) > 20
    written = np.flatnonzero(np.abs(d.solver_M.numpy()).sum(axis=(1, 2)))
    assert len(written) and set(written) <= {4 * i for i in range(count)}


@pytest.mark.parametrize("given", [{"nconmax": 2}, {"njmax": 5}], ids=["few contacts", "few rows"])
@pytest.mark.parametrize("known", [True, False], ids=["calls", "graphs"])
def test_several_steps_are_as_many_single_ones_where_room_may_not_grow(known, given, device, monkeypatch):
    monkeypatch.setattr(recording, "is_known", lambda: known)
    found = []
    for nstep in (1, 60):
        m, d = worlds(10, device, **given)
        with pytest.warns(NewtonishWarning, match="left out"):
            for _ in range(60 // nstep):
                mjw.step(m, d, nstep=nstep)
        found.append(result(d))
    assert found[0]["overflow"].any()
    assert_same(*found)


def test_room_grows_after_ten_steps_for_any_number_of_threads_and_size_of_groups(device, threads, monkeypatch):
    found = []
    for known, count, size in ((False, 1, 0), (True, 1, 20), (True, 2, 3)):
        monkeypatch.setattr(recording, "is_known", lambda known=known: known)
        monkeypatch.setattr(calls, "group_size", lambda nworld, threads, nbytes, size=size: size)
        threads(count)
        m, d = worlds(20, device, nconmax=1, njmax=1)
        d.grow_contacts = d.grow_rows = True  # as if these small numbers had been estimated
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NewtonishWarning)
            mjw.step(m, d, nstep=60)
        found.append(result(d))
        assert d.nconmax > 1 and d.ncon.numpy().max() > 1
    for other in found[1:]:
        assert_same(found[0], other)


def test_several_steps_within_a_capture_of_the_caller(device):
    m, d = worlds(3, device)
    mjw.step(m, d, nstep=5)
    expected = result(d)
    m, d = worlds(3, device)
    with wp.ScopedCapture(device=device) as capture:
        mjw.step(m, d, nstep=5)
    if wp.get_device(device).is_cpu:
        wp.capture_launch(capture.graph)
    assert_same(expected, result(d))


@pytest.mark.parametrize("nstep", [0, -1, 1.5, "two", True])
def test_a_number_of_steps_that_is_none(nstep, device):
    m, d = worlds(1, device)
    with pytest.raises(ModelError, match="nstep"):
        mjw.step(m, d, nstep=nstep)


def test_functions_of_the_user_are_called_in_every_one_of_several_steps(device):
    """They may copy and fill arrays, which the calls would not see."""
    found = []
    for nstep in (1, 6):
        m, d = worlds(3, device)
        force = wp.full(d.qfrc_applied.shape, 0.3, dtype=float, device=device)
        m.callback.control = lambda m, d, force=force: wp.copy(d.qfrc_applied, force[: d.nworld])
        for _ in range(6 // nstep):
            mjw.step(m, d, nstep=nstep)
        assert (d.qfrc_applied.numpy() == np.float32(0.3)).all()
        found.append(result(d))
    assert_same(*found)


def test_launches_that_do_not_follow_from_each_other_are_left_to_graphs(device):
    """A function that gives each slice of the worlds another argument than the table would expect."""

    @wp.kernel(module="unique")
    def add(amount: float, time: wp.array(dtype=float)):
        w, _lane = wp.tid()
        time[w] = time[w] + amount

    def function(m, d):
        launch(add, d, [float(d.first_world == 0), d.time])

    if not wp.get_device(device).is_cpu:
        return
    m, d = worlds(30, device)
    one = recording.Recording(function, m, d, 3)
    assert one.calls is None
    one.replay(2)
    assert np.array_equal(d.time.numpy(), [2.0] * 10 + [0.0] * 20)


def test_the_installed_warp_is_entered_directly(device):
    """A newer Warp falls back to graphs, without a word; this says that it is time to look at its entry points."""
    m, d = worlds(2, device)
    mjw.step(m, d)
    assert not wp.get_device(device).is_cpu or record(autoreset, m, d).calls is not None


def test_what_a_step_launches_passes_through_one_place():
    """Calls are gathered in ``kernels/runtime/launch.py``; a launch beside it would run while a step is recorded, and never after."""
    folder = REPO / "kernels"
    found = {str(path.relative_to(folder)) for path in folder.rglob("*.py") if re.search(r"\bwp\.(launch|copy)\(", path.read_text())}
    assert found == {"runtime/launch.py"}
