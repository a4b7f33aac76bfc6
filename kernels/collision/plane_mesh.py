"""Contacts of a plane with the convex hull of a mesh: the deepest vertex and the face around it that faces the plane.

At most four corners of the face, spread as widely as possible, as in MuJoCo 4.0; corners above the height of the mesh's
centre are left out.
"""

import warp as wp

from newtonish.kernels.collision.flat import face_along, face_corners
from newtonish.kernels.collision.patch import Patch, add_point, quad_span
from newtonish.kernels.collision.support import Shape, support
from newtonish.kernels.structs.collision import MOST_CORNERS
from newtonish.kernels.structs.model import Hull


@wp.func
def _add(patch: wp.ref[Patch], origin: wp.vec3, normal: wp.vec3, corner: wp.vec3, reach: float):
    dist = wp.dot(corner - origin, normal)
    if dist <= reach:
        add_point(patch, dist, corner - 0.5 * dist * normal)


@wp.func
def _before(i: int, count: int) -> int:
    """The corner of a polygon that precedes corner ``i``."""
    return wp.where(i == 0, count - 1, i - 1)


@wp.func
def _widest_from(corners: wp.array(dtype=wp.vec3), count: int, first: int) -> wp.vec4i:
    """Four corners of a convex polygon, one of them ``first``, the others moved on clockwise as long as that enlarges the area."""
    b = _before(first, count)
    c = _before(b, count)
    d = _before(c, count)
    area = quad_span(corners[first], corners[b], corners[c], corners[d])
    moving = bool(True)
    while moving:
        moving = bool(False)
        for corner in range(3):
            nb = wp.where(corner == 2, _before(b, count), b)
            nc = wp.where(corner == 1, _before(c, count), c)
            nd = wp.where(corner == 0, _before(d, count), d)
            trial = quad_span(corners[first], corners[nb], corners[nc], corners[nd])
            if not moving and trial > area:
                area = trial
                b = nb
                c = nc
                d = nd
                moving = bool(True)
    return wp.vec4i(first, b, c, d)


@wp.func(inline=False)
def plane_mesh(hull: wp.ref[Hull], origin: wp.vec3, normal: wp.vec3, shape: wp.ref[Shape], reach: float, patch: wp.ref[Patch]):
    """Up to four contacts as ``patch``, the deepest first, in MuJoCo's order."""
    patch.count = 0
    patch.normal = normal
    deepest = support(hull, shape, -normal)
    _add(patch, origin, normal, deepest.pos, reach)
    if patch.count == 0:
        return
    corners = wp.zeros(shape=(wp.static(MOST_CORNERS),), dtype=wp.vec3)
    face = face_along(hull, shape, -normal, deepest.vertex)
    if face.alike <= -2.0:
        return
    count = face_corners(hull, shape, face.index, corners)
    first = wp.int32(0)
    for k in range(count):
        if wp.length_sq(corners[k] - deepest.pos) < wp.length_sq(corners[first] - deepest.pos):
            first = k
    on = count - 1  # MuJoCo goes round the face clockwise, seen from outside
    order = wp.vec4i(first, (first + on) % count, (first + 2 * on) % count, (first + 3 * on) % count)
    if count > 4:
        order = _widest_from(corners, count, first)
    for k in range(1, wp.min(count, 4)):
        corner = corners[order[k]]
        if wp.dot(corner - shape.pos, normal) <= 0.0:
            _add(patch, origin, normal, corner, reach)
