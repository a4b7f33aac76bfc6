"""Rollouts: the bits of step after step under changing controls, MuJoCo's semantics, and what growth, threads and callers do to them."""

import warnings

import mujoco
import mujoco.rollout
import numpy as np
import pytest
import warp as wp

from newtonish import mjw
from newtonish.errors import ModelError

XML = """
<mujoco>
  <option timestep=".004"/><size nuserdata="2"/>
  <worldbody>
    <geom type="plane" size="5 5 .1"/>
    <body name="hand" mocap="true" pos="0 0 1"><geom size=".05" contype="0" conaffinity="0"/></body>
    <body name="ball" pos="0 0 .5"><freejoint/><geom size=".1"/></body>
    <body name="arm" pos="1 0 .4"><joint name="bend" axis="0 1 0" damping=".1"/><geom type="capsule" size=".05" fromto="0 0 0 .4 0 0"/></body>
  </worldbody>
  <equality><connect name="hold" body1="hand" body2="ball" anchor="0 0 -.4" active="false"/></equality>
  <actuator><general joint="bend" dyntype="filter" dynprm=".1" gainprm="3"/><motor joint="bend"/></actuator>
  <sensor><jointpos joint="bend"/><framelinacc objtype="body" objname="ball"/></sensor>
</mujoco>
"""
NSTEP, NWORLD = 23, 3
EVERYTHING = ("qpos", "qvel", "act", "time", "time_low", "qacc_warmstart", "ctrl", "sensordata", "qfrc_applied", "mocap_pos", "eq_active")


@pytest.fixture
def pair(device) -> tuple[mjw.Model, mjw.Data]:
    return made(device)


def made(device: str, nworld: int = NWORLD) -> tuple[mjw.Model, mjw.Data]:
    """Worlds that differ, in the air or above the ground."""
    m, d = mjw.load(XML, nworld=nworld, device=device)
    qpos = d.qpos.numpy()
    qpos[:, 2] = 0.11 + 0.1 * (np.arange(nworld) % 3)
    qpos[:, 7] = np.linspace(-0.3, 0.4, nworld)
    d.qpos.assign(qpos)
    return m, d


def noise(shape: tuple[int, ...], seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-1.0, 1.0, shape).astype(np.float32)


def on(device: str, values: np.ndarray) -> wp.array:
    return wp.array(values, dtype=float, device=device)


def zeros(d: mjw.Data, *shape: int) -> wp.array:
    return wp.zeros(shape, dtype=float, device=d.device)


def states_of(m: mjw.Model, d: mjw.Data, sig: int = mjw.State.FULLPHYSICS) -> np.ndarray:
    row = zeros(d, d.nworld, mjw.state_size(m, sig))
    mjw.get_state(m, d, row, sig)
    return row.numpy()


def stepped(m: mjw.Model, d: mjw.Data, ctrl: np.ndarray, sig: int = mjw.State.CTRL) -> tuple[np.ndarray, np.ndarray]:
    """States and sensors of step after step."""
    states, sensors = [], []
    for row in ctrl:
        mjw.set_state(m, d, on(d.device, row), sig)
        mjw.step(m, d)
        states.append(states_of(m, d))
        sensors.append(d.sensordata.numpy().copy())
    return np.stack(states), np.stack(sensors)


def outputs(m: mjw.Model, d: mjw.Data, nstep: int = NSTEP) -> dict[str, wp.array]:
    return {"states": zeros(d, nstep, d.nworld, mjw.state_size(m, mjw.State.FULLPHYSICS)), "sensordata": zeros(d, nstep, d.nworld, d.sensordata.shape[1])}


def assert_alike(d: mjw.Data, other: mjw.Data) -> None:
    for name in EVERYTHING:
        np.testing.assert_array_equal(getattr(d, name).numpy(), getattr(other, name).numpy(), err_msg=name)


