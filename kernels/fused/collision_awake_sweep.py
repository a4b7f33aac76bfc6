"""The same as ``collision_awake`` for models with heightfields or many geoms, whatever the types and the broadphase."""

from typing import Any

import warp as wp

from newtonish.common.enums import BroadphaseType, OverflowType
from newtonish.kernels.collision.batches import collect_batch, keep_pairs, take_batch
from newtonish.kernels.collision.broadphase import bound_listed
from newtonish.kernels.collision.hfield_driver import collide_candidates_alone
from newtonish.kernels.collision.sweep import sweep_world
from newtonish.kernels.collision.walk import Walk, begin_pairs, begin_walk
from newtonish.kernels.collision.write import finish_contacts, write_count
from newtonish.kernels.constants import DISABLED
from newtonish.kernels.math.world import lane_index, scratch_slot, sync, world_index, worlds_per_thread
from newtonish.kernels.runtime.launch import launch, through_worlds
from newtonish.kernels.runtime.nonfinite import note_geoms
from newtonish.kernels.runtime.overflow import flag_overflow
from newtonish.kernels.sleep.contacts import clear_contacts, drop_asleep, wake_by_contacts
from newtonish.kernels.structs.collision import Near, Sweep
from newtonish.kernels.structs.data import Contact, Kinematics, Status
from newtonish.kernels.structs.model import Body, Collide, Dof, Geom, HeightField, Hull, Option, Pair, Size
from newtonish.kernels.structs.sleep import Rest

BROADPHASE = wp.constant(int(OverflowType.BROADPHASE))
NXN = wp.constant(int(BroadphaseType.NXN))


@wp.func
def list_near(
    size: Size, opt: wp.ref[Option], body: wp.ref[Body], geom: wp.ref[Geom], pair: Pair, sweep: wp.ref[Sweep], kin: Kinematics, contact: Contact,
    near: Near, status: Status, w: int, lane: int,
) -> int:  # fmt: skip
    """Near pairs by the sweep; returns their number."""
    slot = scratch_slot(w)
    number = wp.int32(0)
    bounded = wp.int32(0)
    if (opt.disableflags & DISABLED) == 0 and near.order.shape[1] >= size.ngeom:
        number = sweep_world(size, opt, body, geom, pair, sweep, kin, contact, near, w, slot, lane)
        bounded = size.ngeom
    note_geoms(size, geom, pair, kin, contact, status, bounded, w, slot, lane)
    if lane == 0 and near.needed[w] > near.key.shape[1]:
        flag_overflow(status, w, BROADPHASE)
    return number


@wp.func
def pairs_of_walk(
    size: Size, opt: wp.ref[Option], body: wp.ref[Body], geom: wp.ref[Geom], pair: Pair, collide: wp.ref[Collide], sweep: wp.ref[Sweep],
    kin: wp.ref[Kinematics], contact: Contact, near: Near, status: Status, walk: wp.ref[Walk], pairs: wp.ref[Collide],
):  # fmt: skip
    """The pairs that a walk goes over, ``walk.last`` of them, as ``pairs``: those of the model, or those that the sweep finds near."""
    keep_pairs(pairs)
    last = wp.int32(0)
    if opt.broadphase == NXN:
        last = bound_listed(size, opt, geom, pair, kin, contact, status, walk.w, walk.slot, walk.lane)
        pairs.geom1 = collide.geom1
        pairs.geom2 = collide.geom2
        pairs.pairid = collide.pairid
    else:
        last = list_near(size, opt, body, geom, pair, sweep, kin, contact, near, status, walk.w, walk.lane)
        pairs.geom1 = near.geom1[walk.slot]
        pairs.geom2 = near.geom2[walk.slot]
        pairs.pairid = near.pairid[walk.slot]
    begin_pairs(walk, last, contact.candidate.shape[1])


@wp.func
def next_batch(size: Size, opt: wp.ref[Option], pairs: wp.ref[Collide], contact: Contact, walk: wp.ref[Walk]):
    """List the near ones of the next pairs of such a walk."""
    if opt.broadphase == NXN:
        collect_batch(size, pairs, contact, walk, 0)
    else:
        take_batch(contact, walk)


@wp.func
def collision_awake_sweep_world(
    size: Size, opt: wp.ref[Option], body: wp.ref[Body], dof: Dof, geom: wp.ref[Geom], pair: Pair, collide: wp.ref[Collide], hull: wp.ref[Hull],
    hfield: wp.ref[HeightField], sweep: wp.ref[Sweep], kin: wp.ref[Kinematics], contact: Contact, near: Near, status: Status, rest: Rest, w: int, lane: int,
):  # fmt: skip
    """Contacts of one world, but of pairs that sleep, again as long as one wakes."""
    walk = Walk()
    begin_walk(walk, w, lane)
    pairs = Collide()
    again = rest.nmoving[walk.w] > 0
    if not again:
        clear_contacts(status, walk.w, walk.lane)
    while again:
        pairs_of_walk(size, opt, body, geom, pair, collide, sweep, kin, contact, near, status, walk, pairs)
        while walk.tested < walk.last:
            next_batch(size, opt, pairs, contact, walk)
            walk.listed = drop_asleep(geom, rest, pairs.geom1, pairs.geom2, contact.candidate[walk.slot], walk.w, walk.lane, walk.listed)
            collide_candidates_alone(opt, geom, pair, pairs, hull, hfield, kin, contact, walk)
        finish_contacts(opt, geom, pair, contact, 0, walk.count, walk.w, walk.lane)
        write_count(contact, status, walk.count, walk.w, walk.lane)
        sync()
        again = wake_by_contacts(size, body, dof, geom, contact, status, rest, walk.w, walk.lane)


@wp.kernel
def collision_awake_sweep_kernel(
    size: Size, opt: Option, body: Body, dof: Dof, geom: Geom, pair: Pair, collide: Collide, hull: Hull,
    hfield: HeightField, sweep: Sweep, kin: Kinematics, contact: Contact, near: Near, status: Status, rest: Rest,
    nworld: int,
):  # fmt: skip
    """Contacts of the world's geoms but of those that sleep; contacts with what is awake wake."""
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        collision_awake_sweep_world(size, opt, body, dof, geom, pair, collide, hull, hfield, sweep, kin, contact, near, status, rest, w, lane)


through_worlds(collision_awake_sweep_kernel)


def launch_collision_awake_sweep(m: Any, d: Any) -> None:
    """Run the kernel on all worlds."""
    model = [m.size, m.opt, m.body, m.dof, m.geom, m.pair, m.collide, m.hull, m.hfield, m.sweep]
    data = [d.kin, d.contact, d.near, d.status, d.sleep]
    launch(collision_awake_sweep_kernel, d, [*model, *data])
