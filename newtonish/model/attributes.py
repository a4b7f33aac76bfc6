"""Declarations of custom attributes and custom frequencies: data that the generic model carries without knowing it.

An attribute has a type, a default and a frequency, which says whose rows it has: one of the model's own entities, or a
frequency declared by the user (``"mujoco:actuator"``). Integers that are row numbers of something else say so by
``references``, and are then re-numbered whenever builders are put together.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import warp as wp

from newtonish.errors import ModelError, problem
from newtonish.model.enums import AttributeAssignment, AttributeFrequency
from newtonish.model.values import Block, RowValues, SparseValues

__all__ = [
    "AttributeAssignment",
    "AttributeFrequency",
    "AttributeNamespace",
    "CustomAttribute",
    "CustomFrequency",
    "Derived",
    "normalize_reference",
]

Derived = Callable[[Any], dict[str, Callable[[], Any]]]
"""Given a finished model: attributes of a namespace that are made when somebody first asks for them, by name."""

_PLAIN = {float: wp.float32, int: wp.int32, bool: wp.bool}
_WHOLE = (int, bool)
"""Types of values that have no fraction."""
_USER_NAMED = ("CURVE", "SURFACE", "VOLUME")


class AttributeNamespace:
    """Holds the custom attributes of one namespace, as ``model.<namespace>.<name>``."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._later: dict[str, Callable[[], Any]] = {}

    def __repr__(self) -> str:
        return f"AttributeNamespace({self._name!r}, {self._known()})"

    def _known(self) -> list[str]:
        """All names, also of what is made when it is asked for."""
        return sorted({k for k in vars(self) if not k.startswith("_")} | set(self._later))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        make = self._later.get(name)
        if make is not None:
            value = make()
            setattr(self, name, value)
            return value
        known = ", ".join(self._known()) or "nothing"
        raise AttributeError(f"namespace '{self._name}' has no attribute '{name}'; it has {known}.")


def normalize_reference(reference: AttributeFrequency | str | None) -> AttributeFrequency | str | None:
    """Return the entity kind behind a built-in name in lower or upper case; other names are custom frequencies."""
    if isinstance(reference, AttributeFrequency) or reference is None:
        return reference
    name = reference.upper()
    if name in AttributeFrequency.__members__ and name not in _USER_NAMED:
        return AttributeFrequency[name]
    return reference


@functools.cache
def _layout(dtype: Any) -> tuple[np.dtype, tuple[int, ...]]:
    """How values of a Warp type are kept: the numpy type of their numbers, and their shape."""
    shape = tuple(getattr(dtype, "_shape_", ()))
    scalar = getattr(dtype, "_wp_scalar_type_", dtype)
    if scalar is wp.bool:
        return np.dtype(np.bool_), shape
    if scalar is wp.uint64:
        return np.dtype(np.uint64), shape
    return np.dtype(np.int64) if wp.types.type_is_int(scalar) else np.dtype(np.float64), shape


def _zero_of(dtype: Any) -> Any:
    """Return the default of a type for which none was given: zero, the empty text or the identity rotation."""
    if dtype is str:
        return ""
    if dtype in (bool, wp.bool):
        return False
    if wp.types.type_is_quaternion(dtype):
        return wp.quat_identity(dtype._wp_scalar_type_)
    if wp.types.type_is_transformation(dtype):
        return dtype((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))
    return dtype() if hasattr(dtype, "_shape_") else (0 if wp.types.type_is_int(dtype) else 0.0)


@dataclass
class CustomFrequency:
    """Declares a kind of entity that the model does not have of its own, with rows added by ``add_custom_values``.

    Attributes:
        name: Name inside the namespace.
        namespace: Namespace, or None.
        usd_prim_filter: For USD readers: tells whether a prim is such an entity.
        usd_entry_expander: For USD readers: makes several rows of one prim.
        articulation_owner_attribute: Key of the attribute with the articulation a row belongs to, for tools that
            select by articulation.
        articulation_owner_resolver: Computes those articulations, for the same tools.
        label_attribute: Key of the attribute with the rows' names; label prefixes are applied to it.
    """

    name: str
    namespace: str | None = None
    usd_prim_filter: Callable[..., bool] | None = None
    usd_entry_expander: Callable[..., Iterable[dict[str, Any]]] | None = None
    articulation_owner_attribute: str | None = None
    articulation_owner_resolver: Callable[..., Sequence[int]] | None = None
    label_attribute: str | None = None

    @property
    def key(self) -> str:
        """Full name, ``namespace:name`` or ``name``."""
        return f"{self.namespace}:{self.name}" if self.namespace else self.name


