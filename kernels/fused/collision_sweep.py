"""Contacts of models with many geoms: the sweep finds the near pairs, then each is collided, whatever its types."""

from typing import Any

import warp as wp

from newtonish.common.enums import OverflowType
from newtonish.kernels.collision.batches import keep_pairs, take_batch
from newtonish.kernels.collision.hfield_driver import collide_candidates
from newtonish.kernels.collision.sweep import sweep_world
from newtonish.kernels.collision.walk import Walk, begin_pairs, begin_walk
from newtonish.kernels.collision.write import finish_contacts, write_count
from newtonish.kernels.constants import DISABLED
from newtonish.kernels.math.crowd import any_of_warp
from newtonish.kernels.math.world import lane_index, sync, world_index, worlds_per_thread
from newtonish.kernels.runtime.launch import launch, through_worlds
from newtonish.kernels.runtime.nonfinite import note_geoms
from newtonish.kernels.runtime.overflow import flag_overflow
from newtonish.kernels.structs.collision import Near, Sweep
from newtonish.kernels.structs.data import Contact, Kinematics, Status
from newtonish.kernels.structs.model import Body, Collide, Geom, HeightField, Hull, Option, Pair, Size

BROADPHASE = wp.constant(int(OverflowType.BROADPHASE))


@wp.func
def collision_sweep_world(
    size: Size, opt: wp.ref[Option], body: wp.ref[Body], geom: wp.ref[Geom], pair: Pair, hull: wp.ref[Hull], hfield: wp.ref[HeightField], sweep: wp.ref[Sweep],
    kin: wp.ref[Kinematics], contact: Contact, near: Near, status: Status, w: int, lane: int,
):  # fmt: skip
    """Contacts of the geoms of one world."""
    walk = Walk()
    begin_walk(walk, w, lane)
    last = wp.int32(0)
    bounded = wp.int32(0)
    if (opt.disableflags & DISABLED) == 0 and near.order.shape[1] >= size.ngeom:
        last = sweep_world(size, opt, body, geom, pair, sweep, kin, contact, near, walk.w, walk.slot, walk.lane)
        bounded = size.ngeom
    note_geoms(size, geom, pair, kin, contact, status, bounded, walk.w, walk.slot, walk.lane)
    pairs = Collide()
    keep_pairs(pairs)
    pairs.geom1 = near.geom1[walk.slot]
    pairs.geom2 = near.geom2[walk.slot]
    pairs.pairid = near.pairid[walk.slot]
    begin_pairs(walk, last, contact.candidate.shape[1])
    while any_of_warp(walk.tested < walk.last):
        take_batch(contact, walk)
        collide_candidates(opt, geom, pair, pairs, hull, hfield, kin, contact, walk)
    finish_contacts(opt, geom, pair, contact, 0, walk.count, walk.w, walk.lane)
    write_count(contact, status, walk.count, walk.w, walk.lane)
    if walk.lane == 0 and near.needed[walk.w] > near.key.shape[1]:
        flag_overflow(status, walk.w, BROADPHASE)
    sync()


@wp.kernel
def collision_sweep_kernel(
    size: Size, opt: Option, body: Body, geom: Geom, pair: Pair, hull: Hull, hfield: HeightField, sweep: Sweep,
    kin: Kinematics, contact: Contact, near: Near, status: Status, nworld: int,
):  # fmt: skip
    """Contacts of the world's geoms."""
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        collision_sweep_world(size, opt, body, geom, pair, hull, hfield, sweep, kin, contact, near, status, w, lane)


through_worlds(collision_sweep_kernel)


def launch_collision_sweep(m: Any, d: Any) -> None:
    """Run the kernel on all worlds."""
    model = [m.size, m.opt, m.body, m.geom, m.pair, m.hull, m.hfield, m.sweep]
    data = [d.kin, d.contact, d.near, d.status]
    launch(collision_sweep_kernel, d, [*model, *data])
