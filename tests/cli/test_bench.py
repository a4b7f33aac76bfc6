"""``newtonish bench``: turns, ratios and the report, with a stand-in engine; MuJoCo as the peer is the real one."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from newtonish.cli.bench import command, measure
from newtonish.cli.bench.engine import Engine
from newtonish.cli.bench.peer_batch import MuJoCoBatch
from newtonish.cli.controls import Controls
from newtonish.cli.main import main


class Counting(Engine):
    """Takes a given time a step and logs who advanced, by how much and with which controls."""

    def __init__(self, name: str, seconds: float, log: list) -> None:
        super().__init__()
        self.name, self._seconds, self._log = name, seconds, log

    def advance(self, ctrl: np.ndarray, steps: int) -> float:
        self._log.append((self.name, ctrl.copy(), steps))
        return self._seconds * steps

    def counts(self) -> dict[str, np.ndarray]:
        return {"contacts": np.array([1, 3]), "rows": np.array([4, 12]), "iterations": np.array([2, 2])}


def test_engines_take_turns_under_equal_controls() -> None:
    log: list = []
    engines = [Counting("a", 0.001, log), Counting("b", 0.004, log)]
    controls = Controls("random", np.zeros((1, 3), np.float32), np.ones((1, 3), np.float32), 2, seed=0)
    records = measure.take_turns(engines, controls, steps=15, repeats=3, warm_up=20)

    assert [entry[0] for entry in log] == ["a"] * 4 + ["b"] * 4 + ["a", "a", "b", "b"] * 3
    assert [entry[2] for entry in log[:4]] == [1, 1, 10, 10]
    assert [entry[2] for entry in log[8:12]] == [10, 5, 10, 5]
    for name in ("a", "b"):
        assert sum(entry[2] for entry in log if entry[0] == name) == 2 + 20 + 3 * 15
    ours, theirs = ([entry[1] for entry in log if entry[0] == name] for name in ("a", "b"))
    np.testing.assert_array_equal(ours, theirs)

    np.testing.assert_allclose(records[0].rates, [2000.0] * 3)
    assert measure.ratios(records)["b"]["median"] == pytest.approx(4.0)
    assert records[0].tallies["rows"].summary() == {"mean": 8.0, "p95": 12, "max": 12}


def test_ratio_counts_cores() -> None:
    ours, theirs = measure.Record("newtonish", cores=2), measure.Record("mujoco")
    ours.rates, theirs.rates = [300.0, 400.0], [100.0, 100.0]
    assert measure.ratios([ours, theirs])["mujoco"] == {"median": 1.75, "min": 1.5, "max": 2.0}


def test_peer_names() -> None:
    assert command.peer_names("mujoco, mujoco_warp,mujoco") == ["mujoco", "mujoco_warp"]
    assert command.peer_names("none") == [] == command.peer_names("")


ARM = """<mujoco><worldbody><body><joint type="hinge" axis="0 1 0"/><geom size="0.1" pos="0.3 0 0"/>
<body pos="0.3 0 0"><joint type="hinge" axis="0 1 0"/><geom size="0.1" pos="0.3 0 0"/></body></body></worldbody>
<actuator><motor joint="j1" ctrlrange="-2 0" ctrllimited="true"/><motor joint="j2"/></actuator></mujoco>
""".replace('<joint type="hinge"', '<joint name="j1" type="hinge"', 1).replace('<body pos="0.3 0 0"><joint type', '<body pos="0.3 0 0"><joint name="j2" type')


def test_report(tmp_path: Path, capsys, engine) -> None:
    if sys.version_info < (3, 11):
        pytest.skip("MuJoCo 4.0 starts at Python 3.11")
    model, target = tmp_path / "arm.xml", tmp_path / "bench.json"
    model.write_text(ARM)
    words = ["bench", str(model), "--worlds", "3", "--steps", "20", "--repeats", "2", "--vs", "mujoco", "--no-startup", "--stages"]
    assert main([*words, "--json", str(target)]) == 0
    output = capsys.readouterr().out
    assert "newtonish" in output and "mujoco" in output
    report = json.loads(target.read_text())
    assert report["settings"]["worlds"] == [3] and report["machine"]["cores"] > 0 and report["versions"]["mujoco"] != "missing"
    (case,) = report["cases"]
    assert case["worlds"] == 3 and case["steps"] == 20 and case["controls"].startswith("random")
    assert len(case["engines"]["mujoco"]["rates"]) == 2
    assert case["ratios"]["mujoco"]["median"] > 0.0
    assert "Stages of a step" in output and {"position", "collision", "solver", "integration"} <= set(case["stages"])
    ours = case["engines"]["newtonish"]
    assert ours["iterations"]["mean"] == 2.0 and ours["converged"] == 1.0
    assert case["bytes per world"]["total"] == sum(v for k, v in case["bytes per world"].items() if k != "total") > 0.0


def test_missing_peer_is_reported(capsys, engine, monkeypatch) -> None:
    import importlib

    found = importlib.import_module

    def import_module(name: str, package: str | None = None) -> object:
        if name == "mujoco":
            raise ImportError("No module named 'mujoco'")
        return found(name, package)

    monkeypatch.setattr("newtonish.cli.bench.engine.importlib.import_module", import_module)
    assert main(["bench", "--worlds", "2", "--steps", "10", "--repeats", "1", "--vs", "mujoco", "--no-startup"]) == 0
    assert "not installed" in capsys.readouterr().out


@pytest.mark.parametrize("method", ["__init__", "start", "advance", "counts"])
def test_a_peer_that_fails_leaves_the_others_their_figures(capsys, engine, monkeypatch, tmp_path, method: str) -> None:
    """As one does for which a GPU has no room, when it is made or when its step is recorded."""

    def fail(*arguments: object, **more: object) -> None:
        raise RuntimeError("Failed to allocate 7 bytes on device 'cuda:0'")

    if sys.version_info < (3, 11):
        pytest.skip("MuJoCo 4.0 starts at Python 3.11")
    monkeypatch.setattr(MuJoCoBatch, method, fail)
    model, target = tmp_path / "arm.xml", tmp_path / "bench.json"
    model.write_text(ARM)
    words = ["--worlds", "2", "--steps", "10", "--repeats", "2", "--vs", "mujoco_batch,mujoco", "--no-startup", "--json", str(target)]
    assert main(["bench", str(model), *words]) == 0
    (case,) = json.loads(target.read_text())["cases"]
    assert set(case["engines"]) == set(case["ratios"]) | {"newtonish"} == {"newtonish", "mujoco"}
    assert case["missing"] == {"mujoco_batch": "failed with RuntimeError: Failed to allocate 7 bytes on device 'cuda:0'"}
    assert "mujoco_batch: failed with RuntimeError" in capsys.readouterr().out
