"""Contacts of models with the flag ``speculative``, whatever the types and the broadphase; of trees asleep none.

Near are geoms whose bounds meet when each is larger by what it moves within the step.
"""

from typing import Any

import warp as wp

from newtonish.common.enums import DisableBit, EnableBit
from newtonish.kernels.collision.walk import Walk, begin_walk
from newtonish.kernels.collision.write import finish_contacts, write_count
from newtonish.kernels.fused.collision_awake_sweep import next_batch, pairs_of_walk
from newtonish.kernels.math.world import lane_index, sync, world_index, worlds_per_thread
from newtonish.kernels.runtime.launch import launch, through_worlds
from newtonish.kernels.sleep.contacts import clear_contacts, drop_asleep, wake_by_contacts
from newtonish.kernels.speculative.pairs import collide_ahead
from newtonish.kernels.speculative.sight import drop_hidden
from newtonish.kernels.structs.collision import Near, Sweep
from newtonish.kernels.structs.data import Contact, Kinematics, Status
from newtonish.kernels.structs.field import variant
from newtonish.kernels.structs.geometric import Surface
from newtonish.kernels.structs.model import GEOM, Body, Collide, Dof, Geom, HeightField, Hull, Option, Pair, Size
from newtonish.kernels.structs.sleep import Rest
from newtonish.kernels.structs.speculative import Ahead, Thickness

SLEEP = wp.constant(int(EnableBit.SLEEP))
ISLAND = wp.constant(int(DisableBit.ISLAND))


@wp.func
def collision_speculative_world(
    size: wp.ref[Size], opt: wp.ref[Option], body: wp.ref[Body], dof: Dof, geom: wp.ref[Geom], swept: wp.ref[Geom], pair: wp.ref[Pair],
    collide: wp.ref[Collide], hull: wp.ref[Hull], hfield: wp.ref[HeightField], sweep: wp.ref[Sweep], surface: wp.ref[Surface], kin: wp.ref[Kinematics],
    contact: wp.ref[Contact], near: Near, thickness: wp.ref[Thickness], ahead: wp.ref[Ahead], status: Status, rest: Rest, w: int, lane: int,
):  # fmt: skip
    """Contacts of one world; where trees may sleep, again as long as one wakes."""
    walk = Walk()
    begin_walk(walk, w, lane)
    pairs = Collide()
    sleeping = (opt.enableflags & SLEEP) != 0 and (opt.disableflags & ISLAND) == 0 and size.ntree > 0
    again = bool(True)
    if sleeping:
        again = rest.nmoving[walk.w] > 0
        if not again:
            clear_contacts(status, walk.w, walk.lane)
    while again:
        pairs_of_walk(size, opt, body, swept, pair, collide, sweep, kin, contact, near, status, walk, pairs)
        while walk.tested < walk.last:
            next_batch(size, opt, pairs, contact, walk)
            if sleeping:
                walk.listed = drop_asleep(geom, rest, pairs.geom1, pairs.geom2, contact.candidate[walk.slot], walk.w, walk.lane, walk.listed)
            collide_ahead(opt, geom, pair, pairs, hull, hfield, kin, contact, thickness, ahead, walk)
        walk.count = drop_hidden(size, opt, body, geom, pair, sweep, surface, hfield, kin, contact, thickness, ahead, walk.w, walk.lane, walk.count)
        finish_contacts(opt, geom, pair, contact, 0, walk.count, walk.w, walk.lane)
        write_count(contact, status, walk.count, walk.w, walk.lane)
        sync()
        again = False
        if sleeping:
            again = wake_by_contacts(size, body, dof, geom, contact, status, rest, walk.w, walk.lane)


@wp.kernel
def collision_speculative_kernel(
    size: Size, opt: Option, body: Body, dof: Dof, geom: Geom, swept: Geom, pair: Pair, collide: Collide, hull: Hull,
    hfield: HeightField, sweep: Sweep, surface: Surface, kin: Kinematics, contact: Contact, near: Near, thickness: Thickness, ahead: Ahead, status: Status,
    rest: Rest, nworld: int,
):  # fmt: skip
    """Contacts of the world's geoms, present and ahead; where trees may sleep, contacts with what is awake wake."""
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        collision_speculative_world(
            size, opt, body, dof, geom, swept, pair, collide, hull, hfield, sweep, surface, kin, contact, near, thickness, ahead, status, rest, w, lane
        )


through_worlds(collision_speculative_kernel)


def launch_collision_speculative(m: Any, d: Any) -> None:
    """Run the kernel on all worlds."""
    swept = variant(GEOM, m.geom, gap=d.ahead.gap)
    model = [m.size, m.opt, m.body, m.dof, m.geom, swept, m.pair, m.collide, m.hull, m.hfield, m.sweep, m.surface]
    data = [d.kin, d.contact, d.near, m.thickness, d.ahead, d.status, d.sleep]
    launch(collision_speculative_kernel, d, [*model, *data])
