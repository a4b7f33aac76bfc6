"""The tour's commands are typed as they stand on the page, one after another in one folder; its pictures are what they write."""

import re
import shlex
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from paths import REPO
from PIL import Image

from newtonish.cli.main import main
from newtonish.viewer import Replay, Simulation
from newtonish.viewer.scene.options import VisualOptions

TOUR = (REPO / "docs" / "tour.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(sh|xml)\n(.*?)^```", TOUR, flags=re.DOTALL | re.MULTILINE)


def commands() -> list[list[str]]:
    """Every line of the shell blocks, as words."""
    return [shlex.split(line) for kind, block in BLOCKS if kind == "sh" for line in block.splitlines()]


class Window:
    """In place of the window, which has tests of its own: lets a second pass."""

    shown: list = []  # noqa: RUF012

    def __init__(self, width: int, height: int) -> None:
        self.size = width, height
        self.simulation = None
        self.session = SimpleNamespace(maker=SimpleNamespace(free_camera=lambda: None), take_camera=lambda camera: None, options=VisualOptions())

    def show(self, simulation) -> None:
        self.simulation = simulation

    def run(self) -> None:
        simulation = self.simulation
        for _ in range(25):
            simulation.advance(0.04)
        Window.shown.append((type(simulation), simulation.name, simulation.time))

    def close(self) -> None:
        pass


def test_the_tour(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "newtonish.viewer.window", SimpleNamespace(ViewerGL=Window))
    monkeypatch.setattr(Window, "shown", [])
    monkeypatch.setattr("newtonish.viewer.simulation.LONGEST", 600.0)  # however slow the machine, a second is a second
    (model,) = [block for kind, block in BLOCKS if kind == "xml"]
    (tmp_path / "table.xml").write_text(model, encoding="utf-8")
    install, *others = commands()
    assert " ".join(install) == "pip install -e ."  # what the README begins with, too
    assert {words[1] for words in others} == {"simulate", "view", "record", "profile", "info"}
    for words in others:
        assert words[0] == "newtonish"
        assert main(words[1:]) == 0, words
        assert not capsys.readouterr().err, words
    (first, _, standing), (second, name, _) = Window.shown
    assert (first, second, name) == (Simulation, Replay, "run.npz") and standing == pytest.approx(1.0, abs=0.02)
    assert (tmp_path / "clip.mp4").read_bytes()[4:8] == b"ftyp"
    assert Replay(tmp_path / "run.npz").worlds == 4


@pytest.mark.parametrize("name", re.findall(r"\]\(img/(tour_[\w.]+)\)", TOUR))
def test_pictures_are_small_and_those_of_the_commands(name):
    path = REPO / "docs" / "img" / name
    written = name.removeprefix("tour_")
    (words,) = [words for words in commands() if written in words]
    assert path.stat().st_size < 160_000
    with Image.open(path) as image:
        colors = np.asarray(image.convert("RGB")).reshape(-1, 3)
        if "--size" in words:
            assert "x".join(map(str, image.size)) == words[words.index("--size") + 1]
    assert len(np.unique(colors, axis=0)) > 50
