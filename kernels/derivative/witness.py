"""How a contact's distance, point and frame move with the two bodies.

Closest points of two features (``features.py``) move in closed form: they stay on their features, and the line between them stays orthogonal to
lines. A plane gives the normal alone. The lowest point of an ellipsoid or of the rim of a cylinder above a plane moves in its geom. Method: closest points as in
Ericson, Real-Time Collision Detection, ch. 5, differentiated.
"""

import warp as wp

from newtonish.kernels.constants import CAPSULE
from newtonish.kernels.derivative.algebra import real, wide
from newtonish.kernels.derivative.features import LINE, PLANE, PLANE_GEOM, RIM, ROUND, UNKNOWN, Feature, feature_at, on_face, wide_matrix
from newtonish.kernels.math.world import per_world
from newtonish.kernels.structs.data import Contact, Kinematics
from newtonish.kernels.structs.model import Geom, Hull

PARALLEL = wp.constant(wp.float64(1.0e-8))  # squared sine below which two lines have no closest points


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
    found.one = feature_at(geom, hull, kin, w, geoms[0], found.pos - half, found.normal, False)
    found.two = feature_at(geom, hull, kin, w, geoms[1], found.pos + half, -found.normal, on_plane)
    # of two faces the contact has the normal of one, and the other ends somewhere on it
    if found.one.kind == PLANE and found.two.kind == PLANE:
        if found.two.aligned < found.one.aligned:
            found.one.kind = LINE
        else:
            found.two.kind = LINE
    if found.one.kind == PLANE and not on_plane:
        found.two = on_face(geom, kin, found.two, w, geoms[1], geoms[0], found.normal)
    elif found.two.kind == PLANE:
        found.one = on_face(geom, kin, found.one, w, geoms[0], geoms[1], found.normal)
    elif found.one.kind == LINE and found.two.kind == LINE:
        if wp.length_sq(wp.cross(found.one.axis, found.two.axis)) < PARALLEL:
            found.two.kind = UNKNOWN
    found.mat = wide_matrix(kin.geom_xmat[w, geoms[1]])
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
