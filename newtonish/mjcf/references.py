"""Attributes that name other elements: they hold the element, so that they follow when it is renamed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from newtonish.mjcf.facts import space_of
from newtonish.mjcf.language.names import object_namespace, reference
from newtonish.mjcf.namescope import FRAME_SPACE
from newtonish.mjcf.problems import refuse, short
from newtonish.mjcf.values import SEPARATOR

if TYPE_CHECKING:
    from newtonish.mjcf.element import Element

__all__ = ["MAIN", "WORLD", "check_reference", "get_reference", "reference_space", "resolve"]

WORLD = "world"
MAIN = "main"

_OBJTYPE = {"joint": "joint", "body": "body", "geom": "geom", "site": "site", "camera": "camera"}


def reference_space(element: Element, attribute: str) -> str | None:
    """Return the namespace that an attribute's text is looked up in, None where the text names nothing known."""
    fact = reference(element._kind, attribute)
    if fact is None:
        return None
    space = fact[0]
    if space.startswith("@"):
        return object_namespace(element._values.get(space[1:], ""))
    return space


def check_reference(element: Element, attribute: str, value: Any) -> Any:
    """Return what is kept for a reference: an element, a name, or a tuple of them where several are meant.

    An element given for ``objname`` also sets ``objtype`` where that is not set.

    Raises:
        ModelError: An element of another namespace, a removed one, or a name with a slash.
    """
    where = f"{element._label}, {attribute}"
    space, several = reference(element._kind, attribute)
    if several:
        items = value.split() if isinstance(value, str) else value
        if not isinstance(items, (list, tuple)):
            refuse(where, short(value), f"names or elements of namespace '{space}'", "pass a list")
        return tuple(_check_one(where, space, item) for item in items)
    if space.startswith("@"):
        value = _with_type(element, space[1:], where, value)
        space = object_namespace(element._values.get(space[1:], "")) or space
    return _check_one(where, space, value)


def _with_type(element: Element, attribute: str, where: str, value: Any) -> Any:
    """Set the type that belongs to an object's name."""
    if not isinstance(value, str) and hasattr(value, "_kind"):
        own = object_namespace(element._values.get(attribute, ""))
        space = _space(value)
        if own is None and space is not None:
            element._values[attribute] = _OBJTYPE.get(space, space)
    return value


def _space(target: Element) -> str | None:
    """Namespace of an element as seen by references: the world and attachment frames are bodies."""
    if target._kind in ("worldbody", FRAME_SPACE):
        return "body"
    return space_of(target._kind)


def _check_one(where: str, space: str, value: Any) -> Any:
    """Check one name or element."""
    allowed = f"an element of namespace '{space}', or its name" if not space.startswith("@") else "an element, or its name"
    if isinstance(value, str):
        if SEPARATOR in value:
            refuse(where, short(value), f"{allowed} without '{SEPARATOR}'", "pass the element itself")
        return value
    if not hasattr(value, "_kind"):
        refuse(where, f"{short(value)}, a {type(value).__name__}", allowed, "pass one of these")
    if value.is_removed:
        refuse(where, f"{value._label}, which has been removed", allowed, "add it again first")
    if _space(value) != space:
        refuse(where, value._label, allowed, "pass an element of the right kind")
    return value


def get_reference(element: Element, attribute: str) -> Any:
    """Return the element that an attribute names, or the name where there is no such element (yet).

    A reference to an element that has been removed is gone with it, and so is the type of the object that it was.
    """
    stored = element._values.get(attribute)
    if stored is None or (isinstance(stored, (str, tuple)) and not element.root._resolves):
        return list(stored) if isinstance(stored, tuple) else stored
    space = reference_space(element, attribute)
    if isinstance(stored, tuple):
        found = tuple(item for item in (resolve(element, space, entry) for entry in stored) if item is not None)
        element._values[attribute] = found
        return list(found)
    found = resolve(element, space, stored)
    if found is None:
        del element._values[attribute]
        kind = reference(element._kind, attribute)[0]
        if kind.startswith("@"):
            element._values.pop(kind[1:], None)
        return None
    element._values[attribute] = found
    return found


def resolve(element: Element, space: str | None, stored: Any) -> Any:
    """Return the element of a name if there is one, the name itself if not, and None for a removed element."""
    if not isinstance(stored, str):
        return None if stored.is_removed else stored
    root = element.root
    if space is None:
        return stored
    if space == "body" and stored == WORLD:
        return root.worldbody
    if space == "default" and stored == MAIN:
        return root.default
    found = root.namescope.get(space, stored)
    return stored if found is None else found
