"""Index structures of the joint-space inertia: M (lower triangle), D (both triangles), B (bodies by dofs).

Rows are dofs; a dof couples with its ancestors along ``dof_parentid`` and with its descendants. M keeps the lower
triangle with the diagonal last and leaves out what is structurally zero in *simple* dofs; D keeps both triangles of
the full pattern; a row of B lists the dofs above and below a body. The maps translate an element's address from one
storage into another, -1 where the element is not stored. Names and meaning are MuJoCo's (mjModel ``M_*``, ``D_*``,
``B_*``, ``mapM2M``, ``mapM2D``, ``mapD2M``); the legacy storage that ``mapM2M`` and ``dof_Madr`` address has the
diagonal first and walks up the parents.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from newtonish.errors import ModelError, problem

__all__ = ["ancestors", "sparsity"]

MOST_ELEMENTS = 4_000_000
"""Of a mass matrix: a chain of 2800 joints; each element takes half a kilobyte while it is listed."""


def ancestors(dof_parentid: np.ndarray) -> list[list[int]]:
    """For every dof the dofs it depends on: itself first, then its parents up to the root."""
    chains: list[list[int]] = []
    for dof, parent in enumerate(dof_parentid):
        chains.append([dof, *(chains[parent] if parent >= 0 else [])])
    return chains


def _csr(rows: list[list[int]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Lengths, start addresses and concatenated columns of a list of rows."""
    rownnz = np.array([len(row) for row in rows], dtype=np.int32).reshape(len(rows))
    rowadr = np.concatenate([[0], np.cumsum(rownnz)[:-1]]).astype(np.int32)[: len(rows)]
    colind = np.array([column for row in rows for column in row], dtype=np.int32)
    return rownnz, rowadr, colind


def _addresses(rows: list[list[int]]) -> dict[tuple[int, int], int]:
    """Address of each stored element by (row, column)."""
    table: dict[tuple[int, int], int] = {}
    for i, row in enumerate(rows):
        for j in row:
            table[i, j] = len(table)
    return table


def _body_rows(body_parentid: np.ndarray, body_dofadr: np.ndarray, body_dofnum: np.ndarray) -> list[list[int]]:
    """Dofs of each body, of its ancestors and of its descendants, ascending."""
    nbody = len(body_parentid)
    own = [list(range(a, a + n)) for a, n in zip(body_dofadr, body_dofnum)]
    below = [list(dofs) for dofs in own]
    for body in range(nbody - 1, 0, -1):
        below[body_parentid[body]] += below[body]
    above: list[list[int]] = [[] for _ in range(nbody)]
    for body in range(1, nbody):
        parent = body_parentid[body]
        above[body] = above[parent] + own[parent]
    return [sorted({*a, *b}) for a, b in zip(above, below)]


def _afford(dof_parentid: np.ndarray) -> None:
    """Refuse trees whose mass matrix is too large, before it is listed."""
    depth = np.zeros(len(dof_parentid), dtype=np.int64)
    for dof, parent in enumerate(dof_parentid):
        depth[dof] = depth[parent] + 1 if parent >= 0 else 1
    if depth.sum() > MOST_ELEMENTS:
        given = f"{depth.sum()} elements, of a dof that moves with {depth.max()} others"
        raise ModelError(problem("mass matrix", given, f"at most {MOST_ELEMENTS}", "make the chains of joints shorter"))


def sparsity(tree: dict[str, np.ndarray]) -> dict[str, Any]:
    """Sizes nM, nC, nD, nB and every index array of M, D and B.

    Args:
        tree: ``dof_parentid``, ``dof_simplenum``, ``body_parentid``, ``body_dofadr``, ``body_dofnum``.
    """
    _afford(tree["dof_parentid"])
    chains = ancestors(tree["dof_parentid"])
    reduced = [sorted(c) if not simple else [c[0]] for c, simple in zip(chains, tree["dof_simplenum"])]
    full = [sorted(c) for c in chains]
    for chain in chains:
        for dof in chain[1:]:
            full[dof].append(chain[0])
    m_adr, d_adr = _addresses(reduced), _addresses(full)
    legacy = _addresses(chains)
    m_nnz, m_row, m_col = _csr(reduced)
    d_nnz, d_row, d_col = _csr(full)
    b_nnz, b_row, b_col = _csr(_body_rows(tree["body_parentid"], tree["body_dofadr"], tree["body_dofnum"]))
    int32 = np.int32
    return {
        "nM": len(legacy),
        "nC": len(m_adr),
        "nD": len(d_adr),
        "nB": len(b_col),
        "dof_Madr": np.array([legacy[i, i] for i in range(len(chains))], dtype=int32),
        "M_rownnz": m_nnz,
        "M_rowadr": m_row,
        "M_colind": m_col,
        "mapM2M": np.array([legacy[ij] for ij in m_adr], dtype=int32),
        "D_rownnz": d_nnz,
        "D_rowadr": d_row,
        "D_diag": np.array([row.index(i) for i, row in enumerate(full)], dtype=int32),
        "D_colind": d_col,
        "mapM2D": np.array([m_adr.get((max(ij), min(ij)), -1) for ij in d_adr], dtype=int32),
        "mapD2M": np.array([d_adr[ij] for ij in m_adr], dtype=int32),
        "B_rownnz": b_nnz,
        "B_rowadr": b_row,
        "B_colind": b_col,
    }
