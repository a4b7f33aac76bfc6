"""State vectors: MuJoCo's sizes, order and numbers, in unequal worlds; copies that step alike to the bit."""

import mujoco
import numpy as np
import oracle
import pytest
import warp as wp

from newtonish import mjw
from newtonish.errors import ImporterError, ModelError

XML = """
<mujoco>
  <size nuserdata="3"/>
  <worldbody>
    <geom type="plane" size="5 5 .1"/>
    <body name="hand" mocap="true" pos="0 0 1"><geom size=".05" contype="0" conaffinity="0"/></body>
    <body name="ball" pos="0 0 .5"><freejoint/><geom size=".1"/></body>
    <body name="arm" pos="1 0 1"><joint name="bend" axis="0 1 0"/><geom type="capsule" size=".05" fromto="0 0 0 .4 0 0"/></body>
  </worldbody>
  <equality><weld name="hold" body1="hand" body2="ball"/></equality>
  <actuator><general joint="bend" dyntype="filter" dynprm=".1" gainprm="3"/><motor joint="bend"/></actuator>
</mujoco>
"""
PARTS = [1 << bit for bit in range(15)]
NAMED = [mjw.State.PHYSICS, mjw.State.FULLPHYSICS, mjw.State.USER, mjw.State.INTEGRATION]


@pytest.fixture(scope="module")
def pair(device) -> oracle.Pair:
    pair = oracle.from_model(mujoco.MjModel.from_xml_string(XML), nworld=3, device=device)
    for world, mjd in enumerate(pair.mjds):
        rng = np.random.default_rng(world)
        for name in ("act", "ctrl", "qacc_warmstart", "qfrc_applied", "xfrc_applied", "mocap_pos", "mocap_quat", "userdata"):
            array = getattr(mjd, name)
            array[:] = rng.standard_normal(array.shape)
        mjd.time, mjd.eq_active[0] = 0.25 * world, world != 1
    oracle.push(pair)
    pair.d.eq_active.assign(np.stack([mjd.eq_active for mjd in pair.mjds]).astype(bool))
    pair.d.userdata.assign(np.stack([mjd.userdata for mjd in pair.mjds]).astype(np.float32))
    return pair


def read(pair: oracle.Pair, sig: int, d: mjw.Data | None = None) -> np.ndarray:
    row = wp.zeros((pair.nworld, mjw.state_size(pair.m, sig)), dtype=float, device=pair.d.device)
    mjw.get_state(pair.m, d or pair.d, row, sig)
    return row.numpy()


@pytest.mark.parametrize("sig", [*PARTS, *NAMED, 1 | 4 | 512], ids=int)
def test_the_numbers_are_mujocos(sig, pair):
    size = mujoco.mj_stateSize(pair.mjm, int(sig))
    assert mjw.state_size(pair.m, sig) == size
    ours = read(pair, sig)
    for world, mjd in enumerate(pair.mjds):
        theirs = np.zeros(size)
        mujoco.mj_getState(pair.mjm, mjd, theirs, int(sig))
        np.testing.assert_array_equal(ours[world], theirs.astype(np.float32))


def test_what_was_read_can_be_put_back_into_some_worlds(pair):
    sig, d = mjw.State.INTEGRATION, mjw.make_data(pair.m, pair.nworld)
    state = wp.array(read(pair, sig), dtype=float, device=d.device)
    before = read(pair, sig, d)
    mjw.set_state(pair.m, d, state, sig, np.array([True, False, True]))
    after = read(pair, sig, d)
    np.testing.assert_array_equal(after[[0, 2]], state.numpy()[[0, 2]])
    np.testing.assert_array_equal(after[1], before[1])
    assert d.eq_active.numpy()[:, 0].tolist() == [True, True, True]


def test_a_part_of_a_state_vector(pair):
    whole, part = mjw.State.INTEGRATION, mjw.State.QVEL | mjw.State.CTRL | mjw.State.USERDATA
    src = wp.array(read(pair, whole), dtype=float, device=pair.d.device)
    dst = wp.zeros((pair.nworld, mjw.state_size(pair.m, part)), dtype=float, device=pair.d.device)
    mjw.extract_state(pair.m, pair.d, src, whole, dst, part)
    np.testing.assert_array_equal(dst.numpy(), read(pair, part))
    with pytest.raises(ModelError, match="dstsig"):
        mjw.extract_state(pair.m, pair.d, dst, part, src, whole)


