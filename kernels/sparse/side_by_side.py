"""Islands of a large world side by side on a GPU, each by lanes of its own and with copies of its own.

Reads   as ``newtonish.kernels.sparse.solve`` and ``refine``
Writes  the same; d.status.nhessian_needed is what the Hessians of all islands of a world take together
Method  Four kernels, one after the other: ``begin_world`` finds the islands of a world; ``enter_islands`` copies their rows and tells what their
        Hessians take; ``solve_islands`` solves each that has room behind those before it; ``end_world`` gathers what holds for the world.
"""

import warp as wp

from newtonish.common.enums import SolverType
from newtonish.kernels.math.world import fresh, item_index, items, scratch_slot
from newtonish.kernels.solver.unconstrained import unconstrained_world
from newtonish.kernels.sparse.copies import WHICH, of_island
from newtonish.kernels.sparse.islands import island_world
from newtonish.kernels.sparse.refine import refine_island
from newtonish.kernels.sparse.region import enter_island, hessian_length, island_window, place_hessian, region_of
from newtonish.kernels.sparse.solve import note_hessian, solve_entered, start_world
from newtonish.kernels.structs.data import Contact, Efc, Force, Island, Mass, Solve, State, Status
from newtonish.kernels.structs.model import Dof, Option, Size, Tree

CG = wp.constant(int(SolverType.CG))


@wp.func
def begin_world(size: Size, opt: Option, tree: Tree, dof: Dof, state: State, frc: Force, efc: Efc, sol: Solve, isl: Island, status: Status, w: int, lane: int):
    """Find the islands of world ``w``, and solve what is in none."""
    island_world(size, opt, tree, dof, efc, isl, status, w, lane)
    if status.nefc[w] == 0:
        unconstrained_world(size, state, frc, sol, status, w, lane)
    else:
        start_world(size, state, frc, efc, sol, isl, status, fresh(w), fresh(lane))


@wp.func
def enter_islands(opt: Option, tree: Tree, dof: Dof, mass: Mass, contact: Contact, efc: Efc, isl: Island, status: Status, w: int, lane: int):
    """Enter those islands of world ``w`` that are this item's."""
    for i in range(item_index(), isl.nisland[w], items()):
        region = region_of(opt, isl, status, w, i)
        own = island_window(isl)
        enter_island(opt, tree, dof, mass, contact, efc, own, region, w, i, lane)
        if lane == 0:
            isl.length[scratch_slot(w), i] = hessian_length(own, region)


@wp.func
def solve_islands(
    opt: Option, tree: Tree, dof: Dof, state: State, mass: Mass, frc: Force, contact: Contact, efc: Efc, sol: Solve,
    isl: Island, status: Status, solver: int, w: int, lane: int,
):  # fmt: skip
    """Solve those islands of world ``w`` that are this item's, once all have been entered."""
    i = wp.int32(item_index())
    while i < isl.nisland[fresh(w)]:  # read again each time: an iteration needs the registers
        region = region_of(opt, isl, status, w, i)
        own = island_window(isl)
        place_hessian(own, region, w, i, lane)
        niter = solve_entered(opt, tree, dof, state, mass, frc, contact, efc, sol, own, region, solver, w, lane)
        i = of_island(own.head, region.slot, WHICH)  # read again as well
        if lane == 0:
            isl.niter[scratch_slot(fresh(w)), i] = niter
        i += items()


@wp.func
def refine_islands(
    opt: Option, tree: Tree, dof: Dof, state: State, mass: Mass, frc: Force, contact: Contact, efc: Efc, sol: Solve,
    isl: Island, status: Status, w: int, lane: int,
):  # fmt: skip
    """Refine those islands of world ``w`` that are this item's and whose iteration float32 ended."""
    for i in range(item_index(), isl.nisland[w], items()):
        if isl.island_rounded[w, i] != 0:
            region = region_of(opt, isl, status, w, i)
            refine_island(opt, tree, dof, state, mass, frc, contact, efc, sol, island_window(isl), region, w, i, lane)


@wp.func
def end_world(isl: Island, status: Status, solver: int, w: int, lane: int):
    """The most iterations of any island of world ``w``, and the room that their Hessians would take."""
    slot = scratch_slot(w)
    if lane == 0 and status.nefc[w] > 0:
        most = wp.int32(0)
        total = wp.int32(0)
        for i in range(isl.nisland[w]):
            most = wp.max(most, isl.niter[slot, i])
            total += isl.length[slot, i]
        status.solver_niter[w] = most
        if solver != CG:
            note_hessian(status, total, isl.H.shape[1], w)
