"""Recursive Newton-Euler algorithm: the generalized force that produces given joint accelerations.

With zero accelerations this is the bias force: Coriolis, centrifugal and gravitational. Gravity enters as an upward
acceleration of the world. Method: Featherstone 2008, ch. 5.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.enums import DisableBit
from newtonish.kernels.math.spatial import cross_force, inertia_mul
from newtonish.kernels.math.world import assume_nonnegative, lanes, per_world, sync
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.structs.data import Com, Force, Solve, State, Velocity
from newtonish.kernels.structs.model import Body, Dof, Option, Size, Tree


@wp.func
def _accelerate(
    body: Body,
    state: State,
    com: Com,
    vel: Velocity,
    qacc: wp.array2d(dtype=float),
    with_qacc: int,
    w: int,
    i: int,
):
    """Acceleration of body ``i``, once the parent's is known."""
    acceleration = vel.cacc[w, assume_nonnegative(body.parentid[i])]
    adr = body.dofadr[i]
    for at in range(adr, adr + body.dofnum[i]):
        j = assume_nonnegative(at)  # a body without dofs has an address of -1
        acceleration += vel.cdof_dot[w, j] * state.qvel[w, j]
        if with_qacc != 0:
            acceleration += com.cdof[w, j] * qacc[w, j]
    vel.cacc[w, i] = acceleration


@wp.func
def needed_force(com: Com, vel: Velocity, w: int, i: int) -> wp.spatial_vector:
    """The force that gives body ``i`` alone its acceleration."""
    inertia = com.cinert[w, i]
    velocity = vel.cvel[w, i]
    return inertia_mul(inertia, vel.cacc[w, i]) + cross_force(velocity, inertia_mul(inertia, velocity))


@wp.func
def rne_accelerated_world(
    size: Size, opt: Option, tree: Tree, body: Body, dof: Dof, state: State, com: Com, vel: Velocity, frc: Force,
    qacc: wp.array2d(dtype=float), with_qacc: int, w: int, lane: int,
):  # fmt: skip
    """Inverse dynamics of one world with accelerations ``qacc`` (``with_qacc`` = 1), without armature."""
    if lane == 0:
        upward = wp.vec3()
        if (opt.disableflags & DisableBit.GRAVITY) == 0:
            upward = -opt.gravity[per_world(opt.gravity.shape[0], w)]
        vel.cacc[w, 0] = wp.spatial_vector(wp.vec3(), upward)
        vel.cfrc[w, 0] = wp.spatial_vector()
    sync()
    for level in range(1, size.nlevel):
        for k in range(assume_nonnegative(tree.level_adr[level]) + lane, tree.level_adr[level + 1], lanes()):
            i = assume_nonnegative(tree.level_bodyid[k])
            _accelerate(body, state, com, vel, qacc, with_qacc, w, i)
            if lanes() == 1:
                vel.cfrc[w, i] = needed_force(com, vel, w, i)
        sync()
    # levels have few bodies: what no child waits for is left to all lanes
    if lanes() > 1:
        for i in range(lane + 1, size.nbody, lanes()):
            vel.cfrc[w, i] = needed_force(com, vel, w, i)
        sync()
    # leaves have nothing to gather
    for back in range(1, size.nlevel - 1):
        level = size.nlevel - 1 - back
        for k in range(assume_nonnegative(tree.level_adr[level]) + lane, tree.level_adr[level + 1], lanes()):
            i = assume_nonnegative(tree.level_bodyid[k])
            force = vel.cfrc[w, i]
            for c in range(assume_nonnegative(tree.child_adr[i]), tree.child_adr[i + 1]):
                force += vel.cfrc[w, assume_nonnegative(tree.child_bodyid[c])]
            vel.cfrc[w, i] = force
        sync()
    for i in range(lane, size.nv, lanes()):
        frc.qfrc_bias[w, i] = wp.dot(com.cdof[w, i], vel.cfrc[w, assume_nonnegative(dof.bodyid[i])])
    sync()


@wp.func
def rne_world(
    size: Size, opt: Option, tree: Tree, body: Body, dof: Dof, state: State, com: Com, vel: Velocity, frc: Force,
    w: int, lane: int,
):  # fmt: skip
    """Bias force of one world."""
    rne_accelerated_world(size, opt, tree, body, dof, state, com, vel, frc, state.qvel, 0, w, lane)


@wp.kernel
def _rne(
    size: Size, opt: Option, tree: Tree, body: Body, dof: Dof, state: State, com: Com, vel: Velocity, frc: Force,
    sol: Solve, with_qacc: int,
):  # fmt: skip
    w, lane = wp.tid()
    rne_accelerated_world(size, opt, tree, body, dof, state, com, vel, frc, sol.qacc, with_qacc, w, lane)


def rne(m: Any, d: Any, flg_acc: bool = False) -> None:
    """Bias force; with ``flg_acc`` the force that produces ``d.qacc``, without the share of the armature.

    Reads   m.opt (gravity), m.body, m.dof, m.tree; d.state.qvel, d.com, d.vel.cvel, d.vel.cdof_dot; d.sol.qacc (flg_acc)
    Writes  d.frc.qfrc_bias [N, N m], d.vel.cacc, d.vel.cfrc
    MuJoCo  mj_rne.
    """
    inputs = [m.size, m.opt, m.tree, m.body, m.dof, d.state, d.com, d.vel, d.frc, d.sol, int(flg_acc)]
    launch(_rne, d, inputs)
