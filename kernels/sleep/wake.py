"""What wakes trees before contacts are known: the user, and tendons that couple them with trees awake.

A tree asleep wakes when its coordinates differ from those it fell asleep with, when something moves it or pulls at it, or when the user
wrote what does not go together in ``tree_asleep`` and ``tree_awake``. Method: MuJoCo's documentation, chapter Computation, "Sleeping islands".
MuJoCo: mj_wake, mj_wakeTendon.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.enums import DisableBit
from newtonish.kernels.math.finite import below
from newtonish.kernels.math.world import lanes, per_world, scratch_slot, sum_lanes_int, sync
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.sleep.groups import RESTLESS, follow_trees, wake_group
from newtonish.kernels.structs.data import State, TendonState
from newtonish.kernels.structs.model import Body, Dof, Joint, Option, Size, Tendon, Tree
from newtonish.kernels.structs.sleep import Rest, Sleep

LIMIT_DISABLED = wp.constant(int(DisableBit.LIMIT | DisableBit.CONSTRAINT))
FRICTION_DISABLED = wp.constant(int(DisableBit.FRICTIONLOSS | DisableBit.CONSTRAINT))


@wp.func
def is_pulled(sleep: Sleep, tree: Tree, state: State, w: int, t: int) -> bool:
    """Whether the user applies a force to tree ``t``."""
    pulled = bool(False)
    for i in range(sleep.tree_bodyadr[t], sleep.tree_bodyadr[t] + sleep.tree_bodynum[t]):
        force = state.xfrc_applied[w, i]
        for k in range(6):
            if force[k] != 0.0:
                pulled = True
    for i in range(tree.dofadr[t], tree.dofadr[t] + tree.dofnum[t]):
        if state.qfrc_applied[w, i] != 0.0:
            pulled = True
    return pulled


@wp.func
def first_coordinate(tree: Tree, jnt: Joint, dof: Dof, t: int) -> int:
    """First coordinate of tree ``t``, whose coordinates follow one another."""
    return jnt.qposadr[dof.jntid[tree.dofadr[t]]]


@wp.func
def end_of_coordinates(size: Size, tree: Tree, jnt: Joint, dof: Dof, t: int) -> int:
    """The coordinate behind the last one of tree ``t``."""
    following = dof.jntid[tree.dofadr[t] + tree.dofnum[t] - 1] + 1
    end = wp.int32(size.nq)
    if following < size.njnt:
        end = jnt.qposadr[following]
    return end


@wp.func
def _is_disturbed(size: Size, tree: Tree, jnt: Joint, dof: Dof, sleep: Sleep, state: State, rest: Rest, w: int, t: int) -> bool:
    """Whether tree ``t``, which sleeps, was moved or is pulled at."""
    disturbed = rest.tree_awake[w, t] != 0 or is_pulled(sleep, tree, state, w, t)
    for i in range(tree.dofadr[t], tree.dofadr[t] + tree.dofnum[t]):
        if state.qvel[w, i] != 0.0:  # true of NaN, too
            disturbed = True
    for i in range(first_coordinate(tree, jnt, dof, t), end_of_coordinates(size, tree, jnt, dof, t)):
        if state.qpos[w, i] != rest.qpos[w, i]:
            disturbed = True
    return disturbed


@wp.kernel
def wake_kernel(size: Size, tree: Tree, body: Body, jnt: Joint, dof: Dof, sleep: Sleep, state: State, rest: Rest):
    """Wake trees that were disturbed since the last step."""
    w, lane = wp.tid()
    slot = scratch_slot(w)
    stale = wp.int32(0)
    for t in range(lane, size.ntree, lanes()):
        mark = wp.int32(0)
        asleep = rest.tree_asleep[w, t] >= 0
        if asleep:
            if _is_disturbed(size, tree, jnt, dof, sleep, state, rest, w, t):
                mark = 1
        if asleep == (rest.tree_awake[w, t] != 0):
            stale = 1
        rest.mark[slot, t] = mark
        stale += mark
    for a in range(lane, size.na, lanes()):
        rest.act[w, a] = state.act[w, a]
    if sum_lanes_int(stale) > 0:
        sync()
        if lane == 0:
            for t in range(size.ntree):
                if rest.mark[slot, t] != 0:
                    wake_group(size, rest, w, t, RESTLESS)
        follow_trees(size, body, dof, rest, w, lane)


@wp.func
def couples(opt: Option, tendon: Tendon, ten: TendonState, w: int, t: int) -> bool:
    """Whether tendon ``t`` has rows: friction, or a limit that it is within the margin of."""
    active = bool(False)
    if (opt.disableflags & FRICTION_DISABLED) == 0:
        active = below(0.0, tendon.frictionloss[per_world(tendon.frictionloss.shape[0], w), t])
    if (opt.disableflags & LIMIT_DISABLED) == 0 and tendon.limited[t] != 0:
        span = tendon.range[per_world(tendon.range.shape[0], w), t]
        margin = tendon.margin[per_world(tendon.margin.shape[0], w), t]
        length = ten.length[w, t]
        if below(length - span[0], margin) or below(span[1] - length, margin):
            active = True
    return active


@wp.func
def awake_of_tendon(dof: Dof, tendon: Tendon, rest: Rest, w: int, t: int) -> wp.vec2i:
    """``tree_asleep`` of the most restless tree of tendon ``t``, 0 where all sleep; and how many dofs of it sleep."""
    value = wp.int32(0)
    asleep = wp.int32(0)
    for k in range(tendon.J_rowadr[t], tendon.J_rowadr[t] + tendon.J_rownnz[t]):
        at = rest.tree_asleep[w, dof.treeid[tendon.J_colind[k]]]
        if at >= 0:
            asleep += 1
        value = wp.min(value, at)
    return wp.vec2i(value, asleep)


@wp.kernel
def wake_tendons_kernel(size: Size, opt: Option, body: Body, dof: Dof, tendon: Tendon, ten: TendonState, rest: Rest):
    """Wake trees that a tendon with rows couples with trees awake."""
    w, lane = wp.tid()
    if rest.ntree_awake[w] < size.ntree:
        if lane == 0:
            woken = wp.int32(0)
            for t in range(size.ntendon):
                found = awake_of_tendon(dof, tendon, rest, w, t)
                if found[0] < 0 and found[1] > 0:
                    if couples(opt, tendon, ten, w, t):
                        for k in range(tendon.J_rowadr[t], tendon.J_rowadr[t] + tendon.J_rownnz[t]):
                            other = dof.treeid[tendon.J_colind[k]]
                            if rest.tree_asleep[w, other] >= 0:
                                woken += wake_group(size, rest, w, other, found[0])
            rest.woken[w] = woken
        sync()
        if rest.woken[w] > 0:
            follow_trees(size, body, dof, rest, w, lane)


def wake(m: Any, d: Any) -> None:
    """Wake trees that were disturbed since the last step. Reads d.state. Writes d.sleep."""
    launch(wake_kernel, d, [m.size, m.tree, m.body, m.jnt, m.dof, m.sleep, d.state, d.sleep])


def wake_tendons(m: Any, d: Any) -> None:
    """Wake trees that tendons couple with trees awake. Reads d.ten. Writes d.sleep."""
    launch(wake_tendons_kernel, d, [m.size, m.opt, m.body, m.dof, m.tendon, d.ten, d.sleep])
