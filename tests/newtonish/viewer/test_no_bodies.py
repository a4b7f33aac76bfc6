"""Models in which nothing moves: an arena is the first thing that many open."""

import numpy as np
import pytest
from PIL import Image
from x_input import virtual_display

from newtonish.cli.main import main
from newtonish.viewer import Replay, Simulation, ViewerGL
from newtonish.viewer.scene import SceneMaker

ARENA = """
<mujoco>
  <worldbody>
    <light pos="0 0 3"/>
    <geom name="floor" type="plane" size="2 2 .1" rgba=".2 .4 .8 1"/>
    <geom name="wall" type="box" size=".1 1 .5" pos="1 0 .5"/>
    <camera name="above" pos="0 0 5"/>
  </worldbody>
</mujoco>
"""


@pytest.fixture
def arena(tmp_path):
    path = tmp_path / "arena.xml"
    path.write_text(ARENA)
    return path


@pytest.mark.parametrize("name", ("a.png", "a.gif", "a.npz", "a.usda", "a.usdc"))
def test_recorded(arena, tmp_path, name, capsys) -> None:
    assert main(["record", str(arena), "--out", str(tmp_path / name), "--seconds", "0.1", "--fps", "20", "--size", "80x60"]) == 0, capsys.readouterr().err
    assert (tmp_path / name).stat().st_size > 100
    if name == "a.png":
        pixels = np.asarray(Image.open(tmp_path / name).convert("RGB")).astype(int)
        assert (pixels[..., 2] > 2 * pixels[..., 0]).mean() > 0.1, "the floor is seen"
    if name == "a.npz":
        assert len(Replay(tmp_path / name).model.shape_label) == 2


def test_shown_in_a_window(arena) -> None:
    simulation = Simulation(arena, worlds=2)
    with virtual_display(), ViewerGL(300, 200, samples=1, shadow_size=0, frame_rate=1000) as viewer:
        viewer.show(simulation)
        for key in ("RIGHT", "BRACKETRIGHT", "M", "I", "F6", "BACKSPACE", "LEFT"):
            viewer.key(key, frozenset())
            viewer.frame()
        assert not viewer.session.message and simulation.worlds == 2
        viewer.session.look(0.5, 0.5, "left", frozenset())
        assert viewer.session.selected_name() == ""


def test_cameras_and_lights_stand_where_they_are(arena) -> None:
    maker = SceneMaker(Simulation(arena, worlds=2).model)
    bodies = maker.bodies(maker.model.state())
    assert bodies.xpos.shape == (2, 1, 3)
    np.testing.assert_allclose(bodies.cameras()[0][:, 0] - maker.offsets, [[0, 0, 5]] * 2, atol=1e-6)
