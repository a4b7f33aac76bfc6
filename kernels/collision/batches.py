"""The list of near pairs that a walk works off, batch by batch."""

import warp as wp

from newtonish.kernels.collision.broadphase import collect_near
from newtonish.kernels.collision.walk import KEPT_IN_MEMORY, Walk
from newtonish.kernels.math.world import lanes, sync
from newtonish.kernels.structs.data import Contact
from newtonish.kernels.structs.model import Collide, Size


@wp.func_native(KEPT_IN_MEMORY)
def keep_pairs(kept: wp.ref[Collide]):
    """Have the arrays of a walk's pairs read from memory where they are used, as ``Walk`` is."""
    ...


@wp.func
def collect_batch(size: Size, collide: wp.ref[Collide], contact: Contact, walk: wp.ref[Walk], listed: int):
    """List the near ones of the next ``walk.some`` pairs, behind ``listed`` others."""
    walk.listed = collect_near(
        collide.geom1, collide.geom2, collide.pairid, contact.bound[walk.slot], contact.bound_axis[walk.slot], contact.candidate[walk.slot],
        walk.lane, walk.tested, wp.min(walk.tested + walk.some, walk.last), size.npair, listed,
    )  # fmt: skip
    walk.tested += walk.some


@wp.func
def take_batch(contact: Contact, walk: wp.ref[Walk]):
    """List the next ``walk.some`` pairs, all of which are near; none where none are left."""
    walk.listed = wp.clamp(walk.last - walk.tested, 0, walk.some)
    for k in range(walk.lane, walk.listed, lanes()):
        contact.candidate[walk.slot, k] = walk.tested + k
    sync()
    walk.tested += walk.some
