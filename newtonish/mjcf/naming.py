"""Names as they are written: with the models in front, for classes, for the world, and for what has no name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newtonish.mjcf.facts import identifier_of, space_of
from newtonish.mjcf.namescope import FRAME_SPACE, NameScope
from newtonish.mjcf.references import MAIN, WORLD
from newtonish.mjcf.values import SEPARATOR

if TYPE_CHECKING:
    from newtonish.mjcf.element import Element
    from newtonish.mjcf.root import RootElement

__all__ = ["class_name", "has_own_class", "in_frame", "name_prefix", "own_name", "prefixed_name", "world_name"]


def prefixed_name(element: Element, prefix_root: NameScope | None = None) -> str | None:
    """Return an element's name as seen from a model; None for kinds without names."""
    if element._kind == "worldbody":
        return world_name(element._root, prefix_root)
    if element._parent is None and element is element._root:
        return element.namescope.full_prefix(prefix_root)
    if element._kind == FRAME_SPACE:
        return element._model.namescope.full_prefix(prefix_root)
    if element._kind == "default" and element._parent is element._root:
        return class_name(element._root, prefix_root)
    if identifier_of(element._kind) is None:
        return None
    return name_prefix(element, prefix_root) + own_name(element)


def in_frame(element: Element) -> bool:
    """Whether it is a joint of an attachment frame."""
    return element._parent is not None and element._parent._kind == FRAME_SPACE


def name_prefix(element: Element, prefix_root: NameScope | None) -> str:
    """Return what precedes an element's own name: the models around it, and for a joint of an attachment frame that model, too."""
    scope = element._parent._model.namescope if in_frame(element) else element.namescope
    return scope.full_prefix(prefix_root)


def own_name(element: Element) -> str:
    """Return the name in the model itself; one without a name is called after its place among its like.

    Only elements that others refer to are written with such a name.
    """
    name = element._values.get(identifier_of(element._kind) or "")
    if in_frame(element):
        return f"{name}{SEPARATOR}" if name else _number_in_frame(element)
    if name:
        return name
    space = space_of(element._kind)
    like = element._root.find_all(space, exclude_attachments=True)
    place = next((k for k, other in enumerate(like) if other is element), len(like))
    name = f"unnamed_{space}_{place}"
    while element.namescope.has_identifier(space, name):
        name += "_"
    return name


def _number_in_frame(joint: Element) -> str:
    """Return the own name of a joint without one: nothing for the first of a frame, which has the frame's name then."""
    nameless = [other for other in joint._parent._children if "name" not in other._values and other._kind == joint._kind]
    place = next((k for k, other in enumerate(nameless) if other is joint), 0)
    return f"unnamed_joint_{place}{SEPARATOR}" if place else ""


def world_name(root: RootElement, prefix_root: NameScope | None) -> str:
    """Return the name of a model's world: the world, or the frame that the model is attached by."""
    if root._frame is None or root._namescope is prefix_root:
        return WORLD
    return root._namescope.full_prefix(prefix_root)


def class_name(root: RootElement, prefix_root: NameScope | None) -> str:
    """Return the name of a model's top default class: ``/``, ``child/``, or ``main`` where none needs to be written."""
    if not has_own_class(root, prefix_root):
        return MAIN
    return root._namescope.full_prefix(prefix_root) or SEPARATOR


def has_own_class(root: RootElement, prefix_root: NameScope | None) -> bool:
    """Whether a model's defaults are written as a class of its own, so that they end where the model ends."""
    attached = root._frame is not None and root._namescope is not prefix_root
    default = next((child for child in root._children if child.tag == "default"), None)
    return attached or (default is not None and any(not child._empty for child in default._children))
