"""Recordings of controls: what ``simulate --record`` writes, ``bench --replay`` plays, and what does not fit is said."""

import json
from pathlib import Path

import numpy as np
import pytest

from newtonish.cli.arguments import UsageError
from newtonish.cli.controls import Replay, check_replay, read_replay
from newtonish.cli.main import main


def test_equal_rows_are_held() -> None:
    ctrl = np.array([[1.0, 0.0], [1.0, 0.0], [2.0, 0.0], [1.0, 0.0], [1.0, 0.0]], np.float32)
    replay = Replay(ctrl, None, None, "x.npz")
    replay.nworld = 3
    blocks = list(replay.turn(4))
    assert [count for _, count in blocks] == [2, 1, 1]
    for (signal, _), row in zip(blocks, ([1.0, 0.0], [2.0, 0.0], [1.0, 0.0]), strict=True):
        np.testing.assert_array_equal(signal, [row] * 3)


def test_recording_and_replay(tmp_path: Path, capsys, engine) -> None:
    """The fake engine's velocities are its controls, so that what was applied can be read off."""
    target, figures = tmp_path / "walk.npz", tmp_path / "walk.json"
    assert main(["simulate", "--worlds", "3", "--steps", "25", "--record", str(target)]) == 0
    assert "controls written" in capsys.readouterr().out
    recorded = [row[0] for row in engine.applied]
    with np.load(target) as store:
        np.testing.assert_array_equal(store["ctrl"], recorded)
        assert store["qpos"].shape == (2,) and store["qvel"].shape == (2,)

    engine.applied.clear()
    words = ["bench", "--worlds", "2", "--repeats", "2", "--vs", "none", "--threads", "64", "--no-startup"]
    assert main([*words, "--replay", str(target), "--json", str(figures)]) == 0
    turn = [row[0] for row in engine.applied[-25:]]
    np.testing.assert_array_equal(turn, recorded)
    np.testing.assert_array_equal(engine.applied[-1][0], engine.applied[-1][1])
    (case,) = json.loads(figures.read_text())["cases"]
    assert case["steps"] == 25 and case["controls"] == "replay of walk.npz"


@pytest.mark.parametrize(
    ("arrays", "expected"),
    [
        ({"qpos": np.zeros(2)}, "no array 'ctrl'"),
        ({"ctrl": np.zeros(2)}, "(steps, nu)"),
        ({"ctrl": np.zeros((0, 2))}, "at least one step"),
        ({"ctrl": np.full((3, 2), np.nan)}, "finite"),
        ({"ctrl": np.array([["a"]])}, "cannot be read"),
        ({"ctrl": np.zeros((3, 1))}, "(2,) for humanoid"),
        ({"ctrl": np.zeros((3, 2)), "qpos": np.zeros(3)}, "qpos"),
    ],
)
def test_recordings_that_do_not_fit(arrays: dict, expected: str, tmp_path: Path, capsys, engine) -> None:
    target = tmp_path / "x.npz"
    np.savez(target, **arrays)
    assert main(["bench", "--worlds", "2", "--vs", "none", "--no-startup", "--replay", str(target)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert expected in line


def test_a_file_of_other_bytes(tmp_path: Path) -> None:
    target = tmp_path / "x.npz"
    target.write_bytes(b"PK\x03\x04 no archive")
    with pytest.raises(UsageError, match="cannot be read"):
        read_replay(target)


def test_too_few_steps() -> None:
    with pytest.raises(UsageError, match="3 steps"):
        check_replay(Replay(np.zeros((3, 1)), None, None, "x"), 4, "arm", 1, 1, 1)
