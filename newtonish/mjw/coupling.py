"""Other room in the mass matrix of a running simulation, when dofs come to couple that were free of each other.

A body whose inertial frame is its own has a diagonal share of the mass matrix, and only the diagonal is stored. Moving its
centre of mass fills the share: the rows of the matrix get other places, and so do the arrays of Data that are laid out like it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from newtonish.kernels.structs.container import Data, Model
from newtonish.kernels.structs.data import IMPLICIT_STATE, MASS
from newtonish.kernels.structs.grouped import allocate
from newtonish.kernels.structs.metric import METRIC
from newtonish.mjw.capacity import sizes_of

__all__ = ["LAYOUT", "couple", "couples_more"]

LAYOUT = frozenset(
    {
        "body_simple", "dof_simplenum", "M_rownnz", "M_rowadr", "M_colind", "nC", "nD", "D_rownnz", "D_rowadr", "D_diag",
        "D_colind", "mapM2D",
    }
)  # fmt: skip
"""Flat names of the fields of Model that tell where the entries of the mass matrix are."""


def couples_more(m: Model, new: Model) -> bool:
    """Whether ``new`` has entries in its mass matrix that ``m`` has no room for; room that is not needed does no harm."""
    return bool(np.any((m.body_simple.numpy() > 0) & (new.body_simple.numpy() == 0)))


def couple(m: Model, d: Data, new: Model) -> list[Any]:
    """Lay out the mass matrix of ``m`` and ``d`` as that of ``new``, the same model but for its numbers.

    What is stored in that layout is computed in every step from the state, so nothing is copied.

    Args:
        m: the model.
        d: its data.
        new: the model that the layout is taken from.

    Returns:
        The arrays that were replaced: a graph that the caller captured still reads them.
    """
    replaced = []
    for group in m.GROUPS:
        for field in group.fields:
            if group.flat_name(field) in LAYOUT:
                replaced.append(getattr(getattr(m, group.name), field.name))
                setattr(getattr(m, group.name), field.name, getattr(getattr(new, group.name), field.name))
    m.touch()
    groups = (MASS, IMPLICIT_STATE, METRIC)
    replaced += [getattr(d, group.name) for group in groups]
    for group in groups:
        setattr(d, group.name, group.struct())
    allocate(groups, d, sizes_of(m, d.nconmax, d.njmax, d.nhessian))
    d.sizes = sizes_of(m, 0, 0)
    d.touch()
    return replaced
