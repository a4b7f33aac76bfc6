"""The figures of docs/reliability.md: ``python tests/support/reliability.py [NAME ...] [--count N] [--seed S]`` tries again and writes them.

Without a name every trial is made, in its full number (hours). ``--page`` writes the page from the figures that are kept, in tests/support/reliability.json.
A figure is how many were tried and how many failed; what a failure is, the trial's own file says.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

REPO = Path(__file__).resolve().parents[2]
KEPT = Path(__file__).with_suffix(".json")
PAGE = REPO / "docs" / "reliability.md"
BEGIN, END = "<!-- figures: written by tests/support/reliability.py -->\n", "<!-- end of figures -->"


class Trial(NamedTuple):
    """What is tried.

    Attributes:
        about: Words for the table.
        count: The full number.
        run: Of the number and a seed: how many were tried, and how many failed.
    """

    about: str
    count: int
    run: Callable[[int, int], tuple[int, int]]


def _files(kind: str) -> Callable[[int, int], tuple[int, int]]:
    def run(count: int, seed: int) -> tuple[int, int]:
        import hostile_files

        found = hostile_files.run(kind, count, seed)
        return found["tried"], found["foreign"] + found["hung"] + found["crashed"]

    return run


def _numbers(kind: str) -> Callable[[int, int], tuple[int, int]]:
    def run(count: int, seed: int) -> tuple[int, int]:
        import hostile_numbers

        found = hostile_numbers.run(kind, count, seed)
        return found["tried"], found["foreign"] + found["crashed"]

    return run


def _calls(count: int, seed: int) -> tuple[int, int]:
    import hostile_calls

    found = hostile_calls.run(count, seed)
    return found["tried"], found["foreign"] + found["crashed"]


def _chaos(count: int, seed: int) -> tuple[int, int]:
    """``count`` events: twenty rounds, each of one world in twenty."""
    import chaos

    found = chaos.run(max(20, count), 200, seed)
    return int(str(found["events"])), int(str(found["wrong"]))


def _pytest(*words: str, **environment: str) -> Callable[[int, int], tuple[int, int]]:
    def run(count: int, seed: int) -> tuple[int, int]:
        result = REPO / "build" / "reliability.xml"
        result.parent.mkdir(exist_ok=True)
        given = [word.format(count=count, seed=seed) for word in words]
        subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-n", "0", f"--junitxml={result}", *given],
            cwd=REPO,
            check=False,
            env={**os.environ, **environment, "HYPOTHESIS_MAX_EXAMPLES": str(max(1, count // 4))},
        )
        import xml.etree.ElementTree as Tree

        suite = Tree.parse(result).getroot()[0].attrib
        return int(suite["tests"]) - int(suite["skipped"]), int(suite["failures"]) + int(suite["errors"])

    return run


def _bounds(count: int, seed: int) -> tuple[int, int]:
    """``count`` steps of each model, with kernels that check every index."""
    done = subprocess.run([sys.executable, str(Path(__file__).with_name("bounds_checked.py")), str(count)], cwd=REPO, check=False)
    return count, int(done.returncode != 0)


def _sanitized(count: int, seed: int) -> tuple[int, int]:
    import sanitized

    return sanitized.run()


GUARDED = (
    "tests/kernels/test_linalg_dense.py", "tests/kernels/test_linalg_sparse.py", "tests/kernels/test_linalg_sparse_ltdl.py", "tests/kernels/test_linalg_cones.py",
    "tests/kernels/test_solver_newton.py", "tests/kernels/test_sweep.py", "tests/kernels/test_delays.py", "tests/kernels/test_guard.py", "tests/kernels/test_guard_pages.py",
    "tests/newtonish/mjw/test_retaken.py", "tests/newtonish/mjw/test_flight_recorder.py",
)  # fmt: skip
TRIALS = {
    "edit": Trial("entries of index arrays of a `mjw.Model` changed, then stepped: a crash or a foreign exception", 5_000, _numbers("edit")),
    "compiled": Trial("entries of index arrays of a `mujoco.MjModel` changed, then put and stepped: the same", 1_000, _numbers("compiled")),
    "archive": Trial("archives with a number or bytes changed, then loaded and stepped: the same", 5_000, _numbers("archive")),
    "history": Trial("numbers in the buffers of delays, also by `set_state`: the same", 500, _numbers("history")),
    "mjcf": Trial("damaged MJCF: a crash, a foreign exception, or longer than 60 s", 50_000, _files("mjcf")),
    "urdf": Trial("damaged URDF: the same", 10_000, _files("urdf")),
    "usd": Trial("damaged USD, text and binary: the same", 10_000, _files("usd")),
    "calls": Trial("calls with one wrong argument: a crash, or an exception that does not name the argument", 2_000, _calls),
    "chaos": Trial(
        "events in 1,024 humanoids, 5 % of which are hit every ten steps: a neighbour that differs by a bit, a world that is not back, a report that is missing or wrong",
        1_024,
        _chaos,
    ),
    "guard pages": Trial("tests of native code and of kernels with an inaccessible page behind every array", 1, _pytest("--guard-pages", *GUARDED)),
    "sanitizers": Trial("tests of native code and of kernels, compiled with AddressSanitizer and UndefinedBehaviorSanitizer", 1, _sanitized),
    "bounds": Trial("steps of five models, four worlds each, with kernels in Warp's debug mode: an index out of bounds", 200, _bounds),
    "growth": Trial("runs in which capacities grow, compared by bits with roomy ones", 1, _pytest("tests/newtonish/mjw/test_retaken.py")),
    "properties": Trial("properties of readers and of the Python border, each of hundreds of examples", 4_000, _pytest("tests/importers/test_properties.py")),
}


def table(figures: dict[str, dict[str, Any]]) -> str:
    """The figures as Markdown, in the order of the trials."""
    lines = ["| what is tried, and what a failure is | tried | failed | since mended | command |", "|---|---|---|---|---|"]
    for name, trial in TRIALS.items():
        found = figures.get(name)
        if found:
            mended = found.get("mended", "")
            lines.append(
                f'| {trial.about} | {found["tried"]:,} | {found["failed"]:,} | {mended} | `reliability.py "{name}"` |'.replace(
                    '"' + name + '"', name if " " not in name else f'"{name}"'
                )
            )
    return "\n".join(lines) + "\n"


def page(text: str, figures: dict[str, dict[str, Any]]) -> str:
    """The page with the table of these figures."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return before + BEGIN + "\n" + table(figures) + "\n" + END + after


