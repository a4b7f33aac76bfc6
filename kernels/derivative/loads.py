"""Forces on bodies that do not change as these move, and their derivatives: applied forces and compensated weight."""

import warp as wp

from newtonish.common.enums import DisableBit
from newtonish.kernels.derivative.algebra import at_point, carried_force, join, real, vec6d, wide, wide6
from newtonish.kernels.derivative.motion import act_on_body
from newtonish.kernels.derivative.touch import last_dof, moves
from newtonish.kernels.derivative.workspace import Linear, LinearMotion
from newtonish.kernels.math.world import assume_nonnegative, lanes, per_world
from newtonish.kernels.structs.data import Com, Kinematics, State
from newtonish.kernels.structs.model import Body, Dof, Option, Size, Tree


@wp.func
def compensated_weight(opt: Option, body: Body, w: int, b: int) -> wp.vec3d:
    """Force that carries the compensated share of the weight of body ``b``."""
    force = wp.vec3d()
    passive = (opt.disableflags & (DisableBit.SPRING | DisableBit.DAMPER)) != (DisableBit.SPRING | DisableBit.DAMPER)
    if (opt.disableflags & DisableBit.GRAVITY) == 0 and passive:
        share = real(body.gravcomp[per_world(body.gravcomp.shape[0], w), b]) * real(body.mass[per_world(body.mass.shape[0], w), b])
        if share != real(0.0):
            force = -share * wide(opt.gravity[per_world(opt.gravity.shape[0], w)])
    return force


@wp.func
def load_of(opt: Option, body: Body, state: State, kin: Kinematics, w: int, b: int) -> vec6d:
    """Force and torque on body ``b`` at its centre of mass that do not change as it moves: applied, and compensated weight."""
    return wide6(state.xfrc_applied[w, b]) + join(compensated_weight(opt, body, w, b), wp.vec3d())


@wp.func
def applied_loads(size: Size, opt: Option, body: Body, state: State, kin: Kinematics, com: Com, motion: LinearMotion, w: int):
    """Let applied forces and compensated weight act on bodies; one lane calls it."""
    for b in range(1, size.nbody):
        load = load_of(opt, body, state, kin, w, b)
        act_on_body(body, com, motion, wp.vec3d(load[0], load[1], load[2]), wp.vec3d(load[3], load[4], load[5]), wide(kin.xipos[w, b]), w, b)


@wp.func
def applied_columns_world(
    size: Size, opt: Option, tree: Tree, body: Body, dof: Dof, state: State, kin: Kinematics, com: Com, linear: Linear, w: int, lane: int,
):  # fmt: skip
    """Forces that keep their direction while bodies move, into Gq."""
    for b in range(1, size.nbody):
        load = load_of(opt, body, state, kin, w, b)
        if wp.dot(load, load) != real(0.0):
            force = wp.vec3d(load[0], load[1], load[2])
            arm = wide(kin.xipos[w, b]) - wide(com.subtree_com[w, body.rootid[b]])
            whole = join(wp.vec3d(load[3], load[4], load[5]) + wp.cross(arm, force), force)
            for k in range(lane, size.nv, lanes()):
                if moves(dof, k, last_dof(tree, b)):
                    axis = wide6(com.cdof[w, k])
                    along = carried_force(axis, whole) - join(wp.cross(at_point(axis, arm), force), wp.vec3d())
                    for at in range(tree.chain_adr[b], tree.chain_adr[b + 1]):
                        j = assume_nonnegative(tree.chain_dofid[at])
                        linear.Gq[w, j, k] = linear.Gq[w, j, k] + wp.dot(wide6(com.cdof[w, j]), along)
