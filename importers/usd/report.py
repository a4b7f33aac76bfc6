"""What became of every prim and every authored property of a stage."""

from __future__ import annotations

from collections.abc import Iterable

from newtonish.diagnostics import Content, Diagnostics, Location
from newtonish.importers.usd.newton_schemas import UNREAD
from newtonish.importers.usd.source import SILENT, Source, is_empty

__all__ = ["StageLog", "tally"]

FOLDERS = ("", "Xform", "Scope", "Material", "Shader", "NodeGraph", "GeomSubset", "PointInstancer")
"""Types of prims that are places, or that others are made with; materials count by what uses them."""
LOOKS = ("Material", "Shader", "NodeGraph", "GeomSubset")
NO_EFFECT = "has no effect here"
SECTIONS = (("Physics", "UsdPhysics"), ("Mjc", "mjc"), ("Newton", "newton"), ("Physx", "physx"))


class StageLog(Diagnostics):
    """Diagnostics of a stage, where a place is a prim: what is said of one property is not said of the others.

    Attributes:
        said: What became of a prim, or of one of its properties, by path and name.
        read: Whether all prims have been read; of those that something was wrong with, and of what they stand in, no more is said then,
            as it would only follow from that.
    """

    def __init__(self, source: str) -> None:
        super().__init__(source)
        self.said: dict[tuple[str, str], tuple[str, str]] = {}
        self.read = False

    def problem(self, location: Location | None, subject: str, given: str, allowed: str, remedy: str) -> None:
        """See :meth:`Diagnostics.problem`."""
        if self.read and location is not None and any(place is not None and f"{place.file}/".startswith(f"{location.file}/") for place, _ in self.problems):
            return
        super().problem(location, subject, given, allowed, remedy)

    def ignored(self, kind: str, location: Location | None, subject: str, note: str, warn: bool = True) -> None:
        """See :meth:`Diagnostics.ignored`."""
        super().ignored(kind, location, subject, note, warn)
        self._say(location, subject, "ignored", note)

    def approximated(self, kind: str, location: Location | None, subject: str, note: str) -> None:
        """See :meth:`Diagnostics.approximated`."""
        super().approximated(kind, location, subject, note)
        self._say(location, subject, "approximated", note)

    def _say(self, location: Location | None, subject: str, fate: str, note: str) -> None:
        if location is not None:
            path = location.file
            own = subject == path or subject.endswith(f"'{path}'")
            self.said[path, "" if own else subject] = (fate, note)


def tally(source: Source, made: Iterable[str], log: StageLog) -> list[Content]:
    """Return one line for each property of each type of prim, with its fate and all its places.

    A line's ``section`` is the family of the prim's type, its ``element`` the type, its ``attribute`` the name of a property or of an
    applied schema, empty for the prim itself.

    Args:
        source: The stage, read.
        made: Paths of the prims that something in the builder was made of.
        log: What was said of prims and properties.
    """
    kept = set(made)
    lines: dict[tuple[str, str, str, str, str], list[Location]] = {}
    for prim in source.prims:
        path, kind = source.path(prim), source.kind(prim)
        place = Location(path)
        section = _section(kind)
        fate = log.said.get((path, ""))
        if fate is None:
            fate = ("kept", "") if path in kept or (kind in FOLDERS and kind not in LOOKS) else _left_out(kind)
        lines.setdefault((section, kind or "prim", "", *fate), []).append(place)
        if fate[0] == "ignored":
            continue
        for name in sorted(source.schemas_read(prim)):
            lines.setdefault((section, kind or "prim", name, "kept", ""), []).append(place)
        read, unread = source.properties(prim)
        for name in (*read, *unread):
            own = log.said.get((path, name))
            if own is None:
                known = name in read or name.startswith("xformOp")
                own = ("kept", "") if known else ("ignored", NO_EFFECT if name.partition(":")[0] in SILENT or ":" not in name else UNREAD)
            if own[0] != "kept" or not is_empty(prim.GetProperty(name)):
                lines.setdefault((section, kind or "prim", name, *own), []).append(place)
    return [Content(*key, places) for key, places in lines.items()]


def _section(kind: str) -> str:
    """The family of schemas that a type belongs to."""
    for start, section in SECTIONS:
        if kind.startswith(start):
            return section
    if kind in LOOKS:
        return "UsdShade"
    return "UsdLux" if kind.endswith("Light") else "UsdGeom"


def _left_out(kind: str) -> tuple[str, str]:
    """What is said of a prim that nothing was made of."""
    return ("ignored", "nothing in the model uses it") if kind in LOOKS else ("ignored", "left out")
