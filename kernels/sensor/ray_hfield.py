"""Where a ray first meets a heightfield: the box of its base, the triangles of its surface, the four walls below its rim.

Only the cells that the ray passes over are tested: column by column along x, and in each column the rows that the
ray crosses there, from the near end of the ray to the far one. Triangles: Moeller and Trumbore, Fast, Minimum Storage
Ray/Triangle Intersection (1997).
"""

import warp as wp

from newtonish.kernels.constants import MINVAL
from newtonish.kernels.math.world import per_world
from newtonish.kernels.structs.model import HeightField

SEAM = wp.constant(1.0e-6)  # by how much a triangle is larger, in units of its sides: rays do not slip through edges
SLACK = wp.constant(1.0e-4)  # by how much the cells under a ray are widened, in cells
FAR = wp.constant(3.0e38)


@wp.func
def hfield_height(hfield: HeightField, w: int, h: int, row: int, col: int) -> float:
    """Height of a sample of heightfield ``h`` above its frame [m]."""
    sample = hfield.data[per_world(hfield.data.shape[0], w), hfield.adr[h] + row * hfield.ncol[h] + col]
    return sample * hfield.size[per_world(hfield.size.shape[0], w), h][2]


@wp.func
def _nearer(best: wp.vec4, normal: wp.vec3, dist: float, valid: bool) -> wp.vec4:
    """The nearer of two hits; distances below 0 are none."""
    if valid and dist >= 0.0 and (best[3] < 0.0 or dist < best[3]):
        return wp.vec4(normal[0], normal[1], normal[2], dist)
    return best


@wp.func
def _triangle(best: wp.vec4, p: wp.vec3, v: wp.vec3, a: wp.vec3, b: wp.vec3, c: wp.vec3) -> wp.vec4:
    """A triangle, seen from both sides, whose corners turn counter-clockwise seen from above."""
    ab = b - a
    ac = c - a
    across = wp.cross(v, ac)
    volume = wp.dot(ab, across)
    if wp.abs(volume) < MINVAL * wp.length_sq(v):
        return best
    to = (p - a) / volume
    u = wp.dot(to, across)
    turn = wp.cross(to, ab)
    s = wp.dot(v, turn)
    if u >= -SEAM and s >= -SEAM and u + s <= 1.0 + SEAM:
        return _nearer(best, wp.normalize(wp.cross(ab, ac)), wp.dot(ac, turn), True)
    return best


@wp.func
def _cell(best: wp.vec4, hfield: HeightField, w: int, h: int, row: int, col: int, p: wp.vec3, v: wp.vec3) -> wp.vec4:
    """The two triangles of a cell; the diagonal runs from its lower left corner to its upper right one."""
    size = hfield.size[per_world(hfield.size.shape[0], w), h]
    dx = 2.0 * size[0] / float(hfield.ncol[h] - 1)
    dy = 2.0 * size[1] / float(hfield.nrow[h] - 1)
    a = wp.vec3(dx * float(col) - size[0], dy * float(row) - size[1], hfield_height(hfield, w, h, row, col))
    b = wp.vec3(a[0] + dx, a[1], hfield_height(hfield, w, h, row, col + 1))
    c = wp.vec3(a[0] + dx, a[1] + dy, hfield_height(hfield, w, h, row + 1, col + 1))
    d = wp.vec3(a[0], a[1] + dy, hfield_height(hfield, w, h, row + 1, col))
    near = _triangle(best, p, v, a, b, c)
    return _triangle(near, p, v, a, c, d)


@wp.func
def _slab(span: wp.vec2, p: float, v: float, low: float, high: float) -> wp.vec2:
    """The part of a ray, from one distance to another, that lies between two parallel planes; empty: descending."""
    if wp.abs(v) < MINVAL:
        if p < low or p > high:
            return wp.vec2(1.0, -1.0)
        return span
    a = (low - p) / v
    b = (high - p) / v
    return wp.vec2(wp.max(span[0], wp.min(a, b)), wp.min(span[1], wp.max(a, b)))


