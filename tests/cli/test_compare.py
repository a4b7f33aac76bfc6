"""``newtonish compare``: differences of arrays and of motion, as tables, JSON and picture."""

import json
import sys
import warnings

import mujoco
import pytest
from paths import OWN
from saved import compiled

from newtonish.cli.compare import compare_fields
from newtonish.cli.main import main


def test_a_model_that_agrees(tmp_path, capsys) -> None:
    record, picture = tmp_path / "c.json", tmp_path / "c.png"
    assert main(["compare", str(OWN / "fixed_tendons.xml"), "--steps", "40", "--seed", "1", "--json", str(record), "--plot", str(picture)]) == 0
    out = capsys.readouterr().out
    assert "none of them different by more than 1e-05" in out and "random controls (seed 1)" in out
    figures = json.loads(record.read_text())
    assert [step["step"] for step in figures["steps"]] == list(range(1, 41))
    assert 0.0 < figures["steps"][-1]["qvel"] < 1e-3
    assert figures["fields"] > 250
    assert picture.read_bytes()[:4] == b"\x89PNG"


def test_differences_are_found_and_sorted() -> None:
    theirs = mujoco.MjModel.from_xml_path(str(OWN / "fixed_tendons.xml"))
    theirs.body_mass[2] *= 1.5
    theirs.opt.timestep *= 1.1
    theirs.geom_pos[0] += 1e-9
    _, found = compare_fields(compiled(OWN / "fixed_tendons.xml"), theirs)
    assert found[0].name == "body_mass" and found[0].place == "[2]"
    assert found[0].ours == pytest.approx(found[0].theirs / 1.5)
    assert [f.name for f in found if f.error > 1e-5] == ["body_mass", "opt.timestep"]


def test_another_shape_is_the_worst() -> None:
    theirs = mujoco.MjModel.from_xml_string("<mujoco/>")
    _, found = compare_fields(compiled(OWN / "fixed_tendons.xml"), theirs)
    assert found[0].error == float("inf") and "shape" in found[0].place


def test_without_mujoco_one_line_says_so(monkeypatch, capsys) -> None:
    monkeypatch.setitem(sys.modules, "mujoco", None)
    assert main(["compare", "arm"]) == 2
    assert capsys.readouterr().err.strip().endswith("install it with pip install mujoco.")


def test_without_matplotlib_one_line_says_so(monkeypatch, tmp_path, capsys) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["compare", "arm", "--plot", str(tmp_path / "x.png")]) == 2
    assert "no matplotlib" in capsys.readouterr().err


def test_a_file_that_mujoco_refuses(tmp_path, capsys) -> None:
    (tmp_path / "bad.xml").write_text("<mujoco><worldbody><geom/></worldbody></mujoco>")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert main(["compare", str(tmp_path / "bad.xml")]) == 2
    assert "cannot load the model" in capsys.readouterr().err
