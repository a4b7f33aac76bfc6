"""A run that goes on from a checkpoint is the run that was not interrupted, to the bit; what is no checkpoint of it is refused."""

import io
import json
import pickle

import numpy as np
import pytest

from newtonish import mjw
from newtonish.errors import ModelError

MODEL = """
<mujoco>
  <option timestep="0.005"/>
  <worldbody>
    <geom name="floor" type="plane" size="3 3 .1"/>
    <body name="hand" mocap="true" pos="1 1 1"/>
    <body name="ball" pos="0 1 .12"><freejoint/><geom size=".1" mass="2"/></body>
    <body pos="0 0 1"><joint name="a" axis="0 1 0" damping=".1"/><geom type="capsule" size=".05 .2"/>
      <body pos="0 0 -.3"><joint name="b" axis="0 1 0"/><geom type="capsule" size=".05 .2" pos="0 0 -.2"/></body></body>
  </worldbody>
  <equality><connect name="pin" body1="ball" body2="hand" anchor="0 0 .5" active="false"/></equality>
  <actuator>
    <motor name="late" joint="a" delay="0.02" nsample="6"/>
    <general name="slow" joint="b" dyntype="filter" dynprm=".1" gainprm="2"/>
  </actuator>
  <sensor><jointpos name="angle" joint="a" delay="0.015" nsample="5"/><jointvel name="rate" joint="b" interval="0.02 0" nsample="3"/></sensor>
</mujoco>
"""


def start():
    """Two unequal worlds under way."""
    m, d = mjw.load(MODEL, nworld=2)
    d.qvel.assign(np.random.default_rng(1).normal(size=d.qvel.shape).astype(np.float32))
    d.xfrc_applied.assign(np.random.default_rng(2).normal(size=(*d.xfrc_applied.shape, 6)).astype(np.float32))
    d.mocap_pos.assign(np.array([[[1, 1, 1]], [[0.5, 0.5, 1]]], dtype=np.float32))
    d.eq_active.assign(np.array([[False], [True]]))
    return m, d


def drive(m, d, steps, first=0):
    for k in range(first, first + steps):
        d.ctrl.assign(np.array([[np.sin(0.3 * k), 0.5], [np.cos(0.2 * k), -0.1 * k]], dtype=np.float32))
        mjw.step(m, d)


def bits(d):
    names = ("time", "time_low", "qpos", "qvel", "act", "qacc", "qacc_warmstart", "history", "sensordata", "ctrl", "eq_active", "efc_force", "xpos")
    return {name: getattr(d, name).numpy().tobytes() for name in names}


@pytest.fixture
def saved(tmp_path):
    m, d = start()
    m.opt.iterations, m.opt.gravity = 7, [[0, 0, -9.0], [0, 1, -3.0]]
    drive(m, d, 23)
    mjw.save(tmp_path / "run.npz", m, d)
    return tmp_path / "run.npz", m, d


def test_resumed_run_is_equal_to_the_bit(saved):
    path, m, d = saved
    m2, d2 = mjw.load(MODEL, nworld=2)
    assert bits(d2) != bits(d)
    mjw.restore(path, m2, d2)
    assert m2.opt.iterations == 7 and np.array_equal(m2.opt.gravity.numpy(), m.opt.gravity.numpy())
    drive(m, d, 20, 23)
    drive(m2, d2, 20, 23)
    assert bits(d2) == bits(d)
    assert d.qpos.numpy()[0].tobytes() != d.qpos.numpy()[1].tobytes()


def test_going_back_in_the_same_data(saved):
    path, m, d = saved
    drive(m, d, 15, 23)
    first = bits(d)
    mjw.restore(path, m, d)
    drive(m, d, 15, 23)
    assert bits(d) == first


def test_capacities_that_there_were(saved):
    path, m, d = saved
    _, small = mjw.load(MODEL, nworld=2, nconmax=0)
    with pytest.raises(ModelError, match=r"nconmax \d+; allowed: at most 0"):
        mjw.restore(path, m, small)


def changed(header=None, **arrays):
    """A checkpoint with something else in it."""

    def change(path):
        with np.load(path) as file:
            found = dict(file)
        if header:
            text = json.loads(found["header"].tobytes()) | header
            found["header"] = np.frombuffer(json.dumps(text).encode(), dtype=np.uint8)
        np.savez(path, **(found | arrays))

    return change


def foreign(path):
    buffer = io.BytesIO()
    np.save(buffer, np.array([{"a": 1}], dtype=object))
    path.write_bytes(buffer.getvalue())


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda path: path.write_bytes(path.read_bytes()[:-200]), "no checkpoint, or a damaged one"),
        (lambda path: path.write_bytes(b""), "no checkpoint, or a damaged one"),
        (lambda path: path.write_bytes(pickle.dumps([1, 2])), "no checkpoint, or a damaged one"),
        (foreign, "no checkpoint, or a damaged one"),
        (lambda path: np.savez(path, a=np.zeros(3)), "no checkpoint, or a damaged one"),
        (changed(qpos=np.zeros((2, 9), dtype=np.float32)), "differ from their digest"),
        (changed({"nworld": 3}), "differ from their digest"),
        (changed({"version": 99}), "of version 99"),
    ],
)
def test_damaged_and_foreign_files(saved, spoil, words):
    path, m, d = saved
    spoil(path)
    before = bits(d)
    with pytest.raises(ModelError) as caught:
        mjw.restore(path, m, d)
    assert words in str(caught.value) and "allowed:" in str(caught.value) and str(path) in str(caught.value)
    assert bits(d) == before


def test_every_changed_byte_is_noticed(saved):
    path, m, d = saved
    whole, refused = path.read_bytes(), 0
    with np.load(path) as file:
        original = {name: file[name].tobytes() for name in file.files}
    for place in np.random.default_rng(0).integers(0, len(whole), 40).tolist():
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x41]) + whole[place + 1 :])
        try:
            mjw.restore(path, m, d)
        except ModelError:
            refused += 1
        else:  # a byte of the archive that carries nothing, such as a date
            with np.load(path) as file:
                assert {name: file[name].tobytes() for name in file.files} == original
    assert refused > 10


def test_other_models_and_numbers_of_worlds(saved):
    path, m, _ = saved
    with pytest.raises(ModelError, match="a checkpoint of 2 worlds; allowed: 3, as d has"):
        mjw.restore(path, *mjw.load(MODEL, nworld=3))
    for other in (mjw.load(MODEL.replace('mass="2"', 'mass="2.1"'), nworld=2), mjw.load("<mujoco/>", nworld=2)):
        with pytest.raises(ModelError, match=r"a checkpoint of model .*; allowed: model .*load the model that it was saved with"):
            mjw.restore(path, *other)
    m.body("ball").mass = 3.0
    with pytest.raises(ModelError, match="change its fields as they were then"):
        mjw.restore(path, m, mjw.make_data(m, nworld=2))


def test_a_failure_leaves_what_was_there(saved, monkeypatch):
    path, m, d = saved
    before = path.read_bytes()
    monkeypatch.setattr(np, "savez", lambda *_, **__: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        mjw.save(path, m, d)
    assert path.read_bytes() == before and [one.name for one in path.parent.iterdir()] == [path.name]
    with pytest.raises(OSError):
        mjw.restore(path.parent / "none.npz", m, d)
