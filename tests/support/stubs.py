"""The stubs that tell editors and type checkers of attributes that come from tables: ``python tests/support/stubs.py`` writes them.

Attributes of ``ModelBuilder`` and ``Model`` come from the columns of ``newtonish.model.tables``, those of ``mjw.Model`` and ``mjw.Data`` from the
fields of ``newtonish.kernels.structs``, those of compiled models from ``newtonish.common.compiled_fields``. Each has a base class without content, whose stub says
what there is.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import warp as wp
from paths import REPO

import newtonish
from newtonish import mjw
from newtonish.common.compiled_fields import FIELDS, SIZES
from newtonish.kernels.structs.container import Data, Model
from newtonish.kernels.structs.data import DATA_GROUPS
from newtonish.kernels.structs.field import Field, Group
from newtonish.kernels.structs.grouped import Grouped
from newtonish.kernels.structs.host_fields import HOST_FIELD_ENTRIES
from newtonish.kernels.structs.model import MODEL_GROUPS
from newtonish.model.model import COUNT_NAMES
from newtonish.model.tables import COLUMNS, ColumnSpec

HEAD = '''"""{about} Written by tests/support/stubs.py from the tables; do not edit."""

{imports}'''
FLAT_IMPORTS = """from typing import Any, overload

import warp as wp
from numpy.typing import ArrayLike

from newtonish.mjw.by_name import Named
"""
COLUMN_IMPORTS = """from collections.abc import Sequence
from typing import Any, Generic, TypeVar, overload

import warp as wp

from newtonish.model.attributes import AttributeNamespace
from newtonish.model.enums import GeoType, JointType
from newtonish.model.tables import Column
"""
COMPILED = """import numpy as np

DTYPES: dict[str, type]
MINUS_ONE: frozenset[str]
SIZES: tuple[str, ...]
FIELDS: dict[str, tuple[str, tuple[str, ...]]]

def extent(size: str, sizes: object) -> int: ...

class CompiledFields:
"""
NUMPY_KINDS = {"i": "int32", "u": "uint8", "b": "bool", "f": "float64", "s": "float32"}
ARRAY = '''class Array:
    """An array on the device; what NumPy understands may be assigned."""

    @overload
    def __get__(self, owner: None, kind: type) -> Array: ...
    @overload
    def __get__(self, owner: object, kind: type | None = None) -> wp.array: ...
    def __set__(self, owner: object, value: wp.array | ArrayLike) -> None: ...
'''
NUMBERS = '''Item = TypeVar("Item")

class Numbers(Generic[Item]):
    """A column of numbers, vectors or matrices; a sequence of rows may be assigned."""

    @overload
    def __get__(self, owner: None, kind: type) -> Numbers[Item]: ...
    @overload
    def __get__(self, owner: object, kind: type | None = None) -> Column[Item]: ...
    def __set__(self, owner: object, value: Any) -> None: ...

class Objects(Generic[Item]):
    """A column of texts or other objects; a sequence may be assigned."""

    @overload
    def __get__(self, owner: None, kind: type) -> Objects[Item]: ...
    @overload
    def __get__(self, owner: object, kind: type | None = None) -> list[Item]: ...
    def __set__(self, owner: object, value: Sequence[Item]) -> None: ...
'''
CALLED = ("body", "jnt", "geom", "site", "actuator", "tendon", "sensor", "eq", "cam", "light", "ten")
"""Groups that find objects by name."""
SCALARS = {wp.float32: "float", wp.int32: "int", wp.bool: "bool"}


def attribute(name: str, kind: str, doc: str = "") -> list[str]:
    """One attribute of a class."""
    return [f"    {name}: {kind}", *([f'    """{doc}"""'] if doc else [])]


def type_name(dtype: Any) -> str:
    name = dtype.__name__
    return f"vec{dtype._shape_[0]}" if name == "vec_t" else name


def field_lines(name: str, field: Field, kind: str) -> list[str]:
    """One field of a group; ``kind`` is that of arrays."""
    if field.dims is None:
        return attribute(name, "float" if field.dtype in (float, wp.float32) else "int", field.doc)
    shape = ", ".join(["nworld"] * field.per_world + [str(dim) for dim in field.dims])
    return attribute(name, kind, f"({shape}) of {type_name(field.dtype)}: {field.doc}")


def group_class(group: Group, name: str) -> list[str]:
    """A group as a class."""
    kind = "Array" if group.name == "opt" else "wp.array"
    lines = [line for f in group.fields for line in field_lines(f.name, f, kind)]
    return [f"class {name}:", *lines, *(["    def __call__(self, key: int | str) -> Named: ..."] if group.name in CALLED else []), ""]


def fields_class(name: str, kind: type[Grouped], groups: Iterable[Group], names: dict[str, str], more: list[str]) -> list[str]:
    """Model or Data: groups, arrays by their flat names, and attributes beside them."""
    lines = [f"class {name}:"]
    for one in ("version", "nworld", "copies", "first_world"):
        lines += attribute(one, "int")
    lines += attribute("device", "Any")
    for g in groups:
        lines += attribute(g.name, names[g.name])
    for flat, (_, f) in kind.FLAT.items():
        lines += field_lines(flat, f, "Array")
    for one in sorted(kind.ATTRIBUTES - {"copies"}):
        lines += attribute(one, "Any")
    return [*lines, *more, ""]


def options_beside() -> list[str]:
    """Options that no kernel reads, of a model with nothing in it."""
    m, _ = mjw.load("<mujoco/>", device="cpu")
    return [line for name in m.opt.__dict__["_beside"] for line in attribute(name, type(m.opt.__dict__[name]).__name__)]


def flat_stub() -> str:
    """Stub of newtonish.kernels.structs.flat."""
    parts = [HEAD.format(about="Arrays of mjw.Model and mjw.Data.", imports=FLAT_IMPORTS), ARRAY]
    further = [line for name, width, per_world in HOST_FIELD_ENTRIES for line in _further(name, width, per_world)]
    further += [line for name in ("nmesh", "nmeshvert", "nmeshface", "nmat", "nexclude", "nwrap", "nhfielddata", "nM") for line in attribute(name, "int")]
    further += attribute("callback", "Any", "functions of the caller's that a step calls") + attribute("is_sparse", "bool")
    for prefix, kind, groups, more in (("Model", Model, MODEL_GROUPS, further), ("Data", Data, DATA_GROUPS, [])):
        names = {g.name: f"{prefix}{g.name.capitalize()}" for g in groups}
        for g in groups:
            lines = group_class(g, names[g.name])
            parts.append("\n".join([*lines[:-1], *(options_beside() if g.name == "opt" else []), ""]))
        parts.append("\n".join(fields_class(f"{prefix}Fields", kind, groups, names, more)))
    return "\n".join(parts)


def _further(name: str, width: int, per_world: bool) -> list[str]:
    return attribute(name, "Array", f"({'nworld, ' * per_world}n){f' of vec{width}' * (width > 1)}")


def column_kind(spec: ColumnSpec) -> str:
    """Type of a builder's column."""
    if spec.storage is None:
        return "Objects[str]" if spec.name.endswith("_label") else "Objects[Any]"
    if spec.name in ("joint_type", "shape_type"):
        return f"Numbers[{'JointType' if spec.name == 'joint_type' else 'GeoType'}]"
    if not spec.shape:
        return f"Numbers[{SCALARS[spec.dtype]}]"
    empty = spec.item(__import__("numpy").zeros(spec.shape, dtype=spec.storage)) if spec.item else None
    if isinstance(empty, tuple):
        return f"Numbers[tuple[{', '.join([type(empty[0]).__name__] * len(empty))}]]"
    return f"Numbers[wp.{spec.dtype.__name__ if spec.dtype is not wp.transform else 'transform'}]"


