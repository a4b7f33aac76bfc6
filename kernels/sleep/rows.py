"""Rows of trees that sleep are not made: what asks for them is masked; and equality constraints wake.

The rows are made by the kernels of every model, on structs in which these arrays stand for the model's. MuJoCo: mj_wakeEquality.
"""

from __future__ import annotations

import copy
from typing import Any

import warp as wp

from newtonish.common.enums import DisableBit
from newtonish.kernels.math.world import lanes, per_world, sync
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.sleep.groups import RESTLESS, first_of_group, follow_trees, wake_group
from newtonish.kernels.sleep.wake import awake_of_tendon
from newtonish.kernels.structs.data import STATE, State
from newtonish.kernels.structs.field import variant
from newtonish.kernels.structs.model import DOF, JOINT, TENDON, Body, Dof, Joint, Option, Size, Tendon
from newtonish.kernels.structs.sleep import Rest, Sleep

DISABLED = wp.constant(int(DisableBit.EQUALITY | DisableBit.CONSTRAINT))
NEVER_REACHED = wp.constant(-1.0e30)
STATIC, AWAKE, ASLEEP = wp.constant(0), wp.constant(1), wp.constant(2)


@wp.func
def _side(rest: Rest, w: int, t: int) -> int:
    """Whether one side of an equality is static, awake or asleep; what the user moves is awake."""
    found = wp.int32(STATIC)
    if t >= 0:
        found = wp.where(rest.tree_asleep[w, t] < 0, AWAKE, ASLEEP)
    elif t == -2:
        found = AWAKE
    return found


@wp.func
def _wake_by_equality(size: Size, rest: Rest, w: int, one: int, two: int) -> int:
    """Wake what sleeps of two trees that an equality couples, unless both fell asleep together; returns the number of trees woken."""
    first = _side(rest, w, one)
    second = _side(rest, w, two)
    woken = wp.int32(0)
    if first == ASLEEP and second == ASLEEP:
        if first_of_group(size, rest, w, one) != first_of_group(size, rest, w, two):
            woken = wake_group(size, rest, w, one, RESTLESS) + wake_group(size, rest, w, two, RESTLESS)
    elif first == ASLEEP and second == AWAKE:
        woken = wake_group(size, rest, w, one, RESTLESS)
    elif first == AWAKE and second == ASLEEP:
        woken = wake_group(size, rest, w, two, RESTLESS)
    return woken


@wp.func
def _wake_once(size: Size, sleep: Sleep, state: State, rest: Rest, w: int) -> int:
    """Go through the equality constraints that hold; returns the number of trees woken."""
    woken = wp.int32(0)
    for e in range(size.neq):
        if state.eq_active[w, e]:
            woken += _wake_by_equality(size, rest, w, sleep.eq_tree1[e], sleep.eq_tree2[e])
    return woken


@wp.func
def _wake_by_equalities(size: Size, opt: Option, body: Body, dof: Dof, sleep: Sleep, state: State, rest: Rest, w: int, lane: int):
    """Wake until no equality couples a tree asleep with one awake. Ends with a barrier."""
    if rest.ntree_awake[w] < size.ntree and (opt.disableflags & DISABLED) == 0:
        if lane == 0:
            total = wp.int32(0)
            woken = _wake_once(size, sleep, state, rest, w)
            while woken > 0:
                total += woken
                woken = _wake_once(size, sleep, state, rest, w)
            rest.woken[w] = total
        sync()
        if rest.woken[w] > 0:
            follow_trees(size, body, dof, rest, w, lane)


@wp.kernel
def rows_kernel(size: Size, opt: Option, body: Body, jnt: Joint, dof: Dof, tendon: Tendon, sleep: Sleep, state: State, rest: Rest):
    """Wake by equality constraints, then write the masks."""
    w, lane = wp.tid()
    if size.neq > 0:
        _wake_by_equalities(size, opt, body, dof, sleep, state, rest, w, lane)
    for e in range(lane, size.neq, lanes()):
        first = _side(rest, w, sleep.eq_tree1[e])
        second = _side(rest, w, sleep.eq_tree2[e])
        rest.eq_active[w, e] = state.eq_active[w, e] and first != ASLEEP and second != ASLEEP
    loss_w = per_world(dof.frictionloss.shape[0], w)
    for i in range(lane, size.nv, lanes()):
        awake = rest.tree_asleep[w, dof.treeid[i]] < 0
        rest.frictionloss[w, i] = wp.where(awake, dof.frictionloss[loss_w, i], 0.0)
    margin_w = per_world(jnt.margin.shape[0], w)
    for j in range(lane, size.njnt, lanes()):
        awake = rest.tree_asleep[w, dof.treeid[jnt.dofadr[j]]] < 0
        rest.margin[w, j] = wp.where(awake, jnt.margin[margin_w, j], NEVER_REACHED)
    for t in range(lane, size.ntendon, lanes()):
        awake = awake_of_tendon(dof, tendon, rest, w, t)[1] == 0
        loss = tendon.frictionloss[per_world(tendon.frictionloss.shape[0], w), t]
        margin = tendon.margin[per_world(tendon.margin.shape[0], w), t]
        rest.tendon_frictionloss[w, t] = wp.where(awake, loss, 0.0)
        rest.tendon_margin[w, t] = wp.where(awake, margin, NEVER_REACHED)


def without_rows_asleep(m: Any, d: Any) -> tuple[Any, Any]:
    """``m`` and ``d`` for the kernels of rows, which then leave trees asleep alone. Reads d.state.eq_active. Writes d.sleep."""
    launch(rows_kernel, d, [m.size, m.opt, m.body, m.jnt, m.dof, m.tendon, m.sleep, d.state, d.sleep])
    model, data = copy.copy(m), copy.copy(d)
    model.__dict__["dof"] = variant(DOF, m.dof, frictionloss=d.sleep.frictionloss)
    model.__dict__["jnt"] = variant(JOINT, m.jnt, margin=d.sleep.margin)
    model.__dict__["tendon"] = variant(TENDON, m.tendon, frictionloss=d.sleep.tendon_frictionloss, margin=d.sleep.tendon_margin)
    data.__dict__["state"] = variant(STATE, d.state, eq_active=d.sleep.eq_active)
    return model, data
