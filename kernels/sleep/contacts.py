"""Contacts and sleep: pairs of geoms of which nothing is awake are passed over, and contacts with what is awake wake.

MuJoCo: mj_collision, mj_wakeCollision.
"""

import warp as wp

from newtonish.kernels.math.world import lanes, scan_lanes, sync
from newtonish.kernels.sleep.groups import ASLEEP, AWAKE, RESTLESS, follow_trees, wake_group
from newtonish.kernels.structs.data import Contact, Status
from newtonish.kernels.structs.model import Body, Dof, Geom, Size
from newtonish.kernels.structs.sleep import Rest


@wp.func
def clear_contacts(status: Status, w: int, lane: int):
    """What is left in a world in which nothing is awake. Ends with a barrier."""
    if lane == 0:
        status.ncon[w] = 0
        status.nonfinite_met[w] = 0
    sync()


@wp.func
def drop_asleep(
    geom: Geom, rest: Rest, geom1: wp.array(dtype=wp.int32), geom2: wp.array(dtype=wp.int32),
    candidate: wp.array(dtype=wp.int32), w: int, lane: int, number: int,
) -> int:  # fmt: skip
    """Keep those of ``number`` listed pairs with a body that is awake, in their order; returns how many. Ends with a barrier."""
    kept = wp.int32(0)
    for first in range(0, number, lanes()):
        keep = wp.int32(0)
        p = wp.int32(0)
        if first + lane < number:
            p = wp.int32(candidate[first + lane])
            one = rest.body_awake[w, geom.bodyid[geom1[p]]]
            two = rest.body_awake[w, geom.bodyid[geom2[p]]]
            if one == AWAKE or two == AWAKE:
                keep = 1
        place = scan_lanes(keep)
        sync()
        if keep == 1:
            candidate[kept + place[0]] = p
        kept += place[1]
        sync()
    return kept


@wp.func
def _wake_by_contact(size: Size, rest: Rest, w: int, one: int, two: int, b1: int, b2: int) -> int:
    """Wake what sleeps of two bodies in contact, in trees ``one`` and ``two`` (-1: none); returns the number of trees woken."""
    woken = wp.int32(0)
    first = rest.body_awake[w, b1]
    second = rest.body_awake[w, b2]
    if first == ASLEEP and second == AWAKE:
        value = wp.int32(RESTLESS)
        if two >= 0:
            value = wp.int32(rest.tree_asleep[w, two])
        woken = wake_group(size, rest, w, one, value)
    elif second == ASLEEP and first == AWAKE:
        value = wp.int32(RESTLESS)
        if one >= 0:
            value = wp.int32(rest.tree_asleep[w, one])
        woken = wake_group(size, rest, w, two, value)
    return woken


@wp.func
def wake_by_contacts(size: Size, body: Body, dof: Dof, geom: Geom, contact: Contact, status: Status, rest: Rest, w: int, lane: int) -> bool:
    """Wake trees that touch what is awake; returns whether there were any. All lanes call it; ends with a barrier."""
    woke = bool(False)
    if rest.ntree_awake[w] < size.ntree:
        if lane == 0:
            woken = wp.int32(0)
            for c in range(status.ncon[w]):
                geoms = contact.geom[w, c]
                b1 = geom.bodyid[geoms[0]]
                b2 = geom.bodyid[geoms[1]]
                woken += _wake_by_contact(size, rest, w, body.treeid[b1], body.treeid[b2], b1, b2)
            rest.woken[w] = woken
        sync()
        woke = rest.woken[w] > 0
        if woke:
            follow_trees(size, body, dof, rest, w, lane)
    sync()
    return woke
