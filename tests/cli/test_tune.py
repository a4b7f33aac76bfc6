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
