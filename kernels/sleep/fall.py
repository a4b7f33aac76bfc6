"""Around the integration: before it groups of slow trees fall asleep, after it trees asleep get back what integrators touch.

A tree is slow where every dof moves by less than the tolerance in a second, as a length. Trees that rows couple are a group: it falls asleep
once each of its trees, whose policy allows it and at which nobody pulls, was slow at the beginning of ten steps.
MuJoCo: mj_sleep, part of mj_advance.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.enums import DisableBit, IntegratorType, SleepPolicy
from newtonish.kernels.math.world import lanes, per_world, scratch_slot, sync
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.sleep.groups import READY, RESTLESS, follow_trees
from newtonish.kernels.sleep.wake import couples, end_of_coordinates, first_coordinate, is_pulled
from newtonish.kernels.structs.data import Contact, Solve, State, Status, TendonState
from newtonish.kernels.structs.model import Actuator, Body, Dof, Geom, Joint, Option, Size, Tendon, Tree
from newtonish.kernels.structs.sleep import Rest, Sleep

EQUALITY_DISABLED = wp.constant(int(DisableBit.EQUALITY | DisableBit.CONSTRAINT))
NEVER = wp.constant(int(SleepPolicy.NEVER))
AUTO_NEVER = wp.constant(int(SleepPolicy.AUTO_NEVER))
INIT = wp.constant(int(SleepPolicy.INIT))
NONE, HELD_AWAKE = wp.constant(-1), wp.constant(-2)


@wp.func
def _may_sleep(tree: Tree, sleep: Sleep, state: State, qvel: wp.array2d(dtype=float), w: int, t: int) -> bool:
    """Whether tree ``t`` is slow, and nothing keeps it awake."""
    policy = sleep.tree_sleep_policy[t]
    calm = policy != NEVER and policy != AUTO_NEVER
    if calm:
        tolerance = sleep.tolerance[per_world(sleep.tolerance.shape[0], w)]
        length_w = per_world(sleep.dof_length.shape[0], w)
        for i in range(tree.dofadr[t], tree.dofadr[t] + tree.dofnum[t]):
            speed = sleep.dof_length[length_w, i] * wp.abs(qvel[w, i])
            if not (speed < tolerance or speed == 0.0):
                calm = False
    if calm:
        calm = not is_pulled(sleep, tree, state, w, t)
    return calm


@wp.func
def _root(rest: Rest, w: int, slot: int, t: int) -> int:
    """The tree that stands for the group of tree ``t``: its lowest."""
    at = wp.int32(t)
    while rest.mark[slot, at] != at:
        at = wp.int32(rest.mark[slot, at])
    return at


@wp.func
def _join(rest: Rest, w: int, slot: int, one: int, two: int):
    """Trees ``one`` and ``two`` are of one group; -1 and -2: no trees."""
    if one >= 0 and two >= 0 and one != two:
        first = _root(rest, w, slot, one)
        second = _root(rest, w, slot, two)
        rest.mark[slot, wp.max(first, second)] = wp.min(first, second)
        rest.mark[slot, one] = wp.min(first, second)
        rest.mark[slot, two] = wp.min(first, second)


@wp.func
def _find_groups(
    size: Size, opt: Option, body: Body, dof: Dof, geom: Geom, tendon: Tendon, sleep: Sleep, ten: TendonState,
    contact: Contact, status: Status, rest: Rest, w: int, slot: int,
):  # fmt: skip
    """Which trees rows couple: ``rest.mark`` leads from each tree to the lowest of its group."""
    for t in range(size.ntree):
        rest.mark[slot, t] = t
    for c in range(status.ncon[w]):
        if contact.efc_address[w, c] >= 0:
            geoms = contact.geom[w, c]
            _join(rest, w, slot, body.treeid[geom.bodyid[geoms[0]]], body.treeid[geom.bodyid[geoms[1]]])
    if (opt.disableflags & EQUALITY_DISABLED) == 0:
        for e in range(size.neq):
            if rest.eq_active[w, e]:
                _join(rest, w, slot, sleep.eq_tree1[e], sleep.eq_tree2[e])
    for i in range(size.ntendon):
        if tendon.J_rownnz[i] > 1:
            if couples(opt, tendon, ten, w, i):
                adr = tendon.J_rowadr[i]
                for k in range(adr + 1, adr + tendon.J_rownnz[i]):
                    _join(rest, w, slot, dof.treeid[tendon.J_colind[adr]], dof.treeid[tendon.J_colind[k]])


@wp.func
def _close_groups(size: Size, rest: Rest, w: int, slot: int) -> int:
    """Make a cycle of each group whose trees are all ready; returns the number of trees that fell asleep."""
    for t in range(size.ntree):
        rest.first[slot, t] = NONE
        rest.last[slot, t] = NONE
    for t in range(size.ntree):
        if rest.tree_asleep[w, t] < READY:
            rest.last[slot, _root(rest, w, slot, t)] = HELD_AWAKE
    number = wp.int32(0)
    for t in range(size.ntree):
        if rest.tree_asleep[w, t] == READY:
            root = _root(rest, w, slot, t)
            before = rest.last[slot, root]
            if before == NONE:
                rest.first[slot, root] = t
            elif before >= 0:
                rest.tree_asleep[w, before] = t
            if before != HELD_AWAKE:
                rest.last[slot, root] = t
                number += 1
    for t in range(size.ntree):
        if rest.last[slot, t] >= 0:
            rest.tree_asleep[w, rest.last[slot, t]] = rest.first[slot, t]
    return number


@wp.func
def _lie_down(
    size: Size, tree: Tree, jnt: Joint, dof: Dof, state: State, sol: Solve, rest: Rest, qpos: wp.array2d(dtype=float),
    target: wp.array2d(dtype=float), w: int, t: int,
):  # fmt: skip
    """Tree ``t`` at rest, and a copy of its coordinates."""
    for i in range(tree.dofadr[t], tree.dofadr[t] + tree.dofnum[t]):
        state.qvel[w, i] = 0.0
        state.qacc_warmstart[w, i] = 0.0
        sol.qacc[w, i] = 0.0
    for i in range(first_coordinate(tree, jnt, dof, t), end_of_coordinates(size, tree, jnt, dof, t)):
        target[w, i] = qpos[w, i]


@wp.func
def drives_awake(sleep: Sleep, rest: Rest, w: int, a: int) -> bool:
    """Whether actuator ``a`` acts on anything but trees asleep."""
    first = sleep.actuator_treeadr[a]
    end = sleep.actuator_treeadr[a + 1]
    awake = first == end
    for k in range(first, end):
        if rest.tree_awake[w, sleep.actuator_treeid[k]] != 0:
            awake = True
    return awake


@wp.func
def start_over(size: Size, body: Body, dof: Dof, state: State, rest: Rest, w: int, lane: int):
    """Sleep of a world that was reset. Ends with a barrier."""
    for t in range(lane, size.ntree, lanes()):
        rest.tree_asleep[w, t] = rest.asleep0[w, t]
    for i in range(lane, size.nq, lanes()):
        rest.qpos[w, i] = state.qpos[w, i]
    if lane == 0:
        rest.held[w] = 0
    follow_trees(size, body, dof, rest, w, lane)


@wp.func
def close_eyes(
    size: Size, opt: Option, tree: Tree, body: Body, jnt: Joint, dof: Dof, geom: Geom, tendon: Tendon, sleep: Sleep,
    state: State, ten: TendonState, contact: Contact, sol: Solve, status: Status, rest: Rest,
    qpos: wp.array2d(dtype=float), w: int, lane: int,
):  # fmt: skip
    """Let groups that are ready fall asleep. Begins and ends with a barrier."""
    slot = scratch_slot(w)
    sync()
    if lane == 0:
        ready = wp.int32(0)
        for t in range(size.ntree):
            if rest.tree_asleep[w, t] == READY:
                ready += 1
        if ready > 0:
            _find_groups(size, opt, body, dof, geom, tendon, sleep, ten, contact, status, rest, w, slot)
            ready = _close_groups(size, rest, w, slot)
        rest.woken[w] = ready
    sync()
    if rest.woken[w] > 0:
        for t in range(lane, size.ntree, lanes()):
            if rest.tree_asleep[w, t] >= 0 and rest.tree_awake[w, t] != 0:
                _lie_down(size, tree, jnt, dof, state, sol, rest, qpos, rest.qpos, w, t)
        follow_trees(size, body, dof, rest, w, lane)
    sync()


@wp.kernel
def fall_asleep_kernel(
    size: Size, opt: Option, tree: Tree, body: Body, jnt: Joint, dof: Dof, geom: Geom, tendon: Tendon, actuator: Actuator,
    sleep: Sleep, state: State, ten: TendonState, contact: Contact, sol: Solve, status: Status, rest: Rest,
    qpos: wp.array2d(dtype=float), qvel: wp.array2d(dtype=float),
):  # fmt: skip
    """Count slow steps, and let groups fall asleep; ``qpos`` and ``qvel`` are those at the start of the step."""
    w, lane = wp.tid()
    for a in range(lane, size.nactuator, lanes()):
        if actuator.actadr[a] >= 0:
            if drives_awake(sleep, rest, w, a):
                for k in range(actuator.actadr[a], actuator.actadr[a] + actuator.actnum[a]):
                    rest.act[w, k] = wp.nan  # not held
    for t in range(lane, size.ntree, lanes()):
        asleep = rest.tree_asleep[w, t]
        if asleep < 0:
            if _may_sleep(tree, sleep, state, qvel, w, t):
                rest.tree_asleep[w, t] = wp.min(asleep + 1, READY)
            else:
                rest.tree_asleep[w, t] = RESTLESS
    close_eyes(size, opt, tree, body, jnt, dof, geom, tendon, sleep, state, ten, contact, sol, status, rest, qpos, w, lane)


@wp.kernel
def lie_still_kernel(size: Size, tree: Tree, body: Body, jnt: Joint, dof: Dof, state: State, sol: Solve, status: Status, rest: Rest):
    """Give trees asleep back what integrators touched; a world that was reset starts over."""
    w, lane = wp.tid()
    again = status.nonfinite[w] != rest.resets[w]
    sync()
    if again:
        if lane == 0:
            rest.resets[w] = status.nonfinite[w]
        start_over(size, body, dof, state, rest, w, lane)
    elif rest.ntree_awake[w] < size.ntree:
        for t in range(lane, size.ntree, lanes()):
            if rest.tree_awake[w, t] == 0:
                _lie_down(size, tree, jnt, dof, state, sol, rest, rest.qpos, state.qpos, w, t)
        for k in range(lane, size.na, lanes()):
            if rest.act[w, k] == rest.act[w, k]:
                state.act[w, k] = rest.act[w, k]


@wp.kernel
def sleep_initially_kernel(
    size: Size, opt: Option, tree: Tree, body: Body, jnt: Joint, dof: Dof, geom: Geom, tendon: Tendon, sleep: Sleep,
    state: State, ten: TendonState, contact: Contact, sol: Solve, status: Status, rest: Rest,
):  # fmt: skip
    """Let trees that begin asleep do so, in the reference pose, and remember that for resets."""
    w, lane = wp.tid()
    for t in range(lane, size.ntree, lanes()):
        rest.tree_asleep[w, t] = wp.where(sleep.tree_sleep_policy[t] == INIT, READY, RESTLESS)
        if sleep.tree_sleep_policy[t] != INIT:
            if _may_sleep(tree, sleep, state, state.qvel, w, t):
                rest.tree_asleep[w, t] = RESTLESS + 1
    close_eyes(size, opt, tree, body, jnt, dof, geom, tendon, sleep, state, ten, contact, sol, status, rest, state.qpos, w, lane)
    for t in range(lane, size.ntree, lanes()):
        if rest.tree_asleep[w, t] == READY:  # coupled with a tree that does not begin asleep
            rest.tree_asleep[w, t] = RESTLESS
        rest.asleep0[w, t] = rest.tree_asleep[w, t]


@wp.kernel
def forget_kernel(size: Size, body: Body, dof: Dof, state: State, status: Status, rest: Rest, mask: wp.array(dtype=bool)):
    """Sleep of the worlds in ``mask`` as after a reset."""
    w, lane = wp.tid()
    if mask[w]:
        if lane == 0:
            rest.resets[w] = status.nonfinite[w]
        start_over(size, body, dof, state, rest, w, lane)


def fall_asleep(m: Any, d: Any) -> None:
    """Before the state moves: groups of trees that are ready fall asleep.

    Reads   m.sleep, m.tree; d.state, d.ten, d.contact, d.status; with RK4 d.scratch. Writes d.sleep; d.state.qvel and d.sol.qacc of those
    MuJoCo  mj_sleep.
    """
    model = [m.size, m.opt, m.tree, m.body, m.jnt, m.dof, m.geom, m.tendon, m.actuator, m.sleep]
    stages = m.opt.integrator == IntegratorType.RK4  # whose state is that of the last one
    start = [d.scratch.qpos0, d.scratch.qvel0] if stages else [d.state.qpos, d.state.qvel]
    launch(fall_asleep_kernel, d, [*model, d.state, d.ten, d.contact, d.sol, d.status, d.sleep, *start])


def lie_still(m: Any, d: Any) -> None:
    """After the state moved: trees asleep keep theirs. Reads d.status.nonfinite. Writes d.state, d.sol.qacc, d.sleep."""
    launch(lie_still_kernel, d, [m.size, m.tree, m.body, m.jnt, m.dof, d.state, d.sol, d.status, d.sleep])


def sleep_initially(m: Any, d: Any) -> None:
    """In worlds in the reference pose, after their rows: trees with the policy ``init`` fall asleep. Writes d.sleep."""
    model = [m.size, m.opt, m.tree, m.body, m.jnt, m.dof, m.geom, m.tendon, m.sleep]
    launch(sleep_initially_kernel, d, [*model, d.state, d.ten, d.contact, d.sol, d.status, d.sleep])


def forget(m: Any, d: Any, mask: wp.array) -> None:
    """The worlds that ``mask`` (nworld,) names were reset. Writes d.sleep."""
    launch(forget_kernel, d, [m.size, m.body, m.dof, d.state, d.status, d.sleep, mask])
