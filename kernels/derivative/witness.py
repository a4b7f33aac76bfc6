"""How a contact's distance, point and frame move with the two bodies.

Each geom is a point of a surface, with radii of curvature or straight along a line or a plane (``features.py``). The two points stay where both surfaces
have the contact's normal, outward of one and inward of the other. With R the radii, d the distance, p the points and s the rotations of the normal
that the bodies' rotations alone would be, the change of the normal across it solves (R1 + R2 + d) dn = dp2 - dp1 + R1 s1 + R2 s2. Along what is
straight the normal turns with the geom instead, dn = s, and the point slides as far as the others ask. Two equations in all, for closest points and
for the deepest alike (Montana, The kinematics of contact and grasp, 1988, for the relative curvature).
"""

import warp as wp

from newtonish.kernels.collision.canonical_order import ASLANT
from newtonish.kernels.collision.feature import PARALLEL_EDGE, PARALLEL_FACES
from newtonish.kernels.constants import BOX, CAPSULE, CYLINDER, ELLIPSOID, HFIELD
from newtonish.kernels.derivative.algebra import real, wide
from newtonish.kernels.derivative.capsule_boxes import on_box
from newtonish.kernels.derivative.faces import on_face
from newtonish.kernels.derivative.features import LINE, PARALLEL, PLANE, PLANE_GEOM, POINT, RULED, UNKNOWN, Feature, feature_at, placed, surface_at
from newtonish.kernels.derivative.polyhedra import Body, body_of
from newtonish.kernels.structs.data import Contact, Kinematics
from newtonish.kernels.structs.model import Geom, HeightField, Hull, Option

SETTLING = wp.constant(4)  # Newton steps
OFF = wp.constant(wp.float64(1.0e-2))  # change of a normal, and of a distance over the sizes, beyond which a contact is another one
TIE = wp.constant(wp.float64(3.0e-7))  # difference of sines below which two faces look alike


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


@wp.struct
class Displacement:
    """Changes of distance, point, normal and first tangent."""

    dist: wp.float64
    pos: wp.vec3d
    turn: wp.vec3d  # rotation of the frame


@wp.func
def _width(body: Body, normal: wp.vec3d) -> wp.float64:
    """Half diagonal of the face of a box that looks along a normal [m]."""
    along = wp.dot(wp.transpose(body.mat) * normal, body.size)
    return wp.sqrt(wp.max(wp.dot(body.size, body.size) - along * along, real(0.0)))


@wp.func
def _second_leads(opt: Option, found: Witness, body1: Body, body2: Body) -> bool:
    """Whether of two faces that touch along an area the second geom's has the contact's normal, as the narrowphase chose it.

    Where both look alike, it is what it would be for any small tilt: of boxes the wider face's, along which their overlap grows least.
    """
    result = found.two.aligned < found.one.aligned
    if wp.abs(found.one.aligned - found.two.aligned) <= TIE:
        if body1.kind == BOX and body2.kind == BOX:
            result = _width(body2, found.normal) > _width(body1, found.normal) * (real(1.0) + TIE)
        elif opt.symmetric_contacts != 0 and body1.kind == body2.kind:
            result = wp.dot(found.normal, wide(ASLANT)) >= real(0.0)
        else:
            result = True
    return result


@wp.func
def level_of(one: Feature, two: Feature, normal: wp.vec3d) -> wp.float64:
    """How far two lines are from parallel: the sine between them, with the sign of the normal."""
    return wp.dot(normal, wp.cross(one.axis, two.axis))


@wp.func
def across_of(normal: wp.vec3d) -> wp.vec3d:
    """A unit vector across the normal."""
    x = wp.vec3d(real(1.0), real(0.0), real(0.0))
    y = wp.vec3d(real(0.0), real(1.0), real(0.0))
    return wp.normalize(wp.cross(normal, wp.where(wp.abs(normal[0]) < real(0.6), x, y)))


