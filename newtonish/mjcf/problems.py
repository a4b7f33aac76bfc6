"""The errors of the object model: messages of four parts that name the element by its tag and name."""

from __future__ import annotations

from typing import Any, NoReturn

from newtonish.errors import ModelError, NewtonishError, problem

__all__ = ["RequiredValueError", "UnknownNameError", "refuse", "refuse_lack", "short"]


class UnknownNameError(NewtonishError, AttributeError):
    """An MJCF element has no attribute and no child of that name."""


class RequiredValueError(ModelError, AttributeError):
    """An MJCF element lacks an attribute that it cannot be without; PyMJCF's error for this is an ``AttributeError``."""


def refuse_lack(label: str, given: str, allowed: str, remedy: str) -> NoReturn:
    """Raise :class:`RequiredValueError`, which is a :class:`~newtonish.errors.ModelError`, with a message of four parts."""
    raise RequiredValueError(problem(label, given, allowed, remedy))


def refuse(label: str, given: str, allowed: str, remedy: str) -> NoReturn:
    """Raise :class:`~newtonish.errors.ModelError`, which is a ``ValueError``, with a message of four parts."""
    raise ModelError(problem(label, given, allowed, remedy))


def short(value: Any) -> str:
    """Write a value for a message, on one line and not too long."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else text[:57] + "..."
