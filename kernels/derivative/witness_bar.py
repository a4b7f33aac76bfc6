"""The transpose of ``displaced`` of ``witness.py``: from derivatives by what a contact does to those by the motions of its geoms, in one visit.

Each function here is the one of the same name there gone through backwards: a linear map's transpose. Names end in ``bar`` for the derivative of a cost
by what they are called after (Griewank and Walther, Evaluating Derivatives, 2008, chapter 3).
"""

import warp as wp

from newtonish.kernels.derivative.algebra import join, real, vec6d
from newtonish.kernels.derivative.features import LINE, PLANE, RULED, Feature
from newtonish.kernels.derivative.witness import Displacement, Witness, across_of, level_of


@wp.struct
class TurnBar:
    """Derivatives by what a contact's frame turns with."""

    normal: wp.vec3d  # by the change of its normal
    spin: wp.vec3d  # by the rotation of the second geom, which the first tangent may follow


@wp.func
def frame_bar(found: Witness, turn: wp.vec3d) -> TurnBar:
    """Of ``frame_turn``; ``turn``: derivative by the rotation of the frame."""
    n = found.normal
    result = TurnBar()
    along = wp.dot(found.wanted, n)
    by_tangent = found.tangent2 * (wp.dot(turn, n) / wp.length(found.wanted - along * n))
    result.normal = wp.cross(turn, n) - along * by_tangent
    if found.follows == 1:
        result.spin = wp.cross(found.wanted, by_tangent)
    return result


@wp.func
def common_bar(found: Witness, moved: Displacement) -> vec6d:
    """Derivatives by a motion that both geoms have in common: of the contact's point, then the rotation. The tangents alone are not carried along."""
    framed = frame_bar(found, moved.turn)
    return join(moved.pos, wp.cross(found.normal, framed.normal) + framed.spin)


@wp.func
def _border_bar(found: Feature, slid: wp.vec3d) -> wp.vec3d:
    """Of ``_along_borders``, by the geom's motion."""
    move = wp.vec3d()
    if found.slide == 1:
        move = found.side1 * (-wp.dot(found.axis, slid) / wp.dot(found.side1, found.axis))
    elif found.slide == 2:
        rows = wp.matrix_from_rows(found.side1, found.side2, found.axis)
        share = wp.transpose(wp.inverse(rows)) * slid
        move = -share[0] * found.side1 - share[1] * found.side2
    return move


@wp.func
def _rule_bar(found: Feature, at: wp.vec3d, slid: wp.vec3d) -> vec6d:
    """Of ``_by_rule``, by the geom's motion at ``at``, then by its rotation."""
    result = vec6d()
    if found.slide == RULED:
        far = wp.dot(found.axis, slid)
        result = join(far * found.side1, far * (wp.cross(found.at - found.lever - at, found.side1) + found.side2))
    return result


@wp.func
def _slid_bar(one: Feature, two: Feature, normal: wp.vec3d, slid: wp.vec2d) -> wp.vec3d:
    """Of ``_slid``, by what is left."""
    left = wp.vec3d()
    if one.kind == LINE and two.kind == LINE:
        left = (slid[0] * wp.cross(two.axis, normal) + slid[1] * wp.cross(one.axis, normal)) / level_of(one, two, normal)
    elif one.kind == LINE:
        left = slid[0] * one.axis
    elif two.kind == LINE:
        left = -slid[1] * two.axis
    return left


@wp.struct
class NormalBar:
    """Derivatives by what a normal between two surfaces changes with."""

    wanted: wp.vec3d
    along2: wp.float64  # by the change along the axis of the second


