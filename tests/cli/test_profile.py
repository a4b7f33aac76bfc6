"""``newtonish profile``: the tables, the figures in JSON, the bars of the flame, the picture."""

import json
import sys

import numpy as np
import pytest

from newtonish.cli.main import main
from newtonish.cli.profile_plot import flame

MODEL = """
<mujoco>
  <option{option}/>
  <worldbody>
    <geom type="plane" size="5 5 .1"/>
    <body pos="0 0 .1"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
    <body pos="1 0 1"><joint name="a"/><geom size=".1"/></body>
  </worldbody>
  <actuator><motor joint="a" ctrllimited="true" ctrlrange="-1 1"/></actuator>
  <keyframe><key name="high" qpos="0 0 3 1 0 0 0 0"/></keyframe>
</mujoco>
"""


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "box.xml"
    path.write_text(MODEL.format(option=""))
    return str(path)


def test_a_plot_of_times_is_not_scaled_by_an_interruption() -> None:
    from newtonish.cli.profile_plot import ceiling

    times = np.array([700.0, 720.0, 690.0, 710.0, 705.0, 700.0, 715.0, 22000.0, 700.0, 700.0, 702.0, 699.0])
    assert 720.0 < ceiling(times) < 1000.0
    assert ceiling(times[:7]) == 1.1 * 720.0
    assert ceiling(np.zeros(3)) > 0.0


def test_tables_figures_and_picture(model, tmp_path, capsys):
    record, picture = tmp_path / "p.json", tmp_path / "p.png"
    words = ["profile", model, "--worlds", "3", "--steps", "40", "--samples", "8", "--json", str(record), "--plot", str(picture)]
    assert main(words) == 0
    out = capsys.readouterr().out
    for word in ("position", "collision", "solver", "integration", "all stages", "a whole step", "contacts", "iteration", "gradient left"):
        assert word in out
    assert picture.read_bytes()[:4] == b"\x89PNG"
    found = json.loads(record.read_text())
    assert (found["model"], found["worlds"], found["steps"]) == ("box.xml", 3, 40)
    assert len(found["step_seconds"]) == 39 and all(seconds > 0.0 for seconds in found["step_seconds"])
    stages = found["stage_seconds"]
    assert all(len(values) == 8 for values in stages.values()) and list(stages)[1:] == list(found["medians"])
    counts = found["counts"]
    assert len(counts["time"]) == 40 and max(counts["contacts"]["max"]) == 4
    assert np.all(np.array(counts["rows"]["mean"]) <= counts["rows"]["max"])
    assert found["summary"]["contacts"]["max"] == 4
    courses = found["solver"]["courses"]
    assert len(courses) == 5 and found["solver"]["tolerance"] == pytest.approx(1e-8)
    iterated = [course for course in courses if course["iterations"]]
    assert iterated
    for course in iterated:
        assert len(course["cost"]) == len(course["improvement"]) == course["iterations"] + 1
        assert course["cost"][-1] <= course["cost"][0]


def test_looking_changes_nothing(model, tmp_path, capsys):
    """The same contacts, rows and iterations, however often stages and solver are sampled."""
    found = []
    for samples in ("1", "30"):
        record = tmp_path / f"{samples}.json"
        assert main(["profile", model, "--steps", "30", "--samples", samples, "--json", str(record), "--seed", "3"]) == 0
        found.append(json.loads(record.read_text())["counts"])
    assert found[0] == found[1]


def test_in_the_air_there_is_nothing_to_iterate(model, capsys):
    assert main(["profile", model, "--steps", "5", "--keyframe", "high"]) == 0
    out = capsys.readouterr().out
    assert "nothing to iterate" in out


def test_an_integrator_without_a_course(tmp_path, capsys):
    path = tmp_path / "integrate.discrete.xml"
    path.write_text(MODEL.format(option=' integrator="discrete"'))
    assert main(["profile", str(path), "--steps", "3"]) == 0
    assert "no convergence of the solver to show" in capsys.readouterr().out


def test_what_is_wrong_is_said_before_anything_runs(model, tmp_path, capsys, monkeypatch):
    assert main(["profile", model, "--plot", str(tmp_path / "none" / "p.png")]) == 2
    assert "does not exist" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["profile", model, "--plot", str(tmp_path / "p.png")]) == 2
    assert "newtonish[plot]" in capsys.readouterr().err


def test_bars_of_the_flame_lie_on_their_parents():
    stages = {"position": 3.0, "collision": 1.0, "solver": 4.0, "integration": 2.0}
    bars = flame(stages, 12.0)
    level = {name: (level, left, width) for level, left, width, name in bars}
    assert level["step"] == (0, 0.0, 12.0) and level["forward"] == (1, 0.0, 8.0)
    assert level["integration"] == (1, 8.0, 2.0) and level["between stages"] == (1, 10.0, 2.0)
    assert [level[name] for name in ("position", "collision", "solver")] == [(2, 0.0, 3.0), (2, 3.0, 1.0), (2, 4.0, 4.0)]
    assert flame(stages, 7.0)[0] == (0, 0.0, 10.0, "stages one by one")
    assert flame(stages, float("nan"))[0][2] == 10.0
