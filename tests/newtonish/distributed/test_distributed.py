"""Sweeps and rollouts over workers: equal bits whatever their number, and nothing lost or counted twice when one is killed."""

import os
import signal
import time
from collections import Counter
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from newtonish.distributed import Worker, WorkerLost, benchmark, rollout, sweep
from newtonish.distributed.pool import TaskFailed, make_pool
from newtonish.errors import ModelError, UnsupportedError

MODEL = """<mujoco><worldbody><geom type="plane" size="5 5 1"/><body pos="0 0 .5"><freejoint/><geom size=".1"/>
  <body pos=".2 0 0"><joint name="j" damping=".01"/><geom type="capsule" size=".03" fromto="0 0 0 .3 0 0"/></body></body></worldbody>
  <actuator><motor joint="j" ctrllimited="true" ctrlrange="-1 1"/></actuator><sensor><jointpos joint="j"/></sensor></mujoco>"""

needs_ray = pytest.mark.skipif(find_spec("ray") is None, reason="Ray, which is 240 MB, is not installed: pip install newtonish[ray]")


def draw(argument: int, rng: np.random.Generator) -> tuple[int, float]:
    return argument, float(rng.normal())


def test_tasks_have_random_numbers_of_their_own():
    first = sweep(draw, range(6), seed=3)
    assert [number for number, _ in first] == list(range(6))
    assert list(first) == list(sweep(draw, range(6), seed=3))
    assert list(first)[:2] == list(sweep(draw, range(2), seed=3))  # of how many does not matter
    assert len({value for _, value in first}) == 6
    assert list(first) != list(sweep(draw, range(6), seed=4))


def test_interrupt_leaves_results_and_the_folder_goes_on(tmp_path: Path):
    told = []

    def stop(done: int, total: int, seconds: float) -> None:
        told.append((done, total, seconds >= 0.0))
        if done == 3:
            raise KeyboardInterrupt

    broken = sweep(draw, range(6), folder=tmp_path, progress=stop)
    assert sorted(broken.results) == [0, 1, 2] and told == [(k, 6, True) for k in (1, 2, 3)]
    (tmp_path / "task_1.pickle").write_bytes(b"damaged by a full disk, perhaps, and longer than a digest")
    resumed = sweep(draw, range(6), folder=tmp_path)
    assert resumed.resumed == 2
    assert list(resumed) == list(sweep(draw, range(6)))
    for function, arguments in ((draw, range(7)), (draw, range(1, 7)), (partial(scaled, 2.0), range(6))):
        with pytest.raises(ModelError, match="results of another sweep"):
            sweep(function, arguments, folder=tmp_path)


def scaled(factor: float, argument: int, rng: np.random.Generator) -> float:
    return factor * argument


def test_a_folder_belongs_to_a_function_its_arguments_and_a_model(tmp_path: Path):
    table = [{"rows": np.arange(3.0), "name": ("a", None)}]
    sweep(partial(scaled, 2.0), [3], folder=tmp_path / "a")
    assert list(sweep(partial(scaled, 2.0), [3], folder=tmp_path / "a")) == [6.0]
    sweep(measure, table, folder=tmp_path / "b")
    assert sweep(measure, [{"name": ("a", None), "rows": np.arange(3.0)}], folder=tmp_path / "b").resumed == 1
    with pytest.raises(ModelError, match="results of another sweep"):
        sweep(measure, [{"rows": np.arange(1.0, 4.0), "name": ("a", None)}], folder=tmp_path / "b")
    model = tmp_path / "model.xml"
    model.write_text(MODEL)
    first = rollout(str(model), 2, 3, block=1, folder=tmp_path / "c")
    assert np.array_equal(rollout(str(model), 2, 3, block=1, folder=tmp_path / "c").qpos, first.qpos)
    model.write_text(MODEL.replace('damping=".01"', 'damping=".02"'))
    with pytest.raises(ModelError, match="results of another sweep"):
        rollout(str(model), 2, 3, block=1, folder=tmp_path / "c")


def measure(argument: dict, rng: np.random.Generator) -> float:
    return float(argument["rows"].sum())


def fail(argument: int, rng: np.random.Generator) -> None:
    raise ValueError(f"no {argument}")


