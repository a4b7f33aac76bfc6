"""Conversions between Newton's conventions and MuJoCo's: coordinates, velocities, forces and controls, both ways.

This file and ``states`` are the only places where the two conventions meet. Newton keeps quaternions w-last, measures a joint's motion
between a frame on the parent (``X_p``) and a frame on the child (``X_c``), and gives a free joint's velocity as that of
the child's centre of mass with both parts in the parent's joint frame. MuJoCo keeps quaternions w-first, measures a
ball joint from the body frame at the reference pose, and gives a free joint's velocity as that of the body's origin in
the world frame with the rotation in the body frame. With ``c`` the centre of mass in the body frame, ``R`` the body's
orientation and ``r`` a ball's rotation in the joint frame:

* free pose: ``X_body = X_p X_joint inv(X_c)``;
* free velocity: ``v_origin = R_p v - (R_p w) x (R c)``, ``w_body = inv(R) R_p w``;
* ball rotation: ``q = R_c r inv(R_c)``; angular velocity and torque: ``w_body = R_c inv(r) w``;
* hinge and slide: ``qpos = joint_q + qpos0``, the rest is equal.
"""

import warp as wp

from newtonish.common.enums import JointType
from newtonish.kernels.constants import MINVAL

FREE = wp.constant(int(JointType.FREE))

# where an actuator's control comes from; the numbers are those of the conversion's index maps
TARGET_POSITION = wp.constant(0)
TARGET_VELOCITY = wp.constant(1)
CTRL_DIRECT = wp.constant(2)

# bit of a body's flags: its joint follows the caller, whatever the forces
KINEMATIC = wp.constant(2)


@wp.struct
class Maps:
    """Which row of Newton's flat arrays belongs to each id of MuJoCo's, and the joint frames and centres of mass."""

    joint: wp.array2d(dtype=wp.int32)  # (nworld, njnt) joint
    coord: wp.array2d(dtype=wp.int32)  # (nworld, nq) coordinate; a quaternion's w is mapped to w
    dof: wp.array2d(dtype=wp.int32)  # (nworld, nv) dof
    body: wp.array2d(dtype=wp.int32)  # (nworld, nbody) body; -1: the world
    mocap: wp.array2d(dtype=wp.int32)  # (nworld, nmocap) joint that fixes the mocap body to the world
    ctrl_source: wp.array(dtype=wp.int32)  # (nactuator,) TARGET_POSITION, TARGET_VELOCITY or CTRL_DIRECT
    ctrl_index: wp.array2d(dtype=wp.int32)  # (nworld, nactuator) coordinate, dof or row of that source
    ctrl_axis: wp.array(dtype=wp.int32)  # (nactuator,) component of a ball joint's position target; -1: none
    X_p: wp.array(dtype=wp.transform)  # (joints,) joint frame in the parent body
    X_c: wp.array(dtype=wp.transform)  # (joints,) joint frame in the child body
    com: wp.array(dtype=wp.vec3)  # (bodies,) centre of mass in the body frame [m]
    flags: wp.array(dtype=wp.int32)  # (bodies,) BodyFlags


@wp.func
def to_wxyz(q: wp.quat) -> wp.vec4:
    """Newton's quaternion in MuJoCo's order."""
    return wp.vec4(q[3], q[0], q[1], q[2])


@wp.func
def to_xyzw(q: wp.vec4) -> wp.quat:
    """MuJoCo's quaternion in Newton's order."""
    return wp.quat(q[1], q[2], q[3], q[0])


@wp.func
def unit(q: wp.quat) -> wp.quat:
    """Unit quaternion; the identity if the length is practically zero, as MuJoCo does."""
    length = wp.length(q)
    if length < MINVAL:
        return wp.quat(0.0, 0.0, 0.0, 1.0)
    return q / length


@wp.func
def free_velocity_to_mujoco(v: wp.vec3, w: wp.vec3, R_p: wp.quat, R: wp.quat, com: wp.vec3) -> wp.spatial_vector:
    """MuJoCo's (origin velocity in the world, angular velocity in the body) of a free joint at orientation ``R``."""
    w_world = wp.quat_rotate(R_p, w)
    v_origin = wp.quat_rotate(R_p, v) - wp.cross(w_world, wp.quat_rotate(R, com))
    return wp.spatial_vector(v_origin, wp.quat_rotate_inv(R, w_world))


@wp.func
def free_velocity_to_newton(v: wp.vec3, w: wp.vec3, R_p: wp.quat, R: wp.quat, com: wp.vec3) -> wp.spatial_vector:
    """Newton's (velocity of the centre of mass, angular velocity), both in the parent's joint frame."""
    w_world = wp.quat_rotate(R, w)
    v_com = v + wp.cross(w_world, wp.quat_rotate(R, com))
    return wp.spatial_vector(wp.quat_rotate_inv(R_p, v_com), wp.quat_rotate_inv(R_p, w_world))


@wp.func
def ball_to_mujoco(r: wp.quat, R_c: wp.quat) -> wp.quat:
    """Ball rotation in the joint frame -> rotation of the body frame, still w-last."""
    return R_c * r * wp.quat_inverse(R_c)


@wp.func
def ball_vector_to_mujoco(w: wp.vec3, r: wp.quat, R_c: wp.quat) -> wp.vec3:
    """Angular velocity or torque in the parent's joint frame -> in the turned body frame."""
    return wp.quat_rotate(R_c * wp.quat_inverse(r), w)


@wp.func
def read3(a: wp.array(dtype=float), at: int) -> wp.vec3:
    return wp.vec3(a[at], a[at + 1], a[at + 2])


@wp.func
def read_quat(a: wp.array(dtype=float), at: int) -> wp.quat:
    """A w-last unit quaternion from a flat array."""
    return unit(wp.quat(a[at], a[at + 1], a[at + 2], a[at + 3]))


@wp.func
def write3(a: wp.array(dtype=float), at: int, v: wp.vec3):
    for k in range(3):
        a[at + k] = v[k]


@wp.func
def is_kinematic(maps: Maps, w: int, b: int) -> bool:
    """Whether a body of MuJoCo's moves as the caller says."""
    newton_body = maps.body[w, b]
    if newton_body < 0:
        return False
    return (maps.flags[newton_body] & KINEMATIC) != 0
