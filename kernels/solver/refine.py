"""Last steps after a solver of first order where float32 ended its iteration: Newton's, with a gradient summed in float64.

Method  Conjugate gradients and Gauss-Seidel stop where a step gains less than float32 tells, which is farther from the minimum
        than Newton's method stops: their steps do not know the curvature that multiplies the rest. Here the Hessian is built
        once, and ``newtonish.kernels.solver.polish`` does what it does for Newton's method. If the first step is too long for
        that, it is taken as it is, and the next one is tried: iterative refinement (Higham 2002, "Accuracy and stability of
        numerical algorithms", chapter 12). Where the steps do not become short, the solver's own result stays.
"""

import functools

import warp as wp

from newtonish.kernels.solver.operations import Operations
from newtonish.kernels.solver.polish import CLOSE, last_step
from newtonish.kernels.solver.stopping import INFINITE
from newtonish.kernels.structs.data import Contact, Efc, Solve

# steps until one is short
ROUNDS = wp.constant(4)


@functools.cache
def refinement(op: Operations) -> wp.Function:
    """Last steps for problems with the operations ``op``."""
    last = last_step(op)

    @wp.func
    def approach(p: op.problem, h: op.hessian, qacc: wp.array2d(dtype=float), contact: Contact, efc: Efc, sol: Solve) -> float:
        """Move ``sol.x`` from ``qacc`` until the step to the minimum, left in ``sol.search``, is short; returns the length of ``sol.x``.

        Where steps do not become short, returns -1, with forces and states as they are at ``qacc``.
        """
        op.gather(p, sol.x, qacc)
        norm = wp.float32(-1.0)
        before = wp.float32(INFINITE)
        count = wp.int32(0)
        going = wp.int32(1)
        while going == 1:
            last.states(p, contact, efc, sol)
            if count > ROUNDS:
                going = 0
            else:
                op.sum_hessian(p, h, contact, efc, sol)
                op.factor_hessian(h, sol)
                lengths = last.step(p, h, contact, efc, sol)
                count += 1
                if lengths[1] <= CLOSE * lengths[0]:
                    norm = lengths[0]
                    going = 0
                elif count < ROUNDS and lengths[1] < before:
                    before = lengths[1]
                    op.add_scaled(sol.x, sol.search, 1.0, p.n, p.slot)
                else:  # too far, or not a number
                    op.gather(p, sol.x, qacc)
                    count = ROUNDS + 1
        return norm

    @wp.func(inline=True)
    def refine(p: op.problem, h: op.hessian, smooth: wp.array2d(dtype=float), qacc: wp.array2d(dtype=float), contact: Contact, efc: Efc, sol: Solve) -> bool:
        """Take steps from ``qacc`` under the force ``smooth``; False where ``qacc`` and its forces are to stay."""
        op.gather(p, sol.smooth, smooth)
        norm = approach(p, h, qacc, contact, efc, sol)
        if norm > 0.0:
            last.take(p, h, contact, efc, sol, norm)
            op.exact_balance(p, sol)
        return norm > 0.0

    return refine
