"""A world with a dense Jacobian as a problem of the solver, and its operations.

The mass matrix is whatever is in ``sol.M``: the integrator ``discrete`` has its metric there. Methods: MuJoCo's documentation, chapter Computation,
"Newton" (Hessian); Higham 2002, "Accuracy and stability of numerical algorithms", chapter 12 (products in float64).
"""

import warp as wp

from newtonish.kernels.constants import FRICTION_DOF
from newtonish.kernels.linalg.cones import hessian_add_cones
from newtonish.kernels.linalg.dense import copy_vector, load_vector, mul_rows, mul_rows_transposed
from newtonish.kernels.linalg.hessian import hessian_factor, hessian_solve
from newtonish.kernels.linalg.hessian_sum import hessian_sum
from newtonish.kernels.linalg.lone_rows import add_lone_forces, hessian_add_lone_rows, mul_lone_rows
from newtonish.kernels.linalg.mass_product import mul_symmetric
from newtonish.kernels.linalg.sparse_ltdl import ltdl_solve
from newtonish.kernels.math.world import fresh, lanes, scratch_slot, sum_lanes, sum_lanes_int, sync
from newtonish.kernels.solver.exact import exact_force
from newtonish.kernels.solver.operations import Operations
from newtonish.kernels.solver.rows import Rows, first_contact_row, world_rows
from newtonish.kernels.solver.stopping import tolerances
from newtonish.kernels.structs.data import Contact, Efc, Mass, Solve, Status
from newtonish.kernels.structs.model import Dof, Option, Size


@wp.struct
class WorldProblem:
    """The constraints of one world; ``operations`` describes the fields that are not arrays of matrices."""

    rows: Rows
    slot: int
    lane: int
    nv: int
    n: int
    nrow: int
    lone: int  # row behind those of dry friction in joints, of which the first one is row ne; on a CPU it is ne
    small: float
    ls_small: float
    iterations: int
    ls_iterations: int


@wp.struct
class WorldHessian:
    """What the factor of the Hessian in ``sol.H`` needs."""

    nv: int
    w: int
    slot: int
    lane: int
    first: int  # row of a contact
    bound: wp.array2d(dtype=float)  # 1/D of the mass matrix


@wp.struct
class WorldPreconditioner:
    """The sparse factor of the mass matrix."""

    solved: wp.array2d(dtype=float)
    at: int
    strict: int
    rownnz: wp.array(dtype=int)
    rowadr: wp.array(dtype=int)
    colind: wp.array(dtype=int)
    qLD: wp.array2d(dtype=float)
    qLDiagInv: wp.array2d(dtype=float)


@wp.func
def _end_of_lone_rows(efc: Efc, status: Status, w: int, lane: int) -> int:
    """The row behind those of dry friction in joints; they follow the equalities, those of tendons follow them."""
    begin = status.ne[w]
    count = wp.int32(0)
    if lanes() > 1:
        for r in range(begin + lane, wp.min(begin + status.nf[w], status.nefc[w]), lanes()):
            if efc.type[w, r] == FRICTION_DOF:
                count += 1
        count = sum_lanes_int(count)
    return begin + count


@wp.func
def world_problem(size: Size, opt: Option, contact: Contact, efc: Efc, status: Status, inertia: float, w: int, lane: int) -> WorldProblem:
    """The problem of world ``w``; ``inertia``: trace of its mass matrix."""
    small = tolerances(opt, inertia, w)
    return WorldProblem(
        world_rows(opt, contact, status, w), scratch_slot(w), lane, size.nv, size.nv_pad, (status.nefc[w] + 7) // 8 * 8,
        _end_of_lone_rows(efc, status, w, lane), small[0], small[1], opt.iterations, opt.ls_iterations
    )  # fmt: skip


@wp.func
def world_hessian(size: Size, dof: Dof, mass: Mass, sol: Solve, status: Status, w: int, lane: int) -> WorldHessian:
    return WorldHessian(size.nv, w, scratch_slot(w), lane, first_contact_row(status, w), mass.qLDiagInv)


