"""What a step costs a GPU with mujoco_warp and with newtonish: the same states of the same worlds, by the same meter.

    python tests/gpu_emulation/against.py humanoid arm                  # figures of both, and mujoco_warp's kernels
    python tests/gpu_emulation/against.py --page --json against.json    # the models of docs/gpu.md, and regenerate its table: half an hour

mujoco_warp's figures are what it costs at the least: copies and fills are left out, and what it takes from NVIDIA's libraries is counted as if
no memory were needed (``emulation/peer.py``, ``emulation/tiles.py``).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

if __name__ == "__main__":  # as a command, not installed
    sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent / "support")]

import meter
import page
import warp as wp
from emulation import peer
from emulation.measure import Measurement, measure
from page_models import PAGE_MODELS, file_of

from newtonish import mjw

WORLDS = 32  # fill the warps of kernels that have a thread for a world
THEIRS, OURS = "mujoco_warp", "newtonish"
BEGIN, END = "<!-- against: begin -->\n", "<!-- against: end -->\n"
HEADER = (
    "model", "contacts", "rows", "iterations", "instructions", "ratio", "lanes in use", "launches", "barriers of blocks", "bytes", "M steps/s", "ratio",
)  # fmt: skip


def both(name: str) -> dict[str, Measurement]:
    """A model's figures, of mujoco_warp and of newtonish."""
    m, _ = mjw.load(file_of(name), nworld=1, device="cpu")
    return {THEIRS: measure(m, WORLDS, engine=peer.MujocoWarp(file_of(name), m)), OURS: measure(m, WORLDS)}


def row(name: str, theirs: Measurement, ours: Measurement, nworld: int) -> tuple[str, ...]:
    """A model's line of the table: mujoco_warp, newtonish, and how often the one goes into the other."""

    def pair(figure) -> str:
        return f"{figure(theirs)}, {figure(ours)}"

    def total(field: str):
        return lambda one: f"{one.total(field):,.0f}"

    speeds = [one.steps_per_second(nworld) for one in (theirs, ours)]
    return (
        name, pair(lambda one: f"{one.contacts:.1f}"), pair(lambda one: f"{one.rows:.1f}"), pair(lambda one: f"{one.iterations:.2f}"),
        pair(total("instructions")), f"{theirs.instructions / ours.instructions:.1f}", pair(page.in_use), pair(total("launches")), pair(total("block_barriers")),
        pair(total("bytes")), f"{speeds[0] / 1e6:.1f}, {speeds[1] / 1e6:.1f}", f"{speeds[1] / speeds[0]:.1f}",
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*", default=PAGE_MODELS, metavar="MODEL", help="packaged names or files (default: those of docs/gpu.md)")
    parser.add_argument("--of", type=int, default=8192, help="worlds of the estimate (default: 8,192)")
    parser.add_argument("--json", type=Path, help="keep all figures there, model by model; models that it has are not measured again")
    parser.add_argument("--page", action="store_true", help="write the table of docs/gpu.md")
    arguments = parser.parse_args()
    wp.config.quiet = True
    found = page.read(arguments.json) if arguments.json and arguments.json.exists() else {}
    rows = []
    for name in arguments.models:
        if f"{name} {OURS}" not in found:
            found |= {f"{name} {engine}": measured for engine, measured in both(name).items()}
        theirs, ours = (found[f"{name} {engine}"] for engine in (THEIRS, OURS))
        meter.show(f"{name}, {THEIRS}", theirs, arguments.of, 0)
        print(meter.summary(f"{name}, {OURS}", ours, arguments.of), flush=True)
        rows.append(row(name, theirs, ours, arguments.of))
        if arguments.json:
            page.keep(found, arguments.json)
    table = page.table(HEADER, rows, f"A step of one world with mujoco_warp, and with newtonish; speeds are estimated for {arguments.of:,} worlds on an H200.")
    print(table)
    if arguments.page:
        page.put(table, BEGIN, END)


if __name__ == "__main__":
    main()
