"""Finds comments and start tags in XML text that may be broken, in time that grows with its length, whatever it holds.

A regular expression that takes all of a tag at once tries every beginning again where there is no end; here what is not found from
one place on is not sought again behind it.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

__all__ = ["StartTag", "declares_entities", "replace_tags", "start_tags", "without_comments"]

_NAME = re.compile(r"<([A-Za-z_:][^\s<>/\"']*)")
_REST = re.compile(r"[^>\"']*(?:(?:\"[^\"]*\"|'[^']*')[^>\"']*)*>")
_DOCTYPE_END = re.compile(r"[>\[]")
_STOPS = re.compile("[>\"']")
_SPANS = (("<![CDATA[", "]]>"), ("<?", "?>"))


class StartTag(NamedTuple):
    """A start tag in a text.

    Attributes:
        start: Where its ``<`` stands.
        name: Name of the element.
        inside: Where what follows the name begins.
        end: Where its ``>`` stands.
    """

    start: int
    name: str
    inside: int
    end: int


def without_comments(text: str, blank: Callable[[str], str]) -> str:
    """The text with its comments replaced."""
    pieces, at = [], 0
    while True:
        begin = text.find("<!--", at)
        end = text.find("-->", begin + 4) if begin >= 0 else -1
        if end < 0:
            return "".join([*pieces, text[at:]]) if pieces else text
        pieces += [text[at:begin], blank(text[begin : end + 3])]
        at = end + 3


def declares_entities(text: str) -> int:
    """Where a declaration of entities begins, or -1."""
    found = text.find("<!ENTITY")
    at, stop = text.find("<!DOCTYPE"), -1
    while at >= 0 and (found < 0 or at < found):
        if stop < at:
            match = _DOCTYPE_END.search(text, at)
            if match is None:
                break
            stop = match.start()
        if text[stop] == "[":
            return at
        at = text.find("<!DOCTYPE", at + 1)
    return found


class _Ends:
    """Where a tag ends whose inside begins at some place, all quotes closed.

    Tags that end are found one by one. The first that does not has all ends of the text worked out from behind.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._stops: list[int] | None = None
        self._ends: list[int] = []

    def after(self, inside: int) -> int:
        """Index of the ``>``, or -1."""
        if self._stops is None:
            match = _REST.match(self._text, inside)
            if match is not None:
                return match.end() - 1
            self._work_out()
        k = bisect.bisect_left(self._stops or [], inside)
        return self._ends[k]

    def _work_out(self) -> None:
        stops = [match.start() for match in _STOPS.finditer(self._text)]
        ends = [-1] * (len(stops) + 1)
        following: dict[str, int] = {}  # the next quote of each kind
        for k in range(len(stops) - 1, -1, -1):
            sign = self._text[stops[k]]
            if sign == ">":
                ends[k] = stops[k]
            else:
                close = following.get(sign)
                ends[k] = -1 if close is None else ends[close + 1]
                following[sign] = k
        self._stops, self._ends = stops, ends


def start_tags(text: str) -> Iterator[StartTag]:
    """The start tags of a text in their order; CDATA sections, processing instructions and document types are passed over."""
    ends, without = _Ends(text), set()
    at = text.find("<")
    while at >= 0:
        after = at + 1
        for begin, close in _SPANS:
            if begin not in without and text.startswith(begin, at):
                end = text.find(close, at + len(begin))
                if end < 0:
                    without.add(begin)
                else:
                    after = end + len(close)
        if after == at + 1:
            match = _NAME.match(text, at)
            end = ends.after(match.end()) if match else -1
            if match and end >= 0:
                yield StartTag(at, match.group(1), match.end(), end)
                after = end + 1
        at = text.find("<", after)


def replace_tags(text: str, mend: Callable[[str, str], str]) -> str:
    """The text with ``mend(name, inside)`` in place of what follows ``<`` in each start tag, up to its ``>``."""
    pieces, at = [], 0
    for tag in start_tags(text):
        pieces += [text[at : tag.start], "<", mend(tag.name, text[tag.inside : tag.end])]
        at = tag.end
    return "".join([*pieces, text[at:]])
