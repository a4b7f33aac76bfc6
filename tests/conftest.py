"""Options and fixtures that every test can use."""

import os
import re
import sys
from pathlib import Path

import pytest

REAL_MODELS = Path(__file__).resolve().parents[2] / "shared" / "models"
# MuJoCo 4.0, which tests compare with, starts at Python 3.11. On older ones the files that use it are left out.
_NO_ORACLE = sys.version_info < (3, 11)
_IMPORTED = re.compile(r"^\s*(?:import|from)\s+(\w+)", flags=re.MULTILINE)
_SUPPORT = Path(__file__).resolve().parent / "support"


def _uses_oracle(path: Path) -> bool:
    """Whether a file imports MuJoCo, by itself or by what it takes from ``support``."""
    return path.suffix == ".py" and _imports_oracle(path, frozenset())


def _imports_oracle(path: Path, above: frozenset[Path]) -> bool:
    names = set(_IMPORTED.findall(path.read_text(encoding="utf-8")))
    helpers = {_SUPPORT / f"{name}.py" for name in names} - above
    return not names.isdisjoint(("mujoco", "mujoco_warp")) or any(_imports_oracle(helper, above | {path}) for helper in sorted(helpers) if helper.is_file())


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave files out that cannot even be imported; None lets pytest decide."""
    if _NO_ORACLE and collection_path.is_file() and _uses_oracle(collection_path):
        return True
    return None


def pytest_report_header() -> str:
    if not _NO_ORACLE:
        return "oracle: mujoco"
    left_out = sum(_uses_oracle(path) for path in Path(__file__).parent.rglob("test_*.py"))
    return f"oracle: none, mujoco 4.0 needs Python 3.11; {left_out} test files are left out"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say once what was left out for want of the real models, and how to get them."""
    skipped = [report for report in terminalreporter.stats.get("skipped", []) if "folder of real models" in str(report.longrepr)]
    if skipped or not REAL_MODELS.is_dir():
        terminalreporter.section("real models")
        terminalreporter.write_line(
            f"{len(skipped)} tests were skipped, and those of every file of it were not collected: {REAL_MODELS} is not complete. "
            "python tests/models/fetch.py brings its files from where their makers publish them; see 'Tests that need real models' in docs/contributing.md."
        )


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--device", default="cpu", help="Warp device that the tests run on (default: cpu)")
    parser.addoption("--emulate-gpu", action="store_true", help="there is a device cuda:0, which is emulated (tests/gpu_emulation/emulated_gpu.py)")
    parser.addoption("--guard-pages", action="store_true", help="a page that nobody may touch follows every CPU array")
    parser.addoption("--sanitize", action="store_true", help="kernels are compiled with sanitizers (tests/support/sanitized.py, which sets the environment)")
    parser.addoption("--random-models", type=int, default=300, help="how many random models are compared (default: 300)")
    parser.addoption("--random-seed", type=int, default=0, help="seed of the first of them (default: 0)")


def pytest_configure(config: pytest.Config) -> None:
    """End the run at once, with the list of devices, if there is none of the name that was asked for.

    Workers that run side by side compile the same kernels at the same time: each has a kernel cache of its own.
    """
    if config.getoption("--guard-pages"):
        import guard_pages

        guard_pages.install()
    if config.getoption("--sanitize"):
        import sanitized

        sanitized.install()
    works = hasattr(config, "workerinput")
    if works:
        folder = Path.home() / ".cache" / "newtonish-tests" / config.workerinput["workerid"]
        os.environ.setdefault("WARP_CACHE_PATH", str(folder))
    if config.getoption("--emulate-gpu"):
        import emulated_gpu

        config.pluginmanager.register(emulated_gpu)
    if works:
        return
    name = config.getoption("--device")
    if name == "cpu":
        return
    import warp as wp

    try:
        wp.get_device(name)
    except (ValueError, RuntimeError) as error:
        known = ", ".join(str(entry) for entry in wp.get_devices())
        raise pytest.UsageError(f"--device: got {name!r}; allowed: {known} ({error})") from error


@pytest.fixture(scope="session")
def device(request: pytest.FixtureRequest) -> str:
    """Name of the Warp device under test."""
    import warp as wp

    return str(wp.get_device(request.config.getoption("--device")))
