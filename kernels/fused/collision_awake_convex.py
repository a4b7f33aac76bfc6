"""The same as ``collision_awake`` for models with pairs of general convex shapes."""

from typing import Any

import warp as wp

from newtonish.kernels.collision.batches import collect_batch
from newtonish.kernels.collision.broadphase import bound_listed
from newtonish.kernels.collision.convex_driver import collide_alone
from newtonish.kernels.collision.search import Search
from newtonish.kernels.collision.walk import Walk, begin_pairs, begin_walk
from newtonish.kernels.collision.write import finish_contacts, write_count
from newtonish.kernels.math.world import lane_index, sync, world_index, worlds_per_thread
from newtonish.kernels.runtime.launch import launch, through_worlds
from newtonish.kernels.sleep.contacts import clear_contacts, drop_asleep, wake_by_contacts
from newtonish.kernels.structs.data import Contact, Kinematics, Status
from newtonish.kernels.structs.model import Body, Collide, Dof, Geom, Hull, Option, Pair, Size
from newtonish.kernels.structs.sleep import Rest


@wp.func
def collision_awake_convex_world(
    size: Size, opt: Option, body: Body, dof: Dof, geom: wp.ref[Geom], pair: Pair, collide: wp.ref[Collide], hull: wp.ref[Hull], kin: wp.ref[Kinematics],
    contact: Contact, status: Status, rest: Rest, w: int, lane: int,
):  # fmt: skip
    """Contacts of one world, but of pairs that sleep, again as long as one wakes."""
    walk = Walk()
    begin_walk(walk, w, lane)
    search = Search()
    again = rest.nmoving[walk.w] > 0
    if not again:
        clear_contacts(status, walk.w, walk.lane)
    while again:
        begin_pairs(walk, bound_listed(size, opt, geom, pair, kin, contact, status, walk.w, walk.slot, walk.lane), contact.candidate.shape[1])
        while walk.tested < walk.last:
            collect_batch(size, collide, contact, walk, 0)
            walk.listed = drop_asleep(geom, rest, collide.geom1, collide.geom2, contact.candidate[walk.slot], walk.w, walk.lane, walk.listed)
            collide_alone(opt, geom, pair, collide, hull, kin, contact, walk, search, 0, walk.listed)
        finish_contacts(opt, geom, pair, contact, 0, walk.count, walk.w, walk.lane)
        write_count(contact, status, walk.count, walk.w, walk.lane)
        sync()
        again = wake_by_contacts(size, body, dof, geom, contact, status, rest, walk.w, walk.lane)


@wp.kernel
def collision_awake_convex_kernel(
    size: Size, opt: Option, body: Body, dof: Dof, geom: Geom, pair: Pair, collide: Collide, hull: Hull, kin: Kinematics,
    contact: Contact, status: Status, rest: Rest, nworld: int,
):  # fmt: skip
    """Contacts of the world's geoms but of those that sleep, whatever their types; contacts with what is awake wake."""
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        collision_awake_convex_world(size, opt, body, dof, geom, pair, collide, hull, kin, contact, status, rest, w, lane)


through_worlds(collision_awake_convex_kernel)


def launch_collision_awake_convex(m: Any, d: Any) -> None:
    """Run the kernel on all worlds."""
    model = [m.size, m.opt, m.body, m.dof, m.geom, m.pair, m.collide, m.hull]
    launch(collision_awake_convex_kernel, d, [*model, d.kin, d.contact, d.status, d.sleep])
