"""The page on compatibility with Newton: the tests that it names exist, and it names every argument of the solver."""

import importlib.util
import inspect
import re
import subprocess
import sys
from pathlib import Path

from newtonish.solvers import SolverMuJoCo

REPO = Path(__file__).resolve().parents[1]
PAGE = (REPO / "docs" / "newton_compatibility.md").read_text()


FEATURES, EXAMPLES = PAGE.split("## Newton's examples")


def rows(text: str = FEATURES) -> list[list[str]]:
    """Cells of the rows of all tables of features, or of those in another text."""
    lines = [line for line in text.splitlines() if line.startswith("|") and not line.startswith(("|---", "| feature", "| example"))]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def named_tests() -> set[str]:
    """Paths of tests on the page, from the root of the repository."""
    names = re.findall(r"`([\w/]+/test_\w+\.py)`", PAGE)
    return {name if name.startswith("tests/") else f"tests/newtonish/{name}" for name in names}


def test_every_row_has_a_test():
    assert len(rows()) > 60 and all(len(row) == 4 for row in rows())
    assert not [row[0] for row in rows() if not re.search(r"test_\w+\.py", row[3])]


def test_every_example_of_newtons_has_a_result():
    """Its number of passes is what the table shows, and each example of the installed package is there."""
    tried = rows(EXAMPLES)
    passed = sum(result == "passes" for _, _, result in tried)
    assert passed >= 20 and f"{passed} of {len(tried)} pass." in EXAMPLES
    folder = Path(importlib.util.find_spec("newton").submodule_search_locations[0]) / "examples"
    names = [file.stem.removeprefix("example_") for file in folder.glob("*/example_*.py")]
    assert len(names) > 100 and not [name for name in names if not re.search(rf"[_`]{name}`", EXAMPLES)]


def test_pytest_collects_every_test_that_is_named():
    names = named_tests()
    assert len(names) > 30
    assert not [name for name in names if not (REPO / name).is_file()]
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-o", "addopts=--import-mode=importlib", *sorted(names)]
    done = subprocess.run(command, cwd=REPO, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert not [name for name in names if f"{name}::" not in done.stdout]


def test_every_argument_of_the_solver_is_named():
    arguments = set(inspect.signature(SolverMuJoCo.__init__).parameters) - {"self", "model", "tolerance", "solver", "integrator", "cone"}
    assert not [name for name in arguments if f"`{name}" not in PAGE]
