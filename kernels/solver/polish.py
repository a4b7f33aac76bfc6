"""The last steps of Newton's method where float32 ends it before the tolerance: with a gradient summed in float64.

Two roundings limit a float32 solution. That of the gradient, in which constraint forces far above the applied ones
cancel: the step below computes it from float64 residuals and forces. And that of the solution itself, to which stiff
rows answer: of the floats around the solution those are sought, dof by dof, whose roundings make up for each other.
One step does, as a rule. A longer one is taken as it is, and the next is tried: beside rows of contacts between bodies without inverse weight, 1e12 times as
stiff as others, float32 ends an iteration far from the minimum. Where the steps do not become short, the solution stays as it was.
Method: iterative refinement (Higham 2002, "Accuracy and stability of numerical algorithms", chapter 12), then coordinate
descent on the length of the gradient over float32 values.
"""

import functools
from typing import NamedTuple

import warp as wp

from newtonish.kernels.math.world import fresh
from newtonish.kernels.solver.exact import split
from newtonish.kernels.solver.operations import Operations
from newtonish.kernels.solver.stopping import INFINITE
from newtonish.kernels.structs.data import Contact, Efc, Solve

# further ones gain a tenth
SWEEPS = wp.constant(2)
# steps longer than this, relative to the solution, are not rounding: another one follows
CLOSE = wp.constant(1.0e-4)
# steps until one is short
ROUNDS = wp.constant(4)
# and no dof is moved further than this in search of better floats
REACH = wp.constant(2.0e-6)


class LastStep(NamedTuple):
    """Warp functions of a problem ``p`` and its Hessian ``h``."""

    approach: wp.Function  # (p, h, factored) -> float: move x until search, the step to the minimum, is short; the length of x then, -1 where x stays
    take: wp.Function  # (p, h, norm): take the step that ``approach`` has left from x, of length ``norm``, to the best floats; the rows follow
    polish: wp.Function  # (p, h): both, from the factor that there is; Mx, pull and the rows follow


def _approach_by(op: Operations) -> wp.Function:
    """``LastStep.approach``."""

    @wp.func
    def states(p: op.problem, contact: Contact, efc: Efc, sol: Solve):
        rows = op.rows(p)
        for r in range(p.lane, op.nrow(p), op.lanes()):
            total = wp.float64(0.0)
            if r < rows.nefc:
                total = op.exact_row(p, efc, sol, r, -wp.float64(efc.aref[rows.w, r]))
            split(sol.Jaref, sol.Jv, p.slot, r, total)
        op.sync()
        op.rows_update(op.rows(p), contact, efc, sol.Jaref, p.slot)

    @wp.func
    def step(p: op.problem, h: op.hessian, contact: Contact, efc: Efc, sol: Solve) -> wp.vec2:
        slot = fresh(p.slot)
        op.exact_forces(op.rows(p), contact, efc, sol, slot, p.lane)
        op.exact_gradient(p, efc, sol)
        op.solve_hessian(h, sol)
        length = wp.float32(0.0)
        way = wp.float32(0.0)
        for i in range(p.lane, p.nv, op.lanes()):
            length += sol.x[slot, i] * sol.x[slot, i]
            way += sol.search[slot, i] * sol.search[slot, i]
        return wp.vec2(wp.sqrt(op.sum(length)), wp.sqrt(op.sum(way)))

    @wp.func
    def approach(p: op.problem, h: op.hessian, contact: Contact, efc: Efc, sol: Solve, factored: int) -> float:
        """Steps from ``sol.x`` until one is short, which is left in ``sol.search``. The rows follow; ``sol.Mx`` keeps where they began.

        Args:
            factored: 1 if the factor is that of the Hessian at ``sol.x``.
        """
        op.copy(sol.Mx, p.slot, sol.x, p.slot, p.n)
        op.sync()
        norm = wp.float32(-1.0)
        before = wp.float32(INFINITE)
        count = wp.int32(0)
        going = wp.int32(1)
        while going == 1:
            states(p, contact, efc, sol)
            if count > ROUNDS:
                going = 0
            else:
                if count > 0 or factored == 0:
                    op.sum_hessian(p, h, contact, efc, sol)
                    op.factor_hessian(h, sol)
                lengths = step(p, h, contact, efc, sol)
                count += 1
                if lengths[1] <= CLOSE * lengths[0]:
                    norm = lengths[0]
                    going = 0
                elif count < ROUNDS and lengths[1] < before:
                    before = lengths[1]
                    op.add_scaled(sol.x, sol.search, 1.0, p.n, p.slot)
                else:  # too far, or not a number
                    op.copy(sol.x, p.slot, sol.Mx, p.slot, p.n)
                    op.sync()
                    count = ROUNDS + 1
        return norm

    return approach


def _take_by(op: Operations) -> wp.Function:
    """``LastStep.take``."""

    @wp.func
    def take_rounded(p: op.problem, h: op.hessian, sol: Solve):
        """Move ``sol.x`` by ``sol.search``, as far as floats allow; what rounding off adds to the gradient in ``sol.grad``.

        Reads H itself. The way that was taken is left in ``sol.search``. Ends with a barrier.
        """
        slot = fresh(p.slot)
        for i in range(p.lane, p.n, op.lanes()):
            value = sol.x[slot, i] + sol.search[slot, i]
            taken = value - sol.x[slot, i]
            sol.Mv[slot, i] = taken - sol.search[slot, i]
            sol.search[slot, i] = taken
            sol.x[slot, i] = value
            sol.grad[slot, i] = 0.0
        op.sync()
        for i in range(p.nv):
            op.add_column(h, sol, i, sol.Mv[slot, i])
            op.sync()

    @wp.func
    def choose_floats(p: op.problem, h: op.hessian, sol: Solve, reach: float):
        """Sweeps over the dofs: to each the float, within ``reach``, where the gradient is shortest. Ends with a barrier."""
        slot = fresh(p.slot)
        for k in range(SWEEPS * p.nv):
            i = op.sweep_dof(h, k % p.nv)
            old = sol.x[slot, i]
            products = op.multiply_column(h, sol, i)
            value = old - wp.clamp(products[0] / products[1], -reach, reach)
            op.sync()  # all have read what is written now
            if value != old:
                op.add_column(h, sol, i, value - old)
                if p.lane == 0:
                    sol.x[slot, i] = value
                    sol.search[slot, i] = sol.search[slot, i] + (value - old)
            op.sync()

    @wp.func
    def take(p: op.problem, h: op.hessian, contact: Contact, efc: Efc, sol: Solve, norm: float):
        op.sum_hessian(p, h, contact, efc, sol)
        take_rounded(p, h, sol)
        choose_floats(p, h, sol, REACH * norm)
        op.multiply_jacobian(p, efc, sol.search, 0.0, sol.Jv)
        op.add_scaled(sol.Jaref, sol.Jv, 1.0, op.nrow(p), p.slot)
        op.rows_update(op.rows(p), contact, efc, sol.Jaref, p.slot)

    return take


@functools.cache
def last_step(op: Operations) -> LastStep:
    """The last steps for problems with the operations ``op``."""
    approach = _approach_by(op)
    take = _take_by(op)

    @wp.func
    def polish(p: op.problem, h: op.hessian, contact: Contact, efc: Efc, sol: Solve):
        norm = approach(p, h, contact, efc, sol, 1)
        if norm > 0.0:
            take(p, h, contact, efc, sol, norm)
        op.exact_balance(p, sol)

    return LastStep(approach, take, polish)
