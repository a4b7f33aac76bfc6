"""The operations of an island as a problem of the solver: products by sparse rows and trees, a Hessian kept in its envelope.

``Contact``, ``Efc`` and ``Solve`` are the island's windows (``newtonish.kernels.sparse.region``). Sums in float64 are kept as two float32 values, the
second one what the first rounds off: that is all the scratch they need.
"""

import warp as wp

from newtonish.kernels.linalg.dense import copy_vector
from newtonish.kernels.linalg.island_products import (
    island_mul_mass,
    island_mul_rows,
    island_mul_rows_transposed,
    island_solve_mass,
)
from newtonish.kernels.linalg.skyline import skyline_add_cones, skyline_add_rows, skyline_begin
from newtonish.kernels.linalg.skyline_cholesky import skyline_factor, skyline_solve
from newtonish.kernels.math.world import fresh, lanes, per_world, scratch_slot, sum_lanes, sync
from newtonish.kernels.solver.exact import exact_force, split, whole
from newtonish.kernels.solver.operations import Operations
from newtonish.kernels.solver.rows import Rows
from newtonish.kernels.sparse.copies import CONTACTS, EQUALITIES, FIRST_ROW, FIRST_TREE, FLAT, ROWS, TREES, number_of_island, of_island, of_world
from newtonish.kernels.sparse.problem import IslandHessian, IslandPreconditioner, IslandProblem
from newtonish.kernels.structs.data import Contact, Efc, Solve


@wp.func
def _rows(p: IslandProblem) -> Rows:
    return Rows(
        p.slot, of_island(p.head, p.slot, ROWS), of_island(p.head, p.slot, EQUALITIES), of_island(p.head, p.slot, FLAT), of_island(p.head, p.slot, CONTACTS)
    )  # fmt: skip


@wp.func
def _nrow(p: IslandProblem) -> int:
    return (of_island(p.head, p.slot, ROWS) + 7) // 8 * 8


@wp.func
def _small(p: IslandProblem) -> float:
    return number_of_island(p.numbers, p.slot, 0)


@wp.func
def _keep(p: IslandProblem, pair: wp.vec2) -> wp.vec2:
    slot = fresh(p.slot)
    if p.lane == 0:
        p.numbers[slot, 1] = pair[0]
        p.numbers[slot, 2] = pair[1]
    return wp.vec2()


@wp.func
def _kept(p: IslandProblem, pair: wp.vec2) -> wp.vec2:
    return wp.vec2(number_of_island(p.numbers, p.slot, 1), number_of_island(p.numbers, p.slot, 2))


@wp.func
def _gather(p: IslandProblem, target: wp.array2d(dtype=float), source: wp.array2d(dtype=float)):
    slot = fresh(p.slot)
    for k in range(p.lane, p.n, lanes()):
        value = wp.float32(0.0)
        if p.dof_at[slot, k] >= 0:
            value = source[p.w, p.dof_at[slot, k]]
        target[slot, k] = value
    sync()


@wp.func
def _multiply_mass(p: IslandProblem, sol: Solve, x: wp.array2d(dtype=float), result: wp.array2d(dtype=float)):
    w = fresh(p.w)
    island_mul_mass(
        p.M, p.M_rownnz, p.M_rowadr, p.M_colind, p.trees, p.tree_pos, p.dofadr, p.dofnum, p.lastid, x, result, of_island(p.head, p.slot, FIRST_TREE),
        of_island(p.head, p.slot, TREES), w, p.slot,
    )  # fmt: skip


@wp.func
def _multiply_jacobian(p: IslandProblem, efc: Efc, x: wp.array2d(dtype=float), scale: float, result: wp.array2d(dtype=float)):
    island_mul_rows(
        p.J, p.rownnz, p.rowadr, p.column, p.order, x, efc.aref, scale, result, of_island(p.head, p.slot, FIRST_ROW), of_island(p.head, p.slot, ROWS),
        p.w, p.slot,
    )  # fmt: skip


@wp.func
def _multiply_transposed(p: IslandProblem, efc: Efc, sol: Solve):
    island_mul_rows_transposed(
        p.J, p.rownnz, p.rowadr, p.column, p.order, efc.force, sol.JTf, of_island(p.head, p.slot, FIRST_ROW), of_island(p.head, p.slot, ROWS), p.w, p.slot
    )  # fmt: skip


