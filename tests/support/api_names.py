"""Public names and signatures, as a list that is kept: ``python tests/support/api_names.py`` says what changed, ``--write`` takes it over.

A change of the list is taken over only with a new line under Unreleased in CHANGELOG.md: a user who upgrades reads there what became of a name.
"""

from __future__ import annotations

import enum
import hashlib
import importlib
import inspect
import sys
from pathlib import Path
from typing import Any

REPO = Path(__file__).resolve().parents[2]
LIST = REPO / "tests" / "typing" / "api.txt"
MODULES = ("newtonish", "newtonish.mjw", "newtonish.mjcf", "newtonish.envs", "newtonish.errors", "newtonish.solvers", "newtonish.tuning")
HEAD = "changelog "


def _default(value: Any) -> str:
    if isinstance(value, enum.Enum):
        return f"{type(value).__name__}.{value.name}"
    if value is None or isinstance(value, (bool, int, float, str, bytes, tuple)):
        return repr(value)
    return "..."  # an object whose text may hold an address


def _arguments(function: Any) -> str:
    """The parameters of a function with their kinds and defaults; annotations are the type checkers' business."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return ""
    words, starred = [], False
    for p in parameters:
        if p.kind is p.KEYWORD_ONLY and not starred:
            words.append("*")
            starred = True
        starred = starred or p.kind is p.VAR_POSITIONAL
        stars = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        words.append(stars + p.name + ("" if p.default is p.empty else f"={_default(p.default)}"))
    return f"({', '.join(words)})"


def _members(name: str, cls: type) -> list[str]:
    if issubclass(cls, enum.Enum):
        return [f"{name}.{member.name} = {member.value!r}" for member in cls]
    found = [f"{name}{_arguments(cls)}"]
    for member in sorted(dir(cls)):
        owner = next((base for base in cls.__mro__ if member in vars(base)), object)
        if member.startswith("_") or not owner.__module__.startswith("newtonish"):
            continue
        value = inspect.getattr_static(cls, member)
        function = value.__func__ if isinstance(value, (staticmethod, classmethod)) else value
        found.append(f"{name}.{member}{_arguments(function) if inspect.isfunction(function) else ''}")
    return found


def lines() -> list[str]:
    """One line for each public name, in order."""
    found: set[str] = set()
    for module in MODULES:
        home = importlib.import_module(module)
        for name in home.__all__:
            value, full = getattr(home, name), f"{module}.{name}"
            if inspect.isclass(value):
                found.update(_members(full, value))
            else:
                found.add(full + (_arguments(value) if inspect.isfunction(value) else ""))
    return sorted(found)


def kept() -> list[str]:
    return [line for line in LIST.read_text(encoding="utf-8").splitlines() if not line.startswith(HEAD)] if LIST.exists() else []


def changes() -> tuple[list[str], list[str]]:
    """Lines that are new, and lines that are gone."""
    now, then = set(lines()), set(kept())
    return sorted(now - then), sorted(then - now)


def _unreleased() -> str:
    """A digest of what CHANGELOG.md says under Unreleased."""
    text = (REPO / "CHANGELOG.md").read_text(encoding="utf-8")
    section = text.partition("## [Unreleased]")[2].partition("\n## [")[0]
    return hashlib.sha256(section.encode()).hexdigest()[:16]


def main() -> int:
    new, gone = changes()
    for sign, entries in (("+", new), ("-", gone)):
        for entry in entries:
            print(sign, entry)
    if "--write" not in sys.argv:
        return 1 if new or gone else 0
    head = LIST.read_text(encoding="utf-8").splitlines()[0] if LIST.exists() else ""
    if (new or gone) and head == HEAD + _unreleased():
        print("CHANGELOG.md says nothing new under Unreleased: add a line on what became of these names, then write")
        return 1
    LIST.write_text("\n".join([HEAD + _unreleased(), *lines()]) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
