"""``newtonish.kernels.solver.refine`` for a sparse Jacobian, island by island.

Reads   m.size, m.opt, m.tree, m.dof; d.mass (M, qLD, qLDiagInv), d.frc.qfrc_smooth, d.contact, d.efc, d.sol (qacc),
        d.status (rounded), d.isl (islands and island_rounded, after conjugate gradients)
Writes  d.sol (qacc, qfrc_constraint, Ma and scratch); d.efc.force, d.efc.state; d.state.qacc_warmstart; after Gauss-Seidel,
        which goes over all rows, d.isl
Method  See ``newtonish.kernels.solver.refine``. An island whose Hessian has no room stays as the solver left it.
"""

import warp as wp

from newtonish.common.enums import SolverType
from newtonish.kernels.math.world import lanes, sync
from newtonish.kernels.solver.refine import refinement
from newtonish.kernels.sparse.islands import island_world
from newtonish.kernels.sparse.operations import ISLAND
from newtonish.kernels.sparse.problem import island_hessian, island_problem
from newtonish.kernels.sparse.region import (
    Region,
    contact_window,
    efc_window,
    enter_island,
    hessian_length,
    leave_island,
    place_hessian,
    region_of,
    sol_window,
    store_island,
)
from newtonish.kernels.structs.data import Contact, Efc, Force, Island, Mass, Solve, State, Status
from newtonish.kernels.structs.model import Dof, Option, Size, Tree

PGS = wp.constant(int(SolverType.PGS))


refine = refinement(ISLAND)


@wp.func
def refine_island(
    opt: Option, tree: Tree, dof: Dof, state: State, mass: Mass, frc: Force, contact: Contact, efc: Efc, sol: Solve,
    isl: Island, region: Region, w: int, i: int, lane: int,
):  # fmt: skip
    """Refine island ``i``, with its copies in ``isl``."""
    enter_island(opt, tree, dof, mass, contact, efc, isl, region, w, i, lane)
    place_hessian(isl, region, w, i, lane)
    if hessian_length(isl, region) <= isl.H.shape[1]:
        s = sol_window(sol, region, lane)
        part = efc_window(isl)
        cons = contact_window(isl)
        p = island_problem(opt, tree, dof, mass, efc, isl, region, 0.0, w, lane)  # last steps ask for no tolerance
        if refine(p, island_hessian(tree, dof, mass, efc, s, isl, region, w, lane), frc.qfrc_smooth, sol.qacc, cons, part, s):
            store_island(state, sol, s, isl, region.slot, w, lane)
            leave_island(efc, isl, region.slot, w, lane)


@wp.func
def refine_islands_world(
    size: Size, opt: Option, tree: Tree, dof: Dof, state: State, mass: Mass, frc: Force, contact: Contact, efc: Efc,
    sol: Solve, isl: Island, status: Status, solver: int, w: int, lane: int,
):  # fmt: skip
    """Refine those islands of world ``w`` whose iteration float32 ended, by all of its lanes."""
    if status.nefc[w] > 0 and (solver != PGS or status.rounded[w] != 0):
        if solver == PGS:
            island_world(size, opt, tree, dof, efc, isl, status, w, lane)
            for i in range(lane, isl.nisland[w], lanes()):
                isl.island_rounded[w, i] = 1
            sync()
        for i in range(isl.nisland[w]):
            if isl.island_rounded[w, i] != 0:
                region = region_of(opt, isl, status, w, i)
                refine_island(opt, tree, dof, state, mass, frc, contact, efc, sol, isl, region, w, i, lane)
