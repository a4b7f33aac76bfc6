"""Teams: eight neighbouring lanes of a warp that work together on one thing, whatever worlds they are of.

What takes one lane long, and few lanes have at a time, such as the search for a depth, goes to a team; four of them keep a warp's lanes at work.
All lanes of a warp that have a world, its crowd, hand such work out to the teams (``turn_of_team``).
Native code that begins with ``TEAM`` is for one lane by itself (``team`` is ``ALONE``, as always on a CPU) or for a team of so many lanes, all of which
must come by. It finds how many ``lanes`` there are, the ``rank`` of this one, and:

    meet()                     barrier: each sees what the others wrote before it
    vote(said)                 a bit for each lane that says so
    number(bits)               how many bits are set
    number_below(bits)         how many of them by lanes of lower rank
    from_lane(value, rank)     what another lane has as ``value``
    first_least(value, index)  the index of the least value, of several the least index
"""

import warp as wp

ALONE = wp.constant(0)
WARP_LANES = 32
WARP = wp.constant(WARP_LANES)
TEAM_LANES = 8
HALF_LANES = wp.constant(TEAM_LANES // 2)


def _of_neighbours(most: int) -> str:
    """How native code begins that is for one lane or for ``team`` neighbouring ones, ``most`` at the most."""
    return f"""
#if defined(__CUDA_ARCH__)
    const int lanes = team > 1 ? team : 1, begin_of_team = (int)(threadIdx.x & 31 & ~{most - 1});
    const int rank = team > 1 ? (int)(threadIdx.x & {most - 1}) : 0;
    const unsigned present = (0xffffffffu >> (32 - lanes)) << begin_of_team;
    const auto meet = [&]() {{ if (team > 1) __syncwarp(present); }};
    const auto vote = [&](bool said) -> unsigned {{ return team > 1 ? __ballot_sync(present, said) >> begin_of_team : (unsigned)said; }};
    const auto number = [](unsigned bits) {{ return __popc(bits); }};
    const auto number_below = [&](unsigned bits) {{ return __popc(bits & ((1u << rank) - 1u)); }};
    const auto from_lane = [&](auto value, int other) {{ return team > 1 ? __shfl_sync(present, value, begin_of_team + other) : value; }};
    const auto first_least = [&](float value, int index) {{
#if __CUDA_ARCH__ >= 800
        if (team <= 1) return index;
        const int bits = __float_as_int(value + 0.0f);  // zero has one sign
        const unsigned key = (unsigned)bits ^ ((unsigned)(bits >> 31) | 0x80000000u);  // in the order of the values
        const unsigned least = __reduce_min_sync(present, key);
        return (int)__reduce_min_sync(present, key == least ? (unsigned)index : 0xffffffffu);
#else
        for (int offset = 1; offset < lanes; offset *= 2) {{
            const int from = rank + offset < lanes ? rank + offset : rank;
            const float other = from_lane(value, from);
            const int other_index = from_lane(index, from);
            const bool takes = other < value || (other == value && other_index < index);
            value = takes ? other : value;
            index = takes ? other_index : index;
        }}
        return from_lane(index, 0);
#endif
    }};
#else
    constexpr int lanes = 1, rank = 0;
    const auto meet = []() {{}};
    const auto vote = [](bool said) -> unsigned {{ return said; }};
    const auto number = [](unsigned bits) {{ return (int)bits; }};
    const auto number_below = [](unsigned) {{ return 0; }};
    const auto from_lane = [](auto value, int) {{ return value; }};
    const auto first_least = [](float, int index) {{ return index; }};
#endif
"""


HALF = _of_neighbours(TEAM_LANES // 2)
TEAM = _of_neighbours(TEAM_LANES)
CROWD = _of_neighbours(32)

_WITH_WORLDS = """
#if defined(__CUDA_ARCH__)
    const int block = (int)((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x);
    const int rest = nworld * LANES - block * WP_TILE_BLOCK_DIM - (int)(threadIdx.x & ~(MOST - 1));
    return rest < MOST ? rest : MOST;
#else
    return 0;
#endif
"""


@wp.func_native(_WITH_WORLDS.replace("MOST", str(TEAM_LANES)))
def team_of(nworld: int) -> int:
    """Lanes of this one's team that have a world, of ``nworld``: its first ones. ``ALONE`` on a CPU."""
    ...


@wp.func_native(_WITH_WORLDS.replace("MOST", "32"))
def crowd_of(nworld: int) -> int:
    """Lanes of this one's warp that have a world, of ``nworld``: its first ones. ``ALONE`` on a CPU."""
    ...


@wp.func_native(TEAM + f"return lanes == {TEAM_LANES};")
def has_halves(team: int) -> bool:
    """Whether a team is complete, so that two halves of it can be at two things; False on a CPU."""
    ...


def _on_gpu(text: str, else_: str) -> str:
    return f"""
#if defined(__CUDA_ARCH__)
    {text}
#else
    {else_}
#endif
"""


@wp.func_native(_on_gpu(f"return (threadIdx.x & {TEAM_LANES // 2}) != 0;", "return false;"))
def in_second_half() -> bool:
    """Whether this lane is one of the second half of a complete team."""
    ...


# how native code begins for a complete team, of which it finds whether this lane is in the second half, and what the one in its place in the other half has
OTHER_HALF = f"""
#if defined(__CUDA_ARCH__)
    const bool in_second_half = (threadIdx.x & {TEAM_LANES // 2}) != 0;
    const unsigned present = {(1 << TEAM_LANES) - 1}u << (threadIdx.x & 31 & ~{TEAM_LANES - 1});
    const auto of_other_half = [&](auto x) {{ return __shfl_xor_sync(present, x, {TEAM_LANES // 2}); }};
#else
    constexpr bool in_second_half = false;
    const auto of_other_half = [](auto x) {{ return x; }};
#endif
"""


@wp.func_native(CROWD + "return (int)vote(said);")
def lanes_that_say(said: bool, team: int) -> int:
    """A bit for each lane of a crowd that says so."""
    ...


@wp.func_native(CROWD + "return number((unsigned)bits);")
def number_of_bits(bits: int, team: int) -> int:
    """How many bits are set."""
    ...


@wp.func_native(CROWD + "return number_below((unsigned)bits);")
def number_of_bits_below(bits: int, team: int) -> int:
    """How many bits of lanes of a crowd before this one are set."""
    ...


@wp.func_native(
    f"""
#if defined(__CUDA_ARCH__)
    static_assert({WARP_LANES} / {TEAM_LANES} == 4, "as many bits are looked at");
    const int nth = (int)(threadIdx.x & 31) / {TEAM_LANES};
    const unsigned first = (unsigned)bits, second = first & (first - 1u), third = second & (second - 1u), fourth = third & (third - 1u);
    return __ffs((int)(nth & 2 ? (nth & 1 ? fourth : third) : nth & 1 ? second : first)) - 1;
#else
    return bits ? 0 : -1;
#endif
"""
)
def turn_of_team(bits: int) -> int:
    """The lane whose turn it is with this one's team: each team of a crowd takes one bit, the first team the lowest; -1 if none is left."""
    ...


@wp.func_native(
    f"""
#if defined(__CUDA_ARCH__)
    const unsigned lane = threadIdx.x & 31u, all = (unsigned)bits;
    const int nth = __popc(all & ((1u << lane) - 1u));
    return (all >> lane & 1u) && nth < (crowd + {TEAM_LANES - 1}) / {TEAM_LANES} ? {TEAM_LANES} * nth : -1;
#else
    return bits ? 0 : -1;
#endif
"""
)
def team_that_took(bits: int, crowd: int) -> int:
    """The first lane of the team that takes this lane's bit, -1 if none does."""
    ...


@wp.func_native(
    f"""
    unsigned left = (unsigned)bits;
    for (int taken = 0; taken < crowd || taken == 0; taken += {TEAM_LANES}) left &= left - 1u;
    return (int)left;
"""
)
def after_turns(bits: int, crowd: int) -> int:
    """The bits that are left when each team of a crowd has taken one."""
    ...


@wp.func_native(
    CROWD
    + """
#if __CUDA_ARCH__ >= 800
    return team > 1 ? (int)~__reduce_min_sync(present, ~(unsigned)x) : x;
#else
    for (int offset = 1; offset < lanes; offset *= 2) {
        const int other = from_lane(x, rank + offset < lanes ? rank + offset : rank);
        x = other > x ? other : x;
    }
    return from_lane(x, 0);
#endif
"""
)
def most_of(x: int, team: int) -> int:
    """The greatest ``x`` of a crowd, none of which is negative, in all of its lanes."""
    ...


def of_lane(first: str) -> str:
    """Body of a function (x: wp.ref[a struct], of: wp.ref[the same struct], lane: int, team: int) that gives a lane of a crowd what another has.

    Each lane of it gets as ``x``, from its field ``first`` on, what the crowd's lane ``lane`` has as ``of``, or keeps what it has where ``lane`` is negative:
    word by word, so that what lies in memory passes by few registers.
    """
    return (
        CROWD
        + f"""
#if defined(__CUDA_ARCH__)
    static_assert(sizeof(x) % 4 == 0, "shuffles take words");
    const int self = (int)(threadIdx.x & 31), from = team > 1 ? begin_of_team + (lane > 0 ? lane : 0) : self;
    const unsigned those = team > 1 ? present : 1u << self;  // decided once, not for each word
    unsigned* words = (unsigned*)&x.{first};
    const unsigned* source = (const unsigned*)&of.{first};
    const int length = (int)((unsigned*)(&x + 1) - words);
#pragma unroll 6
    for (int i = 0; i < length; i++) {{
        const unsigned word = __shfl_sync(those, source[i], from);
        if (lane >= 0) words[i] = word;
    }}
#else
    if (lane >= 0) x = of;
#endif
"""
    )
