"""Lanes: the threads of a GPU that work on one world together, a constant of each compiled kernel.

A stage function loops over the items of its world in strides of ``lanes()`` and calls ``sync()`` where one lane reads what another wrote. On
a CPU there is one lane. On a GPU a power of two is chosen for each kernel and model (``Mapping``): two where the links of a chain follow one
another, eight where they form a tree of a few branches, so that a warp has several worlds; a block where trees stand side by side by the dozen; a whole
warp in the solver. Up to 32 lanes meet by barriers and shuffles of their warp, which cost next to nothing. NEWTONISH_LANES chooses otherwise, such as
``position_joints=4,solve=32``, or ``16`` for all kernels.

Native code finds the choice as macros (``PREAMBLE``): ``LANES``, ``LANE`` (of this thread), ``SYNC()``; and for what one warp does ``WIDTH`` (lanes of the
world within the warp), ``SYNC_WARP()``, ``warp_sum`` and ``of_lane``. ``NV`` is the number of dofs in kernels that are compiled for it, else 0.
In kernels over islands a world has ``ITEMS`` groups of so many lanes, each of which takes every ITEMS-th island.
"""

from __future__ import annotations

import functools
import os
import re
from dataclasses import dataclass
from typing import Any, NamedTuple

import warp as wp

from newtonish.kernels.runtime.constant_arguments import with_constant_arguments
from newtonish.kernels.runtime.cuda_text import rewrite
from newtonish.kernels.runtime.zeroed import zeroed

CHOICES = (1, 2, 4, 8, 16, 32, 64, 128, 256)
BLOCK_DIM = 64  # threads of a block, unless a world has more lanes: two warps, so that 32 blocks fill a multiprocessor

PREAMBLE = """
#define LANES {lanes}
#define NV {nv}
#define ITEMS {items}
#define NV_PAD ((NV + 7) / 8 * 8)
#define ON_CHIP (NV > 0 && NV <= {on_chip})  // the solver's matrix is in shared memory
#define PITCH (NV_PAD + 4)  // floats from one row of it to the next: rows of 32 would all begin in one bank
#if LANES > 32
#define LANE ((int)threadIdx.x)
#define WIDTH 32
#define LANES_MASK 0xffffffffu
#define SYNC() __syncthreads()
#define SYNC_WARP() __syncwarp()
#elif LANES > 1
#define LANE ((int)(threadIdx.x & (LANES - 1)))
#define WIDTH LANES
#define LANES_MASK (0xffffffffu >> (32 - LANES) << (threadIdx.x & 31 & ~(LANES - 1)))
#define SYNC() __syncwarp(LANES_MASK)
#define SYNC_WARP() __syncwarp(LANES_MASK)
#else
#define LANE 0
#define WIDTH 1
#define LANES_MASK (1u << (threadIdx.x & 31))
#define SYNC()
#define SYNC_WARP()
#endif
template <typename T> static __device__ __forceinline__ T warp_sum(T x) {{
#pragma unroll
    for (int offset = WIDTH / 2; offset > 0; offset /= 2) x += __shfl_xor_sync(LANES_MASK, x, offset);
    return x;
}}
template <typename T> static __device__ __forceinline__ T of_lane(T x, int lane) {{ return __shfl_sync(LANES_MASK, x, lane, WIDTH); }}
"""
# functions out of line shorten compiling for a CPU; a GPU would pass their arguments through memory
INLINED = """
#undef WP_NOINLINE
#define WP_NOINLINE
"""
# but where bodies of functions would stand in a kernel hundreds of times, which takes minutes to compile: each field of a set, wherever a search evaluates one,
# queries of meshes, shapes within others; and where what one function has in registers would have to be kept through all others: the search for convex
# contacts, whose functions hand on structures in memory
OUT_OF_LINE = frozenset({
    "collision_convex", "collision_hfield", "collision_sweep", "collision_awake_convex", "collision_awake_sweep", "collision_speculative", "collision_sdf",
    "trimesh", "inside_sites",
})  # fmt: skip
# and in those that have all of a contact's geometry in double precision, which take minutes to compile else
OUT_OF_LINE_IN = "newtonish.kernels.derivative."
ON_CHIP = 48  # most dofs with the solver's matrix in shared memory: twenty worlds then find room on a multiprocessor
SIZED = frozenset({"solve"})  # kernels that are compiled for the number of dofs
MOST_SIZED = 64
# kernels of which one warp at least works on a world
BY_WARPS = frozenset({
    "find_islands", "end_islands", "solve_cg", "solve_pgs", "solve_discrete", "solve_discrete_cg", "refine_discrete", "noslip", "metric", "begin_noslip", "end_noslip",
})  # fmt: skip
# Kernels with a lane for each dof at least, up to a warp: more of them would have no entries to work on
BY_DOFS = frozenset({"solve", "refine"})
# Kernels of which eight lanes at least work on a world, and a warp where islands are large: the panels of a Hessian of some tens of dofs have
# eight rows, so that a warp factorises those of four worlds at a time.
BY_EIGHTS = frozenset({"solve_islands", "refine_islands"})
MOST_BY_EIGHTS = 128  # dofs: beyond that a world's own chain of instructions gets long, and its islands are solved side by side
# kernels that take the islands of a world side by side, a warp each
BY_ISLANDS = frozenset({"enter_islands", "solve_each_island", "refine_each_island"})
MOST_ISLANDS = 64  # at a time
# Blocks that find room on a multiprocessor together: ten of two warps leave each thread 96 registers. What would then have to keep
# numbers in local memory has fewer.
BLOCKS = 10
FEWER_BLOCKS = {"refine": 8, "refine_islands": 8, "refine_each_island": 8}
# Kernels whose products and sums are rounded one after the other on a GPU too, as on a CPU. Fused into one rounding, they let collision take another of two
# equally deep points, and slip suppression end elsewhere after as many iterations.
ROUNDED_APART = ("collision", "noslip")
# most lanes of kernels of which each eight have a polytope in shared memory, of which a block can have 48 KB
MOST_LANES = {"collision_convex": 128}
# Bodies of a level of the trees from which on a world has as many lanes, so that a block works on one: few such worlds fill a GPU, and each is long
WIDE = 32
# kernels that have long work for a few lanes of a world: with fewer lanes, a warp has more worlds. Not the searches for convex contacts, though: of twenty warps
# that find room, 8,192 worlds of four lanes fill eight
BY_FEW = frozenset({"sensor"})


