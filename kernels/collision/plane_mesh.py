"""Contacts of a plane with the convex hull of a mesh: the deepest vertex and the face around it that looks at the plane.

At most four corners of the face, spread as widely as possible, as in MuJoCo 4.0; corners above the height of the mesh's
centre are left out.
"""

import warp as wp

from newtonish.kernels.collision.flat import face_along, face_corners
from newtonish.kernels.collision.patch import Patch, widest_four, with_point
from newtonish.kernels.collision.support import Shape, support
from newtonish.kernels.structs.model import Hull


@wp.func
def _add(patch: Patch, origin: wp.vec3, normal: wp.vec3, corner: wp.vec3, reach: float) -> Patch:
    dist = wp.dot(corner - origin, normal)
    if dist <= reach:
        return with_point(patch, dist, corner - 0.5 * dist * normal)
    return patch


@wp.func(inline=False)
def plane_mesh(hull: Hull, origin: wp.vec3, normal: wp.vec3, shape: Shape, reach: float) -> Patch:
    """Up to four contacts, the deepest first."""
    patch = Patch()
    patch.normal = normal
    deepest = support(hull, shape, -normal, 0)
    patch = _add(patch, origin, normal, deepest.pos, reach)
    if patch.count == 0:
        return patch
    corners = wp.zeros(shape=(24,), dtype=wp.vec3)
    face = face_along(hull, shape, -normal, deepest.vertex)
    if face.alike <= -2.0:
        return patch
    count = face_corners(hull, shape, face.index, corners)
    first = wp.int32(0)
    for k in range(count):
        if wp.length_sq(corners[k] - deepest.pos) < wp.length_sq(corners[first] - deepest.pos):
            first = k
    order = wp.vec4i(first, (first + 1) % count, (first + 2) % count, (first + 3) % count)
    if count > 4:
        order = widest_four(corners, count, first)
    for k in range(1, wp.min(count, 4)):
        corner = corners[order[k]]
        if wp.dot(corner - shape.pos, normal) <= 0.0:
            patch = _add(patch, origin, normal, corner, reach)
    return patch
