"""Bindings: arrays of a simulation by the elements of the model that they belong to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from newtonish.physics.arrays import one_world, write_model
from newtonish.physics.rows import Field, field_of, rows_of

if TYPE_CHECKING:
    from newtonish.physics.physics import Physics

__all__ = ["Binding", "BoundArray", "EmptyBinding"]

INPUTS = frozenset({"qpos", "qvel", "act", "ctrl", "qfrc_applied", "xfrc_applied", "mocap_pos", "mocap_quat", "eq_active", "qacc_warmstart"})
"""What is written into Data; all else is computed from it."""
ONE_NUMBER = frozenset({"nu", "nout", "nbody", "nmocap", "ncam", "neq", "ngeom", "njnt", "nlight", "nmat", "nsensor", "nsite", "ntendon", "nactuator"})
"""Sizes of which an element has one row: its entry is the row itself."""


class BoundArray(np.ndarray):
    """Values of bound elements; what is assigned to its entries goes into the simulation too."""

    _binding: Binding | None = None
    _name = ""

    def __setitem__(self, index: Any, value: Any) -> None:
        super().__setitem__(index, value)
        if self._binding is not None:
            setattr(self._binding, self._name, np.asarray(self))

    def __array_finalize__(self, other: Any) -> None:
        self._binding = None  # results of arithmetic and parts are ordinary arrays

    def __reduce__(self) -> Any:
        return np.asarray(self).__reduce__()


class Binding:
    """Elements of one kind in a simulation. Reads and writes go to the arrays; what depends on what was written is computed at the next read.

    Attributes:
        element_id: MuJoCo's id of the element, or an array of them.
    """

    def __init__(self, physics: Physics, namespace: str, ids: list[int], single: bool) -> None:
        self.__dict__.update(_physics=physics, _namespace=namespace, _ids=ids, _single=single, _fields={})
        self.__dict__["element_id"] = ids[0] if single else np.array(ids)

    def _field(self, attribute: str) -> tuple[Field, Any]:
        """The array and the rows in it: a number where one element has one row."""
        if attribute not in self._fields:
            field = field_of(self._namespace, attribute, self._physics.m)
            rows: Any = rows_of(self._physics.compiled, self._namespace, self._ids, field.size)
            alone = self._single and field.size in ONE_NUMBER and len(rows) == 1
            self._fields[attribute] = field, int(rows[0]) if alone else rows
        return self._fields[attribute]

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("_"):
            raise AttributeError(attribute)
        field, rows = self._field(attribute)
        physics = self._physics
        if not field.of_model and field.name not in INPUTS:
            physics.forward_if_dirty()
        values = one_world(physics.m if field.of_model else physics.d, field.name)[rows]
        if not isinstance(values, np.ndarray) or values.ndim == 0:
            return values
        bound = np.array(values).view(BoundArray)
        bound._binding, bound._name = self, attribute
        return bound

    def __setattr__(self, attribute: str, value: Any) -> None:
        field, rows = self._field(attribute)
        physics = self._physics
        if field.of_model:
            write_model(physics.m, field.name, rows, value)
        else:
            if field.name not in INPUTS:
                physics.forward_if_dirty()
            one_world(physics.d, field.name)[rows] = value
        if field.of_model or field.name in INPUTS:
            physics.mark_as_dirty()

    def __getitem__(self, index: Any) -> Any:
        """``binding['pos']``, or columns of it: ``binding['pos', [0, 2]]``."""
        attribute, columns = index if isinstance(index, tuple) else (index, slice(None))
        values = getattr(self, attribute)
        return values if np.ndim(values) == 0 else values[..., columns]

    def __setitem__(self, index: Any, value: Any) -> None:
        attribute, columns = index if isinstance(index, tuple) else (index, slice(None))
        values = np.array(getattr(self, attribute))
        values[(..., columns) if values.ndim else ()] = value
        setattr(self, attribute, values)


class EmptyBinding:
    """The binding of no elements: everything is empty."""

    def __getattr__(self, attribute: str) -> np.ndarray:
        return np.empty(0)

    def __setattr__(self, attribute: str, value: Any) -> None:
        raise ValueError("bind(()): got a value; allowed: none, no element is bound; bind at least one element.")
