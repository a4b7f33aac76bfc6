"""Velocities of bodies and rates of change of the motion axes, in the com-based frame of each tree.

Method: Featherstone 2008, ch. 5; MuJoCo documentation, chapter Computation. The dofs of a body act one after the other,
each carried along by those before; the three rotations of a ball or free joint act at once.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.enums import JointType
from newtonish.kernels.math.spatial import cross_motion
from newtonish.kernels.math.world import assume_nonnegative, lanes, sync
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.structs.data import Com, State, Velocity
from newtonish.kernels.structs.model import Body, Joint, Size, Tree


@wp.func
def _body_velocity(body: Body, jnt: Joint, state: State, com: Com, vel: Velocity, w: int, i: int):
    """Velocity of body ``i`` and the rates of its axes, once its parent's velocity is known."""
    velocity = vel.cvel[w, assume_nonnegative(body.parentid[i])]
    adr = body.jntadr[i]
    for j in range(adr, adr + body.jntnum[i]):
        dof = assume_nonnegative(jnt.dofadr[assume_nonnegative(j)])
        kind = jnt.type[assume_nonnegative(j)]
        if kind == JointType.FREE:
            for k in range(3):
                velocity += com.cdof[w, dof + k] * state.qvel[w, dof + k]
                vel.cdof_dot[w, dof + k] = wp.spatial_vector()
            dof = dof + 3
        if kind == JointType.FREE or kind == JointType.BALL:
            x = com.cdof[w, dof]
            y = com.cdof[w, dof + 1]
            z = com.cdof[w, dof + 2]
            vel.cdof_dot[w, dof] = cross_motion(velocity, x)
            vel.cdof_dot[w, dof + 1] = cross_motion(velocity, y)
            vel.cdof_dot[w, dof + 2] = cross_motion(velocity, z)
            velocity += x * state.qvel[w, dof] + y * state.qvel[w, dof + 1] + z * state.qvel[w, dof + 2]
        else:
            axis = com.cdof[w, dof]
            vel.cdof_dot[w, dof] = cross_motion(velocity, axis)
            velocity += axis * state.qvel[w, dof]
    vel.cvel[w, i] = velocity


@wp.func
def com_vel_world(size: Size, tree: Tree, body: Body, jnt: Joint, state: State, com: Com, vel: Velocity, w: int, lane: int):
    """Body velocities and axis rates of one world."""
    if lane == 0:
        vel.cvel[w, 0] = wp.spatial_vector()
    sync()
    for level in range(1, size.nlevel):
        for k in range(assume_nonnegative(tree.level_adr[level]) + lane, tree.level_adr[level + 1], lanes()):
            _body_velocity(body, jnt, state, com, vel, w, assume_nonnegative(tree.level_bodyid[k]))
        sync()


@wp.kernel
def _com_vel(size: Size, tree: Tree, body: Body, jnt: Joint, state: State, com: Com, vel: Velocity):
    w, lane = wp.tid()
    com_vel_world(size, tree, body, jnt, state, com, vel, w, lane)


def com_vel(m: Any, d: Any) -> None:
    """Velocity of each body and time derivative of each motion axis (rotation first, com-based frame).

    Reads   m.body, m.jnt, m.tree; d.state.qvel, d.com.cdof
    Writes  d.vel.cvel, d.vel.cdof_dot
    MuJoCo  mj_comVel.
    """
    launch(_com_vel, d, [m.size, m.tree, m.body, m.jnt, d.state, d.com, d.vel])
