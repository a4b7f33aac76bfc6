"""Derivatives of sensors of frames: positions, orientations, velocities and accelerations of points that bodies carry.

An input of the step is the position, velocity or acceleration of a dof (the solver's, of which the inputs of a step make something). What it does to a body is a displacement and changes
of velocity and acceleration, as in ``body_equalities.py``.
"""

import warp as wp

from newtonish.common.enums import SensorType
from newtonish.kernels.derivative.algebra import at_point, carried, real, top, vec6d, wide, wide6, wide_matrix
from newtonish.kernels.derivative.features import column_of
from newtonish.kernels.derivative.quaternions import quaternion_product, wide4
from newtonish.kernels.derivative.touch import last_dof, moves
from newtonish.kernels.derivative.workspace import LinearMotion
from newtonish.kernels.math.world import per_world
from newtonish.kernels.sensor.frame import frame_mat, frame_pos, frame_quat
from newtonish.kernels.structs.data import Com, Kinematics
from newtonish.kernels.structs.model import Body, Dof, Geom, Option, Sensor, Site, Tree
from newtonish.kernels.structs.optics import Camera, CamLight

BY_POSITION = wp.constant(0)
BY_VELOCITY = wp.constant(1)
BY_ACCELERATION = wp.constant(2)


@wp.struct
class Change:
    """What a unit of an input does to a body."""

    moved: vec6d
    V: vec6d
    A: vec6d


@wp.func
def body_change(tree: Tree, dof: Dof, com: Com, motion: LinearMotion, w: int, b: int, k: int, mode: int) -> Change:
    """What dof ``k`` does to body ``b``; nothing if it does not move the body."""
    found = Change()
    if moves(dof, k, last_dof(tree, b)):
        axis = wide6(com.cdof[w, k])
        if mode == BY_POSITION:
            V = motion.V[w, b]
            found.moved = axis
            found.V = carried(axis, V - motion.base_V[w, k])
            found.A = carried(axis, motion.A[w, b]) + motion.c[w, k] + carried(motion.u[w, k], V)
        elif mode == BY_VELOCITY:
            found.V = axis
            found.A = motion.e[w, k] + carried(axis, motion.V[w, b])
        else:
            found.A = axis
    return found


@wp.func
def arm_of(body: Body, com: Com, point: wp.vec3d, w: int, b: int) -> wp.vec3d:
    """From the centre of mass of the tree of body ``b`` to a point."""
    return point - wide(com.subtree_com[w, body.rootid[b]])


@wp.func
def velocity_change(V: vec6d, change: Change, arm: wp.vec3d, shift: wp.vec3d) -> wp.vec3d:
    """Change of the velocity of a body's point that shifts."""
    return at_point(change.V, arm) + wp.cross(top(V), shift)


@wp.func
def _acceleration_change(V: vec6d, A: vec6d, change: Change, arm: wp.vec3d, shift: wp.vec3d) -> wp.vec3d:
    """Change of the acceleration of a body's point."""
    turning = wp.cross(top(change.V), at_point(V, arm)) + wp.cross(top(V), velocity_change(V, change, arm, shift))
    return at_point(change.A, arm) + wp.cross(top(A), shift) + turning


@wp.func
def quaternion_change(quat: wp.vec4, reference: wp.vec4, turn: wp.vec3d) -> wp.vec4d:
    """Change of an orientation relative to a reference, if it turns by ``turn`` against that, in the world."""
    q = wide4(reference)
    back = wp.vec4d(q[0], -q[1], -q[2], -q[3])
    return real(0.5) * quaternion_product(quaternion_product(back, wp.vec4d(real(0.0), turn[0], turn[1], turn[2])), wide4(quat))


@wp.func
def is_frame_sensor(kind: int) -> bool:
    """Whether ``frame_sensor_change`` knows a type."""
    return (
        (kind >= SensorType.FRAMEPOS and kind <= SensorType.FRAMEANGACC)
        or kind == SensorType.VELOCIMETER
        or kind == SensorType.GYRO
        or kind == SensorType.ACCELEROMETER
        or kind == SensorType.MAGNETOMETER
    )


