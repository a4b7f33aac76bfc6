"""How far geoms move within the step, by their velocities at its start.

A geom of a pair is fast if a point of it may move at least as far as the smallest half extent of the two: one could pass through the other. A sphere's
rotation moves none of its points elsewhere.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.constants import SPHERE
from newtonish.kernels.math.world import lanes, per_world
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.structs.data import Com, Kinematics, State
from newtonish.kernels.structs.model import Body, Geom, Option, Size, Tree
from newtonish.kernels.structs.speculative import Ahead, Thickness


@wp.func
def _velocity(tree: Tree, body: Body, state: State, kin: Kinematics, com: Com, w: int, b: int, point: wp.vec3) -> wp.spatial_vector:
    """Angular and linear velocity of body ``b`` at ``point``, world frame."""
    angular = wp.vec3()
    linear = wp.vec3()
    for k in range(tree.chain_adr[b], tree.chain_adr[b + 1]):
        i = tree.chain_dofid[k]
        axis = com.cdof[w, i]
        speed = state.qvel[w, i]
        angular += speed * wp.spatial_top(axis)
        linear += speed * wp.spatial_bottom(axis)
    linear += wp.cross(angular, point - com.subtree_com[w, body.rootid[b]])
    return wp.spatial_vector(angular, linear)


@wp.func
def is_fast(thickness: Thickness, ahead: Ahead, w: int, g: int, other: int) -> bool:
    """Whether geom ``g`` is fast in its pair with ``other``."""
    nth = per_world(thickness.least.shape[0], w)
    return ahead.travel[w, g] >= wp.min(thickness.least[nth, g], thickness.least[nth, other])


@wp.kernel
def travel_kernel(size: Size, opt: Option, tree: Tree, body: Body, geom: Geom, state: State, kin: Kinematics, com: Com, ahead: Ahead):
    """Motion of every geom within the step."""
    w, lane = wp.tid()
    timestep = opt.timestep[per_world(opt.timestep.shape[0], w)]
    for g in range(lane, size.ngeom, lanes()):
        velocity = _velocity(tree, body, state, kin, com, w, geom.bodyid[g], kin.geom_xpos[w, g])
        turn = wp.where(geom.type[g] == SPHERE, wp.vec3(), timestep * wp.spatial_top(velocity))
        shift = timestep * wp.spatial_bottom(velocity)
        reach = wp.length(shift) + wp.length(turn) * geom.rbound[per_world(geom.rbound.shape[0], w), g]
        ahead.turn[w, g] = turn
        ahead.shift[w, g] = shift
        ahead.travel[w, g] = reach
        ahead.gap[w, g] = geom.gap[per_world(geom.gap.shape[0], w), g] + reach


def travel(m: Any, d: Any) -> None:
    """Reads m.geom, d.state.qvel, d.kin, d.com. Writes d.ahead: shift, turn, travel, gap."""
    launch(travel_kernel, d, [m.size, m.opt, m.tree, m.body, m.geom, d.state, d.kin, d.com, d.ahead])