@pytest.mark.parametrize("callback", [False, True], ids=["calls", "graph"])
def test_the_bits_of_steps(callback, pair, device):
    """With a function of the user's, steps are graphs on a CPU as well."""
    m, d = pair
    other_m, other = made(device)
    if callback:
        for model in (m, other_m):
            model.callback.control = lambda m, d: wp.copy(d.qfrc_applied, d.qvel)
    ctrl = noise((NSTEP, NWORLD, m.nu))
    found = outputs(m, d)
    mjw.rollout(m, d, on(device, ctrl), **found)
    states, sensors = stepped(other_m, other, ctrl)
    np.testing.assert_array_equal(found["states"].numpy(), states)
    np.testing.assert_array_equal(found["sensordata"].numpy(), sensors)
    assert_alike(d, other)
    assert np.ptp(states[-1], axis=0).max() > 0.1


def test_other_arrays_are_followed_without_another_recording(pair, device):
    """The second rollout goes on from the first, with half as many steps, and into arrays with gaps between steps and worlds."""
    m, d = pair
    other_m, other = made(device)
    ctrl = noise((2 * NSTEP, NWORLD, m.nu))
    mjw.rollout(m, d, on(device, ctrl[:NSTEP]), **outputs(m, d))
    recordings = dict(d.recordings)
    wide = outputs(m, d, 4 * NSTEP)
    room = {name: array[::4] for name, array in wide.items()}
    mjw.rollout(m, d, on(device, np.repeat(ctrl[NSTEP:], 2, axis=1))[:, ::2], **room)
    assert d.recordings == recordings
    states, sensors = stepped(other_m, other, ctrl)
    np.testing.assert_array_equal(wide["states"].numpy()[::4], states[NSTEP:])
    np.testing.assert_array_equal(wide["sensordata"].numpy()[::4], sensors[NSTEP:])
    assert not wide["states"].numpy()[1::4].any()


def test_one_state_and_one_control_for_all_worlds(pair, device):
    """Every world does the same from then on, whatever it did before, twice to the bit."""
    m, d = pair
    start = states_of(m, d)[1:2]
    warm = noise((1, m.nv))
    ctrl = on(device, noise((NSTEP, 1, m.nu)))
    found = [outputs(m, d)["states"] for _ in range(3)]
    mjw.rollout(m, d, nstep=7)
    for states in found[:2]:
        mjw.rollout(m, d, ctrl, initial_state=on(device, start), states=states)
    mjw.rollout(m, d, ctrl, initial_state=on(device, start), initial_warmstart=on(device, warm), states=found[2])
    first, second, warmed = (states.numpy() for states in found)
    np.testing.assert_array_equal(first, second)
    assert (first == first[:, :1]).all() and (warmed == warmed[:, :1]).all()
    np.testing.assert_allclose(warmed, first, atol=1e-4)


def test_everything_that_a_user_sets(pair, device):
    """Controls, forces, mocap bodies, equalities and user data, in MuJoCo's order."""
    m, d = pair
    other_m, other = made(device)
    spec = mjw.State.USER
    rows = noise((NSTEP, NWORLD, mjw.state_size(m, spec)))
    parts = {part: mjw.state_size(m, part) for part in (mjw.State.CTRL, mjw.State.QFRC_APPLIED, mjw.State.XFRC_APPLIED, mjw.State.EQ_ACTIVE)}
    active = sum(parts.values()) - 1
    rows[..., active] = rows[..., active] > 0.0
    found = outputs(m, d)
    mjw.rollout(m, d, on(device, rows), control_spec=spec, **found)
    states, sensors = stepped(other_m, other, rows, spec)
    np.testing.assert_array_equal(found["states"].numpy(), states)
    np.testing.assert_array_equal(found["sensordata"].numpy(), sensors)
    assert_alike(d, other)