@wp.func
def _precondition(p: IslandProblem, m: IslandPreconditioner, grad: wp.array2d(dtype=float)):
    copy_vector(m.solved, m.at, grad, p.slot, p.nv)
    w = fresh(p.w)
    island_solve_mass(
        p.M_rownnz, p.M_rowadr, p.M_colind, m.qLD, m.qLDiagInv, p.trees, p.tree_pos, p.dofadr, p.dofnum, m.solved, of_island(p.head, p.slot, FIRST_TREE),
        of_island(p.head, p.slot, TREES), w, p.slot,
    )  # fmt: skip


@wp.func
def _sum_hessian(p: IslandProblem, h: IslandHessian, contact: Contact, efc: Efc, sol: Solve):
    first = of_island(p.head, p.slot, FIRST_ROW)
    ncon = of_island(p.head, p.slot, CONTACTS)
    skyline_begin(of_world(h.H, p.w), h.first, h.address, of_world(h.M, p.w), h.mass_first, h.mass_address, h.n, h.slot)
    skyline_add_rows(
        of_world(h.H, p.w), h.first, h.address, p.J, p.rownnz, p.rowadr, p.column, p.order, h.type, h.id, efc.D, efc.state, first,
        of_island(p.head, p.slot, ROWS), p.w, p.slot,
    )  # fmt: skip
    if ncon > 0:
        skyline_add_cones(
            of_world(h.H, p.w), h.first, h.address, p.J, p.rownnz, p.rowadr, p.column, p.order, sol.Jaref, efc.D, contact.efc_address,
            contact.dim, contact.friction, contact.mu, first, ncon, p.w, p.slot,
        )  # fmt: skip


@wp.func
def _factor_hessian(h: IslandHessian, sol: Solve):
    skyline_factor(of_world(h.H, h.w), h.first, h.address, h.diaginv, h.bound, h.n, h.slot)


@wp.func
def _solve_hessian(h: IslandHessian, sol: Solve):
    skyline_solve(of_world(h.H, h.w), h.first, h.address, h.diaginv, sol.search, h.n, h.slot)


@wp.func
def _entry(h: IslandHessian, i: int, j: int) -> float:
    """Element (i, j) of the Hessian, ``i`` not below ``j``, within the envelope."""
    panel = i // 8
    slot = fresh(h.slot)
    return of_world(h.H, h.w)[slot, h.address[slot, panel] + 8 * j + i - 8 * panel]


