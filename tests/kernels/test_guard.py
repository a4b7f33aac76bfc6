"""Worlds in which a number was not finite: they stop or raise an error, as the data was asked to, and their neighbours go on."""

import mujoco
import numpy as np
import pytest
import warp as wp

import newtonish
from newtonish import mjw
from newtonish.errors import ModelError, NonfiniteError

TEXT = """<mujoco><option timestep=".005" {option}/><worldbody><geom type="plane" size="5 5 1"/>
  <body pos="0 0 .5" mocap="true" name="hand"><geom size=".05" contype="0" conaffinity="0"/></body>
  <body pos="0 0 .5"><freejoint/><geom size=".1" mass="1"/></body>
  <body pos="1 0 .5"><joint name="hinge" axis="0 1 0"/><geom size=".05" pos=".3 0 0" mass="1"/></body></worldbody>
  <equality><weld body1="hand" body2="ball"/></equality><actuator><general joint="hinge" dyntype="filter" dynprm=".1"/></actuator></mujoco>""".replace(
    '<body pos="0 0 .5"><freejoint/>', '<body name="ball" pos="0 0 .5"><freejoint/>'
)
NWORLD = 4
STATE = ("qpos", "qvel", "act", "time", "qacc_warmstart", "mocap_pos")


def made(device: str, option: str = "", **asked: object) -> tuple[mjw.Model, mjw.Data]:
    m = mjw.put_model(mujoco.MjModel.from_xml_string(TEXT.format(option=option)), device=device)
    d = mjw.make_data(m, NWORLD, **asked)
    d.ctrl.assign(np.linspace(0.1, 1.0, NWORLD, dtype=np.float32)[:, None])
    return m, d


def spoil(d: mjw.Data, name: str, world: int) -> None:
    host = getattr(d, name).numpy()
    host[world] = np.nan
    getattr(d, name).assign(host)


@pytest.mark.parametrize("option", ["", 'integrator="RK4"', 'integrator="implicitfast"'])
@pytest.mark.parametrize("name", ["qfrc_applied", "mocap_pos"])
def test_a_world_stops_in_the_state_before(device: str, option: str, name: str) -> None:
    m, d = made(device, option, on_nonfinite="stop")
    _, free = made(device, option)
    for _ in range(5):
        mjw.step(m, d)
        mjw.step(m, free)
    before = {part: getattr(d, part).numpy().copy() for part in STATE}
    spoil(d, name, 2)
    for _ in range(4):
        mjw.step(m, d)
        mjw.step(m, free)
    others = [0, 1, 3]
    for part in STATE:
        if part != name:
            np.testing.assert_array_equal(getattr(d, part).numpy()[2], before[part][2], err_msg=part)
        np.testing.assert_array_equal(getattr(d, part).numpy()[others], getattr(free, part).numpy()[others], err_msg=part)
    assert d.nonfinite.numpy().tolist() == [0, 0, 1, 0]  # once
    (reset,) = mjw.resets(m, d)
    assert reset.world == 2 and name.removesuffix("_pos").upper() in reset.kind.name
    host = d.mocap_pos.numpy()
    host[2] = host[1]
    d.mocap_pos.assign(host)
    mask = np.arange(NWORLD) == 2
    mjw.reset_data(m, d, mask)
    mjw.step(m, d)
    assert d.time.numpy()[2] > 0.0 and d.nonfinite.numpy()[2] == 0


def test_a_world_whose_state_was_set_to_nan_stops_in_the_reference_pose(device: str) -> None:
    m, d = made(device, on_nonfinite="stop")
    mjw.step(m, d)
    spoil(d, "qpos", 1)
    for _ in range(3):
        mjw.step(m, d)
    np.testing.assert_array_equal(d.qpos.numpy()[1], m.qpos0.numpy()[0])
    assert d.nonfinite.numpy().tolist() == [0, 1, 0, 0]


def test_an_error_is_raised_once_for_each_reset(device: str) -> None:
    m, d = made(device, on_nonfinite="raise")
    mjw.step(m, d)
    spoil(d, "qvel", 3)
    with pytest.raises(NonfiniteError, match=r"1 of 4 worlds: got world 3 was reset 1 times, the last time for .*; allowed: finite numbers; look at"):
        mjw.step(m, d)
        wp.synchronize_device(d.device)
        d.qpos.numpy()  # on a GPU
    mjw.step(m, d)
    mjw.check_capacity(m, d)
    assert d.nonfinite.numpy().tolist() == [0, 0, 0, 1]
    spoil(d, "qvel", 0)
    with pytest.raises(NonfiniteError, match="2 of 4 worlds"):
        mjw.step(m, d, 3)
        wp.synchronize_device(d.device)
        d.qpos.numpy()


def test_a_graph_of_the_callers_raises_when_an_array_is_read(device: str) -> None:
    m, d = made(device, on_nonfinite="raise")
    mjw.step(m, d)
    with wp.ScopedCapture(device=d.device) as capture:
        mjw.step(m, d)
    wp.capture_launch(capture.graph)
    wp.synchronize_device(d.device)
    spoil(d, "qvel", 2)
    wp.capture_launch(capture.graph)
    wp.synchronize_device(d.device)
    with pytest.raises(NonfiniteError, match="world 2"):
        d.qpos.numpy()
    d.qpos.numpy()


@pytest.mark.parametrize("mode", ["stop", "raise"])
def test_newtons_interface(device: str, mode: str) -> None:
    builder, one = newtonish.ModelBuilder(), newtonish.ModelBuilder()
    one.add_mjcf(TEXT.format(option=""))
    builder.replicate(one, 3)
    model = builder.finalize(device=device)
    solver = newtonish.SolverMuJoCo(model, on_nonfinite=mode)
    now, then = model.state(), model.state()
    solver.step(now, then, None, None, 0.005)
    kept = then.joint_q.numpy().copy()
    force = then.body_f.numpy().reshape(3, -1, 6)
    force[1] = np.nan
    then.body_f.assign(force.reshape(-1, 6))
    if mode == "raise":
        with pytest.raises(NonfiniteError, match="world 1"):
            solver.step(then, now, None, None, 0.005)
            wp.synchronize_device(device)
            solver.mjw_data.qpos.numpy()
        return
    solver.step(then, now, None, None, 0.005)
    ended = now.joint_q.numpy().reshape(3, -1)
    np.testing.assert_array_equal(ended[1], kept.reshape(3, -1)[1])
    assert (ended[0] != kept.reshape(3, -1)[0]).any()


def test_another_word_is_refused(device: str) -> None:
    m, _ = made(device)
    with pytest.raises(ModelError, match=r"make_data: on_nonfinite: got 'ignore'; allowed: 'reset', 'stop', 'raise'"):
        mjw.make_data(m, 2, on_nonfinite="ignore")
