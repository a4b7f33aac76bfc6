"""Exceptions, warnings and message building shared by every layer of newtonish.

A message for a human has four parts: which object is concerned (with ``file:line:column`` when it comes from
text), what was given, what is allowed, and what to do about it. :func:`problem` puts those parts into one line, so
that they read the same wherever they are raised. Errors found together are raised together by :func:`raise_all`,
because fixing a model one message at a time is slow.
"""

from __future__ import annotations

from typing import NoReturn

__all__ = [
    "CapacityError",
    "ImporterError",
    "ModelError",
    "NewtonishError",
    "NewtonishWarning",
    "NonfiniteError",
    "UnsupportedError",
    "located",
    "problem",
    "raise_all",
    "raise_one",
]


class NewtonishError(Exception):
    """Base class of every error newtonish raises on purpose.

    Attributes:
        problems: The single problems behind the message; one entry for an error raised with one message.
    """

    def __init__(self, message: str = "", problems: list[str] | None = None) -> None:
        super().__init__(message)
        self.problems: list[str] = list(problems) if problems else ([message] if message else [])


class ModelError(NewtonishError, ValueError):
    """A model, or a value given to the model's builder, is inconsistent or out of range."""


class ImporterError(NewtonishError, ValueError):
    """A file could not be read into a model: broken syntax, unknown names, values out of range."""


class UnsupportedError(NewtonishError, NotImplementedError):
    """A valid request that newtonish cannot carry out; silence would change the physics."""


class CapacityError(NewtonishError, RuntimeError):
    """A fixed-size buffer is too small for what the simulation needs."""


class NonfiniteError(NewtonishError, ArithmeticError):
    """A number of a simulation was not finite, and whoever made the data asked for an error."""


class NewtonishWarning(UserWarning):
    """Something was approximated, ignored or dropped, and the result may differ from what was asked for."""


def _sentence(text: str) -> str:
    """Strip surrounding space and a closing full stop, so that parts can be joined without doubling it."""
    return text.strip().rstrip(".").rstrip()


def located(obj: str, file: str | None = None, line: int | None = None, column: int | None = None) -> str:
    """Prefix an object's name with its place in a text file, as ``file:line:column: object``.

    Args:
        obj: The object's name, for instance ``joint 'knee'``.
        file: Path of the text file; without it the name is returned unchanged.
        line: Line number counted from 1.
        column: Column number counted from 1; only used together with a line.
    """
    if not file:
        return obj
    place = str(file)
    if line is not None:
        place += f":{line}"
        if column is not None:
            place += f":{column}"
    return f"{place}: {obj}"


def problem(obj: str, given: str, allowed: str, remedy: str) -> str:
    """Build a message of four parts on one line.

    Args:
        obj: The object concerned, by name (see :func:`located` for objects that come from text).
        given: What was given; an empty part is left out.
        allowed: What is allowed; an empty part is left out.
        remedy: What to do; an empty part is left out.
    """
    parts = []
    if _sentence(given):
        parts.append(f"got {_sentence(given)}")
    if _sentence(allowed):
        parts.append(f"allowed: {_sentence(allowed)}")
    if _sentence(remedy):
        parts.append(_sentence(remedy))
    head = _sentence(obj)
    text = f"{head}: {'; '.join(parts)}" if parts else head
    return text if text.endswith(("?", "!")) else f"{text}."


def raise_one(cls: type[NewtonishError], obj: str, given: str, allowed: str, remedy: str) -> NoReturn:
    """Raise ``cls`` with a single message of four parts."""
    raise cls(problem(obj, given, allowed, remedy))


def raise_all(cls: type[NewtonishError], title: str, problems: list[str]) -> None:
    """Raise ``cls`` once with every collected problem; do nothing when there is none.

    Args:
        cls: The class to raise.
        title: First line of the message when there are several problems, for instance the file's name.
        problems: Messages built by :func:`problem`.
    """
    if not problems:
        return
    if len(problems) == 1:
        raise cls(problems[0], problems)
    lines = [f"{_sentence(title)}: {len(problems)} problems."]
    lines.extend(f"  - {entry}" for entry in problems)
    raise cls("\n".join(lines), problems)
