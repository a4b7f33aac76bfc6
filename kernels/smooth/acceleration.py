"""Accelerations of bodies with those of the joints, gravity's share included."""

import warp as wp

from newtonish.common.enums import DisableBit
from newtonish.kernels.math.world import assume_nonnegative, lanes, per_world, sync
from newtonish.kernels.structs.data import Com, Solve, State, Velocity
from newtonish.kernels.structs.model import Body, Option, Size, Tree


@wp.func
def world_acceleration(opt: Option, w: int) -> wp.spatial_vector:
    """Acceleration of a world that falls upwards, which stands for gravity."""
    upward = wp.vec3()
    if (opt.disableflags & DisableBit.GRAVITY) == 0:
        upward = -opt.gravity[per_world(opt.gravity.shape[0], w)]
    return wp.spatial_vector(wp.vec3(), upward)


@wp.func
def body_acceleration(body: Body, state: State, com: Com, vel: Velocity, sol: Solve, w: int, i: int) -> wp.spatial_vector:
    """Acceleration of body ``i`` from its parent's and its joints'."""
    acceleration = vel.cacc[w, assume_nonnegative(body.parentid[i])]
    adr = body.dofadr[i]
    for j in range(adr, adr + body.dofnum[i]):
        acceleration += vel.cdof_dot[w, j] * state.qvel[w, j] + com.cdof[w, j] * sol.qacc[w, j]
    return acceleration


@wp.func
def body_accelerations_world(size: Size, opt: Option, tree: Tree, body: Body, state: State, com: Com, vel: Velocity, sol: Solve, w: int, lane: int):
    """Fill ``vel.cacc`` of one world; returns with a barrier."""
    if lane == 0:
        vel.cacc[w, 0] = world_acceleration(opt, w)
    sync()
    for level in range(1, size.nlevel):
        for k in range(tree.level_adr[level] + lane, tree.level_adr[level + 1], lanes()):
            i = assume_nonnegative(tree.level_bodyid[k])
            vel.cacc[w, i] = body_acceleration(body, state, com, vel, sol, w, i)
        sync()
