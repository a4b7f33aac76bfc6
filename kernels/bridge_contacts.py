"""Contacts of all worlds, one after another, in the flat arrays of Newton's ``Contacts``.

A world's contacts fill the slots after those of the worlds before it. MuJoCo holds the midpoint in the world frame and
forces in the contact frame; Newton holds one point on each shape in its body's frame and forces in the world frame. The
force of a pyramidal contact is the sum of its edges: the normal part of every edge is its force, the tangential part is that
times the friction coefficient along the edge (MuJoCo, Computation chapter, "Friction cones").
"""

import warp as wp

from newtonish.kernels.bridge_frames import to_xyzw
from newtonish.kernels.enums import ConeType
from newtonish.kernels.structs.data import Contact, Efc, Kinematics, Status
from newtonish.kernels.structs.model import Geom, Option

PYRAMIDAL = wp.constant(int(ConeType.PYRAMIDAL))


@wp.struct
class FlatContacts:
    """Newton's contact arrays."""

    count: wp.array(dtype=wp.int32)
    shape0: wp.array(dtype=wp.int32)
    shape1: wp.array(dtype=wp.int32)
    point0: wp.array(dtype=wp.vec3)
    point1: wp.array(dtype=wp.vec3)
    normal: wp.array(dtype=wp.vec3)
    force: wp.array(dtype=wp.vec3)


@wp.func
def contact_force(opt: Option, contact: Contact, efc: Efc, w: int, i: int) -> wp.vec3:
    """Force on the second geom in the contact frame (normal, tangent 1, tangent 2) [N]."""
    row = contact.efc_address[w, i]
    dim = contact.dim[w, i]
    result = wp.vec3(0.0)
    if row >= 0:
        if dim == 1:
            result[0] = efc.force[w, row]
        elif opt.cone == PYRAMIDAL:
            for edge in range(2 * (dim - 1)):
                result[0] += efc.force[w, row + edge]
            for k in range(2):
                mu = contact.friction[w, i][k]
                result[k + 1] = mu * (efc.force[w, row + 2 * k] - efc.force[w, row + 2 * k + 1])
        else:
            for k in range(3):
                result[k] = efc.force[w, row + k]
    return result


@wp.func
def in_body(kin: Kinematics, w: int, b: int, point: wp.vec3) -> wp.vec3:
    """A point of the world frame in a body's frame."""
    return wp.quat_rotate_inv(to_xyzw(kin.xquat[w, b]), point - kin.xpos[w, b])


@wp.kernel
def contacts_kernel(
    opt: Option,
    geom: Geom,
    kin: Kinematics,
    contact: Contact,
    efc: Efc,
    status: Status,
    shape_of_geom: wp.array2d(dtype=wp.int32),
    nworld: int,
    flat: FlatContacts,
):
    """Copy the contacts of one world behind those of the worlds before it."""
    w, lane = wp.tid()
    room = flat.shape0.shape[0]
    first = int(0)
    for other in range(w):
        first += status.ncon[other]
    n = status.ncon[w]
    if lane == 0 and w == nworld - 1:
        flat.count[0] = wp.min(first + n, room)
    for i in range(lane, n, wp.block_dim()):
        slot = first + i
        if slot < room:
            pair = contact.geom[w, i]
            frame = contact.frame[w, i]
            normal = frame[0]
            half = 0.5 * contact.dist[w, i] * normal
            flat.shape0[slot] = shape_of_geom[w, pair[0]]
            flat.shape1[slot] = shape_of_geom[w, pair[1]]
            flat.normal[slot] = normal
            flat.point0[slot] = in_body(kin, w, geom.bodyid[pair[0]], contact.pos[w, i] - half)
            flat.point1[slot] = in_body(kin, w, geom.bodyid[pair[1]], contact.pos[w, i] + half)
            flat.force[slot] = wp.transpose(frame) * contact_force(opt, contact, efc, w, i)
