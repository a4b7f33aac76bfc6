"""Sparse factorisation M = L' D L of the joint-space mass matrix. Method: Featherstone 2008, ch. 6.5."""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.linalg.sparse_ltdl import ltdl_factor
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.structs.data import Mass
from newtonish.kernels.structs.model import Dof, Size


@wp.func
def factor_m_world(size: Size, dof: Dof, mass: Mass, w: int):
    """Factor of the mass matrix of one world; all lanes call it."""
    ltdl_factor(dof.M_rownnz, dof.M_rowadr, dof.M_colind, mass.M, mass.qLD, mass.qLDiagInv, size.nv, w)


@wp.kernel
def _factor_m(size: Size, dof: Dof, mass: Mass):
    w, _lane = wp.tid()
    factor_m_world(size, dof, mass, w)


def factor_m(m: Any, d: Any) -> None:
    """Factor of the mass matrix: rows of L, D on the diagonal, and 1/D.

    Reads   m.dof (sparsity); d.mass.M (after crb)
    Writes  d.mass.qLD, d.mass.qLDiagInv
    MuJoCo  mj_factorM.
    """
    launch(_factor_m, d, [m.size, m.dof, d.mass])
