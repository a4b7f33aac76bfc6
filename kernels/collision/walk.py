"""How far a lane has come with the pairs of its world, in memory.

Contacts of convex shapes are searched for by functions out of line, across which a thread of a GPU keeps half of its registers at the most. What is asked
for again after such a call lies in memory therefore, and is read where it is used.
"""

import warp as wp

from newtonish.kernels.math.crowd import item_of, items_of, meet_crowd
from newtonish.kernels.math.team import ALONE
from newtonish.kernels.math.world import scratch_slot


@wp.struct
class Walk:
    """How far a lane has come with the pairs of its world, and which of them it has now."""

    w: wp.int32  # world
    slot: wp.int32  # of its scratch arrays
    lane: wp.int32
    team: wp.int32  # lanes that search for a depth together (``newtonish.kernels.math.team``), whatever their worlds
    crowd: wp.int32  # lanes that share the pairs of their worlds (``newtonish.kernels.math.crowd``)
    tested: wp.int32  # pairs of the model whose bounds were tested
    last: wp.int32  # pairs of the model
    some: wp.int32  # as many are tested at a time
    listed: wp.int32  # near ones in the list
    sifted: wp.int32  # of these, from the first on, which no axis tells apart, or whose contacts are found
    count: wp.int32  # contacts found, with unlimited room
    begin: wp.int32  # entry of the list from which on they are shared
    number: wp.int32  # how many of them
    kept: wp.int32  # entries that a sieve has left, or contacts of a pair with a heightfield
    shared: wp.int32  # entries that are given out by rounds
    before: wp.int32  # of the worlds before this one
    step: wp.int32  # of a round
    done: wp.int32  # of rounds before
    item: wp.vec4i  # this lane's of the round (``item_of``)
    field: wp.int32  # the pair with a heightfield that the world has now; -1: none
    waiting: wp.int32  # lanes whose cores overlap, a bit each, of which the depth is not known yet
    geoms: wp.vec2i
    pairid: wp.int32
    width: wp.vec2  # their margin and gap [m]


# An asm statement that has been given an address may change what lies there at any time, as far as the compiler knows.
KEPT_IN_MEMORY = """
#if defined(__CUDA_ARCH__)
    asm volatile("" :: "l"(&kept) : "memory");
#endif
"""


@wp.func_native(KEPT_IN_MEMORY)
def _keep_in_memory(kept: wp.ref[Walk]):
    """Have what is kept read from memory again behind each call, each barrier and each count of items, instead of being held in registers."""
    ...


@wp.func
def begin_walk(walk: wp.ref[Walk], w: int, lane: int):
    """Begin a new walk over the pairs of world ``w``."""
    _keep_in_memory(walk)
    walk.w = w
    walk.slot = scratch_slot(w)
    walk.lane = lane


@wp.func
def begin_pairs(walk: wp.ref[Walk], last: int, some: int):
    """Begin at the first of ``last`` pairs, of which ``some`` are tested at a time, with no contacts."""
    walk.tested = 0
    walk.count = 0
    walk.last = last
    walk.some = some


@wp.func
def shares(walk: wp.ref[Walk]) -> int:
    """The lanes that share pairs: those of a warp together."""
    return walk.crowd


@wp.func
def shares_none(walk: wp.ref[Walk]) -> int:
    """The same where worlds come by at different times."""
    return ALONE


@wp.func
def begin_entries(walk: wp.ref[Walk], begin: int, end: int, crowd: int):
    """Begin to share the entries ``begin`` to ``end - 1`` of each world's list."""
    items = items_of(end - begin, crowd)
    walk.begin = begin
    walk.number = end - begin
    walk.shared = items[0]
    walk.before = items[1]
    walk.step = items[2]
    walk.done = 0
    meet_crowd(crowd)


@wp.func
def next_entry(walk: wp.ref[Walk], crowd: int) -> bool:
    """Give each lane its next entry, as ``walk.item``, or none; False where all have been given out."""
    left = walk.done < walk.shared
    walk.item = wp.vec4i(0, -1, 0, 0)
    if left:
        walk.item = item_of(walk.number, walk.before, walk.done, crowd)
        walk.done += walk.step
    return left
