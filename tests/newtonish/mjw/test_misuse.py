"""Wrong arguments of the array-level interface: one clear line each, and nothing is read that is not there."""

import mujoco
import numpy as np
import pytest
import warp as wp

from newtonish import mjw
from newtonish.errors import ModelError, UnsupportedError

ROBOT = """
<mujoco>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body pos="0 0 .09"><freejoint/><geom size=".1"/>
      <body pos="0 0 .2"><joint name="j" damping="1"/><geom size=".05"/></body></body>
  </worldbody>
  <actuator><velocity joint="j" kv="3"/></actuator>
  <keyframe><key qpos="1 0 0 1 0 0 0 0"/></keyframe>
</mujoco>
"""
HINGE = '<mujoco><worldbody><body><joint/><geom size=".1" pos=".3 0 0"/></body></worldbody></mujoco>'
NWORLD = 3


@pytest.fixture(scope="module")
def mjm():
    return mujoco.MjModel.from_xml_string(ROBOT)


@pytest.fixture
def robot(mjm, device):
    m = mjw.put_model(mjm, device=device)
    return m, mjw.make_data(m, NWORLD)


@pytest.fixture
def hinge(device):
    m = mjw.put_model(mujoco.MjModel.from_xml_string(HINGE), device=device)
    return m, mjw.make_data(m, NWORLD)


def refused(match: str, call, *arguments, error: type[Exception] = ModelError, **named) -> None:
    """The call ends in one line that names the object, what was given and what is allowed."""
    with pytest.raises(error, match=match) as caught:
        call(*arguments, **named)
    text = str(caught.value)
    assert ": got " in text and "; allowed: " in text and text.endswith((".", "?")), text


@pytest.mark.parametrize("function", ["step", "forward", "step1", "step2", "kinematics", "collision", "solve", "reset_data"])
def test_model_and_data_must_belong_together(function, robot, hinge):
    call = getattr(mjw, function)
    refused(rf"{function}: d: got data with nq=1.*the model's nq=8", call, robot[0], hinge[1])
    refused(rf"{function}: d: got data with nq=8", call, hinge[0], robot[1])
    refused(rf"{function}: m: got a Data; .*order", call, robot[1], robot[0])
    refused(rf"{function}: m: got a NoneType; .*put_model", call, None, robot[1])
    refused(rf"{function}: d: got a NoneType; .*make_data", call, robot[0], None)
    call(*robot)


def test_further_arrays_of_stages(robot, device):
    m, d = robot
    good = wp.zeros((NWORLD, m.nv), dtype=float, device=device)
    refused(r"solve_m: y: got a ndarray", mjw.solve_m, m, d, good, np.zeros((NWORLD, m.nv)))
    refused(r"mul_m: vec: got an array of shape \(3, 2\)", mjw.mul_m, m, d, good, vec=wp.zeros((NWORLD, 2), dtype=float, device=device))
    refused(r"xfrc_accumulate: qfrc: .*float64", mjw.xfrc_accumulate, m, d, wp.zeros((NWORLD, m.nv), dtype=wp.float64, device=device))


@pytest.mark.parametrize(
    "value",
    [np.zeros((NWORLD, 7)), np.zeros(8), 1.0, None, "zeros", [[0.0], [0.0, 1.0]], ("f64", 8), ("vec3", 8), ("strided", 8)],
    ids=str,
)
def test_arrays_that_do_not_fit(value, robot, device):
    _, d = robot
    before = d.qpos
    if isinstance(value, tuple):
        kind = {"f64": wp.float64, "vec3": wp.vec3, "strided": wp.float32}[value[0]]
        wide = wp.zeros((NWORLD, 2 * value[1]), dtype=kind, device=device)
        value = wide[:, ::2] if kind == wp.float32 else wp.zeros((NWORLD, value[1]), dtype=kind, device=device)
    refused(r"Data\.qpos: got .*shape \(3, 8\) of float32", setattr, d, "qpos", value, error=ValueError)
    assert d.qpos is before


def test_a_numpy_array_that_fits_is_copied(robot):
    m, d = robot
    qpos = d.qpos.numpy() + 0.25
    d.qpos = qpos
    mjw.kinematics(m, d)
    np.testing.assert_allclose(d.xpos.numpy()[:, 1], qpos[:, :3], atol=1e-6)
    d.xfrc_applied = np.zeros((NWORLD, 3, 6))
    refused(r"Data\.xfrc_applied: got ndarray of shape \(3, 3\)", setattr, d, "xfrc_applied", np.zeros((NWORLD, 3)), error=ValueError)


def test_misspelt_names_are_not_set_in_silence(robot):
    m, d = robot
    refused(r"Data\.ctrll: got an unknown name.*did you mean ctrl", setattr, d, "ctrll", 1, error=AttributeError)
    with pytest.raises(AttributeError, match=r"Model\.timestep: .*m\.opt\.<name>"):
        m.timestep = 0.01


def test_masks_of_worlds(robot, device):
    m, d = robot
    for mask in (
        [True, False, True],
        np.array([True, False, True]),
        wp.array([True, False, True], dtype=bool, device=device),
        wp.array([1, 0, 1], dtype=int, device=device),
    ):
        d.time.fill_(1.0)
        mjw.reset_data(m, d, mask)
        assert d.time.numpy().tolist() == [0.0, 1.0, 0.0]
    for mask in (np.ones(2, dtype=bool), [1, 0, 1], wp.zeros(NWORLD, dtype=float, device=device), wp.zeros(4, dtype=bool, device=device)):
        refused(r"reset_data: reset: got shape \(\d,\) of (int|.*float)|reset_data: reset: got shape \([24],\)", mjw.reset_data, m, d, mask)


