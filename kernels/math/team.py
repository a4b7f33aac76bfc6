"""Teams: eight neighbouring lanes of a warp that work together on one thing, whatever worlds they are of.

What takes one lane long, and few lanes have at a time, such as the search for a depth, goes to a team; four of them keep a warp's lanes at work.
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
TEAM_LANES = 8

TEAM = f"""
#if defined(__CUDA_ARCH__)
    const int lanes = team > 1 ? team : 1, begin_of_team = (int)(threadIdx.x & 31 & ~{TEAM_LANES - 1});
    const int rank = team > 1 ? (int)(threadIdx.x & {TEAM_LANES - 1}) : 0;
    const unsigned present = ((1u << lanes) - 1u) << begin_of_team;
    const auto meet = [&]() {{ if (team > 1) __syncwarp(present); }};
    const auto vote = [&](bool said) -> unsigned {{ return team > 1 ? __ballot_sync(present, said) >> begin_of_team : (unsigned)said; }};
    const auto number = [](unsigned bits) {{ return __popc(bits); }};
    const auto number_below = [&](unsigned bits) {{ return __popc(bits & ((1u << rank) - 1u)); }};
    const auto from_lane = [&](auto value, int other) {{ return team > 1 ? __shfl_sync(present, value, begin_of_team + other) : value; }};
    const auto first_least = [&](float value, int index) {{
        for (int offset = 1; offset < lanes; offset *= 2) {{
            const int from = rank + offset < lanes ? rank + offset : rank;
            const float other = from_lane(value, from);
            const int other_index = from_lane(index, from);
            const bool takes = other < value || (other == value && other_index < index);
            value = takes ? other : value;
            index = takes ? other_index : index;
        }}
        return from_lane(index, 0);
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


@wp.func_native(
    f"""
#if defined(__CUDA_ARCH__)
    const int block = (int)((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x);
    const int rest = nworld * LANES - block * WP_TILE_BLOCK_DIM - (int)(threadIdx.x & ~{TEAM_LANES - 1});
    return rest < {TEAM_LANES} ? rest : {TEAM_LANES};
#else
    return 0;
#endif
"""
)
def team_of(nworld: int) -> int:
    """Lanes of this one's team that have a world, of ``nworld``: its first ones. ``ALONE`` on a CPU."""
    ...


@wp.func_native(TEAM + "return (int)vote(said);")
def lanes_that_say(said: bool, team: int) -> int:
    """A bit for each lane of a team that says so."""
    ...


@wp.func_native(
    """
#if defined(__CUDA_ARCH__)
    return __ffs(bits) - 1;
#else
    return 0;
#endif
"""
)
def first_of(bits: int) -> int:
    """The lowest of the lanes of a vote."""
    ...


@wp.func_native(TEAM + "return rank;")
def rank_in(team: int) -> int:
    """Number of this lane in a team."""
    ...


@wp.func_native(
    TEAM
    + """
    for (int offset = 1; offset < lanes; offset *= 2) {
        const int other = from_lane(x, rank + offset < lanes ? rank + offset : rank);
        x = other > x ? other : x;
    }
    return from_lane(x, 0);
"""
)
def most_of(x: int, team: int) -> int:
    """The greatest ``x`` of a team, in all of its lanes."""
    ...


# body of a function (x: wp.ref[a struct], lane: int, team: int) that gives the whole team what its lane ``lane`` has as ``x``
OF_LANE = (
    TEAM
    + """
#if defined(__CUDA_ARCH__)
    static_assert(sizeof(x) % 4 == 0, "shuffles take words");
    unsigned* words = (unsigned*)&x;
#pragma unroll
    for (int i = 0; i < (int)sizeof(x) / 4; i++) words[i] = from_lane(words[i], lane);
#endif
"""
)
