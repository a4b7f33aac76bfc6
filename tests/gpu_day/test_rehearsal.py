"""Every slice on the CPU with few worlds, so that no minute on a GPU goes to a slip; and that each of them can find something."""

import functools
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from day import command, cpu_results, engine, models, page
from day.journal import Journal
from day.results import result_file
from day.slices import agreement, lanes
from day.tasks import copies as copies_task
from oracle import SOLVER
from rehearsal import Day

FAILING = """
import pytest
@pytest.mark.parametrize("i", range(3))
def test_good(i): pass
def test_bad(): assert 1 == 2
def test_skipped(): pytest.skip("no reason")
def test_without_compiler(): raise RuntimeError("'NoneType' object has no attribute 'wp_compile_cpp'")
"""
BREAKING = """
import day.pytest_journal as journal
def test_breaks_the_device():
    journal._device_works = lambda: False
    assert False
def test_after_it(): pass
"""
FEW = ("--models", "arm", "--worlds", "64")
PARTS = {
    "devices": ("--models", "arm"), "agreement": ("--models", "humanoid,arm"), "bench": FEW, "lanes": (*FEW, "--settings", "default; solve=32"),
    "tests": ("--paths", "tests/kernels/test_linalg_dense.py", "--workers", "2"),
}  # fmt: skip
"""The slices that are rehearsed here, with little to do for each."""

OPTIONS = "def pytest_addoption(parser): parser.addoption('--device', default='cpu')"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Day:
    """One day for the slices of this file, which follow each other."""
    return Day(tmp_path_factory.mktemp("day") / "out")


def test_devices(whole: Day) -> None:
    assert whole("run", "devices", *PARTS["devices"]) == 0
    kinds = {record["kind"]: record for record in whole.records("devices")}
    assert kinds["machine"]["device"] == "cpu" and kinds["machine"]["cpu compiler"]
    assert kinds["kernels"]["modules"] > 4 and kinds["copy"]["bytes a second"] > 1e8
    assert {r["name"] for r in whole.records("devices") if r["kind"] == "tool"} >= {"ncu", "compute-sanitizer"}


def test_agreement(whole: Day) -> None:
    assert whole("run", "agreement", *PARTS["agreement"]) == 0
    found = {record["model"]: record for record in whole.records("agreement") if record["kind"] == "single steps"}
    assert set(found) == {"humanoid", "arm"}
    for record in found.values():
        assert record["states"] == 72 and not record["other counts"] + record["off"] + record["lost"]
        assert record["same bits"] == {"captured twice": True, "captured and plain": True}
    stages = {r["stage"] for r in whole.records("agreement") if r["kind"] == "stage" and r["model"] == "humanoid"}
    assert {"position", "velocity", "acceleration", "solution"} <= stages
    (same,) = (r for r in whole.records("agreement") if r["kind"] == "copies")
    assert same["worlds"] == 64 and same["different"] == {}
    assert "**no**" not in "\n".join(agreement.report(whole.records("agreement")))


def test_agreement_finds_what_differs(whole: Day, tmp_path: Path) -> None:
    """Other results than this device's: a state, a count of rows, an array of a stage, and a number that is none."""
    results = cpu_results.load(whole.out / "results", "humanoid")
    results["qvel"][5, 1, 3] += 0.2
    results["nefc"][7, 2] += 1
    results["qacc_warmstart"][9, 0, 0] = np.nan
    results["stage.xpos"][4, 6, 1] += 0.01
    np.savez(result_file(tmp_path, "humanoid"), **results)
    from day.tasks.agreement import agree

    journal = Journal(tmp_path / "day.jsonl", "agreement")
    agree(journal, "cpu", "humanoid", str(tmp_path))
    (steps,) = (r for r in journal.records() if r["kind"] == "single steps")
    # steps 4 and 8 end in changed states, and steps 5 and 9 begin in them
    assert steps["other counts"] >= 1 and 3 <= steps["off"] <= 4 and steps["worst"]["qvel"] > SOLVER
    position = next(r for r in journal.records() if r["kind"] == "stage" and r["stage"] == "position")
    assert position["worst"] == "xpos" and position["error"] > position["tolerance"]
    page = "\n".join(agreement.report(journal.records()))
    assert page.count("**no**") >= 2


def test_copies_find_a_world_that_differs(whole: Day, monkeypatch: pytest.MonkeyPatch) -> None:
    results = cpu_results.load(whole.out / "results", "humanoid")
    m, d = engine.load("humanoid", 8, "cpu", nconmax=int(results["nconmax"]), njmax=int(results["njmax"]))
    put = engine.put_states

    def put_and_nudge(d, states) -> None:
        states["qvel"][3, 0] = np.nextafter(states["qvel"][3, 0], np.float32(9.0))
        put(d, states)

    monkeypatch.setattr(engine, "put_states", put_and_nudge)
    different = copies_task._step_copies(m, d, results, 2)
    assert different["qvel"] == 1 and set(different.values()) == {1}