def test_keyframes(robot, hinge):
    for key in (-1, 1, "home", 0.0, None):
        refused(r"reset_data_keyframe: key: got", mjw.reset_data_keyframe, *robot, key)
    refused(r"key: got 0; allowed: none, the model has no keyframes", mjw.reset_data_keyframe, *hinge, 0)


def test_counts(robot):
    m, _ = robot
    for count in (0, -1, "3", 2.5, None, True):
        refused(r"make_data: nworld: got", mjw.make_data, m, count)
    refused(r"make_data: njmax: got -1", mjw.make_data, m, njmax=-1)
    for threads in (0, "2", 1.5):
        refused(r"set_num_threads: got", mjw.set_num_threads, threads)


def test_what_is_no_model(device):
    for thing in (None, "robot.xml", 3):
        refused(r"put_model: mjm: got a", mjw.put_model, thing)
    for source in (None, 5, b"<mujoco/>"):
        refused(r"load: source: got a", mjw.load, source)
    refused(r"load: device: got 'tpu'.*cpu", mjw.load, HINGE, device="tpu")


def test_put_data_and_get_data_into(mjm, robot, hinge):
    m, d = robot
    other = mujoco.MjModel.from_xml_string(HINGE)
    mjd = mujoco.MjData(mjm)
    refused(r"put_data: mjd: got qpos of length 1", mjw.put_data, mjm, mujoco.MjData(other))
    refused(r"put_data: mjm: got nq=8", mjw.put_data, mjm, mjd, m=hinge[0])
    refused(r"get_data_into: mjm: got nq=1", mjw.get_data_into, mujoco.MjData(other), other, d)
    refused(r"get_data_into: result: got a NoneType", mjw.get_data_into, None, mjm, d)
    for world in (-1, NWORLD, "0"):
        refused(r"get_data_into: world_id: got", mjw.get_data_into, mjd, mjm, d, world)


def test_put_data_makes_room_for_the_contacts_there_are(mjm, monkeypatch):
    monkeypatch.setattr("newtonish.mjw.data.estimate", lambda m, nconmax, njmax, headroom, naconmax: (0, 0))
    mjd = mujoco.MjData(mjm)
    mujoco.mj_forward(mjm, mjd)
    d = mjw.put_data(mjm, mjd, nworld=2)
    assert mjd.ncon > 0 and d.ncon.numpy().tolist() == [mjd.ncon] * 2


@pytest.mark.parametrize(
    ("option", "value"),
    [("integrator", 3), ("integrator", 1), ("cone", 1), ("iterations", 0), ("disableflags", 1 << 4), ("disableflags", 1 << 7)],
)
def test_a_changed_option_takes_effect_without_touch(option, value, mjm, robot):
    m, d = robot
    mjd = mujoco.MjData(mjm)
    start = np.linspace(0.5, 1.0, m.nv)
    mjd.qvel[:] = start
    mjw.step(m, d)  # recorded with the old option
    mjw.reset_data(m, d)
    d.qvel = np.tile(start, (NWORLD, 1))
    setattr(m.opt, option, value)
    mjw.step(m, d)
    before = getattr(mjm.opt, option)
    setattr(mjm.opt, option, value)
    mujoco.mj_step(mjm, mjd)
    setattr(mjm.opt, option, before)
    np.testing.assert_allclose(d.qvel.numpy()[1], mjd.qvel, atol=2e-5, rtol=1e-5)


def test_options_that_are_not_simulated(robot):
    m, d = robot
    for option, value in (("integrator", 77), ("cone", 5), ("solver", 9)):
        before = getattr(m.opt, option)
        setattr(m.opt, option, value)
        refused(rf"m\.opt\.{option}: got .*{value}", mjw.step, m, d, error=UnsupportedError)
        setattr(m.opt, option, before)
    mjw.step(m, d)


def test_a_model_made_where_another_one_was_is_not_mistaken_for_it(mjm, device):
    """Recordings are found by the identity of the model: a new one may get the address of one that is gone."""
    d = mjw.make_data(mjw.put_model(mjm, device=device), NWORLD)
    for gravity in (-1.0, -2.0, -3.0, -4.0):
        mjm.opt.gravity[2] = gravity
        m = mjw.put_model(mjm, device=device)
        mjw.reset_data_keyframe(m, d, 0)
        qpos = d.qpos.numpy()
        qpos[:, 2] = 5.0
        d.qpos.assign(qpos)
        mjw.step(m, d)
        np.testing.assert_allclose(d.qvel.numpy()[:, 2], gravity * mjm.opt.timestep, rtol=1e-5)
        del m
    mjm.opt.gravity[2] = -9.81


@pytest.mark.parametrize("function", ["step", "forward", "kinematics"])
def test_arrays_with_gaps_are_refused(function, robot):
    m, d = robot
    wide = wp.zeros((NWORLD, 2 * m.nv), dtype=float, device=d.device)
    d.state.qvel = wide[:, ::2]
    d.touch()
    refused(r"qvel: got an array with strides \(\d+, 8\)", getattr(mjw, function), m, d)
    d.state.qvel = wide[:, : m.nv]  # rows may be longer than they need be
    d.touch()
    getattr(mjw, function)(m, d)
