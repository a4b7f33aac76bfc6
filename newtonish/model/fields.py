"""Signed distance fields that shapes stand for: which one, with which parameters, and the surface on which it is zero."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from newtonish.errors import ModelError, problem
from newtonish.model.isosurface import isosurface

__all__ = ["FieldInstance", "field_of", "field_parameters", "field_surface", "known_fields", "parameter_names"]

CELLS = 300.0
"""Cells of the grid along x, y and z together, as many as MuJoCo's compiler takes."""


@dataclass(frozen=True)
class FieldInstance:
    """A field of a shape.

    Attributes:
        plugin: Name of the field, MuJoCo's (``mujoco.sdf.nut``) or one that was registered; empty: that of the mesh itself, by an octree.
        config: Its parameters as written, by name; those that are left out have their usual values.
        name: Name of the instance, which several geoms may share; empty: none.
    """

    plugin: str = ""
    config: tuple[tuple[str, str], ...] = ()
    name: str = ""

    @classmethod
    def of(cls, plugin: str, parameters: Mapping[str, Any], name: str = "") -> FieldInstance:
        """An instance with parameters by name, checked.

        Raises:
            ModelError: There is no such field, a parameter is not one of its own, or no number.
        """
        instance = cls(plugin, tuple((str(key), str(value)) for key, value in parameters.items()), name)
        if plugin:
            field_parameters(instance)
        elif parameters:
            raise ModelError(problem("the field of a mesh", f"parameters: {', '.join(parameters)}", "none", "name a plugin, or leave them out"))
        return instance

    @property
    def texts(self) -> tuple[str, ...]:
        """The parameters as written, in the order of the field's own; empty ones are left out."""
        given = dict(self.config)
        return tuple(given.get(name, "") for name in _kind(self).parameters)


def field_of(shown: Any) -> FieldInstance | None:
    """The field that a shape's source collides as; None for what collides as it looks."""
    field = getattr(shown, "field", None)
    return field if isinstance(field, FieldInstance) else None


def known_fields() -> tuple[str, ...]:
    """Names of fields: MuJoCo's, and those that were registered."""
    from newtonish.kernels.sdf.fields import FIELDS, REGISTERED

    return (*FIELDS, *REGISTERED)


def parameter_names(plugin: str) -> tuple[str, ...]:
    """Names of the parameters of a field, in its own order.

    Raises:
        ModelError: There is no such field.
    """
    return tuple(_kind(FieldInstance(plugin)).parameters)


def field_parameters(field: FieldInstance) -> tuple[float, ...]:
    """The numbers that a field's function is called with.

    Raises:
        ModelError: There is no such field, a parameter is not one of its own, or no number.
    """
    kind, what = _kind(field), _title(field)
    numbers = list(kind.usual) + [0.0] * (len(kind.parameters) - len(kind.usual))
    for key, text in field.config:
        if key not in kind.parameters:
            allowed = ", ".join(kind.parameters) or "nothing: it has no parameters by name"
            raise ModelError(problem(what, f"the parameter '{key}'", allowed, "correct the name"))
        if not text.strip():
            continue
        try:
            numbers[kind.parameters.index(key)] = _number(text)
        except ValueError:
            raise ModelError(problem(f"{what}, {key}", repr(text), "a finite number", "correct it")) from None
    return tuple(numbers)


def field_surface(field: FieldInstance) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (n, 3) [m], as single precision holds them, and triangles (m, 3) of the surface on which a field is zero.

    The grid and its box are those of MuJoCo's compiler, and so are the vertices.

    Raises:
        ModelError: The field or its parameters are wrong, nobody said where its surface is, or there is none.
    """
    from newtonish.kernels.sdf.sample import sample

    kind, prm = _kind(field), field_parameters(field)
    if kind.box is None:
        remedy = "give DistanceField a box, or show the field on a mesh of your own"
        raise ModelError(problem(_title(field), "no box in which its surface is", "half sizes of one", remedy))
    half = _half_sizes(field, kind.box(prm))
    count = np.floor(CELLS / half.sum() * half).astype(np.int64) + 1
    if count.min() < 2:
        raise ModelError(problem(_title(field), f"a box of half sizes {half.tolist()}", "sides within a factor of a hundred", "choose other parameters"))
    axes = [-h + 2.0 * h * np.arange(n) / (n - 1) for h, n in zip(half, count)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    values = sample(kind, prm, points).reshape(count).astype(np.float32)
    vertices, faces = isosurface(values) if np.isfinite(values).all() else (np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64))
    if len(vertices) < 4:
        given = f"no surface in the box of half sizes {half.tolist()} m"
        raise ModelError(problem(_title(field), given, "distances on both sides of zero there", "correct the parameters, or the box"))
    return (2.0 * half * vertices.astype(np.float64) / (count - 1) - half).astype(np.float32).astype(np.float64), faces


def _kind(field: FieldInstance) -> Any:
    from newtonish.kernels.sdf.fields import known_field

    kind = known_field(field.plugin)
    if kind is None:
        remedy = "correct the name, or register a field with mjw.register_field before"
        raise ModelError(problem(_title(field), repr(field.plugin), ", ".join(known_fields()), remedy))
    return kind


def _title(field: FieldInstance) -> str:
    return f"distance field '{field.name or field.plugin}'"


def _number(text: str) -> float:
    number = float(text)
    if not np.isfinite(number):
        raise ValueError
    return number


def _half_sizes(field: FieldInstance, given: Any) -> np.ndarray:
    half = np.asarray(given, dtype=np.float64)
    if half.shape != (3,) or not np.isfinite(half).all() or (half <= 0.0).any():
        raise ModelError(problem(_title(field), f"a box of half sizes {given}", "three positive numbers [m]", "correct the parameters, or the box"))
    return half
