"""The recipes lead to files and names that exist."""

import ast
import re

import pytest
from paths import REPO

PAGE = REPO / "docs" / "adding.md"
PATH = re.compile(r"`((?:kernels|importers|newtonish|tests)/[\w/]+\.py)`((?:,? (?:and )?`\w+`)*)")


def named(text: str) -> list[tuple[str, str]]:
    """Each file of a page with each name that stands right behind it."""
    return [(path, name) for path, names in PATH.findall(text) for name in re.findall(r"`(\w+)`", names) or [""]]


def names_of(path: str) -> set[str]:
    """Functions, classes, methods, variables and imported names of a file."""
    found: set[str] = set()
    for node in ast.walk(ast.parse((REPO / path).read_text(encoding="utf-8"))):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)}
    return found


LINES = named(PAGE.read_text(encoding="utf-8"))


@pytest.mark.parametrize(("path", "name"), LINES)
def test_files_and_names_exist(path: str, name: str) -> None:
    assert (REPO / path).is_file(), path
    assert not name or name in names_of(path), f"{path} has no {name}"


def test_lines_are_read() -> None:
    assert len(LINES) > 30
    assert named("- `kernels/a.py`, `one` and `two`; `newtonish/b.py`: more") == [("kernels/a.py", "one"), ("kernels/a.py", "two"), ("newtonish/b.py", "")]
    assert {"FORMAT", "VERSION"} <= names_of("newtonish/exporters/archive.py")
    assert "no_such_name" not in names_of("kernels/sensor/position.py")
