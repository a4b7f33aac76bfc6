"""Fields of a model as inputs of steps: a copy of the model that has values of its own for them, one for each world."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np
import warp as wp

from newtonish.errors import ModelError, UnsupportedError, problem
from newtonish.mjw import Data, Model
from newtonish.mjw.gradient_fields import FIELDS, check_names
from newtonish.mjw.matching import options
from newtonish.mjw.structure import check_structure

__all__ = ["FieldInputs"]


class FieldInputs:
    """The model that steps are taken with.

    Args:
        m: model of the caller's, which stays as it is.
        d: data.
        names: fields that may be given, as ``mjw.step_vjp`` names them.
        call: function that is called, for errors.

    Attributes:
        shapes: Shape of each field's values as floats, (nworld, and the shape of one world's).

    Raises:
        ModelError: there is no gradient by a field, or it is named twice.
        UnsupportedError: a field acts through something of the model without a derivative.
    """

    def __init__(self, m: Model, d: Data, names: Any, call: str) -> None:
        self._m, self._d = m, d
        self._names = _checked(names, call)
        check_names(call, m, set(self._names))
        if "tendon_armature" in self._names and not m.tendon_armature.numpy().all():
            given, remedy = "tendons without armature, of which the mass matrix has no entries", "give all tendons some in the model, or leave the field out"
            raise UnsupportedError(problem(f"{call}: fields, tendon_armature", given, "tendons that have some", remedy))
        self._own: dict[str, wp.array] = {}
        self._model, self._state = m, (-1, b"")
        self.model()
        self.shapes = {name: _floats(array).shape for name, array in self._own.items()}

    def model(self) -> Model:
        """The copy, made anew when options or arrays of the model were replaced; without fields the model itself."""
        if not self._names:
            return self._m
        check_structure(self._m)
        state = self._m.version, options(self._m)
        if state != self._state:
            values = {name: np.repeat(_field(self._m, name).numpy(), self._repeats(name), axis=0) for name in self._names}
            whole: Any = self._m
            self._model = dataclasses.replace(whole)
            self._model.reflected = None  # gears are those numbers and nothing else, as in their gradient: what joints have of actuators stays
            for name, array in values.items():
                group, _, flat = name.rpartition(".")
                setattr(self._model.opt if group else self._model, flat, wp.array(array, dtype=FIELDS[name].dtype, device=self._d.device))
            self._own = {name: _field(self._model, name) for name in self._names}
            self._state = state
        return self._model

    def load(self, given: Mapping[str, wp.array]) -> None:
        """Write what is given into the copy, as floats, and the model's own values for the rest."""
        for name, target in self._own.items():
            if not target.size:
                continue
            if name in given:
                wp.copy(_floats(target), given[name])
            else:
                wp.copy(target, self._everywhere(name))

    def typed(self, name: str, array: wp.array) -> wp.array:
        """Floats of the shape of a field as what the field is made of, in the same memory."""
        view: Any = wp.array(ptr=array.ptr, shape=self._own[name].shape, dtype=FIELDS[name].dtype, device=array.device)
        view._ref = array  # keeps the memory
        return view

    def _repeats(self, name: str) -> int:
        return self._d.nworld // _field(self._m, name).shape[0]

    def _everywhere(self, name: str) -> wp.array:
        """The model's own values, one for each world."""
        array = _field(self._m, name)
        if self._repeats(name) == 1:
            return array
        view: Any = wp.array(ptr=array.ptr, shape=(self._d.nworld, *array.shape[1:]), strides=(0, *array.strides[1:]), dtype=array.dtype, device=array.device)
        view._ref = array
        return view


def _field(m: Model, name: str) -> wp.array:
    """The array of a field."""
    group, _, flat = name.rpartition(".")
    array = getattr(m.opt if group else m, flat)
    assert isinstance(array, wp.array)
    return array


def _floats(array: wp.array) -> wp.array:
    """An array of vectors as floats in the same memory, with one more axis."""
    width = wp.types.type_size_in_bytes(array.dtype) // 4
    view: Any = wp.array(ptr=array.ptr, shape=array.shape if width == 1 else (*array.shape, width), dtype=wp.float32, device=array.device)
    view._ref = array
    return view


def _checked(names: Any, call: str) -> tuple[str, ...]:
    """Names of fields, each once."""
    try:
        found = () if isinstance(names, (str, bytes)) else tuple(names)
    except TypeError:
        found = ()
    if isinstance(names, (str, bytes)) or not all(isinstance(name, str) for name in found) or (not found and not isinstance(names, (tuple, list, set, dict))):
        remedy = 'pass fields=("body_mass",)'
        raise ModelError(problem(f"{call}: fields", f"{names!r}", "names of fields of the model", remedy))
    if len(set(found)) < len(found):
        twice = sorted({name for name in found if found.count(name) > 1})
        raise ModelError(problem(f"{call}: fields", f"{', '.join(twice)} twice", "each once", "leave the second out"))
    return found
