"""Contacts of non-convex triangle meshes with every other shape, by queries to Warp's meshes.

Spheres and capsules meet each triangle near them: a capsule's segment touches it with an end or, between its ends, where it
comes closest to an edge. Of contacts with edges and corners the nearest counts, and only where it is nearer than every
face: inner edges of a flat surface do not trip what slides over it. All other shapes meet by points, corners of each in
the signed distance of the other, and by edges: those of boxes, hulls, heightfields and meshes where they cross, and a mesh's
where it comes closest to the round side of a cylinder or an ellipsoid. Of a pair's contacts at most eight are kept, the deepest
and those farthest from one another.

A kernel of its own, on the pairs that no convex collision was made for. Each lane takes a pair; slots are given by a scan.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.collision.mesh_edges import MeshEdges, crossing_contacts, rolling_contacts
from newtonish.kernels.collision.params import pair_margin
from newtonish.kernels.collision.reduction import ReducedContacts, add_contact, depth_of
from newtonish.kernels.collision.triangles import (
    FAR,
    closest_on_triangle,
    point_count,
    segment_parameter,
    shape_distance,
    shape_point,
)
from newtonish.kernels.collision.write import finish_contacts, write_count, write_point
from newtonish.kernels.constants import BOX, CAPSULE, CYLINDER, ELLIPSOID, PLANE, SPHERE
from newtonish.kernels.math.world import lanes, per_world, scan_lanes, sync
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.structs.data import Contact, Kinematics, Status
from newtonish.kernels.structs.model import Geom, Option, Pair

SHALLOW = wp.constant(0.05)  # depth down to which edges meet, over the smaller shape's radius
DEEP = wp.constant(0.5)  # the same where nothing else is inside


@wp.struct
class MeshPairs:
    """Pairs of geoms of which at least one is a mesh that is not convex."""

    geom1: wp.array(dtype=wp.int32)
    geom2: wp.array(dtype=wp.int32)
    mesh: wp.array2d(dtype=wp.uint64)  # (1 or nworld, ngeom) Warp mesh in the geom's frame; 0: none
    edge_adr: wp.array2d(dtype=wp.int32)  # (1 or nworld, ngeom) first edge of that mesh
    edge_num: wp.array2d(dtype=wp.int32)
    face_adr: wp.array2d(dtype=wp.int32)  # first row of face_edges
    edges: MeshEdges


@wp.func
def _round_contacts(
    given: ReducedContacts, mesh: wp.uint64, centre: wp.vec3, half: wp.vec3, radius: float, reach: float, pos: wp.vec3, mat: wp.mat33,
    sign: float,
) -> ReducedContacts:  # fmt: skip
    """A ball swept along a segment, in the frame of a mesh at ``pos``; ``sign``: 1 if the mesh is the first geom."""
    contacts = given
    far = radius + reach
    grow = wp.vec3(wp.abs(half[0]) + far, wp.abs(half[1]) + far, wp.abs(half[2]) + far)
    query = wp.mesh_query_aabb(mesh, centre - grow, centre + grow)
    face = wp.int32(0)
    face_dist = wp.float32(FAR)
    edge_dist = wp.float32(FAR)
    edge_pos = wp.vec3(0.0, 0.0, 0.0)
    edge_normal = wp.vec3(0.0, 0.0, 1.0)
    samples = wp.where(wp.length_sq(half) > 0.0, 5, 1)
    while wp.mesh_query_aabb_next(query, face):
        a = wp.mesh_eval_position(mesh, face, 1.0, 0.0)
        b = wp.mesh_eval_position(mesh, face, 0.0, 1.0)
        c = wp.mesh_eval_position(mesh, face, 0.0, 0.0)
        up = wp.mesh_eval_face_normal(mesh, face)
        for k in range(samples):
            share = wp.float32(0.0)  # the two ends, then the places nearest to the three edges
            if k == 1:
                share = 1.0
            elif k == 2:
                share = segment_parameter(centre - half, 2.0 * half, a, b - a)
            elif k == 3:
                share = segment_parameter(centre - half, 2.0 * half, b, c - b)
            elif k == 4:
                share = segment_parameter(centre - half, 2.0 * half, c, a - c)
            p = centre + (2.0 * share - 1.0) * half
            near = closest_on_triangle(a, b, c, p)
            q = wp.vec3(near[0], near[1], near[2])
            height = wp.dot(p - q, up)
            if near[3] > 0.0:
                # behind a face by more than the radius is another side of the mesh
                if k < 2 and height - radius <= reach and height > -radius:
                    dist = height - radius
                    face_dist = wp.min(face_dist, dist)
                    at = pos + mat * (q + 0.5 * dist * up)
                    contacts = add_contact(contacts, dist, at, sign * (mat * up), 0.05 * radius)
            else:
                length = wp.length(p - q)
                if height > 0.0 and length - radius < edge_dist and length - radius <= reach:
                    edge_dist = length - radius
                    edge_normal = (p - q) / length
                    edge_pos = q + 0.5 * edge_dist * edge_normal
    if edge_dist < face_dist - 1.0e-4 * radius:
        contacts = add_contact(contacts, edge_dist, pos + mat * edge_pos, sign * (mat * edge_normal), 0.05 * radius)
    return contacts


@wp.func
def _point_contacts(
    given: ReducedContacts, kind1: int, mesh1: wp.uint64, size1: wp.vec3, pos1: wp.vec3, mat1: wp.mat33, kind2: int, mesh2: wp.uint64,
    size2: wp.vec3, pos2: wp.vec3, mat2: wp.mat33, radius2: float, deepest: float, reach: float, sign: float,
) -> ReducedContacts:  # fmt: skip
    """Points of the first geom near the second, whose bounding ball has ``radius2``; ``sign``: -1 if it is the first of the pair."""
    contacts = given
    to2 = wp.transpose(mat2)
    for k in range(point_count(kind1, mesh1)):
        p = pos1 + mat1 * shape_point(kind1, mesh1, size1, k)
        if kind2 == PLANE or wp.length(p - pos2) <= radius2 + reach:
            near = shape_distance(kind2, mesh2, size2, to2 * (p - pos2), deepest + reach)
            dist = near[3]
            if dist <= reach and dist >= -deepest:
                normal = mat2 * wp.vec3(near[0], near[1], near[2])
                contacts = add_contact(contacts, dist, p - 0.5 * dist * normal, sign * normal, 0.0)
    return contacts


@wp.func
def _edge_contacts(
    contacts: ReducedContacts, geom: Geom, pairs: MeshPairs, nth: int, w: int, g1: int, g2: int, radius1: float, pos1: wp.vec3, mat1: wp.mat33,
    pos2: wp.vec3, mat2: wp.mat33, deep: float, reach: float,
) -> ReducedContacts:  # fmt: skip
    """Edges of two geoms, of which the second is a mesh, down to the depth ``deep``."""
    kind1 = geom.type[g1]
    kind2 = geom.type[g2]
    size1 = geom.size[per_world(geom.size.shape[0], w), g1]
    size2 = geom.size[per_world(geom.size.shape[0], w), g2]
    mesh1 = pairs.mesh[nth, g1]
    mesh2 = pairs.mesh[nth, g2]
    first1 = pairs.edge_adr[nth, g1]
    first2 = pairs.edge_adr[nth, g2]
    number2 = pairs.edge_num[nth, g2]
    faces2 = pairs.face_adr[nth, g2]
    if kind1 == CYLINDER or kind1 == ELLIPSOID:
        return rolling_contacts(contacts, pairs.edges, kind1, size1, radius1, pos1, mat1, mesh2, faces2, first2, pos2, mat2, deep, reach)
    number1 = wp.int32(12)
    if kind1 != BOX:
        number1 = pairs.edge_num[nth, g1]
        if number1 > number2:
            return crossing_contacts(
                contacts, pairs.edges, kind2, mesh2, size2, first2, number2, pos2, mat2, kind1, mesh1, size1, pairs.face_adr[nth, g1],
                first1, pos1, mat1, deep, reach, -1.0
            )  # fmt: skip
    return crossing_contacts(
        contacts, pairs.edges, kind1, mesh1, size1, first1, number1, pos1, mat1, kind2, mesh2, size2, faces2, first2, pos2, mat2, deep, reach,
        1.0
    )  # fmt: skip


@wp.func(inline=False)
def mesh_contacts(geom: Geom, kin: Kinematics, pairs: MeshPairs, w: int, g1: int, g2: int, reach: float) -> ReducedContacts:
    """Contacts of two geoms of which at least one is a mesh."""
    contacts = ReducedContacts()
    nth = per_world(geom.size.shape[0], w)
    kind1 = geom.type[g1]
    kind2 = geom.type[g2]
    pos1 = kin.geom_xpos[w, g1]
    pos2 = kin.geom_xpos[w, g2]
    mat1 = kin.geom_xmat[w, g1]
    mat2 = kin.geom_xmat[w, g2]
    size1 = geom.size[nth, g1]
    size2 = geom.size[nth, g2]
    nth = per_world(geom.rbound.shape[0], w)
    radius1 = geom.rbound[nth, g1]
    radius2 = geom.rbound[nth, g2]
    if kind1 == PLANE:
        if wp.dot(pos2 - pos1, wp.vec3(mat1[0, 2], mat1[1, 2], mat1[2, 2])) > radius2 + reach:
            return contacts
    elif wp.length(pos2 - pos1) > radius1 + radius2 + reach:
        return contacts
    nth = per_world(pairs.mesh.shape[0], w)
    mesh1 = pairs.mesh[nth, g1]
    mesh2 = pairs.mesh[nth, g2]
    if kind1 == SPHERE or kind1 == CAPSULE:  # of the lower type, so the mesh is the second geom
        back = wp.transpose(mat2)
        half = wp.vec3(0.0, 0.0, 0.0)
        if kind1 == CAPSULE:
            half = back * (size1[1] * wp.vec3(mat1[0, 2], mat1[1, 2], mat1[2, 2]))
        return _round_contacts(contacts, mesh2, back * (pos1 - pos2), half, size1[0], reach, pos2, mat2, -1.0)
    deepest = radius2
    if kind1 != PLANE:
        deepest = wp.min(radius1, radius2)
    contacts = _point_contacts(contacts, kind2, mesh2, size2, pos2, mat2, kind1, mesh1, size1, pos1, mat1, radius1, deepest, reach, 1.0)
    contacts = _point_contacts(contacts, kind1, mesh1, size1, pos1, mat1, kind2, mesh2, size2, pos2, mat2, radius2, deepest, reach, -1.0)
    if kind1 == PLANE:
        return contacts
    contacts = _edge_contacts(contacts, geom, pairs, nth, w, g1, g2, radius1, pos1, mat1, pos2, mat2, SHALLOW * deepest, reach)
    if depth_of(contacts) <= 0.0:
        contacts = _edge_contacts(contacts, geom, pairs, nth, w, g1, g2, radius1, pos1, mat1, pos2, mat2, DEEP * deepest, reach)
    return contacts


@wp.kernel
def trimesh_kernel(opt: Option, geom: Geom, pair: Pair, kin: Kinematics, contact: Contact, status: Status, pairs: MeshPairs):
    """Contacts of the mesh pairs of a world, behind those it has."""
    w, lane = wp.tid()
    count = status.ncon[w]
    number = pairs.geom1.shape[0]
    sync()
    for first in range(0, number, lanes()):
        contacts = ReducedContacts()
        g1 = wp.int32(0)
        g2 = wp.int32(0)
        if first + lane < number:
            g1 = pairs.geom1[first + lane]
            g2 = pairs.geom2[first + lane]
            width = pair_margin(opt, geom, pair, w, g1, g2, -1)
            contacts = mesh_contacts(geom, kin, pairs, w, g1, g2, width[0] + width[1])
        place = scan_lanes(contacts.count)
        at = count + place[0]
        for k in range(contacts.count):
            if at + k < contact.dist.shape[1]:
                write_point(contact, contacts.dist[k], contacts.pos[k], contacts.normal[k], wp.vec3(), g1, g2, -1, w, at + k)
        count += place[1]
    finish_contacts(opt, geom, pair, contact, status.ncon[w], count, w, lane)
    write_count(contact, status, count, w, lane)


def trimesh(m: Any, d: Any, pairs: MeshPairs) -> None:
    """Contacts of meshes that are not convex, after ``collision``.

    Reads   m.geom, d.kin. Writes d.contact (dist, pos, frame, geom, includemargin), d.status.
    """
    launch(trimesh_kernel, d, [m.opt, m.geom, m.pair, d.kin, d.contact, d.status, pairs])
