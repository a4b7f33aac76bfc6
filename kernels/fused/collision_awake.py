"""Contacts of models of simple shapes in which trees may sleep: of pairs with a body that is awake.

Where contacts wake a tree, its own contacts are sought as well, in the same launch.
"""

from typing import Any

import warp as wp

from newtonish.kernels.collision.broadphase import bound_listed, collect_near
from newtonish.kernels.collision.driver import listed
from newtonish.kernels.collision.narrow import narrowphase
from newtonish.kernels.collision.write import finish_contacts, write_count
from newtonish.kernels.math.world import lane_index, scratch_slot, sync, world_index, worlds_per_thread
from newtonish.kernels.runtime.launch import launch, through_worlds
from newtonish.kernels.sleep.contacts import clear_contacts, drop_asleep, wake_by_contacts
from newtonish.kernels.structs.data import Contact, Kinematics, Status
from newtonish.kernels.structs.model import Body, Collide, Dof, Geom, Option, Pair, Size
from newtonish.kernels.structs.sleep import Rest

collide_listed = listed(narrowphase)


@wp.func
def collision_awake_world(
    size: Size, opt: Option, geom: Geom, pair: Pair, collide: Collide, kin: Kinematics, contact: Contact, status: Status,
    rest: Rest, w: int, lane: int,
):  # fmt: skip
    """Contacts of one world, but of pairs that sleep."""
    slot = scratch_slot(w)
    last = bound_listed(size, opt, geom, pair, kin, contact, status, w, slot, lane)
    batch = contact.candidate.shape[1]
    count = wp.int32(0)
    for begin in range(0, last, batch):
        some = collect_near(
            collide.geom1, collide.geom2, collide.pairid, contact.bound[slot], contact.bound_axis[slot],
            contact.candidate[slot], lane, begin, wp.min(begin + batch, last), size.npair, 0,
        )  # fmt: skip
        some = drop_asleep(geom, rest, collide.geom1, collide.geom2, contact.candidate[slot], w, lane, some)
        count = collide_listed(opt, geom, pair, collide, kin, contact, w, slot, lane, some, count)
    finish_contacts(opt, geom, pair, contact, 0, count, w, lane)
    write_count(contact, status, count, w, lane)
    sync()


@wp.kernel
def collision_awake_kernel(
    size: Size, opt: Option, body: Body, dof: Dof, geom: Geom, pair: Pair, collide: Collide, kin: Kinematics,
    contact: Contact, status: Status, rest: Rest, nworld: int,
):  # fmt: skip
    """Contacts of the world's geoms but of those that sleep; contacts with what is awake wake."""
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        again = rest.nmoving[w] > 0
        if not again:
            clear_contacts(status, w, lane)
        while again:
            collision_awake_world(size, opt, geom, pair, collide, kin, contact, status, rest, w, lane)
            again = wake_by_contacts(size, body, dof, geom, contact, status, rest, w, lane)


through_worlds(collision_awake_kernel)


def launch_collision_awake(m: Any, d: Any) -> None:
    """Run the kernel on all worlds."""
    model = [m.size, m.opt, m.body, m.dof, m.geom, m.pair, m.collide]
    launch(collision_awake_kernel, d, [*model, d.kin, d.contact, d.status, d.sleep])
