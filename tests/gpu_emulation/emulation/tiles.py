"""Modules that work on tiles: Warp's headers for them in their form for a GPU, and stand-ins for what NVIDIA delivers as machine code.

All of ``wp.tile_*`` is source in Warp's headers but factors of Cholesky and solves with them, which a build for a GPU takes from libmathdx. Lane 0 does
their work here. Each warp counts what no program can save that goes through the matrix column by column with a lane for each product: a root and a
quotient a column of the factor, products shared by all lanes of the block, and nothing for memory or barriers. They cost more on a GPU.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from unittest import mock

import warp as wp

from . import compiler

MOST_SHARED = 96 << 10  # bytes that tiles of a block may take
_ON_TILES = re.compile(r"wp::tile_(?!shared_storage_t)")
# `void potrf_27_27_1_90_64_1_1_5_x_x_0(wp::float32*, int*);`: rows, columns (of the right sides in `trsm`), right sides, architecture, threads, whether rows of
# the matrix and of the right sides lie together, precision (5: float), side, diagonal, triangle (0: the upper one)
_LIBRARY = re.compile(r"void ((potrf|potrs|trsm)_(\d+)_(\d+)_(\d+)_\d+_(\d+)_([01])_([01])_5_\w_\w_([01]))\(wp::float32\*, (\w+(?:::\w+)?)\*\);")
_FUNCTIONS = ("potrf_", "potrs_", "trsm_")
_SEQUENCE = 9  # instructions of a root or a quotient, as ``counting`` weighs them
_WARP = 32
_DYNAMIC = "extern __shared__ char dynamic_smem_base[];"
_ALIGNED = re.compile(r"__shared__ (alignas\(\w+\))")  # an order that only NVIDIA's compiler takes
_FIRST_OF_TILES = '#include "tile.h"\n#include "tile_matmul.h"'
# what stands before it is read in its form for a CPU, in which there is no assembly; NVRTC's name says that vectors of four floats are there
_NAMES = '#include "deterministic.h"\n#include "tile_names.h"\n#define __CUDACC_RTC__\n#define WP_ENABLE_MATHDX 1\n'


def on_tiles(text: str) -> bool:
    """Whether a module's CUDA text does anything with tiles."""
    return _ON_TILES.search(text) is not None


@functools.cache
def headers() -> Path:
    """The folder of Warp's headers in that form, made where it is not there."""
    originals = sorted(compiler.NATIVE.glob("*.h"))
    place = compiler.folder() / compiler.named("tiles", [Path(__file__).read_text(), *[path.read_text() for path in originals]])
    if not place.exists():
        with tempfile.TemporaryDirectory(dir=compiler.folder()) as work:
            made = Path(work) / place.name
            shutil.copytree(compiler.NATIVE, made, ignore=shutil.ignore_patterns("*.cpp", "*.cu"))
            _change(made / "builtin.h", _FIRST_OF_TILES, _NAMES + _FIRST_OF_TILES)
            _change(made / "tile.h", _DYNAMIC, f"alignas(128) __shared__ char dynamic_smem_base[{MOST_SHARED}];")
            for name in ("bvh", "mesh"):  # these bring tiles in before there are names
                _change(made / f"{name}.h", f'#include "tile_{name}.h"', "")
            for path in made.glob("tile*.h"):
                path.write_text(_ALIGNED.sub(r"\1 __shared__", path.read_text()))
            with suppress(OSError):  # another process was quicker
                os.replace(made, place)
    return place


@contextmanager
def without_library() -> Iterator[None]:
    """Within it, functions of libmathdx that have a stand-in are not compiled, which takes NVIDIA's compiler a minute."""
    build = wp._src.build._build_lto_base

    def stand_in_or_build(symbol: str, *arguments: Any) -> Any:
        return (True, b"", b"") if symbol.startswith(_FUNCTIONS) else build(symbol, *arguments)

    with mock.patch("warp._src.build._build_lto_base", stand_in_or_build):
        yield


def stand_ins(text: str) -> str:
    """Definitions of the functions of libmathdx that a module's text declares."""
    return "\n".join(["#undef int", "#undef float", 'extern "C" {', _RUNTIME, *[_stand_in(*found) for found in _LIBRARY.findall(text)], "}"])


_RUNTIME = """float emu_quotient(float, float);
void emu_factor(float*, int, int, int);
void emu_substitute(const float*, float*, int, int, int, int, int, int, int);"""


def _stand_in(name: str, function: str, rows: str, columns: str, sides: str, threads: str, by_rows: str, sides_by_rows: str, triangle: str, second: str) -> str:
    n, m, warps, upper = int(rows), int(columns if function == "trsm" else sides), max(int(threads) // _WARP, 1), int(triangle == "0")
    if function == "potrf":
        work = f"emu_factor(a, {n}, {by_rows}, {upper});"
        count = sum(2 * _SEQUENCE + _shared(size * (size + 1) // 2) for size in range(n))
    else:
        forward, backward = (1, 1) if function == "potrs" else (1 - upper, upper)
        work = f"emu_substitute(a, b, {n}, {m}, {by_rows}, {sides_by_rows}, {upper}, {forward}, {backward});"
        count = (forward + backward) * sum(1 + _shared(size * m) for size in range(n))
    spend = "x = emu_quotient(x, 1.0f);" * -(-count // warps)
    return f"void {name}(float* a, {second.removeprefix('wp::').replace('float32', 'float')}* b) {{ if (threadIdx.x == 0) {work} float x = 1.0f; {spend} }}"


def _shared(products: int) -> int:
    """Instructions of warps for so many products."""
    return -(-products // _WARP)


def _change(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    if old not in text:
        raise RuntimeError(f"{path.name} of Warp's headers has no line '{old}' any more: see {Path(__file__).name}")
    path.write_text(text.replace(old, new, 1))