def test_a_copy_steps_alike_to_the_bit(pair):
    d = mjw.make_data(pair.m, pair.nworld)
    mjw.copy_state(pair.m, pair.d, d)
    other = mjw.make_data(pair.m, pair.nworld)
    mjw.copy_state(pair.m, d, other)
    for data in (d, other):
        for _ in range(3):
            mjw.step(pair.m, data)
    np.testing.assert_array_equal(read(pair, mjw.State.INTEGRATION, d), read(pair, mjw.State.INTEGRATION, other))


def test_userdata_comes_and_goes_with_mjdata(pair):
    d = mjw.put_data(pair.mjm, pair.mjds[2], nworld=2, m=pair.m)
    np.testing.assert_allclose(d.userdata.numpy()[1], pair.mjds[2].userdata, rtol=1e-6)
    mjw.reset_data(pair.m, d, np.array([False, True]))
    assert d.userdata.numpy()[0].any() and not d.userdata.numpy()[1].any()


KEYS = XML.replace(
    "</mujoco>",
    """<keyframe>
      <key time="1" qpos="0 0 1 1 0 0 0 .5" qvel="1 2 3 4 5 6 7" act=".25" ctrl="1 2" mpos="4 5 6" mquat="0 1 0 0"/>
      <key qpos="1 1 1 0 1 0 0 -.5" ctrl="3 4"/>
    </keyframe></mujoco>""",
)


@pytest.mark.parametrize("keys", [1, [0, 1, 0], [1, -1, 7]])
def test_keyframes_of_each_world(keys, device):
    pair = oracle.from_model(mujoco.MjModel.from_xml_string(KEYS), nworld=3, device=device)
    m, d, sig = pair.m, pair.d, int(mjw.State.INTEGRATION)
    before = read(pair, sig)
    mjw.reset_data_keyframe(m, d, keys if isinstance(keys, int) else wp.array(keys, dtype=int, device=device))
    after = read(pair, sig)
    for world, key in enumerate([keys] * 3 if isinstance(keys, int) else keys):
        if 0 <= key < 2:
            mujoco.mj_resetDataKeyframe(pair.mjm, pair.mjds[world], key)
            theirs = np.zeros(after.shape[1])
            mujoco.mj_getState(pair.mjm, pair.mjds[world], theirs, sig)
            np.testing.assert_allclose(after[world], theirs, rtol=1e-6)
        else:
            np.testing.assert_array_equal(after[world], before[world])
    with pytest.raises(ModelError, match="reset_data_keyframe: key"):
        mjw.reset_data_keyframe(m, d, [0.5, 1, 1])


def test_a_capture_may_hold_them(pair):
    """Read, step, reset some, put back: one graph, replayed after the arrays that a call makes for itself are gone."""
    m, sig = pair.m, mjw.State.INTEGRATION
    d = mjw.make_data(m, pair.nworld)
    mjw.copy_state(m, pair.d, d)
    mjw.step(m, d)
    before = read(pair, sig, d)
    row = wp.zeros(before.shape, dtype=float, device=d.device)
    jacp = wp.zeros((pair.nworld, 3, m.nv), dtype=float, device=d.device)
    with wp.ScopedCapture(device=d.device) as capture:
        mjw.get_state(m, d, row, sig)
        mjw.step(m, d)
        mjw.jac_body(m, d, jacp, None, 2)
        mjw.reset_data(m, d)
        mjw.set_state(m, d, row, sig)
    clutter = [wp.full(pair.nworld, 1 << 20, dtype=int, device=d.device) for _ in range(50)]
    for _ in range(2):
        wp.capture_launch(capture.graph)
    assert len(clutter) == 50
    np.testing.assert_array_equal(read(pair, sig, d), before)
    assert np.isfinite(jacp.numpy()).all() and jacp.numpy().any()


def test_our_importer_reads_the_size_of_userdata(device):
    m, d = mjw.load(XML, nworld=2, device=device)
    assert d.userdata.shape == (2, 3)
    assert mjw.state_size(m, mjw.State.INTEGRATION) == mujoco.mj_stateSize(mujoco.MjModel.from_xml_string(XML), int(mjw.State.INTEGRATION))
    with pytest.raises(ImporterError, match="nuserdata"):
        mjw.load(XML.replace('nuserdata="3"', 'nuserdata="-3"'))


def test_wrong_arguments_are_named(pair):
    with pytest.raises(ModelError, match="state_size: sig"):
        mjw.state_size(pair.m, 1 << 15)
    with pytest.raises(ModelError, match="get_state: state"):
        mjw.get_state(pair.m, pair.d, wp.zeros((3, 2), dtype=float, device=pair.d.device), mjw.State.QPOS)
    with pytest.raises(ModelError, match="copy_state: dst"):
        mjw.copy_state(pair.m, pair.d, mjw.make_data(pair.m, 2))
