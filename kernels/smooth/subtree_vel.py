"""Velocity of the centre of mass, and angular momentum about it, of every subtree.

Momenta are summed from the leaves to the root: about a subtree's own centre of mass a part contributes its own angular
momentum and its linear momentum times the lever between the two centres. MuJoCo: mj_subtreeVel.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.constants import MINVAL
from newtonish.kernels.math.world import lanes, per_world, sync
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.structs.data import Com, Kinematics, Sense, Velocity
from newtonish.kernels.structs.model import Body, Size, Tree


@wp.func
def _momentum(tree: Tree, body: Body, kin: Kinematics, com: Com, vel: Velocity, sense: Sense, w: int, i: int):
    """Linear momentum and angular momentum of the subtree at body ``i``, once those of its children are known."""
    inertia = body.inertia[per_world(body.inertia.shape[0], w), i]
    mass = body.mass[per_world(body.mass.shape[0], w), i]
    motion = vel.cvel[w, i]
    omega = wp.spatial_top(motion)
    velocity = wp.spatial_bottom(motion) + wp.cross(omega, kin.xipos[w, i] - com.subtree_com[w, body.rootid[i]])
    axes = kin.ximat[w, i]
    linear = mass * velocity
    centre = com.subtree_com[w, i]
    angular = axes * wp.cw_mul(inertia, wp.transpose(axes) * omega) + wp.cross(kin.xipos[w, i] - centre, linear)
    for k in range(tree.child_adr[i], tree.child_adr[i + 1]):
        c = tree.child_bodyid[k]
        momentum = sense.subtree_linvel[w, c]
        linear += momentum
        angular += sense.subtree_angmom[w, c] + wp.cross(com.subtree_com[w, c] - centre, momentum)
    sense.subtree_linvel[w, i] = linear
    sense.subtree_angmom[w, i] = angular


@wp.func
def subtree_vel_world(size: Size, tree: Tree, body: Body, kin: Kinematics, com: Com, vel: Velocity, sense: Sense, w: int, lane: int):
    """Velocities and angular momenta of all subtrees of one world; returns with a barrier."""
    for back in range(size.nlevel):
        level = size.nlevel - 1 - back
        for k in range(tree.level_adr[level] + lane, tree.level_adr[level + 1], lanes()):
            _momentum(tree, body, kin, com, vel, sense, w, tree.level_bodyid[k])
        sync()
    mass_w = per_world(body.subtreemass.shape[0], w)
    for i in range(lane, size.nbody, lanes()):
        sense.subtree_linvel[w, i] = sense.subtree_linvel[w, i] / wp.max(MINVAL, body.subtreemass[mass_w, i])
    sync()


@wp.kernel
def _subtree_vel(size: Size, tree: Tree, body: Body, kin: Kinematics, com: Com, vel: Velocity, sense: Sense):
    w, lane = wp.tid()
    subtree_vel_world(size, tree, body, kin, com, vel, sense, w, lane)


def subtree_vel(m: Any, d: Any) -> None:
    """Velocity of each subtree's centre of mass, and its angular momentum about it.

    Reads   m.body, m.tree; d.kin.xipos, d.kin.ximat, d.com.subtree_com, d.vel.cvel
    Writes  d.subtree_linvel [m/s], d.subtree_angmom [N m s]
    MuJoCo  mj_subtreeVel.
    """
    launch(_subtree_vel, d, [m.size, m.tree, m.body, d.kin, d.com, d.vel, d.sense])
