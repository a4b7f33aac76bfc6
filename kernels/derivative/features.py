"""What a geom is near a contact: a point, a line or a plane, with a radius around it, told by where the contact's normal leaves it.

The centre of a sphere, the axis of a capsule or one of its ends, a face, an edge or a corner of a box or a hull, the cap or the side of a cylinder. A
point of one geom on a face of another may be where borders meet: it then slides on its geom as it stays on them.
"""

import warp as wp

from newtonish.kernels.constants import BOX, CAPSULE, CYLINDER, ELLIPSOID, MESH, SPHERE
from newtonish.kernels.derivative.algebra import real, wide
from newtonish.kernels.math.world import per_world
from newtonish.kernels.structs.data import Kinematics
from newtonish.kernels.structs.model import Geom, Hull

PLANE_GEOM = wp.constant(0)
UNKNOWN = wp.constant(0)
POINT = wp.constant(1)
LINE = wp.constant(2)
PLANE = wp.constant(3)
ROUND = wp.constant(4)  # lowest point of an ellipsoid
RIM = wp.constant(5)  # lowest points of a cylinder
ALIGNED = wp.constant(wp.float64(1.0e-4))  # sine below which a normal belongs to a face or an edge
NEAR = wp.constant(wp.float64(1.0e-5))  # of a size: distance below which a point lies on a border


@wp.struct
class Feature:
    """What a geom is near its contact point, all in the world."""

    kind: int
    at: wp.vec3d  # the closest point of the feature
    axis: wp.vec3d  # of a line, or of what a cylinder turns about
    radius: wp.float64
    aligned: wp.float64  # of a plane: squared sine between its normal and the contact's
    slide: int  # how a point slides on its geom as it stays on the border of a face: 0 not, 1 along the axis, 2 across it
    side1: wp.vec3d  # normals of the borders
    side2: wp.vec3d


@wp.func
def wide_matrix(m: wp.mat33) -> wp.mat33d:
    result = wp.mat33d()
    for i in range(3):
        for j in range(3):
            result[i, j] = real(m[i, j])
    return result


@wp.func
def column_of(m: wp.mat33d, j: int) -> wp.vec3d:
    return wp.vec3d(m[0, j], m[1, j], m[2, j])


@wp.func
def _box_feature(found: Feature, local: wp.vec3d, mat: wp.mat33d) -> Feature:
    """Face, edge or corner of a box, by which of its axes the normal has a part along."""
    number = wp.int32(0)
    free = wp.int32(0)
    for k in range(3):
        if wp.abs(local[k]) > ALIGNED:
            number += 1
        else:
            free = k
    found.kind = POINT
    if number == 1:
        found.kind = PLANE
        for k in range(3):
            if wp.abs(local[k]) <= ALIGNED:
                found.aligned = found.aligned + local[k] * local[k]
    elif number == 2:
        found.kind = LINE
        found.axis = column_of(mat, free)
    return found


@wp.func
def _hull_feature(hull: Hull, found: Feature, mesh: int, at: wp.vec3d, local: wp.vec3d, mat: wp.mat33d) -> Feature:
    """Vertex, edge or face of a hull that is farthest along the normal; ``at``: the contact's point, in its frame."""
    begin = hull.vertadr[mesh]
    end = begin + hull.vertnum[mesh]
    farthest = wp.dot(wide(hull.vert[begin]), local)
    for v in range(begin + 1, end):
        farthest = wp.max(farthest, wp.dot(wide(hull.vert[v]), local))
    reach = farthest - ALIGNED * real(wp.length(hull.half[mesh]))
    number = wp.int32(0)
    first = wp.vec3d()
    for v in range(begin, end):
        vertex = wide(hull.vert[v])
        if wp.dot(vertex, local) > reach:
            if number == 0:
                first = vertex
            elif number == 1:
                found.axis = mat * wp.normalize(vertex - first)
            number += 1
    found.kind = wp.where(number > 2, PLANE, wp.where(number == 2, LINE, POINT))
    # of an area that two faces share, a corner may be another one: where borders meet
    away = at - first
    if number == 2:
        along = wp.transpose(mat) * found.axis
        away = away - wp.dot(away, along) * along
    if number <= 2 and wp.length(away) > ALIGNED * real(wp.length(hull.half[mesh])):
        found.kind = UNKNOWN
    return found


