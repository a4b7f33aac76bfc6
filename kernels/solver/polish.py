"""The last step of Newton's method where float32 ends it before the tolerance: with a gradient summed in float64.

Two roundings limit a float32 solution. That of the gradient, in which constraint forces far above the applied ones
cancel: the step below computes it from float64 residuals and forces. And that of the solution itself, to which stiff
rows answer: of the floats around the solution those are sought, dof by dof, whose roundings make up for each other.
Method: iterative refinement (Higham 2002, "Accuracy and stability of numerical algorithms", chapter 12), then coordinate
descent on the length of the gradient over float32 values.
"""

import warp as wp

from newtonish.kernels.linalg.dense import add_scaled, mul_rows
from newtonish.kernels.linalg.hessian import hessian_solve
from newtonish.kernels.math.world import block_sum, scratch_slot, sync
from newtonish.kernels.solver.cost import rows_update
from newtonish.kernels.solver.exact import exact_force, exact_forces, exact_residuals
from newtonish.kernels.solver.hessian import sum_hessian
from newtonish.kernels.structs.data import Contact, Efc, Solve, Status
from newtonish.kernels.structs.model import Option, Size

# further ones gain a tenth
SWEEPS = wp.constant(2)
# steps longer than this, relative to the solution, are not rounding: float32 does not hold the Hessian of such rows
CLOSE = wp.constant(1.0e-4)
# and no dof is moved further than this in search of better floats
REACH = wp.constant(2.0e-6)


@wp.func
def _exact_gradient(efc: Efc, sol: Solve, nefc: int, nv: int, w: int, lane: int):
    """``sol.search`` = -(M x - smooth - J' force). Ends with a barrier."""
    slot = scratch_slot(w)
    for i in range(lane, sol.search.shape[1], wp.block_dim()):
        total = wp.float64(0.0)
        if i < nv:
            total = wp.float64(sol.smooth[slot, i])
            for j in range(nv):
                total -= wp.float64(sol.M[slot, i, j]) * wp.float64(sol.x[slot, j])
            for r in range(nefc):
                total += wp.float64(efc.J[w, r, i]) * exact_force(efc, sol, w, slot, r)
        sol.search[slot, i] = wp.float32(total)
    sync()


@wp.func
def _entry(sol: Solve, slot: int, i: int, j: int) -> float:
    return sol.H[slot, wp.max(i, j), wp.min(i, j)]


@wp.func
def _take_rounded(sol: Solve, nv: int, w: int, lane: int):
    """Move ``sol.x`` by ``sol.search``, as far as floats allow; what rounding off adds to the gradient in ``sol.grad``.

    Reads H itself in ``sol.H``. The way that was taken is left in ``sol.search``. Ends with a barrier.
    """
    slot = scratch_slot(w)
    for i in range(lane, nv, wp.block_dim()):
        value = sol.x[slot, i] + sol.search[slot, i]
        taken = value - sol.x[slot, i]
        sol.Mv[slot, i] = taken - sol.search[slot, i]
        sol.search[slot, i] = taken
        sol.x[slot, i] = value
    sync()
    for i in range(lane, nv, wp.block_dim()):
        total = wp.float32(0.0)
        for j in range(nv):
            total += _entry(sol, slot, i, j) * sol.Mv[slot, j]
        sol.grad[slot, i] = total
    sync()


@wp.func
def _choose_floats(sol: Solve, nv: int, reach: float, w: int, lane: int):
    """One sweep over the dofs: to each the float, within ``reach``, where the gradient is shortest. Ends with a barrier."""
    slot = scratch_slot(w)
    for i in range(nv):
        slope = wp.float32(0.0)
        square = wp.float32(0.0)
        for j in range(lane, nv, wp.block_dim()):
            h = _entry(sol, slot, i, j)
            slope += h * sol.grad[slot, j]
            square += h * h
        old = sol.x[slot, i]
        value = old - wp.clamp(block_sum(slope) / block_sum(square), -reach, reach)
        if value != old:
            for j in range(lane, nv, wp.block_dim()):
                sol.grad[slot, j] = sol.grad[slot, j] + _entry(sol, slot, i, j) * (value - old)
            if lane == 0:
                sol.x[slot, i] = value
                sol.search[slot, i] = sol.search[slot, i] + (value - old)
        sync()


