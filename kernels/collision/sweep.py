"""Sweep and prune: the near pairs of many geoms without a list of all pairs.

The bounds of a world's geoms are sorted by their lower ends along the axis on which their centres spread most; each is
compared with those that begin before it ends. Pairs that overlap on the axis take the same test of balls and capsules
that a listed pair takes, then MuJoCo's rules of masks and bodies. Sorting their keys puts them in the order in which
the list of all pairs has them, so that contacts are the same to the bit. Method: Baraff, Dynamic Simulation of
Non-Penetrating Rigid Bodies (1992); Ericson, Real-Time Collision Detection, 7.5.
"""

import warp as wp

from newtonish.common.enums import DisableBit
from newtonish.kernels.collision.broadphase import EVERYWHERE, near_geoms, write_bound
from newtonish.kernels.collision.sort import ordered, sort_keys
from newtonish.kernels.constants import HFIELD
from newtonish.kernels.math.team import WARP, lanes_that_say, number_of_bits, number_of_bits_below
from newtonish.kernels.math.world import lanes, scan_lanes, sum_lanes, sum_lanes_int, sync
from newtonish.kernels.structs.collision import Near, Sweep
from newtonish.kernels.structs.data import Contact, Kinematics
from newtonish.kernels.structs.model import Body, Geom, Option, Pair, Size

FILTERPARENT = wp.constant(int(DisableBit.FILTERPARENT))
SLACK = wp.constant(1.0e-5)  # by how much bounds are larger on the axis: no pair that their test lets through is missed
LAST = wp.constant(0x7FFFFFFF)


@wp.func
def _listed(adr: wp.array(dtype=wp.int32), entries: wp.array(dtype=wp.int32), row: int, entry: int) -> bool:
    """Whether a row, sorted, has an entry."""
    low = adr[row]
    high = adr[row + 1]
    while low < high:
        middle = (low + high) // 2
        if entries[middle] < entry:
            low = middle + 1
        else:
            high = middle
    return low < adr[row + 1] and entries[wp.min(low, entries.shape[0] - 1)] == entry


@wp.func
def _bodies_meet(opt: Option, body: Body, sweep: Sweep, b1: int, b2: int) -> bool:
    """Whether two bodies, the lower number first, may have contacts; ``filter._bodies_meet`` on the device."""
    weld1 = body.weldid[b1]
    weld2 = body.weldid[b2]
    if weld1 == weld2 or (body.dofnum[weld1] == 0 and body.dofnum[weld2] == 0):
        return False
    if (opt.disableflags & FILTERPARENT) == 0 and weld1 != 0 and weld2 != 0:
        if weld1 == body.weldid[body.parentid[weld2]] or weld2 == body.weldid[body.parentid[weld1]]:
            return False
    return not _listed(sweep.exclude_adr, sweep.exclude, b1, b2)


@wp.func
def may_collide(opt: Option, body: Body, geom: Geom, sweep: Sweep, g1: int, g2: int) -> bool:
    """Whether two geoms, the lower number first, collide by themselves."""
    if (geom.contype[g1] & geom.conaffinity[g2]) == 0 and (geom.contype[g2] & geom.conaffinity[g1]) == 0:
        return False
    if geom.type[g1] <= HFIELD and geom.type[g2] <= HFIELD:
        return False
    if not _bodies_meet(opt, body, sweep, geom.bodyid[g1], geom.bodyid[g2]):
        return False
    return not _listed(sweep.drop_adr, sweep.drop, g1, g2)


@wp.func
def _key(b1: int, b2: int, first: int, second: int) -> wp.int64:
    """Sixteen bits each: two bodies, then two numbers within them."""
    bodies = (wp.int64(b1) << wp.int64(48)) | (wp.int64(b2) << wp.int64(32))
    return bodies | (wp.int64(first) << wp.int64(16)) | wp.int64(second)


@wp.func
def _part(key: wp.int64, shift: int) -> int:
    return int((key >> wp.int64(shift)) & wp.int64(0xFFFF))


@wp.func
def _axis(size: Size, contact: Contact, slot: int, lane: int) -> int:
    """The axis along which the centres of bounded geoms spread most."""
    total = wp.vec3(0.0, 0.0, 0.0)
    square = wp.vec3(0.0, 0.0, 0.0)
    count = wp.int32(0)
    for g in range(lane, size.ngeom, lanes()):
        b = contact.bound[slot, g]
        if b[3] < EVERYWHERE:
            p = wp.vec3(b[0], b[1], b[2])
            total += p
            square += wp.cw_mul(p, p)
            count += 1
    number = wp.max(float(sum_lanes_int(count)), 1.0)
    best = wp.int32(0)
    most = wp.float32(-1.0)
    for axis in range(3):
        mean = sum_lanes(total[axis]) / number
        spread = sum_lanes(square[axis]) / number - mean * mean
        if spread > most:
            most = spread
            best = axis
    return best


