"""Slice ``stages``: what the kernels of a step take of the GPU, by NVIDIA's profiler ``ncu``, of newtonish and of mujoco_warp."""

from __future__ import annotations

import csv
import io
import re
from typing import Any

from day import markdown, tools
from day.children import Run
from day.models import chosen
from day.results import has_results

__all__ = ["ABOUT", "COLUMNS", "kernels_of", "report", "run"]

ABOUT = "ncu: duration, instructions, occupancy, memory, stalls of each kernel"
MODELS = ("humanoid", "unitree_g1/scene.xml", "humanoids_3")
WORLDS = 8192
SECTIONS = ("SpeedOfLight", "LaunchStats", "Occupancy", "SchedulerStats", "WarpStateStats", "InstructionStats", "MemoryWorkloadAnalysis")
METRICS = (
    "gpu__time_duration.sum", "smsp__inst_executed.sum", "smsp__thread_inst_executed_per_inst_executed.ratio", "dram__bytes.sum",
    "lts__t_bytes.sum", "l1tex__t_bytes.sum", "launch__registers_per_thread", "launch__block_size",
)  # fmt: skip
ASKED = (
    (*(word for name in SECTIONS for word in ("--section", name)), "--metrics", ",".join(METRICS)),
    ("--set", "basic", "--metrics", "gpu__time_duration.sum"),
)
"""What is asked of the profiler; the second where it does not know all of the first."""

COLUMNS = {
    "us": ("gpu__time_duration.sum", 1e6),
    "registers": ("launch__registers_per_thread", 1.0),
    "block": ("launch__block_size", 1.0),
    "warp instructions": ("smsp__inst_executed.sum", 1.0),
    "lanes in use": ("smsp__thread_inst_executed_per_inst_executed.ratio", 1.0),
    "issue active %": ("smsp__issue_active.avg.pct_of_peak_sustained_active", 1.0),
    "warps active %": ("sm__warps_active.avg.pct_of_peak_sustained_active", 1.0),
    "DRAM MB": ("dram__bytes.sum", 1e-6),
    "L2 MB": ("lts__t_bytes.sum", 1e-6),
    "L1 MB": ("l1tex__t_bytes.sum", 1e-6),
}
"""Columns of the table: a metric, in seconds, bytes or numbers, and its factor."""

_STALL = "smsp__average_warps_issue_stalled_"
_UNITS = {
    "s": 1.0, "second": 1.0, "ms": 1e-3, "msecond": 1e-3, "us": 1e-6, "usecond": 1e-6, "ns": 1e-9, "nsecond": 1e-9,
    "kbyte": 1e3, "mbyte": 1e6, "gbyte": 1e9,
}  # fmt: skip


def run(run: Run) -> None:
    """Profile one step, kernels launched one by one, of both engines model by model."""
    tool = tools.find("ncu")
    if tool is None:
        run.journal.write("missing", tool="ncu")
        return
    for model in chosen(run, MODELS):
        has_results(run, model)  # states with contacts
        for by in ("newtonish", "mujoco_warp"):
            for asked in ASKED:
                if _profile(run, tool, model, by, asked):
                    break


def _profile(run: Run, tool: str, model: str, by: str, asked: tuple[str, ...]) -> bool:
    """Profile a step and write a record a kernel; whether there was anything to write, or no time."""
    place = run.places.scratch / f"ncu_{by}_{model.replace('/', '_')}.csv"
    place.unlink(missing_ok=True)
    worlds = (run.options.worlds or (WORLDS,))[0]
    before = (tool, "--clock-control", "none", "--profile-from-start", "off", "--csv", "--page", "raw", "--log-file", str(place), *asked)
    arguments = {"model": model, "worlds": worlds, "steps": 1, "folder": str(run.places.results), "by": by}
    code = run.task("steps", arguments, before)
    found = kernels_of(place.read_text(encoding="utf-8", errors="replace")) if place.exists() else []
    for kernel in found:
        run.journal.write("kernel", by=by, model=model, worlds=worlds, **kernel)
    return bool(found) or code is None