@wp.func
def balance(sol: Solve, nv: int, w: int, lane: int):
    """``sol.Mx`` = M x, and ``sol.pull`` what it needs beside ``sol.smooth``: far less cancels in it than in J' force.

    Ends with a barrier.
    """
    slot = scratch_slot(w)
    for i in range(lane, nv, wp.block_dim()):
        total = wp.float64(0.0)
        for j in range(nv):
            total += wp.float64(sol.M[slot, i, j]) * wp.float64(sol.x[slot, j])
        sol.Mx[slot, i] = wp.float32(total)
        sol.pull[slot, i] = wp.float32(total - wp.float64(sol.smooth[slot, i]))
    sync()


@wp.func
def exact_states(
    size: Size, opt: Option, contact: Contact, efc: Efc, sol: Solve, status: Status, nflat: int, w: int, lane: int
):
    """Residuals of the rows at ``sol.x`` in ``sol.Jaref + sol.Jv``, and their states in ``efc.state``."""
    exact_residuals(efc, sol, sol.x, scratch_slot(w), status.nefc[w], size.nv, w, lane)
    rows_update(opt, contact, efc, status, sol.Jaref, nflat, w, lane)


@wp.func
def exact_step(
    size: Size, opt: Option, contact: Contact, efc: Efc, sol: Solve, status: Status, w: int, lane: int
) -> wp.vec2:
    """``sol.search`` = the step to the minimum by the factor in ``sol.H``; returns the lengths of ``sol.x`` and of the step.

    Follows ``exact_states``.
    """
    slot = scratch_slot(w)
    exact_forces(opt, contact, efc, sol, status, w, lane)
    _exact_gradient(efc, sol, status.nefc[w], size.nv, w, lane)
    hessian_solve(sol.H, sol.Hdiaginv, sol.search, size.nv, slot)
    length = wp.float32(0.0)
    way = wp.float32(0.0)
    for i in range(lane, size.nv, wp.block_dim()):
        length += sol.x[slot, i] * sol.x[slot, i]
        way += sol.search[slot, i] * sol.search[slot, i]
    return wp.vec2(wp.sqrt(block_sum(length)), wp.sqrt(block_sum(way)))


@wp.func
def take_exact_step(
    size: Size, opt: Option, contact: Contact, efc: Efc, sol: Solve, status: Status, norm: float, nflat: int, w: int,
    lane: int,
):  # fmt: skip
    """Take the step of ``exact_step`` from ``sol.x``, of length ``norm``, to the best floats; the rows follow."""
    slot = scratch_slot(w)
    nefc = status.nefc[w]
    sum_hessian(size, opt, contact, efc, sol, status, w)
    _take_rounded(sol, size.nv, w, lane)
    for _sweep in range(SWEEPS):
        _choose_floats(sol, size.nv, REACH * norm, w, lane)
    mul_rows(efc.J, sol.search, efc.aref, 0.0, sol.Jv, nefc, w, slot)
    add_scaled(sol.Jaref, sol.Jv, 1.0, (nefc + 7) // 8 * 8, slot)
    rows_update(opt, contact, efc, status, sol.Jaref, nflat, w, lane)


@wp.func
def polish(
    size: Size, opt: Option, contact: Contact, efc: Efc, sol: Solve, status: Status, nflat: int, w: int, lane: int
):
    """One more step from ``sol.x``, by the factor in ``sol.H``; ``sol.Mx``, ``sol.pull`` and the rows follow."""
    exact_states(size, opt, contact, efc, sol, status, nflat, w, lane)
    lengths = exact_step(size, opt, contact, efc, sol, status, w, lane)
    if lengths[1] <= CLOSE * lengths[0]:
        take_exact_step(size, opt, contact, efc, sol, status, lengths[0], nflat, w, lane)
    balance(sol, size.nv, w, lane)
