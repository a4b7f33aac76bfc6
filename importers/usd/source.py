"""Access to a stage's prims that remembers what was read, so that what nobody read can be listed.

Values come out as plain numbers, lists and text. An attribute counts as given only when it is authored: fallback values are
those of whoever asks, since the schemas of ``mjc:*`` and ``newton:*`` need not be installed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from pxr import Gf, Sdf, Usd, UsdGeom

from newtonish.importers.diagnostics import Diagnostics, Location

__all__ = ["Source"]

PHYSICS = ("physics", "drive", "limit", "state", "mjc", "newton", "collection")
"""Namespaces of attributes that change physics; ``physx*`` besides."""
SILENT = ("xformOp", "primvars", "inputs", "outputs", "material", "info", "ui", "node", "extentsHint", "proxyPrim")
"""Namespaces that never do."""


class Source:
    """One stage.

    Args:
        stage: The open stage.
        log: Takes problems.
        root: Only prims at this path and below count.
        ignore: Regular expressions; prims whose path starts with a match are left out with all below them.

    Attributes:
        length: Metres in the stage's unit of length.
        mass: Kilograms in its unit of mass.
        up: Its up axis, ``Y`` or ``Z``.
        prims: The prims that count, in the order of the stage.
        order: Place of each prim in that order, by path.
    """

    def __init__(self, stage: Any, log: Diagnostics, root: str = "/", ignore: Sequence[str] = ()) -> None:
        self.stage, self.log = stage, log
        self.length = float(UsdGeom.GetStageMetersPerUnit(stage))
        self.mass = float(stage.GetMetadata("kilogramsPerUnit") or 1.0) if stage.HasMetadata("kilogramsPerUnit") else 1.0
        self.up = str(UsdGeom.GetStageUpAxis(stage))
        self._time = Usd.TimeCode.EarliestTime()
        self._worlds = UsdGeom.XformCache(self._time)
        self._used: dict[str, set[str]] = {}
        self._apis: dict[str, frozenset[str]] = {}
        self.prims = list(self._walk(root, [re.compile(text) for text in ignore]))
        self.order = {str(prim.GetPath()): number for number, prim in enumerate(self.prims)}

    def _walk(self, root: str, ignore: list[re.Pattern[str]]) -> Any:
        """Yield the prims that count; those inside instances by way of their proxies."""
        start = self.stage.GetPrimAtPath(root)
        if not start:
            self.log.problem(Location(root), "add_usd, root_path", f"'{root}'", "the path of a prim of the stage", "check it")
            return
        prims = iter(Usd.PrimRange(start, Usd.TraverseInstanceProxies()))
        for prim in prims:
            if any(pattern.match(str(prim.GetPath())) for pattern in ignore):
                prims.PruneChildren()
            elif not prim.IsPseudoRoot():
                yield prim

    @staticmethod
    def place(prim: Any) -> Location:
        """Where a message points to."""
        return Location(str(prim.GetPath()))

    def problem(self, prim: Any, what: str, given: str, allowed: str, remedy: str) -> None:
        """Note an error of one attribute of a prim."""
        self.log.problem(self.place(prim), what, given, allowed, remedy)

    def counts(self, path: Any) -> bool:
        """Whether a prim is among those that count."""
        return str(path) in self.order

    def apis(self, prim: Any) -> frozenset[str]:
        """Names of the schemas applied to a prim, known to the library or not."""
        key = str(prim.GetPath())
        found = self._apis.get(key)
        if found is None:
            listed = prim.GetMetadata("apiSchemas")
            names = list(listed.GetAppliedItems()) if listed else []
            found = self._apis[key] = frozenset([*names, *prim.GetAppliedSchemas()])
        return found

    def use(self, prim: Any, *names: str) -> None:
        """Note that properties are taken care of."""
        self._used.setdefault(str(prim.GetPath()), set()).update(names)

    def given(self, prim: Any, name: str) -> bool:
        """Whether an attribute or a relationship has an opinion."""
        attribute = prim.GetAttribute(name)
        if attribute:
            return attribute.HasAuthoredValue()
        relation = prim.GetRelationship(name)
        return bool(relation) and relation.HasAuthoredTargets()

    def get(self, prim: Any, name: str, default: Any = None) -> Any:
        """Value of an attribute as plain numbers, ``default`` where it is not authored."""
        value = self.raw(prim, name)
        return default if value is None else _plain(value)

    def raw(self, prim: Any, name: str) -> Any:
        """Value of an attribute as the library gives it, None where it is not authored."""
        self.use(prim, name)
        attribute = prim.GetAttribute(name)
        return attribute.Get(self._time) if attribute and attribute.HasAuthoredValue() else None

    def samples(self, prim: Any, name: str) -> list[tuple[float, list[float]]]:
        """Times and values of an attribute; one at time zero where it does not vary, none where it is not authored."""
        self.use(prim, name)
        attribute = prim.GetAttribute(name)
        if not attribute or not attribute.HasAuthoredValue():
            return []
        times = attribute.GetTimeSamples()
        return [(float(t), _plain(attribute.Get(t))) for t in times] or [(0.0, _plain(attribute.Get()))]

    def number(self, prim: Any, name: str, default: float | None = None) -> float | None:
        """A number; one that is none is a problem."""
        value = self.get(prim, name, default)
        if value is default:
            return default
        if isinstance(value, (int, float)) and not np.isnan(value):
            return float(value)
        self.problem(prim, name, str(value), "a number", "correct it")
        return default

    def targets(self, prim: Any, name: str) -> list[Any]:
        """Paths that a relationship leads to."""
        self.use(prim, name)
        relation = prim.GetRelationship(name)
        return list(relation.GetForwardedTargets()) if relation else []

    def world(self, prim: Any) -> np.ndarray:
        """Matrix (4, 4), for columns, from a prim's space to that of the stage, in the stage's unit."""
        return np.array(self._worlds.GetLocalToWorldTransform(prim), dtype=np.float64).T

    def report_unread(self) -> None:
        """List what is authored in the namespaces of physics and was not read."""
        for prim in self.prims:
            used = self._used.get(str(prim.GetPath()), ())
            for item in prim.GetAuthoredProperties():
                name = item.GetName()
                space, colon, _ = name.partition(":")
                if not colon or name in used or space in SILENT or _is_empty(item):
                    continue
                physical = space in PHYSICS or space.startswith("physx")
                self.log.ignored(f"unread {name}", self.place(prim), name, "is authored and not read", warn=physical)


def _is_empty(item: Any) -> bool:
    """Whether a property is declared without an opinion."""
    if isinstance(item, Usd.Relationship):
        return not item.HasAuthoredTargets()
    return not item.HasAuthoredValue()


def _plain(value: Any) -> Any:
    """Turn the library's types into numbers, lists and text; quaternions become w, x, y, z."""
    if isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (Gf.Quatf, Gf.Quatd, Gf.Quath)):
        return [float(value.GetReal()), *(float(v) for v in value.GetImaginary())]
    if isinstance(value, Sdf.AssetPath):
        return value.path
    try:
        return [_plain(item) for item in value]
    except TypeError:
        return value