def column_doc(spec: ColumnSpec) -> str:
    per = spec.entity.name.lower().replace("_", " ")
    refers = f", a row number of {spec.references.name.lower().replace('_', ' ')}" if spec.references is not None else ""
    return f"One for each {per}{refers}."


def model_lines() -> list[str]:
    """Attributes of a finished Model, as an empty one has them."""
    model = newtonish.ModelBuilder().finalize(device="cpu")
    declared = set(vars(newtonish.Model(device="cpu"))) - set(COUNT_NAMES.values())
    lines = []
    for name, value in sorted(vars(model).items()):
        if name in declared or name.startswith("_"):
            continue
        kind = "wp.array" if isinstance(value, wp.array) else "int" if isinstance(value, int) else "list[str]" if name.endswith("_label") else "list[Any]"
        lines += attribute(name, kind, column_doc(COLUMNS[name]) if name in COLUMNS else "")
    return lines + attribute("mujoco", "AttributeNamespace", "MuJoCo's attributes, where an importer or the caller has declared them.")


def columns_stub() -> str:
    """Stub of newtonish.model.columns."""
    builder = [line for name, spec in COLUMNS.items() for line in attribute(name, column_kind(spec), column_doc(spec))]
    parts = [HEAD.format(about="Columns of ModelBuilder and arrays of Model.", imports=COLUMN_IMPORTS), NUMBERS]
    return "\n".join([*parts, "class BuilderColumns:", *builder, "", "class ModelColumns:", *model_lines(), ""])


def compiled_stub() -> str:
    """Stub of newtonish.common.compiled_fields."""
    lines = [line for name in SIZES for line in attribute(name, "int")]
    for name, (code, shape) in FIELDS.items():
        lines += attribute(name, "np.ndarray", f"({', '.join(shape)}) of {NUMPY_KINDS[code]}")
    return HEAD.format(about="Sizes and arrays of a compiled model.", imports=COMPILED) + "\n".join([*lines, ""])


def stubs() -> dict[Path, str]:
    """Text of each stub by its path."""
    return {
        REPO / "newtonish" / "model" / "columns.pyi": columns_stub(),
        REPO / "kernels" / "structs" / "flat.pyi": flat_stub(),
        REPO / "newtonish" / "common" / "compiled_fields.pyi": compiled_stub(),
    }


if __name__ == "__main__":
    for path, text in stubs().items():
        path.write_text(text, encoding="utf-8")
        print(path.relative_to(REPO))