def kernels_of(text: str) -> list[dict[str, Any]]:
    """Kernels in what ``ncu --csv --page raw`` writes: their name and metrics, in seconds, bytes and numbers.

    The table begins at its header, after lines of the profiler's own; its first row has the units. Numbers have thousands separators.
    """
    start = text.find('"ID",')
    if start < 0:
        return []
    header, *rows = csv.reader(io.StringIO(text[start:]))
    units = dict(zip(header, rows.pop(0), strict=False)) if rows and not rows[0][0] else {}
    found = []
    for row in rows:
        if len(row) != len(header):
            continue
        cells = dict(zip(header, row, strict=True))
        metrics = {name: _number(cells[name], units.get(name, "")) for name in header if "__" in name}
        found.append({"name": cells["Kernel Name"], "metrics": {name: value for name, value in metrics.items() if value is not None}})
    return found


def _number(text: str, unit: str) -> float | None:
    """A number in seconds or bytes where it has such a unit, None where it is none."""
    try:
        return float(text.replace(",", "")) * _UNITS.get(unit.lower(), 1.0)
    except ValueError:
        return None


def report(records: list[dict[str, Any]]) -> list[str]:
    """Markdown of what the slice found."""
    kernels = [r for r in records if r["kind"] == "kernel"]
    lines = ["ncu is not there.", ""] * (not kernels and any(r["kind"] == "missing" for r in records))
    for model, by in dict.fromkeys((r["model"], r["by"]) for r in kernels):
        chosen = [r for r in kernels if (r["model"], r["by"]) == (model, by)]
        total = sum(r["metrics"].get("gpu__time_duration.sum", 0.0) for r in chosen)
        worlds = chosen[0]["worlds"]
        legend = f"{by}, {model}, {worlds:,} worlds: {1e6 * total:.0f} us in {len(chosen)} launches of a step, {1e9 * total / worlds:.0f} ns a world."
        lines += markdown.table(("kernel", "launches", *COLUMNS, "stalled by"), _rows(chosen), legend)
    return lines


def _rows(kernels: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """A row a kernel, the longest first; launches of one kernel are added up where their metric is a sum, else their mean is shown."""
    names: dict[str, list[dict[str, float]]] = {}
    for kernel in kernels:
        names.setdefault(_short(kernel["name"]), []).append(kernel["metrics"])
    rows = []
    for name, launches in names.items():
        cells = [_cell([m[metric] * factor for m in launches if metric in m], metric.endswith(".sum")) for metric, factor in COLUMNS.values()]
        duration = sum(m.get("gpu__time_duration.sum", 0.0) for m in launches)
        rows.append((duration, (f"`{name}`", len(launches), *cells, _stalls(launches))))
    return [row for _, row in sorted(rows, key=lambda pair: -pair[0])]


def _cell(values: list[float], is_sum: bool) -> str:
    if not values:
        return ""
    return f"{sum(values) if is_sum else sum(values) / len(values):,.4g}"


def _stalls(launches: list[dict[str, float]]) -> str:
    """The three reasons for which warps waited longest, in cycles an issued instruction."""
    found: dict[str, float] = {}
    for metrics in launches:
        for name, value in metrics.items():
            if name.startswith(_STALL) and "not_issued" not in name and not name.startswith(f"{_STALL}selected"):
                reason = name.removeprefix(_STALL).split("_per_issue")[0]
                found[reason] = found.get(reason, 0.0) + value / len(launches)
    longest = sorted(found.items(), key=lambda item: -item[1])[:3]
    return ", ".join(f"{name} {value:.1f}" for name, value in longest)


def _short(name: str) -> str:
    """A kernel's name without the hash and the words that Warp puts behind it."""
    return re.sub(r"(_[0-9a-f]{8})?_cuda_kernel_forward$", "", name.split("(")[0])
