"""Newton's method on the primal problem: the acceleration that minimises the Gauss cost plus the cost of the constraint rows.

Method  Newton's method with an exact line search (Todorov 2014, "Convex and analytically-invertible dynamics with contacts
        and constraints"; MuJoCo's documentation, chapter Computation, "Algorithms"). The Hessian is built and factorised
        again only when a row changed its state.
Float32 See ``stopping``; where rounding ends the iteration, one more step follows with a gradient in float64: on a CPU at once
        (``polish``), on a GPU in a kernel of its own (``refine``), since few worlds need it and all would hold registers for it.
"""

import functools

import warp as wp

from newtonish.kernels.solver.linesearch import step_along_search
from newtonish.kernels.solver.operations import Operations
from newtonish.kernels.solver.polish import last_step
from newtonish.kernels.solver.stopping import GOING, INFINITE, ROUNDED, STUCK, by_decrement, by_gradient, by_length
from newtonish.kernels.structs.data import Contact, Efc, Solve


@wp.func_native(
    """
#if defined(__CUDA_ARCH__)
    return false;
#else
    return true;
#endif
"""
)
def polishes_at_once() -> bool:
    """Whether the last step follows in the same kernel."""
    ...


@functools.cache
def newton(op: Operations) -> wp.Function:
    """Newton's method for problems with the operations ``op``."""
    step = step_along_search(op)
    polish = last_step(op).polish

    @wp.func
    def iterate(p: op.problem, h: op.hessian, contact: Contact, efc: Efc, sol: Solve) -> wp.vec2i:
        """Newton's method from ``sol.x``; returns the number of steps, and 1 if float32 ended them."""
        op.rows_update(op.rows(p), contact, efc, sol.Jaref, p.slot)
        stale = wp.int32(1)
        previous = wp.float32(INFINITE)
        niter = wp.int32(0)
        state = wp.int32(GOING)
        while state == GOING:
            op.multiply_transposed(p, efc, sol)
            square = op.sum(op.gradient(sol.Mx, sol.smooth, sol.JTf, sol.grad, sol.search, p.slot))
            state = by_gradient(square, op.small(p), niter, p.iterations)
            if state == GOING:
                if stale != 0:
                    op.sum_hessian(p, h, contact, efc, sol)
                    op.factor_hessian(h, sol)
                op.solve_hessian(h, sol)
                partial = op.decrement(sol.Mx, sol.smooth, sol.JTf, sol.grad, sol.search, p.slot)
                decrement = op.sum(partial[0])
                terms = op.sum(partial[1])
                length = wp.sqrt(op.sum(partial[2]))
                state = by_decrement(decrement, terms, 2.0 * op.small(p), niter, stale == 0 and decrement > STUCK * previous)
                if state == GOING:
                    found = step(p, contact, efc, sol, decrement, op.ls_small(p) * length)
                    stale = op.rows_update(op.rows(p), contact, efc, sol.Jaref, p.slot)
                    previous = wp.where(found[1] > 0.0, decrement, INFINITE)
                    niter += 1
                    state = by_length(found[0])
        if state == ROUNDED and polishes_at_once():
            polish(p, h, contact, efc, sol)
        return wp.vec2i(niter, wp.where(state == ROUNDED, 1, 0))

    return iterate
