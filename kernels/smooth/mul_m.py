"""Product of vectors with a matrix that has the places of the mass matrix, in some of the worlds."""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.linalg.sparse_ltdl import symmetric_mul
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.structs.model import Dof, Size


@wp.kernel
def _products(
    size: Size, dof: Dof, matrix: wp.array2d(dtype=float), res: wp.array2d(dtype=float), vec: wp.array2d(dtype=float),
    skip: wp.array(dtype=wp.bool),
):  # fmt: skip
    w, _lane = wp.tid()
    if skip.shape[0] == 0 or not skip[w]:
        symmetric_mul(dof.M_rownnz, dof.M_rowadr, dof.M_colind, matrix, vec, res, size.nv, w)


def products(m: Any, d: Any, matrix: wp.array, res: wp.array, vec: wp.array, skip: wp.array) -> None:
    """Rows of ``res`` = matrix times rows of ``vec``, but in the worlds of ``skip`` (nworld,), which may be empty: none."""
    launch(_products, d, [m.size, m.dof, matrix, res, vec, skip])
