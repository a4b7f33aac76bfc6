"""``mujoco.batch`` as an engine of the benchmark: MuJoCo's own results on any number of threads, and what it says of worlds that failed."""

from pathlib import Path

import mujoco
import numpy as np
import pytest

from newtonish.cli.bench.engine import Engine, PeerMissing
from newtonish.cli.bench.measure import Record
from newtonish.cli.bench.peers import make
from newtonish.cli.main import main
from newtonish.cli.models import model_path

WORLDS = 5


def driven(name: str, threads: int) -> object:
    """An engine whose unequal humanoids have taken 40 steps under unequal controls."""
    engine = make(name, model_path("humanoid"), WORLDS, "cpu", threads)
    rng = np.random.default_rng(3)
    model = mujoco.MjModel.from_xml_path(str(model_path("humanoid")))
    qpos = np.tile(model.qpos0, (WORLDS, 1))
    qpos[:, 2] -= 0.1 * np.arange(WORLDS)
    engine.start(qpos, rng.normal(0.0, 0.1, (WORLDS, model.nv)))
    for _ in range(4):
        engine.advance(rng.uniform(-1.0, 1.0, (WORLDS, model.nu)).astype(np.float32), 10)
    return engine


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_worlds_are_those_of_the_plain_engine_to_the_bit(threads: int) -> None:
    one_by_one, batch = driven("mujoco", 1), driven("mujoco_batch", threads)
    np.testing.assert_array_equal(batch.qpos, np.stack([data.qpos for data in one_by_one._worlds]))
    expected, found = one_by_one.counts(), batch.counts()
    assert found.keys() == expected.keys() and len(set(expected["rows"])) > 1
    for kind, values in expected.items():
        np.testing.assert_array_equal(found[kind], values, err_msg=kind)
    assert batch.cores == threads and batch.health() == {"overflowed": 0, "non-finite": 0}


def test_one_world_takes_one_core() -> None:
    assert make("mujoco_batch", model_path("arm"), 1, "cpu", 4).cores == 1
    assert make("newtonish", model_path("arm"), 1, "cpu", 4).cores == 1


def test_worlds_that_went_wrong_are_counted() -> None:
    engine = make("mujoco_batch", model_path("arm"), WORLDS, "cpu", 2)
    nv = engine.model.nv
    qvel = np.zeros((WORLDS, nv))
    qvel[[1, 3]] = 1e30
    ctrl = np.zeros((WORLDS, engine.model.nu), np.float32)
    engine.start(np.zeros((WORLDS, engine.model.nq)), qvel)
    engine.advance(ctrl, 2)
    record = Record("mujoco_batch", unhealthy=engine.health())
    assert record.complaint == "2 worlds went non-finite"
    engine.begin()
    engine.advance(ctrl, 2)
    assert engine.health() == {"overflowed": 0, "non-finite": 0}


def test_a_mujoco_without_batches_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:
    import importlib

    found = importlib.import_module
    words = ["bench", "arm", "--worlds", "2", "--steps", "2", "--repeats", "1", "--vs", "mujoco_batch", "--no-startup"]

    def import_module(name: str, package: str | None = None) -> object:
        if name == "mujoco.batch":
            raise ImportError("No module named 'mujoco.batch'")
        return found(name, package)

    monkeypatch.setattr("newtonish.cli.bench.engine.importlib.import_module", import_module)
    monkeypatch.setattr(mujoco, "__version__", "3.3.2")
    with pytest.raises(PeerMissing) as caught:
        make("mujoco_batch", model_path("arm"), 2, "cpu", 2)
    for part in ("--vs mujoco_batch", "mujoco 3.3.2", "4.0 or later", "pip install"):
        assert part in str(caught.value)
    assert main(words) == 0
    assert f"mujoco_batch: {caught.value}" in capsys.readouterr().out


def test_both_take_the_threads_of_the_command_line(tmp_path: Path) -> None:
    import json

    target = tmp_path / "bench.json"
    words = ["bench", "arm", "--worlds", "32", "--steps", "2", "--repeats", "2", "--vs", "mujoco_batch", "--threads", "2"]
    assert main([*words, "--no-startup", "--json", str(target)]) == 0
    (case,) = json.loads(target.read_text())["cases"]
    assert {name: case["engines"][name]["cores"] for name in ("newtonish, 2 threads", "mujoco_batch")} == {
        "newtonish, 2 threads": 2,
        "mujoco_batch": 2,
    }
    assert case["ratios"]["mujoco_batch"]["median"] > 0.0


def test_processor_time_does_not_run_while_an_engine_sleeps(monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    monkeypatch.setattr(Engine, "by_processor", True)
    engine = make("mujoco_batch", model_path("arm"), WORLDS, "cpu", 2)
    step = engine._batch.step
    ctrl = np.zeros((WORLDS, engine.model.nu), np.float32)

    def slow(nstep: int) -> None:
        time.sleep(0.5)
        step(nstep=nstep)

    monkeypatch.setattr(engine._batch, "step", slow)
    assert 0.0 < engine.advance(ctrl, 20) < 0.4
    monkeypatch.setattr(Engine, "by_processor", False)
    assert engine.advance(ctrl, 20) > 0.5


def test_a_gpu_takes_no_processor_time(capsys: pytest.CaptureFixture) -> None:
    assert main(["bench", "arm", "--clock", "processor", "--device", "cuda:0"]) == 2
    assert "--clock: got 'processor' with --device cuda:0" in capsys.readouterr().err
