"""Unit quaternions in MuJoCo's order (w, x, y, z), held in ``wp.vec4`` so that Warp's own x-first built-ins refuse them."""

import warp as wp

from newtonish.kernels.constants import MINVAL


@wp.func
def quat_mul(a: wp.vec4, b: wp.vec4) -> wp.vec4:
    """Hamilton product: the rotation ``b`` followed by ``a``."""
    return wp.vec4(
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


@wp.func
def quat_conj(q: wp.vec4) -> wp.vec4:
    return wp.vec4(q[0], -q[1], -q[2], -q[3])


@wp.func
def quat_rotate(q: wp.vec4, v: wp.vec3) -> wp.vec3:
    """Rotate a vector from the local frame of ``q`` to its parent frame."""
    u = wp.vec3(q[1], q[2], q[3])
    t = 2.0 * wp.cross(u, v)
    return v + q[0] * t + wp.cross(u, t)


@wp.func
def is_identity(q: wp.vec4) -> bool:
    """``q`` turns nothing, to the last digit."""
    return q[0] == 1.0 and wp.abs(q[1]) + wp.abs(q[2]) + wp.abs(q[3]) == 0.0


@wp.func
def quat_normalize(q: wp.vec4) -> wp.vec4:
    """Unit quaternion; the identity if the length is practically zero, as in MuJoCo."""
    length = wp.length(q)
    if length < MINVAL:
        return wp.vec4(1.0, 0.0, 0.0, 0.0)
    return q / length


@wp.func
def quat_from_axis_angle(axis: wp.vec3, angle: float) -> wp.vec4:
    """Rotation by ``angle`` [rad] about a unit axis."""
    s = wp.sin(0.5 * angle)
    return wp.vec4(wp.cos(0.5 * angle), s * axis[0], s * axis[1], s * axis[2])


@wp.func
def quat_to_mat(q: wp.vec4) -> wp.mat33:
    w, x, y, z = q[0], q[1], q[2], q[3]
    return wp.mat33(
        w * w + x * x - y * y - z * z, 2.0 * (x * y - w * z), 2.0 * (x * z + w * y),
        2.0 * (x * y + w * z), w * w - x * x + y * y - z * z, 2.0 * (y * z - w * x),
        2.0 * (x * z - w * y), 2.0 * (y * z + w * x), w * w - x * x - y * y + z * z,
    )  # fmt: skip


@wp.func
def quat_to_rotation_vector(q: wp.vec4) -> wp.vec3:
    """Rotation vector [rad] of the shortest rotation, MuJoCo's quaternion velocity over unit time."""
    u = wp.vec3(q[1], q[2], q[3])
    s = wp.length(u)
    if s < MINVAL:
        return wp.vec3(0.0)
    angle = 2.0 * wp.atan2(s, q[0])
    if angle > wp.pi:
        angle = angle - 2.0 * wp.pi
    return u * (angle / s)


@wp.func
def quat_integrate(q: wp.vec4, omega: wp.vec3, dt: float) -> wp.vec4:
    """Rotate ``q`` by the angular velocity ``omega`` [rad/s], given in the frame of ``q``, during ``dt`` [s]."""
    speed = wp.length(omega)
    if speed < MINVAL:
        return quat_normalize(q)
    return quat_normalize(quat_mul(q, quat_from_axis_angle(omega / speed, speed * dt)))
