"""Arguments of public calls, checked at the border by what their annotations say.

A wrong type would end somewhere inside, in an exception of Python's or NumPy's that names neither the function nor the argument. The kinds of
annotations and what each of them takes stand in one table; a function is wrapped once, and a call with arguments of the usual types costs a look at each.
"""

from __future__ import annotations

import functools
import inspect
import operator
import re
import sys
from collections.abc import Callable, Mapping
from enum import Enum
from os import PathLike
from pathlib import PurePath
from typing import Any, NamedTuple, TypeVar

import numpy as np

from newtonish.errors import ModelError, problem

__all__ = ["check_fields", "checked", "checked_methods", "is_integer", "shown"]

Function = TypeVar("Function", bound=Callable[..., Any])


def shown(value: Any) -> str:
    """A value in a message: what it is, and its beginning on one line."""
    text = " ".join(repr(value).split())
    text = text if len(text) <= 60 else text[:57] + "..."
    return text if value is None or isinstance(value, (bool, int, float, str)) else f"{text} of type {type(value).__name__}"


def is_integer(value: Any) -> bool:
    """Whether a value is an integer of 64 bits, and no boolean."""
    try:
        return abs(operator.index(value)) < 2**63 and not isinstance(value, (bool, np.bool_))
    except TypeError:
        return False


def _is_number(value: Any) -> bool:
    if isinstance(value, (str, bytes)) or (isinstance(value, int) and abs(value) >= 2**63):  # NumPy has no such integers
        return False
    try:
        float(value)
    except (TypeError, ValueError, OverflowError, RuntimeError):
        return False
    return np.ndim(value) == 0


def _is_switch(value: Any) -> bool:
    return isinstance(value, (bool, np.bool_)) or (isinstance(value, (int, np.integer)) and value in (0, 1))


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and "\0" not in value


def _is_path(value: Any) -> bool:
    return isinstance(value, (str, PurePath)) and "\0" not in str(value)


def _is_file_name(value: Any) -> bool:
    return isinstance(value, (str, PathLike)) and "\0" not in str(value)


