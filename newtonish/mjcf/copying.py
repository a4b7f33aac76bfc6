"""Deep copies of models, along with the models attached to them, and copies of one model's contents into another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from newtonish.mjcf.attachment import AttachmentFrame
from newtonish.mjcf.attributes import names_of
from newtonish.mjcf.children import make_element
from newtonish.mjcf.facts import child_is_single, identifier_of, space_of
from newtonish.mjcf.namescope import FRAME_SPACE, Names
from newtonish.mjcf.problems import refuse, short

if TYPE_CHECKING:
    from newtonish.mjcf.element import Element
    from newtonish.mjcf.root import RootElement

__all__ = ["copy_model", "include_copy"]


def copy_model(root: RootElement) -> RootElement:
    """Return a model that says the same and shares nothing with this one that can be changed."""
    twins: dict[int, Element] = {}
    copied = _copy_tree(root, twins)
    for element in [e for model in copied._whole() for e in (model, *model._descendants())]:
        for key, value in element._values.items():
            element._values[key] = _copy_value(value, twins)
    return copied


def include_copy(root: RootElement, other: RootElement, override: bool) -> None:
    """Copy all that is in another model into this one; see :meth:`RootElement.include_copy`."""
    twins: dict[int, Element] = {id(other): root, id(other.worldbody): root.worldbody}
    copied: list[tuple[Element, Element, bool]] = []
    stack = [(section, root._child(section._tag), override) for section in other._children]
    while stack:
        source, target, overrides = stack.pop(0)
        copied.append((source, target, overrides))
        for child in source._children:
            if child._kind != FRAME_SPACE and not child._empty:
                there = _counterpart(child, target, override)
                twin = there if there is not None else make_element(child._kind, child._tag, target)
                if there is None:
                    target._children.append(twin)
                twins[id(child)] = twin
                stack.append((child, twin, overrides or there is None))
    for source, target, overrides in copied:
        _include_values(source, target, twins, overrides)


def _counterpart(child: Element, target: Element, override: bool) -> Element | None:
    """The element of a model that a child of another one is copied into, None for a new one."""
    if child_is_single(target._kind, child._tag):
        return target._child(child._tag)
    name = child._values.get(identifier_of(child._kind) or "")
    if not override or not name:
        return None
    found = target.namescope.get(space_of(child._kind), name)
    if found is not None and found._parent is not target:
        given = f"a {child._tag} '{name}', which is in another element here"
        refuse("include_copy", given, "elements of one name in the same place", "rename one of them")
    return found


def _include_values(source: Element, target: Element, twins: dict[int, Element], override: bool) -> None:
    """Copy the attributes of an element; those that are here already may only differ if they are to be overridden."""
    values = {}
    for key, value in source._values.items():
        value = _copy_value(value, twins)
        before = target._values.get(key)
        if before is None or override:
            values["dclass" if key == "class" else key] = list(value) if isinstance(value, tuple) else value
        elif not np.array_equal(before, value):
            given = f"Conflicting values: {short(value)}, where there is {short(before)}"
            refuse(f"{target._label}, {key}", given, "values that agree", "pass override_attributes=True")
    target.set_attributes(**values)
    target._explicit = target._explicit or source._explicit


def _copy_tree(root: RootElement, twins: dict[int, Element]) -> RootElement:
    """Copy elements with their values as they are; references still lead into the original."""
    from newtonish.mjcf.root import RootElement

    copied = RootElement(model_dir=root._folder, assets=root._assets)
    copied._children.clear()
    copied._resolves = root._resolves
    twins[id(root)] = copied
    copied._values = dict(root._values)
    stack = [(root, copied)]
    while stack:
        source, target = stack.pop()
        for child in source._children:
            if isinstance(child, AttachmentFrame):
                twin = AttachmentFrame._make(FRAME_SPACE, "body", target)
                twin._model, twin._names = _copy_tree(child._model, twins), Names()
                twin._model._frame = twin
                copied._namescope.add(FRAME_SPACE, twin._model.namescope.name, twin, "copy")
            else:
                twin = make_element(child._kind, child._tag, target)
            twin._values, twin._explicit = dict(child._values), child._explicit
            name = child._values.get(identifier_of(child._kind) or "")
            if name and names_of(child).get(space_of(child._kind), name) is child:
                names_of(twin).add(space_of(child._kind), name, twin, "copy")
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
