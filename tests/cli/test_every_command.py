"""Each command with ``--help``, with nonsense, with ``--json`` and with ``--quiet``."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import MagicMock

import numpy as np
import pytest

from newtonish import mjw
from newtonish.cli.main import build_parser, main

COMMANDS = next(action for action in build_parser()._actions if action.dest == "command").choices
BALL = """<mujoco><worldbody><geom type="plane" size="1 1 .1"/><body name="ball" pos="0 0 .2"><joint name="slide" type="slide" axis="0 0 1"/><geom size=".1"/></body></worldbody>
<actuator><motor joint="slide"/></actuator></mujoco>"""
RUNS = {
    "simulate": ["ball.xml", "--worlds", "2", "--steps", "3", "--out", "run.npz"],
    "view": ["ball.xml"],
    "serve": ["ball.xml"],
    "replay": ["failed.npz", "--model", "ball.xml"],
    "record": ["ball.xml", "--seconds", "0.02", "--out", "run2.npz"],
    "profile": ["ball.xml", "--steps", "3", "--samples", "2"],
    "bench": ["ball.xml", "--worlds", "2", "--steps", "2", "--repeats", "1", "--vs", "none", "--no-startup"],
    "info": ["ball.xml"],
    "warmup": ["ball.xml"],
    "convert": ["ball.xml", "ball.npz"],
    "compare": ["ball.xml", "--steps", "2"],
    "tune": ["ball.xml"],
    "identify": ["ball.xml", "log.npz", "--fit", "damping", "--iterations", "2"],
    "list": [],
    "doctor": [],
    "completion": ["bash"],
}
"""A short run of each command, in a folder with ``ball.xml`` and the files of ``files_of``; a new command needs one here."""


class Window:
    """In place of the window, which has tests of its own."""

    url = "http://localhost"

    def __init__(self, *_: object) -> None:
        self.session = MagicMock()

    def __enter__(self) -> "Window":
        return self

    def __exit__(self, *_: object) -> None: ...

    def show(self, simulation) -> None:
        simulation.step()

    def run(self, rest: bool = False) -> None: ...

    def close(self) -> None: ...


def files_of(command: str) -> None:
    """What a command reads beside the model."""
    if command == "identify":
        time = np.arange(40) * 0.002
        np.savez("log.npz", time=time, ctrl=np.sin(20.0 * time)[:, None], qpos=-4.9 * time[:, None] ** 2)
    elif command == "replay":
        m, d = mjw.load("ball.xml", nworld=2)
        recorder = mjw.flight_recorder(m, d, 3)
        d.qvel = np.array([[0.0], [np.nan]], dtype=np.float32)
        mjw.step(m, d)
        recorder.dump("failed.npz")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "ball.xml").write_text(BALL, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "newtonish.viewer.window", SimpleNamespace(ViewerGL=Window))
    monkeypatch.setitem(sys.modules, "newtonish.viewer.web.window", SimpleNamespace(ViewerWeb=Window))
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS)
def test_help(command, capsys):
    assert main([command, "--help"]) == 0
    output = capsys.readouterr()
    assert output.err == "" and f"newtonish {command}" in output.out
    assert "--json" in output.out and "--quiet" in output.out and "--verbose" in output.out


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("nonsense", [["--nonsense"], ["--qiuet"], ["nowhere.xml", "nowhere.npz", "extra", "words"]], ids=["option", "misspelt", "words"])
def test_nonsense_is_one_line(command, nonsense, capsys, folder):
    assert main([command, *nonsense]) == 2
    output = capsys.readouterr()
    assert output.out == "" and len(output.err.splitlines()) == 1 and output.err.startswith(f"newtonish {command}: error: ")
    if nonsense == ["--qiuet"] and "required" not in output.err:
        assert "did you mean --quiet?" in output.err


@pytest.mark.parametrize("command", COMMANDS)
def test_json_alone_on_stdout(command, capsys, folder):
    files_of(command)
    capsys.readouterr()
    code = main([command, *RUNS[command], "--json"])
    content = json.loads(capsys.readouterr().out)
    assert code in (0, 1) and isinstance(content, dict) and content


@pytest.mark.parametrize("command", sorted(set(COMMANDS) - {"bench", "compare", "profile"}))  # which are quiet by the same means
def test_quiet(command, capfd, folder):
    files_of(command)
    capfd.readouterr()
    assert main([command, *RUNS[command], "--quiet"]) in (0, 1)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("words", [["info", "nowhere.xml", "--json"], ["simulate", "--json", "nowhere.xml"], ["doctor", "--json", "--nonsense"]])
def test_errors_are_json_too(words, capsys, folder):
    assert main(words) == 2
    content = json.loads(capsys.readouterr().out)
    assert content["exit"] == 2 and len(content["errors"]) == 1


def test_json_into_a_file_beside_the_tables(capsys, folder):
    assert main(["info", "ball.xml", "--json", "out.json"]) == 0
    assert "ball.xml: sizes" in capsys.readouterr().out
    assert json.loads(Path("out.json").read_text())["sizes"]["nbody"] == 2


def test_what_simulate_tells_programs(capsys, folder):
    assert main(["simulate", *RUNS["simulate"], "--option", "timestep=0.005", "--json"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert (content["model"], content["worlds"], content["steps"], content["interrupted"]) == ("ball.xml", 2, 3, False)
    assert content["timestep"] == pytest.approx(0.005) and content["written"] == {"trajectory": "run.npz"} and content["sizes"]["nv"] == 1


@pytest.mark.parametrize("shell", ["bash", "zsh", "tcsh"])
def test_completion(shell, capsys):
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert "simulate" in script and "worlds" in script


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_bash_completes_models_and_files(capsys, folder):
    assert main(["completion", "bash"]) == 0
    Path("script").write_text(capsys.readouterr().out)
    said = subprocess.run(["bash", "-c", "shopt -s progcomp; . ./script; _newtonish_models hum; _newtonish_models ba"], capture_output=True, text=True)
    assert said.returncode == 0 and said.stderr == ""
    assert {"humanoid", "humanoids_10", "ball.xml"} <= set(said.stdout.split())
