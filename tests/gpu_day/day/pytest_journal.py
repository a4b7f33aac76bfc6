"""A pytest plugin: results of tests go into the journal of the day one by one, and tests that have one there are left out.

Where a failed test left the device broken (an illegal address is the end of a CUDA context) the worker ends, so that another one
takes the tests after it.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from day.journal import Journal

NEEDS_COMPILER = ("warp-clang", "wp_compile_cpp", "wp_load_obj", "get_cpu_target", "wp_get_cpu", "wp_get_host_cpu")
"""What a failure names where Warp's compiler for CPUs was left out of the packed site."""

BROKEN = 86
"""Exit code of a worker whose device is broken."""


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--device") == "cpu":
        return
    import warp as wp

    wp.config.cuda_output = "cubin"  # packed kernels are binaries for the device


def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what the journal had when the run began; all workers leave out the same."""
    done = set(json.loads(Path(os.environ["GPU_DAY_DONE"]).read_text(encoding="utf-8")))
    if not hasattr(config, "workerinput") or config.workerinput["workerid"] == "gw0":
        _journal().write("collected", count=len(items))
    left_out = [item for item in items if item.nodeid in done]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item.nodeid not in done]


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Write the outcome of a test: that of its call, or of what kept it from being called."""
    if os.environ.get("PYTEST_XDIST_WORKER") or (report.when != "call" and report.passed) or (report.when == "teardown" and not report.failed):
        return
    said = str(report.longrepr or "")
    _journal().write("test", test=report.nodeid, outcome=_outcome(report, said), seconds=round(report.duration, 3), said=_last_line(report))


@pytest.hookimpl(trylast=True)
def pytest_runtest_logfinish(nodeid: str, location: Any) -> None:
    """End a worker whose device is broken."""
    if os.environ.get("PYTEST_XDIST_WORKER") and _state["failed"] and not _device_works():
        os._exit(BROKEN)


_state: dict[str, Any] = {"failed": False, "device": "cpu"}


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo) -> Any:
    outcome = yield
    _state["failed"] = outcome.get_result().failed or (_state["failed"] and call.when != "setup")
    _state["device"] = item.config.getoption("--device")


def _device_works() -> bool:
    """Whether the device still does what it is told."""
    if _state["device"] == "cpu":
        return True
    import warp as wp

    try:
        return float(wp.full(1, 7.0, dtype=wp.float32, device=_state["device"]).numpy()[0]) == 7.0
    except Exception:
        return False


def _outcome(report: pytest.TestReport, said: str) -> str:
    if report.failed and any(word in said for word in NEEDS_COMPILER):
        return "needs the compiler for CPUs"
    return report.outcome


def _last_line(report: pytest.TestReport) -> str:
    """The line of a failure that says most, the reason of a skip."""
    if report.passed:
        return ""
    if isinstance(report.longrepr, tuple):
        return str(report.longrepr[2])
    crash = getattr(report.longrepr, "reprcrash", None)
    text = crash.message if crash is not None else str(report.longrepr)
    return " ".join(text.split())[:400]


def _journal() -> Journal:
    return Journal(Path(os.environ["GPU_DAY_OUT"]) / "day.jsonl", os.environ["GPU_DAY_SLICE"])