@wp.func
def _multiply_column(h: IslandHessian, sol: Solve, i: int) -> wp.vec2:
    slot = fresh(h.slot)
    product = wp.float32(0.0)
    square = wp.float32(0.0)
    for j in range(8 * h.first[slot, i // 8] + h.lane, i + 1, lanes()):
        e = _entry(h, i, j)
        product += e * sol.grad[slot, j]
        square += e * e
    for panel in range(i // 8 + h.lane, h.n // 8, lanes()):
        if 8 * h.first[slot, panel] <= i:
            for j in range(wp.max(i + 1, 8 * panel), 8 * panel + 8):
                e = _entry(h, j, i)
                product += e * sol.grad[slot, j]
                square += e * e
    return wp.vec2(sum_lanes(product), sum_lanes(square))


@wp.func
def _add_column(h: IslandHessian, sol: Solve, i: int, factor: float):
    slot = fresh(h.slot)
    for j in range(8 * h.first[slot, i // 8] + h.lane, i + 1, lanes()):
        sol.grad[slot, j] = sol.grad[slot, j] + factor * _entry(h, i, j)
    for panel in range(i // 8 + h.lane, h.n // 8, lanes()):
        if 8 * h.first[slot, panel] <= i:
            for j in range(wp.max(i + 1, 8 * panel), 8 * panel + 8):
                sol.grad[slot, j] = sol.grad[slot, j] + factor * _entry(h, j, i)


@wp.func
def _sweep_dof(h: IslandHessian, k: int) -> int:
    return h.nv - 1 - k  # places of a tree run from its leaves to its root


@wp.func
def _exact_row(p: IslandProblem, efc: Efc, sol: Solve, r: int, value: wp.float64) -> wp.float64:
    w = fresh(p.w)
    slot = fresh(p.slot)
    own = scratch_slot(w)
    total = value
    row = p.order[w, of_island(p.head, p.slot, FIRST_ROW) + r]
    first = p.rowadr[w, row]
    for e in range(first, first + p.rownnz[w, row]):
        total += wp.float64(p.J[w, 0, e]) * wp.float64(sol.x[slot, p.column[own, e]])
    return total


@wp.func
def _add(high: wp.array2d(dtype=float), low: wp.array2d(dtype=float), slot: int, i: int, term: wp.float64):
    split(high, low, slot, i, whole(high, low, slot, i) + term)


@wp.func
def _add_mass(p: IslandProblem, x: wp.array2d(dtype=float), scale: wp.float64, high: wp.array2d(dtype=float), low: wp.array2d(dtype=float)):
    """``high + low += scale M x``, a lane for each tree. Ends with a barrier."""
    w = fresh(p.w)
    slot = fresh(p.slot)
    own = scratch_slot(w)
    for k in range(p.lane, of_island(p.head, p.slot, TREES), lanes()):
        t = p.trees[w, of_island(p.head, p.slot, FIRST_TREE) + k]
        for i in range(p.dofadr[t], p.dofadr[t] + p.dofnum[t]):
            to = p.dof_place[own, i]
            for a in range(p.M_rowadr[i], p.M_rowadr[i] + p.M_rownnz[i]):
                at = p.dof_place[own, p.M_colind[a]]
                element = scale * wp.float64(p.M[w, a])
                _add(high, low, slot, to, element * wp.float64(x[slot, at]))
                if at != to:
                    _add(high, low, slot, at, element * wp.float64(x[slot, to]))
    sync()


@wp.func
def _exact_gradient(p: IslandProblem, efc: Efc, sol: Solve):
    w = fresh(p.w)
    slot = fresh(p.slot)
    own = scratch_slot(w)
    for i in range(p.lane, p.n, lanes()):
        sol.search[slot, i] = sol.smooth[slot, i]
        sol.grad[slot, i] = 0.0
    sync()
    _add_mass(p, sol.x, wp.float64(-1.0), sol.search, sol.grad)
    # rows one after the other, their entries, all of different dofs, to the lanes: a fixed order of sums
    for k in range(of_island(p.head, p.slot, ROWS)):
        r = p.order[w, of_island(p.head, p.slot, FIRST_ROW) + k]
        force = exact_force(efc, sol, slot, slot, k)
        for e in range(p.rowadr[w, r] + p.lane, p.rowadr[w, r] + p.rownnz[w, r], lanes()):
            _add(sol.search, sol.grad, slot, p.column[own, e], wp.float64(p.J[w, 0, e]) * force)
        sync()


@wp.func
def _exact_balance(p: IslandProblem, sol: Solve):
    slot = fresh(p.slot)
    for i in range(p.lane, p.n, lanes()):
        sol.Mx[slot, i] = 0.0
        sol.grad[slot, i] = 0.0
    sync()
    _add_mass(p, sol.x, wp.float64(1.0), sol.Mx, sol.grad)
    for i in range(p.lane, p.n, lanes()):
        sol.JTf[slot, i] = wp.float32(whole(sol.Mx, sol.grad, slot, i) - wp.float64(sol.smooth[slot, i]))
    sync()


@wp.func
def _ls_small(p: IslandProblem) -> float:
    return p.ls_tolerance[per_world(p.ls_tolerance.shape[0], p.w)] * _small(p)


ISLAND = Operations(
    problem=IslandProblem, hessian=IslandHessian, preconditioner=IslandPreconditioner,
    rows=_rows, nrow=_nrow, small=_small, keep=_keep, kept=_kept, gather=_gather,
    multiply_mass=_multiply_mass, multiply_jacobian=_multiply_jacobian, multiply_transposed=_multiply_transposed,
    precondition=_precondition, ls_small=_ls_small, sum_hessian=_sum_hessian, factor_hessian=_factor_hessian, solve_hessian=_solve_hessian,
    multiply_column=_multiply_column, add_column=_add_column, sweep_dof=_sweep_dof, exact_row=_exact_row,
    exact_gradient=_exact_gradient, exact_balance=_exact_balance,
)  # fmt: skip
