"""Clipping a polygon or a segment by the sides of a face (Sutherland and Hodgman, 1974)."""

import warp as wp

INSIDE = wp.constant(1.0e-7)  # a corner this far outside of a side still counts as inside [m]


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
    number = count
    for e in range(nface):
        start = face[e]
        outward = wp.cross(normal, face[wp.where(e + 1 == nface, 0, e + 1)] - start)
        length = wp.length(outward)
        if length > 0.0 and number > 0:
            outward = outward / length
            kept = wp.int32(0)
            last = wp.where(number == 2, 1, number)  # a segment has one side, not two
            for k in range(last):
                p = polygon[k]
                q = polygon[wp.where(k + 1 == number, 0, k + 1)]
                from_p = wp.dot(p - start, outward)
                from_q = wp.dot(q - start, outward)
                if number == 2 and from_p <= INSIDE and kept < room:
                    spare[kept] = p
                    kept += 1
                if ((from_p <= INSIDE) != (from_q <= INSIDE)) and kept < room:
                    spare[kept] = p + wp.clamp(from_p / (from_p - from_q), 0.0, 1.0) * (q - p)
                    kept += 1
                if from_q <= INSIDE and kept < room:
                    spare[kept] = q
                    kept += 1
            number = kept
            for k in range(number):
                polygon[k] = spare[k]
    return number
