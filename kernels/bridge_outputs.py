"""What a step found out beside the new state, in Newton's conventions: accelerations and joint forces of bodies, forces on dofs.

Bodies' accelerations and forces are at the centre of mass in world axes, linear part first. Forces on dofs do the same work as
MuJoCo's; those of a free joint are a (force at the centre of mass, torque) in world axes, as ``joint_f`` is.
"""

from typing import Any

import warp as wp

from newtonish.kernels.bridge_frames import BALL, FREE, Maps, to_xyzw, unit
from newtonish.kernels.launch import launch
from newtonish.kernels.math.world import per_world
from newtonish.kernels.smooth.rne_postconstraint import rne_postconstraint
from newtonish.kernels.structs.data import Com, Kinematics, Sense, State, Velocity
from newtonish.kernels.structs.model import Body, Joint, Option, Size


@wp.kernel
def _body_qdd(
    size: Size, opt: Option, body: Body, maps: Maps, kin: Kinematics, com: Com, vel: Velocity,
    result: wp.array(dtype=wp.spatial_vector),
):  # fmt: skip
    """Accelerations of the centres of mass; MuJoCo's spatial ones count from free fall and turn about the tree's centre."""
    w, lane = wp.tid()
    for b in range(1 + lane, size.nbody, wp.block_dim()):
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
def _body_parent_f(
    size: Size, body: Body, maps: Maps, kin: Kinematics, com: Com, sense: Sense, result: wp.array(dtype=wp.spatial_vector)
):
    """Wrenches that bodies get through the joints above them."""
    w, lane = wp.tid()
    for b in range(1 + lane, size.nbody, wp.block_dim()):
        at = maps.body[w, b]
        if at >= 0:
            arm = kin.xipos[w, b] - com.subtree_com[w, body.rootid[b]]
            force = wp.spatial_bottom(sense.cfrc_int[w, b])
            result[at] = wp.spatial_vector(force, wp.spatial_top(sense.cfrc_int[w, b]) - wp.cross(arm, force))


@wp.kernel
def _dof_forces(
    size: Size, jnt: Joint, maps: Maps, state: State, qfrc: wp.array2d(dtype=float), result: wp.array(dtype=float)
):
    """Forces on dofs of Newton's."""
    w, lane = wp.tid()
    for j in range(lane, size.njnt, wp.block_dim()):
        qa = jnt.qposadr[j]
        va = jnt.dofadr[j]
        v = maps.dof[w, va]
        kind = jnt.type[j]
        if kind == FREE:
            R = unit(to_xyzw(wp.vec4(state.qpos[w, qa + 3], state.qpos[w, qa + 4], state.qpos[w, qa + 5], state.qpos[w, qa + 6])))
            force = wp.vec3(qfrc[w, va], qfrc[w, va + 1], qfrc[w, va + 2])
            torque = wp.quat_rotate(R, wp.vec3(qfrc[w, va + 3], qfrc[w, va + 4], qfrc[w, va + 5]))
            torque -= wp.cross(wp.quat_rotate(R, maps.com[maps.body[w, jnt.bodyid[j]]]), force)
            for k in range(3):
                result[v + k] = force[k]
                result[v + 3 + k] = torque[k]
        elif kind == BALL:
            R4 = wp.vec4(state.qpos[w, qa], state.qpos[w, qa + 1], state.qpos[w, qa + 2], state.qpos[w, qa + 3])
            R_c = wp.transform_get_rotation(maps.X_c[maps.joint[w, j]])
            torque = wp.quat_rotate(wp.quat_inverse(R_c) * unit(to_xyzw(R4)), wp.vec3(qfrc[w, va], qfrc[w, va + 1], qfrc[w, va + 2]))
            for k in range(3):
                result[v + k] = torque[k]
        else:
            result[v] = qfrc[w, va]


def write_outputs(m: Any, d: Any, maps: Maps, outputs: list[tuple[str, wp.array]]) -> None:
    """Fill arrays by kind, between the forces of a step and its integration.

    Args:
        m: Model.
        d: Data, perhaps of a part of the worlds.
        maps: Index maps of these worlds.
        outputs: ``body_qdd``, ``body_parent_f`` or the name of a force on dofs of Data, and the array of all worlds.
    """
    if any(kind in ("body_qdd", "body_parent_f") for kind, _ in outputs):
        rne_postconstraint(m, d)
    for kind, array in outputs:
        if kind == "body_qdd":
            launch(_body_qdd, d, [m.size, m.opt, m.body, maps, d.kin, d.com, d.vel, array])
        elif kind == "body_parent_f":
            launch(_body_parent_f, d, [m.size, m.body, maps, d.kin, d.com, d.sense, array])
        else:
            launch(_dof_forces, d, [m.size, m.jnt, maps, d.state, getattr(d, kind), array])
