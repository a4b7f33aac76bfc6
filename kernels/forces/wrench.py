"""From forces on bodies to generalized forces, by the tree: each body's wrench is added to its parent's.

A wrench is (torque, force) in the com-based frame of the tree, so that its product with a dof's motion axis is the
generalized force of that dof. One pass over the bodies serves all of them, where a Jacobian for each would cost the
product of depth and bodies. Method: Featherstone 2008, ch. 2.
"""

import warp as wp

from newtonish.kernels.math.world import lanes, sync
from newtonish.kernels.structs.data import Com
from newtonish.kernels.structs.model import Dof, Size, Tree


@wp.func
def wrench_at(force: wp.vec3, torque: wp.vec3, offset: wp.vec3) -> wp.spatial_vector:
    """Wrench of a force that acts at ``offset`` from the frame's origin, and of a torque."""
    return wp.spatial_vector(torque + wp.cross(offset, force), force)


@wp.func
def accumulate_wrench_world(size: Size, tree: Tree, wrench: wp.array2d(dtype=wp.spatial_vector), w: int, lane: int):
    """Add the wrenches of all descendants to each body but the world."""
    for back in range(1, size.nlevel - 1):
        level = size.nlevel - 1 - back
        for k in range(tree.level_adr[level] + lane, tree.level_adr[level + 1], lanes()):
            i = tree.level_bodyid[k]
            total = wrench[w, i]
            for c in range(tree.child_adr[i], tree.child_adr[i + 1]):
                total += wrench[w, tree.child_bodyid[c]]
            wrench[w, i] = total
        sync()


@wp.func
def wrench_on_dof(dof: Dof, com: Com, wrench: wp.array2d(dtype=wp.spatial_vector), w: int, i: int) -> float:
    """Generalized force of accumulated wrenches on dof ``i``."""
    return wp.dot(com.cdof[w, i], wrench[w, dof.bodyid[i]])
