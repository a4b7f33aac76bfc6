"""Values of attributes: what may be assigned, in which form it is kept, and how it is written."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from newtonish.mjcf.language.keywords import KEYWORDS
from newtonish.mjcf.language.schema import Attribute, nearest, parse_value
from newtonish.mjcf.problems import refuse, short

__all__ = ["check_identifier", "check_text", "check_value", "value_text"]

SEPARATOR = "/"
"""Stands between the name of a model and the names in it; users' names are without it."""

PREFIX_SEPARATOR = SEPARATOR
"""The same under PyMJCF's name."""

ESCAPED = "\\"
"""What stands for a separator in names of files that have one."""

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_BOOL = ("false", "true")


def check_value(label: str, attribute: Attribute, value: Any) -> Any:
    """Return a value in the form it is kept in: array, number or keyword.

    Args:
        label: What messages call the element.
        attribute: What the vocabulary says.
        value: Numbers in any form numpy takes, text as it stands in a file, or a bool.

    Returns:
        A float64 or int64 array where several values are possible, else float, int or text; ``true`` and ``false``
        are text, since ``auto`` often stands beside them.

    Raises:
        ModelError: The type, the length or the keyword is wrong.
    """
    where = f"{label}, {attribute.name}"
    if attribute.type == "s":
        return check_text(where, attribute, value)
    if attribute.type in ("f", "i"):
        return _numbers(where, attribute, value)
    return _keywords(where, attribute, value)


def check_text(where: str, attribute: Attribute, value: Any) -> str:
    """Return text that XML can hold."""
    if not isinstance(value, str):
        refuse(where, f"{short(value)}, a {type(value).__name__}", attribute.allowed, "pass text")
    if _NOT_XML.search(value):
        refuse(where, f"{short(value)} with a control character", "text that XML can hold", "remove the character")
    return str(value)


def check_identifier(where: str, name: str) -> None:
    """Refuse names with the character that separates a model's name from the names in it."""
    if SEPARATOR in name:
        refuse(where, short(name), f"a name without '{SEPARATOR}'", "use another character")


def _keywords(where: str, attribute: Attribute, value: Any) -> str:
    """Return one keyword, or several separated by blanks."""
    several = attribute.type.startswith("+")
    known = _BOOL if attribute.type == "b" else KEYWORDS[attribute.type.lstrip("+")].split()
    if isinstance(value, (bool, np.bool_)) and "true" in known:
        value = "true" if value else "false"
    if several and isinstance(value, Sequence) and not isinstance(value, str):
        words = [str(word) for word in value]
    elif isinstance(value, str):
        words = value.split() if several else [value]
    else:
        refuse(where, f"{short(value)}, a {type(value).__name__}", attribute.allowed, "pass one of these words")
    spelt = {word.lower(): word for word in known}
    for word in words:
        if word.lower() not in spelt:
            refuse(where, short(word), attribute.allowed, nearest(word, known) or "pass one of these")
    return " ".join(spelt[word.lower()] for word in words)


def _numbers(where: str, attribute: Attribute, value: Any) -> Any:
    """Return one number or an array of them."""
    if isinstance(value, str):
        try:
            value = parse_value(attribute, value)
        except ValueError as error:
            refuse(where, f"{short(value)} ({error})", attribute.allowed, "pass numbers")
    try:
        array = np.array(value, dtype=np.float64)
        if np.array(value).dtype.kind not in "iuf" and array.size:
            raise TypeError
    except (TypeError, ValueError):
        refuse(where, f"{short(value)}, a {type(value).__name__}", attribute.allowed, "pass numbers")
    if array.ndim > 1 and attribute.most is not None:
        refuse(where, f"an array of shape {array.shape}", attribute.allowed, "pass a flat list")
    array = array.reshape(-1)
    if attribute.most == 1 and array.size != 1:
        refuse(where, f"{array.size} values", attribute.allowed, "pass one number")
    if array.size < attribute.least or (attribute.most is not None and array.size > attribute.most):
        given = f"{array.size} value{'s' if array.size != 1 else ''}"
        refuse(where, given, attribute.allowed, "pass as many as are allowed")
    if np.isnan(array).any() and attribute.name not in ("user", "data"):
        refuse(where, "nan", attribute.allowed, "correct the number")
    if attribute.type == "i":
        if not np.array_equal(array, np.round(array)) or (np.abs(array) > 2**31 - 1).any():
            refuse(where, short(value), attribute.allowed, "pass whole numbers that fit 32 bits")
        array = array.astype(np.int64)
    return array[0].item() if attribute.most == 1 else array


def value_text(attribute: Attribute, value: Any, precision: int | None = None, zero_threshold: float = 0.0) -> str:
    """Return a value as it stands in a file; without ``precision`` it reads back to the same bits, numbers below ``zero_threshold`` aside."""
    if isinstance(value, str):
        return value
    numbers = np.ravel(value)
    if attribute.type == "i":
        return " ".join(str(int(number)) for number in numbers)
    return " ".join(_number_text(0.0 if abs(number) < zero_threshold else float(number), precision) for number in numbers)


def _number_text(number: float, precision: int | None) -> str:
    """The shortest text that reads back as the same number."""
    if precision is not None:
        return f"{number:.{precision}g}"
    if math.isfinite(number) and number == int(number) and abs(number) < 1e15:
        return "-0" if number == 0 and math.copysign(1.0, number) < 0 else str(int(number))
    return repr(number)
