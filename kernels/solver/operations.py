"""The operations over which Newton's method, conjugate gradients and their last steps are written.

``start``, ``newton``, ``cg``, ``linesearch``, ``polish`` and ``refine`` have functions of ``Operations`` that return
Warp functions. They know neither how J, M and the Hessian are stored, nor how many lanes share a problem. A problem is
a minimisation of its own: a world (``newtonish.kernels.solver.dense``) or an island of one
(``newtonish.kernels.sparse.operations``). It is a struct, of which the iterations read

    slot                         row of its vectors in the arrays of ``Solve``
    lane                         this lane of those that share the problem
    nv, n                        dofs; the same rounded up to a multiple of 8, the length of vectors, whose padding is zero
    iterations, ls_iterations    limits of both

What only one method needs is in a struct of its own: the Hessian, and the preconditioner, of which the iterations read
``solved``, where M^-1 grad is put, its row there, ``at``, and ``strict``, not 0 if the gradient too has to be within the tolerance
where no step is taken.

Structs are copied whenever they are passed, which takes time to compile: they hold what is needed and no more, and a
function that takes one and is called in several places is ``inline=True``, or the struct is in memory and no longer in
registers.

All lanes of a problem call an operation together. What it writes, all of them see when it returns, unless a line below
says that there is no barrier.
"""

from typing import Any, NamedTuple

import warp as wp

from newtonish.kernels.linalg.dense import add_scaled, copy_vector
from newtonish.kernels.linalg.newton_sums import (
    partial_decrement,
    partial_gauss_cost,
    partial_gauss_line,
    partial_gradient,
)
from newtonish.kernels.math.world import lanes, sum_lanes, sync
from newtonish.kernels.solver.exact import exact_forces
from newtonish.kernels.solver.rows import rows_cost, rows_line, rows_update


class Operations(NamedTuple):
    """Structs and Warp functions, with p a problem, h a Hessian, m a preconditioner, and s the ``Solve`` that holds the vectors."""

    problem: Any  # struct
    hessian: Any  # struct
    preconditioner: Any  # struct
    # what an island reads where it is asked for: an iteration needs the registers
    rows: wp.Function  # (p) -> newtonish.kernels.solver.rows.Rows
    nrow: wp.Function  # (p) -> int: how many rows, rounded up to a multiple of 8
    small: wp.Function  # (p) -> float: tolerance of gradient and decrease, in the units of cost and gradient
    # two numbers from one iteration to the next, in memory where registers lack: the same in every lane, no barrier
    keep: wp.Function  # (p, pair) -> vec2: what to call the next with
    kept: wp.Function  # (p, pair) -> vec2
    # products
    gather: wp.Function  # (p, target, source): the problem's part of a world's vector, padding zero
    multiply_mass: wp.Function  # (p, s, x, result): M x
    multiply_jacobian: wp.Function  # (p, efc, x, scale, result): J x - scale aref
    multiply_transposed: wp.Function  # (p, efc, s): s.JTf = J' efc.force
    precondition: wp.Function  # (p, m, x): m.solved = M^-1 x
    ls_small: wp.Function  # (p) -> float: the same of the line search
    # the Hessian
    sum_hessian: wp.Function  # (p, h, contact, efc, s): H at the states of the rows
    factor_hessian: wp.Function  # (h, s): its factor, in its place
    solve_hessian: wp.Function  # (h, s): s.search = H^-1 s.search by the factor
    multiply_column: wp.Function  # (h, s, i) -> vec2: products of column i of H with s.grad and with itself, the same in every lane
    add_column: wp.Function  # (h, s, i, factor): s.grad += factor times column i of H; no barrier
    sweep_dof: wp.Function  # (h, k) -> int: the dof that is the k-th of a sweep
    # sums in float64
    exact_row: wp.Function  # (p, efc, s, r, value) -> float64: value + J_r x, by one lane
    exact_gradient: wp.Function  # (p, efc, s): s.search = smooth + J' force - M x, with the forces of exact_forces
    exact_balance: wp.Function  # (p, s): s.Mx = M x, s.JTf = M x - smooth
    # lanes
    lanes: wp.Function = lanes  # () -> int: that share a problem
    sync: wp.Function = sync  # (): barrier
    sum: wp.Function = sum_lanes  # (x) -> float: over all lanes, the same in every lane
    # rows, at residuals in row ``slot`` of Jaref
    rows_cost: wp.Function = rows_cost  # (rows, contact, efc, Jaref, slot) -> float
    rows_update: wp.Function = rows_update  # (rows, contact, efc, Jaref, slot) -> int: forces and states; not 0: H has changed
    rows_line: wp.Function = rows_line  # (rows, contact, efc, Jaref, Jv, alpha, slot) -> vec2: derivatives along a line
    exact_forces: wp.Function = exact_forces  # (rows, contact, efc, s, slot, lane): forces at residuals Jaref + Jv, in float64
    # vectors; partial sums are of this lane
    copy: wp.Function = copy_vector  # (target, to, source, at, n)
    add_scaled: wp.Function = add_scaled  # (target, source, scale, n, slot)
    gradient: wp.Function = partial_gradient  # (Mx, smooth, pull, grad, search, slot) -> float: grad, search = -grad; part of |grad|^2
    decrement: wp.Function = partial_decrement  # the same -> vec3: parts of -grad . search, of its absolute terms, of |search|^2
    gauss_cost: wp.Function = partial_gauss_cost  # (Mx, smooth, x, unconstrained, slot) -> float: part of the Gauss cost
    gauss_line: wp.Function = partial_gauss_line  # (Mx, smooth, search, Mv, slot) -> vec2: parts of its derivatives along search
