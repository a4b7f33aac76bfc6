"""Nonlinear conjugate gradients on the primal problem, preconditioned by the mass matrix.

Method  Polak-Ribiere-plus directions with M^-1 as preconditioner, and the exact line search of the Newton solver
        (Nocedal and Wright 2006, ch. 5; MuJoCo's documentation, chapter Computation, "CG").
Float32 As in the Newton solver the decrease of the cost is taken from the slope, which keeps its digits. After an exact search
        the gradient has no slope along the direction; where it shows one, that is rounding, and CG starts over from there, or
        ends if it has just done so. Where float32 ends the iteration, ``newtonish.kernels.solver.refine`` follows.
"""

import functools

import warp as wp

from newtonish.kernels.math.world import fresh
from newtonish.kernels.solver.linesearch import step_along_search
from newtonish.kernels.solver.operations import Operations
from newtonish.kernels.solver.stopping import (
    GOING,
    INFINITE,
    ROUNDED,
    allowed_slope,
    by_decrease,
    by_decrement,
    by_gap,
    by_gradient,
)
from newtonish.kernels.structs.data import Contact, Efc, Solve


@functools.cache
def conjugate_gradients(op: Operations) -> wp.Function:
    """Conjugate gradients for problems with the operations ``op``."""
    step = step_along_search(op)

    @wp.func
    def gradient(p: op.problem, m: op.preconditioner, sol: Solve) -> wp.vec3:
        """Write ``sol.grad``; returns its squared length and its products with the last preconditioned gradient and direction."""
        slot = fresh(p.slot)
        at = fresh(m.at)
        square = wp.float32(0.0)
        mixed = wp.float32(0.0)
        slope = wp.float32(0.0)
        for i in range(p.lane, p.nv, op.lanes()):
            g = sol.Mx[slot, i] - sol.smooth[slot, i] - sol.JTf[slot, i]
            sol.grad[slot, i] = g
            square += g * g
            mixed += g * m.solved[at, i]
            slope += g * sol.search[slot, i]
        sums = wp.vec3(op.sum(square), op.sum(mixed), op.sum(slope))
        op.sync()
        return sums

    @wp.func
    def precondition(p: op.problem, m: op.preconditioner, sol: Solve) -> float:
        """Returns grad . M^-1 grad."""
        op.precondition(p, m, sol.grad)
        slot = fresh(p.slot)
        at = fresh(m.at)
        product = wp.float32(0.0)
        for i in range(p.lane, p.nv, op.lanes()):
            product += sol.grad[slot, i] * m.solved[at, i]
        return op.sum(product)

    @wp.func
    def direction(p: op.problem, m: op.preconditioner, sol: Solve, beta: float) -> wp.vec3:
        """search = beta search - M^-1 grad; returns -grad . search, the terms that cancel in it, and |search|^2."""
        slot = fresh(p.slot)
        at = fresh(m.at)
        decrement = wp.float32(0.0)
        terms = wp.float32(0.0)
        square = wp.float32(0.0)
        for i in range(p.lane, p.n, op.lanes()):
            s = wp.float32(0.0)
            if i < p.nv:
                s = -m.solved[at, i]
                if beta > 0.0:
                    s += beta * sol.search[slot, i]
                decrement -= sol.grad[slot, i] * s
                size = wp.abs(sol.Mx[slot, i]) + wp.abs(sol.smooth[slot, i]) + wp.abs(sol.JTf[slot, i])
                terms += wp.abs(s) * size
                square += s * s
            sol.search[slot, i] = s
        op.sync()
        return wp.vec3(op.sum(decrement), op.sum(terms), op.sum(square))

    @wp.func
    def iterate(p: op.problem, m: op.preconditioner, contact: Contact, efc: Efc, sol: Solve) -> wp.vec2i:
        """Conjugate gradients from ``sol.x``; returns the number of steps, and 1 if float32 ended them."""
        last = op.keep(p, wp.vec2())  # grad . M^-1 grad of the step before, and 1 if that started over
        op.rows_update(op.rows(p), contact, efc, sol.Jaref, p.slot)
        allowed = wp.float32(INFINITE)  # of the slope along the last direction, which is zero but for rounding
        niter = wp.int32(0)
        state = wp.int32(GOING)
        ended = wp.int32(GOING)  # by the last step, whose forces still have to be multiplied
        while state == GOING:
            op.multiply_transposed(p, efc, sol)
            state = ended
            sums = wp.vec3()
            if state == GOING:
                sums = gradient(p, m, sol)
                state = by_gradient(wp.where(niter > 0, sums[0], INFINITE), op.small(p), niter, p.iterations)
            rounding = wp.abs(sums[2]) > allowed
            if state == GOING and rounding and op.kept(p, last)[1] > 0.0:
                state = ROUNDED
            if state == GOING:
                after = precondition(p, m, sol)
                if niter == 0:
                    state = by_gap(0.5 * after, wp.where(m.strict != 0, sums[0], 0.0), op.small(p))
                if state == GOING:
                    beta = wp.float32(0.0)
                    before = op.kept(p, last)[0]
                    if before > 0.0 and not rounding:
                        beta = wp.max(0.0, (after - sums[1]) / before)
                    along = wp.vec3()
                    choosing = wp.int32(1)
                    while choosing == 1:
                        along = direction(p, m, sol, beta)
                        choosing = 0
                        if not (along[0] > 0.0) and beta > 0.0:
                            beta = 0.0  # not downhill: start over
                            choosing = 1
                    last = op.keep(p, wp.vec2(after, wp.where(beta > 0.0, 0.0, 1.0)))
                    state = by_decrement(along[0], along[1], -INFINITE, niter, False)
                    if state == GOING:
                        enough = op.ls_small(p) * wp.sqrt(along[2])
                        found = step(p, contact, efc, sol, along[0], enough)
                        op.rows_update(op.rows(p), contact, efc, sol.Jaref, p.slot)
                        niter += 1
                        allowed = allowed_slope(found[1], along[0], enough)
                        ended = by_decrease(found[0], 0.5 * found[0] * along[0], op.small(p))
        return wp.vec2i(niter, wp.where(state == ROUNDED, 1, 0))

    return iterate
