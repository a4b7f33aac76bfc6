"""Why the step of each world is not differentiable at its state, as bits of ``Kink``.

Contacts that have not begun are not among those of a step: they are looked for with gaps that are wider by rounding, into the same room, before
``forward`` finds those of the step.
"""

from __future__ import annotations

import copy
from typing import Any

import warp as wp

from newtonish.kernels.collision.stage import find_contacts
from newtonish.kernels.derivative.kink_features import beginning_kinks, feature_kinks, widening
from newtonish.kernels.derivative.kink_ranges import range_kinks
from newtonish.kernels.derivative.kink_rows import limit_kinks, row_kinks
from newtonish.kernels.derivative.kink_state import Kinks
from newtonish.kernels.derivative.linearize import remember_start
from newtonish.kernels.derivative.workspace import Linear, Workspace
from newtonish.kernels.forward import forward
from newtonish.kernels.math.world import lane_index, lanes, per_world, world_index, worlds_per_thread
from newtonish.kernels.runtime.launch import launch, through_worlds
from newtonish.kernels.smooth.stage import position_stage
from newtonish.kernels.structs.data import STATUS, Contact, Drive, Efc, Force, Kinematics, Solve, State, Status, TendonState
from newtonish.kernels.structs.field import variant
from newtonish.kernels.structs.model import GEOM, PAIR, Actuator, Dof, Geom, HeightField, Hull, Joint, Option, Pair, Size, Tendon


@wp.kernel
def _widen(size: Size, geom: Geom, pair: Pair, kin: Kinematics, kinks: Kinks, nworld: int):
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        for g in range(lane, size.ngeom, lanes()):
            kinks.gap[w, g] = geom.gap[per_world(geom.gap.shape[0], w), g] + widening(geom, kin, w, g)
        for p in range(lane, size.npair, lanes()):
            wider = widening(geom, kin, w, pair.geom1[p]) + widening(geom, kin, w, pair.geom2[p])
            kinks.pair_gap[w, p] = pair.gap[per_world(pair.gap.shape[0], w), p] + wider
        if lane == 0:
            kinks.bits[w] = 0
            kinks.ncon[w] = 0
            kinks.ncon_needed[w] = 0
            kinks.overflow[w] = -1


through_worlds(_widen)


@wp.kernel
def _beginning(geom: Geom, kin: Kinematics, contact: Contact, kinks: Kinks, nworld: int):
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        beginning_kinks(geom, kin, contact, kinks, kinks.ncon[w], w, lane)


through_worlds(_beginning)


@wp.kernel
def _all(
    size: Size, opt: Option, jnt: Joint, dof: Dof, geom: Geom, hull: Hull, hfield: HeightField, actuator: Actuator, tendon: Tendon, state: State,
    kin: Kinematics, frc: Force, drive: Drive, ten: TendonState, contact: Contact, efc: Efc, sol: Solve, status: Status, linear: Linear,
    kinks: Kinks, nworld: int,
):  # fmt: skip
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        for i in range(lane, size.nv, lanes()):
            state.qacc_warmstart[w, i] = linear.warm[w, i]
        beginning_kinks(geom, kin, contact, kinks, status.ncon[w], w, lane)
        feature_kinks(opt, geom, hull, hfield, kin, contact, status, kinks, w, lane)
        row_kinks(size, frc, contact, efc, sol, status, kinks, w, lane)
        limit_kinks(size, opt, jnt, tendon, state, ten, kinks, w, lane)
        range_kinks(size, opt, jnt, dof, actuator, tendon, state, frc, drive, kinks, w, lane)


through_worlds(_all)


def find_kinks(m: Any, d: Any, work: Workspace) -> None:
    """Kinks of all worlds at their state.

    Reads   m; d.state, and what ``forward`` computes
    Writes  work.kinks, work.linear.warm; d, as ``forward`` does, but for d.state.qacc_warmstart
    MuJoCo  no equivalent.
    """
    remember_start(m, d, work)
    position_stage(m, d)
    launch(_widen, d, [m.size, m.geom, m.pair, d.kin, work.kinks])
    if d.outside is None and m.finds_contacts:
        wider, aside = copy.copy(m), copy.copy(d)
        wider.__dict__["geom"] = variant(GEOM, m.geom, gap=work.kinks.gap)
        wider.__dict__["pair"] = variant(PAIR, m.pair, gap=work.kinks.pair_gap)
        found = {name: getattr(work.kinks, name) for name in ("ncon", "ncon_needed", "overflow")}
        aside.__dict__["status"] = variant(STATUS, d.status, **found)
        find_contacts(wider, aside)
        launch(_beginning, d, [m.geom, d.kin, d.contact, work.kinks])
    forward(m, d)
    model = [m.size, m.opt, m.jnt, m.dof, m.geom, m.hull, m.hfield, m.actuator, m.tendon]
    data = [d.state, d.kin, d.frc, d.drive, d.ten, d.contact, d.efc, d.sol, d.status]
    launch(_all, d, [*model, *data, work.linear, work.kinks])
