"""Contacts between spheres and capsules: spheres at the closest points of centres and axes.

Two segments whose axes are parallel are in contact along a stretch; its two ends are reported. Closest points of
segments: Ericson, Real-Time Collision Detection, 5.1.9, with the numerator and the determinant written as cross products
so that nearly parallel axes keep their accuracy in float32.
"""

import warp as wp

from newtonish.kernels.collision.manifold import Manifold, single_point, two_points

PARALLEL_SQ = wp.constant(1.0e-8)  # squared sine of the angle below which axes count as parallel, as in MuJoCo
ROUNDING_SQ = wp.constant(1.0e-12)  # squared sine below which the product of two axes is rounding


@wp.func
def touch_spheres(center1: wp.vec3, radius1: float, axis1: wp.vec3, center2: wp.vec3, radius2: float, axis2: wp.vec3) -> tuple[float, wp.vec3, wp.vec3]:
    """Distance, midpoint and normal of two spheres.

    Args:
        axis1: z axis of the first geom. Where the centres coincide the normal is across both axes, so that crossed capsules
            part sideways, or the world's x axis if they are parallel, as in MuJoCo.
        axis2: z axis of the second geom.
    """
    offset = center2 - center1
    apart = wp.length(offset)
    normal = wp.vec3(1.0, 0.0, 0.0)
    if apart > 0.0:
        normal = offset / apart
    else:
        across = wp.cross(axis1, axis2)
        if wp.length_sq(across) > ROUNDING_SQ:
            normal = wp.normalize(across)
    dist = apart - radius1 - radius2
    return dist, center1 + (radius1 + 0.5 * dist) * normal, normal


@wp.func
def sphere_sphere(center1: wp.vec3, radius1: float, axis1: wp.vec3, center2: wp.vec3, radius2: float, axis2: wp.vec3, reach: float) -> Manifold:
    dist, pos, normal = touch_spheres(center1, radius1, axis1, center2, radius2, axis2)
    return single_point(dist, pos, normal, reach)


@wp.func
def sphere_capsule(
    center: wp.vec3, radius: float, sphere_axis: wp.vec3, capsule: wp.vec3, axis: wp.vec3, capsule_radius: float, half: float, reach: float
) -> Manifold:
    along = wp.clamp(wp.dot(center - capsule, axis), -half, half)
    dist, pos, normal = touch_spheres(center, radius, sphere_axis, capsule + along * axis, capsule_radius, axis)
    return single_point(dist, pos, normal, reach)


@wp.func
def _closest_from(s: float, da: float, db: float, ab: float, half1: float, half2: float) -> wp.vec2:
    """Closest point of the second segment to the point ``s`` of the first; a clamped one moves ``s`` in turn.

    ``da``, ``db``: offset of the centres along the axes; ``ab``: cosine between the axes.
    """
    t = db + s * ab
    if wp.abs(t) > half2:
        t = wp.clamp(t, -half2, half2)
        return wp.vec2(wp.clamp(t * ab - da, -half1, half1), t)
    return wp.vec2(s, t)


@wp.func
def capsule_capsule(
    center1: wp.vec3, axis1: wp.vec3, radius1: float, half1: float,
    center2: wp.vec3, axis2: wp.vec3, radius2: float, half2: float, reach: float,
) -> Manifold:  # fmt: skip
    """One contact, or two if the axes are parallel: the end of the first capsule's negative axis comes first."""
    offset = center1 - center2
    da = wp.dot(offset, axis1)
    db = wp.dot(offset, axis2)
    ab = wp.dot(axis1, axis2)
    across = wp.cross(axis1, axis2)
    sine_sq = wp.length_sq(across)
    if sine_sq > PARALLEL_SQ:
        s = wp.clamp(wp.dot(across, wp.cross(axis2, offset)) / sine_sq, -half1, half1)
        at = _closest_from(s, da, db, ab, half1, half2)
        near1 = center1 + at[0] * axis1
        near2 = center2 + at[1] * axis2
        bound = radius1 + radius2 + reach
        if wp.length_sq(near2 - near1) > bound * bound:  # most pairs end here: spare them the square root
            return Manifold()
        dist, pos, normal = touch_spheres(near1, radius1, axis1, near2, radius2, axis2)
        return single_point(dist, pos, normal, reach)
    low = _closest_from(-half1, da, db, ab, half1, half2)
    high = _closest_from(half1, da, db, ab, half1, half2)
    dist1, pos1, normal1 = touch_spheres(center1 + low[0] * axis1, radius1, axis1, center2 + low[1] * axis2, radius2, axis2)
    dist2, pos2, normal2 = touch_spheres(center1 + high[0] * axis1, radius1, axis1, center2 + high[1] * axis2, radius2, axis2)
    return two_points(dist1, pos1, normal1, dist2, pos2, normal2, reach)
