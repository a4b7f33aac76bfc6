"""``newtonish tune`` prints what the gains of a model come to, and what to do about bad ones."""

import json
import re

import pytest

from newtonish.cli import tables
from newtonish.cli.main import main
from newtonish.tuning import diagnose

MODEL = """<mujoco><option timestep="0.01"/><worldbody><body><joint name="rail" type="slide" axis="0 0 1" limited="true" range="0 1" solreflimit="0.004 1"/>
  <geom size=".1" mass="2"/></body></worldbody><actuator><position joint="rail" kp="1000" kv="1"/></actuator>
  <keyframe><key name="up" qpos="0.5"/></keyframe></mujoco>"""


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "rail.xml"
    path.write_text(MODEL)
    return path


def test_tables_and_remedies(model, capsys) -> None:
    assert main(["tune", str(model)]) == 0
    output = capsys.readouterr()
    assert re.search(r"rail +│ m +│ +1e\+03 │ +1 │ +2 │ +2 │ +3.56 │", output.out)  # sqrt(1000/2) / 2 pi
    text = re.sub(r"[\s│]+", " ", output.out)
    assert "Joint limits" in text and "│ refsafe │" in output.out
    assert "2 to look at" in text or "3 to look at" in text
    assert "drive rail: a step overshoots by 97%: its damping is 1 N s/m, 89.4 would be critical" in output.out
    assert "limit rail (lower): refsafe leaves 0.04 of the stiffness" in output.out
    assert output.err == ""


def test_bad_rows_are_red(model, capsys, monkeypatch) -> None:
    from rich.console import Console

    console = Console(force_terminal=True, color_system="standard", width=200)
    monkeypatch.setattr(tables, "console", lambda: console)
    assert main(["tune", str(model)]) == 0
    assert re.search(r"\x1b\[31m ?rail", capsys.readouterr().out)


def test_json_has_every_row(model, capsys) -> None:
    assert main(["tune", str(model), "--pose", "up", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [row["kind"] for row in rows] == ["drive", "limit"]
    for row, known in zip(rows, diagnose(model, "up"), strict=True):
        assert row["stiffness"] == known.stiffness and row["remedies"] == list(known.remedies) and row["held_inertia"] == known.held_inertia


def test_a_wrong_pose_is_one_line(model, capsys) -> None:
    assert main(["tune", str(model), "--pose", "down"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line == "newtonish tune: error: pose: got 'down'; allowed: up; name a keyframe, or leave it out for the first one or the reference pose."


ROBOT = """<mujoco model="two"><option timestep="0.002" integrator="implicitfast"/><worldbody><body name="upper"><joint name="shoulder" axis="0 1 0" limited="true" range="-90 90" armature=".05"/>
  <geom size=".05" pos=".3 0 0" mass="1"/></body></worldbody><actuator><position name="shoulder" joint="shoulder" kp="20" dampratio=".2"/></actuator></mujoco>"""
SEARCH = ["--joint", "shoulder", "--spec", "settle=0.3,overshoot=0.05", "--payload", "0,0.2", "--poses", "2", "--candidates", "6"]


@pytest.fixture
def robot(tmp_path):
    path = tmp_path / "two.xml"
    path.write_text(ROBOT)
    return path


def test_gains_are_found_drawn_and_written(robot, tmp_path, capsys) -> None:
    files = {name: tmp_path / f"out.{name}" for name in ("xml", "py", "json", "png")}
    state = tmp_path / "state"
    assert main(["tune", str(robot), *SEARCH, "--out", str(files["xml"]), "--plot", str(files["png"]), "--resume", str(state)]) == 0
    first = capsys.readouterr()
    assert "1 of 1 joints meet everything" in first.out and re.search(r"before: +kp", first.out)
    assert f"wrote {files['xml']}" in first.err
    assert files["png"].read_bytes()[:4] == b"\x89PNG"
    assert main(["tune", str(robot), *SEARCH, "--out", str(files["py"]), "--resume", str(state)]) == 0
    assert main(["tune", str(robot), *SEARCH, "--json", "--out", str(files["json"]), "--resume", str(state)]) == 0
    capsys.readouterr()
    found = json.loads(files["json"].read_text())
    kp = found["joints"][0]["after"]["kp"]
    assert found["met"] and f'kp="{kp:.6g}"' in files["xml"].read_text() and f"kp={kp:.6g}" in files["py"].read_text()
    assert main(["tune", str(files["xml"]), *SEARCH, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["joints"][0]["before"]["kp"] == pytest.approx(kp, rel=1e-5)


def test_gains_of_a_stage_are_a_layer_over_it(robot, tmp_path, capsys) -> None:
    stage, layer = tmp_path / "two.usda", tmp_path / "tuned.usda"
    assert main(["convert", str(robot), str(stage)]) == 0
    assert main(["tune", str(stage), *SEARCH, "--out", str(layer)]) == 0
    capsys.readouterr()
    assert "two.usda" in layer.read_text() and len(layer.read_text()) < 1500
    assert main(["tune", str(layer), *SEARCH, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["met"] and found["generations"] == 1 and found["joints"][0]["before"]["kp"] > 21.0


def test_wrong_searches_are_one_line(robot, tmp_path, capsys) -> None:
    wrong = {
        ("--joint", "shoulder"): "no --spec",
        ("--spec", "settle=0.2", "--out", "gains.txt"): ".xml, .usda, .py, .json",
        ("--spec", "settle=0.2", "--out", "gains.usda"): "a .xml copy of an MJCF file",
        ("--spec", "settle=0.2", "--out", str(robot)): "the model itself",
        ("--spec", "settle=0.2", "--payload", "much"): "masses in kg",
        ("--spec", "settle=0.2", "--resume", str(robot)): "a file that --resume has written",
        ("--spec", "settle=0.2", "--joint", "sholder"): "did you mean shoulder",
    }
    for words, text in wrong.items():
        assert main(["tune", str(robot), *words]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert text in line and line.startswith("newtonish tune: error: "), line


def test_missed_bounds_and_interrupts_have_exit_codes(robot, tmp_path, capsys, monkeypatch) -> None:
    from newtonish.tuning.rig import Rig

    assert main(["tune", str(robot), "--spec", "settle=0.001", "--generations", "1"]) == 3
    assert "not settle" in re.sub(r"[\s│]+", " ", capsys.readouterr().out)
    runs, run = [], Rig.run

    def stop(self, *arguments):
        runs.append(self)
        if len(runs) == 3:
            raise KeyboardInterrupt
        return run(self, *arguments)

    monkeypatch.setattr(Rig, "run", stop)
    out = tmp_path / "part.xml"
    assert main(["tune", str(robot), "--spec", "settle=0.01", "--out", str(out)]) == 130
    assert "interrupted" in capsys.readouterr().out and out.exists()