def _is_array(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "fiub"
    try:
        return not isinstance(value, (str, bytes)) and np.asarray(value).dtype.kind in "fiub"
    except (TypeError, ValueError, OverflowError, RuntimeError):
        return False


def _is_named(value: Any) -> bool:
    return isinstance(value, Mapping) and all(isinstance(key, str) for key in value)


def _is_sequence(value: Any) -> bool:
    return isinstance(value, (list, tuple, range, set, frozenset)) or (isinstance(value, np.ndarray) and value.ndim == 1)


def _are_integers(value: Any) -> bool:
    return _is_sequence(value) and all(is_integer(entry) for entry in value)


def _are_names(value: Any) -> bool:
    return _is_sequence(value) and all(isinstance(entry, str) or is_integer(entry) for entry in value)


class Kind(NamedTuple):
    """What an annotation takes: types that need no look, a test of others, and words for it."""

    usual: tuple[type, ...]
    test: Callable[[Any], bool]
    allowed: str


_KINDS = {
    "int": Kind((), is_integer, "an integer of 64 bits"),
    "float": Kind((float,), _is_number, "a number, integers of 64 bits"),
    "bool": Kind((bool,), _is_switch, "True or False"),
    "str": Kind((), _is_text, "a text without NUL"),
    "dict[str, Any]": Kind((), _is_named, "a dict whose keys are texts"),
    "list[int]": Kind((), _are_integers, "a list of integers"),
    "Sequence[str | int]": Kind((), _are_names, "a list of names or indices"),
    "Sequence[str | None]": Kind((), lambda value: _is_sequence(value) and all(entry is None or _is_text(entry) for entry in value), "a list of texts or None"),
    "str | bytes": Kind((), lambda value: isinstance(value, (str, bytes)), "a text or bytes"),
    "str | Path": Kind((), _is_path, "a path without NUL"),
    "str | PathLike[str]": Kind((), _is_file_name, "a path without NUL"),
    "np.ndarray": Kind((), _is_array, "an array of numbers"),
    "Mapping[str, Any]": Kind((dict,), lambda value: isinstance(value, Mapping), "a dict"),
    "str | Sequence[str]": Kind((), lambda value: isinstance(value, str) or _are_names(value), "a name or a list of names"),
    "Sequence[Any]": Kind((), _is_sequence, "a list"),
    "Sequence[dict[str, Any]]": Kind((), lambda value: _is_sequence(value) and all(map(_is_named, value)), "a list of dicts whose keys are texts"),
}  # fmt: skip
_ALIKE = {
    "Assets": "dict[str, Any]",
    "dict[str, bytes | str]": "dict[str, Any]",
    "list[str]": "Sequence[str | int]",
    "Sequence[Transform | None]": "Sequence[Any]",
    "Sequence[AttributeFrequency | str]": "Sequence[Any]",
}
_OF_CLASS = re.compile(r"(?:(?:list|Sequence)\[)?([A-Z]\w+)\]?")


class _Check(NamedTuple):
    optional: bool
    usual: tuple[type, ...]
    test: Callable[[Any], bool]
    allowed: str


def _check_of(annotation: Any, names: Callable[[str], Any]) -> _Check | None:
    """The check of an annotation, or None for one that leaves the choice to the function."""
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")
    optional = text.endswith(" | None")
    text = text.removesuffix(" | None")
    kind = _KINDS.get(_ALIKE.get(text, text))
    if kind is None:
        kind = _kind_of_class(text, names)
    return None if kind is None else _Check(optional, kind.usual, kind.test, kind.allowed + " or None" * optional)


def _kind_of_class(text: str, names: Callable[[str], Any]) -> Kind | None:
    """The kind of a class, or of a sequence of its instances."""
    found = _OF_CLASS.fullmatch(text)
    cls = names(found[1]) if found else None
    if not isinstance(cls, type) or cls is Any:  # a class since Python 3.11
        return None
    if issubclass(cls, Enum):

        def is_member(value: Any) -> bool:
            try:
                cls(value)
            except (ValueError, TypeError):
                return False
            return True

        listed = ", ".join(f"{member.name} ({member.value})" for member in cls)
        return Kind((cls,), is_member, listed)
    if text != found[1]:  # type: ignore[index]
        return Kind((), lambda value: _is_sequence(value) and all(isinstance(entry, cls) for entry in value), f"a list of {cls.__name__}")
    return Kind((cls,), lambda value: isinstance(value, cls), f"a {cls.__name__}")


def _refuse(where: str, name: str, value: Any, allowed: str) -> None:
    raise ModelError(problem(f"{where}: {name}", shown(value), allowed, "pass that"))


def _is_wrong(check: _Check, value: Any) -> bool:
    if value is None:
        return not check.optional
    return type(value) not in check.usual and not check.test(value)


def checked(function: Function, where: str | None = None, classes: tuple[type, ...] = ()) -> Function:
    """``function`` with a check of its arguments before it begins.

    Args:
        function: annotated with the kinds that this module knows; arguments annotated otherwise are left to it.
        where: its name in messages; its own one if not given.
        classes: those that annotations name and the function's module does not have.
    """
    label = where or function.__name__
    names = (vars(sys.modules[function.__module__]) | {cls.__name__: cls for cls in classes}).get
    parameters = inspect.signature(function).parameters
    order = [
        (name, _check_of(p.annotation, names) if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and name != "self" else None)
        for name, p in parameters.items()
        if p.kind not in (p.KEYWORD_ONLY, p.VAR_KEYWORD, p.VAR_POSITIONAL)
    ]
    checks = {
        name: check for name, p in parameters.items() if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY) and (check := _check_of(p.annotation, names))
    }
    checks.pop("self", None)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        for (name, check), value in zip(order, args):
            if check is not None and _is_wrong(check, value):
                _refuse(label, name, value, check.allowed)
        for name, value in kwargs.items():
            check = checks.get(name)
            if check is not None and _is_wrong(check, value) and value is not parameters[name].default:
                _refuse(label, name, value, check.allowed)
        return function(*args, **kwargs)

    return call  # type: ignore[return-value]


def checked_methods(cls: type, classes: tuple[type, ...] = (), inherited: bool = False, but: tuple[str, ...] = ()) -> None:
    """Check the arguments of the public methods of a class, and of those that it inherits if that is said; they are put in the class itself.

    Methods named in ``but`` stay as they are: they check by themselves.
    """
    for name in dir(cls) if inherited else list(vars(cls)):
        method = inspect.getattr_static(cls, name)
        if name not in but and inspect.isfunction(method) and (not name.startswith("_") or name == "__init__"):
            where = cls.__name__ if name == "__init__" else f"{cls.__name__}.{name}"
            setattr(cls, name, checked(method, where, (cls, *classes)))


def check_fields(owner: Any, what: str) -> None:
    """Raise ModelError for a field of a dataclass that is not what its annotation says."""
    for name, check in _field_checks(type(owner)):
        value = getattr(owner, name)
        if _is_wrong(check, value):
            _refuse(what, name, value, check.allowed)


@functools.cache
def _field_checks(cls: type) -> list[tuple[str, _Check]]:
    module = vars(sys.modules[cls.__module__])
    return [(name, check) for name, annotation in cls.__annotations__.items() if (check := _check_of(annotation, module.get))]
