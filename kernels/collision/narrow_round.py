"""The narrowphase of planes, spheres and capsules alone: what most robots and humanoids are modelled with.

The functions are those of ``newtonish.kernels.collision.narrow``, so the contacts are the same to the bit.
"""

import warp as wp

from newtonish.kernels.collision.manifold import Manifold
from newtonish.kernels.collision.plane import plane_capsule, plane_sphere
from newtonish.kernels.collision.sphere_capsule import capsule_capsule, sphere_capsule, sphere_sphere
from newtonish.kernels.constants import CAPSULE, PLANE, SPHERE
from newtonish.kernels.math.world import per_world
from newtonish.kernels.structs.data import Kinematics
from newtonish.kernels.structs.model import Geom


@wp.func
def _z_axis(mat: wp.mat33) -> wp.vec3:
    return wp.vec3(mat[0, 2], mat[1, 2], mat[2, 2])


@wp.func
def round_narrowphase(geom: Geom, kin: Kinematics, w: int, g1: int, g2: int, reach: float) -> Manifold:
    """Contact points of two geoms, the one of the lower type first; see ``narrow.narrowphase``."""
    type1 = geom.type[g1]
    type2 = geom.type[g2]
    pos1 = kin.geom_xpos[w, g1]
    pos2 = kin.geom_xpos[w, g2]
    axis1 = _z_axis(kin.geom_xmat[w, g1])
    axis2 = _z_axis(kin.geom_xmat[w, g2])
    size_w = per_world(geom.size.shape[0], w)
    size1 = geom.size[size_w, g1]
    size2 = geom.size[size_w, g2]
    if type1 == PLANE and type2 == SPHERE:
        return plane_sphere(pos1, axis1, pos2, size2[0], reach)
    if type1 == PLANE and type2 == CAPSULE:
        return plane_capsule(pos1, axis1, pos2, axis2, size2[0], size2[1], reach)
    if type1 == SPHERE and type2 == SPHERE:
        return sphere_sphere(pos1, size1[0], axis1, pos2, size2[0], axis2, reach)
    if type1 == SPHERE and type2 == CAPSULE:
        return sphere_capsule(pos1, size1[0], axis1, pos2, axis2, size2[0], size2[1], reach)
    if type1 == CAPSULE and type2 == CAPSULE:
        return capsule_capsule(pos1, axis1, size1[0], size1[1], pos2, axis2, size2[0], size2[1], reach)
    return Manifold()