@wp.func
def _reach(bound: wp.vec4, axis: int) -> float:
    """Half length of a bound on the sweep axis, rounding included."""
    return bound[3] + SLACK * (bound[3] + wp.abs(bound[axis]))


@wp.func
def _near_key(
    opt: wp.ref[Option], body: wp.ref[Body], geom: wp.ref[Geom], sweep: wp.ref[Sweep], bound: wp.array(dtype=wp.vec4), axes: wp.array(dtype=wp.vec4),
    g: int, other: int,
) -> wp.int64:  # fmt: skip
    """The key of two geoms that are near and may collide; -1 of others."""
    low = wp.min(g, other)
    high = wp.max(g, other)
    swap = geom.type[low] > geom.type[high]
    key = wp.int64(-1)
    if near_geoms(bound, axes, wp.where(swap, high, low), wp.where(swap, low, high)) == 1:
        if may_collide(opt, body, geom, sweep, low, high):
            b1 = geom.bodyid[low]
            b2 = geom.bodyid[high]
            key = _key(b1, b2, low - body.geomadr[b1] + 1, high - body.geomadr[b2])
    return key


@wp.func(inline=False)
def _partners(
    opt: wp.ref[Option], body: wp.ref[Body], geom: wp.ref[Geom], sweep: wp.ref[Sweep], order: wp.array(dtype=wp.int64), key: wp.array(dtype=wp.int64),
    bound: wp.array(dtype=wp.vec4), axes: wp.array(dtype=wp.vec4), i: int, n: int, axis: int, at: int, room: int,
) -> int:  # fmt: skip
    """Near partners of the ``i``-th geom behind it, written from ``at`` on as far as there is room; their number."""
    g = int(order[i] & wp.int64(LAST))
    end = ordered(bound[g][axis] + _reach(bound[g], axis))
    found = wp.int32(0)
    j = i + 1
    while j < n and int(order[j] >> wp.int64(32)) <= end:
        pair = _near_key(opt, body, geom, sweep, bound, axes, g, int(order[j] & wp.int64(LAST)))
        if pair >= wp.int64(0):
            if at + found < room:
                key[at + found] = pair
            found += 1
        j += 1
    return found


@wp.func(inline=False)
def _partners_by_warp(
    opt: wp.ref[Option], body: wp.ref[Body], geom: wp.ref[Geom], sweep: wp.ref[Sweep], order: wp.array(dtype=wp.int64), key: wp.array(dtype=wp.int64),
    bound: wp.array(dtype=wp.vec4), axes: wp.array(dtype=wp.vec4), i: int, n: int, axis: int, at: int, room: int, lane: int,
) -> int:  # fmt: skip
    """``_partners`` by the lanes of a warp, which look at 32 geoms at a time."""
    g = int(order[i] & wp.int64(LAST))
    end = ordered(bound[g][axis] + _reach(bound[g], axis))
    found = wp.int32(0)
    first = i + 1
    going = wp.int32(1)
    while going == 1:
        j = first + lane
        begun = wp.int32(0)  # before the first geom ends
        pair = wp.int64(-1)
        if j < n:
            if int(order[j] >> wp.int64(32)) <= end:
                begun = 1
                pair = _near_key(opt, body, geom, sweep, bound, axes, g, int(order[j] & wp.int64(LAST)))
        near = lanes_that_say(pair >= wp.int64(0), WARP)
        place = at + found + number_of_bits_below(near, WARP)
        if pair >= wp.int64(0) and place < room:
            key[place] = pair
        found += number_of_bits(near, WARP)
        if number_of_bits(lanes_that_say(begun == 1, WARP), WARP) < WARP:
            going = 0
        first += WARP
    return found


