"""The builder's only storage: one column per property of each kind of entity, declared in one table.

Numeric columns are growing float64, int64 or bool arrays that behave like lists; texts and sources are lists. The same
table drives the builder's attributes, merging builders (which column is re-numbered by what) and the finished model's
arrays (which Warp type a column becomes).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, SupportsIndex, TypeVar, overload

import numpy as np
import warp as wp

from newtonish.errors import ModelError, problem
from newtonish.model.enums import AttributeFrequency as F
from newtonish.model.enums import GeoType, JointType

__all__ = ["COLUMNS", "Column", "ColumnAttribute", "ColumnSpec"]

Item = TypeVar("Item")
_NO_NUMBERS = (TypeError, ValueError, OverflowError, IndexError, RuntimeError)


@dataclass(frozen=True)
class ColumnSpec:
    """One property of one kind of entity.

    Attributes:
        name: Name in the builder and, if it has a Warp type, in the model.
        entity: Whose rows these are.
        dtype: Warp type of the model's array; None for what stays a list, or is the builder's own business.
        storage: Numpy type of the builder's column; None for a list of Python objects.
        shape: Shape of one element.
        item: What reading a single element returns.
        references: What the integers are row numbers of.
        in_model: Whether the finished model has it.
    """

    name: str
    entity: F
    dtype: Any
    storage: type | None
    shape: tuple[int, ...] = ()
    item: Callable[[Any], Any] | None = None
    references: F | None = None
    in_model: bool = True


def _joint_type(value: Any) -> int:
    return JointType(int(value))


def _geo_type(value: Any) -> int:
    return GeoType(int(value))


def _numbers(value: Any) -> tuple:
    return tuple(value.tolist())


_KINDS: dict[str, tuple[Any, type | None, tuple[int, ...], Callable[[Any], Any] | None]] = {
    "float": (wp.float32, np.float64, (), float),
    "int": (wp.int32, np.int64, (), int),
    "bool": (wp.bool, np.bool_, (), bool),
    "joint_type": (wp.int32, np.int64, (), _joint_type),
    "geo_type": (wp.int32, np.int64, (), _geo_type),
    "int2": (wp.int32, np.int64, (2,), _numbers),
    "vec2": (wp.vec2, np.float64, (2,), _numbers),
    "vec3": (wp.vec3, np.float64, (3,), wp.vec3),
    "color": (wp.vec3, np.float64, (3,), _numbers),
    "mat33": (wp.mat33, np.float64, (3, 3), lambda value: wp.mat33(*value.reshape(-1).tolist())),
    "transform": (wp.transform, np.float64, (7,), lambda value: wp.transform(*value.tolist())),
    "spatial": (wp.spatial_vector, np.float64, (6,), lambda value: wp.spatial_vector(*value.tolist())),
    "text": (None, None, (), None),
    "object": (None, None, (), None),
}


def _spec(entity: F, name: str, kind: str, references: F | None = None, in_model: bool = True) -> ColumnSpec:
    dtype, storage, shape, item = _KINDS[kind]
    return ColumnSpec(name, entity, dtype, storage, shape, item, references, in_model)


def _group(entity: F, prefix: str, **kinds: str) -> tuple[ColumnSpec, ...]:
    return tuple(_spec(entity, f"{prefix}_{name}", kind) for name, kind in kinds.items())


def _label_and_world(entity: F, prefix: str) -> tuple[ColumnSpec, ...]:
    return (_spec(entity, f"{prefix}_label", "text"), _spec(entity, f"{prefix}_world", "int", F.WORLD))


_SPECS = (
    *_label_and_world(F.BODY, "body"),
    *_group(F.BODY, "body", q="transform", qd="spatial", com="vec3", mass="float", inertia="mat33", flags="int"),
    _spec(F.BODY, "body_lock_inertia", "bool", in_model=False),
    *_label_and_world(F.SHAPE, "shape"),
    _spec(F.SHAPE, "shape_body", "int", F.BODY),
    *_group(F.SHAPE, "shape", transform="transform", type="geo_type", scale="color", flags="int", source="object"),
    *_group(F.SHAPE, "shape", color="color", opacity="float", is_solid="bool", margin="float", gap="float"),
    *_group(F.SHAPE, "shape_material", ke="float", kd="float", kf="float", ka="float", kh="float", mu="float"),
    *_group(F.SHAPE, "shape_material", restitution="float", mu_torsional="float", mu_rolling="float"),
    *_group(F.SHAPE, "shape", collision_group="int", collision_radius="float"),
    *_label_and_world(F.JOINT, "joint"),
    _spec(F.JOINT, "joint_type", "joint_type"),
    _spec(F.JOINT, "joint_parent", "int", F.BODY),
    _spec(F.JOINT, "joint_child", "int", F.BODY),
    *_group(F.JOINT, "joint", X_p="transform", X_c="transform", dof_dim="int2", enabled="bool"),
    _spec(F.JOINT, "joint_q_start", "int", F.JOINT_COORD),
    _spec(F.JOINT, "joint_qd_start", "int", F.JOINT_DOF),
    _spec(F.JOINT, "joint_cts_start", "int", F.JOINT_CONSTRAINT, in_model=False),
    _spec(F.JOINT, "joint_articulation", "int", F.ARTICULATION),
    _spec(F.JOINT, "joint_mimic_joint", "int", F.JOINT),
    _spec(F.JOINT, "joint_mimic_coeffs", "vec2"),
    _spec(F.JOINT, "joint_collision_filter_parent", "bool", in_model=False),
    *_group(F.JOINT_COORD, "joint", q="float", target_q="float", rest_q="float"),
    *_group(F.JOINT_DOF, "joint", qd="float", f="float", act="float", axis="vec3", armature="float"),
    *_group(F.JOINT_DOF, "joint", target_qd="float", target_mode="int", target_ke="float", target_kd="float"),
    *_group(F.JOINT_DOF, "joint", stiffness="float", damping="float", friction="float"),
    *_group(F.JOINT_DOF, "joint", limit_lower="float", limit_upper="float", limit_ke="float", limit_kd="float"),
    *_group(F.JOINT_DOF, "joint", effort_limit="float", velocity_limit="float"),
    _spec(F.JOINT_CONSTRAINT, "joint_cts", "float", in_model=False),
    *_label_and_world(F.ARTICULATION, "articulation"),
    _spec(F.ARTICULATION, "articulation_start", "int", F.JOINT),
    _spec(F.ARTICULATION, "articulation_end", "int", F.JOINT),
    *_label_and_world(F.CONSTRAINT_MIMIC, "constraint_mimic"),
    _spec(F.CONSTRAINT_MIMIC, "constraint_mimic_joint0", "int", F.JOINT),
    _spec(F.CONSTRAINT_MIMIC, "constraint_mimic_joint1", "int", F.JOINT),
    *_group(F.CONSTRAINT_MIMIC, "constraint_mimic", coef0="float", coef1="float", enabled="bool"),
)

COLUMNS: dict[str, ColumnSpec] = {spec.name: spec for spec in _SPECS}
"""Every column, by name."""

COUNTED_BY: dict[F, str] = {
    F.BODY: "body_mass",
    F.SHAPE: "shape_type",
    F.JOINT: "joint_type",
    F.JOINT_COORD: "joint_q",
    F.JOINT_DOF: "joint_qd",
    F.JOINT_CONSTRAINT: "joint_cts",
    F.ARTICULATION: "articulation_start",
    F.CONSTRAINT_MIMIC: "constraint_mimic_joint0",
}
"""The column whose length is the number of entities of a kind."""


class Column(Generic[Item]):
    """A list of numbers, vectors or matrices in one growing numpy array."""

    __slots__ = ("_data", "_size", "spec")

    def __init__(self, spec: ColumnSpec, values: Any = ()) -> None:
        self.spec = spec
        self._data = np.empty((0, *spec.shape), dtype=spec.storage)
        self._size = 0
        self.extend(values)

    @property
    def array(self) -> np.ndarray:
        """The values as an array that shares memory with the column until the column grows."""
        return self._data[: self._size]

    def _reserve(self, size: int) -> None:
        if size > len(self._data):
            grown = np.empty((max(size, 2 * len(self._data), 16), *self.spec.shape), dtype=self.spec.storage)
            grown[: self._size] = self._data[: self._size]
            self._data = grown

    def _rows(self, values: Any) -> np.ndarray:
        if not isinstance(values, np.ndarray):
            values = values.array if isinstance(values, Column) else list(values)
        try:
            return np.array(values, dtype=self.spec.storage).reshape(-1, *self.spec.shape)
        except _NO_NUMBERS:
            size = int(np.prod(self.spec.shape, dtype=int))
            raise ModelError(problem(f"builder.{self.spec.name}", repr(values)[:80], f"{size} number(s) for each row", "correct it")) from None

    def append(self, value: Any) -> None:
        """Add one row."""
        self._reserve(self._size + 1)
        try:
            self._data[self._size] = value
        except _NO_NUMBERS:
            self._data[self._size] = self._rows([value])[0]
        self._size += 1

    def extend(self, values: Any) -> None:
        """Add several rows."""
        ready = isinstance(values, np.ndarray) and values.dtype == self.spec.storage
        rows = values.reshape(-1, *self.spec.shape) if ready else self._rows(values)
        self._reserve(self._size + len(rows))
        self._data[self._size : self._size + len(rows)] = rows
        self._size += len(rows)

    def adopt(self, rows: np.ndarray) -> None:
        """Add rows of the stored type; an empty column takes over the array itself, which nobody else may hold."""
        rows = rows.reshape(-1, *self.spec.shape)
        if self._size or rows.dtype != self.spec.storage or not rows.flags.writeable:
            self.extend(rows)
        else:
            self._data, self._size = rows, len(rows)

    def clear(self) -> None:
        """Remove all rows."""
        self._size = 0

    def copy(self) -> list[Item]:
        """Return the rows as a list."""
        return list(self)

    def tolist(self) -> list[Any]:
        """Return the rows as nested lists of numbers."""
        return self.array.tolist()

    def index(self, value: Any) -> int:
        """Return the first row equal to ``value``."""
        return list(self).index(value)

    @overload
    def __getitem__(self, index: slice) -> list[Item]: ...
    @overload
    def __getitem__(self, index: SupportsIndex) -> Item: ...
    def __getitem__(self, index: Any) -> Any:
        item = self.spec.item
        if isinstance(index, slice):
            return [item(value) for value in self.array[index]]
        return item(self.array[index])

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(index, slice):
            rows = self._rows(value)
            wanted = len(range(*index.indices(self._size)))
            if len(rows) != wanted:
                given = f"{len(rows)} values for {wanted} rows"
                raise ModelError(problem(f"builder.{self.spec.name}", given, "one value a row", "rows are added by add_* methods"))
            self.array[index] = rows
        else:
            self.array[index] = self._rows([value])[0]

    def __len__(self) -> int:
        return self._size

    def __bool__(self) -> bool:
        return self._size > 0

    def __iter__(self) -> Iterator[Item]:
        item = self.spec.item
        return (item(value) for value in self.array)

    def __contains__(self, value: Any) -> bool:
        return any(value == mine for mine in self)

    def __add__(self, other: Any) -> list[Item]:
        return list(self) + list(other)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, (Column, list, tuple, np.ndarray)):
            return len(self) == len(other) and all(np.array_equal(a, b) for a, b in zip(self, other))
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.array, dtype=dtype)

    def __repr__(self) -> str:
        return f"{self.spec.name}{self.tolist()!r}"


class ColumnAttribute:
    """Shows a column as a builder's attribute; assigning a sequence replaces the column's values."""

    def __init__(self, spec: ColumnSpec) -> None:
        self.spec = spec

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else instance._columns[self.spec.name]

    def __set__(self, instance: Any, values: Any) -> None:
        instance._columns[self.spec.name] = new_column(self.spec, values)


def new_column(spec: ColumnSpec, values: Any = ()) -> Column | list[Any]:
    """Return a column for ``spec`` with the given values."""
    return list(values) if spec.storage is None else Column(spec, values)
