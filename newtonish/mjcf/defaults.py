"""Default classes: which class holds for an element, and what it gets from there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from newtonish.mjcf.facts import space_of, spec_of
from newtonish.mjcf.language.names import SHARED
from newtonish.mjcf.references import MAIN, resolve

if TYPE_CHECKING:
    from newtonish.mjcf.element import Element

__all__ = ["class_of", "commit_defaults", "effective"]


def class_of(element: Element) -> Element:
    """Return the default class of an element: its own, the nearest ``childclass`` above it, or the top one."""
    root = element._root
    wanted = element._values.get("class") if element._kind != "default" else None
    above = element._parent
    while wanted is None and above is not None:
        wanted = above._values.get("childclass")
        above = above._parent
    found = resolve(element, "default", MAIN if wanted is None else wanted)
    return root.default if found is None or isinstance(found, str) else found


def effective(element: Element, name: str) -> Any:
    """Return what an attribute comes to, with default classes and without MuJoCo's own default; None if unset."""
    if name in element._values:
        return element._get(name)
    level: Element | None = class_of(element)
    while level is not None and level._kind == "default":
        for child in reversed(level._children):
            if child.tag in _tags(element) and name in child._values:
                return child._values[name]
        level = level._parent
    return None


def _tags(element: Element) -> tuple[str, ...]:
    """Tags under which the defaults of an element stand; all kinds of actuators share one set of values, the last written counts."""
    if space_of(element._kind) == "actuator":
        return tuple(spec_of(spec_of("mujoco").children["actuator"]).children)
    return (SHARED.get(element._kind, element._tag),)


def commit_defaults(element: Element, attributes: list[str] | None = None) -> None:
    """Write what an element gets from default classes into the element itself.

    Args:
        element: Any element.
        attributes: Names; None: all that a class can give.
    """
    names = element.spec.attributes if attributes is None else attributes
    for name in names:
        if name not in ("name", "class", "childclass") and name not in element._values:
            value = effective(element, name)
            if value is not None:
                element._set(name, value)