@wp.func
def world_preconditioner(size: Size, dof: Dof, mass: Mass, sol: Solve, status: Status, w: int, lane: int) -> WorldPreconditioner:
    # the world's acceleration is free until the end
    return WorldPreconditioner(sol.qacc, w, 0, dof.M_rownnz, dof.M_rowadr, dof.M_colind, mass.qLD, mass.qLDiagInv)


@wp.func
def strict_preconditioner(size: Size, dof: Dof, mass: Mass, sol: Solve, status: Status, w: int, lane: int) -> WorldPreconditioner:
    """The same for the integrator ``discrete``, with which MuJoCo asks more of a start."""
    m = world_preconditioner(size, dof, mass, sol, status, w, lane)
    m.strict = 1
    return m


@wp.func
def _gather(p: WorldProblem, target: wp.array2d(dtype=float), source: wp.array2d(dtype=float)):
    load_vector(target, source, p.nv, p.rows.w, p.slot)


@wp.func
def _multiply_mass(p: WorldProblem, sol: Solve, x: wp.array2d(dtype=float), result: wp.array2d(dtype=float)):
    if lanes() > 1:
        mul_symmetric(sol.M, x, result, p.nv, p.slot)
    else:
        mul_rows(sol.M, x, x, 0.0, result, p.nv, 0, 0, p.slot, p.slot)


@wp.func
def _multiply_jacobian(p: WorldProblem, efc: Efc, x: wp.array2d(dtype=float), scale: float, result: wp.array2d(dtype=float)):
    mul_rows(efc.J, x, efc.aref, scale, result, p.rows.nefc, p.rows.ne, p.lone, p.rows.w, p.slot)
    if p.lone > p.rows.ne and lanes() > 1:
        mul_lone_rows(efc.id, x, efc.aref, scale, result, p.rows.ne, p.lone, p.rows.w, p.slot)


@wp.func
def _multiply_transposed(p: WorldProblem, efc: Efc, sol: Solve):
    mul_rows_transposed(efc.J, efc.force, sol.JTf, p.rows.nefc, p.rows.ne, p.lone, p.rows.w, p.slot)
    if p.lone > p.rows.ne and lanes() > 1:
        add_lone_forces(efc.id, efc.force, sol.JTf, p.rows.ne, p.lone, p.rows.w, p.slot)


@wp.func
def _precondition(p: WorldProblem, m: WorldPreconditioner, grad: wp.array2d(dtype=float)):
    copy_vector(m.solved, m.at, grad, p.slot, p.nv)
    ltdl_solve(m.rownnz, m.rowadr, m.colind, m.qLD, m.qLDiagInv, m.solved, p.nv, p.rows.w)


@wp.func
def _sum_hessian(p: WorldProblem, h: WorldHessian, contact: Contact, efc: Efc, sol: Solve):
    """The lower triangle of H."""
    before = wp.int32(h.first)  # a CPU adds rows by fours, which are to begin with those of a contact
    behind = wp.int32(h.first)
    if lanes() > 1:
        before = p.rows.ne
        behind = p.lone
    hessian_sum(sol.H, sol.M, efc.J, efc.D, efc.state, before, behind, p.rows.nefc, p.nv, p.rows.w, p.slot)
    if behind > before:
        hessian_add_lone_rows(efc.id, sol.H, efc.D, efc.state, before, behind, p.rows.w, p.slot)
    if p.rows.ncon > 0:
        hessian_add_cones(
            sol.H, efc.J, sol.Jaref, efc.D, contact.efc_address, contact.dim, contact.friction, contact.mu, p.rows.ncon, p.nv,
            p.rows.w, p.slot,
        )  # fmt: skip


@wp.func
def _factor_hessian(h: WorldHessian, sol: Solve):
    hessian_factor(sol.H, sol.Hdiaginv, h.bound, h.nv, h.w, h.slot)


@wp.func
def _solve_hessian(h: WorldHessian, sol: Solve):
    hessian_solve(sol.H, sol.Hdiaginv, sol.search, h.nv, h.slot)


