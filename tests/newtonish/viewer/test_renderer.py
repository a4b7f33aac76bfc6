"""Pictures as arrays: pixels, depths and numbers of things against what geometry tells, in two unequal worlds."""

import numpy as np
import pytest

from newtonish import mjw
from newtonish.errors import ModelError
from newtonish.viewer import Renderer

MODEL = """
<mujoco>
  <visual><headlight ambient="1 1 1" diffuse="0 0 0" specular="0 0 0"/></visual>
  <worldbody>
    <camera name="above" pos="0 0 5" fovy="45"/>
    <camera name="side" pos="0 -4 1" xyaxes="1 0 0 0 0 1" fovy="45"/>
    <geom name="floor" type="plane" size="5 5 .1" rgba="0 0 1 1"/>
    <body pos="0 0 .5" name="die"><freejoint/><geom name="die" type="box" size=".5 .5 .5" rgba="1 0 0 1"/></body>
    <body pos="3 0 .5" mocap="true"><geom name="hand" type="box" size=".2 .2 .2" rgba="0 1 0 1"/></body>
  </worldbody>
</mujoco>
"""
HEIGHT, WIDTH = 120, 160
SCALE = 0.5 * HEIGHT / np.tan(np.radians(22.5))  # pixels for a metre at a distance of a metre


@pytest.fixture(scope="module")
def drawn():
    m, d = mjw.load(MODEL, nworld=2)
    d.qpos.assign(np.array([[0, 0, 0.5, 1, 0, 0, 0], [1, 0.5, 1.5, 1, 0, 0, 0]], dtype=np.float32))
    d.mocap_pos.assign(np.array([[[3, 0, 0.5]], [[-1, 0, 0.3]]], dtype=np.float32))
    with Renderer(MODEL, HEIGHT, WIDTH) as renderer:
        yield renderer, m, d


def pixel(x, y, depth):
    """Row and column of a point below the camera above."""
    return round(0.5 * HEIGHT - 0.5 - SCALE * y / depth), round(0.5 * WIDTH - 0.5 + SCALE * x / depth)


def test_colours(drawn):
    renderer, _, d = drawn
    for world, (x, y, top) in enumerate(((0, 0, 1.0), (1, 0.5, 2.0))):
        renderer.update(d, world, "above")
        picture = renderer.render()
        assert picture.shape == (HEIGHT, WIDTH, 3) and picture.dtype == np.uint8
        assert picture[pixel(x, y, 5 - top)].argmax() == 0 and picture[pixel(-1.5, -1.5, 5)].argmax() == 2
    assert picture[pixel(-1, 0, 4.5)].argmax() == 1  # the mocap body of world 1


def test_depths(drawn):
    renderer, _, d = drawn
    renderer.enable_depth_rendering()
    for world, (x, y, top) in enumerate(((0, 0, 1.0), (1, 0.5, 2.0))):
        renderer.update(d, world=world, camera=0)
        depth = renderer.render()
        assert depth.shape == (HEIGHT, WIDTH) and depth.dtype == np.float32
        assert depth[pixel(x, y, 5 - top)] == pytest.approx(5 - top, abs=2e-3)
        assert depth[pixel(-1.5, -1.5, 5)] == pytest.approx(5.0, abs=2e-3)
    renderer.update(d, 0, "side")
    assert renderer.render()[HEIGHT // 2, WIDTH // 2] == pytest.approx(3.5, abs=2e-3)
    renderer.disable_depth_rendering()


def test_segmentation(drawn):
    renderer, m, d = drawn
    renderer.enable_segmentation_rendering()
    renderer.update(d, 1, "above")
    seen = renderer.render()
    assert seen.shape == (HEIGHT, WIDTH, 2) and seen.dtype == np.int32
    for name, place in (("die", pixel(1, 0.5, 3)), ("hand", pixel(-1, 0, 4.5)), ("floor", pixel(-1.5, -1.5, 5))):
        assert seen[place].tolist() == [m.geom(name).id, int(mjw.ObjType.GEOM)], name
    renderer.update(d, 0, "side")
    assert renderer.render()[0, 0].tolist() == [-1, -1]
    size = np.count_nonzero(renderer.render()[..., 0] == m.geom("die").id)
    assert size == pytest.approx((SCALE / 3.5) ** 2, rel=0.06)
    renderer.disable_segmentation_rendering()


def test_what_is_wrong_is_named(drawn):
    renderer, m, d = drawn
    other = mjw.load("<mujoco/>")[1]
    for wrong, words in (
        (lambda: renderer.update(d, 2), "world: got 2; allowed: 0 to 1"),
        (lambda: renderer.update(d, 0, "below"), "camera: got 'below'; allowed: 'above', 'side'"),
        (lambda: renderer.update(m), "got a Model; allowed: a newtonish.mjw.Data or a State"),
        (lambda: renderer.update(other), "data with nq=0"),
        (lambda: Renderer(m), "pass what the model was loaded from"),
        (lambda: Renderer(MODEL, 0, 5), "Renderer: height: got 0"),
    ):
        with pytest.raises(ModelError) as caught:
            wrong()
        assert words in str(caught.value)
