"""Items of several worlds, such as pairs of geoms, shared among all lanes of a warp: worlds have different numbers of them.

The items of a warp's worlds stand one after the other, those of a world in their order, and go to the lanes in rounds. What is found for them is counted
in the order of the items, so results are the same whoever found them. ``crowd`` are the lanes of the warp that have a world (``team.crowd_of``),
which must all come by; with ``ALONE`` the lanes of each world share its items, as they do where a world has more lanes than a warp. On a
CPU the one lane takes its world's items in turn.
"""

import warp as wp

from newtonish.kernels.math.world import scan_lanes

# how native code begins: lanes that share (``many``, the first is ``begin``), this one's ``rank`` and world among them
_SHARING = """
    const int many = crowd > 1 ? crowd : WIDTH, begin = crowd > 1 ? 0 : (int)(threadIdx.x & 31 & ~(WIDTH - 1));
    const unsigned present = (0xffffffffu >> (32 - many)) << begin;
    const int rank = (int)(threadIdx.x & 31) - begin, world = rank / WIDTH, worlds = many / WIDTH;
"""

# what a lane keeps in memory (``collision.walk``) is read again from here on
_READ_AGAIN = 'asm volatile("" ::: "memory");'


def _native(on_gpu: str, else_: str) -> str:
    return f"""
#if defined(__CUDA_ARCH__) && LANES <= 32
{_SHARING}
{on_gpu}
#else
{else_}
#endif
"""


@wp.func_native(
    _native(
        """
    int all = 0, before = 0;
    for (int s = 0; s < worlds; s++) {
        before = s == world ? all : before;
        all += __shfl_sync(present, number, begin + s * WIDTH);
    }
    return wp::vec_t<3, int>(all, before, many);
""",
        """
#if defined(__CUDA_ARCH__)
    return wp::vec_t<3, int>(number, 0, LANES);
#else
    return wp::vec_t<3, int>(number, 0, 1);
#endif
""",
    )
)
def items_of(number: int, crowd: int) -> wp.vec3i:
    """Of items of which this lane's world has ``number``: how many all worlds that share have, how many those before this one, and how many a round takes."""
    ...


@wp.func_native(
    _native(
        """
    const int at = done + rank, last = before + number;
    int passed = 0;  // worlds of which all items go before this lane's
    for (int s = 0; s < worlds; s++) passed += at >= __shfl_sync(present, last, begin + s * WIDTH);
    const bool has = passed < worlds;
    const int of = has ? passed - world : 0;
    const int first_item = __shfl_sync(present, before, begin + (world + of) * WIDTH);
    const int low = before - done, high = last - done;
    const int first = low < 0 ? 0 : low > many ? many : low, end = high > many ? many : high;
    return wp::vec_t<4, int>(of, has ? at - first_item : -1, first, first < end ? end : first);
""",
        """
#if defined(__CUDA_ARCH__)
    const int at = done + LANE;
#else
    const int at = done;
#endif
    return wp::vec_t<4, int>(0, at < number ? at : -1, 0, 0);
""",
    )
)
def item_of(number: int, before: int, done: int, crowd: int) -> wp.vec4i:
    """Which item a round gives this lane: of which world, counted from this one's, and its index there; -1: none. And which lanes have its world's: first, end.

    Args:
        number: items of this lane's world.
        before: those of the worlds before it (``items_of``).
        done: those of rounds before.
        crowd: lanes that share.
    """
    ...


# The items of a world are neighbours: what was counted before its first one of this round is not its own.
_PLACE = f"""
    {_READ_AGAIN}
    const int first = item[1] < 0 || rank < item[1] ? 0 : rank - item[1];
    const int before = __shfl_sync(present, count, begin + (world + item[0]) * WIDTH);
"""


@wp.func_native(
    _native(
        _PLACE
        + """
    int sum = found;
#pragma unroll
    for (int offset = 1; offset < 32; offset *= 2) {
        const int below = __shfl_sync(present, sum, begin + (rank >= offset ? rank - offset : rank));
        if (rank >= offset) sum += below;
    }
    const int before_first = __shfl_sync(present, sum - found, begin + first);
    const int before_own = __shfl_sync(present, sum - found, begin + (item[2] < many ? item[2] : 0));
    const int with_own = __shfl_sync(present, sum, begin + (item[3] > 0 ? item[3] - 1 : 0));
    return wp::vec_t<2, int>(before + sum - found - before_first, count + (item[2] < item[3] ? with_own - before_own : 0));
""",
        "return wp::vec_t<2, int>(count, count + found);",
    )
)
def _place(found: int, count: int, item: wp.vec4i, crowd: int) -> wp.vec2i: ...


@wp.func_native(
    _native(
        _PLACE
        + """
    const unsigned bits = __ballot_sync(present, found != 0) >> begin;
    const unsigned own = (unsigned)((1ull << item[3]) - (1ull << item[2]));
    return wp::vec_t<2, int>(before + __popc(bits & ((1u << rank) - (1u << first))), count + __popc(bits & own));
""",
        "return wp::vec_t<2, int>(count, count + found);",
    )
)
def _place_of_one(found: int, count: int, item: wp.vec4i, crowd: int) -> wp.vec2i: ...


@wp.func_native(
    """
#if defined(__CUDA_ARCH__)
    return LANES <= 32;
#else
    return true;
#endif
"""
)
def _within_warp() -> bool: ...


@wp.func
def _place_in_world(found: int, count: int) -> wp.vec2i:
    place = scan_lanes(found)
    return wp.vec2i(count + place[0], count + place[1])


@wp.func
def places(found: int, count: int, item: wp.vec4i, crowd: int) -> wp.vec2i:
    """Where what this lane found begins in its item's world, and how much this lane's world has after the round.

    Args:
        found: how much this lane found; 0 without an item.
        count: how much this lane's world had before the round.
        item: the lane's (``item_of``).
        crowd: lanes that share.
    """
    if _within_warp():
        return _place(found, count, item, crowd)
    return _place_in_world(found, count)


@wp.func
def places_of_one(found: int, count: int, item: wp.vec4i, crowd: int) -> wp.vec2i:
    """``places`` where each lane finds one thing or nothing."""
    if _within_warp():
        return _place_of_one(found, count, item, crowd)
    return _place_in_world(found, count)


@wp.func_native(
    _native(
        "__syncwarp(present);",
        """
#if defined(__CUDA_ARCH__)
    SYNC();
#endif
""",
    )
)
def meet_crowd(crowd: int):
    """Barrier of the lanes that share, and of those of a world: each sees what the others wrote before it."""
    ...


@wp.func_native(_native("return __shfl_sync(present, x, begin + (world + of) * WIDTH);", "return x;"))
def of_world(x: int, of: int, crowd: int) -> int:
    """What the lanes of another world have as ``x``, of the world ``of`` places from this lane's."""
    ...


@wp.func_native(
    """
#if defined(__CUDA_ARCH__)
    return __any_sync(0xffffffffu, said);  // lanes without a world have ended, and count as having come by
#else
    return said;
#endif
"""
)
def any_of_warp(said: bool) -> bool:
    """Whether one of a warp's lanes says so; all that have a world must come by.

    A loop that asks this is known to be left by all lanes at once, so that nothing is held through it to bring them together behind it.
    """
    ...


@wp.func
def any_alone(said: bool) -> bool:
    """The same where worlds come by at different times: whether this lane says so, and with it those of its world."""
    return said
