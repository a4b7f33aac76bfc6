"""Solves with the matrix of the integrator, and which of its entries forces have a place in.

Most matrices are symmetric, with a Cholesky factor. Where bias forces take part (``implicit_system.py``), ``Kv`` is not empty and the factor is LU.
"""

import warp as wp

from newtonish.common.enums import IntegratorType
from newtonish.kernels.derivative.lu import lu_solve_columns, lu_solve_transposed
from newtonish.kernels.derivative.solves import solve_columns
from newtonish.kernels.derivative.workspace import Linear
from newtonish.kernels.integrate.free_body import is_free_body
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
