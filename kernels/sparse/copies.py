"""Arrays of which each island of a world has a part, as arrays that have a row for each island.

Where islands are solved side by side, their vectors follow one another, each from a multiple of eight elements on. An island's slot is the number of
blocks of eight before it, of all worlds: with rows of a block each, its vectors are row ``slot`` of every array, wherever that is. A GPU would
otherwise hold an address for each of some thirty arrays through an iteration.
"""

import warp as wp

from newtonish.kernels.math.world import FRESH
from newtonish.kernels.structs.field import vec5


@wp.func_native("a.shape.dims[1] = n; if (apart) { a.shape.dims[0] = 0x7fffffff; a.strides[0] = 8 * sizeof(float); } return a;")
def cut(a: wp.array2d(dtype=float), n: int, apart: bool) -> wp.array2d(dtype=float):
    """Rows of ``n`` elements, if ``apart`` with one from each multiple of eight elements on."""
    ...


_IN_BLOCKS = "a.shape.dims[0] = 0x7fffffff; a.strides[0] = 8 * sizeof(*a.data); return a;"


@wp.func_native(_IN_BLOCKS)
def floats(a: wp.array2d(dtype=float)) -> wp.array2d(dtype=float):
    """With a row from each multiple of eight elements on."""
    ...


@wp.func_native(_IN_BLOCKS)
def ints(a: wp.array2d(dtype=int)) -> wp.array2d(dtype=int):
    """With a row from each multiple of eight elements on."""
    ...


@wp.func_native(_IN_BLOCKS)
def frictions(a: wp.array2d(dtype=vec5)) -> wp.array2d(dtype=vec5):
    """With a row from each multiple of eight elements on."""
    ...


@wp.func_native("a.shape.dims[0] = 0x7fffffff; a.strides[0] = sizeof(*a.data); return a;")
def panels(a: wp.array2d(dtype=int)) -> wp.array2d(dtype=int):
    """With a row from each element on."""
    ...


@wp.func_native(
    FRESH
    + """
#if defined(__CUDA_ARCH__) && ITEMS > 1
    a.data += (size_t)FRESH(w) * (a.strides[0] / sizeof(*a.data));
    a.shape.dims[0] = 0x7fffffff;
    a.strides[0] = 0;
#endif
    return a;
"""
)
def of_world(a: wp.array2d(dtype=float), w: int) -> wp.array2d(dtype=float):
    """What the islands of world ``w`` share, for functions that look for it in an island's slot."""
    ...


# What ``isl.head`` has of an island
FIRST_ROW = wp.constant(0)  # in map_iefc2efc
ROWS = wp.constant(1)
EQUALITIES = wp.constant(2)
FLAT = wp.constant(3)  # leading rows of which each has a cost of its own
CONTACTS = wp.constant(4)  # elliptic ones
FIRST_TREE = wp.constant(5)  # in map_itree2tree
TREES = wp.constant(6)
WHICH = wp.constant(7)  # of the islands of its world


@wp.func_native(FRESH + "return ((int*)((char*)head.data + (size_t)FRESH(slot) * head.strides[0]))[what];")
def of_island(head: wp.array2d(dtype=int), slot: int, what: int) -> int:
    """One of these numbers, read where it is asked for: an iteration needs the registers."""
    ...


@wp.func_native(FRESH + "return ((float*)((char*)numbers.data + (size_t)FRESH(slot) * numbers.strides[0]))[what];")
def number_of_island(numbers: wp.array2d(dtype=float), slot: int, what: int) -> float:
    """The same of ``isl.numbers``."""
    ...
