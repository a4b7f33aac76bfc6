"""What a kind of element may hold, from the importer's one table of MJCF; and the attachment frame, which has no row there."""

from __future__ import annotations

from functools import cache

from newtonish.mjcf.language.names import identifier, namespace, single
from newtonish.mjcf.language.schema import Kind, schema
from newtonish.mjcf.namescope import FRAME_SPACE

__all__ = ["child_is_single", "identifier_of", "required_of", "space_of", "spec_of"]

_FRAME_CHILDREN = ("joint", "freejoint", "inertial")


@cache
def spec_of(kind: str) -> Kind:
    """Return attributes and children of a kind."""
    if kind != FRAME_SPACE:
        return schema(kind)
    body = schema("body")
    attributes = {name: a for name, a in body.attributes.items() if name not in ("name", "childclass")}
    return Kind(kind, body.status, attributes, {tag: body.children[tag] for tag in _FRAME_CHILDREN})


@cache
def identifier_of(kind: str) -> str | None:
    """Return which attribute is an element's name."""
    return None if kind == FRAME_SPACE else identifier(kind)


@cache
def space_of(kind: str) -> str | None:
    """Return the namespace that a kind of element belongs to."""
    return FRAME_SPACE if kind == FRAME_SPACE else namespace(kind)


def child_is_single(kind: str, tag: str) -> str | None:
    """Return ``always`` or ``added`` for a child that is there at most once, None for repeated ones."""
    return single(kind, tag)


@cache
def required_of(kind: str) -> tuple[str, ...]:
    """Return the attributes that an element cannot be without."""
    return tuple(a.name for a in spec_of(kind).attributes.values() if a.required)
