"""What becomes of the options of an attached model where those of the file say something else: the ``conflict`` policy.

``warning`` keeps the file's options, ``error`` refuses different authored ones, ``merge`` takes the stricter or the union, and
the attached model's where the file says nothing.
"""

from __future__ import annotations

from typing import Any

from newtonish.diagnostics import Diagnostics
from newtonish.mjcf.language.read import Node
from newtonish.mjcf.language.schema import schema

__all__ = ["settle"]

LEAST = ("timestep", "tolerance", "ls_tolerance", "noslip_tolerance", "ccd_tolerance", "sleep_tolerance")
MOST = ("iterations", "ls_iterations", "noslip_iterations", "ccd_iterations", "sdf_iterations", "sdf_initpoints", "nuserdata", "nkey")
OFF_AT_FIRST = ("override", "energy", "fwdinv", "invdiscrete", "sleep", "diagexact", "ipc", "speculative")
"""Flags that a file switches on; the others it switches off."""


def settle(root: Node, child: Node, node: Node, name: str, log: Diagnostics) -> None:
    """Compare the options of two files by the policy of the first one, which is changed under ``merge``.

    Args:
        root: Tree of the file.
        child: Tree of the model that it attaches.
        node: The ``attach`` element.
        name: Name of the model, for messages.
        log: Takes warnings and problems.
    """
    policy = next((s.values["conflict"] for s in reversed(list(root.sections("compiler"))) if "conflict" in s.values), "warning")
    for tag in ("option", "size"):
        adopted: dict[str, Any] = {}
        ours = _authored(root, tag)
        for key, theirs in _authored(child, tag).items():
            if key in ours and ours[key] == theirs:
                continue
            if policy == "merge":
                value = theirs if key not in ours else _merged(key, ours[key], theirs)
                if value is not None:
                    adopted[key] = value
                    continue
            if policy != "warning" and key in ours:
                given = f"{ours[key]} here and {theirs} in model '{name}'"
                log.problem(node.location, f"{node.label}, {tag} {key}", given, f"equal values with conflict {policy}", "change one of them")
            elif policy == "warning":
                log.ignored(
                    "attach.conflict", node.location, f"{node.label}, {tag} {key}", f"{theirs} of model '{name}' has no effect; the file's own value stays"
                )
        if adopted:
            root.children.append(_section(root, tag, adopted))


def _authored(root: Node, tag: str) -> dict[str, Any]:
    """What a file writes in its sections of one name, flags as ``flag name``."""
    found: dict[str, Any] = {}
    for section in root.sections(tag):
        found.update(section.values)
        for flags in section.sections("flag"):
            found.update({f"flag {key}": value for key, value in flags.values.items()})
    used = schema(tag).attributes
    return {key: value for key, value in found.items() if key.startswith("flag ") or used[key].status == "used"}


def _merged(key: str, ours: Any, theirs: Any) -> Any:
    """The value of two different ones, None where there is no rule."""
    if key in LEAST:
        return min(ours, theirs)
    if key in MOST:
        return max(ours, theirs)
    if key == "actuatorgroupdisable":
        return sorted({*ours, *theirs})
    if key.startswith("flag "):
        return "enable" if key[5:] in OFF_AT_FIRST else "disable"
    return None


def _section(root: Node, tag: str, values: dict[str, Any]) -> Node:
    """A section that is read after the others."""
    section = Node(tag, root.location, kind=tag)
    section.values = {key: value for key, value in values.items() if not key.startswith("flag ")}
    flags = {key[5:]: value for key, value in values.items() if key.startswith("flag ")}
    if flags:
        section.children.append(Node("flag", root.location, kind="flag", values=flags))
    return section
