"""Clipping a polygon or a segment by the sides of a face (Sutherland and Hodgman, 1974), as native code for a CPU and a GPU alike."""

import warp as wp

INSIDE = wp.constant(1.0e-7)  # a corner this far outside of a side still counts as inside [m]


@wp.func_native(
    """
    const wp::vec3* corner = face.data;
    wp::vec3* from = polygon.data;
    wp::vec3* to = spare.data;
    int number = count;
    for (int e = 0; e < nface && number > 0; e++) {
        const wp::vec3 start = corner[e];
        const wp::vec3 across = wp::cross(normal, corner[e + 1 == nface ? 0 : e + 1] - start);
        const float length = wp::length(across);
        if (!(length > 0.0f)) continue;
        const wp::vec3 outward = across / length;
        const int last = number == 2 ? 1 : number;  // a segment has one side, not two
        const float from_first = wp::dot(from[0] - start, outward);
        float from_p = from_first;
        int kept = 0;
        for (int k = 0; k < last; k++) {
            const int next = k + 1 == number ? 0 : k + 1;
            const float from_q = next == 0 ? from_first : wp::dot(from[next] - start, outward);
            if (number == 2 && from_p <= inside && kept < room) to[kept++] = from[k];
            if ((from_p <= inside) != (from_q <= inside) && kept < room) {
                const float share = from_p / (from_p - from_q);
                to[kept++] = from[k] + (share < 0.0f ? 0.0f : share > 1.0f ? 1.0f : share) * (from[next] - from[k]);
            }
            if (from_q <= inside && kept < room) to[kept++] = from[next];
            from_p = from_q;
        }
        number = kept;
        wp::vec3* other = from;
        from = to;
        to = other;
    }
    for (int k = 0; from != polygon.data && k < number; k++) polygon.data[k] = from[k];
    return number;
"""
)
def _clip(
    face: wp.array(dtype=wp.vec3), nface: int, normal: wp.vec3, polygon: wp.array(dtype=wp.vec3), count: int, room: int,
    spare: wp.array(dtype=wp.vec3), inside: float,
) -> int: ...  # fmt: skip


@wp.func(inline=False)
def clip_by_sides(
    face: wp.array(dtype=wp.vec3), nface: int, normal: wp.vec3, polygon: wp.array(dtype=wp.vec3), count: int, room: int,
    spare: wp.array(dtype=wp.vec3),
) -> int:  # fmt: skip
    """Clip ``polygon`` in place by the sides of ``face``; returns its new number of corners.

    Args:
        face: corners, clockwise seen against ``normal``.
        count: corners of the polygon; 2: a segment.
        room: length of ``polygon`` and ``spare``.
        spare: scratch.

    The corners that are left begin with the end of the first side, as in MuJoCo.
    """
    return _clip(face, nface, normal, polygon, count, room, spare, INSIDE)