class Choice(NamedTuple):
    """What a kernel is compiled for: lanes that work together, dofs (0: any number), and groups of lanes that a world has."""

    lanes: int
    nv: int = 0
    items: int = 1


@dataclass(frozen=True)
class Mapping:
    """Which lanes a model's worlds get on a GPU.

    Attributes:
        nv: Number of dofs.
        branches: Bodies of the widest level of the kinematic trees, 1 for a chain.
        trees: Number of kinematic trees.
    """

    nv: int = 0
    branches: int = 0
    trees: int = 0

    @property
    def islands(self) -> int:
        """How many islands of a world are solved side by side: in large worlds as many as there are trees, up to a power of two."""
        if self.nv <= MOST_BY_EIGHTS or self.trees < 2:
            return 1
        return min(1 << (self.trees - 1).bit_length(), MOST_ISLANDS)

    def choice(self, kernel: wp.Kernel) -> Choice:
        """What ``kernel`` is compiled for."""
        name = name_of(kernel)
        nv = self.nv if name in SIZED and self.nv <= MOST_SIZED else 0
        return Choice(self._lanes(name), nv, self.islands if name in BY_ISLANDS else 1)

    def _lanes(self, name: str) -> int:
        chosen = settings()
        lanes = chosen.get(name, chosen.get("", self._usual(name)))
        least = 32 if name in BY_WARPS else self._for_dofs() if name in BY_DOFS else 8 if name in BY_EIGHTS | BY_ISLANDS else 1
        return min(max(lanes, least), MOST_LANES.get(name, CHOICES[-1]))

    def _for_dofs(self) -> int:
        return 8 if 0 < self.nv <= 8 else 16 if 0 < self.nv <= 16 else 32

    def _usual(self, name: str) -> int:
        if name in BY_WARPS or name in BY_ISLANDS or (name in BY_EIGHTS and self.nv > MOST_BY_EIGHTS):
            return 32
        if name in BY_DOFS:
            return self._for_dofs()
        if name in BY_EIGHTS:
            return 8
        if self.branches == 1:
            return 2
        if self.branches >= WIDE:
            return min(1 << (self.branches - 1).bit_length(), CHOICES[-1])
        return 4 if name in BY_FEW else 8


