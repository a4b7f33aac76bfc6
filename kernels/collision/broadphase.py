"""Cheap test whether two geoms can touch: bounding balls, then bounding capsules seen along the line between the centres.

Spheres, capsules and cylinders lie in a capsule of their own radius and half length; other geoms in their bounding ball,
a capsule of length zero. Two capsules whose projections on the line between their centres do not overlap are apart. On a
humanoid a quarter of the pairs pass the balls, and a fifth of those the capsules.

The test is native code: it runs for every pair of every world, and takes 0.4 us instead of 1.3 us on the 159 pairs of a
humanoid (one CPU thread) when it is not written with Warp's checked and strided indexing. A test holds it against plain Warp.
"""

import warp as wp

from newtonish.kernels.collision.params import OVERRIDE
from newtonish.kernels.constants import CAPSULE, CYLINDER, DISABLED, PLANE
from newtonish.kernels.math.world import lanes, per_world, scan_lanes, sync
from newtonish.kernels.runtime.nonfinite import note_geoms
from newtonish.kernels.structs.data import Contact, Kinematics, Status
from newtonish.kernels.structs.model import Geom, Option, Pair, Size

EVERYWHERE = wp.constant(1.0e15)  # radius of a plane's ball [m]; its square is still a float


@wp.func
def write_bound(opt: Option, geom: Geom, kin: Kinematics, contact: Contact, w: int, slot: int, g: int):
    """Bounding ball and capsule of geom ``g``, larger by the geom's share of the detection distance.

    A plane has its normal in place of the half axis, and a ball that meets everything.
    """
    share = geom.gap[per_world(geom.gap.shape[0], w), g]
    if (opt.enableflags & OVERRIDE) != 0:
        share += 0.5 * opt.o_margin[per_world(opt.o_margin.shape[0], w)]
    else:
        share += geom.margin[per_world(geom.margin.shape[0], w), g]
    kind = geom.type[g]
    radius = geom.rbound[per_world(geom.rbound.shape[0], w), g]
    ball = radius
    half = wp.float32(0.0)
    if kind == PLANE:
        radius = 0.0
        half = 1.0
        ball = EVERYWHERE
    elif kind == CAPSULE or kind == CYLINDER:
        size = geom.size[per_world(geom.size.shape[0], w), g]
        radius = size[0]
        half = size[1]
    pos = kin.geom_xpos[w, g]
    mat = kin.geom_xmat[w, g]
    contact.bound[slot, g] = wp.vec4(pos[0], pos[1], pos[2], ball + share)
    contact.bound_axis[slot, g] = wp.vec4(half * mat[0, 2], half * mat[1, 2], half * mat[2, 2], radius + share)


@wp.func
def bound_listed(size: Size, opt: Option, geom: Geom, pair: Pair, kin: Kinematics, contact: Contact, status: Status, w: int, slot: int, lane: int) -> int:
    """Bounds of all geoms of a world; returns how many of the listed pairs are to be tested, none without contacts."""
    last = size.ncollide
    if (opt.disableflags & DISABLED) != 0:
        last = 0
    bounded = wp.int32(0)
    if last > 0:
        bounded = size.ngeom
        for g in range(lane, size.ngeom, lanes()):
            write_bound(opt, geom, kin, contact, w, slot, g)
    sync()
    note_geoms(size, geom, pair, kin, contact, status, bounded, w, slot, lane)
    return last


_FOUR = """
#if defined(__CUDA_ARCH__)
    struct alignas(16) Four {  // four numbers by one access to memory
        float c[4];
        __device__ float operator[](int i) const { return c[i]; }
    };
    const auto four = [](const auto& rows, int g) { return ((const Four*)rows.data)[g]; };
#else
    const auto four = [](const auto& rows, int g) { return (const float*)rows.data + 4 * g; };
#endif
"""
_TEST = """
    const auto a = four(bound, g1), b = four(bound, g2);
    const float x = b[0] - a[0], y = b[1] - a[1], z = b[2] - a[2];
    const float ball = a[3] + b[3];
    const float apart = x * x + y * y + z * z;
    if (apart > ball * ball) return 0;
    const auto u = four(axis, g1), v = four(axis, g2);
    const float along1 = u[0] * x + u[1] * y + u[2] * z;
    if (a[3] >= 1e15f) {
        const float height = along1 - fabsf(u[0] * v[0] + u[1] * v[1] + u[2] * v[2]);
        return height <= u[3] + v[3];
    }
    const float along2 = v[0] * x + v[1] * y + v[2] * z;
    const float clear = apart - fabsf(along1) - fabsf(along2);
    const float reach = u[3] + v[3];
    return clear <= 0.0f || clear * clear <= reach * reach * apart;
"""


