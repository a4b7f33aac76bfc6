"""A file whose parts are copied, and copies of its elements under other names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from newtonish.importers.mjcf.compiler import Settings
from newtonish.importers.mjcf.defaults import Defaults
from newtonish.mjcf.language.read import Node
from newtonish.mjcf.language.schema import schema

__all__ = ["Attachment", "Model", "Named", "below", "find", "foreign", "renamed", "size", "with_name"]

ASSET_REFERENCES = ("material", "mesh", "hfield", "texture", "class", "childclass", "instance")
Named = tuple[Node, "str | None"]
"""An element, and the class that holds for what is inside."""


@dataclass
class Attachment:
    """What ``attach`` brought in: the prefix, the model, and the copies that were made of its elements."""

    prefix: str
    child: Model
    copies: list[Node] = field(default_factory=list)


@dataclass
class Model:
    """A file whose copies have been made.

    Attributes:
        root: Its tree; sections other than ``worldbody`` that have copies are merged into one.
        settings: Its compiler settings, with its folder.
        defaults: Its classes, and under prefixed names those of attached models.
        attached: The attachments of other models, in order.
        children: The models of its ``asset`` sections by name.
    """

    root: Node
    settings: Settings
    defaults: Defaults
    attached: list[Attachment] = field(default_factory=list)
    children: dict[str, Model | None] = field(default_factory=dict)


def below(node: Node) -> Iterator[Node]:
    """All elements below a node."""
    for child in node.children:
        yield child
        yield from below(child)


def size(nodes: Iterable[Node]) -> int:
    """Number of elements."""
    return sum(1 + size(node.children) for node in nodes)


def with_name(node: Node, prefix: str, suffix: str) -> Node:
    """A copy of one element, its own name changed."""
    copy = replace(node, values=dict(node.values), origin=node)
    if node.values.get("name"):
        copy.values["name"] = prefix + node.values["name"] + suffix
        copy.text = node.text | {"name": copy.values["name"]}
    return copy


def renamed(node: Node, prefix: str, suffix: str, child: Model | None = None) -> Node:
    """A copy of a part of the tree; assets and classes are renamed where they come from another model."""
    copy = with_name(node, prefix, suffix) if child is None else foreign(with_name(node, prefix, suffix), prefix, "", child)
    if node.tag in ("camera", "light") and node.values.get("target"):
        copy.values["target"] = prefix + node.values["target"] + suffix
    copy.children = [renamed(inner, prefix, suffix, child) for inner in node.children]
    return copy


def foreign(node: Node, prefix: str, base: str, child: Model) -> Node:
    """An element of another model with its assets, its class and the settings it is read by; ``base`` is the class without one."""
    values = dict(node.values)
    for name in ASSET_REFERENCES:
        if values.get(name):
            values[name] = prefix + values[name]
    if base and "class" in schema(node.kind).attributes:
        values.setdefault("class", base)
    return replace(node, values=values, settings=node.settings or child.settings, origin=node)


def find(node: Node, kind: str, name: str, childclass: str | None = None) -> Named | None:
    """Find a body or frame below a node, with the class that holds for what is inside."""
    for child in node.children:
        if child.tag in ("worldbody", "body", "frame"):
            inner = child.values.get("childclass", childclass)
            if child.tag == kind and child.values.get("name") == name:
                return child, childclass
            found = find(child, kind, name, inner)
            if found is not None:
                return found
    return None
