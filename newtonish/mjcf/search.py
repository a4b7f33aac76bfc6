"""Finding elements by name, by namespace, and through attached models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from newtonish.mjcf.facts import space_of
from newtonish.mjcf.language.schema import nearest
from newtonish.mjcf.namescope import FRAME_SPACE, SPACES
from newtonish.mjcf.problems import refuse, short
from newtonish.mjcf.references import WORLD
from newtonish.mjcf.values import SEPARATOR

if TYPE_CHECKING:
    from newtonish.mjcf.element import Element
    from newtonish.mjcf.root import RootElement

__all__ = ["enter_scope", "find", "find_all"]


def find(element: Element, namespace: str, identifier: str) -> Any:
    """Return the element of a name below an element, in its model or in one attached to it; None if there is none."""
    _check(namespace)
    found = _named(element, namespace, identifier)
    return found if found is not None and _is_below(element, found) else None


def _is_below(element: Element, inner: Element) -> bool:
    """Whether an element is in another one, in a model attached there, or in the same section of a model attached to its model."""
    while inner is not None and inner is not element:
        if inner is inner.root:
            inner = inner._frame
        elif inner.root is not element.root and inner._parent is inner.root and inner._tag != "worldbody":
            inner = inner._parent.parent_model._child(inner._tag)
        else:
            inner = inner._parent
    return inner is element


def _named(element: Element, namespace: str, identifier: str) -> Any:
    """Return the element of a name as seen from an element's model."""
    path, slash, name = identifier.rpartition(SEPARATOR)
    if namespace == "joint" and slash and not name:
        return _joint_of_frame(element, path)
    root = enter_scope(element, path) if slash and path else element._root
    if root is None:
        return None
    if namespace == "body" and slash and not name:
        return root._frame
    if namespace == "body" and name == WORLD and not path:
        return root.worldbody
    return root.namescope.get(namespace, name)


def _joint_of_frame(element: Element, path: str) -> Any:
    """Return a joint of an attachment frame: ``child/x`` the one called x, ``child`` the one without a name."""
    above, _, name = path.rpartition(SEPARATOR)
    root = enter_scope(element, above) if above else None
    if root is not None and root._frame is not None and root._frame._names.has_identifier("joint", name):
        return root._frame._names.get("joint", name)
    root = enter_scope(element, path)
    joints = [] if root is None or root._frame is None else [j for j in root._frame._children if space_of(j._kind) == "joint"]
    return next((joint for joint in joints if "name" not in joint._values), None)


def enter_scope(element: Element, scope_identifier: str) -> RootElement | None:
    """Return the root of an attached model by the names on the way to it."""
    root = element._root
    for part in scope_identifier.strip(SEPARATOR).split(SEPARATOR):
        frame = root.namescope.get(FRAME_SPACE, part)
        if frame is None:
            return None
        root = frame._model
    return root


def find_all(element: Element, namespace: str, immediate: bool, exclude_attachments: bool) -> list[Any]:
    """Return the elements of a namespace below one, in the order of the text."""
    _check(namespace)
    stack, found = list(reversed(element._inner(exclude_attachments))), []
    while stack:
        inner = stack.pop()
        if space_of(inner._kind) == namespace:
            found.append(inner)
        if not immediate:
            stack.extend(reversed(inner._inner(exclude_attachments)))
    return found


def _check(namespace: str) -> None:
    if namespace not in SPACES:
        hint = nearest(str(namespace), SPACES) or "pass one of these"
        refuse("find, namespace", short(namespace), ", ".join(sorted(SPACES)), hint)
