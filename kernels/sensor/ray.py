"""Where a ray first meets a plane, sphere, capsule, ellipsoid, cylinder or box.

All work in the frame of the shape, with point ``p`` and direction ``v`` of the ray, and give the outward normal and the
distance in units of ``v`` as one ``vec4``; distance -1: no hit. A ray that starts inside hits where it leaves.
Quadratics are solved from the point of closest approach, which keeps the digits of far rays in single precision.
"""

import warp as wp

from newtonish.kernels.constants import BOX, CAPSULE, CYLINDER, ELLIPSOID, MINVAL, PLANE, SPHERE


@wp.func
def _miss() -> wp.vec4:
    return wp.vec4(0.0, 0.0, 0.0, -1.0)


@wp.func
def _hit(normal: wp.vec3, dist: float) -> wp.vec4:
    return wp.vec4(normal[0], normal[1], normal[2], dist)


@wp.func
def _round(p: wp.vec3, v: wp.vec3, radius: float) -> wp.vec2:
    """Distances at which a ray enters and leaves a sphere about the origin; both -1 if it does not."""
    square = wp.length_sq(v)
    if square < MINVAL:
        return wp.vec2(-1.0, -1.0)
    middle = -wp.dot(p, v) / square
    gap = radius * radius - wp.length_sq(p + middle * v)
    if gap <= 0.0:
        return wp.vec2(-1.0, -1.0)
    half = wp.sqrt(gap / square)
    return wp.vec2(middle - half, middle + half)


@wp.func
def _first(x: wp.vec2) -> float:
    """The smaller of two ascending distances that is not behind the ray; -1 if both are."""
    return wp.where(x[0] >= 0.0, x[0], wp.where(x[1] >= 0.0, x[1], -1.0))


@wp.func
def _nearer(best: float, x: float, valid: bool) -> float:
    """The smaller of a distance (-1: none yet) and a candidate, if that is valid and not behind the ray."""
    return wp.where(valid and x >= 0.0 and (best < 0.0 or x < best), x, best)


@wp.func
def ray_plane(size: wp.vec3, p: wp.vec3, v: wp.vec3) -> wp.vec4:
    """A plane seen from its front, within its drawn rectangle (0: unbounded)."""
    if v[2] > -MINVAL:
        return _miss()
    dist = -p[2] / v[2]
    at = p + dist * v
    inside = (size[0] <= 0.0 or wp.abs(at[0]) <= size[0]) and (size[1] <= 0.0 or wp.abs(at[1]) <= size[1])
    if dist < 0.0 or not inside:
        return _miss()
    return _hit(wp.vec3(0.0, 0.0, 1.0), dist)


@wp.func
def ray_sphere(radius: float, p: wp.vec3, v: wp.vec3) -> wp.vec4:
    dist = _first(_round(p, v, radius))
    if dist < 0.0:
        return _miss()
    return _hit(wp.normalize(p + dist * v), dist)


@wp.func
def ray_ellipsoid(size: wp.vec3, p: wp.vec3, v: wp.vec3) -> wp.vec4:
    """In the space in which the ellipsoid is a unit sphere."""
    dist = _first(_round(wp.cw_div(p, size), wp.cw_div(v, size), 1.0))
    if dist < 0.0:
        return _miss()
    at = p + dist * v
    return _hit(wp.normalize(wp.cw_div(wp.cw_div(at, size), size)), dist)


@wp.func
def ray_capsule(size: wp.vec3, p: wp.vec3, v: wp.vec3) -> wp.vec4:
    """Side between the two ends, and the outer half of the sphere at each end."""
    top = wp.vec3(0.0, 0.0, size[1])
    side = _round(wp.vec3(p[0], p[1], 0.0), wp.vec3(v[0], v[1], 0.0), size[0])
    upper = _round(p - top, v, size[0])
    lower = _round(p + top, v, size[0])
    dist = wp.float32(-1.0)
    for k in range(2):
        dist = _nearer(dist, side[k], wp.abs(p[2] + side[k] * v[2]) <= size[1])
        dist = _nearer(dist, upper[k], p[2] + upper[k] * v[2] >= size[1])
        dist = _nearer(dist, lower[k], p[2] + lower[k] * v[2] <= -size[1])
    if dist < 0.0:
        return _miss()
    at = p + dist * v
    axis = wp.vec3(0.0, 0.0, wp.clamp(at[2], -size[1], size[1]))
    return _hit(wp.normalize(at - axis), dist)


