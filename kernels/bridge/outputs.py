"""Results of a step beside the new state, in Newton's conventions: accelerations and joint forces of bodies, forces on dofs.

Bodies' accelerations and forces are at the centre of mass in world axes, linear part first. Forces on dofs do the same work as
MuJoCo's; those of a free joint are a (force at the centre of mass, torque) in world axes, as ``joint_f`` is.
"""

from typing import Any

import warp as wp

from newtonish.kernels.bridge.frames import FREE, Maps, to_xyzw, unit
from newtonish.kernels.constants import BALL, FRICTION_DOF
from newtonish.kernels.math.world import lanes, per_world
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.smooth.rne_postconstraint import rne_postconstraint
from newtonish.kernels.structs.data import Com, Efc, Kinematics, Sense, State, Status, Velocity
from newtonish.kernels.structs.model import Body, Joint, Option, Size


@wp.kernel
def _body_qdd(
    size: Size, opt: Option, body: Body, maps: Maps, kin: Kinematics, com: Com, vel: Velocity,
    result: wp.array(dtype=wp.spatial_vector),
):  # fmt: skip
    """Accelerations of the centres of mass; MuJoCo's spatial ones count from free fall and turn about the tree's centre."""
    w, lane = wp.tid()
    for b in range(1 + lane, size.nbody, lanes()):
        at = maps.body[w, b]
        if at >= 0:
            arm = kin.xipos[w, b] - com.subtree_com[w, body.rootid[b]]
            acceleration = vel.cacc[w, b]
            velocity = vel.cvel[w, b]
            turning = wp.spatial_top(acceleration)
            omega = wp.spatial_top(velocity)
            speed = wp.spatial_bottom(velocity) + wp.cross(omega, arm)
            linear = wp.spatial_bottom(acceleration) + wp.cross(turning, arm) + wp.cross(omega, speed)
            linear += opt.gravity[per_world(opt.gravity.shape[0], w)]
            result[at] = wp.spatial_vector(linear, turning)


@wp.kernel
def _body_parent_f(size: Size, body: Body, maps: Maps, kin: Kinematics, com: Com, sense: Sense, result: wp.array(dtype=wp.spatial_vector)):
    """Wrenches that bodies get through the joints above them."""
    w, lane = wp.tid()
    for b in range(1 + lane, size.nbody, lanes()):
        at = maps.body[w, b]
        if at >= 0:
            arm = kin.xipos[w, b] - com.subtree_com[w, body.rootid[b]]
            force = wp.spatial_bottom(sense.cfrc_int[w, b])
            result[at] = wp.spatial_vector(force, wp.spatial_top(sense.cfrc_int[w, b]) - wp.cross(arm, force))


@wp.func
def _write_joint(jnt: Joint, maps: Maps, state: State, w: int, j: int, force: wp.spatial_vector, result: wp.array(dtype=float)):
    """The forces on one joint's dofs, given in MuJoCo's order, as Newton's."""
    qa = jnt.qposadr[j]
    v = maps.dof[w, jnt.dofadr[j]]
    kind = jnt.type[j]
    if kind == FREE:
        R = unit(to_xyzw(wp.vec4(state.qpos[w, qa + 3], state.qpos[w, qa + 4], state.qpos[w, qa + 5], state.qpos[w, qa + 6])))
        push = wp.spatial_top(force)
        torque = wp.quat_rotate(R, wp.spatial_bottom(force))
        torque -= wp.cross(wp.quat_rotate(R, maps.com[maps.body[w, jnt.bodyid[j]]]), push)
        for k in range(3):
            result[v + k] = push[k]
            result[v + 3 + k] = torque[k]
    elif kind == BALL:
        R4 = wp.vec4(state.qpos[w, qa], state.qpos[w, qa + 1], state.qpos[w, qa + 2], state.qpos[w, qa + 3])
        R_c = wp.transform_get_rotation(maps.X_c[maps.joint[w, j]])
        torque = wp.quat_rotate(wp.quat_inverse(R_c) * unit(to_xyzw(R4)), wp.spatial_top(force))
        for k in range(3):
            result[v + k] = torque[k]
    else:
        result[v] = force[0]


@wp.func
def _width(kind: int) -> int:
    """Number of dofs of a joint."""
    if kind == FREE:
        return 6
    if kind == BALL:
        return 3
    return 1


@wp.kernel
def _dof_forces(size: Size, jnt: Joint, maps: Maps, state: State, qfrc: wp.array2d(dtype=float), result: wp.array(dtype=float)):
    """Forces on dofs of Newton's."""
    w, lane = wp.tid()
    for j in range(lane, size.njnt, lanes()):
        force = wp.spatial_vector()
        for k in range(_width(jnt.type[j])):
            force[k] = qfrc[w, jnt.dofadr[j] + k]
        _write_joint(jnt, maps, state, w, j, force, result)


@wp.kernel
def _friction_forces(size: Size, jnt: Joint, maps: Maps, state: State, efc: Efc, status: Status, result: wp.array(dtype=float)):
    """What friction loss does on dofs of Newton's, from its rows, which follow those of equalities."""
    w, lane = wp.tid()
    begin = status.ne[w]
    end = begin + status.nf[w]
    for j in range(lane, size.njnt, lanes()):
        force = wp.spatial_vector()
        for r in range(begin, end):
            k = efc.id[w, r] - jnt.dofadr[j]
            if efc.type[w, r] == FRICTION_DOF and k >= 0 and k < _width(jnt.type[j]):
                force[k] = efc.force[w, r]
        _write_joint(jnt, maps, state, w, j, force, result)


def write_outputs(m: Any, d: Any, maps: Maps, outputs: list[tuple[str, wp.array]]) -> None:
    """Fill arrays by kind, between the forces of a step and its integration.

    Args:
        m: Model.
        d: Data, perhaps of a part of the worlds.
        maps: Index maps of these worlds.
        outputs: ``body_qdd``, ``body_parent_f``, ``qfrc_frictionloss`` or the name of a force on dofs of Data, and the array of all
            worlds.
    """
    if any(kind in ("body_qdd", "body_parent_f") for kind, _ in outputs):
        rne_postconstraint(m, d)
    for kind, array in outputs:
        if kind == "body_qdd":
            launch(_body_qdd, d, [m.size, m.opt, m.body, maps, d.kin, d.com, d.vel, array])
        elif kind == "body_parent_f":
            launch(_body_parent_f, d, [m.size, m.body, maps, d.kin, d.com, d.sense, array])
        elif kind == "qfrc_frictionloss":
            launch(_friction_forces, d, [m.size, m.jnt, maps, d.state, d.efc, d.status, array])
        else:
            launch(_dof_forces, d, [m.size, m.jnt, maps, d.state, getattr(d, kind), array])
