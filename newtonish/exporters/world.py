"""One world of compiled arrays as the writer sees it: values, names of objects, and what cannot be written."""

from __future__ import annotations

from typing import Any

import numpy as np
from lxml import etree

from newtonish.convert import CompiledModel
from newtonish.errors import problem

__all__ = ["CompiledWorld", "add", "text_of"]

_KINDS = {
    "body": "nbody", "jnt": "njnt", "geom": "ngeom", "site": "nsite", "cam": "ncam", "light": "nlight", "actuator": "nactuator",
    "tendon": "ntendon", "sensor": "nsensor", "eq": "neq", "key": "nkey",
    "mesh": "nmesh", "mat": "nmat", "tex": "ntex", "numeric": "nnumeric", "text": "ntext", "tuple": "ntuple",
    "plugin": "nplugin",
}  # fmt: skip
"""Kinds of objects with names, and how many there are."""

_UNREFERRED = ("sensor", "eq", "key", "light")
"""Kinds that nothing refers to, so that they may go without a name."""

_FORBIDDEN = {ord(c): "_" for c in map(chr, range(32))}


GREY = np.array([0.5, 0.5, 0.5, 1.0], dtype=np.float32)


class CompiledWorld:
    """The arrays of one world, by MuJoCo's names.

    Attributes:
        names: Kind of object -> a name for each, unlike all others of its kind.
        empty: Geoms that this world does not have: others have more meshes on a body.
        problems: Four-part lines, one for each thing that MJCF has no words for.
        looks: Whether materials and looks are written too.
    """

    def __init__(self, compiled: CompiledModel, world: int, looks: bool = True) -> None:
        self.compiled, self.index, self.looks = compiled, world, looks
        self.names = {kind: _distinct(kind, list(getattr(compiled, f"{kind}_names", [])), getattr(compiled, size)) for kind, size in _KINDS.items()}
        self.names["body"][0] = "world"
        self.problems: list[str] = []
        maps = compiled.maps
        self.empty = set() if maps is None else set(np.flatnonzero(maps.geom_empty[world]).tolist())

    def __getattr__(self, name: str) -> Any:
        """The values of a field in this world, or a size."""
        return self.compiled.world(name, self.index)

    def user(self, kind: str, i: int) -> Any:
        """User data of an object; None for none."""
        numbers = getattr(self, f"{kind}_user")[i]
        return numbers if np.any(numbers) else None

    def material(self, kind: str, i: int) -> str | None:
        """Name of an object's material; None for none."""
        number = int(getattr(self, f"{kind}_matid")[i]) if self.looks else -1
        return self.names["mat"][number] if number >= 0 else None

    def colour(self, kind: str, i: int) -> np.ndarray:
        """Colour of a geom or site; where materials are not written that of its material, if it says nothing itself."""
        own, number = getattr(self, f"{kind}_rgba")[i], int(getattr(self, f"{kind}_matid")[i])
        plain = not self.looks and 0 <= number < self.nmat and np.array_equal(own, GREY)
        return self.mat_rgba[number] if plain else own

    def option(self, name: str) -> Any:
        """An option in this world."""
        return self.compiled.batched[name][self.index] if name in self.compiled.batched else getattr(self.compiled.opt, name)

    def refuse(self, what: str, given: str, allowed: str, remedy: str) -> None:
        """Note something that cannot be written."""
        self.problems.append(problem(what, given, allowed, remedy))


def _distinct(kind: str, names: list[str], count: int) -> list[Any]:
    """A name for each of ``count`` objects: the given ones where they are not empty and stand for the first time.

    None stands for a name that is not needed.
    """
    taken = {str(name) for name in names} | ({"world"} if kind == "body" else set())
    seen: set[str] = set()
    result: list[Any] = []
    for i in range(count):
        name = str(names[i]).translate(_FORBIDDEN) if i < len(names) else ""
        if not name and kind in _UNREFERRED:
            result.append(None)
            continue
        if not name or name in seen:
            stem, number = name or f"{kind}{i}", 1
            name = stem
            while name in taken or name in seen:
                number += 1
                name = f"{stem}_{number}"
        seen.add(name)
        result.append(name)
    return result


def polynomial(first: float, rest: np.ndarray) -> list[float]:
    """A stiffness or damping with those of higher order, which are left out where there are none: many readers know one number."""
    return [float(first), *rest] if np.any(rest) else [float(first)]


def text_of(value: Any) -> str:
    """A value as MJCF writes it; numbers with the fewest digits that read back as the same number of their precision."""
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    array = np.asarray(value)
    if array.dtype.kind != "f":
        return " ".join(map(str, array.ravel().tolist()))
    return " ".join(_digits(x) for x in array.ravel())


def _digits(x: np.floating) -> str:
    """The shortest text of a number, whole ones without a point."""
    return str(int(x)) if abs(x) < 1e15 and float(x).is_integer() else str(x)


def add(parent: etree._Element, tag: str, **attributes: Any) -> etree._Element:
    """Append an element; attributes that are None are left out, and a trailing ``_`` of a name is taken off."""
    element = etree.SubElement(parent, tag)
    for name, value in attributes.items():
        if value is not None:
            element.set(name.rstrip("_"), text_of(value))
    return element
