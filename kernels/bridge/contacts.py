"""Contacts of all worlds, one after another, in the flat arrays of Newton's ``Contacts``.

A world's contacts fill the slots after those of the worlds before it. MuJoCo holds the midpoint in the world frame and
forces in the contact frame; Newton holds one point on each shape in its body's frame and forces in the world frame. The
points lie on the surfaces, so the thickness around them is the margin of the shape alone.
"""

import warp as wp

from newtonish.kernels.bridge.frames import to_xyzw
from newtonish.kernels.constraint.contact_force import contact_wrench, to_world
from newtonish.kernels.math.world import lanes
from newtonish.kernels.structs.data import Contact, Efc, Kinematics, Status
from newtonish.kernels.structs.model import Geom, Option


@wp.struct
class FlatContacts:
    """Newton's contact arrays."""

    count: wp.array(dtype=wp.int32)
    shape0: wp.array(dtype=wp.int32)
    shape1: wp.array(dtype=wp.int32)
    point0: wp.array(dtype=wp.vec3)
    point1: wp.array(dtype=wp.vec3)
    normal: wp.array(dtype=wp.vec3)
    offset0: wp.array(dtype=wp.vec3)
    offset1: wp.array(dtype=wp.vec3)
    margin0: wp.array(dtype=wp.float32)
    margin1: wp.array(dtype=wp.float32)
    force: wp.array(dtype=wp.vec3)  # on the second shape [N]
    wrench: wp.array(dtype=wp.spatial_vector)  # force and torque on the first shape [N, N m]; empty: not wanted


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
    shape_margin: wp.array(dtype=wp.float32),
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
    for i in range(lane, n, lanes()):
        slot = first + i
        if slot < room:
            pair = contact.geom[w, i]
            frame = contact.frame[w, i]
            normal = frame[0]
            half = 0.5 * contact.dist[w, i] * normal
            shape0 = shape_of_geom[w, pair[0]]
            shape1 = shape_of_geom[w, pair[1]]
            flat.shape0[slot] = shape0
            flat.shape1[slot] = shape1
            flat.normal[slot] = normal
            flat.point0[slot] = in_body(kin, w, geom.bodyid[pair[0]], contact.pos[w, i] - half)
            flat.point1[slot] = in_body(kin, w, geom.bodyid[pair[1]], contact.pos[w, i] + half)
            flat.offset0[slot] = wp.vec3(0.0, 0.0, 0.0)
            flat.offset1[slot] = wp.vec3(0.0, 0.0, 0.0)
            flat.margin0[slot] = shape_margin[shape0]
            flat.margin1[slot] = shape_margin[shape1]
            wrench = to_world(frame, contact_wrench(opt, contact, efc, status, w, i))
            flat.force[slot] = wp.spatial_top(wrench)
            if flat.wrench.shape[0] > 0:
                flat.wrench[slot] = -wrench