@wp.func
def _turn(one: Feature, two: Feature, normal: wp.vec3d, dist: wp.float64, wanted: wp.vec3d, along1: wp.float64, along2: wp.float64) -> wp.vec3d:
    """Change of the normal of two surfaces neither of which is a plane.

    Args:
        wanted: motion of the second point relative to the first that the change has to make up for.
        along1: change along the axis of the first if it is a line; ``along2``: of the second.
    """
    R = one.R + two.R + wp.identity(n=3, dtype=wp.float64) * dist
    if one.kind == LINE and two.kind == LINE:
        return (along1 * wp.cross(two.axis, normal) + along2 * wp.cross(normal, one.axis)) / level_of(one, two, normal)
    if one.kind == LINE or two.kind == LINE:
        axis = wp.where(one.kind == LINE, one.axis, two.axis)
        fixed = axis * wp.where(one.kind == LINE, along1, along2)
        beside = wp.cross(normal, axis)
        return fixed + beside * (wp.dot(beside, wanted - R * fixed) / wp.dot(beside, R * beside))
    s = across_of(normal)
    t = wp.cross(normal, s)
    ss = wp.dot(s, R * s)
    st = wp.dot(s, R * t)
    ts = wp.dot(t, R * s)
    tt = wp.dot(t, R * t)
    ws = wp.dot(s, wanted)
    wt = wp.dot(t, wanted)
    return (s * (tt * ws - st * wt) + t * (ss * wt - ts * ws)) / (ss * tt - st * ts)


@wp.func
def _slid(one: Feature, two: Feature, normal: wp.vec3d, left: wp.vec3d) -> wp.vec2d:
    """How far the points of two features slide along what is straight in them to make up for ``left``, of the second relative to the first."""
    result = wp.vec2d()
    if one.kind == LINE and two.kind == LINE:
        level = level_of(one, two, normal)
        result = wp.vec2d(wp.dot(left, wp.cross(two.axis, normal)) / level, wp.dot(left, wp.cross(one.axis, normal)) / level)
    elif one.kind == LINE:
        result[0] = wp.dot(one.axis, left)
    elif two.kind == LINE:
        result[1] = -wp.dot(two.axis, left)
    return result


@wp.func(inline=False)
def _settled(found: Witness, body1: wp.ref[Body], body2: wp.ref[Body]) -> Witness:
    """The contact of two features, one of them curved, in float64: searches end as soon as the distance is known, to which the normal adds little."""
    best = found
    n = found.normal
    for _ in range(wp.where(found.one.kind == PLANE or found.two.kind == PLANE, 1, SETTLING)):
        if best.one.kind == PLANE:
            n = best.one.axis
        elif best.two.kind == PLANE:
            n = -best.two.axis
        best.one = surface_at(best.one, body1, n)
        best.two = surface_at(best.two, body2, -n)
        gap = best.two.at - best.one.at
        best.dist = wp.dot(gap, n)
        if best.one.kind != PLANE and best.two.kind != PLANE:
            slid = _slid(best.one, best.two, n, gap)
            best.one.at += slid[0] * best.one.axis
            best.two.at += slid[1] * best.two.axis
            gap = best.two.at - best.one.at
            best.dist = wp.dot(gap, n)
            n = wp.normalize(n + _turn(best.one, best.two, n, best.dist, gap - best.dist * n, -wp.dot(best.one.axis, n), -wp.dot(best.two.axis, n)))
    best.normal = n
    half = real(0.5) * best.dist * n
    if best.one.kind == PLANE:
        best.one.at = best.two.at - real(2.0) * half
    elif best.two.kind == PLANE:
        best.two.at = best.one.at + real(2.0) * half
    best.pos = best.one.at + half
    if wp.length(n - found.normal) > OFF or wp.abs(best.dist - found.dist) > OFF * wp.length(body1.size + body2.size):
        best = found  # another place than that of the search
    best.tangent1 = wp.normalize(best.tangent1 - wp.dot(best.tangent1, best.normal) * best.normal)
    best.tangent2 = wp.cross(best.normal, best.tangent1)
    return best


