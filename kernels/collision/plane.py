"""Contacts of a plane with sphere, capsule, ellipsoid, cylinder and box.

A plane is the half-space below the z axis of its frame; its sizes only matter for drawing. The contact lies midway
between the plane and the deepest point. Which points are reported, and in which order, is that of MuJoCo's primitive
collision functions (documentation, chapter Computation, "Collision detection"): both ends of a capsule, a triangle on
the near cap of a cylinder and one point of its far cap, and at most four corners of a box.
"""

import warp as wp

from newtonish.kernels.collision.manifold import MAX_POINTS, Manifold, single_point
from newtonish.kernels.math.world import fresh

POINTS = wp.constant(MAX_POINTS)
SIN60 = wp.constant(0.8660254037844386)
PARALLEL_SQ = wp.constant(1.0e-12)  # squared sine below which an axis counts as perpendicular to the plane
STEEP = wp.constant(0.999)  # a normal closer than this to the x axis leaves no tangent along x


@wp.func
def plane_sphere(origin: wp.vec3, normal: wp.vec3, center: wp.vec3, radius: float, reach: float) -> Manifold:
    """Deepest point of a sphere."""
    dist = wp.dot(center - origin, normal) - radius
    return single_point(dist, center - (radius + 0.5 * dist) * normal, normal, reach)


@wp.func
def _with_point(found: Manifold, dist: float, surface: wp.vec3, normal: wp.vec3, reach: float) -> Manifold:
    """Add the point ``surface`` of the other geom, if it is near and there is room."""
    if dist <= reach and found.count < POINTS:
        for k in range(POINTS):  # unrolled: a GPU keeps points in registers if no index is known at run time only
            if k == found.count:
                found.dist[k] = dist
                found.pos[k] = surface - 0.5 * dist * normal
        found.count = found.count + 1
    return found


@wp.func
def plane_capsule(origin: wp.vec3, normal: wp.vec3, center: wp.vec3, axis: wp.vec3, radius: float, half: float, reach: float) -> Manifold:
    """Both ends of a capsule, the end on the positive axis first; the first tangent follows the capsule.

    If the capsule is perpendicular to the plane the first tangent is x, as in MuJoCo (which leaves it there even where x
    is not in the plane; here the frame stays orthonormal).
    """
    found = Manifold()
    height = wp.dot(center - origin, normal) - radius
    rise = half * wp.dot(axis, normal)
    foot = center - radius * normal
    found = _with_point(found, height + rise, foot + half * axis, normal, reach)
    found = _with_point(found, height - rise, foot - half * axis, normal, reach)
    found.normal = normal
    found.normal_second = normal
    found.tangent = axis
    if wp.length_sq(axis - wp.dot(axis, normal) * normal) < PARALLEL_SQ:
        found.tangent = wp.where(wp.abs(normal[0]) < STEEP, wp.vec3(1.0, 0.0, 0.0), wp.vec3(0.0, 0.0, 0.0))
    return found


@wp.func(inline=False)
def plane_ellipsoid(origin: wp.vec3, normal: wp.vec3, center: wp.vec3, mat: wp.mat33, size: wp.vec3, reach: float) -> Manifold:
    """Deepest point of an ellipsoid."""
    support = wp.normalize(wp.cw_mul(normal * mat, size))  # row vector: the normal in the ellipsoid's frame
    deepest = center - mat * wp.cw_mul(support, size)
    dist = wp.dot(deepest - origin, normal)
    return single_point(dist, deepest - 0.5 * dist * normal, normal, reach)


@wp.func(inline=False)
def plane_cylinder(origin: wp.vec3, normal: wp.vec3, center: wp.vec3, mat: wp.mat33, radius: float, half: float, reach: float) -> Manifold:
    """Up to four points: the lowest of the near cap, the lowest of the far cap, and two that complete a triangle on the
    near cap."""
    local = normal * mat  # row vector: the normal in the cylinder's frame
    tilt = wp.vec2(local[0], local[1])  # how far the cylinder leans: small components, not differences of large ones
    sine = wp.length(tilt)
    slope = -wp.abs(local[2])
    sign = wp.where(local[2] > 0.0, -1.0, 1.0)  # let the axis point into the plane
    steepest = wp.vec2(1.0, 0.0)  # descent within a cap
    if sine * sine >= PARALLEL_SQ:
        steepest = -tilt / sine
    axis = sign * wp.vec3(mat[0, 2], mat[1, 2], mat[2, 2])
    down = radius * (mat * wp.vec3(steepest[0], steepest[1], 0.0))
    across = (sign * SIN60 * radius) * (mat * wp.vec3(steepest[1], -steepest[0], 0.0))
    height = wp.dot(center - origin, normal)
    rise = half * slope
    fall = radius * wp.dot(steepest, tilt)
    near = center + half * axis
    found = Manifold()
    found.normal = normal
    found.normal_second = normal
    found = _with_point(found, height + rise + fall, near + down, normal, reach)
    found = _with_point(found, height - rise + fall, center - half * axis + down, normal, reach)
    found = _with_point(found, height + rise - 0.5 * fall, near - 0.5 * down + across, normal, reach)
    found = _with_point(found, height + rise - 0.5 * fall, near - 0.5 * down - across, normal, reach)
    return found


@wp.func
def _corner_signs(i: int) -> wp.vec3:
    """Signs of the coordinates of corner ``i`` of a box: x runs fastest."""
    return wp.vec3(wp.where((i & 1) != 0, 1.0, -1.0), wp.where((i & 2) != 0, 1.0, -1.0), wp.where((i & 4) != 0, 1.0, -1.0))


@wp.func(inline=False)
def plane_box(origin: wp.vec3, normal: wp.vec3, center: wp.vec3, mat: wp.mat33, size: wp.vec3, reach: float) -> Manifold:
    """The corners of the lower half of a box, in the order of their signs: x runs fastest."""
    found = Manifold()
    found.normal = normal
    found.normal_second = normal
    height = wp.dot(center - origin, normal)
    lift = wp.cw_mul(normal * mat, size)
    near = wp.int32(0)  # the corners, three bits each
    for i in range(fresh(8)):  # not unrolled
        above = wp.dot(_corner_signs(i), lift)
        if above <= 0.0 and height + above <= reach and found.count < POINTS:
            near = near | (i << (3 * found.count))
            found.count = found.count + 1
    for k in range(POINTS):
        if k < found.count:
            signs = _corner_signs(near >> (3 * k))
            dist = height + wp.dot(signs, lift)
            found.dist[k] = dist
            found.pos[k] = center + mat * wp.cw_mul(signs, size) - 0.5 * dist * normal
    return found
