"""Composite rigid body inertias and the joint-space mass matrix.

The inertia of everything that a dof carries, times the dof's axis, is the force that accelerates it; its product with
the axes of the dof's ancestors fills one sparse row of M. Method: Featherstone 2008, ch. 6.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.math.spatial import inertia_mul
from newtonish.kernels.math.world import assume_nonnegative, lanes, per_world, sync
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.structs.data import Com, Mass
from newtonish.kernels.structs.model import Dof, Size, Tree


@wp.func
def crb_world(size: Size, tree: Tree, dof: Dof, com: Com, mass: Mass, w: int, lane: int):
    """Composite inertias and mass matrix of one world."""
    if lane == 0:
        mass.crb[w, 0] = com.cinert[w, 0]  # trees are not added to the world
    for back in range(size.nlevel - 1):
        level = size.nlevel - 1 - back
        for k in range(assume_nonnegative(tree.level_adr[level]) + lane, tree.level_adr[level + 1], lanes()):
            i = assume_nonnegative(tree.level_bodyid[k])
            composite = com.cinert[w, i]
            for c in range(assume_nonnegative(tree.child_adr[i]), tree.child_adr[i + 1]):
                composite += mass.crb[w, assume_nonnegative(tree.child_bodyid[c])]
            mass.crb[w, i] = composite
        sync()
    armature_w = per_world(dof.armature.shape[0], w)
    for i in range(lane, size.nv, lanes()):
        axis = com.cdof[w, i]
        force = inertia_mul(mass.crb[w, assume_nonnegative(dof.bodyid[i])], axis)
        adr = assume_nonnegative(dof.M_rowadr[i])
        diagonal = adr + dof.M_rownnz[i] - 1
        for k in range(adr, diagonal):
            mass.M[w, k] = wp.dot(com.cdof[w, assume_nonnegative(dof.M_colind[k])], force)
        mass.M[w, diagonal] = wp.dot(axis, force) + dof.armature[armature_w, i]
    sync()


@wp.kernel
def _crb(size: Size, tree: Tree, dof: Dof, com: Com, mass: Mass):
    w, lane = wp.tid()
    crb_world(size, tree, dof, com, mass, w, lane)


def crb(m: Any, d: Any) -> None:
    """Composite inertia of each body and joint-space mass matrix in sparse rows.

    Reads   m.dof, m.tree; d.com (after com_pos)
    Writes  d.mass.crb, d.mass.M [kg, kg m, kg m^2]
    MuJoCo  mj_crb, mj_makeM.
    """
    launch(_crb, d, [m.size, m.tree, m.dof, d.com, d.mass])
