"""Gradients by the components of a quaternion, from those by a small rotation in its own frame.

Orientations are those of normalized quaternions, so that the gradient has no part along the quaternion.
"""

import warp as wp

from newtonish.kernels.derivative.algebra import real


@wp.func
def wide4(q: wp.vec4) -> wp.vec4d:
    """``q`` in float64."""
    return wp.vec4d(real(q[0]), real(q[1]), real(q[2]), real(q[3]))


@wp.func
def quaternion_bar(q: wp.vec4, turn: wp.vec3d) -> wp.vec4:
    """Gradient by ``q`` of what has the gradient ``turn`` by a rotation that follows it, which changes q by half of q (0, rotation)."""
    unit = wide4(q)
    length = wp.length(unit)
    unit = unit / length
    u = wp.vec3d(unit[1], unit[2], unit[3])
    rest = unit[0] * turn + wp.cross(u, turn)
    scale = real(2.0) / length
    return wp.vec4(float(-scale * wp.dot(u, turn)), float(scale * rest[0]), float(scale * rest[1]), float(scale * rest[2]))


@wp.func
def quaternion_product(a: wp.vec4d, b: wp.vec4d) -> wp.vec4d:
    """``a b``, the real part first."""
    u = wp.vec3d(a[1], a[2], a[3])
    v = wp.vec3d(b[1], b[2], b[3])
    rest = a[0] * v + b[0] * u + wp.cross(u, v)
    return wp.vec4d(a[0] * b[0] - wp.dot(u, v), rest[0], rest[1], rest[2])
