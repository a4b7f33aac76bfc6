"""Whether two elements say the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from newtonish.mjcf.attachment import UNSHARED
from newtonish.mjcf.naming import prefixed_name

if TYPE_CHECKING:
    from newtonish.mjcf.element import Element

__all__ = ["same"]


def same(one: Element, other: Any) -> bool:
    """Compare tag, attributes and children; names and references as their own models write them.

    Children of different tags may stand in another order, but for the path of a spatial tendon; a model's own name does not count.
    """
    pairs = [(one, other)]
    while pairs:
        mine, theirs = pairs.pop()
        if mine is theirs:
            continue
        if not hasattr(theirs, "_kind") or mine._kind != theirs._kind or _attributes(mine) != _attributes(theirs):
            return False
        inner, outer = _children(mine), _children(theirs)
        if len(inner) != len(outer):
            return False
        pairs.extend(zip(inner, outer))
    return True


def _children(element: Element) -> list[Element]:
    """Children that say something."""
    inner = [child for child in element.all_children() if child._kind != "compiler" or _attributes(child) or child.all_children()]
    return inner if element._kind == "spatial" else sorted(inner, key=lambda child: child._tag)


def _attributes(element: Element) -> dict[str, Any]:
    """Values that can be compared with ``==``."""
    found = element.get_attributes().items()
    # the contents of files are compared, not their folders
    ignored = UNSHARED if element._kind == "compiler" else ("model",) if element is element._root else ()
    return {name: _plain(element, value) for name, value in found if name not in ignored}


def _plain(element: Element, value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return tuple(value.tolist())
    if isinstance(value, list):
        return tuple(_plain(element, item) for item in value)
    if hasattr(value, "_kind"):
        scope = element.namescope if _inside(element, value) else None
        return prefixed_name(value, scope)
    return value


def _inside(element: Element, target: Element) -> bool:
    """Whether a target is in the element's model or one attached to it."""
    root = target.root
    while root is not element.root:
        if root.parent_model is None:
            return False
        root = root.parent_model
    return True
