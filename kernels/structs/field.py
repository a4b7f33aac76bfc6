"""Declaring groups of device arrays as data: one line a field, with its shape and its meaning.

A group becomes one ``wp.struct`` that kernels take as an argument. From the same lines come the allocation, the flat
names (``m.body_parentid``, ``d.qpos``), the views over slices of the world axis and the generated reference page.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from typing import Any

import warp as wp

vec5 = wp.types.vector(length=5, dtype=wp.float32)
vec6 = wp.types.vector(length=6, dtype=wp.float32)
vec10 = wp.types.vector(length=10, dtype=wp.float32)
vec12 = wp.types.vector(length=12, dtype=wp.float32)
vec8d = wp.types.vector(length=8, dtype=wp.float64)


@dataclass(frozen=True)
class Field:
    """One array of a group, or one integer if ``dims`` is None."""

    name: str
    dtype: Any
    dims: tuple[str | int, ...] | None  # names of sizes, without the world axis
    doc: str
    per_world: bool = True  # has a world axis in front (of length 1 or nworld in a Model)
    flat: str | None = None  # MuJoCo's flat name where it differs from prefix + name
    on_host: bool = False  # in memory of the host, which it reads without waiting for the device
    scratch: bool = False  # of one world at a time on a CPU, where kernels use the first entry only (math/world.py, scratch_slot)

    @property
    def ndim(self) -> int:
        return len(self.dims or ()) + int(self.per_world)


@dataclass(frozen=True)
class Group:
    """A named group of fields and the ``wp.struct`` made of it."""

    name: str  # attribute of Model or Data
    prefix: str  # what MuJoCo puts in front of the fields' names
    fields: tuple[Field, ...]
    struct: Any

    def flat_name(self, field: Field) -> str:
        return field.flat or self.prefix + field.name


def scalar(name: str, doc: str, flat: str | None = None, dtype: Any = wp.int32) -> Field:
    """A number passed by value, the same for all worlds."""
    return Field(name, dtype, None, doc, per_world=False, flat=flat)


def index(name: str, *dims: str | int, doc: str, dtype: Any = wp.int32, flat: str | None = None) -> Field:
    """An array that describes structure, shared by all worlds."""
    return Field(name, dtype, dims, doc, per_world=False, flat=flat)


def signal(name: str, doc: str) -> Field:
    """A number that kernels write and the host reads at any time, without waiting for the device."""
    return Field(name, wp.int32, (1,), doc, per_world=False, on_host=True)


def value(name: str, dtype: Any, *dims: str | int, doc: str, flat: str | None = None) -> Field:
    """An array with a world axis in front."""
    return Field(name, dtype, dims, doc, flat=flat)


def scratch(name: str, dtype: Any, *dims: str | int, doc: str, flat: str | None = None) -> Field:
    """As ``value``, for what nothing reads after the kernel that wrote it; see ``scratch_slot`` in kernels/math/world.py."""
    return Field(name, dtype, dims, doc, flat=flat, scratch=True)


def group(type_name: str, name: str, prefix: str, fields: list[Field], **derived: property) -> Group:
    """Build the ``wp.struct`` of a list of fields; ``derived`` are properties that the host reads beside them."""
    annotations = {f.name: f.dtype if f.dims is None else wp.array(dtype=f.dtype, ndim=f.ndim) for f in fields}
    doc = f"Arrays ``{name}``: " + ", ".join(f.name for f in fields) + "."
    found = lambda struct, key: _find(struct, name, key)  # noqa: E731
    cls = type(type_name, (), {"__annotations__": annotations, "__module__": __name__, "__doc__": doc, "__call__": found, **derived})
    return Group(name, prefix, tuple(fields), wp.struct(cls))


def own(struct: Any, owner: Any) -> Any:
    """``struct``, which then finds objects by name in ``owner`` when it is called: ``m.body("torso")``."""
    struct.__dict__["_owner"] = weakref.ref(owner)
    return struct


def _find(struct: Any, name: str, key: int | str) -> Any:
    owner = struct.__dict__.get("_owner", lambda: None)()
    if owner is None:
        raise TypeError(f"{name}: got a call on a group without a Model or Data; allowed: one that lives; call m.{name}(...) on the Model itself.")
    return owner.find(name, key)


def variant(group: Group, given: Any, **changes: Any) -> Any:
    """A struct of ``group`` like ``given`` but for some fields; arrays are shared."""
    result = group.struct()
    for f in group.fields:
        setattr(result, f.name, changes.get(f.name, getattr(given, f.name)))
    return result
