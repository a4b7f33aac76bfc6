"""Setting and resetting attributes: values, names, references and files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from newtonish.mjcf.assets import Asset
from newtonish.mjcf.facts import identifier_of, required_of, space_of
from newtonish.mjcf.language.names import FILES, reference
from newtonish.mjcf.namescope import FRAME_SPACE, Names
from newtonish.mjcf.problems import refuse, refuse_lack, short
from newtonish.mjcf.references import MAIN, WORLD, check_reference
from newtonish.mjcf.values import SEPARATOR, check_identifier, check_text, check_value

if TYPE_CHECKING:
    from newtonish.mjcf.element import Element

__all__ = ["assign", "names_of", "release_name", "set_value", "unset", "xml_name"]


_EMPTY = frozenset({("attach", "prefix"), ("config", "value")})
"""Attributes of which an empty text says something."""


def xml_name(name: str) -> str:
    """Return the name in MJCF of a Python attribute: ``class`` is a word of Python's, hence ``dclass``."""
    return "class" if name == "dclass" else name


def assign(element: Element, attributes: dict[str, Any]) -> None:
    """Set attributes by their names in XML, all or none of them."""
    before, identifier = dict(element._values), identifier_of(element._kind)
    # A file gives an element its name, and a type tells what a name means: those come first.
    first = sorted(attributes, key=lambda name: name not in (identifier, "objtype", "reftype"))
    try:
        for name in first:
            element._set(name, attributes[name])
    except Exception:
        _restore(element, before)
        raise


def _restore(element: Element, before: dict[str, Any]) -> None:
    """Go back to earlier values."""
    key = identifier_of(element._kind) or ""
    if element._values.get(key) != before.get(key):
        release_name(element)
        if key in before:
            names_of(element).add(space_of(element._kind), before[key], element, element._label)
    element._values = before


def names_of(element: Element) -> Names:
    """Return the names that an element's own belongs to: its model's, or those of the attachment frame that it is in."""
    frame = element._parent
    return frame._names if frame is not None and frame._kind == FRAME_SPACE else element.namescope


def release_name(element: Element) -> None:
    """Give an element's name free."""
    name, space = element._values.get(identifier_of(element._kind) or ""), space_of(element._kind)
    if name and names_of(element).get(space, name) is element:
        names_of(element).remove(space, name)


def set_value(element: Element, key: str, value: Any) -> None:
    """Check and keep a value; None resets, and so does an empty text, where it is not numbers."""
    attribute = element.spec.attributes[key]
    empty = isinstance(value, str) and not value and attribute.type not in ("f", "i") and (element._kind, key) not in _EMPTY
    if value is None or empty:
        element._unset(key)
        return
    if key == identifier_of(element._kind):
        _rename(element, key, check_text(f"{element._label}, {key}", attribute, value))
    elif reference(element._kind, key):
        element._values[key] = check_reference(element, key, value)
    elif key in FILES:
        _set_file(element, key, value)
    else:
        element._values[key] = check_value(element._label, attribute, value)


def _rename(element: Element, key: str, name: str) -> None:
    """Change the name under which an element is found."""
    check_identifier(f"{element._label}, {key}", name)
    if name == WORLD and space_of(element._kind) == "body":
        refuse(f"{element._label}, {key}", short(name), "another name: it is that of the world", "choose another name")
    if element._kind == "default" and element._parent is element._root:
        if name != MAIN:
            refuse("top default class", short(name), f"'{MAIN}'", "add a default class inside it")
        return  # it is called so in any case
    elif name == MAIN and element._kind == "default":
        refuse(element._label, short(name), "another name, as the top class has this one", "choose another name")
    elif element._values.get(key) != name:
        names_of(element).add(space_of(element._kind), name, element, element._label)
        release_name(element)
    element._values[key] = name


def _set_file(element: Element, key: str, value: Any) -> None:
    """Keep the contents of a file; an element without a name gets the file's, as in MuJoCo."""
    asset = value if isinstance(value, Asset) else element._root._load(element, key, value)
    element._values[key] = asset
    if key == "file" and identifier_of(element._kind) == "name" and "name" not in element._values:
        if asset.default_name and SEPARATOR not in asset.default_name:
            _rename(element, "name", asset.default_name)


def unset(element: Element, key: str) -> None:
    """Reset an attribute to what MuJoCo takes for one that is not written."""
    if key in required_of(element._kind):
        refuse_lack(f"{element._label}, {key}", "no value", "a value, as it is required", "set another one instead")
    if key == "class" and element._kind == "default" and element._parent is not element._root:
        refuse_lack(f"{element._label}, class", "no value", "a name, as a class is found by it", "set another one instead")
    if key == identifier_of(element._kind):
        release_name(element)
    element._values.pop(key, None)