@dataclass
class CustomAttribute:
    """Declares an attribute and holds the values that differ from its default.

    Attributes:
        name: Name under which the finished model shows it.
        dtype: A Warp scalar, vector, matrix, quaternion or transform type, ``float``, ``int``, ``bool``, or ``str``
            (a list of texts in the model).
        frequency: Whose rows it has; text names a custom frequency.
        assignment: Which object carries it: model, state, control or contacts.
        namespace: Namespace, or None.
        references: What its integers are row numbers of; ``"world"`` takes the world that a row is copied into.
        default: Value of rows that were not written.
        values: ``{row: value}``, or a list for custom frequencies.
        usd_attribute_name: Name in USD files.
        mjcf_attribute_name: Name in MJCF files.
        urdf_attribute_name: Name in URDF files.
        usd_value_transformer: Converts a value read from USD.
        mjcf_value_transformer: Converts a value read from MJCF.
        urdf_value_transformer: Converts a value read from URDF.
        reference_value_transformer: Re-numbers all values of one copy where ``references`` cannot say what they mean;
            called with the values and a context (``builder``, ``destination_builder``, ``entity_offsets``,
            ``custom_frequency_offsets``, ``row_indices``, ``world``, ``label_prefix``).
    """

    name: str
    dtype: Any
    frequency: AttributeFrequency | str
    assignment: AttributeAssignment = AttributeAssignment.MODEL
    namespace: str | None = None
    references: AttributeFrequency | str | None = None
    default: Any = None
    values: Any = None
    usd_attribute_name: str | None = None
    mjcf_attribute_name: str | None = None
    urdf_attribute_name: str | None = None
    usd_value_transformer: Callable[..., Any] | None = None
    mjcf_value_transformer: Callable[..., Any] | None = None
    urdf_value_transformer: Callable[..., Any] | None = None
    reference_value_transformer: Callable[[list[Any], dict[str, Any]], list[Any]] | None = None

    def __post_init__(self) -> None:
        self.dtype = _PLAIN.get(self.dtype, self.dtype) if isinstance(self.dtype, type) else self.dtype
        if self.dtype is not str:
            try:
                wp.types.type_size_in_bytes(self.dtype)
            except TypeError:
                raise ModelError(problem(f"custom attribute '{self.key}'", f"dtype {self.dtype!r}", "a Warp type or str", "use one")) from None
        if self.default is None:
            self.default = _zero_of(self.dtype)
        if self.references is not None and self.reference_value_transformer is not None:
            raise ModelError(
                problem(
                    f"custom attribute '{self.key}'",
                    "references and reference_value_transformer together",
                    "one of them",
                    "leave references out when a transformer re-numbers the values",
                )
            )
        self.usd_attribute_name = self.usd_attribute_name or f"newton:{self.key}"
        self.mjcf_attribute_name = self.mjcf_attribute_name or self.name
        self.urdf_attribute_name = self.urdf_attribute_name or self.name

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "values":
            wanted = RowValues if isinstance(self.frequency, str) else SparseValues
            if not isinstance(value, wanted):
                value = wanted(value if value is not None else ())
        object.__setattr__(self, name, value)

    @property
    def key(self) -> str:
        """Full name, ``namespace:name`` or ``name``."""
        return f"{self.namespace}:{self.name}" if self.namespace else self.name

    @property
    def is_custom_frequency(self) -> bool:
        """Whether its rows belong to a custom frequency."""
        return isinstance(self.frequency, str)

    @property
    def reference(self) -> AttributeFrequency | str | None:
        """What its integers refer to, with built-in names resolved."""
        return normalize_reference(self.references)

    @property
    def element_shape(self) -> tuple[int, ...]:
        """Shape of one value: () for a number, (3,) for a vector of three, (3, 3) for a matrix."""
        return _layout(self.dtype)[1]

    @property
    def storage_dtype(self) -> np.dtype:
        """Numpy type the builder keeps numbers in: float64, int64, uint64 or bool."""
        return _layout(self.dtype)[0]

    def copy_declaration(self) -> CustomAttribute:
        """Return the same declaration without values."""
        return replace(self, values=None)

    def same_declaration(self, other: CustomAttribute) -> bool:
        """Whether another declaration under the same key means the same thing."""
        same = (
            self.frequency == other.frequency
            and self.assignment == other.assignment
            and self.reference == other.reference
            and self.element_shape == other.element_shape
            and (self.dtype is str) == (other.dtype is str)
        )
        return same and (self.dtype is str or self.storage_dtype == other.storage_dtype)

    def convert(self, row: int, value: Any) -> Any:
        """Return a value in its stored form: text, or a numpy array of the attribute's element shape."""
        if self.dtype is str:
            return "" if value is None else str(value)
        dtype, shape = _layout(self.dtype)
        try:
            array = np.array(value, dtype=dtype).reshape(shape)
            whole = dtype.kind != "i" or type(value) in _WHOLE
            if not whole and not np.array_equal(array, np.reshape(value, shape)):
                raise ValueError("a fraction would be cut off")
            return array
        except (TypeError, ValueError, OverflowError):
            size = int(np.prod(self.element_shape, dtype=int))
            word = "whole number" if self.storage_dtype.kind in "iu" else "number"
            allowed = f"{size} {word}s" if size != 1 else f"one {word}"
            raise ModelError(problem(f"custom attribute '{self.key}', row {row}", repr(value), allowed, "pass such a value")) from None

    def convert_all(self, rows: list[int], values: list[Any]) -> Any:
        """Return several values in stored form, one a row: an array, or a list of texts."""
        if self.dtype is str:
            return [self.convert(row, value) for row, value in zip(rows, values)]
        try:
            array = np.array(values)
        except (TypeError, ValueError):
            array = np.empty(0, dtype=object)
        if array.shape == (len(values), *self.element_shape) and array.dtype.kind == self.storage_dtype.kind:
            return array.astype(self.storage_dtype)
        # Mixed or odd values: one by one, so that an error names the row.
        stored = [self.convert(row, value) for row, value in zip(rows, values)]
        return np.array(stored, dtype=self.storage_dtype).reshape(-1, *self.element_shape)

    def _stored(self, row: int, value: Any) -> Any:
        """As ``convert``, for values that may have been through it already."""
        if type(value) is np.ndarray and (value.dtype, value.shape) == _layout(self.dtype):
            return value
        return self.convert(row, value)

    def pack(self) -> Block:
        """Return the rows that were written, and their values as one array (a list for text)."""
        sparse = self.values.sparse if isinstance(self.values, RowValues) else self.values
        if self.dtype is str:
            return sparse.pack(self.convert, list)
        shape = self.element_shape
        return sparse.pack(self._stored, lambda rows: np.array(rows, dtype=self.storage_dtype).reshape(-1, *shape))

    def dense(self, count: int) -> Any:
        """Return ``count`` values, defaults included, as one array (a list for text)."""
        rows, values = self.pack()
        if self.dtype is str:
            texts = [str(self.default)] * count
            for row, value in zip(rows.tolist(), values):
                if row < count:
                    texts[row] = value
            return texts
        return self._filled(rows, values, count, self.storage_dtype)

    def _filled(self, rows: np.ndarray, values: np.ndarray, count: int, dtype: Any) -> np.ndarray:
        """``count`` values of a numpy type: those of the rows, which rise, and the default elsewhere."""
        used = int(np.searchsorted(rows, count))
        if used == count:  # every row has a value
            return values[:count].astype(dtype)  # a copy
        result = np.empty((count, *self.element_shape), dtype=dtype)
        result[...] = self.convert(-1, self.default)
        if used:
            result[rows[:used]] = values[:used]
        return result

    def build_array(self, count: int, device: Any = None, requires_grad: bool = False) -> Any:
        """Return ``count`` values as a Warp array, or as a list for text."""
        if self.dtype is str:
            return self.dense(count)
        scalar = getattr(self.dtype, "_wp_scalar_type_", self.dtype)
        values = self._filled(*self.pack(), count, wp.dtype_to_numpy(scalar))
        grad = requires_grad and wp.types.type_is_float(scalar)
        return wp.array(values, dtype=self.dtype, device=device, requires_grad=grad, copy=values.size == 0)
