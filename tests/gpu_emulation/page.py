"""The part of ``docs/gpu.md`` on what steps cost, out of two measurements: of the code as it is, and before lanes became a choice of each kernel."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

from emulation import gpu
from emulation.cubin import Footprint
from emulation.measure import MACHINE_INSTRUCTIONS, Cost, Measurement
from paths import REPO

PAGE = REPO / "docs" / "gpu.md"
BEGIN, END = "<!-- steps: begin -->\n", "<!-- steps: end -->\n"
BEFORE = Path(__file__).parent / "before.json"
MODELS = ("model", "contacts", "rows", "iterations", "instructions", "lanes in use", "barriers of blocks", "of warps", "longest warp", "bytes", "M steps/s")
KERNELS = (
    "kernel", "lanes", "instructions", "before", "lanes in use", "barriers of blocks", "of warps", "longest warp", "bytes", "registers", "shared memory",
    "local memory", "resident warps", "ns",
)  # fmt: skip


def read(path: Path) -> dict[str, Measurement]:
    """Measurements by model, as ``meter.py --json`` wrote them."""
    return {name: _measurement(figures) for name, figures in json.loads(path.read_text(encoding="utf-8")).items()}


def _measurement(figures: dict[str, Any]) -> Measurement:
    kernels = {key: Cost(**{**cost, "footprint": Footprint(**cost["footprint"])}) for key, cost in figures["kernels"].items()}
    return Measurement(**{**figures, "kernels": kernels})


def keep(found: dict[str, Measurement], path: Path) -> None:
    """Write measurements for ``read``, without their profiles."""
    figures = {name: dataclasses.asdict(dataclasses.replace(measured, profile={})) for name, measured in found.items()}
    path.write_text(json.dumps(figures, indent=1), encoding="utf-8")


def write(found: dict[str, Measurement], nworld: int) -> None:
    """Put the tables between the page's marks."""
    put(tables(found, read(BEFORE), nworld), BEGIN, END)


def put(text: str, begin: str, end: str) -> None:
    """Put a text between two marks of the page."""
    head, rest = PAGE.read_text(encoding="utf-8").split(begin)
    PAGE.write_text(f"{head}{begin}\n{text}\n{end}{rest.split(end)[1]}", encoding="utf-8")


def tables(found: dict[str, Measurement], before: dict[str, Measurement], nworld: int) -> str:
    """All of them as Markdown."""
    rows = [_model_row(name, measured, before.get(name), nworld) for name, measured in found.items()]
    legend = (
        f"A step of one world, before and now: weighted instructions of warps, of which the machine executes about {MACHINE_INSTRUCTIONS} each; the speed is estimated "
        f"for {nworld:,} worlds on an H200."
    )
    parts = [table(MODELS, rows, legend)]
    for name, measured in found.items():
        own = before.get(name)
        lines = [_kernel_row(key, cost, own.kernels.get(key) if own else None, nworld) for key, cost in measured.kernels.items()]
        parts.append(table(KERNELS, lines, f"The kernels of {name} ({measured.nv} dofs):"))
    return "\n".join(parts)


def _model_row(name: str, measured: Measurement, before: Measurement | None, nworld: int) -> tuple[str, ...]:
    def pair(figure) -> str:
        return f"{figure(before)} → {figure(measured)}" if before else figure(measured)

    def total(field: str):
        return lambda one: f"{one.total(field):,.0f}"

    return (
        name, f"{measured.contacts:.1f}", f"{measured.rows:.1f}", pair(lambda one: f"{one.iterations:.2f}"), pair(total("instructions")), pair(in_use),
        pair(total("block_barriers")), pair(total("warp_barriers")), pair(total("critical")), pair(total("bytes")),
        pair(lambda one: f"{one.steps_per_second(nworld) / 1e6:.2f}"),
    )  # fmt: skip


def in_use(measured: Measurement) -> str:
    """Mean number of lanes that do something."""
    lanes = sum(cost.in_use * cost.instructions for cost in measured.kernels.values())
    return f"{lanes / measured.instructions:.1f}"


def _kernel_row(key: str, cost: Cost, before: Cost | None, nworld: int) -> tuple[str, ...]:
    taken = cost.footprint
    return (
        f"`{key.strip('_').removesuffix('_kernel')}`", f"{cost.lanes:.0f}", f"{cost.instructions:,.0f}", f"{before.instructions:,.0f}" if before else "",
        f"{cost.in_use:.1f}", f"{cost.block_barriers:.1f}", f"{cost.warp_barriers:.0f}", f"{cost.critical:,.0f}", f"{cost.bytes:,.0f}", str(taken.registers),
        str(taken.shared), str(taken.local), str(gpu.resident_warps(taken, cost.block_dim)), f"{cost.work().seconds(nworld) / nworld * 1e9:.1f}",
    )  # fmt: skip


def table(header: tuple[str, ...], rows: list[tuple[str, ...]], legend: str) -> str:
    """A table in Markdown, with a sentence above it."""
    lines = [legend, "", f"| {' | '.join(header)} |", f"|{'---|' * len(header)}", *(f"| {' | '.join(row)} |" for row in rows)]
    return "\n".join([*lines, ""])
