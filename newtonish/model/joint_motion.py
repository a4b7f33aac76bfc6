"""What a joint's coordinates and velocities mean, and the way back, as Warp functions.

A joint moves its child frame relative to its parent frame. Turning axes of a D6 joint act one after another, each one
carried along by those before it (intrinsic rotations), after the sliding axes, which keep the parent's directions.
"""

from __future__ import annotations

import warp as wp

from newtonish.model.enums import JointType

PRISMATIC = wp.constant(int(JointType.PRISMATIC))
REVOLUTE = wp.constant(int(JointType.REVOLUTE))
BALL = wp.constant(int(JointType.BALL))
FREE = wp.constant(int(JointType.FREE))
DISTANCE = wp.constant(int(JointType.DISTANCE))
ROD = wp.constant(int(JointType.ROD))
FIXED = wp.constant(int(JointType.FIXED))


@wp.struct
class Motion:
    """Pose and velocity of a child joint frame in its parent joint frame."""

    pose: wp.transform
    linear: wp.vec3
    angular: wp.vec3


@wp.func
def is_free(kind: int) -> bool:
    """Whether a joint's coordinates are a position and a quaternion."""
    free = kind == FREE
    free = free or kind == DISTANCE
    return free or kind == ROD


@wp.func
def read_vec3(values: wp.array(dtype=float), at: int) -> wp.vec3:
    return wp.vec3(values[at], values[at + 1], values[at + 2])


@wp.func
def read_quat(values: wp.array(dtype=float), at: int) -> wp.quat:
    return wp.normalize(wp.quat(values[at], values[at + 1], values[at + 2], values[at + 3]))


@wp.func
def joint_motion(
    kind: int,
    q_start: int,
    qd_start: int,
    sliding: int,
    turning: int,
    joint_q: wp.array(dtype=float),
    joint_qd: wp.array(dtype=float),
    joint_axis: wp.array(dtype=wp.vec3),
) -> Motion:
    """Pose and velocity across a joint; a free joint's linear velocity is that of the child's centre of mass."""
    motion = Motion()
    position = wp.vec3(0.0)
    rotation = wp.quat_identity()
    linear = wp.vec3(0.0)
    angular = wp.vec3(0.0)
    if is_free(kind):
        position = read_vec3(joint_q, q_start)
        rotation = read_quat(joint_q, q_start + 3)
        linear = read_vec3(joint_qd, qd_start)
        angular = read_vec3(joint_qd, qd_start + 3)
    elif kind == BALL:
        rotation = read_quat(joint_q, q_start)
        angular = read_vec3(joint_qd, qd_start)
    elif kind != FIXED:
        for i in range(3):
            if i < sliding:
                position += joint_axis[qd_start + i] * joint_q[q_start + i]
                linear += joint_axis[qd_start + i] * joint_qd[qd_start + i]
        for i in range(3):
            if i < turning:
                axis = joint_axis[qd_start + sliding + i]
                angular += wp.quat_rotate(rotation, axis) * joint_qd[qd_start + sliding + i]
                rotation = rotation * wp.quat_from_axis_angle(axis, joint_q[q_start + sliding + i])
    motion.pose = wp.transform(position, rotation)
    motion.linear = linear
    motion.angular = angular
    return motion


@wp.func
def turned_axes(a0: wp.vec3, a1: wp.vec3, a2: wp.vec3, turning: int, angles: wp.vec3) -> wp.mat33:
    """Directions, as columns, about which the child turns at once; with two axes the third is across both."""
    first = wp.quat_from_axis_angle(a0, angles[0])
    second = first * wp.quat_from_axis_angle(a1, angles[1])
    b1 = wp.quat_rotate(first, a1)
    b2 = wp.cross(a0, b1)
    if turning == 3:
        b2 = wp.quat_rotate(second, a2)
    return wp.matrix_from_cols(a0, b1, b2)


@wp.func
def solve_damped(columns: wp.mat33, rhs: wp.vec3) -> wp.vec3:
    """Least-squares solution that stays bounded where axes line up (gimbal lock)."""
    transposed = wp.transpose(columns)
    normal = transposed * columns + 1.0e-7 * wp.identity(n=3, dtype=float)
    return wp.inverse(normal) * (transposed * rhs)


@wp.func
def rotation_vector(q: wp.quat) -> wp.vec3:
    """Axis times angle of the shorter rotation."""
    sign = 1.0
    if q[3] < 0.0:
        sign = -1.0
    v = sign * wp.vec3(q[0], q[1], q[2])
    sine = wp.length(v)
    factor = 2.0
    if sine > 1.0e-6:
        factor = 2.0 * wp.atan2(sine, sign * q[3]) / sine
    return factor * v


@wp.func
def three_angles(a0: wp.vec3, a1: wp.vec3, a2: wp.vec3, turning: int, target: wp.quat) -> wp.vec3:
    """Angles about two or three successive axes that make a rotation (or come nearest to it).

    Starts from the closed form for perpendicular axes and refines by Gauss-Newton steps, which change nothing where the
    axes are perpendicular.
    """
    e1 = wp.normalize(a1 - wp.dot(a1, a0) * a0)
    e2 = wp.cross(a0, e1)
    basis = wp.matrix_from_cols(a0, e1, e2)
    m = wp.transpose(basis) * wp.quat_to_matrix(target) * basis
    sign = 1.0
    if turning == 3 and wp.dot(e2, a2) < 0.0:
        sign = -1.0
    angles = wp.vec3(
        wp.atan2(-m[1, 2], m[2, 2]),
        wp.asin(wp.clamp(m[0, 2], -1.0, 1.0)),
        sign * wp.atan2(-m[0, 1], m[0, 0]),
    )
    if turning == 2:
        # The rotation has no third part, so the first angle is read where the second does not spoil it.
        angles = wp.vec3(wp.atan2(m[2, 1], m[1, 1]), wp.atan2(m[0, 2], m[0, 0]), 0.0)
    for _ in range(6):
        reached = wp.quat_from_axis_angle(a0, angles[0]) * wp.quat_from_axis_angle(a1, angles[1])
        if turning == 3:
            reached = reached * wp.quat_from_axis_angle(a2, angles[2])
        rest = rotation_vector(target * wp.quat_inverse(reached))
        step = solve_damped(turned_axes(a0, a1, a2, turning, angles), rest)
        if turning == 2:
            step = wp.vec3(step[0], step[1], 0.0)
        angles = angles + step
    return angles


@wp.func
def twist_angle(axis: wp.vec3, q: wp.quat) -> float:
    """Angle of a rotation's part about an axis, from -pi to pi."""
    half = wp.atan2(wp.dot(axis, wp.vec3(q[0], q[1], q[2])), q[3])
    angle = 2.0 * half
    if angle > wp.pi:
        angle -= 2.0 * wp.pi
    if angle < -wp.pi:
        angle += 2.0 * wp.pi
    return angle


@wp.func
def point_velocity(
    body: int,
    point: wp.vec3,
    body_q: wp.array(dtype=wp.transform),
    body_qd: wp.array(dtype=wp.spatial_vector),
    body_com: wp.array(dtype=wp.vec3),
) -> wp.vec3:
    """Velocity of the point of a body that is at a place in the world."""
    centre = wp.transform_point(body_q[body], body_com[body])
    return wp.spatial_top(body_qd[body]) + wp.cross(wp.spatial_bottom(body_qd[body]), point - centre)
