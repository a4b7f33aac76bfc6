"""``newtonish bench`` and capacities where a step does not look at them, as on a GPU: they grow before the turns, and what lacked room is said."""

import json
from pathlib import Path

import numpy as np
import pytest

from newtonish.cli.bench.engine import Newtonish
from newtonish.cli.main import main
from newtonish.mjw.recording import Recording

BALLS = """<mujoco><option timestep="0.01"/><worldbody><geom type="plane" size="5 5 1"/>
  <body pos="0 0 .1"><freejoint/><geom size=".1"/></body>
  <body pos="1 0 .1"><freejoint/><geom size=".1"/></body>
  <body pos="2 0 .1"><freejoint/><geom size=".1"/></body></worldbody></mujoco>"""


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three balls on a plane, room for a single contact, and steps that leave looking to the caller."""
    replay = Recording.replay

    def replay_without_a_look(self: Recording, steps: int = 1) -> bool:
        replay(self, steps)
        return False

    monkeypatch.setattr(Recording, "replay", replay_without_a_look)
    monkeypatch.setattr("newtonish.mjw.data.estimate", lambda m, nconmax, njmax, headroom, naconmax: (nconmax or 1, njmax or 4))
    path = tmp_path / "balls.xml"
    path.write_text(BALLS)
    return path


def test_room_is_there_after_the_first_step(model: Path) -> None:
    engine = Newtonish(model, 2, "cpu", quiet=True)
    qpos = np.tile(engine.data.qpos.numpy()[:1], (2, 1))
    qpos[1, 2] -= 0.01
    engine.start(qpos, np.zeros((2, 18), np.float32))
    with pytest.warns(UserWarning, match="from the next step on"):
        engine.advance(np.zeros((2, 0), np.float32), 1)
    assert engine.data.nconmax >= 3 and engine.data.ncon.numpy().tolist() == [3, 3]
    engine.begin()
    engine.advance(np.zeros((2, 0), np.float32), 10)
    assert not engine.data.overflow.numpy().any()


def bench(model: Path, target: Path, *words: str) -> dict:
    fixed = ["--worlds", "2", "--steps", "5", "--repeats", "1", "--vs", "none", "--no-startup", "--json", str(target)]
    assert main(["bench", str(model), *fixed, *words]) == 0
    (case,) = json.loads(target.read_text())["cases"]
    return case["engines"]["newtonish"]


def test_turns_have_room_for_everything(model: Path, tmp_path: Path, capsys) -> None:
    engine = bench(model, tmp_path / "bench.json")
    assert engine["contacts"]["mean"] == 3.0 and engine["worlds"]["overflowed"] == 0
    assert "overflowed" not in capsys.readouterr().out


def test_what_a_cap_left_out_is_printed(model: Path, tmp_path: Path, capsys) -> None:
    page = tmp_path / "page.md"
    engine = bench(model, tmp_path / "bench.json", "--nconmax", "2", "--markdown", str(page))
    assert engine["contacts"]["max"] == 2 and engine["worlds"]["overflowed"] == 2
    assert engine["room"] == {"contacts": [3, 2], "rows": [8, 12]}
    said = "2 worlds overflowed: up to 3 contacts and 8 rows wanted, room for 2 and 12"
    assert said in capsys.readouterr().out and f"balls.xml, 2 worlds: {said}" in page.read_text()