def test_exceptions_of_tasks_come_through():
    with pytest.raises(TaskFailed, match="no 0") as caught:
        sweep(fail, range(2))
    assert isinstance(caught.value.__cause__, ValueError)


def test_blocks_give_each_world_its_own_numbers():
    one = rollout(MODEL, 5, 20, block=2, seed=1)
    assert one.qpos.shape == (5, 8) and np.isfinite(one.qpos).all() and not len(one.missing)
    assert len(np.unique(one.qpos[:, 7])) == 5
    again = rollout(MODEL, 3, 20, block=2, seed=1)
    np.testing.assert_array_equal(one.qpos[:2], again.qpos[:2])  # the first block is the same in both
    np.testing.assert_allclose(one.qpos[2], again.qpos[2], atol=1e-6)


def test_wrong_arguments_are_refused():
    with pytest.raises(ModelError, match="block: got 0"):
        rollout(MODEL, 5, 20, block=0)
    with pytest.raises(ModelError, match="workers: got -1"):
        sweep(draw, range(2), workers=-1)
    with pytest.raises(ModelError, match="at least 1 core, 0 or 1 GPU"):
        Worker(gpus=2)


def test_benchmark_here():
    result = benchmark(MODEL, 4, 10)
    assert result.total > 0.0 and len(result.digests) == 1


def test_without_ray_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    with pytest.raises(UnsupportedError, match=r"pip install newtonish\[ray\]"):
        make_pool(draw, 0, 2, Worker(), None)


@pytest.fixture(scope="module")
def cluster():
    """Ray with two cores on this machine, for all tests, because it takes seconds to start."""
    ray = pytest.importorskip("ray", reason="Ray, which is 240 MB, is not installed: pip install newtonish[ray]")
    support = str(Path(__file__).parent)
    ray.init(num_cpus=4, include_dashboard=False, log_to_driver=False, runtime_env={"env_vars": {"PYTHONPATH": support}})
    yield ray
    ray.shutdown()


def counted(argument: tuple[str, int], rng: np.random.Generator) -> float:
    """A task that leaves a trace, and whose worker dies at the first of a kind."""
    folder, number = argument
    with open(os.path.join(folder, f"{number}.txt"), "a") as file:
        file.write("x")
    if number == 2 and os.path.getsize(os.path.join(folder, "2.txt")) == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return float(rng.normal())


def deadly(argument: int, rng: np.random.Generator) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@needs_ray
def test_two_workers_give_the_same_bits_also_when_one_dies(cluster, tmp_path: Path):
    (tmp_path / "here").mkdir()
    (tmp_path / "there").mkdir()
    (tmp_path / "here" / "2.txt").write_text("x")  # so that nobody is killed here
    here = sweep(counted, [(str(tmp_path / "here"), k) for k in range(8)], seed=5)
    there = sweep(counted, [(str(tmp_path / "there"), k) for k in range(8)], seed=5, workers=2)
    assert there.lost == 1
    assert list(here) == list(there)  # the one whose worker died is there, and once
    done = Counter({path.stem: len(path.read_text()) for path in (tmp_path / "there").glob("*.txt")})
    assert done == {str(k): 2 if k == 2 else 1 for k in range(8)}
    with pytest.raises(WorkerLost, match="task 0: got 3 workers that died"):
        sweep(deadly, [0], workers=1)


@needs_ray
def test_rollouts_are_equal_to_the_bit(cluster):
    killed = []

    def kill(pool) -> None:
        if not killed:
            killed.append(pool.processes()[0])
            os.kill(killed[0], signal.SIGKILL)
            time.sleep(0.1)

    here = rollout(MODEL, 12, 30, block=3, seed=2)
    there = rollout(MODEL, 12, 30, block=3, seed=2, workers=2, begun=kill)
    assert there.lost >= 1
    for name in ("qpos", "qvel", "sensordata", "time", "nonfinite"):
        np.testing.assert_array_equal(getattr(here, name), getattr(there, name))
    rates = benchmark(MODEL, 4, 10, workers=2)
    assert len(rates.rates) == 2 and len(set(rates.digests)) == 1
