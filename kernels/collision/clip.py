"""Clipping a polygon or a segment by the sides of a face (Sutherland and Hodgman, 1974).

The corners of the face are worked out side by side, so that only the polygon takes room. What loops over its corners is native code, for a CPU
and a GPU alike.
"""

import warp as wp

from newtonish.kernels.collision.flat import corner_count, face_corner
from newtonish.kernels.collision.support import Shape
from newtonish.kernels.structs.model import Hull

INSIDE = wp.constant(1.0e-7)  # a corner this far outside of a side still counts as inside [m]


@wp.func_native(
    """
    const wp::vec3* from = polygon.data + begin;
    wp::vec3* to = polygon.data + (begin == 0 ? room : 0);
    const wp::vec3 across = wp::cross(normal, end - start);
    const float length = wp::length(across);
    if (!(length > 0.0f)) return -1;
    const wp::vec3 outward = across / length;
    const int last = number == 2 ? 1 : number;  // a segment has one side, not two
    wp::vec3 p = from[0];
    float from_p = wp::dot(p - start, outward);
    int kept = 0;
    if (number == 2 && from_p <= inside) to[kept++] = p;
    for (int k = 1; k <= last; k++) {
        const wp::vec3 q = from[k == number ? 0 : k];
        const float from_q = wp::dot(q - start, outward);
        if ((from_p <= inside) != (from_q <= inside) && kept < room) {
            const float share = from_p / (from_p - from_q);
            to[kept++] = p + (share < 0.0f ? 0.0f : share > 1.0f ? 1.0f : share) * (q - p);
        }
        if (from_q <= inside && kept < room) to[kept++] = q;
        p = q;
        from_p = from_q;
    }
    return kept;
"""
)
def _clip_side(polygon: wp.array(dtype=wp.vec3), begin: int, number: int, start: wp.vec3, end: wp.vec3, normal: wp.vec3, room: int, inside: float) -> int:
    """Corners of the half that begins at ``begin``, clipped by one side, into the other half; their number, -1 for a side of no length."""
    ...


@wp.func_native("for (int k = 0; k < number; k++) polygon.data[k] = polygon.data[room + k];")
def _to_front(polygon: wp.array(dtype=wp.vec3), number: int, room: int): ...


@wp.func(inline=False)
def clip_by_face(hull: wp.ref[Hull], shape: wp.ref[Shape], face: int, normal: wp.vec3, polygon: wp.array(dtype=wp.vec3), count: int, room: int) -> int:
    """Clip ``polygon`` in place by the sides of a face; returns its new number of corners.

    Args:
        normal: of the face.
        polygon: corners, and as much room behind the first ``room`` of them again.
        count: corners of the polygon; 2: a segment.

    The corners that are left begin with the end of the first side, as in MuJoCo.
    """
    nface = corner_count(hull, shape, face)
    number = wp.int32(count)
    begin = wp.int32(0)
    start = face_corner(hull, shape, face, 0)
    for e in range(nface):
        end = face_corner(hull, shape, face, wp.where(e + 1 < nface, e + 1, 0))
        if number > 0:
            kept = _clip_side(polygon, begin, number, start, end, normal, room, INSIDE)
            if kept >= 0:
                number = kept
                begin = room - begin
        start = end
    if begin != 0:
        _to_front(polygon, number, room)
    return number
