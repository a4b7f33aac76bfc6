"""What the import report says of a file beside its problems: what is kept, and sections that are read and left out."""

from __future__ import annotations

from collections import Counter
from typing import Any

from newtonish.diagnostics import Diagnostics
from newtonish.mjcf.language.read import Node
from newtonish.mjcf.language.schema import IGNORED, UNSUPPORTED, schema
from newtonish.model.fields import known_fields

__all__ = ["note_kept_out", "report_kept"]

KEPT_OUT = {
    "deformable": "deformable objects",
    "extension": "plugins",
}


def note_kept_out(root: Node, log: Diagnostics) -> None:
    """Note sections that are read and checked, and then left out."""
    for section in root.children:
        if section.kind in KEPT_OUT:
            for node in section.children:
                if node.tag == "skin" or (section.kind == "extension" and node.values.get("plugin") in known_fields()):
                    continue
                if node.tag == "flex":
                    log.problem(node.location, node.label, "a deformable object", "rigid bodies: flexes are not simulated", "remove it and what refers to it")
                    continue
                subject = f"{section.tag} {node.label}"
                log.ignored(
                    section.kind,
                    node.location,
                    subject,
                    f"{KEPT_OUT[section.kind]} are kept out, not simulated yet",
                )
    looks: Counter[str] = Counter()
    _count_looks(root, looks)
    if looks:
        what = ", ".join(f"{count} {tag}" for tag, count in sorted(looks.items()))
        log.ignored("without effect", None, what, "no effect here", warn=False)


def _count_looks(node: Node, looks: Counter[str]) -> None:
    """Count elements that have no effect here."""
    for child in node.children:
        status = schema(child.kind).status if child.kind else UNSUPPORTED
        if status == IGNORED:
            looks[child.tag] += 1
        elif node.tag != "default":
            _count_looks(child, looks)


def report_kept(contents: Any, shapes: Any, log: Diagnostics) -> None:
    """Count what is in the model; ``contents`` and ``shapes`` are those of ``load``."""
    tree = contents.tree
    log.kept("bodies", str(len(tree.bodies)))
    for kind, count in sorted(Counter(joint.type for joint in tree.joints()).items()):
        log.kept(f"{kind} joints", str(count))
    for kind, count in sorted(shapes.counts.items()):
        log.kept(kind, str(count))
    for kind, rows in (
        ("tendons", contents.tendons),
        ("actuators", contents.actuators),
        ("contact pairs", contents.pairs),
        ("contact excludes", contents.excludes),
        ("equality constraints", contents.equalities),
        ("cameras", [camera for body in (tree.world, *tree.bodies) for camera in body.cameras]),
        ("lights", [light for body in (tree.world, *tree.bodies) for light in body.lights]),
        ("sensors", contents.sensors),
        ("keyframes", contents.keys),
        ("custom entries", contents.custom),
        ("textures", contents.pictures.looks.textures),
        ("materials", contents.pictures.looks.materials),
        ("skins", contents.pictures.skins),
    ):
        if rows:
            log.kept(kind, str(len(rows)))