def main() -> int:
    parser = argparse.ArgumentParser(description="Try again what docs/reliability.md says was tried.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(TRIALS))
    parser.add_argument("--count", type=int, help="how many (default: the full number of each)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--add", action="store_true", help="add to the figures that are kept: the numbers of another seed")
    parser.add_argument("--page", action="store_true", help="try nothing, write the page from the figures that are kept")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.names if name not in TRIALS]
    if unknown:
        parser.error(f"no trial {unknown[0]!r}; there are {', '.join(TRIALS)}")
    failures = 0
    for name in [] if arguments.page else arguments.names or list(TRIALS):
        tried, failed = TRIALS[name].run(arguments.count or TRIALS[name].count, arguments.seed)
        failures += failed
        print(f"{name}: {tried} tried, {failed} failed", flush=True)
        figures = json.loads(KEPT.read_text(encoding="utf-8"))  # after the trial, as another one may have ended meanwhile
        before = figures.get(name, {}) if arguments.add else {}
        figures[name] = {"tried": before.get("tried", 0) + tried, "failed": before.get("failed", 0) + failed}
        KEPT.write_text(json.dumps(figures, indent=4) + "\n", encoding="utf-8")
    figures = json.loads(KEPT.read_text(encoding="utf-8"))
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), figures), encoding="utf-8")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    sys.exit(main())
