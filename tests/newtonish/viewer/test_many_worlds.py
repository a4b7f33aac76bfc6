"""Pictures of several worlds: each has the light and the shadows that it has alone."""

import numpy as np

from newtonish.viewer import Simulation
from newtonish.viewer.draw import OffscreenRenderer
from newtonish.viewer.scene import CameraPose, SceneMaker

LAMPS = """
<mujoco>
  <visual><headlight ambient=".1 .1 .1" diffuse="0 0 0" specular="0 0 0"/></visual>
  <worldbody>
    <light type="spot" pos="0.5 0 2" dir="-.25 0 -1" cutoff="40" exponent="0" diffuse=".5 .5 .5" specular="0 0 0"/>
    <light type="point" pos="0 0 3" castshadow="false" diffuse=".2 .2 .2" specular="0 0 0"/>
    <geom type="plane" size="0 0 1" rgba=".8 .8 .8 1"/>
    <body pos="0 0 .6"><freejoint/><geom type="box" size=".15 .15 .15" rgba=".8 .8 .8 1"/></body>
  </worldbody>
</mujoco>
"""


def looks(worlds: int, shown: list[int] | None = None) -> list[tuple[float, float, float]]:
    """Brightness of the top of the box, of the ground in its shadow and of that beside it, world by world."""
    simulation = Simulation(LAMPS, worlds)
    offsets = np.array([[4.0 * i, 3.0 * (i % 2), 0] for i in range(worlds)])
    maker = SceneMaker(simulation.model, simulation.solver, offsets=offsets, worlds=shown, checker=False)
    scene = maker.make(simulation.state)
    found = []
    with OffscreenRenderer(240, 240, samples=1, shadow_size=2048) as renderer:
        for offset in offsets[slice(None) if shown is None else shown]:
            height = 8.0
            scene.camera = CameraPose(offset + np.array([0, 0, height]), np.array([0, 0, -1.0]), np.array([0, 1.0, 0]), -0.0025, 0.0025, 0.0, 0.01, 30.0)
            renderer.draw(scene)
            picture = renderer.color()[..., 0].astype(float)
            at = [(0, 0, 0.75), (-0.28, 0, 0), (0, 0.6, 0)]  # the shadow falls to the left: 0.6 m high, a quarter of it aside
            pixels = [(120 - y / (height - z) * 4 * 120, 120 + x / (height - z) * 4 * 120) for x, y, z in at]
            found.append(tuple(picture[int(row), int(column)] for row, column in pixels))
    return found


def test_every_world_has_light_and_shadow() -> None:
    worlds = looks(4)
    np.testing.assert_allclose(worlds, [worlds[0]] * 4, atol=2)
    top, shadow, beside = worlds[0]
    assert top > 100 and beside > 100 and shadow < 0.6 * beside


def test_one_world_keeps_its_lamps() -> None:
    """Cones and places stay: alone a world looks the same wherever it stands, and outside of the cone it is dark."""
    alone, moved = looks(1)[0], looks(3, [2])[0]
    np.testing.assert_allclose(moved, alone, atol=2)
    assert alone[1] < 0.7 * alone[2]
