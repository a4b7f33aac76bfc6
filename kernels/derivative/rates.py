"""How the rate of a rotation vector changes, with which the stages of RK4 move orientations (Bortz equation).

rate = w + f x w / 2 + c(f . f) f x (f x w) for the rotation vector f and the angular velocity w of the turning frame. The integrator takes the
shorter of two rotation vectors beyond half a turn, and so do the derivatives.
"""

import warp as wp

from newtonish.kernels.derivative.algebra import real

BY_SERIES = wp.constant(wp.float64(1.5))  # below this square of the angle closed forms cancel


@wp.func
def _shorter(rotation: wp.vec3d) -> wp.float64:
    """Turns to take off, as a part of the angle; 0 up to half a turn."""
    angle = wp.length(rotation)
    part = real(0.0)
    if angle > real(wp.pi):
        part = real(2.0 * wp.pi) * wp.round(angle / real(2.0 * wp.pi)) / angle
    return part


@wp.func
def _coefficient(x: wp.float64) -> wp.vec2d:
    """(1 - (a/2) cot(a/2)) / a^2 for x = a^2, and its derivative by x."""
    result = wp.vec2d(
        real(1.0) / real(12.0) + x * (real(1.0) / real(720.0) + x * (real(1.0) / real(30240.0) + x * (real(1.0) / real(1209600.0) + x / real(47900160.0)))),
        real(1.0) / real(720.0) + x * (real(1.0) / real(15120.0) + x * (real(1.0) / real(403200.0) + x / real(11975040.0))),
    )
    if x > BY_SERIES:
        half = real(0.5) * wp.sqrt(x)
        cotangent = wp.cos(half) / wp.sin(half)
        value = (real(1.0) - half * cotangent) / x
        slope = (half * (real(1.0) + cotangent * cotangent) - cotangent) / (real(8.0) * half * x) - value / x
        result = wp.vec2d(value, slope)
    return result


@wp.func
def rate_change(rotation: wp.vec3d, omega: wp.vec3d, rotated: wp.vec3d, turned: wp.vec3d) -> wp.vec3d:
    """Change of the rate of ``rotation`` by a change ``rotated`` of it and one ``turned`` of the angular velocity ``omega``."""
    part = _shorter(rotation)
    f = (real(1.0) - part) * rotation
    df = (real(1.0) - part) * rotated
    if part > real(0.0):
        df += rotation * (part * wp.dot(rotation, rotated) / wp.dot(rotation, rotation))
    c = _coefficient(wp.dot(f, f))
    across = wp.cross(f, omega)
    twice = wp.cross(f, across)
    by_omega = turned + real(0.5) * wp.cross(f, turned) + c[0] * wp.cross(f, wp.cross(f, turned))
    by_rotation = real(0.5) * wp.cross(df, omega) + (real(2.0) * c[1] * wp.dot(f, df)) * twice
    return by_omega + by_rotation + c[0] * (wp.cross(df, across) + wp.cross(f, wp.cross(df, omega)))


@wp.func
def omega_adjoint(rotation: wp.vec3d, bar: wp.vec3d) -> wp.vec3d:
    """Adjoint of the angular velocity, from that of the rate."""
    f = (real(1.0) - _shorter(rotation)) * rotation
    c = _coefficient(wp.dot(f, f))
    return bar - real(0.5) * wp.cross(f, bar) + c[0] * wp.cross(f, wp.cross(f, bar))


@wp.func
def rotation_adjoint(rotation: wp.vec3d, omega: wp.vec3d, bar: wp.vec3d) -> wp.vec3d:
    """Adjoint of the rotation vector, from that of its rate."""
    part = _shorter(rotation)
    f = (real(1.0) - part) * rotation
    c = _coefficient(wp.dot(f, f))
    across = wp.cross(f, omega)
    twice = wp.cross(f, across)
    found = real(0.5) * wp.cross(omega, bar) + (real(2.0) * c[1] * wp.dot(bar, twice)) * f
    found += c[0] * (wp.cross(across, bar) + wp.cross(omega, wp.cross(bar, f)))
    result = (real(1.0) - part) * found
    if part > real(0.0):
        result += rotation * (part * wp.dot(rotation, found) / wp.dot(rotation, rotation))
    return result
