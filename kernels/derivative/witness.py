"""How a contact's distance, point and frame move with the two bodies.

Near its contact point a geom is a point, a line or a plane, with a radius around it: the centre of a sphere, the axis of a capsule or one of its ends, a
face, an edge or a corner of a box or a hull. Closest points of two such features move in closed form: they stay on their features, and the line
between them stays orthogonal to lines. A plane gives the normal alone. The lowest point of an ellipsoid or of the rim of a cylinder above a plane
moves in its geom; that of a box or a mesh is a corner. Method: closest points as in Ericson, Real-Time Collision Detection, ch. 5, differentiated.
"""

import warp as wp

from newtonish.kernels.constants import BOX, CAPSULE, CYLINDER, ELLIPSOID, MESH, SPHERE
from newtonish.kernels.derivative.algebra import real, wide
from newtonish.kernels.math.world import per_world
from newtonish.kernels.structs.data import Contact, Kinematics
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
PARALLEL = wp.constant(wp.float64(1.0e-8))


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


@wp.struct
class Witness:
    """A contact as its features have it."""

    one: Feature
    two: Feature
    normal: wp.vec3d
    tangent1: wp.vec3d
    tangent2: wp.vec3d
    pos: wp.vec3d
    dist: wp.float64
    wanted: wp.vec3d  # direction of which the first tangent is the part across the normal
    follows: int  # 1: it turns along with the second geom
    mat: wp.mat33d  # orientation of the second geom
    size: wp.vec3d
    center: wp.vec3d  # of the second geom


@wp.struct
class Displacement:
    """Changes of distance, point, normal and first tangent."""

    dist: wp.float64
    pos: wp.vec3d
    turn: wp.vec3d  # rotation of the frame


@wp.func
def _matrix(m: wp.mat33) -> wp.mat33d:
    result = wp.mat33d()
    for i in range(3):
        for j in range(3):
            result[i, j] = real(m[i, j])
    return result


@wp.func
def _column(m: wp.mat33d, j: int) -> wp.vec3d:
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
        found.axis = _column(mat, free)
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
def _feature(geom: Geom, hull: Hull, kin: Kinematics, w: int, g: int, surface: wp.vec3d, outward: wp.vec3d, on_plane: bool) -> Feature:
    """Feature of geom ``g`` at a point of its surface where the contact's normal leaves it along ``outward``."""
    kind = geom.type[g]
    size = wide(geom.size[per_world(geom.size.shape[0], w), g])
    mat = _matrix(kin.geom_xmat[w, g])
    center = wide(kin.geom_xpos[w, g])
    local = wp.transpose(mat) * outward
    found = Feature()
    found.at = surface
    found.axis = _column(mat, 2)
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
    mat = _matrix(kin.geom_xmat[w, g])
    local = wp.transpose(mat) * (found.at - wide(kin.geom_xpos[w, g]))
    number = wp.int32(0)
    for k in range(3):
        across = _column(mat, k)
        if wp.abs(wp.dot(across, normal)) < real(0.5) and wp.abs(wp.abs(local[k]) - size[k]) < NEAR * wp.length(size):
            if number == 0:
                found.side1 = across
            else:
                found.side2 = across
            number += 1
    found.slide = number
    return found


@wp.func
def _on_face(geom: Geom, kin: Kinematics, found: Feature, w: int, g: int, face: int, normal: wp.vec3d) -> Feature:
    """The point of geom ``g`` on a face of geom ``face``: one of its own, or where an edge of it or its face meets the borders of the other face."""
    kind = geom.type[g]
    if kind == SPHERE or ((kind == CAPSULE or kind == MESH) and found.kind == POINT):
        return found
    found.kind = UNKNOWN
    if (geom.type[face] == BOX or kind == BOX) and (kind == BOX or kind == CAPSULE):
        size = wide(geom.size[per_world(geom.size.shape[0], w), g])
        mat = _matrix(kin.geom_xmat[w, g])
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
            found.axis = _column(mat, wp.where(number == 1, outside, inside))
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