@wp.func
def _entry(sol: Solve, slot: int, i: int, j: int) -> float:
    return sol.H[slot, wp.max(i, j), wp.min(i, j)]


@wp.func
def _multiply_column(h: WorldHessian, sol: Solve, i: int) -> wp.vec2:
    slot = fresh(h.slot)
    product = wp.float32(0.0)
    square = wp.float32(0.0)
    for j in range(h.lane, h.nv, lanes()):
        e = _entry(sol, slot, i, j)
        product += e * sol.grad[slot, j]
        square += e * e
    return wp.vec2(sum_lanes(product), sum_lanes(square))


@wp.func
def _add_column(h: WorldHessian, sol: Solve, i: int, factor: float):
    slot = fresh(h.slot)
    for j in range(h.lane, h.nv, lanes()):
        sol.grad[slot, j] = sol.grad[slot, j] + _entry(sol, slot, i, j) * factor


@wp.func
def _sweep_dof(h: WorldHessian, k: int) -> int:
    return k


@wp.func
def _exact_row(p: WorldProblem, efc: Efc, sol: Solve, r: int, value: wp.float64) -> wp.float64:
    w = fresh(p.rows.w)
    slot = fresh(p.slot)
    total = value
    for i in range(p.nv):
        total += wp.float64(efc.J[w, r, i]) * wp.float64(sol.x[slot, i])
    return total


@wp.func
def _exact_mass(p: WorldProblem, sol: Solve, i: int, scale: wp.float64, value: wp.float64) -> wp.float64:
    """``value + scale`` times element ``i`` of M x."""
    slot = fresh(p.slot)
    total = value
    for j in range(p.nv):
        total += scale * wp.float64(sol.M[slot, i, j]) * wp.float64(sol.x[slot, j])
    return total


@wp.func
def _exact_gradient(p: WorldProblem, efc: Efc, sol: Solve):
    w = fresh(p.rows.w)
    slot = fresh(p.slot)
    for i in range(p.lane, p.n, lanes()):
        total = wp.float64(0.0)
        if i < p.nv:
            total = _exact_mass(p, sol, i, wp.float64(-1.0), wp.float64(sol.smooth[slot, i]))
            for r in range(p.rows.nefc):
                total += wp.float64(efc.J[w, r, i]) * exact_force(efc, sol, w, slot, r)
        sol.search[slot, i] = wp.float32(total)
    sync()


@wp.func
def _exact_balance(p: WorldProblem, sol: Solve):
    slot = fresh(p.slot)
    for i in range(p.lane, p.nv, lanes()):
        total = _exact_mass(p, sol, i, wp.float64(1.0), wp.float64(0.0))
        sol.Mx[slot, i] = wp.float32(total)
        sol.JTf[slot, i] = wp.float32(total - wp.float64(sol.smooth[slot, i]))
    sync()


@wp.func
def _rows(p: WorldProblem) -> Rows:
    return p.rows


@wp.func
def _nrow(p: WorldProblem) -> int:
    return p.nrow


@wp.func
def _small(p: WorldProblem) -> float:
    return p.small


@wp.func
def _same(p: WorldProblem, pair: wp.vec2) -> wp.vec2:
    return pair


@wp.func
def _ls_small(p: WorldProblem) -> float:
    return p.ls_small


DENSE = Operations(
    problem=WorldProblem, hessian=WorldHessian, preconditioner=WorldPreconditioner,
    rows=_rows, nrow=_nrow, small=_small, keep=_same, kept=_same, gather=_gather, multiply_mass=_multiply_mass,
    multiply_jacobian=_multiply_jacobian, multiply_transposed=_multiply_transposed, precondition=_precondition, ls_small=_ls_small,
    sum_hessian=_sum_hessian, factor_hessian=_factor_hessian, solve_hessian=_solve_hessian,
    multiply_column=_multiply_column, add_column=_add_column, sweep_dof=_sweep_dof, exact_row=_exact_row,
    exact_gradient=_exact_gradient, exact_balance=_exact_balance,
)  # fmt: skip
