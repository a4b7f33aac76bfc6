"""Kinks of contact geometry: contacts about to begin or end, and points about to pass from one face, edge or vertex of a shape to another, or that
may be anywhere in a line or an area, where the slightest tilt tells."""

import warp as wp

from newtonish.common.enums import Kink
from newtonish.kernels.constants import BOX, CAPSULE, CYLINDER, HFIELD, MESH, SDF
from newtonish.kernels.derivative.algebra import real
from newtonish.kernels.derivative.features import ALIGNED, LINE, PLANE, PLANE_GEOM, Feature
from newtonish.kernels.derivative.kink_state import SHARE, Kinks, note
from newtonish.kernels.derivative.polyhedra import CORNER, EDGE, NOWHERE, Body, body_of, place_on, tolerance_of, vertex_count, vertex_of
from newtonish.kernels.derivative.witness import is_known, witness_of
from newtonish.kernels.math.world import lanes, per_world
from newtonish.kernels.structs.data import Contact, Kinematics, Status
from newtonish.kernels.structs.model import Geom, HeightField, Hull, Option

TURN = wp.constant(wp.float64(4.0) * ALIGNED)
"""Angle [rad] between a normal and the border of those that a feature has, below which it is called to be at it."""


@wp.func
def _near(body: Body, at: wp.vec3d) -> wp.float64:
    """Distance from the border of a feature, below which a point is called to be on it [m]: 4e-5 of the geom's size, and rounding."""
    return real(4.0) * tolerance_of(body.size, at)


@wp.func
def _leaves_round(found: Feature, body: Body, outward: wp.vec3d) -> bool:
    """Whether the point of a capsule or a cylinder is where its side ends."""
    local = wp.transpose(body.mat) * outward
    at = wp.transpose(body.mat) * (found.at - body.center)
    near = _near(body, found.at)
    lean = wp.sqrt(local[0] * local[0] + local[1] * local[1])
    result = wp.bool(False)
    if body.kind == CAPSULE:
        result = wp.abs(local[2]) < TURN and wp.abs(wp.abs(at[2]) - body.size[1]) < near
    elif found.kind == PLANE:
        result = wp.sqrt(at[0] * at[0] + at[1] * at[1]) > body.size[0] - near
    elif found.kind == LINE:
        result = wp.abs(at[2]) > body.size[1] - near
    else:
        result = lean < TURN or wp.abs(local[2]) < TURN
    return result


@wp.func
def _leaves_sharp(hull: Hull, hfield: HeightField, found: Feature, other: Feature, body: Body, w: int, outward: wp.vec3d) -> bool:
    """Whether the point of a polyhedron is where its face or edge ends, or its normal where those of its edge or vertex do.

    Args:
        other: the other geom's feature, which borders of this one's face may hold.
    """
    local = wp.transpose(body.mat) * outward
    at = wp.transpose(body.mat) * (found.at - body.center)
    near = _near(body, found.at)
    place = place_on(hull, hfield, body, w, at, local, near)
    result = wp.bool(False)
    if found.kind == PLANE:
        result = (other.slide == 0 and (place.kind == EDGE or place.kind == CORNER)) or (other.slide == 1 and place.kind == CORNER)
    elif found.kind == LINE:
        result = place.kind == CORNER or (place.kind != NOWHERE and place.alike > wp.cos(TURN))
    elif body.kind == BOX:
        result = wp.min(wp.min(wp.abs(local[0]), wp.abs(local[1])), wp.abs(local[2])) < TURN
    else:
        for v in range(vertex_count(hull, body)):
            along = vertex_of(hull, hfield, body, w, v) - at
            if wp.length(along) > near and wp.dot(along, local) > -TURN * wp.length(along):
                result = True
    return result


@wp.func
def _leaves(hull: Hull, hfield: HeightField, found: Feature, other: Feature, body: Body, flat: Body, w: int, outward: wp.vec3d) -> bool:
    """Whether the point of a geom is about to pass to another feature of it; ``other``, ``flat``: what touches it."""
    result = wp.bool(False)
    local = wp.transpose(body.mat) * outward
    if flat.kind == PLANE_GEOM:
        upright = wp.sqrt(local[0] * local[0] + local[1] * local[1]) < TURN
        result = upright and (body.kind == CYLINDER or body.kind == CAPSULE)  # its lowest point, or its frame, turns about
    elif body.kind != PLANE_GEOM and (other.kind != PLANE or found.kind == PLANE):
        if body.kind == CAPSULE or body.kind == CYLINDER:
            result = _leaves_round(found, body, outward)
        elif body.kind == BOX or body.kind == MESH or body.kind == HFIELD:
            result = _leaves_sharp(hull, hfield, found, other, body, w, outward)
    return result


@wp.func
def widening(geom: Geom, kin: Kinematics, w: int, g: int) -> float:
    """Rounding of where the surface of a geom is [m]: a contact that is no farther from its beginning than that of both geoms is at it."""
    extent = wp.length(kin.geom_xpos[w, g]) + geom.rbound[per_world(geom.rbound.shape[0], w), g]
    return float(SHARE) * extent


@wp.func
def beginning_kinks(geom: Geom, kin: Kinematics, contact: Contact, kinks: Kinks, ncon: int, w: int, lane: int):
    """Contacts about to begin or end, among the first ``ncon``."""
    for c in range(lane, wp.min(ncon, contact.dist.shape[1]), lanes()):
        geoms = contact.geom[w, c]
        if geoms[0] >= 0 and geoms[1] >= 0:
            near = widening(geom, kin, w, geoms[0]) + widening(geom, kin, w, geoms[1])
            if wp.abs(contact.dist[w, c] - contact.includemargin[w, c]) <= near:
                note(kinks, w, int(Kink.CONTACT))


@wp.func
def feature_kinks(
    opt: Option, geom: Geom, hull: Hull, hfield: HeightField, kin: Kinematics, contact: Contact, status: Status, kinks: Kinks, w: int, lane: int,
):  # fmt: skip
    """Points of contacts with rows about to pass to another feature."""
    for c in range(lane, wp.min(status.ncon[w], contact.dist.shape[1]), lanes()):
        geoms = contact.geom[w, c]
        if contact.efc_address[w, c] >= 0 and geoms[0] >= 0 and geoms[1] >= 0:
            found = witness_of(opt, geom, hull, hfield, kin, contact, w, c)
            body1 = body_of(geom, hull, hfield, kin, w, geoms[0], found.one.at, found.normal)
            body2 = body_of(geom, hull, hfield, kin, w, geoms[1], found.two.at, -found.normal)
            first = _leaves(hull, hfield, found.one, found.two, body1, body2, w, found.normal)
            anywhere = not is_known(found) and body1.kind != SDF and body2.kind != SDF
            if first or anywhere or _leaves(hull, hfield, found.two, found.one, body2, body1, w, -found.normal):
                note(kinks, w, int(Kink.FEATURE))
