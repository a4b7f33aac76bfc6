"""Access to a stage's prims that remembers what was read, so that what nobody read can be listed.

Values come out as plain numbers, lists and text. An attribute counts as given only when it is authored: fallback values are
those of whoever asks, since the schemas of ``mjc:*`` and ``newton:*`` need not be installed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple, overload

import numpy as np
from pxr import Gf, Sdf, Usd, UsdGeom

from newtonish.diagnostics import Diagnostics, Location
from newtonish.importers import frames
from newtonish.importers.usd.newton_schemas import APPLIED_WITH, reason
from newtonish.importers.usd.runtime import prims_below

__all__ = ["SILENT", "Source", "is_empty"]

PHYSICS = ("physics", "drive", "limit", "state", "mjc", "newton", "newtonish", "collection")
"""Namespaces of attributes that change physics; ``physx*`` besides."""
DIALECTS = ("mjc:", "newton:", "physx", "state:")
"""Beginnings of the names of attributes that belong to a dialect."""
ANYWHERE = ("physics:filteredPairs",)
"""Properties that are looked for on every prim."""
SILENT = ("xformOp", "primvars", "inputs", "outputs", "material", "info", "ui", "node", "extentsHint", "proxyPrim")
"""Namespaces that never do."""


NUMERIC = ("physics:", "newton:", "drive:", "limit:", "state:")
"""Beginnings of the names of attributes that are numbers, but for ``TEXTS``."""
TEXTS = (":axis", ":approximation", ":mergeGroup", ":massModel", ":type")
"""Ends of the names of those that are words."""


class _Facts(NamedTuple):
    """Path and type of a prim, names of the properties that are authored, of the schemas applied to it, and of the properties that were read."""

    path: str
    kind: str
    authored: frozenset[str]
    mjc: bool
    dialects: bool
    apis: frozenset[str]
    used: set[str]


class Source:
    """One stage.

    Args:
        stage: The open stage.
        log: Takes problems.
        root: Only prims at this path and below count.
        ignore: Regular expressions; prims whose path starts with a match are left out with all below them.
        skip: Paths of prims that are left out likewise.

    Attributes:
        length: Metres in the stage's unit of length.
        mass: Kilograms in its unit of mass.
        up: Its up axis, ``Y`` or ``Z``.
        prims: The prims that count, in the order of the stage.
        order: Place of each prim in that order, by path.
    """

    def __init__(self, stage: Any, log: Diagnostics, root: str = "/", ignore: Sequence[str] = (), skip: frozenset[str] = frozenset()) -> None:
        self.stage, self.log = stage, log
        self.length = float(UsdGeom.GetStageMetersPerUnit(stage))
        self.mass = float(stage.GetMetadata("kilogramsPerUnit") or 1.0) if stage.HasMetadata("kilogramsPerUnit") else 1.0
        self.up = str(UsdGeom.GetStageUpAxis(stage))
        self._time = Usd.TimeCode.EarliestTime()
        self._worlds = UsdGeom.XformCache(self._time)
        self._known: dict[Any, _Facts] = {}
        self._moved: dict[str, np.ndarray] = {}
        self.prims = list(self._walk(root, [re.compile(text) for text in ignore], skip))
        self.order: dict[str, int] = {}
        self._of: dict[str, list[int]] = {}
        self._having: dict[str, list[int]] = {}
        self._authoring: dict[str, list[int]] = {}
        self._index()

    def _walk(self, root: str, ignore: list[re.Pattern[str]], skip: frozenset[str]) -> Any:
        """Yield the prims that count; those inside instances by way of their proxies."""
        start = self.stage.GetPrimAtPath(root)
        if not start:
            self.log.problem(Location(root), "add_usd, root_path", f"'{root}'", "the path of a prim of the stage", "check it")
            return
        prims = iter(prims_below(start))
        for prim in prims:
            if (skip or ignore) and (str(prim.GetPath()) in skip or any(pattern.match(str(prim.GetPath())) for pattern in ignore)):
                prims.PruneChildren()
            elif not prim.IsPseudoRoot():
                yield prim

    def _index(self) -> None:
        """Gather the prims by type, by applied schema, and by the few properties that any prim may have."""
        for number, prim in enumerate(self.prims):
            facts = self._facts(prim)
            self.order[facts.path] = number
            self._of.setdefault(facts.kind, []).append(number)
            for name in facts.apis:
                self._having.setdefault(name, []).append(number)
            for name in ANYWHERE:
                if name in facts.authored:
                    self._authoring.setdefault(name, []).append(number)

    def of(self, *kinds: str) -> list[Any]:
        """The prims of some types, in the order of the stage."""
        return self._numbered(self._of, kinds)

    def having(self, *schemas: str) -> list[Any]:
        """The prims that any of some schemas is applied to, in the order of the stage."""
        return self._numbered(self._having, schemas)

    def authoring(self, name: str) -> list[Any]:
        """The prims that have an opinion on a property, one of :data:`ANYWHERE`."""
        return self._numbered(self._authoring, (name,))

    def _numbered(self, index: dict[str, list[int]], names: Sequence[str]) -> list[Any]:
        return [self.prims[number] for number in sorted({number for name in names for number in index.get(name, ())})]

    def path(self, prim: Any) -> str:
        """Path of a prim."""
        return self._facts(prim).path

    def kind(self, prim: Any) -> str:
        """Name of the type of a prim, empty for none."""
        return self._facts(prim).kind

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

    def _facts(self, prim: Any) -> _Facts:
        """What is known of a prim; it is asked for dozens of attributes of which it has a few."""
        found = self._known.get(prim)
        if found is None:
            names = frozenset(prim.GetAuthoredPropertyNames())
            found = self._known[prim] = _Facts(
                str(prim.GetPath()),
                str(prim.GetTypeName()),
                names,
                any(name.startswith("mjc:") for name in names),
                any(name.startswith(DIALECTS) for name in names),
                _apis(prim),
                set(),
            )
        return found

    def apis(self, prim: Any) -> frozenset[str]:
        """Names of the schemas applied to a prim, known to the library or not."""
        return self._facts(prim).apis

    def speaks_mjc(self, prim: Any) -> bool:
        """Whether a prim has any attribute of ``mjc:*``."""
        return self._facts(prim).mjc

    def speaks(self, prim: Any) -> bool:
        """Whether a prim has any attribute of the dialects besides UsdPhysics."""
        return self._facts(prim).dialects

    def schemas_read(self, prim: Any) -> set[str]:
        """Names of the applied schemas that something is read of."""
        return {name for name in self._facts(prim).apis if name.startswith(("Physics", "Mjc", "Newton", "Physx", "MaterialBinding", "Collection"))}

    def properties(self, prim: Any) -> tuple[list[str], list[str]]:
        """Names of the authored properties of a prim: those that were read, and the others."""
        facts = self._facts(prim)
        return sorted(facts.authored & facts.used), sorted(facts.authored - facts.used)

    def authored(self, prim: Any) -> frozenset[str]:
        """Names of the properties that are authored on a prim."""
        return self._facts(prim).authored

    def use(self, prim: Any, *names: str) -> None:
        """Note that properties are taken care of."""
        self._facts(prim).used.update(names)

    def given(self, prim: Any, name: str) -> bool:
        """Whether an attribute or a relationship has an opinion."""
        if name not in self._facts(prim).authored:
            return False
        attribute = prim.GetAttribute(name)
        if attribute:
            return attribute.HasAuthoredValue()
        relation = prim.GetRelationship(name)
        return bool(relation) and relation.HasAuthoredTargets()

    def get(self, prim: Any, name: str, default: Any = None) -> Any:
        """Value of an attribute as plain numbers, ``default`` where it is not authored."""
        value = self.raw(prim, name)
        if value is None:
            return default
        value = _plain(value)
        if not _is_plain(value) or (name.startswith(NUMERIC) and not name.endswith(TEXTS) and _has_text(value)):
            self.problem(
                prim,
                name,
                f"{str(value)[:100]!r}, of type {prim.GetAttribute(name).GetTypeName()}",
                "a number, or as many as the schema says",
                "correct its type",
            )
            return default
        return value

    def raw(self, prim: Any, name: str) -> Any:
        """Value of an attribute as the library gives it, None where it is not authored."""
        facts = self._facts(prim)
        if name not in facts.authored:
            return None
        facts.used.add(name)
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

    @overload
    def number(self, prim: Any, name: str, default: float) -> float: ...

    @overload
    def number(self, prim: Any, name: str, default: None = None) -> float | None: ...

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
        facts = self._facts(prim)
        if name not in facts.authored:
            return []
        facts.used.add(name)
        relation = prim.GetRelationship(name)
        return list(relation.GetForwardedTargets()) if relation else []

    def move(self, path: str, frame: tuple[np.ndarray, np.ndarray]) -> None:
        """Let everything at a prim and below it stand as if this frame on the stage, in its unit, were the origin."""
        matrix = np.eye(4)
        matrix[:3, :3] = frames.to_matrix(frame[1]).T
        matrix[:3, 3] = -matrix[:3, :3] @ frame[0]
        self._moved[f"{path}/"] = matrix

    def moved(self, path: str) -> np.ndarray | None:
        """Matrix (4, 4) by which what stands at a path was moved, None for none."""
        return next((matrix for above, matrix in self._moved.items() if f"{path}/".startswith(above)), None)

    def world(self, prim: Any) -> np.ndarray:
        """Matrix (4, 4), for columns, from a prim's space to that of the stage, in the stage's unit."""
        matrix = np.array(self._worlds.GetLocalToWorldTransform(prim), dtype=np.float64).T
        moved = self.moved(str(prim.GetPath())) if self._moved else None
        return matrix if moved is None else moved @ matrix

    def report_unread(self, left_out: set[str]) -> None:
        """List what is authored in the namespaces of physics and was not read; prims that are left out are listed as such."""
        for prim in self.prims:
            facts = self._facts(prim)
            if facts.path in left_out:
                continue
            for name in sorted(facts.authored - facts.used):
                space, colon, _ = name.partition(":")
                if not colon or space in SILENT or is_empty(prim.GetProperty(name)):
                    continue
                physical = space in PHYSICS or space.startswith("physx")
                kind = f"unread {name if physical else space}"
                self.log.ignored(kind, self.place(prim), name, reason(name), warn=physical)


def _apis(prim: Any) -> frozenset[str]:
    """Names of the schemas applied to a prim; the library tells only those it knows."""
    listed = prim.GetMetadata("apiSchemas")
    found = {*(listed.GetAppliedItems() if listed else ()), *prim.GetAppliedSchemas()}
    return frozenset(found.union(*(APPLIED_WITH[name] for name in found if name in APPLIED_WITH)))


def is_empty(item: Any) -> bool:
    """Whether a property is declared without an opinion."""
    if isinstance(item, Usd.Relationship):
        return not item.HasAuthoredTargets()
    return not (isinstance(item, Usd.Attribute) and item.HasAuthoredValue())  # a damaged layer may say of neither


def _is_plain(value: Any) -> bool:
    """Whether ``_plain`` knew what a value is."""
    if isinstance(value, list):
        return all(_is_plain(item) for item in value)
    return isinstance(value, (bool, int, float, str))


def _has_text(value: Any) -> bool:
    return any(_has_text(item) for item in value) if isinstance(value, list) else isinstance(value, str)


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