def test_bench_and_lanes(whole: Day) -> None:
    assert whole("run", "bench", *PARTS["bench"]) == 0
    (case,) = (r for r in whole.records("bench") if r["kind"] == "bench")
    assert case["ratios"]["mujoco_warp"]["median"] > 0.0 and len(case["stages"]) >= 4 and case["worlds"] == 64
    (burst,) = (r for r in whole.records("bench") if r["kind"] == "burst")
    assert (burst["model"], burst["worlds"], burst["steps"]) == ("humanoid", 256, 50) and burst["contacts"] > 0.0
    assert whole("run", "lanes", *PARTS["lanes"]) == 0
    found = [r for r in whole.records("lanes") if r["kind"] == "bench"]
    assert [r["setting"] for r in found] == ["default", "solve=32"] and set(found[0]["engines"]) >= {"newtonish"}
    # on a CPU a world has one lane whatever is set, and the page says that these settings are one
    assert "- arm, 64 worlds: `default`, `solve=32` ran the same kernels" in lanes.report(found)


def test_tests_are_written_down_and_not_repeated(whole: Day) -> None:
    words = ("run", "tests", *PARTS["tests"])
    one = "tests/kernels/test_linalg_dense.py::test_never_there"
    Journal(whole.out / "day.jsonl", "tests").write("test", test=one, outcome="passed", seconds=0.0, said="")
    assert whole(*words) == 0
    found = [r for r in whole.records("tests") if r["kind"] == "test" and r["test"] != one]
    assert len(found) > 10 and {r["outcome"] for r in found} == {"passed"}
    assert len({r["test"] for r in found}) == len(found)
    whole(*words)
    assert len([r for r in whole.records("tests") if r["kind"] == "test"]) == len(found) + 1


def run_pytest(folder: Path, text: str, *words: str) -> list[dict]:
    """Records of a run of the plugin over a file of tests."""
    (folder / "conftest.py").write_text(OPTIONS)
    (folder / "test_some.py").write_text(text)
    (folder / "done.json").write_text("[]")
    environment = {"GPU_DAY_OUT": str(folder), "GPU_DAY_SLICE": "tests", "GPU_DAY_DONE": str(folder / "done.json")}
    path = str(Path(__file__).parent)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "day.pytest_journal", "-p", "xdist", *words, str(folder)]
    clean = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
    subprocess.run(command, env={**clean, **environment, "PYTHONPATH": path}, cwd=folder, check=False, capture_output=True, timeout=120)
    return [r for r in Journal(folder / "day.jsonl", "tests").records() if r["kind"] == "test"]


@pytest.mark.parametrize("workers", ["0", "2"])
def test_outcomes_of_tests(tmp_path: Path, workers: str) -> None:
    found = {r["test"].split("::")[1]: r for r in run_pytest(tmp_path, FAILING, "-n", workers)}
    assert len(found) == 6 and found["test_good[2]"]["outcome"] == "passed"
    assert found["test_bad"]["outcome"] == "failed" and "assert 1 == 2" in found["test_bad"]["said"]
    assert found["test_skipped"]["outcome"] == "skipped" and "no reason" in found["test_skipped"]["said"]
    assert found["test_without_compiler"]["outcome"] == "needs the compiler for CPUs"


def test_a_worker_whose_device_is_broken_is_replaced(tmp_path: Path) -> None:
    found = [(r["test"].split("::")[1], r["outcome"]) for r in run_pytest(tmp_path, BREAKING, "-n", "1")]
    assert found[0] == ("test_breaks_the_device", "failed") and found[-1] == ("test_after_it", "passed")


def test_a_slice_ends_in_time_and_leaves_what_it_has(whole: Day, tmp_path: Path) -> None:
    day = Day(tmp_path / "out")
    assert day("run", "agreement", "--models", "humanoid", "--seconds", "0.2") == 0  # to be cut is no trouble
    cut = [r for r in day.records("agreement") if r["kind"] == "cut"]
    assert cut and cut[0]["started"] and day.records("agreement")[-1]["kind"] == "end"
    assert day.records("agreement")[-1]["seconds"] < 30.0


def test_trouble_is_told_and_leaves_the_rest(tmp_path: Path) -> None:
    day = Day(tmp_path / "out")
    assert day("run", "devices", "--models", "no_such_model") == 1
    kinds = [r["kind"] for r in day.records("devices")]
    assert "machine" in kinds and kinds[-1] == "end"
    (trouble,) = (r for r in day.records("devices") if r["kind"] == "trouble")
    assert "no_such_model" in "\n".join(trouble["said"])


