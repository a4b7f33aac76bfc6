"""Transmissions of actuators: length, and its sparse gradient by the coordinates (the moment).

Joint transmissions: a hinge or slide contributes its coordinate times the gear; a ball joint the projection of its
rotation vector on the gear's axis; a free joint has no length. ``jointinparent`` gives rotational gears in the parent's
(for a free joint: world) frame instead of the child's. Method: MuJoCo documentation, chapter Computation (actuation).
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.enums import JointType, TrnType
from newtonish.kernels.launch import launch
from newtonish.kernels.math.quat import quat_conj, quat_normalize, quat_rotate, quat_to_rotation_vector
from newtonish.kernels.math.world import per_world, sync
from newtonish.kernels.structs.data import Drive, State
from newtonish.kernels.structs.model import Actuator, Joint, Size


@wp.func
def _entry(drive: Drive, w: int, adr: int, dof: int, moment: float):
    drive.moment_colind[w, adr] = dof
    drive.actuator_moment[w, adr] = moment


@wp.func
def _entries(drive: Drive, w: int, adr: int, dof: int, moment: wp.vec3):
    _entry(drive, w, adr, dof, moment[0])
    _entry(drive, w, adr + 1, dof + 1, moment[1])
    _entry(drive, w, adr + 2, dof + 2, moment[2])


@wp.func
def _joint_transmission(jnt: Joint, state: State, drive: Drive, gear: wp.spatial_vector, in_parent: bool, w: int, o: int, j: int):
    """Length and moment of output ``o``, which acts on joint ``j``."""
    kind = jnt.type[j]
    q = jnt.qposadr[j]
    dof = jnt.dofadr[j]
    adr = drive.moment_rowadr[w, o]
    if kind == JointType.SLIDE or kind == JointType.HINGE:
        drive.actuator_length[w, o] = gear[0] * state.qpos[w, q]
        _entry(drive, w, adr, dof, gear[0])
    else:
        axis = wp.spatial_top(gear)
        if kind == JointType.FREE:
            _entries(drive, w, adr, dof, axis)
            axis = wp.spatial_bottom(gear)
            q = q + 3
            dof = dof + 3
            adr = adr + 3
        quat = quat_normalize(wp.vec4(state.qpos[w, q], state.qpos[w, q + 1], state.qpos[w, q + 2], state.qpos[w, q + 3]))
        if in_parent:
            axis = quat_rotate(quat_conj(quat), axis)
        _entries(drive, w, adr, dof, axis)
        length = wp.float32(0.0)
        if kind == JointType.BALL:
            length = wp.dot(axis, quat_to_rotation_vector(quat))
        drive.actuator_length[w, o] = length


@wp.func
def transmission_world(size: Size, jnt: Joint, actuator: Actuator, state: State, drive: Drive, w: int, lane: int):
    """Lengths and moments of all actuators of one world."""
    gear_w = per_world(actuator.gear.shape[0], w)
    for a in range(lane, size.nactuator, wp.block_dim()):
        o = actuator.outadr[a]
        drive.moment_rownnz[w, o] = actuator.moment_rownnz0[o]
        drive.moment_rowadr[w, o] = actuator.moment_rowadr0[o]
        kind = actuator.trntype[a]
        if kind == TrnType.JOINT or kind == TrnType.JOINTINPARENT:
            in_parent = kind == TrnType.JOINTINPARENT
            _joint_transmission(jnt, state, drive, actuator.gear[gear_w, o], in_parent, w, o, actuator.trnid[a][0])
        else:
            drive.actuator_length[w, o] = 0.0  # refused by put_model, or left out at the user's request
    sync()


@wp.kernel
def _transmission(size: Size, jnt: Joint, actuator: Actuator, state: State, drive: Drive):
    w, lane = wp.tid()
    transmission_world(size, jnt, actuator, state, drive, w, lane)


def transmission(m: Any, d: Any) -> None:
    """Length and moment of each actuator.

    Reads   m.jnt, m.actuator; d.state.qpos
    Writes  d.drive.actuator_length, moment_rownnz, moment_rowadr, moment_colind, actuator_moment
    MuJoCo  mj_transmission.
    """
    launch(_transmission, d, [m.size, m.jnt, m.actuator, d.state, d.drive])
