"""The contact points of a pair of convex geoms: up to eight, with one normal."""

import warp as wp

MAX_PATCH = 8  # a box face clipped by another
patch_dist = wp.types.vector(length=MAX_PATCH, dtype=wp.float32)
patch_pos = wp.types.matrix(shape=(MAX_PATCH, 3), dtype=wp.float32)


@wp.struct
class Patch:
    """Contact points of a pair of convex geoms."""

    count: wp.int32
    dist: patch_dist  # signed distance; negative: penetration [m]
    pos: patch_pos  # midpoint between the surfaces [m]
    normal: wp.vec3  # from the first geom to the second


@wp.func
def with_point(patch: Patch, dist: float, pos: wp.vec3) -> Patch:
    """Add a point if there is room."""
    if patch.count < MAX_PATCH:
        patch.dist[patch.count] = dist
        patch.pos[patch.count] = pos
        patch.count = patch.count + 1
    return patch


@wp.func
def _span(polygon: wp.array(dtype=wp.vec3), a: int, b: int, c: int, d: int) -> float:
    """Twice the area of a quadrilateral."""
    return wp.length(wp.cross(polygon[a] - polygon[c], polygon[b] - polygon[d]))


@wp.func(inline=False)
def widest_four(polygon: wp.array(dtype=wp.vec3), count: int, anchor: int) -> wp.vec4i:
    """Four corners of a convex polygon of more than four that span nearly the largest area.

    Rotating calipers: for each first corner the three others move on while that enlarges the quadrilateral.

    Args:
        anchor: first corner of the four; -1: any.
    """
    start = wp.max(anchor, 0)
    turns = wp.where(anchor >= 0, 1, count)
    b = (start + 1) % count
    c = (start + 2) % count
    d = (start + 3) % count
    best = wp.vec4i(start, b, c, d)
    area = _span(polygon, start, b, c, d)
    for turn in range(turns):
        a = (start + turn) % count
        if b == a:
            b = (b + 1) % count
        if c == b:
            c = (c + 1) % count
        if d == c:
            d = (d + 1) % count
        moving = bool(True)
        while moving:
            moving = bool(False)
            for corner in range(3):
                nb = wp.where(corner == 2, (b + 1) % count, b)
                nc = wp.where(corner == 1, (c + 1) % count, c)
                nd = wp.where(corner == 0, (d + 1) % count, d)
                trial = _span(polygon, a, nb, nc, nd)
                if not moving and trial > area:
                    area = trial
                    b = nb
                    c = nc
                    d = nd
                    best = wp.vec4i(a, b, c, d)
                    moving = bool(True)
    return best
