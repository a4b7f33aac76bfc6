"""``newtonish.kernels.solver.refine`` for a sparse Jacobian, island by island.

Reads   m.size, m.opt, m.tree, m.dof; d.mass (M, qLD, qLDiagInv), d.frc.qfrc_smooth, d.contact, d.efc, d.sol (qacc),
        d.status (rounded), d.isl (islands and island_rounded, after conjugate gradients)
Writes  d.sol (qacc, qfrc_constraint, Ma and scratch); d.efc.force, d.efc.state; d.state.qacc_warmstart; after Gauss-Seidel,
        which goes over all rows, d.isl
Method  See ``newtonish.kernels.solver.refine``. An island whose Hessian has no room stays as the solver left it.
"""

import warp as wp

from newtonish.kernels.enums import SolverType
from newtonish.kernels.linalg.dense import add_scaled
from newtonish.kernels.math.world import sync
from newtonish.kernels.solver.newton import INFINITE
from newtonish.kernels.solver.polish import CLOSE
from newtonish.kernels.solver.refine import ROUNDS
from newtonish.kernels.sparse.hessian import build_skyline
from newtonish.kernels.sparse.islands import island_world
from newtonish.kernels.sparse.polish import (
    balance_island,
    exact_states_of_island,
    exact_step_of_island,
    take_exact_step_of_island,
)
from newtonish.kernels.sparse.region import (
    Region,
    contact_window,
    efc_window,
    enter_island,
    gather,
    hessian_length,
    leave_island,
    scatter,
    sol_window,
    status_window,
)
from newtonish.kernels.structs.data import Contact, Efc, Force, Island, Mass, Solve, State, Status
from newtonish.kernels.structs.model import Dof, Option, Size, Tree

PGS = wp.constant(int(SolverType.PGS))


@wp.func
def _approach(
    opt: Option, tree: Tree, dof: Dof, mass: Mass, efc: Efc, sol: Solve, isl: Island, region: Region, contact: Contact,
    part: Efc, s: Solve, status: Status, w: int, lane: int,
) -> float:  # fmt: skip
    """Move ``s.x`` until the step to the minimum, left in ``s.search``, is short; returns the length of ``s.x``, or -1."""
    norm = wp.float32(-1.0)
    before = wp.float32(INFINITE)
    count = wp.int32(0)
    going = wp.int32(1)
    while going == 1:
        exact_states_of_island(opt, efc, isl, region, contact, part, s, status, w, lane)
        build_skyline(opt, tree, dof, mass, efc, sol, isl, region, contact, part, s, status, w)
        lengths = exact_step_of_island(opt, tree, dof, mass, efc, sol, isl, region, contact, part, s, status, w, lane)
        count += 1
        if lengths[1] <= CLOSE * lengths[0]:
            norm = lengths[0]
            going = 0
        elif count < ROUNDS and lengths[1] < before:
            before = lengths[1]
            add_scaled(s.x, s.search, 1.0, region.n, 0)
        else:
            going = 0  # too far, or not a number
    return norm


@wp.func
def _refine_island(
    opt: Option, tree: Tree, dof: Dof, state: State, mass: Mass, frc: Force, contact: Contact, efc: Efc, sol: Solve,
    isl: Island, status: Status, w: int, i: int, lane: int,
):  # fmt: skip
    region = enter_island(opt, tree, dof, mass, contact, efc, isl, status, w, i, lane)
    if hessian_length(isl, region, w) <= isl.H.shape[1]:
        s = sol_window(sol, region, w)
        part = efc_window(isl, region, w)
        cons = contact_window(isl, w)
        counts = status_window(isl, w, i)
        gather(s.smooth, frc.qfrc_smooth, isl, region, w, lane)
        gather(s.x, sol.qacc, isl, region, w, lane)
        norm = _approach(opt, tree, dof, mass, efc, sol, isl, region, cons, part, s, counts, w, lane)
        if norm > 0.0:
            take_exact_step_of_island(opt, tree, dof, mass, efc, isl, region, cons, part, s, counts, norm, w, lane)
            balance_island(tree, dof, mass, isl, region, s, w, lane)
            scatter(sol.qacc, s.x, isl, region, w, lane)
            scatter(state.qacc_warmstart, s.x, isl, region, w, lane)
            scatter(sol.Ma, s.Mx, isl, region, w, lane)
            scatter(sol.qfrc_constraint, s.pull, isl, region, w, lane)
            leave_island(efc, isl, region, w, lane)


@wp.func
def refine_islands_world(
    size: Size, opt: Option, tree: Tree, dof: Dof, state: State, mass: Mass, frc: Force, contact: Contact, efc: Efc,
    sol: Solve, isl: Island, status: Status, solver: int, w: int, lane: int,
):  # fmt: skip
    """Refine those islands of world ``w`` whose iteration float32 ended, by all lanes of its block."""
    if status.nefc[w] > 0 and (solver != PGS or status.rounded[w] != 0):
        if solver == PGS:
            island_world(size, opt, tree, dof, efc, isl, status, w, lane)
            for i in range(lane, isl.nisland[w], wp.block_dim()):
                isl.island_rounded[w, i] = 1
            sync()
        for i in range(isl.nisland[w]):
            if isl.island_rounded[w, i] != 0:
                _refine_island(opt, tree, dof, state, mass, frc, contact, efc, sol, isl, status, w, i, lane)
