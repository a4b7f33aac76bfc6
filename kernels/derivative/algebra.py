"""Spatial algebra in float64 for derivatives, whose products with stiff rows float32 would leave nothing of.

Conventions are those of ``newtonish.kernels.math.spatial``: rotation (or torque) first, about the centre of mass of the tree.
"""

import warp as wp

from newtonish.common.enums import JointType
from newtonish.kernels.constants import MINVAL

vec6d = wp.spatial_vectord
mat66d = wp.spatial_matrixd
mat63d = wp.types.matrix(shape=(6, 3), dtype=wp.float64)
vec8d = wp.types.vector(length=8, dtype=wp.float64)
vec10d = wp.types.vector(length=10, dtype=wp.float64)
real = wp.float64


@wp.func
def wide(v: wp.vec3) -> wp.vec3d:
    """``v`` in float64."""
    return wp.vec3d(real(v[0]), real(v[1]), real(v[2]))


@wp.func
def wide6(v: wp.spatial_vector) -> vec6d:
    """``v`` in float64."""
    return vec6d(real(v[0]), real(v[1]), real(v[2]), real(v[3]), real(v[4]), real(v[5]))


@wp.func
def wide_matrix(m: wp.mat33) -> wp.mat33d:
    """``m`` in float64."""
    result = wp.mat33d()
    for i in range(3):
        for j in range(3):
            result[i, j] = real(m[i, j])
    return result


@wp.func
def is_unit(line: int, i: int) -> wp.float64:
    """Entry of the unit matrix."""
    return wp.where(line == i, real(1.0), real(0.0))


@wp.func
def unit_axis(i: int) -> wp.vec3d:
    """A unit vector along axis ``i``; zero where there is no such axis."""
    return wp.vec3d(is_unit(0, i), is_unit(1, i), is_unit(2, i))


@wp.func
def straight_dofs(kind: int) -> int:
    """How many dofs of a joint of a type are straight, not part of a rotation: its first ones."""
    count = wp.int32(1)
    if kind == JointType.FREE:
        count = 3
    elif kind == JointType.BALL:
        count = 0
    return count


@wp.func
def top(v: vec6d) -> wp.vec3d:
    return wp.vec3d(v[0], v[1], v[2])


@wp.func
def bottom(v: vec6d) -> wp.vec3d:
    return wp.vec3d(v[3], v[4], v[5])


@wp.func
def join(a: wp.vec3d, b: wp.vec3d) -> vec6d:
    return vec6d(a[0], a[1], a[2], b[0], b[1], b[2])


@wp.func
def at_point(motion: vec6d, offset: wp.vec3d) -> wp.vec3d:
    """Linear part of a motion at a point ``offset`` from the origin."""
    return bottom(motion) + wp.cross(top(motion), offset)


@wp.func
def carried(velocity: vec6d, motion: vec6d) -> vec6d:
    """Change of a motion vector that is moved along by ``velocity`` (the cross product of motions)."""
    w = top(velocity)
    a = top(motion)
    return join(wp.cross(w, a), wp.cross(w, bottom(motion)) + wp.cross(bottom(velocity), a))


@wp.func
def carried_force(velocity: vec6d, force: vec6d) -> vec6d:
    """The same of a force vector."""
    w = top(velocity)
    f = bottom(force)
    return join(wp.cross(w, top(force)) + wp.cross(bottom(velocity), f), wp.cross(w, f))


@wp.func
def inertia_times(inertia: vec10d, motion: vec6d) -> vec6d:
    """Momentum of a body with this inertia (ten numbers, as ``cinert``)."""
    w = top(motion)
    v = bottom(motion)
    h = wp.vec3d(inertia[6], inertia[7], inertia[8])
    angular = wp.vec3d(
        inertia[0] * w[0] + inertia[3] * w[1] + inertia[4] * w[2],
        inertia[3] * w[0] + inertia[1] * w[1] + inertia[5] * w[2],
        inertia[4] * w[0] + inertia[5] * w[1] + inertia[2] * w[2],
    )
    return join(angular + wp.cross(h, v), inertia[9] * v - wp.cross(h, w))


@wp.func
def rotation_vector(q: wp.vec4d) -> wp.vec3d:
    """Rotation vector [rad] of the shortest rotation that a unit quaternion makes."""
    u = wp.vec3d(q[1], q[2], q[3])
    s = wp.length(u)
    result = wp.vec3d()
    if s > real(MINVAL):
        angle = real(2.0) * wp.atan2(s, q[0])
        if angle > real(wp.pi):
            angle = angle - real(2.0 * wp.pi)
        result = u * (angle / s)
    return result


@wp.func
def rotation_change(phi: wp.vec3d, delta: wp.vec3d) -> wp.vec3d:
    """Change of the rotation vector ``phi`` if the rotation is followed by ``delta``, in the moving frame.

    The inverse of the right Jacobian of the rotation group (Barfoot, State Estimation for Robotics, 2017, section 7.1).
    """
    angle = wp.length(phi)
    factor = real(1.0) / real(12.0)
    if angle > real(1.0e-3):
        half = real(0.5) * angle
        factor = (real(1.0) - half * wp.cos(half) / wp.sin(half)) / (angle * angle)
    return delta + real(0.5) * wp.cross(phi, delta) + factor * wp.cross(phi, wp.cross(phi, delta))


@wp.func
def turned_back(phi: wp.vec3d, delta: wp.vec3d) -> wp.vec3d:
    """``delta`` in the frame that the rotation ``phi`` leads to."""
    angle = wp.length(phi)
    a = real(1.0)
    b = real(0.5)
    if angle > real(1.0e-4):
        a = wp.sin(angle) / angle
        b = (real(1.0) - wp.cos(angle)) / (angle * angle)
    return delta - a * wp.cross(phi, delta) + b * wp.cross(phi, wp.cross(phi, delta))


@wp.func
def turned_by(phi: wp.vec3d, change: wp.vec3d) -> wp.vec3d:
    """Rotation, in the frame at its end, that a change of the rotation vector ``phi`` makes: the right Jacobian of the rotation group."""
    angle = wp.length(phi)
    a = real(0.5)
    b = real(1.0) / real(6.0)
    if angle > real(1.0e-3):
        a = (real(1.0) - wp.cos(angle)) / (angle * angle)
        b = (angle - wp.sin(angle)) / (angle * angle * angle)
    return change - a * wp.cross(phi, change) + b * wp.cross(phi, wp.cross(phi, change))