@wp.func
def _surface(best: wp.vec4, hfield: HeightField, w: int, h: int, span: wp.vec2, p: wp.vec3, v: wp.vec3) -> wp.vec4:
    """The first hit on the surface within a part of the ray."""
    size = hfield.size[per_world(hfield.size.shape[0], w), h]
    nrow = hfield.nrow[h]
    ncol = hfield.ncol[h]
    dx = 2.0 * size[0] / float(ncol - 1)
    dy = 2.0 * size[1] / float(nrow - 1)
    found = best
    x0 = (p[0] + span[0] * v[0] + size[0]) / dx
    x1 = (p[0] + span[1] * v[0] + size[0]) / dx
    first = wp.clamp(int(wp.floor(wp.min(x0, x1) - SLACK)), 0, ncol - 2)
    last = wp.clamp(int(wp.floor(wp.max(x0, x1) + SLACK)), 0, ncol - 2)
    ahead = v[0] >= 0.0
    for k in range(last - first + 1):
        col = wp.where(ahead, first + k, last - k)
        left = dx * (float(col) - SLACK) - size[0]
        part = _slab(span, p[0], v[0], left, left + dx * (1.0 + 2.0 * SLACK))
        if found[3] >= 0.0 and found[3] < part[0]:
            break
        y0 = (p[1] + part[0] * v[1] + size[1]) / dy
        y1 = (p[1] + part[1] * v[1] + size[1]) / dy
        low = wp.clamp(int(wp.floor(wp.min(y0, y1) - SLACK)), 0, nrow - 2)
        high = wp.clamp(int(wp.floor(wp.max(y0, y1) + SLACK)), 0, nrow - 2)
        for row in range(low, high + 1):
            found = _cell(found, hfield, w, h, row, col, p, v)
    return found


@wp.func
def _rim(hfield: HeightField, w: int, h: int, axis: int, side: int, along: float) -> float:
    """Height of the rim at a coordinate along it, on the wall at the low (0) or high (1) end of an axis."""
    size = hfield.size[per_world(hfield.size.shape[0], w), h]
    number = wp.where(axis == 0, hfield.nrow[h], hfield.ncol[h])
    half = wp.where(axis == 0, size[1], size[0])
    x = (along + half) * float(number - 1) / (2.0 * half)
    i = wp.clamp(int(wp.floor(x)), 0, number - 2)
    a = wp.float32(0.0)
    b = wp.float32(0.0)
    if axis == 0:
        col = side * (hfield.ncol[h] - 1)
        a = hfield_height(hfield, w, h, i, col)
        b = hfield_height(hfield, w, h, i + 1, col)
    else:
        row = side * (hfield.nrow[h] - 1)
        a = hfield_height(hfield, w, h, row, i)
        b = hfield_height(hfield, w, h, row, i + 1)
    return a + (x - float(i)) * (b - a)


@wp.func
def _walls(best: wp.vec4, hfield: HeightField, w: int, h: int, p: wp.vec3, v: wp.vec3) -> wp.vec4:
    """The four walls, from the bottom of the base to the rim."""
    size = hfield.size[per_world(hfield.size.shape[0], w), h]
    found = best
    for axis in range(2):
        if wp.abs(v[axis]) > MINVAL:
            other = 1 - axis
            for side in range(2):
                sign = 2.0 * float(side) - 1.0
                dist = (sign * size[axis] - p[axis]) / v[axis]
                at = p + dist * v
                if wp.abs(at[other]) <= size[other] and at[2] >= -size[3]:
                    normal = wp.vec3(0.0, 0.0, 0.0)
                    normal[axis] = sign
                    below = at[2] <= wp.max(_rim(hfield, w, h, axis, side, at[other]), 0.0)
                    found = _nearer(found, normal, dist, below)
    return found


@wp.func(inline=False)
def ray_hfield(hfield: HeightField, w: int, h: int, p: wp.vec3, v: wp.vec3) -> wp.vec4:
    """Normal and distance of the hit on heightfield ``h`` of world ``w``, in its frame; distance -1: no hit.

    The base is a box of its own, from 0 down: a ray from within the hill hits the top of the base, as in MuJoCo.

    Args:
        p: origin of the ray.
        v: direction; distances are in units of it.
    """
    size = hfield.size[per_world(hfield.size.shape[0], w), h]
    found = wp.vec4(0.0, 0.0, 0.0, -1.0)
    if wp.length_sq(v) < MINVAL:
        return found
    if wp.abs(v[2]) > MINVAL:
        for side in range(2):
            level = wp.where(side == 0, -size[3], 0.0)
            dist = (level - p[2]) / v[2]
            at = p + dist * v
            on = wp.abs(at[0]) <= size[0] and wp.abs(at[1]) <= size[1]
            found = _nearer(found, wp.vec3(0.0, 0.0, 2.0 * float(side) - 1.0), dist, on)
    found = _walls(found, hfield, w, h, p, v)
    span = _slab(wp.vec2(0.0, FAR), p[0], v[0], -size[0], size[0])
    span = _slab(span, p[1], v[1], -size[1], size[1])
    span = _slab(span, p[2], v[2], 0.0, size[2])
    if span[0] <= span[1]:
        found = _surface(found, hfield, w, h, span, p, v)
    return found
