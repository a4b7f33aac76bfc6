"""Contacts of models with pairs of general convex shapes."""

import warp as wp

from newtonish.kernels.collision.convex_driver import collision_convex_world
from newtonish.kernels.math.world import own_lane, own_world
from newtonish.kernels.structs import packed
from newtonish.kernels.structs.data import Contact, Kinematics, Status
from newtonish.kernels.structs.model import Body, Collide, Geom, Hull, Option, Pair, Size


@wp.kernel
def collision_convex_kernel(
    size: Size, opt: Option, body: Body, geom: Geom, pair: Pair, collide: Collide, hull: Hull, kin: Kinematics,
    contact: Contact, status: Status,
):  # fmt: skip
    """Contacts of the world's geoms, whatever their types."""
    thread, part = wp.tid()
    w, lane = own_world(thread), own_lane(part)
    packed.body(body)
    packed.geom(geom)
    packed.kin(kin)
    packed.contact(contact)
    collision_convex_world(size, opt, body, geom, pair, collide, hull, kin, contact, status, w, lane)
