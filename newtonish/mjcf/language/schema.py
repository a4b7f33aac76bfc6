"""Looks up what an MJCF element may contain and parses attribute text by the vocabulary's types."""

from __future__ import annotations

import difflib
import math
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from newtonish.mjcf.language.keywords import GROUPS, KEYWORDS
from newtonish.mjcf.language.limits import take_hint
from newtonish.mjcf.language.vocabulary import ELEMENTS

__all__ = ["Attribute", "Kind", "nearest", "parse_value", "schema"]

USED, KEPT, IGNORED, UNSUPPORTED = "used", "kept", "ignored", "unsupported"
_STATUS = {"~": KEPT, "-": IGNORED, "!": UNSUPPORTED}
_NAN_ALLOWED = frozenset({"user", "data"})


@dataclass(frozen=True)
class Attribute:
    """One attribute of one kind of element.

    Attributes:
        name: Attribute name in the file.
        type: ``f``, ``i``, ``b``, ``s`` or the name of a keyword set; a leading ``+`` allows several keywords.
        least: Fewest values.
        most: Most values; None has no end.
        default: Default as text, empty when zero or nothing.
        status: ``used``, ``kept`` (for viewers and users), ``ignored`` or ``unsupported``.
        required: Whether it must be written.
        in_default: Whether ``<default>`` may hold it.
    """

    name: str
    type: str
    least: int = 1
    most: int | None = 1
    default: str = ""
    status: str = USED
    required: bool = False
    in_default: bool = True

    @property
    def allowed(self) -> str:
        """What may be written, in words."""
        word = {"f": "number", "i": "whole number", "b": "true or false", "s": "text"}.get(self.type)
        if word is None:
            return "one of " + ", ".join(KEYWORDS[self.type.lstrip("+")].split())
        if self.type in "bs":
            return word
        if self.most == 1:
            return f"one {word}"
        if self.most is None:
            return f"{word}s"
        return f"{self.least} {word}s" if self.least == self.most else f"{self.least} to {self.most} {word}s"


@dataclass(frozen=True)
class Kind:
    """One kind of element: its attributes by name and the kinds of its children by tag."""

    name: str
    status: str
    attributes: dict[str, Attribute] = field(default_factory=dict)
    children: dict[str, str] = field(default_factory=dict)


def _attribute(word: str, status: str) -> Attribute:
    """Parse one attribute of the vocabulary, ``!name:f1-3&=1,2``."""
    if word[0] in _STATUS:
        status, word = _STATUS[word[0]], word[1:]
    head, _, default = word.partition("=")
    name, _, kind = head.partition(":")
    flags = kind[len(kind.rstrip("&^")) :]
    base = kind.rstrip("&^")
    least: int = 1
    most: int | None = 1
    if base[0] in "fi" and (len(base) == 1 or base[1] in "*0123456789"):
        if base[1:] == "*":
            least, most = 0, None
        elif len(base) > 1:
            first, _, last = base[1:].partition("-")
            least, most = int(first), int(last or first)
        base = base[0]
    return Attribute(name, base, least, most, default, status, "&" in flags, "^" not in flags)


def _expand(text: str) -> list[str]:
    """Replace ``@group`` by the group's attributes."""
    words: list[str] = []
    for word in text.split():
        words.extend(_expand(GROUPS[word[1:]]) if word.startswith("@") else [word])
    return words


@cache
def schema(kind: str) -> Kind:
    """Return what the vocabulary says about a kind; ``default:geom`` is a geom inside ``<default>``."""
    inside = kind.startswith("default:")
    text, children = ELEMENTS[kind.removeprefix("default:")]
    status = USED
    if "|" in text:
        mark, _, text = text.partition("|")
        status = _STATUS[mark]
    # Inside an element that is not simulated as a whole, attributes need no word of their own.
    attributes = [_attribute(word, USED if status == UNSUPPORTED else status) for word in _expand(text)]
    if inside:
        attributes = [
            Attribute(a.name, a.type, a.least, a.most, a.default, a.status, False) for a in attributes if a.in_default and a.name not in ("name", "class")
        ]
    kinds = dict((word.partition("=")[0], word.partition("=")[2] or word) for word in children.split())
    if kind == "default":
        kinds = {tag: k if k == "default" else f"default:{k}" for tag, k in kinds.items()}
    return Kind(kind, status, {a.name: a for a in attributes}, kinds)


_LONGEST = 100
"""Letters of the longest word that is compared with others."""


def nearest(word: str, known: Any) -> str:
    """Return ``did you mean 'x'?`` for the most similar known word, or nothing; of a file, for as many words as messages are shown."""
    if len(word) > _LONGEST or not take_hint():
        return ""
    match = difflib.get_close_matches(word, sorted(known), n=1, cutoff=0.6)
    return f"did you mean '{match[0]}'?" if match else ""


def parse_value(attribute: Attribute, text: str) -> Any:
    """Return the typed value of an attribute's text: text, bool, keyword, list of keywords, number or list of numbers.

    Raises:
        ValueError: With the reason, when the text does not fit.
    """
    kind = attribute.type
    if kind == "s":
        return text
    words = text.split()
    if kind == "b":
        if text not in ("true", "false"):
            raise ValueError(f"'{_short(text)}'")
        return text == "true"
    if kind not in ("f", "i"):
        known = KEYWORDS[kind.lstrip("+")].split()
        wrong = [w for w in words if w not in known] if kind[0] == "+" else ([text] if text not in known else [])
        if wrong:
            raise ValueError(f"'{_short(wrong[0])}'")
        return words if kind[0] == "+" else text
    if len(words) < attribute.least or (attribute.most is not None and len(words) > attribute.most):
        raise ValueError(f"{len(words)} value{'s' if len(words) != 1 else ''}")
    numbers = [_number(word, kind, attribute.name) for word in words]
    return numbers[0] if attribute.most == 1 else numbers


def _number(word: str, kind: str, name: str) -> float | int:
    """Parse one number the way a C program does: no underscores, no hexadecimal text."""
    try:
        if "_" in word:
            raise ValueError
        value = float(word)
    except ValueError:
        raise ValueError(f"'{_short(word)}', which is not a number") from None
    if math.isnan(value) and name not in _NAN_ALLOWED:
        raise ValueError("a value that is not a number (nan)")
    if kind == "f":
        return value
    if value != int(value) if math.isfinite(value) else True:
        raise ValueError(f"'{_short(word)}', which is not a whole number")
    if not -(2**31) <= value < 2**31:
        raise ValueError(f"{_short(word)}, which does not fit 32 bits")
    return int(value)


def _short(text: str) -> str:
    """Cut long text for a message."""
    return text if len(text) <= 40 else text[:37] + "..."