def test_other_parts_of_the_state(pair, device):
    m, d = pair
    spec = mjw.State.QVEL | mjw.State.EQ_ACTIVE | mjw.State.WARMSTART
    states = zeros(d, NSTEP, NWORLD, mjw.state_size(m, spec))
    mjw.rollout(m, d, on(device, noise((NSTEP, NWORLD, m.nu))), states=states, state_spec=spec)
    np.testing.assert_array_equal(states.numpy()[-1], states_of(m, d, spec))


def test_mujocos_rollout(pair, device):
    """The same trajectories as of MuJoCo's module, from states and controls of three worlds."""
    m, d = pair
    mjm = mujoco.MjModel.from_xml_string(XML)
    start, ctrl = states_of(m, d), noise((NSTEP, NWORLD, m.nu))
    theirs, sensors = mujoco.rollout.rollout(mjm, mujoco.MjData(mjm), start.astype(float), ctrl.swapaxes(0, 1).astype(float))
    found = outputs(m, d)
    mjw.rollout(m, d, on(device, ctrl), initial_state=on(device, start), **found)
    np.testing.assert_allclose(found["states"].numpy(), theirs.swapaxes(0, 1), atol=2e-4)
    np.testing.assert_allclose(found["sensordata"].numpy(), sensors.swapaxes(0, 1), rtol=1e-3, atol=2e-3)
    assert int(d.ncon.numpy().max()) > 0


def test_threads_and_groups_change_nothing(device):
    """Few worlds are shared out where they take many steps."""
    found = []
    for threads in (1, 2, 3):
        mjw.set_num_threads(threads)
        try:
            m, d = made(device, 7)
            states = outputs(m, d)["states"]
            mjw.rollout(m, d, on(device, noise((NSTEP, 7, m.nu))), states=states)
        finally:
            mjw.set_num_threads(None)
        found.append(states.numpy())
        if d.device.is_cpu:
            assert max(count for _, count in d.recordings) == threads
    np.testing.assert_array_equal(found[1], found[0])
    np.testing.assert_array_equal(found[2], found[0])


def test_growth_on_the_way_leaves_no_trace(device):
    """Balls fall into a heap in some worlds, where there was no room for so many contacts: steps are taken again from where they were."""
    if not wp.get_device(device).is_cpu:
        pytest.skip("a GPU is not waited for in a step")
    bodies = "".join(f'<body pos="{0.5 * (i % 4)} {0.5 * (i // 4)} .3"><freejoint/><geom size=".1" mass="1"/></body>' for i in range(20))
    motor = '<actuator><motor joint="slide"/></actuator><sensor><jointpos joint="slide"/></sensor>'
    xml = f'<mujoco><worldbody><geom type="plane" size="9 9 1"/>{bodies}<body pos="0 0 3"><joint name="slide" type="slide"/><geom size=".1"/></body></worldbody>{motor}</mujoco>'
    found = []
    for capacity in ({}, {"nconmax": 300, "njmax": 1300}):
        m, d = mjw.load(xml, nworld=3, device=device, **capacity)
        before = d.nconmax
        qpos = d.qpos.numpy()
        place = np.random.default_rng(1).uniform([-0.12, -0.12, 0.3], [0.12, 0.12, 0.6], (20, 3))
        qpos[1, :140].reshape(20, 7)[:, :3] = place
        d.qpos.assign(qpos)
        kept = outputs(m, d, 120)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            mjw.rollout(m, d, on(device, noise((120, 3, 1))), **kept)
        assert (d.nconmax > before) != bool(capacity)
        found.append([array.numpy() for array in kept.values()])
    for ours, roomy in zip(*found, strict=True):
        np.testing.assert_array_equal(ours, roomy)


def test_inside_a_capture(pair, device):
    """A graph of the caller's takes the same steps from where the arrays say, each time that it is launched."""
    m, d = pair
    ctrl, start = on(device, noise((4, NWORLD, m.nu))), on(device, states_of(m, d))
    states = [outputs(m, d, 4)["states"] for _ in range(2)]
    with wp.ScopedCapture(device=device), pytest.raises(ModelError, match="rollout: capture"):
        mjw.rollout(m, d, ctrl, states=states[0])
    mjw.rollout(m, d, ctrl, initial_state=start, states=states[0])
    with wp.ScopedCapture(device=device) as capture:
        mjw.rollout(m, d, ctrl, initial_state=start, states=states[1])
    for _ in range(2):
        wp.capture_launch(capture.graph)
    np.testing.assert_array_equal(states[1].numpy(), states[0].numpy())


