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


# Native, as Warp loads the whole of a matrix to read one row of it, and gives structures back by value, which on a GPU are then held through every branch.
@wp.func_native(
    f"""
    const int k = patch.count;
    if (k >= {MAX_PATCH}) return;
    patch.dist.c[k] = dist;
    for (int i = 0; i < 3; i++) patch.pos.data[k][i] = pos[i];
    patch.count = k + 1;
"""
)
def add_point(patch: wp.ref[Patch], dist: float, pos: wp.vec3):
    """Add a point if there is room."""
    ...


@wp.func_native("for (int i = 0; i < 3; i++) patch.pos.data[k][i] = pos[i];")
def move_point(patch: wp.ref[Patch], k: int, pos: wp.vec3):
    """Give point ``k`` another position."""
    ...


@wp.func_native("return wp::vec3(patch.pos.data[k][0], patch.pos.data[k][1], patch.pos.data[k][2]);")
def point_at(patch: wp.ref[Patch], k: int) -> wp.vec3: ...


@wp.func_native("return patch.dist.c[k];")
def point_dist(patch: wp.ref[Patch], k: int) -> float: ...


@wp.func_native("to = patch;")
def copy_patch(to: wp.ref[Patch], patch: wp.ref[Patch]):
    """Take the points of another patch."""
    ...


@wp.func_native("patch.dist.c[k] = dist;")
def set_dist(patch: wp.ref[Patch], k: int, dist: float):
    """Give point ``k`` another distance."""
    ...


@wp.func
def shift_points(patch: wp.ref[Patch], offset: wp.vec3):
    """Move all points of a patch."""
    for k in range(patch.count):
        move_point(patch, k, point_at(patch, k) + offset)


@wp.func
def quad_span(a: wp.vec3, b: wp.vec3, c: wp.vec3, d: wp.vec3) -> float:
    """Twice the area of a quadrilateral."""
    return wp.length(wp.cross(a - c, b - d))


@wp.func
def _after(i: int, count: int) -> int:
    """The corner of a polygon that follows corner ``i``."""
    return wp.where(i + 1 == count, 0, i + 1)


@wp.func(inline=False)
def widest_four(polygon: wp.array(dtype=wp.vec3), count: int) -> wp.vec4i:
    """Four corners of a convex polygon of more than four that span nearly the largest area.

    Rotating calipers: for each first corner the last moves on while that enlarges the quadrilateral, and after each of its
    moves the third and the second. The area to beat is that of the best four so far, as in MuJoCo.
    """
    b = wp.int32(1)
    c = wp.int32(2)
    d = wp.int32(3)
    at_b = polygon[1]
    at_c = polygon[2]
    at_d = polygon[3]
    best = wp.vec4i(0, 1, 2, 3)
    area = quad_span(polygon[0], at_b, at_c, at_d)
    for a in range(count):
        at_a = polygon[a]
        turning = bool(True)
        while turning:
            ahead = polygon[_after(d, count)]
            trial = quad_span(at_a, at_b, at_c, ahead)
            turning = trial > area
            if turning:
                area = trial
                d = _after(d, count)
                at_d = ahead
                growing = bool(True)
                while growing:
                    ahead = polygon[_after(c, count)]
                    trial = quad_span(at_a, at_b, ahead, at_d)
                    growing = trial > area
                    if growing:
                        area = trial
                        c = _after(c, count)
                        at_c = ahead
                growing = bool(True)
                while growing:
                    ahead = polygon[_after(b, count)]
                    trial = quad_span(at_a, ahead, at_c, at_d)
                    growing = trial > area
                    if growing:
                        area = trial
                        b = _after(b, count)
                        at_b = ahead
                best = wp.vec4i(a, b, c, d)
        if b == a:
            b = _after(b, count)
            at_b = polygon[b]
            if c == b:
                c = _after(c, count)
                at_c = polygon[c]
                if d == c:
                    d = _after(d, count)
                    at_d = polygon[d]
    return best
