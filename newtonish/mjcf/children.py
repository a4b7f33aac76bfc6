"""Adding and removing elements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from newtonish.mjcf.attributes import release_name
from newtonish.mjcf.facts import child_is_single, required_of
from newtonish.mjcf.problems import refuse, refuse_lack

if TYPE_CHECKING:
    from newtonish.mjcf.element import Element

__all__ = ["insert", "make_element", "remove"]


def make_element(kind: str, tag: str, parent: Element) -> Any:
    """Make an element of the class that belongs to its kind; it is not yet among its parent's children."""
    from newtonish.mjcf.attachment import DefaultElement, SiteElement, WorldElement
    from newtonish.mjcf.element import Element

    return {"site": SiteElement, "default": DefaultElement, "worldbody": WorldElement}.get(kind, Element)._make(kind, tag, parent)


def insert(parent: Element, tag: str, position: int | None, attributes: dict[str, Any]) -> Any:
    """Add a child with its attributes; nothing is changed when that fails."""
    if parent.is_removed:
        refuse(parent._label, "a child after its removal", "elements in a model", "add a new element")
    if tag not in parent.spec.children:
        raise parent._unknown(tag)
    if child_is_single(parent._kind, tag):
        old = parent._child(tag)
        if old is not None:
            return _fill_single(parent, old, attributes)
    child = make_element(parent.spec.children[tag], tag, parent)
    try:
        child.set_attributes(**attributes)
        _check_required(child)
    except Exception:
        _release(child)
        raise
    same = [k for k, other in enumerate(parent._children) if other._kind == child._kind and other.tag == tag]
    following = same[position:] if position is not None else []
    parent._children.insert(following[0] if following else len(parent._children), child)
    return child


def _fill_single(parent: Element, child: Element, attributes: dict[str, Any]) -> Element:
    """Add a child that is there without having been added; it is written from now on, behind the others."""
    if not child._empty:
        remedy = "change the one that is there"
        refuse(f"{parent._label}, {child.tag}", f"another '{child.tag}'", "one at most", remedy)
    child.set_attributes(**attributes)
    child._explicit = True
    if parent is not parent._root:
        parent._children.remove(child)
        parent._children.append(child)
    return child


def _check_required(child: Element) -> None:
    """Refuse an element that lacks what it cannot be without."""
    missing = [name for name in required_of(child._kind) if name not in child._values]
    if child._kind == "default" and "class" not in child._values:
        missing.append("dclass")
    if missing:
        lack = f"no {' and no '.join(missing)}"
        refuse_lack(child._label, lack, "elements with every attribute that is required", "give them to add")


def remove(element: Element, affect_attachments: bool) -> None:
    """Take an element and what is in it out of its model; one that is always there is emptied."""
    parent = element._parent
    if parent is None:
        refuse("the root element", "its removal", "elements inside it", "detach the model, or make a new one")
    if element.is_removed:
        refuse(element._label, "a second removal", "elements in a model", "leave it out")
    touched = [model for model in element._root._attached() if parent is element._root and not model._child(element.tag)._empty]
    if touched and not affect_attachments:
        given = f"its removal, which leaves that of the attached model '{touched[0].namescope.name}'"
        refuse(element._label, given, "removal in all models", "use remove(affect_attachments=True), or remove what is in it")
    if affect_attachments and parent is element._root:
        for model in element._root._attached():
            remove(model._child(element.tag), True)
    if child_is_single(parent._kind, element.tag) == "always":
        for child in list(element._children):
            remove(child, False)
        for key in list(element._values):
            element._unset(key)
        element._explicit = False
        return
    parent._children.remove(element)
    _release(element)


def _release(element: Element) -> None:
    """Give up the names of an element and of all that is in it."""
    for inner in [element, *element._descendants()]:
        release_name(inner)
        inner._removed = True
        inner._leave()
