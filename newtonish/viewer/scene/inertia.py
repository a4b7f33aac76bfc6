"""How heavy a point of a body feels to the hand that pulls at it."""

from __future__ import annotations

from typing import Any

import numpy as np

from newtonish.common.constants import MINVAL

__all__ = ["point_mass"]


def point_mass(maker: Any, state: Any, body: int, point: np.ndarray) -> float:
    """Inverse of the mean mobility of a point, over three directions [kg]; 1 for what cannot move.

    With J the point's Jacobian and M the mass matrix of the body's tree, ``3 / trace(J M^-1 J')``: what is attached to the body and
    what it is attached to count as far as they come along. Without a solver it is the body's own mass.

    Args:
        maker: The scene's maker.
        state: Where the bodies are.
        body: The model's body.
        point: (3,) in the drawn scene [m].
    """
    found = maker.evaluation
    if found is None:
        return float(maker.model.body_mass.numpy()[body]) or 1.0
    found.update(state)
    c = found.compiled
    world, mjc = max(int(maker.body_world[body]), 0), int(c.maps.body_to_mjc[body])
    chain = np.flatnonzero(_moves(c, mjc))
    if not len(chain):
        return 1.0
    tree = np.flatnonzero(c.dof_treeid == c.dof_treeid[chain[0]])
    jacobian = np.zeros((3, len(tree)))
    axes = found["cdof"][world, chain].astype(float)  # rotation first, about the tree's centre of mass
    arm = np.asarray(point) - maker.offsets[world] - found["subtree_com"][world, c.body_rootid[mjc]]
    jacobian[:, np.searchsorted(tree, chain)] = (axes[:, 3:] + np.cross(axes[:, :3], arm)).T
    mobility = np.trace(jacobian @ np.linalg.solve(_mass_matrix(found, world, tree), jacobian.T))
    return 3.0 / max(float(mobility), MINVAL) if mobility else 1.0


def _moves(c: Any, body: int) -> np.ndarray:
    """(nv,) whether a dof moves a body."""
    mask = np.zeros(c.nv, dtype=bool)
    while body > 0:
        first = c.body_dofadr[body]
        mask[first : first + c.body_dofnum[body]] |= c.body_dofnum[body] > 0
        body = c.body_parentid[body]
    return mask


def _mass_matrix(found: Any, world: int, tree: np.ndarray) -> np.ndarray:
    """The mass matrix of one tree, from sparse rows of its lower half."""
    c, values = found.compiled, found["M"][world].astype(float)
    matrix = np.zeros((len(tree), len(tree)))
    for row, dof in enumerate(tree.tolist()):
        at = slice(int(c.M_rowadr[dof]), int(c.M_rowadr[dof]) + int(c.M_rownnz[dof]))
        columns = np.searchsorted(tree, c.M_colind[at])
        matrix[row, columns] = matrix[columns, row] = values[at]
    return matrix