@wp.func_native(_FOUR + _TEST)
def near_geoms(bound: wp.array(dtype=wp.vec4), axis: wp.array(dtype=wp.vec4), g1: int, g2: int) -> int:
    """1 if the bounds of two geoms, the one of the lower type first, are within their detection distance."""
    ...


@wp.func_native(
    """
    // raw pointers: the arrays are contiguous, and Warp's checked indexing would cost more than the test itself
    const int g1 = geom1.data[p], g2 = geom2.data[p];
"""
    + _FOUR
    + _TEST
)
def _is_near(
    geom1: wp.array(dtype=wp.int32), geom2: wp.array(dtype=wp.int32), bound: wp.array(dtype=wp.vec4),
    axis: wp.array(dtype=wp.vec4), p: int,
) -> int:  # fmt: skip
    """1 if the bounds of pair ``p`` are within its detection distance."""
    ...


@wp.func_native(
    """
#if defined(__CUDA_ARCH__) && LANES <= 32
"""
    + _FOUR
    + """
    const auto is_near = [&](int g1, int g2) -> int {
"""
    + _TEST
    + """
    };
    const unsigned own = LANES_MASK, before = own & ((1u << (threadIdx.x & 31)) - 1u);
    const int lane = LANE;
    int found = listed;
    for (int first = begin; first < end; first += LANES) {
        const int p = first + lane;
        int near = 0;
        if (p < end) {
            near = is_near(geom1.data[p], geom2.data[p]);
            if (npair > 0 && pairid.data[p] >= 0) near = 1;
        }
        const unsigned votes = __ballot_sync(own, near);
        if (near) candidate.data[found + __popc(votes & before)] = p;
        found += __popc(votes);
    }
    return found;
#else
    return listed;
#endif
"""
)
def _collect_by_votes(
    geom1: wp.array(dtype=wp.int32), geom2: wp.array(dtype=wp.int32), pairid: wp.array(dtype=wp.int32),
    bound: wp.array(dtype=wp.vec4), axis: wp.array(dtype=wp.vec4), candidate: wp.array(dtype=wp.int32),
    begin: int, end: int, npair: int, listed: int,
) -> int:  # fmt: skip
    """``collect_near`` for the lanes of a world that share a warp of a GPU, with as little beside the test as can be."""
    ...


@wp.func(inline=False)
def collect_near(
    geom1: wp.array(dtype=wp.int32), geom2: wp.array(dtype=wp.int32), pairid: wp.array(dtype=wp.int32),
    bound: wp.array(dtype=wp.vec4), axis: wp.array(dtype=wp.vec4), candidate: wp.array(dtype=wp.int32),
    lane: int, begin: int, end: int, npair: int, listed: int,
) -> int:  # fmt: skip
    """List the near pairs among ``begin`` to ``end - 1`` in ``candidate``, behind ``listed`` others; returns how many there are then.

    Explicit pairs have margins of their own and are always listed. Out of line, so that the loop has all registers.
    """
    found = wp.int32(listed)
    if lanes() > 1 and lanes() <= 32:
        found = _collect_by_votes(geom1, geom2, pairid, bound, axis, candidate, begin, end, npair, listed)
    else:
        for first in range(begin, end, lanes()):
            p = first + lane
            near = wp.int32(0)
            if p < end:
                near = _is_near(geom1, geom2, bound, axis, p)
                if npair > 0:
                    if pairid[p] >= 0:
                        near = 1
            place = scan_lanes(near)
            at = found + place[0]
            if near == 1:
                candidate[at] = p
            found += place[1]
    sync()
    return found
