"""Solves with the Hessian and with the matrix of the integrator, and which of its entries forces have a place in.

Most matrices are symmetric, with a Cholesky factor. Where bias forces take part (``implicit_system.py``), ``Kv`` is not empty and the factor is LU.
"""

import warp as wp

from newtonish.common.enums import IntegratorType
from newtonish.kernels.derivative.lu import lu_factor_world, lu_solve_columns, lu_solve_transposed
from newtonish.kernels.derivative.response import DISCRETE
from newtonish.kernels.derivative.solves import factor_world, solve_columns
from newtonish.kernels.derivative.workspace import Linear
from newtonish.kernels.integrate.free_body import is_free_body
from newtonish.kernels.math.world import lanes
from newtonish.kernels.structs.model import Dof, Joint, Option, Size

IMPLICIT = wp.constant(int(IntegratorType.IMPLICIT))
IMPLICITFAST = wp.constant(int(IntegratorType.IMPLICITFAST))


@wp.func
def is_implicit(opt: Option) -> bool:
    """Whether the integrator takes more at the end of the step than dampers in joints."""
    return opt.integrator == IMPLICIT or opt.integrator == IMPLICITFAST


@wp.func
def are_coupled(size: Size, opt: Option, jnt: Joint, dof: Dof, i: int, j: int) -> bool:
    """Whether the matrix has an entry for two dofs: one moves the other, and implicitfast's mass matrix has a place, or a body alone has both."""
    low = wp.max(i, j)
    high = wp.min(i, j)
    coupled = low <= dof.lastid[high]
    if coupled and low != high and opt.integrator != IMPLICIT and dof.M_rownnz[low] == 1:
        coupled = is_free_body(size, jnt, dof, dof.jntid[low])
    return coupled


@wp.func
def subtract_medium(linear: Linear, dt: wp.float64, w: int, lane: int):
    """What the matrix has of a medium; each lane has columns of its own."""
    for i in range(linear.medium.shape[1]):
        for k in range(lane, linear.medium.shape[2], lanes()):
            linear.K[w, i, k] = linear.K[w, i, k] - dt * linear.medium[w, i, k]


@wp.func
def hessian_is_unsymmetric(opt: Option, linear: Linear) -> bool:
    """Whether H has bias forces in it, and an LU factor."""
    return opt.integrator == DISCRETE and linear.Kv.shape[1] > 0


@wp.func
def factor_hessian_world(opt: Option, linear: Linear, n: int, w: int):
    """Replace H by its factor; begins and ends with a barrier."""
    if hessian_is_unsymmetric(opt, linear):
        lu_factor_world(linear.H, n, w)
    else:
        factor_world(linear.H, n, w)


@wp.func
def solve_hessian(opt: Option, linear: Linear, X: wp.array3d(dtype=wp.float64), n: int, w: int):
    """H^-1 X, in place."""
    if hessian_is_unsymmetric(opt, linear):
        lu_solve_columns(linear.H, X, n, w)
    else:
        solve_columns(linear.H, X, n, w)


@wp.func
def solve_hessian_transposed(opt: Option, linear: Linear, X: wp.array3d(dtype=wp.float64), n: int, w: int):
    """H'^-1 X, in place."""
    if hessian_is_unsymmetric(opt, linear):
        lu_solve_transposed(linear.H, X, n, w)
    else:
        solve_columns(linear.H, X, n, w)


@wp.func
def solve_integrator(linear: Linear, X: wp.array3d(dtype=wp.float64), n: int, w: int):
    """K^-1 X, in place."""
    if linear.Kv.shape[1] > 0:
        lu_solve_columns(linear.K, X, n, w)
    else:
        solve_columns(linear.K, X, n, w)


@wp.func
def solve_integrator_transposed(linear: Linear, X: wp.array3d(dtype=wp.float64), n: int, w: int):
    """K'^-1 X, in place."""
    if linear.Kv.shape[1] > 0:
        lu_solve_transposed(linear.K, X, n, w)
    else:
        solve_columns(linear.K, X, n, w)
