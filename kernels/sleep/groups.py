"""Who sleeps: groups of trees that fell asleep together, each a cycle in ``tree_asleep``, and the arrays that follow from them.

MuJoCo: mj_wakeTree, mj_sleepCycle, mj_updateSleep.
"""

import warp as wp

from newtonish.common.enums import SleepState
from newtonish.kernels.math.world import lanes, sync
from newtonish.kernels.structs.model import Body, Dof, Size
from newtonish.kernels.structs.sleep import Rest

STEPS = 10  # that a tree has to be slow for
RESTLESS = wp.constant(-(1 + STEPS))  # tree_asleep of a tree that moves
READY = wp.constant(-1)
STATIC = wp.constant(int(SleepState.STATIC))
ASLEEP = wp.constant(int(SleepState.ASLEEP))
AWAKE = wp.constant(int(SleepState.AWAKE))


@wp.func
def wake_group(size: Size, rest: Rest, w: int, t: int, value: int) -> int:
    """Wake tree ``t`` and all that fell asleep with it, by one lane; returns their number.

    ``value`` is what ``tree_asleep`` becomes; a tree that is awake keeps its own if that is less.
    """
    at = wp.int32(t)
    number = wp.int32(0)
    if rest.tree_asleep[w, t] < 0:
        rest.tree_asleep[w, t] = wp.min(rest.tree_asleep[w, t], value)
        at = wp.int32(-1)
    while at >= 0 and at < size.ntree and number < size.ntree:  # once around; a user may have written what is no cycle
        following = wp.int32(rest.tree_asleep[w, at])
        rest.tree_asleep[w, at] = value
        if following >= 0:
            number += 1
        at = following
    return number


@wp.func
def first_of_group(size: Size, rest: Rest, w: int, t: int) -> int:
    """Lowest tree of the group of tree ``t``, which sleeps."""
    least = wp.int32(t)
    at = wp.int32(rest.tree_asleep[w, t])
    for _step in range(size.ntree):
        if at >= 0 and at < size.ntree and at != t:
            least = wp.min(least, at)
            at = rest.tree_asleep[w, at]
    return least


@wp.func
def _state_of(body: Body, rest: Rest, w: int, i: int) -> int:
    """SleepState of body ``i``."""
    t = body.treeid[i]
    state = wp.int32(STATIC)
    if t >= 0:
        state = wp.where(rest.tree_asleep[w, t] < 0, AWAKE, ASLEEP)
    elif body.mocapid[body.rootid[i]] >= 0:
        state = AWAKE
    return state


@wp.func
def _list_awake(size: Size, body: Body, dof: Dof, rest: Rest, w: int):
    """Lists of bodies and dofs that do not sleep, by one lane."""
    bodies = wp.int32(0)
    children = wp.int32(0)
    moving = wp.int32(0)
    for i in range(size.nbody):
        if rest.body_awake[w, i] != ASLEEP:
            rest.body_awake_ind[w, bodies] = i
            bodies += 1
        if i > 0 and rest.body_awake[w, body.parentid[i]] != ASLEEP:
            rest.parent_awake_ind[w, children] = i
            children += 1
        if rest.body_awake[w, i] == AWAKE:
            moving += 1
    dofs = wp.int32(0)
    for i in range(size.nv):
        if rest.tree_asleep[w, dof.treeid[i]] < 0:
            rest.dof_awake_ind[w, dofs] = i
            dofs += 1
    trees = wp.int32(0)
    for t in range(size.ntree):
        trees += rest.tree_awake[w, t]
    rest.nbody_awake[w] = bodies
    rest.nparent_awake[w] = children
    rest.nv_awake[w] = dofs
    rest.nmoving[w] = moving
    rest.ntree_awake[w] = trees


@wp.func
def follow_trees(size: Size, body: Body, dof: Dof, rest: Rest, w: int, lane: int):
    """All arrays that follow from ``tree_asleep``. Begins and ends with a barrier."""
    sync()
    for t in range(lane, size.ntree, lanes()):
        rest.tree_awake[w, t] = wp.where(rest.tree_asleep[w, t] < 0, 1, 0)
    for i in range(lane, size.nbody, lanes()):
        rest.body_awake[w, i] = _state_of(body, rest, w, i)
    sync()
    if lane == 0:
        _list_awake(size, body, dof, rest, w)
    sync()
