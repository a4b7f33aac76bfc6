"""Deep copies of models, along with the models attached to them; the copy itself is attached to nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from newtonish.mjcf.attachment import AttachmentFrame
from newtonish.mjcf.children import make_element
from newtonish.mjcf.facts import identifier_of, space_of
from newtonish.mjcf.namescope import FRAME_SPACE

if TYPE_CHECKING:
    from newtonish.mjcf.element import Element
    from newtonish.mjcf.root import RootElement

__all__ = ["copy_model"]


def copy_model(root: RootElement) -> RootElement:
    """Return a model that says the same and shares nothing with this one that can be changed."""
    twins: dict[int, Element] = {}
    copied = _copy_tree(root, twins)
    for element in [e for model in copied._whole() for e in (model, *model._descendants())]:
        for key, value in element._values.items():
            element._values[key] = _copy_value(value, twins)
    return copied


def _copy_tree(root: RootElement, twins: dict[int, Element]) -> RootElement:
    """Copy elements with their values as they are; references still lead into the original."""
    from newtonish.mjcf.root import RootElement

    copied = RootElement(model_dir=root._folder, assets=root._assets)
    copied._children.clear()
    twins[id(root)] = copied
    copied._values = dict(root._values)
    stack = [(root, copied)]
    while stack:
        source, target = stack.pop()
        for child in source._children:
            if isinstance(child, AttachmentFrame):
                twin = AttachmentFrame._make(FRAME_SPACE, "body", target)
                twin._model = _copy_tree(child._model, twins)
                twin._model._frame = twin
                copied._namescope.add(FRAME_SPACE, twin._model.namescope.name, twin, "copy")
            else:
                twin = make_element(child._kind, child._tag, target)
            twin._values, twin._explicit = dict(child._values), child._explicit
            name = child._values.get(identifier_of(child._kind) or "")
            if name and child.namescope.get(space_of(child._kind), name) is child:
                copied._namescope.add(space_of(child._kind), name, twin, "copy")
            twins[id(child)] = twin
            target._children.append(twin)
            stack.append((child, twin))
    copied._frames = [twins[id(frame)] for frame in root._frames]
    return copied


def _copy_value(value: Any, twins: dict[int, Element]) -> Any:
    """Copy an array, and lead a reference to the copy of its element; one to an outer model is kept by name."""
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, tuple):
        return tuple(_copy_value(item, twins) for item in value)
    if hasattr(value, "_kind"):
        return twins.get(id(value), value)
    return value