@wp.func
def witness_of(geom: Geom, hull: Hull, kin: Kinematics, contact: Contact, w: int, c: int) -> Witness:
    """Features of contact ``c``; a kind of UNKNOWN where there is no closed form here."""
    frame = contact.frame[w, c]
    geoms = contact.geom[w, c]
    found = Witness()
    found.normal = wp.normalize(wp.vec3d(real(frame[0, 0]), real(frame[0, 1]), real(frame[0, 2])))
    found.tangent1 = wp.vec3d(real(frame[1, 0]), real(frame[1, 1]), real(frame[1, 2]))
    found.tangent1 = wp.normalize(found.tangent1 - wp.dot(found.tangent1, found.normal) * found.normal)
    found.tangent2 = wp.cross(found.normal, found.tangent1)
    found.pos = wide(contact.pos[w, c])
    found.dist = real(contact.dist[w, c])
    half = real(0.5) * found.dist * found.normal
    on_plane = geom.type[geoms[0]] == PLANE_GEOM
    found.one = _feature(geom, hull, kin, w, geoms[0], found.pos - half, found.normal, False)
    found.two = _feature(geom, hull, kin, w, geoms[1], found.pos + half, -found.normal, on_plane)
    # of two faces the contact has the normal of one, and the other ends somewhere on it
    if found.one.kind == PLANE and found.two.kind == PLANE:
        if found.two.aligned < found.one.aligned:
            found.one.kind = LINE
        else:
            found.two.kind = LINE
    if found.one.kind == PLANE and not on_plane:
        found.two = _on_face(geom, kin, found.two, w, geoms[1], geoms[0], found.normal)
    elif found.two.kind == PLANE:
        found.one = _on_face(geom, kin, found.one, w, geoms[0], geoms[1], found.normal)
    elif found.one.kind == LINE and found.two.kind == LINE:
        if wp.length_sq(wp.cross(found.one.axis, found.two.axis)) < PARALLEL:
            found.two.kind = UNKNOWN
    found.mat = _matrix(kin.geom_xmat[w, geoms[1]])
    found.size = wide(geom.size[per_world(geom.size.shape[0], w), geoms[1]])
    found.center = wide(kin.geom_xpos[w, geoms[1]])
    # the first tangent, as newtonish.kernels.collision.frame makes it
    found.wanted = wp.where(wp.abs(found.normal[1]) >= real(0.5), wp.vec3d(real(0.0), real(0.0), real(1.0)), wp.vec3d(real(0.0), real(1.0), real(0.0)))
    if on_plane and geom.type[geoms[1]] == CAPSULE:
        axis = found.two.axis
        across = axis - wp.dot(axis, found.normal) * found.normal
        if wp.length_sq(across) >= real(1.0e-12):
            found.wanted = axis
            found.follows = 1
        elif wp.abs(found.normal[0]) < real(0.999):
            found.wanted = wp.vec3d(real(1.0), real(0.0), real(0.0))
    return found


@wp.func
def is_known(found: Witness) -> bool:
    """Whether ``displaced`` has a closed form for the two features."""
    return found.one.kind != UNKNOWN and found.two.kind != UNKNOWN


@wp.func
def _lowest_point_shift(found: Witness, turned: wp.vec3d) -> wp.vec3d:
    """Motion in its geom of the lowest point of an ellipsoid or rim above a plane whose normal changes by ``turned``, seen from the geom."""
    n = wp.transpose(found.mat) * found.normal
    change = wp.transpose(found.mat) * turned
    shift = wp.vec3d()
    if found.two.kind == ROUND:
        squares = wp.cw_mul(found.size, found.size)
        scaled = wp.cw_mul(squares, n)
        length = wp.sqrt(wp.dot(scaled, n))
        shift = -wp.cw_mul(squares, change) / length + scaled * (wp.dot(scaled, change) / (length * length * length))
    else:
        lean = n[0] * n[0] + n[1] * n[1]
        if lean >= real(1.0e-12):
            angle = (n[0] * change[1] - n[1] * change[0]) / lean
            at = wp.transpose(found.mat) * (found.two.at - found.center)
            shift = angle * wp.vec3d(-at[1], at[0], real(0.0))
    return found.mat * shift