def name_of(kernel: wp.Kernel) -> str:
    """Name of a kernel in settings and tables."""
    return kernel.key.strip("_").removesuffix("_kernel")


@functools.cache
def settings() -> dict[str, int]:
    """What NEWTONISH_LANES sets: lanes by kernel; under no name those of all others.

    Names are not looked up: which kernels there are shows only as a model's are loaded. One that no kernel has is of no effect.

    Raises:
        ValueError: it is not of the form ``KERNEL=LANES,...``.
    """
    found = {}
    for part in filter(None, os.environ.get("NEWTONISH_LANES", "").split(",")):
        setting = re.fullmatch(r"(?:([a-z]\w*)\s*=)?\s*(\d+)", part.strip())
        if setting is None or int(setting[2]) not in CHOICES:
            allowed = f"KERNEL=LANES or LANES, with lanes of {', '.join(map(str, CHOICES))}"
            raise ValueError(f"NEWTONISH_LANES: got {part!r}; allowed: {allowed}; write something like position_joints=4,solve=32")
        found[setting[1] or ""] = int(setting[2])
    return found


def block_of(lanes: int) -> int:
    """Threads of a block."""
    return max(lanes, BLOCK_DIM)


def preamble(choice: Choice) -> str:
    """The macros by which native code knows the choice."""
    return PREAMBLE.format(lanes=choice.lanes, nv=choice.nv, items=choice.items, on_chip=ON_CHIP)


_chosen: dict[str, Choice] = {}  # by the name of a variant's module
_out_of_line: set[str] = set()  # names of the modules of variants whose functions are out of line, with groups by reference


def _rewritten(module: Any, text: str) -> str:
    if module.name in _chosen:
        text = zeroed(text)
    return with_constant_arguments(text) if module.name in _out_of_line else text


# part of a variant's text, by which Warp tells binaries that it keeps from one another
_MARK = "// variables begin as zero in each turn, groups are constant where functions are out of line\n" if rewrite(_rewritten) else ""


@functools.cache
def variant(kernel: wp.Kernel, choice: Choice) -> wp.Kernel:
    """The same kernel for a GPU, in a module of its own, with the other kernels of its file."""
    suffix = f"lanes{choice.lanes}" + (f"_nv{choice.nv}" if choice.nv else "") + (f"_items{choice.items}" if choice.items > 1 else "")
    module = wp.get_module(f"{kernel.module.name}.{suffix}")
    if kernel.key not in module.kernels:
        _chosen[module.name] = choice
        module.options |= kernel.module.options
        module.options["default_grid_stride"] = False
        module.options["fuse_fp"] = not name_of(kernel).startswith(ROUNDED_APART)
        if name_of(kernel) in OUT_OF_LINE:
            _out_of_line.add(module.name)
        inlined = "" if name_of(kernel) in OUT_OF_LINE or kernel.module.name.startswith(OUT_OF_LINE_IN) else INLINED
        module.options["extra_build_options"] = wp.ModuleBuildOptions(extra_cuda_preamble=_MARK + inlined + preamble(choice))
        for one in list(kernel.module.kernels.values()):  # all at once: a module that gets a kernel later is compiled again
            if one.key not in module.kernels:
                wp.Kernel(func=one.func, key=one.key, module=module, options=one.options | _registers(one, choice))
    return module.kernels[kernel.key]


def _registers(kernel: wp.Kernel, choice: Choice) -> dict[str, Any]:
    """Options that bound the registers of a thread; the few that lack room then are kept in shared memory."""
    block = block_of(choice.lanes)
    blocks = FEWER_BLOCKS.get(name_of(kernel), BLOCKS) * BLOCK_DIM // block
    return {"launch_bounds": (block, max(blocks, 1)), "enable_cuda_smem_spilling": True}


def choice_of(kernel: wp.Kernel) -> Choice:
    """What a kernel is compiled for; one lane where it is no variant."""
    return _chosen.get(kernel.module.name, Choice(1))


def mapping_of(d: Any) -> Mapping:
    """The mapping of a Data, or of what stands for one."""
    return getattr(d, "mapping", None) or Mapping()