@wp.func
def _turn_bar(one: Feature, two: Feature, normal: wp.vec3d, dist: wp.float64, dn: wp.vec3d) -> NormalBar:
    """Of ``_turn``; ``dn``: derivative by the change of the normal."""
    result = NormalBar()
    R = one.R + two.R + wp.identity(n=3, dtype=wp.float64) * dist
    if one.kind == LINE and two.kind == LINE:
        result.along2 = wp.dot(dn, wp.cross(normal, one.axis)) / level_of(one, two, normal)
    elif one.kind == LINE or two.kind == LINE:
        axis = wp.where(one.kind == LINE, one.axis, two.axis)
        beside = wp.cross(normal, axis)
        result.wanted = beside * (wp.dot(beside, dn) / wp.dot(beside, R * beside))
        if two.kind == LINE:
            result.along2 = wp.dot(axis, dn - wp.transpose(R) * result.wanted)
    else:
        s = across_of(normal)
        t = wp.cross(normal, s)
        ss = wp.dot(s, R * s)
        st = wp.dot(s, R * t)
        ts = wp.dot(t, R * s)
        tt = wp.dot(t, R * t)
        by_s = wp.dot(s, dn)
        by_t = wp.dot(t, dn)
        result.wanted = (s * (tt * by_s - ts * by_t) + t * (ss * by_t - st * by_s)) / (ss * tt - st * ts)
    return result


@wp.func
def _on_first(found: Witness, moved: Displacement) -> vec6d:
    """Where the first geom's plane has the normal."""
    n = found.normal
    two = found.two
    move = moved.pos + n * (moved.dist - real(0.5) * wp.dot(moved.pos, n))
    slid = _border_bar(two, move)
    by_spin = wp.cross(slid, two.lever)
    move += slid
    bent = wp.dot(two.bend, move)
    by_spin += wp.cross(n, wp.transpose(two.R) * move) - bent * two.bent_by
    move = move - bent * two.drawn_by
    return join(move, by_spin + wp.cross(two.at - found.pos, move) + frame_bar(found, moved.turn).spin)


@wp.func
def _on_second(found: Witness, moved: Displacement) -> vec6d:
    """Where the second geom's plane has the normal."""
    n = found.normal
    one = found.one
    by_dist = moved.dist + real(0.5) * wp.dot(moved.pos, n)
    move = moved.pos - by_dist * n
    under = by_dist * n
    framed = frame_bar(found, moved.turn)
    by_normal = framed.normal + real(0.5) * found.dist * moved.pos
    slid = _border_bar(one, move)
    by_spin = framed.spin + wp.cross(one.lever, slid)
    move += slid
    bent = wp.dot(one.bend, move)
    by_spin += bent * one.bent_by
    under += bent * one.drawn_by - slid
    by_normal += wp.transpose(one.R) * move
    ruled = _rule_bar(one, found.pos, move - bent * one.drawn_by)
    by_spin += wp.cross(one.at - found.pos, under) + wp.cross(n, by_normal)
    return join(under, by_spin) - ruled


@wp.func
def _between(found: Witness, moved: Displacement) -> vec6d:
    """Where neither geom's is a plane."""
    n = found.normal
    half = real(0.5) * moved.pos
    move1 = half - moved.dist * n
    move2 = half + moved.dist * n
    left = _slid_bar(found.one, found.two, n, wp.vec2d(wp.dot(found.one.axis, move1), wp.dot(found.two.axis, move2)))
    move1 = move1 - left
    move2 += left
    framed = frame_bar(found, moved.turn)
    by_normal = framed.normal - found.dist * left + wp.transpose(found.one.R) * move1 - wp.transpose(found.two.R) * move2
    turned = _turn_bar(found.one, found.two, n, found.dist, by_normal)
    by_spin = wp.cross(n, wp.transpose(found.two.R) * (move2 + turned.wanted) + turned.along2 * found.two.axis)
    move2 += turned.wanted
    ruled = _rule_bar(found.one, found.pos, move1 - turned.wanted)
    return join(move2, by_spin + wp.cross(found.two.at - found.pos, move2) + framed.spin) - ruled


@wp.func(inline=False)
def second_bar(found: wp.ref[Witness], moved: Displacement) -> vec6d:
    """Derivatives by a motion of the second geom alone, of ``found.pos``, then its rotation.

    Args:
        found: the contact.
        moved: derivatives by the changes of its distance, of its point, and by the rotation of its frame.
    """
    if found.one.kind == PLANE:
        return _on_first(found, moved)
    if found.two.kind == PLANE:
        return _on_second(found, moved)
    return _between(found, moved)
