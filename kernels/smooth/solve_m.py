"""Products with the mass matrix and its inverse, on rows of any (nworld, nv or longer) array."""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.linalg.sparse_ltdl import ltdl_solve, symmetric_mul
from newtonish.kernels.math.world import lanes, sync
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.structs.data import Mass
from newtonish.kernels.structs.model import Dof, Size


@wp.func
def solve_m_in_place_world(size: Size, dof: Dof, mass: Mass, x: wp.array2d(dtype=float), w: int):
    """Replace row ``w`` of ``x`` by M^-1 x; all lanes call it, after a barrier if they wrote x."""
    ltdl_solve(dof.M_rownnz, dof.M_rowadr, dof.M_colind, mass.qLD, mass.qLDiagInv, x, size.nv, w)


@wp.func
def solve_m_world(size: Size, dof: Dof, mass: Mass, x: wp.array2d(dtype=float), y: wp.array2d(dtype=float), w: int, lane: int):
    """Row ``w`` of x = M^-1 y; x and y may be the same array."""
    for i in range(lane, size.nv, lanes()):
        x[w, i] = y[w, i]
    sync()
    solve_m_in_place_world(size, dof, mass, x, w)


@wp.func
def mul_m_world(size: Size, dof: Dof, mass: Mass, res: wp.array2d(dtype=float), vec: wp.array2d(dtype=float), w: int):
    """Row ``w`` of res = M vec; two different arrays. All lanes call it, after a barrier if they wrote vec."""
    symmetric_mul(dof.M_rownnz, dof.M_rowadr, dof.M_colind, mass.M, vec, res, size.nv, w)


@wp.kernel
def _solve_m(size: Size, dof: Dof, mass: Mass, x: wp.array2d(dtype=float), y: wp.array2d(dtype=float)):
    w, lane = wp.tid()
    solve_m_world(size, dof, mass, x, y, w, lane)


@wp.kernel
def _mul_m(size: Size, dof: Dof, mass: Mass, res: wp.array2d(dtype=float), vec: wp.array2d(dtype=float)):
    w, _lane = wp.tid()
    mul_m_world(size, dof, mass, res, vec, w)


def solve_m(m: Any, d: Any, x: wp.array, y: wp.array) -> None:
    """x = M^-1 y, for arrays of shape (nworld, nv or more).

    Reads   m.dof (sparsity); d.mass.qLD, d.mass.qLDiagInv (after factor_m), y
    Writes  x
    MuJoCo  mj_solveM.
    """
    launch(_solve_m, d, [m.size, m.dof, d.mass, x, y])


def mul_m(m: Any, d: Any, res: wp.array, vec: wp.array) -> None:
    """res = M vec, for arrays of shape (nworld, nv or more) that do not overlap.

    Reads   m.dof (sparsity); d.mass.M (after crb), vec
    Writes  res
    MuJoCo  mj_mulM.
    """
    launch(_mul_m, d, [m.size, m.dof, d.mass, res, vec])