@wp.func
def _sliding(found: Witness, move: wp.vec3d, omega1: wp.vec3d, omega2: wp.vec3d) -> wp.vec2d:
    """How far the closest points slide along their lines if the second feature's moves by ``move`` relative to the first's."""
    gap = found.two.at - found.one.at
    a1 = found.one.axis
    a2 = found.two.axis
    first = wp.dot(move, a1) + wp.dot(gap, wp.cross(omega1, a1))
    second = wp.dot(move, a2) + wp.dot(gap, wp.cross(omega2, a2))
    slid = wp.vec2d()
    if found.one.kind == LINE and found.two.kind == LINE:
        cosine = wp.dot(a1, a2)
        s = (first - cosine * second) / (real(1.0) - cosine * cosine)
        slid = wp.vec2d(s, cosine * s - second)
    elif found.one.kind == LINE:
        slid = wp.vec2d(first, real(0.0))
    elif found.two.kind == LINE:
        slid = wp.vec2d(real(0.0), -second)
    return slid


@wp.func
def _along_borders(found: Feature, move: wp.vec3d) -> wp.vec3d:
    """How a point slides on its geom to stay on the borders of a face from which the geom moves by ``move``."""
    slid = wp.vec3d()
    if found.slide == 1:
        slid = found.axis * (-wp.dot(found.side1, move) / wp.dot(found.side1, found.axis))
    elif found.slide == 2:
        rows = wp.matrix_from_rows(found.side1, found.side2, found.axis)
        slid = wp.inverse(rows) * wp.vec3d(-wp.dot(found.side1, move), -wp.dot(found.side2, move), real(0.0))
    return slid


@wp.func
def _frame_turn(found: Witness, dn: wp.vec3d, omega2: wp.vec3d) -> wp.vec3d:
    """Rotation of the contact frame whose normal changes by ``dn``."""
    n = found.normal
    wanted = found.wanted
    change = wp.vec3d()
    if found.follows == 1:
        change = wp.cross(omega2, wanted)
    side = wanted - wp.dot(wanted, n) * n
    dside = change - (wp.dot(change, n) + wp.dot(wanted, dn)) * n - wp.dot(wanted, n) * dn
    return wp.cross(n, dn) + n * (wp.dot(found.tangent2, dside) / wp.length(side))


@wp.func
def displaced(found: Witness, v1: wp.vec3d, omega1: wp.vec3d, v2: wp.vec3d, omega2: wp.vec3d) -> Displacement:
    """Changes of the contact if its bodies move: ``v1`` and ``v2`` at ``found.pos``, and rotations."""
    n = found.normal
    move1 = v1 + wp.cross(omega1, found.one.at - found.pos)
    move2 = v2 + wp.cross(omega2, found.two.at - found.pos)
    result = Displacement()
    dn = wp.vec3d()
    if found.one.kind == PLANE:
        dn = wp.cross(omega1, n)
        across = v1 + wp.cross(omega1, found.two.at - found.pos)
        if found.two.kind == ROUND or found.two.kind == RIM:
            move2 += _lowest_point_shift(found, dn - wp.cross(omega2, n))
        move2 += _along_borders(found.two, move2 - across)
        result.dist = wp.dot(n, move2 - across)
        result.pos = move2 - dn * (found.two.radius + real(0.5) * found.dist) - real(0.5) * result.dist * n
    elif found.two.kind == PLANE:
        dn = wp.cross(omega2, n)
        across = v2 + wp.cross(omega2, found.one.at - found.pos)
        move1 += _along_borders(found.one, move1 - across)
        result.dist = wp.dot(n, across - move1)
        result.pos = move1 + dn * (found.one.radius + real(0.5) * found.dist) + real(0.5) * result.dist * n
    else:
        slid = _sliding(found, move2 - move1, omega1, omega2)
        move1 += found.one.axis * slid[0]
        move2 += found.two.axis * slid[1]
        change = move2 - move1
        if found.one.kind == LINE and found.two.kind == LINE:
            raw = wp.cross(found.one.axis, found.two.axis)
            sign = wp.sign(wp.dot(raw, n))
            bend = wp.cross(wp.cross(omega1, found.one.axis), found.two.axis) + wp.cross(found.one.axis, wp.cross(omega2, found.two.axis))
            dn = (bend - wp.dot(bend, n) * n) * (sign / wp.length(raw))
        else:
            dn = (change - wp.dot(change, n) * n) / (found.dist + found.one.radius + found.two.radius)
        result.dist = wp.dot(n, change)
        result.pos = move1 + dn * (found.one.radius + real(0.5) * found.dist) + real(0.5) * result.dist * n
    result.turn = _frame_turn(found, dn, omega2)
    return result