@wp.func
def ray_cylinder(size: wp.vec3, p: wp.vec3, v: wp.vec3) -> wp.vec4:
    side = _round(wp.vec3(p[0], p[1], 0.0), wp.vec3(v[0], v[1], 0.0), size[0])
    dist = wp.float32(-1.0)
    for k in range(2):
        dist = _nearer(dist, side[k], wp.abs(p[2] + side[k] * v[2]) <= size[1])
    round = p + dist * v
    normal = wp.normalize(wp.vec3(round[0], round[1], 0.0))
    if wp.abs(v[2]) > MINVAL:
        for k in range(2):
            sign = 2.0 * float(k) - 1.0
            x = (sign * size[1] - p[2]) / v[2]
            at = p + x * v
            if x >= 0.0 and (dist < 0.0 or x < dist) and at[0] * at[0] + at[1] * at[1] <= size[0] * size[0]:
                dist = x
                normal = wp.vec3(0.0, 0.0, sign)
    if dist < 0.0:
        return _miss()
    return _hit(normal, dist)


@wp.func
def ray_box(size: wp.vec3, p: wp.vec3, v: wp.vec3) -> wp.vec4:
    """Each of the six faces in turn."""
    best = _miss()
    for axis in range(3):
        if wp.abs(v[axis]) > MINVAL:
            a = (axis + 1) % 3
            b = (axis + 2) % 3
            for k in range(2):
                sign = 2.0 * float(k) - 1.0
                x = (sign * size[axis] - p[axis]) / v[axis]
                at = p + x * v
                if x >= 0.0 and (best[3] < 0.0 or x < best[3]):
                    if wp.abs(at[a]) <= size[a] and wp.abs(at[b]) <= size[b]:
                        normal = wp.vec3()
                        normal[axis] = sign
                        best = _hit(normal, x)
    return best


@wp.func
def ray_shape(kind: int, size: wp.vec3, p: wp.vec3, v: wp.vec3) -> wp.vec4:
    """Normal and distance of the hit on a shape of type ``kind``, in its frame."""
    if kind == PLANE:
        return ray_plane(size, p, v)
    if kind == SPHERE:
        return ray_sphere(size[0], p, v)
    if kind == CAPSULE:
        return ray_capsule(size, p, v)
    if kind == ELLIPSOID:
        return ray_ellipsoid(size, p, v)
    if kind == CYLINDER:
        return ray_cylinder(size, p, v)
    if kind == BOX:
        return ray_box(size, p, v)
    return _miss()


@wp.func
def inside_shape(kind: int, size: wp.vec3, p: wp.vec3) -> bool:
    """Whether a point, in the frame of the shape, lies inside."""
    if kind == SPHERE:
        return wp.length_sq(p) < size[0] * size[0]
    if kind == CAPSULE:
        beyond = p[2] - wp.clamp(p[2], -size[1], size[1])
        return p[0] * p[0] + p[1] * p[1] + beyond * beyond < size[0] * size[0]
    if kind == ELLIPSOID:
        return wp.length_sq(wp.cw_div(p, size)) < 1.0
    if kind == CYLINDER:
        return wp.abs(p[2]) < size[1] and p[0] * p[0] + p[1] * p[1] < size[0] * size[0]
    if kind == BOX:
        return wp.abs(p[0]) < size[0] and wp.abs(p[1]) < size[1] and wp.abs(p[2]) < size[2]
    return kind == PLANE and p[2] < 0.0
