"""Merges included files into the tree, in place of their ``include`` elements.

File names are relative to the folder of the main file, at any depth of inclusion, as in MuJoCo. A file may be included
once only, so cycles cannot arise.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from newtonish.common.paths import portable
from newtonish.diagnostics import Diagnostics
from newtonish.errors import ImporterError, problem
from newtonish.files import read_file
from newtonish.mjcf.language.limits import limits
from newtonish.mjcf.language.read import Node, decode, parse_text

__all__ = ["find_text", "merge_includes", "read_bytes"]

Resolver = Callable[[str | None, str], str]


def read_bytes(path: Path) -> bytes:
    """Read a file, with an error of ours when that fails."""
    most = limits().size
    try:
        if path.stat().st_size > most:
            given, remedy = f"{path.stat().st_size} bytes", "split the file, or pass a larger max_size"
            raise ImporterError(problem(str(path), given, f"at most {most} bytes", remedy))
        return read_file(path, most)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ImporterError(f"{path}: got no text ({reason}); allowed: a readable file; check the path.") from None


def merge_includes(root: Node, folder: Path | None, main: Path | None, resolver: Resolver | None, log: Diagnostics) -> None:
    """Replace every ``include`` under ``root`` by the contents of its file.

    Args:
        root: Tree to change.
        folder: Folder of the main file; None takes the working directory.
        main: The main file, which may not include itself.
        resolver: Turns (folder, name) into a path or XML text, instead of the file system.
        log: Takes the problems.
    """
    seen = {main.resolve()} if main else set()
    _merge(root, folder or Path(), seen, resolver, log, 0)


def _merge(node: Node, folder: Path, seen: set, resolver: Resolver | None, log: Diagnostics, depth: int) -> None:
    """Merge the includes below one node."""
    if depth > limits().depth:
        return
    result: list[Node] = []
    for child in node.children:
        if child.tag == "include":
            result.extend(_load(child, folder, seen, resolver, log, depth))
        else:
            _merge(child, folder, seen, resolver, log, depth + 1)
            result.append(child)
    node.children = result


def _load(child: Node, folder: Path, seen: set, resolver: Resolver | None, log: Diagnostics, depth: int) -> list[Node]:
    """Return the top elements of an included file, its own includes merged."""
    name = child.text.get("file")
    for other in set(child.text) - {"file"}:
        log.problem(child.at(other), "element 'include'", f"attribute '{other}'", "'file'", "remove it")
    if child.children:
        log.problem(child.location, "element 'include'", "elements inside", "nothing inside", "move them out")
    if not name:
        log.problem(child.location, "element 'include'", "no 'file'", "a file name", 'add file="..."')
        return []
    try:
        text, key = find_text(name, folder, resolver)
        if key in seen:
            log.problem(child.at("file"), f"include of '{name}'", "a file that is already in", "each file once", "remove it")
            return []
        seen.add(key)
        root = parse_text(text, str(key))
    except ImporterError as error:
        for entry in error.problems:
            log.problems.append((child.location, f"{child.location}: include of '{name}': {entry}"))
        return []
    if not root.children:
        log.problem(child.location, f"include of '{name}'", "an empty file", "at least one element", "remove the include")
    _merge(root, folder, seen, resolver, log, depth + 1)
    return root.children


def find_text(name: str, folder: Path, resolver: Resolver | None) -> tuple[str, object]:
    """Return the text of a file that another one names, and what identifies it: its path, or its name."""
    if resolver is not None:
        answer = resolver(str(folder), name)
        if answer.lstrip().startswith("<"):
            return answer, f"<{name}>"
        path = Path(answer)
    else:
        path = folder / portable(name)
    try:
        path = path.resolve()
    except (OSError, ValueError, RuntimeError):
        raise ImporterError(f"{name[:80]!r}: got no path; allowed: a file name; correct it.") from None
    return decode(read_bytes(path), str(path)), path
