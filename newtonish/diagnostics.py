"""Collects what is wrong with a file, and what was kept, approximated or ignored, each with its place in the text.

Problems are gathered and raised together; warnings are issued once per kind, with a count, so that a file with two
hundred sensors warns once. The same facts stand in the :class:`ImportReport` that the builder keeps.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from newtonish.errors import ImporterError, NewtonishWarning, problem, raise_all

__all__ = ["Content", "Diagnostics", "Entry", "ImportReport", "Location"]

MAX_PROBLEMS = 100


class Location(NamedTuple):
    """A place in a text file; line and column count from 1, 0 is unknown."""

    file: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        text = self.file
        if self.line:
            text += f":{self.line}"
            if self.column:
                text += f":{self.column}"
        return text


class Entry(NamedTuple):
    """One line of an import report: where, what, and what became of it; ``quiet`` when nobody was warned."""

    location: Location | None
    subject: str
    note: str
    quiet: bool = False

    def __str__(self) -> str:
        place = f"{self.location}: " if self.location else ""
        return f"{place}{self.subject}: {self.note}"


class Content(NamedTuple):
    """What became of one kind of element, or of one attribute of it, with every place where it stands.

    Attributes:
        section: Section of the file, such as ``worldbody``.
        element: Tag.
        attribute: Name of the attribute, empty for the element itself.
        fate: ``kept``, ``approximated`` or ``ignored``.
        note: How or why; empty for what is kept as written.
        places: Where.
    """

    section: str
    element: str
    attribute: str
    fate: str
    note: str
    places: list[Location]


@dataclass
class ImportReport:
    """What became of the contents of one file.

    Attributes:
        source: Path of the file, or a stand-in for text.
        kept: What is in the model, as counts.
        approximated: What is in the model in another form than written.
        ignored: What is not in the model, or is carried without being simulated.
        contents: Every kind of element and every attribute of the file, with its fate and its places.
    """

    source: str
    kept: list[Entry] = field(default_factory=list)
    approximated: list[Entry] = field(default_factory=list)
    ignored: list[Entry] = field(default_factory=list)
    contents: list[Content] = field(default_factory=list)

    def __str__(self) -> str:
        lines = [f"import report of {self.source}"]
        for title in ("kept", "approximated", "ignored"):
            entries: list[Entry] = getattr(self, title)
            lines.append(f"  {title}: {len(entries) or 'nothing'}")
            lines.extend(f"    {entry}" for entry in entries)
        return "\n".join(lines)


class Diagnostics:
    """Gathers the problems and warnings of one import.

    Attributes:
        report: What the builder keeps.
        problems: Errors with their places.
        fates: What became of elements and attributes, by place; of others nothing was said.
        found: The elements of all files that were read.
    """

    def __init__(self, source: str) -> None:
        self.report = ImportReport(source)
        self.problems: list[tuple[Location | None, str]] = []
        self._malformed: dict[str, tuple[str, int]] = {}
        self.fates: dict[Location, tuple[str, str]] = {}
        self.found: list[Any] = []
        self._warned: dict[str, tuple[Entry, int]] = {}
        self._quiet: dict[str, tuple[Entry, int]] = {}

    def problem(self, location: Location | None, subject: str, given: str, allowed: str, remedy: str) -> None:
        """Note an error; the message has the four parts of :func:`newtonish.errors.problem`."""
        head = f"{location}: {subject}" if location else subject
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append((location, problem(head, given, allowed, remedy)))

    def malformed(self, location: Location, subject: str, given: str, allowed: str) -> None:
        """Note a value that cannot be read; what else is found in its line may follow from this, and is not told."""
        self.problem(location, subject, given, allowed, "correct the value")
        self._malformed[self.problems[-1][1]] = (location.file, location.line)

    def check_words(self) -> None:
        """:meth:`check`, unless all that is wrong so far are values: then reading on finds what else is wrong."""
        if any(text not in self._malformed for _, text in self.problems):
            self.check()

    def failed(self, location: Location | None, subject: str, error: ImporterError) -> None:
        """Note an error whose message has its parts already; it is put behind the place and the subject."""
        head = f"{location}: {subject}" if location else subject
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append((location, f"{head}: {error}"))

    def ignored(self, kind: str, location: Location | None, subject: str, note: str, warn: bool = True) -> None:
        """Note something that is not simulated and warn once of its ``kind``.

        Without ``warn`` it has no effect on physics, and the report has one line for all of its kind.
        """
        entry = Entry(location, subject, note)
        self.mark("ignored", location, note)
        if warn:
            self.report.ignored.append(entry)
        counts = self._warned if warn else self._quiet
        first, count = counts.get(kind, (entry, 0))
        counts[kind] = (first, count + 1)

    def approximated(self, kind: str, location: Location | None, subject: str, note: str) -> None:
        """Note something that is simulated in another form than written, and warn once of its kind."""
        entry = Entry(location, subject, note)
        self.mark("approximated", location, note)
        self.report.approximated.append(entry)
        first, count = self._warned.get(kind, (entry, 0))
        self._warned[kind] = (first, count + 1)

    def mark(self, fate: str, location: Location | None, note: str) -> None:
        """Keep what became of what stands at a place, for the counts of the report; nothing is warned of."""
        if location is not None:
            self.fates[location] = (fate, note)

    def kept(self, subject: str, note: str) -> None:
        """Note what is in the model."""
        self.report.kept.append(Entry(None, subject, note))

    def check(self) -> None:
        """Raise :class:`ImporterError` with every problem gathered so far, in the order of the text."""
        lines = set(self._malformed.values())
        messages = [text for place, text in self.problems if text in self._malformed or not place or (place.file, place.line) not in lines]
        raise_all(ImporterError, self.report.source, list(dict.fromkeys(messages)))

    def warn(self, stacklevel: int = 3) -> None:
        """Complete the report, and issue the gathered warnings, one for each kind."""
        for (place, subject, note, _), count in self._quiet.values():
            self.report.ignored.append(Entry(place, subject, note + (f" ({count} in all)" if count > 1 else ""), True))
        self._quiet.clear()
        for entry, count in self._warned.values():
            more = f" ({count} in all)" if count > 1 else ""
            warnings.warn(f"{entry}{more}.", NewtonishWarning, stacklevel=stacklevel + 1)
        self._warned.clear()
