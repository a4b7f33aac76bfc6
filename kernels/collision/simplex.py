"""The point of a simplex (point, segment, triangle or tetrahedron) that is closest to the origin.

Method: Ericson, Real-Time Collision Detection, 5.1.5 and 5.1.6: by regions for the triangle, by the faces that the
origin lies outside of for the tetrahedron. A weight of zero says that its vertex is not needed.
"""

import warp as wp

corners = wp.types.matrix(shape=(4, 3), dtype=wp.float32)
FLAT = wp.constant(1.0e-10)  # squared sine below which a triangle is a segment
THIN = wp.constant(1.0e-7)  # height over extent below which a tetrahedron is flat
FAR = wp.constant(3.0e38)


@wp.func
def closest_on_segment(a: wp.vec3, b: wp.vec3) -> wp.vec2:
    """Weights of the two ends."""
    along = b - a
    length_sq = wp.length_sq(along)
    if length_sq <= 0.0:
        return wp.vec2(1.0, 0.0)
    t = wp.clamp(-wp.dot(a, along) / length_sq, 0.0, 1.0)
    return wp.vec2(1.0 - t, t)


@wp.func
def _closest_on_edges(a: wp.vec3, b: wp.vec3, c: wp.vec3) -> wp.vec3:
    """Weights of the corners for the closest point on the three sides."""
    ab = closest_on_segment(a, b)
    bc = closest_on_segment(b, c)
    ca = closest_on_segment(c, a)
    d_ab = wp.length_sq(ab[0] * a + ab[1] * b)
    d_bc = wp.length_sq(bc[0] * b + bc[1] * c)
    d_ca = wp.length_sq(ca[0] * c + ca[1] * a)
    if d_ab <= d_bc and d_ab <= d_ca:
        return wp.vec3(ab[0], ab[1], 0.0)
    if d_bc <= d_ca:
        return wp.vec3(0.0, bc[0], bc[1])
    return wp.vec3(ca[1], 0.0, ca[0])


@wp.func(inline=False)
def closest_on_triangle(a: wp.vec3, b: wp.vec3, c: wp.vec3) -> wp.vec3:
    """Weights of the three corners."""
    ab = b - a
    ac = c - a
    normal = wp.cross(ab, ac)
    area_sq = wp.length_sq(normal)
    if area_sq <= FLAT * wp.length_sq(ab) * wp.length_sq(ac):
        return _closest_on_edges(a, b, c)
    v = wp.dot(wp.cross(c, a), normal)
    w = wp.dot(wp.cross(a, b), normal)
    u = wp.dot(wp.cross(b, c), normal)
    if u > 0.0 and v > 0.0 and w > 0.0:
        return wp.vec3(u, v, w) / (u + v + w)
    return _closest_on_edges(a, b, c)


@wp.func
def _outside(a: wp.vec3, b: wp.vec3, c: wp.vec3, d: wp.vec3) -> bool:
    """Whether the origin lies on the other side of the plane a b c than d, or the four points are flat."""
    normal = wp.cross(b - a, c - a)
    height = wp.dot(d - a, normal)
    origin = -wp.dot(a, normal)
    flat = wp.abs(height) <= THIN * wp.length(normal) * wp.length(d - a)
    return flat or origin * height < 0.0


@wp.func(inline=False)
def closest_on_tetrahedron(s: corners) -> wp.vec4:
    """Weights of the four corners; all are positive if the origin is inside."""
    weights = wp.vec4(0.25, 0.25, 0.25, 0.25)
    least = wp.float32(FAR)
    faces = wp.int32(4)  # a variable: not unrolled
    for skip in range(faces):
        i = wp.where(skip == 0, 1, 0)
        j = wp.where(skip <= 1, 2, 1)
        k = wp.where(skip <= 2, 3, 2)
        if _outside(s[i], s[j], s[k], s[skip]):
            t = closest_on_triangle(s[i], s[j], s[k])
            dist_sq = wp.length_sq(t[0] * s[i] + t[1] * s[j] + t[2] * s[k])
            if dist_sq < least:
                least = dist_sq
                weights = wp.vec4(0.0, 0.0, 0.0, 0.0)
                weights[i] = t[0]
                weights[j] = t[1]
                weights[k] = t[2]
    return weights


@wp.func(inline=False)
def closest_weights(s: corners, count: int) -> wp.vec4:
    """Weights of the first ``count`` corners."""
    if count == 1:
        return wp.vec4(1.0, 0.0, 0.0, 0.0)
    if count == 2:
        two = closest_on_segment(s[0], s[1])
        return wp.vec4(two[0], two[1], 0.0, 0.0)
    if count == 3:
        three = closest_on_triangle(s[0], s[1], s[2])
        return wp.vec4(three[0], three[1], three[2], 0.0)
    return closest_on_tetrahedron(s)
