"""The constraints of a world with a dense Jacobian, by the primal methods: Newton's, and conjugate gradients."""

from typing import NamedTuple

import warp as wp

from newtonish.kernels.linalg.dense import copy_vector, dense_symmetric
from newtonish.kernels.math.world import scratch_slot, sync
from newtonish.kernels.solver.cg import conjugate_gradients
from newtonish.kernels.solver.dense import DENSE, strict_preconditioner, world_hessian, world_preconditioner, world_problem
from newtonish.kernels.solver.newton import newton
from newtonish.kernels.solver.start import start
from newtonish.kernels.solver.stopping import world_inertia
from newtonish.kernels.solver.unconstrained import unconstrained_world
from newtonish.kernels.structs.data import Contact, Efc, Force, Mass, Solve, State, Status
from newtonish.kernels.structs.model import Dof, Option, Size

begin = start(DENSE)


class WorldSolver(NamedTuple):
    """Warp functions that solve the constraints of a world ``w``, by all of its lanes."""

    loaded: wp.Function  # of a world with rows, with the matrix in ``sol.M``
    world: wp.Function


def of_world(iterate: wp.Function, matrix: wp.Function) -> WorldSolver:
    """The solver whose iteration is ``iterate``, of the operations ``DENSE``."""

    @wp.func(inline=True)
    def solve_loaded(
        size: Size, opt: Option, dof: Dof, state: State, mass: Mass, frc: Force, contact: Contact, efc: Efc, sol: Solve,
        status: Status, w: int, lane: int,
    ):  # fmt: skip
        p = world_problem(size, opt, contact, efc, status, world_inertia(dof, mass, size.nv, w, lane), w, lane)
        begin(p, opt.disableflags, state, frc, contact, efc, sol)
        ended = iterate(p, matrix(size, dof, mass, sol, status, w, lane), contact, efc, sol)
        store_world(size, state, sol, w)
        if lane == 0:
            status.solver_niter[w] = ended[0]
            status.rounded[w] = ended[1]
        sync()

    @wp.func(inline=True)
    def solve_world(
        size: Size, opt: Option, dof: Dof, state: State, mass: Mass, frc: Force, contact: Contact, efc: Efc, sol: Solve,
        status: Status, w: int, lane: int,
    ):  # fmt: skip
        if status.nefc[w] == 0:
            unconstrained_world(size, state, frc, sol, status, w, lane)
        else:
            dense_symmetric(sol.M, mass.M, dof.M_rownnz, dof.M_rowadr, dof.M_colind, size.nv, w, scratch_slot(w))
            solve_loaded(size, opt, dof, state, mass, frc, contact, efc, sol, status, w, lane)

    return WorldSolver(solve_loaded, solve_world)


@wp.func
def store_world(size: Size, state: State, sol: Solve, w: int):
    """The results of an iteration, or of last steps, from the scratch."""
    slot = scratch_slot(w)
    copy_vector(sol.qacc, w, sol.x, slot, size.nv)
    copy_vector(state.qacc_warmstart, w, sol.x, slot, size.nv)
    copy_vector(sol.Ma, w, sol.Mx, slot, size.nv)
    copy_vector(sol.qfrc_constraint, w, sol.JTf, slot, size.nv)


NEWTON = of_world(newton(DENSE), world_hessian)
CG = of_world(conjugate_gradients(DENSE), world_preconditioner)
STRICT_CG = of_world(conjugate_gradients(DENSE), strict_preconditioner)  # of the integrator ``discrete``
