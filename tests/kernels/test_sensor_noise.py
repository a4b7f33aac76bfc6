"""Noise of sensors: the wanted statistics, the same bits for the same seed, other bits in other worlds and steps."""

import mujoco
import numpy as np
import pytest
import warp as wp

from newtonish import ModelError, mjw

MODEL = """<mujoco><worldbody><body pos="0 0 1"><freejoint/><geom size=".1"/><site name="s"/></body>
<body name="b" pos="1 0 1"><joint name="j" axis="0 1 0"/><geom size=".1" pos=".2 0 0"/></body></worldbody>
<sensor><framepos objtype="site" objname="s" noise=".3"/><jointpos joint="j"/><touch site="s" noise=".5"/>
<framezaxis objtype="site" objname="s" noise=".2"/><framequat objtype="site" objname="s" noise=".2"/>
<rangefinder site="s" noise="1"/><framepos objtype="site" objname="s" noise="2" cutoff="1.5"/></sensor></mujoco>"""
POS, JOINT, TOUCH, AXIS, QUAT, RANGE, BOUNDED = slice(0, 3), 3, 4, slice(5, 8), slice(8, 12), 12, slice(13, 16)


def noisy(device, seed=1, nworld=4000, steps=0):
    m = mjw.put_model(mujoco.MjModel.from_xml_string(MODEL), device=device)
    d = mjw.make_data(m, nworld)
    mjw.forward(m, d)
    d.time.fill_(0.002 * steps)
    clean = d.sensordata.numpy().copy()
    mjw.add_sensor_noise(m, d, seed)
    return clean, d.sensordata.numpy()


def test_standard_deviations(device):
    clean, data = noisy(device)
    added = data - clean
    assert np.abs(added[:, POS].mean(axis=0)).max() < 0.03
    np.testing.assert_allclose(added[:, POS].std(axis=0), 0.3, rtol=0.06)
    assert np.abs(np.corrcoef(added[:, POS].T) - np.eye(3)).max() < 0.06
    assert not added[:, JOINT].any(), "a sensor without noise"
    assert not added[:, TOUCH].any(), "a positive sensor that shows nothing"
    assert np.all(data[:, RANGE] == -1.0), "a rangefinder that hits nothing"
    assert np.abs(data[:, BOUNDED]).max() == 1.5 and np.abs(added[:, BOUNDED]).max() > 1.0


def test_directions_are_turned(device):
    clean, data = noisy(device)
    for part, factor in ((AXIS, 1.0), (QUAT, 2.0)):
        np.testing.assert_allclose(np.linalg.norm(data[:, part], axis=1), 1.0, atol=1e-5)
        cosine = np.clip(np.einsum("wi,wi->w", clean[:, part], data[:, part]), -1.0, 1.0)
        angle = factor * np.arccos(cosine)
        # an axis hardly notices turns about itself: of a random axis two thirds of the squared angle count
        np.testing.assert_allclose(np.sqrt(np.mean(angle**2)), 0.2 * np.sqrt(1.0 if factor == 2.0 else 2.0 / 3.0), rtol=0.06)


def test_equal_seeds_give_equal_bits_and_others_do_not(device):
    first, again = noisy(device, nworld=5)[1], noisy(device, nworld=5)[1]
    assert np.array_equal(first, again)
    assert np.array_equal(first[:3], noisy(device, nworld=3)[1]), "a world's noise depends on the number of worlds"
    for other in (noisy(device, seed=2, nworld=5)[1], noisy(device, steps=1, nworld=5)[1]):
        assert np.all(other[:, 0] != first[:, 0])
    assert len(np.unique(first[:, POS])) == 15


def test_noise_of_each_world_and_in_a_capture(device):
    m = mjw.put_model(mujoco.MjModel.from_xml_string(MODEL), device=device)
    noise = np.zeros((3, m.nsensor), dtype=np.float32)
    noise[1, 0] = 0.5
    m.sensor_noise = noise
    d = mjw.make_data(m, 3)
    mjw.step(m, d)
    clean = d.sensordata.numpy().copy()
    mjw.add_sensor_noise(m, d, 3)
    changed = d.sensordata.numpy() != clean
    assert changed[1, POS].all() and changed.sum() == 3
    with wp.ScopedCapture(device=device) as capture:
        mjw.add_sensor_noise(m, d, 3)
    d.sensordata.assign(clean)
    wp.capture_launch(capture.graph)
    assert (d.sensordata.numpy() != clean).sum() == 3


@pytest.mark.parametrize("seed", [-1, 1.5, "x"])
def test_a_seed_is_a_whole_number(seed):
    m = mjw.put_model(mujoco.MjModel.from_xml_string(MODEL))
    with pytest.raises(ModelError, match="seed"):
        mjw.add_sensor_noise(m, mjw.make_data(m), seed)
