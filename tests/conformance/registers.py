"""Writes the table of registers, spills and shared memory of ``docs/gpu.md``: of every variant that a step of the page's models launches.
No GPU is needed, only NVIDIA's assembler.

    pip install nvidia-cuda-nvcc nvidia-cuda-nvdisasm        # 13 or newer, in an environment of its own
    PYTHONPATH=tests/support python tests/conformance/registers.py PATH/TO/ptxas

Each module is compiled to PTX with the lanes and the block size it is launched with, and ``ptxas -v`` says what its kernels take. Spills are counted in the machine
code, where ``nvdisasm``, which lies beside ptxas, marks them: what ptxas says of them is less than nothing where it has taken some away again.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import warp as wp
from cuda_compile import STEP_BUILDS, stage_builds, translate_for_cuda
from page_models import PAGE_MODELS, file_of
from paths import REPO

from newtonish import mjw
from newtonish.kernels.forward import step
from newtonish.kernels.runtime.lanes import BLOCK_DIM
from newtonish.kernels.runtime.modules import Build, planned_modules

PAGE = REPO / "docs" / "gpu.md"
BEGIN, END = "<!-- kernels: begin -->\n", "<!-- kernels: end -->\n"
FIGURES = {
    "registers": r"Used (\d+) registers",
    "stack": r"(\d+) bytes stack frame",
    "shared": r"(\d+) bytes smem",
}
SPILLS = ("stores", "loads", "stores of functions", "loads of functions")
COLUMNS = ("registers", "stack", *SPILLS, "shared")


def chosen(beginnings: str | None) -> list[Build]:
    """What steps of the page's models launch kernels of, or all whose name begins with one of these, separated by commas."""
    if beginnings is None:
        return _of_the_page()
    wanted = tuple(beginnings.split(","))
    found = [build for build in (*STEP_BUILDS, *stage_builds()) if build.module.name.startswith(wanted)]
    return sorted(found, key=lambda build: build.module.name)


def _of_the_page() -> list[Build]:
    loaded = [mjw.load(file_of(name), nworld=1, device="cpu") for name in PAGE_MODELS]
    found = {build: None for m, d in loaded for build in planned_modules(step, m, d, for_cuda=True)}
    return sorted(found, key=lambda build: build.module.name)


def assemble(ptxas: str, build: Build, arch: int) -> list[tuple[str, str, dict[str, int]]]:
    """Module, kernel and figures of each kernel of a module."""
    name = build.module.name
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder, "kernels.ptx")
        text.write_text(translate_for_cuda(build, arch, Path(folder)))
        cubin = Path(folder, "kernels.cubin")
        said = subprocess.run([ptxas, "-v", f"-arch=sm_{arch}", text, "-o", cubin], capture_output=True, text=True, check=True).stderr
        spilled = spills(subprocess.run([Path(ptxas).with_name("nvdisasm"), "-c", cubin], capture_output=True, text=True, check=True).stdout)
    found = []
    for part in re.split(r"Compiling entry function ", said)[1:]:
        mangled = part.split("'")[1]
        kernel = re.sub(r"_[0-9a-f]{8}_cuda_kernel_forward$", "", mangled)
        # figures of functions that were not inlined stand before those of the kernel itself
        own = part[part.index(f"Function properties for {mangled}") :] if f"Function properties for {mangled}" in part else part
        figures = dict(zip(SPILLS, spilled[mangled], strict=True))
        for figure, pattern in FIGURES.items():
            match = re.search(pattern, own)
            figures[figure] = int(match.group(1)) if match else 0
        found.append((name.removeprefix("newtonish.kernels."), kernel, figures))
    return found


def spills(code: str) -> dict[str, list[int]]:
    """Of each kernel in nvdisasm's text: instructions that store registers and load them again, of its own and of the functions that it calls."""
    found: dict[str, list[int]] = {}
    counts, of_function = [0, 0, 0, 0], 0
    for line in code.splitlines():
        if section := re.match(r"\.text\.(\w+):", line):
            counts, of_function = found.setdefault(section[1], [0, 0, 0, 0]), 0
        elif re.match(r"\$\S+:", line):
            of_function = 2
        elif "SpillRefill" in line:
            counts[of_function + (re.search(r"\bST[LS]\b", line) is None)] += 1
    return found


def table(rows: list[tuple[str, str, list[dict[str, int]]]], architectures: list[int]) -> str:
    """The rows as Markdown: in each column the figures for the architectures, or one where they agree."""
    names = " / ".join(f"sm_{arch}" for arch in architectures)
    lines = [
        f"Compiled for {names} with blocks of {BLOCK_DIM} threads by Warp {wp.__version__}; registers a thread, stack in bytes a thread, shared "
        "memory a block. Spills are instructions, of the kernel and of all functions that it calls; kernels that call none spill into shared memory. "
        "One figure where the architectures agree.",
        "",
        "| module | kernel | registers | stack | spill stores | spill loads | stores of functions | loads of functions | shared memory |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for module, kernel, figures in rows:
        cells = [list(dict.fromkeys(str(one[name]) for one in figures)) for name in COLUMNS]
        entries = [cell[0] if len(cell) == 1 else " / ".join(str(one[name]) for one in figures) for name, cell in zip(COLUMNS, cells, strict=True)]
        lines.append(f"| `{module}` | `{kernel}` | " + " | ".join(entries) + " |")
    return "\n".join(lines) + "\n"


def of_all(ptxas: str, build: Build, architectures: list[int]) -> list[tuple[str, str, list[dict[str, int]]]]:
    """Module, kernel and figures by architecture of each kernel of a module."""
    parts = [sorted(assemble(ptxas, build, arch), key=lambda row: row[1]) for arch in architectures]
    return [(same[0][0], same[0][1], [figures for _, _, figures in same]) for same in zip(*parts, strict=True)]


def write(text: str) -> None:
    """Put the table between the page's marks."""
    head, rest = PAGE.read_text().split(BEGIN)
    PAGE.write_text(head + BEGIN + "\n" + text + "\n" + END + rest.split(END)[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ptxas", help="NVIDIA's assembler")
    parser.add_argument("--arch", default="90", help="compute capabilities times ten, separated by commas (default: 90)")
    parser.add_argument("--modules", help="beginnings of module names (default: what steps of the page's models launch)")
    arguments = parser.parse_args()
    builds = chosen(arguments.modules)
    architectures = [int(arch) for arch in arguments.arch.split(",")]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        rows: list[tuple[str, str, list[dict[str, int]]]] = []
        for part in pool.map(lambda build: of_all(arguments.ptxas, build, architectures), builds):
            rows += part
            write(table(rows, architectures))  # what is done stands there if the rest is interrupted


if __name__ == "__main__":
    main()