@wp.func
def _list_by_warps(
    opt: wp.ref[Option], body: wp.ref[Body], geom: wp.ref[Geom], sweep: wp.ref[Sweep], contact: Contact, near: Near, slot: int, lane: int, n: int, axis: int,
    room: int,
) -> int:  # fmt: skip
    """The near pairs of the first ``n`` geoms, each of which is a warp's of those that share the world; counted first, then written."""
    warp = lane // WARP
    own = lane - warp * WARP
    count = wp.int32(0)
    for first in range(0, n, lanes() // WARP):
        i = first + warp
        mine = wp.int32(0)
        if i < n:
            mine = _partners_by_warp(
                opt, body, geom, sweep, near.order[slot], near.key[slot], contact.bound[slot], contact.bound_axis[slot],
                i, n, axis, 0, 0, own,
            )  # fmt: skip
        place = scan_lanes(wp.where(own == 0, mine, 0))
        if mine > 0:
            at = count + place[0] - wp.where(own == 0, 0, mine)
            _partners_by_warp(
                opt, body, geom, sweep, near.order[slot], near.key[slot], contact.bound[slot], contact.bound_axis[slot],
                i, n, axis, at, room, own,
            )  # fmt: skip
        count += place[1]
    return count


@wp.func
def _list_by_lanes(
    opt: wp.ref[Option], body: wp.ref[Body], geom: wp.ref[Geom], sweep: wp.ref[Sweep], contact: Contact, near: Near, slot: int, lane: int, n: int, axis: int,
    room: int,
) -> int:  # fmt: skip
    """The near pairs of the first ``n`` geoms, each of which is a lane's."""
    count = wp.int32(0)
    for first in range(0, n, lanes()):
        i = first + lane
        mine = wp.int32(0)
        if lanes() > 1:
            if i < n:
                mine = _partners(
                    opt, body, geom, sweep, near.order[slot], near.key[slot], contact.bound[slot], contact.bound_axis[slot],
                    i, n, axis, 0, 0,
                )  # fmt: skip
        place = scan_lanes(mine)
        at = count + place[0]
        if i < n:
            mine = _partners(
                opt, body, geom, sweep, near.order[slot], near.key[slot], contact.bound[slot], contact.bound_axis[slot],
                i, n, axis, at, room,
            )  # fmt: skip
        count += sum_lanes_int(mine)  # on a CPU they are only counted now
    return count


@wp.func
def _explicit(geom: Geom, pair: Pair, size: Size, near: Near, slot: int, lane: int, count: int, room: int) -> int:
    """Add the explicit pairs, which are tested wherever they are."""
    found = count
    for first in range(0, size.npair, lanes()):
        k = first + lane
        wanted = wp.int32(0)
        b1 = wp.int32(0)
        b2 = wp.int32(0)
        if k < size.npair:
            g1 = pair.geom1[k]
            g2 = pair.geom2[k]
            b1 = wp.min(geom.bodyid[g1], geom.bodyid[g2])
            b2 = wp.max(geom.bodyid[g1], geom.bodyid[g2])
            if b2 != 0 and (geom.type[g1] > HFIELD or geom.type[g2] > HFIELD):
                wanted = 1
        place = scan_lanes(wanted)
        at = found + place[0]
        if wanted == 1 and at < room:
            near.key[slot, at] = _key(b1, b2, 0, k)
        found += place[1]
    return found


@wp.func
def _decode(body: Body, geom: Geom, pair: Pair, near: Near, slot: int, k: int):
    """Geoms of a near pair, the lower type first."""
    key = near.key[slot, k]
    first = _part(key, 16)
    second = _part(key, 0)
    g1 = wp.int32(0)
    g2 = wp.int32(0)
    pairid = wp.int32(-1)
    if first == 0:
        pairid = second
        g1 = pair.geom1[second]
        g2 = pair.geom2[second]
    else:
        g1 = body.geomadr[_part(key, 48)] + first - 1
        g2 = body.geomadr[_part(key, 32)] + second
    swap = geom.type[g1] > geom.type[g2]
    near.geom1[slot, k] = wp.where(swap, g2, g1)
    near.geom2[slot, k] = wp.where(swap, g1, g2)
    near.pairid[slot, k] = pairid


@wp.func
def sweep_world(
    size: Size, opt: wp.ref[Option], body: wp.ref[Body], geom: wp.ref[Geom], pair: Pair, sweep: wp.ref[Sweep], kin: Kinematics, contact: Contact, near: Near,
    w: int, slot: int, lane: int,
) -> int:  # fmt: skip
    """List the near pairs of one world in order; returns their number, which is at most the room there is."""
    for g in range(lane, size.ngeom, lanes()):
        write_bound(opt, geom, kin, contact, w, slot, g)
    sync()
    axis = _axis(size, contact, slot, lane)
    active = wp.int32(0)
    for g in range(lane, size.ngeom, lanes()):
        b = contact.bound[slot, g]
        low = wp.int32(LAST)  # geoms that collide with nothing by themselves come last
        if (geom.contype[g] | geom.conaffinity[g]) != 0:
            low = ordered(b[axis] - _reach(b, axis))
            active += 1
        near.order[slot, g] = (wp.int64(low) << wp.int64(32)) | wp.int64(g)
    n = sum_lanes_int(active)
    sync()
    sort_keys(near.order[slot], size.ngeom)
    room = near.key.shape[1]
    count = wp.int32(0)
    if lanes() > WARP:
        count = _list_by_warps(opt, body, geom, sweep, contact, near, slot, lane, n, axis, room)
    else:
        count = _list_by_lanes(opt, body, geom, sweep, contact, near, slot, lane, n, axis, room)
    count = _explicit(geom, pair, size, near, slot, lane, count, room)
    if lane == 0:
        near.needed[w] = wp.max(near.needed[w], count)
    count = wp.min(count, room)
    sync()
    sort_keys(near.key[slot], count)
    for k in range(lane, count, lanes()):
        _decode(body, geom, pair, near, slot, k)
    sync()
    return count
