"""Contacts of all geom pairs of a world: bounding spheres, then the narrowphase of each pair that is near.

The pairs were filtered and ordered when the model was made (``newtonish.kernels.collision.filter``). They are treated in
batches: a batch's near pairs are collected first, then collided, each lane of a block taking one. Slots are given by
scans over the lanes, so contacts stand in the order of the pairs, whatever the number of lanes.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.collision.manifold import Manifold
from newtonish.kernels.collision.narrow import PLANE, narrowphase
from newtonish.kernels.collision.params import OVERRIDE, pair_margin
from newtonish.kernels.collision.write import write_contacts
from newtonish.kernels.enums import DisableBit, OverflowType
from newtonish.kernels.launch import launch
from newtonish.kernels.math.world import block_scan, block_sum_int, per_world, scratch_slot, sync
from newtonish.kernels.structs.data import Contact, Kinematics, Status
from newtonish.kernels.structs.model import Body, Collide, Geom, Option, Pair, Size

DISABLED = wp.constant(int(DisableBit.CONTACT | DisableBit.CONSTRAINT))
NARROWPHASE = wp.constant(int(OverflowType.NARROWPHASE))


@wp.func(inline=True)
def _bounding_ball(opt: Option, geom: Geom, kin: Kinematics, w: int, g: int) -> wp.vec4:
    """Centre and radius of a ball around geom ``g`` and its share of the detection distance.

    A plane has none: its entry is its own share, made negative. Under the contact override MuJoCo looks for pairs within
    the override's margin, without the gaps.
    """
    share = wp.float32(0.0)
    if (opt.enableflags & OVERRIDE) != 0:
        share = 0.5 * opt.o_margin[per_world(opt.o_margin.shape[0], w)]
    else:
        share = geom.margin[per_world(geom.margin.shape[0], w), g] + geom.gap[per_world(geom.gap.shape[0], w), g]
    pos = kin.geom_xpos[w, g]
    radius = share + geom.rbound[per_world(geom.rbound.shape[0], w), g]
    if geom.type[g] == PLANE:
        radius = -1.0 - share
    return wp.vec4(pos[0], pos[1], pos[2], radius)


@wp.func(inline=True)
def _is_near(
    size: Size, opt: Option, collide: Collide, kin: Kinematics, contact: Contact, w: int, slot: int, p: int
) -> int:
    """1 if the bounding balls of pair ``p`` meet, or the ball meets the plane."""
    g1 = collide.geom1[p]
    a = contact.ball[slot, g1]
    b = contact.ball[slot, collide.geom2[p]]
    offset = wp.vec3(b[0] - a[0], b[1] - a[1], b[2] - a[2])
    if size.npair > 0:
        if collide.pairid[p] >= 0:  # margins of its own
            return 1
    if a[3] < 0.0:
        if (opt.enableflags & OVERRIDE) != 0:
            return 1
        mat = kin.geom_xmat[w, g1]
        height = offset[0] * mat[0, 2] + offset[1] * mat[1, 2] + offset[2] * mat[2, 2]
        return wp.where(height <= b[3] - a[3] - 1.0, 1, 0)
    reach = a[3] + b[3]
    return wp.where(wp.length_sq(offset) <= reach * reach, 1, 0)


@wp.func(inline=True)
def _collect(
    size: Size, opt: Option, collide: Collide, kin: Kinematics, contact: Contact, w: int, slot: int, lane: int, begin: int,
    end: int,
) -> int:  # fmt: skip
    """List the near pairs among ``begin`` to ``end - 1`` in ``contact.candidate``; returns their number."""
    found = wp.int32(0)
    for first in range(begin, end, wp.block_dim()):
        p = first + lane
        near = wp.int32(0)
        if p < end:
            near = _is_near(size, opt, collide, kin, contact, w, slot, p)
        at = found + block_scan(near)
        if near == 1:
            contact.candidate[slot, at] = p
        found += block_sum_int(near)
    sync()
    return found


@wp.func(inline=True)
def _collide(
    opt: Option, geom: Geom, pair: Pair, collide: Collide, kin: Kinematics, contact: Contact, w: int, slot: int, lane: int,
    ncandidate: int, ncon: int,
) -> int:  # fmt: skip
    """Contacts of the listed pairs from slot ``ncon`` on; returns the number of contacts with unlimited room."""
    count = ncon
    for first in range(0, ncandidate, wp.block_dim()):
        g1 = wp.int32(0)
        g2 = wp.int32(0)
        pairid = wp.int32(-1)
        margin = wp.float32(0.0)
        found = Manifold()
        if first + lane < ncandidate:
            p = contact.candidate[slot, first + lane]
            g1 = collide.geom1[p]
            g2 = collide.geom2[p]
            pairid = collide.pairid[p]
            width = pair_margin(opt, geom, pair, w, g1, g2, pairid)
            margin = width[0]
            found = narrowphase(geom, kin, w, g1, g2, margin + width[1])
        at = count + block_scan(found.count)
        if found.count > 0:
            write_contacts(opt, geom, pair, contact, found, w, at, g1, g2, pairid, margin)
        count += block_sum_int(found.count)
    sync()
    return count


@wp.func
def collision_world(
    size: Size, opt: Option, body: Body, geom: Geom, pair: Pair, collide: Collide, kin: Kinematics, contact: Contact,
    status: Status, w: int, lane: int,
):  # fmt: skip
    """Contacts of one world."""
    slot = scratch_slot(w)
    last = size.ncollide
    if (opt.disableflags & DISABLED) != 0:
        last = 0
    if last > 0:
        for g in range(lane, size.ngeom, wp.block_dim()):
            contact.ball[slot, g] = _bounding_ball(opt, geom, kin, w, g)
    sync()
    batch = contact.candidate.shape[1]
    count = wp.int32(0)
    for begin in range(0, last, batch):
        near = _collect(size, opt, collide, kin, contact, w, slot, lane, begin, wp.min(begin + batch, last))
        count = _collide(opt, geom, pair, collide, kin, contact, w, slot, lane, near, count)
    if lane == 0:
        room = contact.dist.shape[1]
        status.ncon[w] = wp.min(count, room)
        status.ncon_needed[w] = wp.max(status.ncon_needed[w], count)
        if count > room:
            status.overflow[w] = status.overflow[w] | NARROWPHASE
    sync()


@wp.kernel
def _collision(
    size: Size, opt: Option, body: Body, geom: Geom, pair: Pair, collide: Collide, kin: Kinematics, contact: Contact,
    status: Status,
):  # fmt: skip
    w, lane = wp.tid()
    collision_world(size, opt, body, geom, pair, collide, kin, contact, status, w, lane)


def collision(m: Any, d: Any) -> None:
    """Contacts of all worlds.

    Reads   m.geom, m.pair, m.collide, m.opt; d.kin (after kinematics)
    Writes  d.contact, d.status (ncon, ncon_needed, overflow). Contacts beyond nconmax are left out.
    MuJoCo  mj_collision.
    """
    launch(_collision, d, [m.size, m.opt, m.body, m.geom, m.pair, m.collide, d.kin, d.contact, d.status])