@wp.func
def feature_at(geom: Geom, hull: Hull, kin: Kinematics, w: int, g: int, surface: wp.vec3d, outward: wp.vec3d, on_plane: bool) -> Feature:
    """Feature of geom ``g`` at a point of its surface where the contact's normal leaves it along ``outward``."""
    kind = geom.type[g]
    size = wide(geom.size[per_world(geom.size.shape[0], w), g])
    mat = wide_matrix(kin.geom_xmat[w, g])
    center = wide(kin.geom_xpos[w, g])
    local = wp.transpose(mat) * outward
    found = Feature()
    found.at = surface
    found.axis = column_of(mat, 2)
    if kind == PLANE_GEOM:
        found.kind = PLANE
        found.aligned = real(-1.0)  # comes first
    elif kind == SPHERE:
        found.kind = POINT
        found.radius = size[0]
    elif kind == CAPSULE:
        found.radius = size[0]
        along = wp.dot(surface - size[0] * outward - center, found.axis)
        found.kind = wp.where(on_plane or wp.abs(along) > size[1] - NEAR * (size[0] + size[1]), POINT, LINE)
    elif kind == BOX:
        found = _box_feature(found, local, mat)
        if on_plane:
            found.kind = POINT
    elif kind == CYLINDER:
        if on_plane:
            found.kind = RIM
        elif wp.abs(local[2]) < ALIGNED:
            found.kind = LINE
            found.radius = size[0]
        elif local[0] * local[0] + local[1] * local[1] < ALIGNED * ALIGNED:
            found.kind = PLANE
            found.aligned = local[0] * local[0] + local[1] * local[1]
    elif kind == ELLIPSOID and on_plane:
        found.kind = ROUND
    elif kind == MESH:
        if on_plane:
            found.kind = POINT
        else:
            found = _hull_feature(hull, found, geom.dataid[per_world(geom.dataid.shape[0], w), g], wp.transpose(mat) * (surface - center), local, mat)
    found.at = surface - found.radius * outward
    return found


@wp.func
def _borders(geom: Geom, kin: Kinematics, found: Feature, w: int, g: int, normal: wp.vec3d) -> Feature:
    """``found`` with the borders of the face of box ``g`` on which its point lies; ``slide`` is their number."""
    size = wide(geom.size[per_world(geom.size.shape[0], w), g])
    mat = wide_matrix(kin.geom_xmat[w, g])
    local = wp.transpose(mat) * (found.at - wide(kin.geom_xpos[w, g]))
    number = wp.int32(0)
    for k in range(3):
        across = column_of(mat, k)
        if wp.abs(wp.dot(across, normal)) < real(0.5) and wp.abs(wp.abs(local[k]) - size[k]) < NEAR * wp.length(size):
            if number == 0:
                found.side1 = across
            else:
                found.side2 = across
            number += 1
    found.slide = number
    return found


@wp.func
def on_face(geom: Geom, kin: Kinematics, found: Feature, w: int, g: int, face: int, normal: wp.vec3d) -> Feature:
    """The point of geom ``g`` on a face of geom ``face``: one of its own, or where an edge of it or its face meets the borders of the other face."""
    kind = geom.type[g]
    if kind == SPHERE or ((kind == CAPSULE or kind == MESH) and found.kind == POINT):
        return found
    found.kind = UNKNOWN
    if (geom.type[face] == BOX or kind == BOX) and (kind == BOX or kind == CAPSULE):
        size = wide(geom.size[per_world(geom.size.shape[0], w), g])
        mat = wide_matrix(kin.geom_xmat[w, g])
        local = wp.transpose(mat) * (found.at - wide(kin.geom_xpos[w, g]))
        number = wp.int32(2)
        if kind == BOX:
            number = 0
            inside = wp.int32(0)
            outside = wp.int32(0)
            for k in range(3):
                if wp.abs(wp.abs(local[k]) - size[k]) < NEAR * wp.length(size):
                    number += 1
                    outside = k
                else:
                    inside = k
            found.axis = column_of(mat, wp.where(number == 1, outside, inside))
        if geom.type[face] == BOX:
            found = _borders(geom, kin, found, w, face, normal)
        if number == 3:  # a corner
            found.kind = POINT
            found.slide = 0
        elif number == 2 and found.slide > 0:  # an edge
            if wp.abs(wp.dot(found.side1, found.axis)) < wp.abs(wp.dot(found.side2, found.axis)):
                found.side1 = found.side2
            if wp.abs(wp.dot(found.side1, found.axis)) > ALIGNED:
                found.kind = POINT
                found.slide = 1
        elif number == 1 and found.slide == 2:  # a face, above a corner of the other
            found.kind = POINT
    return found
