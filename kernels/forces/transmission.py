"""Transmissions of actuators: length, and its sparse gradient by the coordinates (the moment).

Joint transmissions: a hinge or slide contributes its coordinate times the gear; a ball joint the projection of its
rotation vector on the gear's axis; a free joint has no length. ``jointinparent`` gives rotational gears in the parent's
(for a free joint: world) frame instead of the child's. Tendons pull along their own gradient. Method: MuJoCo documentation, chapter Computation (actuation).
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.enums import JointType, TrnType
from newtonish.kernels.forces.transmission_points import clear_row, site_transmission, slidercrank_transmission
from newtonish.kernels.math.quat import quat_conj, quat_normalize, quat_rotate, quat_to_rotation_vector
from newtonish.kernels.math.world import assume_nonnegative, lanes, per_world, sync
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.structs.data import Com, Drive, Kinematics, State, TendonState
from newtonish.kernels.structs.model import Actuator, Body, Joint, Site, Size, Tendon, Tree


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
    q = assume_nonnegative(jnt.qposadr[j])
    dof = assume_nonnegative(jnt.dofadr[j])
    adr = assume_nonnegative(drive.moment_rowadr[w, o])
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
def _tendon_transmission(actuator: Actuator, tendon: Tendon, ten: TendonState, drive: Drive, gear: float, w: int, o: int, t: int):
    """Length and moment of output ``o``, which pulls tendon ``t``."""
    drive.actuator_length[w, o] = gear * ten.length[w, t]
    adr = actuator.moment_rowadr0[o]
    row = tendon.J_rowadr[t]
    for k in range(tendon.J_rownnz[t]):
        _entry(drive, w, adr + k, tendon.J_colind[row + k], gear * ten.J[w, row + k])


@wp.func
def joint_transmission_world(size: Size, jnt: Joint, actuator: Actuator, state: State, drive: Drive, w: int, lane: int):
    """Lengths and moments of all actuators of one world, each of which acts on a joint."""
    gear_w = per_world(actuator.gear.shape[0], w)
    for a in range(lane, size.nactuator, lanes()):
        o = assume_nonnegative(actuator.outadr[a])
        drive.moment_rownnz[w, o] = actuator.moment_rownnz0[o]
        drive.moment_rowadr[w, o] = actuator.moment_rowadr0[o]
        in_parent = actuator.trntype[a] == TrnType.JOINTINPARENT
        _joint_transmission(jnt, state, drive, actuator.gear[gear_w, o], in_parent, w, o, assume_nonnegative(actuator.trnid[a][0]))
    sync()


@wp.func
def transmission_world(
    size: Size, tree: Tree, body: Body, jnt: Joint, site: Site, actuator: Actuator, tendon: Tendon, state: State,
    kin: Kinematics, com: Com, ten: TendonState, drive: Drive, w: int, lane: int,
):  # fmt: skip
    """Lengths and moments of all actuators of one world."""
    gear_w = per_world(actuator.gear.shape[0], w)
    for a in range(lane, size.nactuator, lanes()):
        o = actuator.outadr[a]
        for k in range(o, o + actuator.outnum[a]):
            drive.moment_rownnz[w, k] = actuator.moment_rownnz0[k]
            drive.moment_rowadr[w, k] = actuator.moment_rowadr0[k]
        kind = actuator.trntype[a]
        if kind == TrnType.JOINT or kind == TrnType.JOINTINPARENT:
            in_parent = kind == TrnType.JOINTINPARENT
            _joint_transmission(jnt, state, drive, actuator.gear[gear_w, o], in_parent, w, o, actuator.trnid[a][0])
        elif kind == TrnType.TENDON:
            _tendon_transmission(actuator, tendon, ten, drive, actuator.gear[gear_w, o][0], w, o, actuator.trnid[a][0])
        elif kind == TrnType.SITE:
            trn = actuator.trnid[a]
            gear = actuator.gear[gear_w, o]
            site_transmission(tree, body, site, actuator, kin, com, drive, gear, w, o, trn[0], trn[1])
        elif kind == TrnType.SLIDERCRANK:
            gear0 = actuator.gear[gear_w, o][0]
            slidercrank_transmission(tree, body, site, actuator, kin, com, drive, gear0, w, a, o)
        elif kind == TrnType.BODY:  # its moment follows from the contacts, see adhesion.py; SO3: see so3.py
            drive.actuator_length[w, o] = 0.0
            clear_row(actuator, drive, w, o)
    sync()


@wp.kernel
def _transmission(
    size: Size, tree: Tree, body: Body, jnt: Joint, site: Site, actuator: Actuator, tendon: Tendon, state: State,
    kin: Kinematics, com: Com, ten: TendonState, drive: Drive,
):  # fmt: skip
    w, lane = wp.tid()
    transmission_world(size, tree, body, jnt, site, actuator, tendon, state, kin, com, ten, drive, w, lane)


def transmission(m: Any, d: Any) -> None:
    """Length and moment of each actuator.

    Reads   m.jnt, m.site, m.actuator, m.tendon; d.state.qpos, d.kin, d.com, d.ten
    Writes  d.drive.actuator_length, moment_rownnz, moment_rowadr, moment_colind, actuator_moment
    MuJoCo  mj_transmission.
    """
    groups = [m.size, m.tree, m.body, m.jnt, m.site, m.actuator, m.tendon, d.state, d.kin, d.com, d.ten, d.drive]
    launch(_transmission, d, groups)