@wp.func
def _lies(cap: Feature, body: Body, other: Feature, flat: Body, normal: wp.vec3d) -> bool:
    """Whether a geom may share an area or a line with a face of the other, points of which the narrowphase took for themselves."""
    shared = other.kind == PLANE and (cap.kind != POINT or body.kind == CAPSULE)
    if body.kind == CYLINDER and other.kind == PLANE and flat.kind != HFIELD:
        leaning = wp.abs(wp.dot(normal, body.mat * wp.vec3d(real(0.0), real(0.0), real(1.0))))
        shared = shared or leaning > real(PARALLEL_FACES) or leaning < real(PARALLEL_EDGE)
    return shared


@wp.func
def _is_curved(found: Witness, body1: Body, body2: Body) -> bool:
    """Whether one of the geoms is curved and its point the one that the normal tells."""
    curved = body1.kind == ELLIPSOID or body2.kind == ELLIPSOID
    if body1.kind == CYLINDER or body2.kind == CYLINDER:
        curved = curved or not (_lies(found.one, body1, found.two, body2, found.normal) or _lies(found.two, body2, found.one, body1, found.normal))
    return curved


@wp.func
def _level(found: Feature, normal: wp.vec3d) -> Feature:
    """A line whose axis is across the normal to the bit."""
    if found.kind == LINE:
        found.axis = wp.normalize(found.axis - wp.dot(found.axis, normal) * normal)
    return found


@wp.func(inline=False)
def witness_of(
    opt: wp.ref[Option], geom: wp.ref[Geom], hull: wp.ref[Hull], hfield: wp.ref[HeightField], kin: wp.ref[Kinematics], contact: wp.ref[Contact], w: int, c: int
) -> Witness:
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
    body2 = body_of(geom, hull, hfield, kin, w, geoms[1], found.pos + half, -found.normal)
    on_plane = geom.type[geoms[0]] == PLANE_GEOM
    found.two = feature_at(hull, hfield, body2, w, found.pos + half, -found.normal, on_plane)
    if on_plane:
        found.one.kind = PLANE
        found.one.at = found.pos - half
        found.one.axis = found.normal
    else:
        body1 = body_of(geom, hull, hfield, kin, w, geoms[0], found.pos - half, found.normal)
        found.one = feature_at(hull, hfield, body1, w, found.pos - half, found.normal, False)
        if body1.kind == CAPSULE and body2.kind == BOX:
            found.one = on_box(found.one, body1, body2, found.two.kind == PLANE, kin, w, geoms[0], geoms[1], found.normal)
        curved = _is_curved(found, body1, body2)
        if curved or (found.one.astray == 1 and found.two.kind != PLANE):
            found.one = placed(hull, hfield, found.one, body1, w, found.normal)
        if curved or (found.two.astray == 1 and found.one.kind != PLANE):
            found.two = placed(hull, hfield, found.two, body2, w, -found.normal)
        if curved:
            found = _settled(found, body1, body2)
        one_leads = found.one.kind == PLANE
        if found.one.kind == PLANE and found.two.kind == PLANE:
            one_leads = not _second_leads(opt, found, body1, body2)
        if one_leads:
            found.two = on_face(hull, hfield, found.two, body2, body1, w, -found.normal, found.dist)
        elif found.two.kind == PLANE and found.one.slide != RULED:
            found.one = on_face(hull, hfield, found.one, body1, body2, w, found.normal, found.dist)
        elif found.one.astray == 1 or found.two.astray == 1:
            found.one.kind = UNKNOWN
    found.one = _level(found.one, found.normal)
    found.two = _level(found.two, found.normal)
    if found.one.kind == LINE and found.two.kind == LINE:
        if wp.length_sq(wp.cross(found.one.axis, found.two.axis)) < PARALLEL:
            found.two.kind = UNKNOWN
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
def _by_rule(found: Feature, at: wp.vec3d, move: wp.vec3d, turn: wp.vec3d) -> wp.vec3d:
    """How a point slides on its geom that moves by ``move`` at ``at``, and turns, relative to the other."""
    slid = wp.vec3d()
    if found.slide == RULED:
        slid = found.axis * (wp.dot(found.side1, move + wp.cross(turn, found.at - found.lever - at)) + wp.dot(found.side2, turn))
    return slid


