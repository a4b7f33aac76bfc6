"""compute-sanitizer and ncu, by stand-ins on the path: they note how they are called, run the program, and write what the real ones write."""

import json
import os
import sys
from pathlib import Path

import pytest
from day import tools
from day.slices import sanitizer, stages

SAMPLES = Path(__file__).parent / "samples"

STAND_IN = """#!{python}
import json, shutil, subprocess, sys
words = sys.argv[1:]
place = words[words.index("--log-file") + 1]
program = next(i for i, word in enumerate(words) if word == {python!r})
with open({calls!r}, "a") as file:
    file.write(json.dumps({{"options": words[:program], "program": words[program:]}}) + "\\n")
code = subprocess.call(words[program:])
sample = dict({samples!r}).get(words[words.index("--tool") + 1] if "--tool" in words else "ncu")
shutil.copyfile(sample, place)
sys.exit(code or (99 if "found" in sample else 0))
"""


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Puts a stand-in for a tool on the path; the returned function reads its calls."""

    def put(name: str, samples: dict[str, str]):
        folder, calls = tmp_path / "bin", tmp_path / "calls.jsonl"
        folder.mkdir(exist_ok=True)
        files = {key: str(SAMPLES / sample) for key, sample in samples.items()}
        tool = folder / name
        tool.write_text(STAND_IN.format(python=sys.executable, calls=str(calls), samples=files))
        tool.chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
        assert tools.find(name) == str(tool)
        return lambda: [json.loads(line) for line in calls.read_text().splitlines()]

    return put


def test_each_check_runs_the_steps_of_a_humanoid(stand_in, day) -> None:
    calls = stand_in("compute-sanitizer", {"memcheck": "memcheck_clean.txt", "racecheck": "racecheck_found.txt", "synccheck": "synccheck_found.txt"})
    assert day("run", "sanitizer", "--models", "humanoid") == 1  # what was found is trouble
    said = calls()
    assert [call["options"][:2] for call in said] == [["--tool", name] for name in ("memcheck", "racecheck", "synccheck")]
    for call in said:
        assert call["options"][2:6] == ["--print-limit", "20", "--error-exitcode", "99"]
        assert call["program"][:2] == [sys.executable, "-P"] and "task" in call["program"]
    stepped = [r for r in day.records("sanitizer") if r["kind"] == "stepped"]
    assert [(r["model"], r["worlds"], r["captured"]) for r in stepped] == [("humanoid", 4, False)] * 3
    checks = {r["check"]: r for r in day.records("sanitizer") if r["kind"] == "check"}
    assert checks["memcheck"]["code"] == 0 and checks["memcheck"]["errors"] == 0
    assert (checks["racecheck"]["errors"], checks["racecheck"]["warnings"]) == (1, 1)
    assert checks["synccheck"]["code"] == 99
    page = "\n".join(sanitizer.report(day.records("sanitizer")))
    assert "| memcheck | humanoid | 0 | 0 |  | yes |" in page
    assert "| racecheck | humanoid | 1 | 1 | Error: Race reported between Write access at solve_kernel" in page


def test_findings_of_the_sanitizer() -> None:
    def read(name: str) -> dict:
        return sanitizer.findings((SAMPLES / name).read_text())

    assert read("racecheck_clean.txt") == {"errors": 0, "warnings": 0, "told": []}
    found = read("memcheck_found.txt")
    assert found["errors"] == 2
    assert found["told"] == ["Invalid __global__ write of size 4 bytes: position_joints_kernel_1f2e3d4c_cuda_kernel_forward+0x1f30"]
    assert read("synccheck_found.txt")["told"][0].startswith("Barrier error detected. Divergent thread(s) in block: solve_kernel")
    assert sanitizer.findings("") == {"errors": None, "warnings": None, "told": []}
    assert "**no**" in sanitizer.report([{"kind": "check", "check": "memcheck", "model": "m", "code": 1, **sanitizer.findings("")}])[4]


def test_the_profiler_sees_one_step_of_each_engine(stand_in, day) -> None:
    calls = stand_in("ncu", {"ncu": "ncu.csv"})
    assert day("run", "stages", "--models", "arm", "--worlds", "8") == 0
    said = calls()
    assert len(said) == 2
    for call in said:
        assert call["options"][:7] == ["--clock-control", "none", "--profile-from-start", "off", "--csv", "--page", "raw"]
        assert call["options"][-2] == "--metrics" and "gpu__time_duration.sum" in call["options"][-1]
    stepped = [r for r in day.records("stages") if r["kind"] == "stepped"]
    assert [(r["by"], r["worlds"], r["steps"]) for r in stepped] == [("newtonish", 8, 1), ("mujoco_warp", 8, 1)]
    page = "\n".join(stages.report(day.records("stages")))
    assert "newtonish, arm, 8 worlds: 1531 us in 3 launches of a step, 191428 ns a world." in page
    assert "| `solve_kernel` | 2 | 1,300 | 164 | 64 | 4.352e+08 | 20.1 | 31 | 18.7 | 100 | 640 | 1,320 | barrier 9.8, long_scoreboard 3.3, wait 2.1 |" in page


def test_kernels_of_a_profile() -> None:
    kernels = stages.kernels_of((SAMPLES / "ncu.csv").read_text())
    assert [kernel["name"].split("_")[0] for kernel in kernels] == ["position", "solve", "solve"]
    first = kernels[0]["metrics"]
    assert first["gpu__time_duration.sum"] == pytest.approx(231.42e-6) and first["dram__bytes.sum"] == pytest.approx(114.52e6)
    assert first["smsp__inst_executed.sum"] == 92_405_760 and first["launch__registers_per_thread"] == 88
    assert "lts__t_bytes.sum" not in kernels[2]["metrics"]  # n/a
    assert stages.kernels_of("==ERROR== Failed to find metric\n") == []


def test_the_profiler_is_asked_for_less_where_it_knows_less(stand_in, day, tmp_path) -> None:
    empty = tmp_path / "nothing.csv"
    empty.write_text("==ERROR== Failed to find metric l1tex__t_bytes.sum\n")
    calls = stand_in("ncu", {"ncu": str(empty)})
    day("run", "stages", "--models", "arm", "--worlds", "8")
    asked = [call["options"] for call in calls()]
    assert len(asked) == 4 and "--section" in asked[0] and asked[1][-4:-2] == ["--set", "basic"]


def test_missing_tools_are_said(day, monkeypatch) -> None:
    monkeypatch.setattr(tools, "find", lambda name: None)
    assert day("run", "sanitizer", "stages") == 0
    assert sanitizer.report(day.records("sanitizer")) == ["compute-sanitizer is not there.", ""]
    assert stages.report(day.records("stages")) == ["ncu is not there.", ""]