def test_no_controls_no_sensors(device):
    """A model that has neither, and a number of steps."""
    m, d = mjw.load("<mujoco><worldbody><body><joint axis='0 1 0'/><geom size='.1' pos='.2 0 0'/></body></worldbody></mujoco>", nworld=2, device=device)
    d.qvel.assign(np.array([[0.1], [0.5]], dtype=np.float32))
    states = zeros(d, 5, 2, 3)
    mjw.rollout(m, d, zeros(d, 5, 2, 0), states=states, sensordata=zeros(d, 5, 2, 0))
    np.testing.assert_array_equal(states.numpy()[-1], states_of(m, d))
    mjw.rollout(m, d, nstep=2)
    np.testing.assert_allclose(d.time.numpy(), 0.014)


WRONG = {
    "no number of steps": (lambda m, d: {}, "rollout: nstep"),
    "zero steps": (lambda m, d: {"nstep": 0}, "rollout: nstep"),
    "no steps in the array": (lambda m, d: {"ctrl": zeros(d, 0, 3, 2)}, "number of steps"),
    "worlds": (lambda m, d: {"ctrl": zeros(d, 4, 2, 2)}, r"\(4, 3, 2\) or \(4, 1, 2\)"),
    "steps": (lambda m, d: {"ctrl": zeros(d, 4, 3, 2), "nstep": 5}, r"rollout: ctrl.*\(5, 3, 2\)"),
    "width": (lambda m, d: {"states": zeros(d, 4, 3, 2)}, "rollout: states"),
    "one world to write into": (lambda m, d: {"sensordata": zeros(d, 4, 1, 4)}, r"rollout: sensordata.*\(4, 3, 4\) of float32"),
    "type": (lambda m, d: {"ctrl": wp.zeros((4, 3, 2), dtype=int, device=d.device)}, "int32"),
    "gaps": (lambda m, d: {"ctrl": zeros(d, 4, 3, 4)[:, :, ::2]}, "contiguous in its last axis"),
    "no array": (lambda m, d: {"initial_state": np.zeros((3, 17), np.float32), "nstep": 2}, "initial_state.*ndarray"),
    "axes": (lambda m, d: {"initial_state": zeros(d, 5), "nstep": 2}, "initial_state"),
    "warm start": (lambda m, d: {"initial_warmstart": zeros(d, 3, 8), "nstep": 2}, r"\(3, 7\) or \(1, 7\)"),
    "state as control": (lambda m, d: {"nstep": 2, "control_spec": mjw.State.QPOS}, "control_spec.*USER"),
    "no bits": (lambda m, d: {"nstep": 2, "state_spec": 1 << 20}, "state_spec"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_refused(name, pair):
    m, d = pair
    arguments, message = WRONG[name]
    with pytest.raises(ModelError, match=message):
        mjw.rollout(m, d, **arguments(m, d))
    assert not d.time.numpy().any(), "nothing was stepped"


def test_few_worlds_are_shared_out_by_their_steps(device):
    """What a thread is woken for is worlds times steps."""
    if not wp.get_device(device).is_cpu:
        pytest.skip("threads share worlds out on a CPU")
    mjw.set_num_threads(2)
    try:
        for nworld, nstep, threads in ((1, 40, 1), (2, 1, 1), (4, 7, 1), (4, 8, 2), (31, 1, 1), (32, 1, 2)):
            m, d = made(device, nworld)
            mjw.step(m, d, nstep)
            assert [count for _, count in d.recordings] == [threads], (nworld, nstep)
    finally:
        mjw.set_num_threads(None)