@wp.func
def frame_turn(found: Witness, dn: wp.vec3d, omega2: wp.vec3d) -> wp.vec3d:
    """Rotation of the contact frame whose normal changes by ``dn``."""
    n = found.normal
    wanted = found.wanted
    change = wp.vec3d()
    if found.follows == 1:
        change = wp.cross(omega2, wanted)
    side = wanted - wp.dot(wanted, n) * n
    dside = change - (wp.dot(change, n) + wp.dot(wanted, dn)) * n - wp.dot(wanted, n) * dn
    return wp.cross(n, dn) + n * (wp.dot(found.tangent2, dside) / wp.length(side))


@wp.func(inline=False)
def displaced(found: wp.ref[Witness], v1: wp.vec3d, omega1: wp.vec3d, v2: wp.vec3d, omega2: wp.vec3d) -> Displacement:
    """Changes of the contact if its bodies move: ``v1`` and ``v2`` at ``found.pos``, and rotations."""
    n = found.normal
    spin1 = wp.cross(omega1, n)
    spin2 = wp.cross(omega2, n)
    move1 = v1 + wp.cross(omega1, found.one.at - found.pos) + _by_rule(found.one, found.pos, v1 - v2, omega1 - omega2)
    move2 = v2 + wp.cross(omega2, found.two.at - found.pos)
    result = Displacement()
    dn = wp.vec3d()
    if found.one.kind == PLANE:
        dn = spin1
        under = v1 + wp.cross(omega1, found.two.at - found.pos)
        move2 += found.two.R * (spin2 - dn) + found.two.bend * (wp.dot(found.two.bent_by, omega1 - omega2) + wp.dot(found.two.drawn_by, under - move2))
        move2 += _along_borders(found.two, move2 - under - wp.cross(omega2 - omega1, found.two.lever))
        result.dist = wp.dot(n, move2 - under)
        result.pos = move2 - real(0.5) * (found.dist * dn + result.dist * n)
    elif found.two.kind == PLANE:
        dn = spin2
        under = v2 + wp.cross(omega2, found.one.at - found.pos)
        move1 += found.one.R * (dn - spin1) + found.one.bend * (wp.dot(found.one.bent_by, omega2 - omega1) + wp.dot(found.one.drawn_by, under - move1))
        move1 += _along_borders(found.one, move1 - under - wp.cross(omega1 - omega2, found.one.lever))
        result.dist = wp.dot(n, under - move1)
        result.pos = move1 + real(0.5) * (found.dist * dn + result.dist * n)
    else:
        wanted = move2 - move1 + found.one.R * spin1 + found.two.R * spin2
        dn = _turn(found.one, found.two, n, found.dist, wanted, wp.dot(found.one.axis, spin1), wp.dot(found.two.axis, spin2))
        move1 += found.one.R * (dn - spin1)
        move2 += found.two.R * (spin2 - dn)
        # what is straight slides until the points lie opposite each other
        slid = _slid(found.one, found.two, n, move2 - move1 - found.dist * dn)
        move1 += slid[0] * found.one.axis
        move2 += slid[1] * found.two.axis
        result.dist = wp.dot(n, move2 - move1)
        result.pos = real(0.5) * (move1 + move2)
    result.turn = frame_turn(found, dn, omega2)
    return result
