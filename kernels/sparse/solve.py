"""Constraint solver for a sparse Jacobian: Newton's method or conjugate gradients, island by island.

Reads   m.size, m.opt, m.tree, m.dof; d.state.qacc_warmstart, d.mass (M, qLD, qLDiagInv), d.frc (qfrc_smooth,
        qacc_smooth), d.contact, d.efc, d.status   (after make_constraint and the smooth dynamics)
Writes  d.sol (qacc, qfrc_constraint, Ma and scratch); d.isl; d.efc.force, d.efc.state; d.status: solver_niter (the most of
        any island), nhessian_needed, overflow; d.state.qacc_warmstart
MuJoCo  mj_fwdConstraint with mj_solNewton or mj_solCG and islands.
Method  The cost is a sum over islands, so each is minimised by itself and stops when it has converged. Trees without rows
        keep their unconstrained acceleration. An island whose Hessian has no room is solved by conjugate gradients.
"""

import warp as wp

from newtonish.common.enums import OverflowType, SolverType
from newtonish.kernels.math.world import fresh, lanes, sync
from newtonish.kernels.runtime.overflow import flag_overflow
from newtonish.kernels.solver.cg import conjugate_gradients
from newtonish.kernels.solver.newton import newton
from newtonish.kernels.solver.start import start
from newtonish.kernels.solver.unconstrained import unconstrained_world
from newtonish.kernels.sparse.copies import WHICH, of_island
from newtonish.kernels.sparse.islands import island_world
from newtonish.kernels.sparse.operations import ISLAND
from newtonish.kernels.sparse.problem import IslandPreconditioner, island_hessian, island_inertia, island_problem
from newtonish.kernels.sparse.region import (
    Region,
    contact_window,
    efc_window,
    enter_island,
    hessian_length,
    leave_island,
    region_of,
    sol_window,
    store_island,
)
from newtonish.kernels.structs.data import Contact, Efc, Force, Island, Mass, Solve, State, Status
from newtonish.kernels.structs.model import Dof, Option, Size, Tree

begin = start(ISLAND)
by_newton = newton(ISLAND)
by_gradients = conjugate_gradients(ISLAND)

CG = wp.constant(int(SolverType.CG))
HESSIAN_OVERFLOW = wp.constant(int(OverflowType.HESSIAN))


@wp.func
def solve_entered(
    opt: Option, tree: Tree, dof: Dof, state: State, mass: Mass, frc: Force, contact: Contact, efc: Efc, sol: Solve,
    isl: Island, region: Region, solver: int, w: int, lane: int,
) -> int:  # fmt: skip
    """Solve an island, which has been entered, with its copies in ``isl``; returns the number of iterations."""
    s = sol_window(sol, region, lane)
    part = efc_window(isl)
    cons = contact_window(isl)
    inertia = island_inertia(dof, mass, isl, region, w, lane)
    p = island_problem(opt, tree, dof, mass, efc, isl, region, inertia, w, lane)
    begin(p, opt.disableflags, state, frc, cons, part, s)
    room = hessian_length(isl, region) <= isl.H.shape[1]
    ended = wp.vec2i()
    if solver == CG or not room:
        strict = wp.where(solver == CG, 0, 1)  # in place of Newton's method, whose start has to be better
        ended = by_gradients(p, IslandPreconditioner(s.Hdiaginv, p.slot, strict, mass.qLD, mass.qLDiagInv), cons, part, s)
    else:
        ended = by_newton(p, island_hessian(tree, dof, mass, efc, s, isl, region, w, lane), cons, part, s)
    if lane == 0:
        isl.island_rounded[w, of_island(isl.head, region.slot, WHICH)] = ended[1]
    store_island(state, sol, s, isl, region.slot, w, lane)
    leave_island(efc, isl, region.slot, w, lane)
    return ended[0]


@wp.func
def note_hessian(status: Status, length: int, room: int, w: int):
    """Note what room the Hessians of world ``w`` would take together that are in memory together; by one lane."""
    status.nhessian_needed[w] = wp.max(status.nhessian_needed[w], length)
    if length > room:
        flag_overflow(status, w, HESSIAN_OVERFLOW)


@wp.func
def _solve_island(
    opt: Option, tree: Tree, dof: Dof, state: State, mass: Mass, frc: Force, contact: Contact, efc: Efc, sol: Solve,
    isl: Island, status: Status, solver: int, w: int, i: int, lane: int,
) -> int:  # fmt: skip
    """Solve island ``i``; returns the number of iterations."""
    region = region_of(opt, isl, status, w, i)
    enter_island(opt, tree, dof, mass, contact, efc, isl, region, w, i, lane)
    if lane == 0 and solver != CG:
        note_hessian(status, hessian_length(isl, region), isl.H.shape[1], w)
    return solve_entered(opt, tree, dof, state, mass, frc, contact, efc, sol, isl, region, solver, w, lane)


@wp.func
def start_world(size: Size, state: State, frc: Force, efc: Efc, sol: Solve, isl: Island, status: Status, w: int, lane: int):
    """What holds for trees and rows that are in no island."""
    for i in range(lane, size.nv, lanes()):
        if isl.dof_island[w, i] < 0:
            a = frc.qacc_smooth[w, i]
            sol.qacc[w, i] = a
            state.qacc_warmstart[w, i] = a
            sol.qfrc_constraint[w, i] = 0.0
            sol.Ma[w, i] = frc.qfrc_smooth[w, i]
    for r in range(lane, status.nefc[w], lanes()):
        if isl.efc_island[w, r] < 0:
            efc.force[w, r] = 0.0
            efc.state[w, r] = 0
    sync()


@wp.func
def solve_islands_world(
    size: Size, opt: Option, tree: Tree, dof: Dof, state: State, mass: Mass, frc: Force, contact: Contact, efc: Efc,
    sol: Solve, isl: Island, status: Status, solver: int, w: int, lane: int,
):  # fmt: skip
    """Solve the constraints of world ``w``, by all of its lanes."""
    island_world(size, opt, tree, dof, efc, isl, status, w, lane)
    if status.nefc[w] == 0:
        unconstrained_world(size, state, frc, sol, status, w, lane)
    else:
        start_world(size, state, frc, efc, sol, isl, status, w, lane)
        if lane == 0:
            status.solver_niter[w] = 0
        i = wp.int32(0)
        while i < isl.nisland[fresh(w)]:  # read again each time: an iteration needs the registers
            niter = _solve_island(opt, tree, dof, state, mass, frc, contact, efc, sol, isl, status, solver, fresh(w), i, lane)
            if lane == 0:
                status.solver_niter[w] = wp.max(status.solver_niter[w], niter)
            i += 1
        sync()
