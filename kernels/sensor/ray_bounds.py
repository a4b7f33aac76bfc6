"""Which geoms a ray may meet: bounding spheres, up to 32 at a time.

A ray passes most geoms of a scene far away. The test of many spheres without a branch between them, as bits of a number, costs a
fraction of what one after another does; what follows is done for those alone whose bit is set.
"""

import warp as wp

GEOMS_TOGETHER = wp.constant(32)


@wp.func_native(
    """
    const float* centre = (const float*)((const char*)pos.data + (size_t)w * pos.strides[0]) + 3 * first;
    const float* bound = (const float*)((const char*)rbound.data + (size_t)row * rbound.strides[0]) + first;
    const float px = origin[0], py = origin[1], pz = origin[2], vx = direction[0], vy = direction[1], vz = direction[2];
    const float shrink = 1.0f / wp::max(vx * vx + vy * vy + vz * vz, 1e-30f);
    unsigned near = 0;
    for (int k = 0; k < number; k++) {
        const float ax = centre[3 * k] - px, ay = centre[3 * k + 1] - py, az = centre[3 * k + 2] - pz;
        const float along = wp::max((ax * vx + ay * vy + az * vz) * shrink, 0.0f);
        const float gx = ax - along * vx, gy = ay - along * vy, gz = az - along * vz;
        const float room = 1.0001f * bound[k] + 1e-6f * (wp::abs(ax) + wp::abs(ay) + wp::abs(az));
        const int passed = (gx * gx + gy * gy + gz * gz > room * room) & (bound[k] > 0.0f);
        near |= (unsigned)(1 - passed) << k;
    }
    return (int)near;
"""
)
def near_geoms(
    pos: wp.array2d(dtype=wp.vec3),
    rbound: wp.array2d(dtype=float),
    w: int,
    row: int,
    first: int,
    number: int,
    origin: wp.vec3,
    direction: wp.vec3,
) -> int:
    """Bit k: the line of a ray, ahead of its origin, passes the bounding sphere of geom ``first + k``, with some room for rounding.

    Args:
        pos: centres (nworld, ngeom).
        rbound: radii (1 or nworld, ngeom); 0: no bound, the bit is set. NaN sets it too.
        w: world.
        row: its row in ``rbound``.
        first, number: geoms that are asked for, up to ``GEOMS_TOGETHER``.
        origin, direction: the ray, world frame.
    """
    ...


@wp.func_native(
    """
#if defined(__CUDA_ARCH__)
    return __ffs(bits) - 1;
#else
    return __builtin_ctz((unsigned)bits);
#endif
"""
)
def lowest_bit(bits: int) -> int:
    """Number of the lowest bit that is set; there is one."""
    ...


@wp.func_native("return (int)((unsigned)bits & ((unsigned)bits - 1u));")
def without_lowest_bit(bits: int) -> int:
    """The other bits. Of a number with a sign, the highest bit alone would overflow."""
    ...
