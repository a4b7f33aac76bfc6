"""Last steps after a solver of first order where float32 ended its iteration: Newton's, with a gradient summed in float64.

Method  Conjugate gradients and Gauss-Seidel stop where a step gains less than float32 tells, which is farther from the minimum
        than Newton's method stops: their steps do not know the curvature that multiplies the rest. Here the Hessian is built,
        and ``newtonish.kernels.solver.polish`` does what it does for Newton's method on a CPU.
"""

import functools

import warp as wp

from newtonish.kernels.solver.operations import Operations
from newtonish.kernels.solver.polish import last_step
from newtonish.kernels.structs.data import Contact, Efc, Solve


@functools.cache
def refinement(op: Operations) -> wp.Function:
    """Last steps for problems with the operations ``op``."""
    last = last_step(op)

    @wp.func(inline=True)
    def refine(p: op.problem, h: op.hessian, smooth: wp.array2d(dtype=float), qacc: wp.array2d(dtype=float), contact: Contact, efc: Efc, sol: Solve) -> bool:
        """Take steps from ``qacc`` under the force ``smooth``; False where ``qacc`` and its forces are to stay."""
        op.gather(p, sol.smooth, smooth)
        op.gather(p, sol.x, qacc)
        norm = last.approach(p, h, contact, efc, sol, 0)
        if norm > 0.0:
            last.take(p, h, contact, efc, sol, norm)
            op.exact_balance(p, sol)
        return norm > 0.0

    return refine
