"""Solves with the matrix of the integrator, and what its changes add to the derivatives of K acc = M a.

Most matrices are symmetric and change with the dampers of joints alone. Where one does more (``implicit_system.py``), ``Kv`` is not empty.
"""

import warp as wp

from newtonish.kernels.derivative.algebra import real
from newtonish.kernels.derivative.lu import lu_solve_columns, lu_solve_transposed
from newtonish.kernels.derivative.solves import add_transposed, solve_columns
from newtonish.kernels.derivative.workspace import Linear
from newtonish.kernels.math.world import lanes
from newtonish.kernels.structs.model import Actuator, Size


@wp.func
def bends(linear: Linear) -> bool:
    """Whether K has an LU factor and derivatives of its own."""
    return linear.Kv.shape[1] > 0


@wp.func
def solve_integrator(linear: Linear, X: wp.array3d(dtype=wp.float64), n: int, w: int):
    """K^-1 X, in place."""
    if bends(linear):
        lu_solve_columns(linear.K, X, n, w)
    else:
        solve_columns(linear.K, X, n, w)


@wp.func
def solve_integrator_transposed(linear: Linear, X: wp.array3d(dtype=wp.float64), n: int, w: int):
    """K'^-1 X, in place."""
    if bends(linear):
        lu_solve_transposed(linear.K, X, n, w)
    else:
        solve_columns(linear.K, X, n, w)


@wp.func
def bend_columns_world(size: Size, linear: Linear, w: int, lane: int):
    """Take the derivative of (K - M) acc by position from that of M x; each lane has the columns that it filled."""
    if bends(linear):
        for k in range(lane, size.nv, lanes()):
            for i in range(size.nv):
                linear.Xq[w, i, k] = linear.Xq[w, i, k] - linear.Kq[w, i, k]


@wp.func
def brake_line(size: Size, actuator: Actuator, linear: Linear, w: int, line: int):
    """Take what velocity, activation or control ``line`` does to K from its column of ``linear.product``."""
    nv = size.nv
    if line >= nv and line < 2 * nv:
        for i in range(nv):
            linear.product[w, i, line] = linear.product[w, i, line] - linear.Kv[w, i, line - nv]
    elif line >= 2 * nv:
        for a in range(size.nactuator):
            slope = real(0.0)
            if line < 2 * nv + size.na:
                if actuator.actadr[a] >= 0 and actuator.actadr[a] + actuator.actnum[a] - 1 == line - 2 * nv:
                    slope = linear.input_act[w, a]
            elif actuator.ctrlnum[a] > 0 and actuator.ctrladr[a] == line - 2 * nv - size.na:
                slope = linear.input_ctrl[w, a]
            if slope != real(0.0):
                for i in range(nv):
                    linear.product[w, i, line] = linear.product[w, i, line] + slope * linear.brake[w, a, i]


@wp.func
def brake_adjoint(size: Size, linear: Linear, w: int):
    """Add what velocity does through K to its adjoint, ``linear.bar_v``, from that of K acc in ``linear.one``."""
    if bends(linear):
        add_transposed(linear.Kv, linear.one, linear.bar_v, real(-1.0), size.nv, w)


@wp.func
def brake_work(size: Size, linear: Linear, w: int, a: int) -> wp.float64:
    """Adjoint of the input of actuator ``a`` through K."""
    work = real(0.0)
    if bends(linear):
        for i in range(size.nv):
            work += linear.brake[w, a, i] * linear.one[w, i, 0]
    return work
