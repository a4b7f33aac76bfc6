"""Warnings counted by kind, and the difference between forward and inverse dynamics: launches of their own, on request.

MuJoCo: documentation, chapter Programming, section "Diagnostics"; ``mj_warning`` and ``mj_compareFwdInv``.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.enums import DisableBit, OverflowType, WarningType
from newtonish.kernels.constants import NARROWPHASE
from newtonish.kernels.forces.actuation import controls_are_bad
from newtonish.kernels.linalg.dense import load_vector
from newtonish.kernels.linalg.sparse_ltdl import symmetric_mul
from newtonish.kernels.math.world import lanes, scratch_slot, sum_lanes, sum_lanes_int, sync
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.runtime.nonfinite import is_bad
from newtonish.kernels.solver.jacobian import jacobian_times, transposed_times_force
from newtonish.kernels.solver.rows import rows_update, world_rows
from newtonish.kernels.structs.data import (
    Contact,
    Diagnostics,
    Efc,
    Force,
    Mass,
    Solve,
    State,
    Status,
)
from newtonish.kernels.structs.model import Actuator, Dof, Option, Size

NEFC = wp.constant(int(OverflowType.NEFC))
# rows of one contact, which are made all or none
MOST_ROWS = wp.constant(10)
# a pivot of M below MuJoCo's mjMINVAL
LARGEST_INVERSE = wp.constant(1.0e15)


@wp.func
def _count(diag: Diagnostics, kind: int, found: bool, w: int, lane: int):
    if found and lane == 0:
        diag.warning[w, kind] = diag.warning[w, kind] + 1


@wp.func
def _bad_entries(x: wp.array2d(dtype=float), n: int, w: int, lane: int) -> bool:
    """Whether one of the first ``n`` numbers is not finite or absurdly large; all lanes call it."""
    bad = wp.int32(0)
    for i in range(lane, n, lanes()):
        if is_bad(x[w, i]):
            bad = 1
    return sum_lanes_int(bad) > 0


@wp.kernel
def _watch(
    size: Size, opt: Option, actuator: Actuator, state: State, mass: Mass, contact: Contact, efc: Efc, sol: Solve,
    status: Status, diag: Diagnostics,
):  # fmt: skip
    """Count what is wrong with a world after ``forward``, before its state moves on."""
    w, lane = wp.tid()
    singular = wp.int32(0)
    for i in range(lane, size.nv, lanes()):
        inverse = mass.qLDiagInv[w, i]
        if not (inverse > 0.0 and inverse < LARGEST_INVERSE):
            singular = 1
    bad_position = _bad_entries(state.qpos, size.nq, w, lane)
    bad_velocity = _bad_entries(state.qvel, size.nv, w, lane)
    bad_acceleration = _bad_entries(sol.qacc, size.nv, w, lane) or status.nonfinite_met[w] != 0
    # with the automatic reset, MuJoCo goes on with a good state after the first thing that is wrong with a world
    resets = (opt.disableflags & DisableBit.AUTORESET) == 0
    _count(diag, WarningType.BADQPOS, bad_position, w, lane)
    _count(diag, WarningType.BADQVEL, bad_velocity and not (resets and bad_position), w, lane)
    before = bad_position or bad_velocity
    _count(diag, WarningType.BADQACC, bad_acceleration and not (resets and before), w, lane)
    _count(diag, WarningType.INERTIA, sum_lanes_int(singular) > 0 and not before, w, lane)
    bad_control = controls_are_bad(size, opt, actuator, state, w, lane)
    actuated = (opt.disableflags & DisableBit.ACTUATION) == 0
    _count(diag, WarningType.BADCTRL, bad_control and actuated, w, lane)
    # the bits stay set; what a step filled to the brim after one was set did not fit
    contacts = (status.overflow[w] & NARROWPHASE) != 0 and status.ncon[w] >= contact.dist.shape[1]
    rows = (status.overflow[w] & NEFC) != 0 and efc.type.shape[1] - status.nefc[w] < MOST_ROWS
    _count(diag, WarningType.CONTACTFULL, contacts, w, lane)
    _count(diag, WarningType.CNSTRFULL, rows, w, lane)


def watch(m: Any, d: Any) -> None:
    """Count the warnings of a step, after ``forward`` and before the state moves.

    Reads   m.opt, m.actuator; d.state, d.mass.qLDiagInv, d.sol.qacc, d.status.overflow
    Writes  d.diag.warning
    """
    launch(_watch, d, [m.size, m.opt, m.actuator, d.state, d.mass, d.contact, d.efc, d.sol, d.status, d.diag])


@wp.kernel
def _compare(
    size: Size, opt: Option, dof: Dof, mass: Mass, frc: Force, contact: Contact, efc: Efc, sol: Solve, status: Status,
    diag: Diagnostics,
):  # fmt: skip
    """Norms of what the constraint forces, and the forces they leave, differ by if recomputed from the acceleration."""
    w, lane = wp.tid()
    slot = scratch_slot(w)
    nefc = status.nefc[w]
    constraint = wp.float32(0.0)
    applied = wp.float32(0.0)
    if nefc > 0:
        for r in range(lane, nefc, lanes()):
            sol.Jv[slot, r] = efc.force[w, r]
        sync()
        load_vector(sol.x, sol.qacc, size.nv, w, slot)
        jacobian_times(efc, sol.x, sol.Jaref, nefc, w)
        rows_update(world_rows(opt, contact, status, w), contact, efc, sol.Jaref, slot)
        transposed_times_force(efc, sol.JTf, nefc, w)
        symmetric_mul(dof.M_rownnz, dof.M_rowadr, dof.M_colind, mass.M, sol.qacc, sol.Ma, size.nv, w)
        sync()
        for r in range(lane, nefc, lanes()):
            efc.force[w, r] = sol.Jv[slot, r]
        for i in range(lane, size.nv, lanes()):
            pull = sol.JTf[slot, i]
            difference = sol.qfrc_constraint[w, i] - pull
            constraint += difference * difference
            missing = sol.Ma[w, i] - frc.qfrc_smooth[w, i] - pull
            applied += missing * missing
    constraint = sum_lanes(constraint)
    applied = sum_lanes(applied)
    if lane == 0:
        diag.solver_fwdinv[w] = wp.vec2(wp.sqrt(constraint), wp.sqrt(applied))


def compare_fwd_inv(m: Any, d: Any) -> None:
    """Difference between forward and inverse dynamics, after ``forward``; the forces stay as they are.

    Writes  d.diag.solver_fwdinv
    MuJoCo  mj_compareFwdInv.
    """
    launch(_compare, d, [m.size, m.opt, m.dof, d.mass, d.frc, d.contact, d.efc, d.sol, d.status, d.diag])
