"""``newtonish simulate``: the loop and its table with a stand-in engine, then the whole road with the real one."""

import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from newtonish.assets import asset_path
from newtonish.cli.main import main


def cells(text: str) -> dict[str, str]:
    """The two-column table of a command's output as a dictionary."""
    rows = re.findall(r"^[│|]\s*(.+?)\s*[│|]\s*(.+?)\s*[│|]$", text, flags=re.MULTILINE)
    return dict(rows)


def test_table_and_trajectory(tmp_path: Path, capsys, engine) -> None:
    out = tmp_path / "run.npz"
    assert main(["simulate", "--worlds", "4", "--steps", "25", "--seed", "5", "--out", str(out)]) == 0
    table = cells(capsys.readouterr().out)
    assert engine.loaded == [(str(asset_path()), 4, "cpu")]
    assert table["sizes"] == "nq 2, nv 2, nu 2, nbody 3, ngeom 4"
    assert (table["worlds"], table["steps"]) == ("4", "25")
    assert table["contacts per step"] == "mean 1.50, max 3"
    assert table["rows per step"] == "mean 6.00, max 12"
    assert table["solver iterations per step"] == "mean 2.00, max 2"
    assert table["worlds that overflowed"] == "1"
    assert table["worlds that went non-finite"] == "1"
    assert "steps/s (all worlds)" in table and "real-time factor" in table and "first step" in table["seconds"]

    with np.load(out) as result:
        assert {"time", "qpos", "qvel", "final_time", "final_qpos", "final_qvel"} <= set(result.files)
        assert result["time"].shape == (26,) and result["qpos"].shape == (26, 2)
        np.testing.assert_allclose(result["time"], 0.01 * np.arange(26), atol=1e-5)
        applied = np.stack(engine.applied)
        np.testing.assert_allclose(result["qvel"][1:], applied[:, 0], atol=1e-6)
        np.testing.assert_allclose(result["qpos"][-1], result["final_qpos"][0])
        np.testing.assert_allclose(result["final_qpos"], 0.01 * applied.sum(0), atol=1e-5)


def test_a_trajectory_as_text(tmp_path: Path, capsys, engine) -> None:
    out = tmp_path / "run.csv"
    assert main(["simulate", "--worlds", "2", "--steps", "3", "--out", str(out)]) == 0
    header, *rows = [line.split(",") for line in out.read_text().splitlines()]
    assert header == ["time", "qpos[0]", "qpos[1]", "qvel[0]", "qvel[1]"] and len(rows) == 4
    numbers = np.array(rows, dtype=np.float32)
    np.testing.assert_array_equal(numbers[1:, 3:], np.stack(engine.applied)[:, 0])
    np.testing.assert_allclose(numbers[:, 0], 0.01 * np.arange(4), atol=1e-6)


@pytest.mark.parametrize("name", ["run.npz", "run.csv"])
def test_an_interrupted_run_leaves_what_it_had(name: str, tmp_path: Path, capsys, monkeypatch, engine) -> None:
    """Ctrl-C in the middle of step 13 of 40: the step is finished, and everything is written up to it."""
    step = engine._step

    def interrupted(data) -> None:
        if len(engine.applied) == 12:
            signal.raise_signal(signal.SIGINT)
        step(data)

    monkeypatch.setattr(engine, "_step", interrupted)
    before = signal.getsignal(signal.SIGINT)
    out, record = tmp_path / name, tmp_path / "controls.npz"
    assert main(["simulate", "--worlds", "4", "--steps", "40", "--out", str(out), "--record", str(record)]) == 130
    assert signal.getsignal(signal.SIGINT) is before
    said = capsys.readouterr()
    assert "interrupted after 13 of 40 steps" in said.err and f"trajectory written to {out} up to step 13" in said.out
    assert cells(said.out)["steps"] == "13 of 40"
    times = np.load(out)["time"] if name.endswith("npz") else np.loadtxt(out, delimiter=",", skiprows=1)[:, 0]
    np.testing.assert_allclose(times, 0.01 * np.arange(14), atol=1e-5)
    assert np.load(record)["ctrl"].shape == (13, 2)


def test_another_kind_of_file_is_refused_before_the_run(tmp_path: Path, capsys, engine) -> None:
    assert main(["simulate", "--steps", "3", "--out", str(tmp_path / "run.parquet")]) == 2
    assert "ends in '.parquet'; allowed: .npz, .csv" in capsys.readouterr().err
    assert not engine.loaded


def test_controls_are_held_and_stay_in_range(capsys, engine) -> None:
    assert main(["simulate", "--worlds", "3", "--steps", "25"]) == 0
    applied = np.stack(engine.applied)
    assert len(applied) == 25
    for first in (0, 10, 20):
        block = applied[first : first + 10]
        assert (block == block[0]).all()
    assert not (applied[0] == applied[10]).any()
    assert applied[..., 0].min() >= -2.0 and applied[..., 0].max() <= -1.0
    assert np.abs(applied[..., 1]).max() <= 1.0