@wp.func
def frame_sensor_change(
    opt: Option, tree: Tree, body: Body, dof: Dof, geom: Geom, site: Site, cam: Camera, sensor: Sensor, kin: Kinematics, eyes: CamLight, com: Com,
    motion: LinearMotion, w: int, s: int, k: int, mode: int,
) -> wp.vec4d:  # fmt: skip
    """Change of the numbers of sensor ``s``."""
    kind = sensor.type[s]
    i = sensor.objid[s]
    objtype = sensor.objtype[s]
    b = sensor.bodyid[s]
    change = body_change(tree, dof, com, motion, w, b, k, mode)
    V = motion.V[w, b]
    A = motion.A[w, b]
    point = wide(frame_pos(kin, eyes, w, objtype, i))
    mat = wide_matrix(frame_mat(kin, eyes, w, objtype, i))
    arm = arm_of(body, com, point, w, b)
    shift = at_point(change.moved, arm)
    turn = top(change.moved)
    ref = sensor.refid[s]
    other = Change()
    around = wp.identity(n=3, dtype=wp.float64)
    origin = wp.vec3d()
    V2 = vec6d()
    arm2 = wp.vec3d()
    if ref >= 0:
        b2 = sensor.refbodyid[s]
        other = body_change(tree, dof, com, motion, w, b2, k, mode)
        around = wide_matrix(frame_mat(kin, eyes, w, sensor.reftype[s], ref))
        origin = wide(frame_pos(kin, eyes, w, sensor.reftype[s], ref))
        V2 = motion.V[w, b2]
        arm2 = arm_of(body, com, point, w, b2)
    turn2 = top(other.moved)
    value = wp.vec3d()  # seen in the world, its change, and the axes that it is given in
    rate = wp.vec3d()
    if kind == SensorType.FRAMEQUAT:
        reference = wp.vec4(1.0, 0.0, 0.0, 0.0)
        if ref >= 0:
            reference = frame_quat(body, geom, site, cam, kin, w, sensor.reftype[s], ref)
        return quaternion_change(frame_quat(body, geom, site, cam, kin, w, objtype, i), reference, turn - turn2)
    if kind == SensorType.FRAMEPOS:
        value = point - origin
        rate = shift
        if ref >= 0:
            rate -= at_point(other.moved, arm2 - value)
    elif kind == SensorType.FRAMEXAXIS or kind == SensorType.FRAMEYAXIS or kind == SensorType.FRAMEZAXIS:
        value = column_of(mat, kind - SensorType.FRAMEXAXIS)
        rate = wp.cross(turn, value)
    elif kind == SensorType.FRAMELINVEL:
        value = at_point(V, arm) - at_point(V2, arm2)
        rate = velocity_change(V, change, arm, shift) - velocity_change(V2, other, arm2, shift)
    elif kind == SensorType.FRAMEANGVEL:
        value = top(V) - top(V2)
        rate = top(change.V) - top(other.V)
    elif kind == SensorType.FRAMELINACC:
        rate = _acceleration_change(V, A, change, arm, shift)
    elif kind == SensorType.FRAMEANGACC:
        rate = top(change.A)
    else:
        around = mat
        turn2 = turn
        if kind == SensorType.VELOCIMETER:
            value = at_point(V, arm)
            rate = velocity_change(V, change, arm, shift)
        elif kind == SensorType.GYRO:
            value = top(V)
            rate = top(change.V)
        elif kind == SensorType.ACCELEROMETER:
            value = at_point(A, arm) + wp.cross(top(V), at_point(V, arm))
            rate = _acceleration_change(V, A, change, arm, shift)
        else:
            value = wide(opt.magnetic[per_world(opt.magnetic.shape[0], w)])
    seen = wp.transpose(around) * (rate - wp.cross(turn2, value))
    return wp.vec4d(seen[0], seen[1], seen[2], real(0.0))