def test_an_error_of_the_device_is_trouble_though_the_program_goes_on(tmp_path: Path) -> None:
    """Warp prints such errors, and what was measured after them means nothing."""
    run = command._begin("bench", "cpu", 60.0, command.build_parser().parse_args(["run", "bench", "--out", str(tmp_path)]))
    said = "Warp CUDA error 700: an illegal memory access was encountered (in function wp_cuda_context_synchronize)"
    assert run.call([sys.executable, "-c", f"print({said!r}); print('12.3 M steps/s')"], "a bench") == 0
    assert run.call([sys.executable, "-c", "print('Warp CUDA warning: no driver')"], "another bench") == 0
    assert run.trouble == ["a bench"]
    (record,) = (r for r in run.journal.records() if r["kind"] == "trouble")
    assert record["said"] == [said] and record["code"] == 0


def test_what_is_told_of_trouble_is_what_that_program_said(tmp_path: Path) -> None:
    run = command._begin("bench", "cpu", 60.0, command.build_parser().parse_args(["run", "bench", "--out", str(tmp_path)]))
    run.call([sys.executable, "-c", "print('of another one')"], "a good one")
    run.call([sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"], "one that is killed")
    run.call([sys.executable, "-c", "print('a' + 20 * '\\n' + 'b'); raise SystemExit(3)"], "one that fails")
    killed, failed = (r for r in run.journal.records() if r["kind"] == "trouble")
    assert (killed["code"], killed["said"]) == (-9, ["", "== bench: one that is killed"])
    assert failed["code"] == 3 and len(failed["said"]) == 12 and failed["said"][-1] == "b"


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
def test_a_day_that_is_ended_ends_its_children(tmp_path: Path, sign: signal.Signals) -> None:
    tests = tmp_path / "test_it.py"
    tests.write_text(
        "def test_it():\n    import os, pathlib, time\n" + f"    pathlib.Path({str(tmp_path / 'pid')!r}).write_text(f'{{os.getpid()}} ')\n    time.sleep(300)\n"
    )
    (tmp_path / "conftest.py").write_text(OPTIONS)
    words = ["run", "tests", "--device", "cpu", "--paths", str(tests), "--workers", "0", "--out", str(tmp_path / "out")]
    heed = functools.partial(signal.signal, sign, signal.SIG_DFL)  # a shell that started the tests in the background has it ignored
    day = subprocess.Popen([sys.executable, str(Path(command.__file__).parents[1]), *words], preexec_fn=heed)
    there = tmp_path / "pid"
    while not (there.exists() and there.read_text().endswith(" ")):
        assert day.poll() is None, (tmp_path / "out" / "day.log").read_text()
        time.sleep(0.1)
    day.send_signal(sign)
    assert day.wait(60) != 0
    with pytest.raises(ProcessLookupError):
        os.kill(int(there.read_text()), 0)


def test_models_that_are_not_there_are_left_out_and_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "SHARED", tmp_path / "nowhere")
    run = command._begin("bench", "cpu", 60.0, command.build_parser().parse_args(["run", "bench", "--out", str(tmp_path)]))
    assert models.chosen(run, models.BENCHED) == ("humanoid", "humanoids_3", "arm")
    assert "- left out: unitree_g1/scene.xml, the folder of real models is not beside the repository" in page._trouble(run.journal.records())
    with pytest.raises(FileNotFoundError, match=r"unitree_g1/scene\.xml: .*nowhere"):
        models.model_file("unitree_g1/scene.xml")


def test_the_page(whole: Day, tmp_path: Path) -> None:
    """A page with the tables of all slices, also where the journal's last line was cut."""
    for part, words in PARTS.items():
        if not whole.records(part):  # the tests above have not run here
            whole("run", part, *words)
    with (whole.out / "day.jsonl").open("a") as file:
        file.write(json.dumps({"slice": "bench", "kind": "begin", "when": "later", "device": "cpu"}) + "\n" + '{"slice": "ben')
    target = tmp_path / "page.md"
    assert command.main(["report", str(whole.out), "--out", str(target)]) == 0
    text = target.read_text()
    for part in PARTS:
        assert f"\n## {part}\n" in text
    assert "| bench | later | cpu |  | ended from outside |  |" in text
    widths = [[line.count("|") for line in block.splitlines() if line.startswith("|")] for block in text.split("\n\n")]
    assert all(len(set(counts)) == 1 for counts in widths if counts)
    row = next(line for line in text.splitlines() if line.startswith("| arm | 64 | default |"))
    assert row.count("|") == 13 and "none" in row