def test_single_step_and_zero_control(capsys, engine) -> None:
    assert main(["simulate", "--worlds", "2", "--steps", "1", "--control", "zero"]) == 0
    assert "the only step was the first" in capsys.readouterr().out
    assert not engine.applied[0].any()


BROKEN = {
    "syntax": ("<mujoco>\n  <worldbody>\n</mujoco>\n", 3),
    "unknown attribute": ("<mujoco>\n  <worldbody>\n    <geom sise='1'/>\n  </worldbody>\n</mujoco>\n", 3),
    "unknown element": ("<mujoco>\n  <worldbody>\n    <jeom size='1'/>\n  </worldbody>\n</mujoco>\n", 3),
    "bad number": ("<mujoco>\n  <worldbody>\n    <geom size='wide'/>\n  </worldbody>\n</mujoco>\n", 3),
    "empty": ("", None),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_file_is_one_line_with_its_place(name: str, tmp_path: Path, capsys) -> None:
    text, line = BROKEN[name]
    path = tmp_path / "broken.xml"
    path.write_text(text)
    assert main(["simulate", str(path), "--worlds", "2", "--steps", "2"]) == 2
    errors = capsys.readouterr().err.splitlines()
    assert len(errors) == 1, errors
    place = "broken.xml" if line is None else rf"broken\.xml:{line}:\d+"
    assert re.search(place, errors[0]), errors[0]


def test_packaged_humanoid_from_start_to_end(tmp_path: Path) -> None:
    out = tmp_path / "trajectory.npz"
    command = [sys.executable, "-m", "newtonish", "simulate", "--worlds", "8", "--steps", "60", "--out", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    table = cells(done.stdout)
    assert table["sizes"] == "nq 28, nv 27, nu 21, nbody 14, ngeom 21"
    assert table["worlds that overflowed"] == "0"
    assert table["worlds that went non-finite"] == "0"
    contacts = float(re.search(r"mean ([\d.]+)", table["contacts per step"]).group(1))
    assert contacts > 1.0
    with np.load(out) as result:
        assert result["qpos"].shape == (61, 28) and result["final_qvel"].shape == (8, 27)
        for array in result.values():
            assert np.isfinite(array).all()
        np.testing.assert_array_equal(result["qpos"][-1], result["final_qpos"][0])
        assert np.abs(result["final_qpos"][0] - result["final_qpos"][1]).max() > 1e-3
        np.testing.assert_allclose(result["time"][-1], 0.3, atol=1e-5)


def test_the_packaged_humanoid_stands_without_control(tmp_path: Path, capsys) -> None:
    out = tmp_path / "stand.npz"
    words = ["simulate", "--worlds", "2", "--steps", "400", "--control", "zero", "--out", str(out)]
    assert main(words) == 0
    with np.load(out) as result:
        assert result["qpos"][-1, 2] > 0.62
        assert np.abs(result["qvel"][-1]).max() < 0.1


def test_a_model_without_joints(tmp_path: Path, capsys) -> None:
    model, out = tmp_path / "ground.xml", tmp_path / "ground.npz"
    model.write_text('<mujoco><worldbody><geom type="plane" size="1 1 1"/></worldbody></mujoco>')
    assert main(["simulate", str(model), "--worlds", "2", "--steps", "3", "--out", str(out)]) == 0
    assert cells(capsys.readouterr().out)["sizes"] == "nq 0, nv 0, nu 0, nbody 1, ngeom 1"
    with np.load(out) as result:
        assert result["time"].shape == (4,) and result["qpos"].shape == (4, 0) and result["final_qvel"].shape == (2, 0)


@pytest.mark.parametrize("arguments", [["--worlds", "1000000000"], ["--steps", "99999999999999"]])
def test_more_than_fits_in_memory_is_refused_before_it_is_taken(arguments, capsys) -> None:
    assert main(["simulate", "--worlds", "1", "--steps", "1", *arguments]) == 2
    assert re.search(r"GiB; allowed: the [0-9.,]+ GiB that cpu has free; take fewer", capsys.readouterr().err)


def test_a_gpu_that_is_not_there_is_one_line(capfd) -> None:
    import warp as wp

    if wp.is_cuda_available():
        pytest.skip("this machine has a GPU")
    assert main(["simulate", "--device", "cuda"]) == 2
    assert len(capfd.readouterr().err.strip().splitlines()) == 1


def test_a_pipe_gets_plain_text() -> None:
    command = [sys.executable, "-m", "newtonish", "simulate", "--worlds", "1", "--steps", "1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and done.stderr == ""
    assert "\x1b" not in done.stdout and "\r" not in done.stdout and "the only step was the first" in done.stdout
