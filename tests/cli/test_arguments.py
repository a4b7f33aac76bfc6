"""Every wrong request is one line on stderr and exit code 2, before anything heavy starts."""

import subprocess
import sys

import pytest

import newtonish
from newtonish.cli.main import main

WRONG = {
    "no command": ([], "simulate, replay, view, serve, record, profile, bench, info"),
    "unknown command": (["dance"], "dance"),
    "unknown option": (["simulate", "--wrold", "3"], "--wrold"),
    "no worlds": (["simulate", "--worlds", "0"], "at least 1"),
    "negative worlds": (["simulate", "--worlds", "-4"], "at least 1"),
    "worlds in words": (["simulate", "--worlds", "many"], "'many'"),
    "no steps": (["simulate", "--steps", "0"], "--steps"),
    "negative seed": (["simulate", "--seed", "-1"], "at least 0"),
    "unknown control": (["simulate", "--control", "wild"], "wild"),
    "missing file": (["simulate", "nowhere.xml"], "nowhere.xml"),
    "a folder": (["simulate", "."], "folder"),
    "unknown device": (["simulate", "--device", "abacus"], "cpu"),
    "missing GPU": (["simulate", "--device", "cuda:99"], "cuda:99"),
    "out in no folder": (["simulate", "--out", "no/such/folder/x.npz"], "create the folder"),
    "out is a folder": (["simulate", "--out", "."], "file name"),
    "unknown peer": (["bench", "--vs", "abacus"], "mujoco_warp"),
    "json in no folder": (["bench", "--json", "no/such/folder/x.json"], "create the folder"),
    "no repeats": (["bench", "--repeats", "0"], "--repeats"),
    "no worlds in a list": (["bench", "--worlds", "1,0"], "at least 1"),
    "suite and models": (["bench", "arm", "--suite"], "leave out models"),
    "replay of nothing": (["bench", "--replay", "nowhere.npz"], "no such file"),
    "record in no folder": (["simulate", "--record", "no/such/folder/x.npz"], "create the folder"),
    "too many copies": (["bench", "humanoids_5000"], "1 to 1000"),
    "no copies": (["bench", "boxes_0"], "1 to 1000"),
    "info without a file": (["info"], "FILE"),
    "info on a missing file": (["info", "nowhere.xml"], "nowhere.xml"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_request_is_one_line(name: str, capsys: pytest.CaptureFixture, engine: object) -> None:
    words, expected = WRONG[name]
    assert main(words) == 2
    output = capsys.readouterr()
    assert output.out == ""
    lines = output.err.splitlines()
    assert len(lines) == 1, output.err
    assert expected in lines[0]
    assert lines[0].startswith("newtonish")
    assert engine.loaded == []


def test_unwritable_place(tmp_path, capsys, monkeypatch, engine) -> None:
    monkeypatch.setattr("newtonish.cli.arguments.os.access", lambda path, mode: False)
    target = tmp_path / "x.npz"
    assert main(["simulate", "--out", str(target)]) == 2
    assert "without write permission" in capsys.readouterr().err
    assert not target.exists()


@pytest.mark.parametrize(
    "words, right",
    [(["simualte"], "simulate"), (["recrod", "arm"], "record"), (["simulate", "humaniod"], "humanoid"), (["bench", "--vs", "mujoco_wrap"], "mujoco_warp")],
)
def test_nearly_right_names(words, right, capsys, engine) -> None:
    assert main(words) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1 and f"did you mean {right}?" in lines[0]


NAMES = {
    "keyframe": (["record", "humanoid", "--keyframe", "stnad"], "stand"),
    "body": (["record", "humanoid", "--push", "chst=1,0,0"], "chest"),
    "pose": (["tune", "humanoid", "--pose", "stnad"], "stand"),
}


@pytest.mark.parametrize("kind", NAMES)
def test_nearly_right_names_of_a_model(kind, capsys, tmp_path) -> None:
    words, right = NAMES[kind]
    assert main(words + (["--out", str(tmp_path / "x.npz")] if words[0] == "record" else [])) == 2
    assert capsys.readouterr().err.rstrip().endswith(f"did you mean {right}?")


def test_nearly_right_files(tmp_path, capsys, engine) -> None:
    (tmp_path / "robot.xml").write_text("<mujoco/>")
    assert main(["simulate", str(tmp_path / "robto.xml")]) == 2
    assert f"did you mean {tmp_path / 'robot.xml'}?" in capsys.readouterr().err


def test_version_and_help(capsys) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.strip() == f"newtonish {newtonish.__version__}"
    assert main(["--help"]) == 0
    assert "simulate" in capsys.readouterr().out


def test_internal_failure_is_one_line(capsys, monkeypatch, engine) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("first line\nsecond line")

    monkeypatch.setattr(engine, "load", broken)
    monkeypatch.delenv("NEWTONISH_TRACEBACK", raising=False)
    assert main(["simulate", "--worlds", "2", "--steps", "2"]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1 and "RuntimeError: first line second line" in lines[0]
    monkeypatch.setenv("NEWTONISH_TRACEBACK", "1")
    with pytest.raises(RuntimeError):
        main(["simulate", "--worlds", "2", "--steps", "2"])


def test_a_real_process_leaves_no_traceback() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "newtonish", "simulate", "--device", "cuda:99"],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1 and "cuda:99" in done.stderr
