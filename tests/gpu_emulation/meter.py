"""What a step costs a GPU, kernel by kernel, counted by emulation: a speed measurement without a GPU.

    python tests/gpu_emulation/meter.py humanoid arm            # packaged models or files
    python tests/gpu_emulation/meter.py humanoid --profile 20   # and the functions that take most of it
    python tests/gpu_emulation/meter.py --page                  # the models of docs/gpu.md, and regenerate its tables
    python tests/gpu_emulation/meter.py --page --json now.json  # from there, for the models that it has

A line a kernel: threads of a block and lanes that share a world; weighted warp instructions (``emulation/counting.py``) of a world and step, of
them those of the longest warp; lanes of 32 in use; barriers of a block and of a warp; bytes touched; sectors of 32 bytes a request;
registers, shared memory and local memory by NVIDIA's compiler; warps a multiprocessor holds; estimated nanoseconds a world (``emulation/gpu.py``).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

if __name__ == "__main__":  # as a command, not installed
    sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent / "support")]

import page
import warp as wp
from emulation import gpu
from emulation.measure import MACHINE_INSTRUCTIONS, Measurement, measure
from page_models import PAGE_MODELS, file_of

from newtonish import mjw

COLUMNS = ("kernel", "block/lanes", "instructions", "longest", "in use", "barriers", "bytes", "sectors", "registers", "shared", "local", "warps", "ns")


def row(key: str, measured: Measurement, nworld: int) -> list[str]:
    """One kernel's line."""
    cost = measured.kernels[key]
    taken = cost.footprint
    return [
        key.removesuffix("_kernel"),
        f"{cost.block_dim}/{cost.lanes:.0f}",
        f"{cost.instructions:,.0f}",
        f"{cost.critical:,.0f}",
        f"{cost.in_use:.1f}",
        f"{cost.block_barriers:.0f} + {cost.warp_barriers:.0f}",
        f"{cost.bytes:,.0f}",
        f"{cost.sectors_a_request:.1f}",
        str(taken.registers),
        str(taken.shared),
        str(taken.local),
        str(gpu.resident_warps(taken, cost.block_dim)),
        f"{cost.work().seconds(nworld) / nworld * 1e9:.1f}",
    ]


def summary(name: str, measured: Measurement, nworld: int) -> str:
    """What the kernels of a model come to."""
    machine = measured.instructions * MACHINE_INSTRUCTIONS
    return (
        f"{name}: nv {measured.nv}, {measured.contacts:.1f} contacts, {measured.rows:.1f} rows, {measured.iterations:.2f} iterations; "
        f"{measured.instructions:,.0f} weighted warp instructions a world-step, about {machine:,.0f} of the machine; "
        f"estimated {measured.steps_per_second(nworld) / 1e6:.2f} M steps/s of {nworld:,} worlds on an H200"
    )


def show(name: str, measured: Measurement, nworld: int, places: int) -> None:
    """Print a model's table."""
    rows = [list(COLUMNS), *(row(key, measured, nworld) for key in measured.kernels)]
    widths = [max(len(line[i]) for line in rows) for i in range(len(COLUMNS))]
    print(summary(name, measured, nworld))
    for line in rows:
        print("  " + "  ".join(text.ljust(width) if i == 0 else text.rjust(width) for i, (text, width) in enumerate(zip(line, widths, strict=True))))
    for place, count in sorted(measured.profile.items(), key=lambda entry: -entry[1])[:places]:
        print(f"  {count:9,.0f}  {' < '.join(place.split('<')[:5])}")
    for report in measured.reports:
        print(f"  !! {report}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*", default=PAGE_MODELS, metavar="MODEL", help="packaged names or files (default: those of docs/gpu.md)")
    parser.add_argument("--worlds", type=int, default=16, help="worlds that are counted, 16 or more: as many as share a warp (default: 16)")
    parser.add_argument("--of", type=int, default=8192, help="worlds of the estimate (default: 8,192)")
    parser.add_argument("--profile", type=int, default=0, metavar="N", help="also print the N places that take most instructions")
    parser.add_argument("--json", type=Path, help="keep all figures there, model by model; models that it has are not measured again")
    parser.add_argument("--page", action="store_true", help="write the tables of docs/gpu.md")
    arguments = parser.parse_args()
    wp.config.quiet = True
    found = page.read(arguments.json) if arguments.json and arguments.json.exists() else {}
    for name in arguments.models:
        if name not in found:
            m, _ = mjw.load(file_of(name), nworld=1, device="cpu")
            found[name] = measure(m, arguments.worlds)
        show(name, found[name], arguments.of, arguments.profile)
        if arguments.json:
            page.keep(found, arguments.json)
    if arguments.page:
        page.write({name: found[name] for name in arguments.models}, arguments.of)


if __name__ == "__main__":
    main()
