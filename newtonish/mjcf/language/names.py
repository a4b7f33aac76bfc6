"""Who is called what in MJCF: namespaces of names, attributes that refer to elements, files, and single elements. Data.

It adds to the vocabulary what its words do not tell: the vocabulary says that ``joint`` of a motor is text, this that
the text is the name of a joint.
"""

from __future__ import annotations

from functools import cache

from newtonish.mjcf.language.schema import schema
from newtonish.mjcf.language.vocabulary import ELEMENTS

__all__ = [
    "DIRECTORIES",
    "FILES",
    "NAMESPACES",
    "SHARED",
    "identifier",
    "namespace",
    "object_namespace",
    "reference",
    "single",
]

_REFERENCES: dict[str, str] = {
    "class": "default", "childclass": "default",
    "joint": "joint", "jointinparent": "joint", "joint1": "joint", "joint2": "joint",
    "tendon": "tendon", "tendon1": "tendon", "tendon2": "tendon",
    "site": "site", "slidersite": "site", "cranksite": "site", "refsite": "site", "site1": "site", "site2": "site",
    "sidesite": "site",
    "body": "body", "body1": "body", "body2": "body", "subtree1": "body", "subtree2": "body", "target": "body",
    "node": "body",
    "geom": "geom", "geom1": "geom", "geom2": "geom",
    "mesh": "mesh", "hfield": "hfield", "texture": "texture", "material": "material",
    "camera": "camera", "actuator": "actuator", "flex": "flex", "instance": "instance", "model": "model",
    "objname": "@objtype", "refname": "@reftype",
}  # fmt: skip
"""Attribute of type text -> namespace of what it names; ``@objtype`` says that another attribute names the namespace."""

SHARED = {"fixed": "tendon", "spatial": "tendon"} | dict.fromkeys(("connect", "weld", "eq_joint", "eq_tendon"), "equality")
"""Kinds of elements whose defaults stand under another name."""

_NO_REFERENCE = frozenset({("mujoco", "model"), ("attach", "body"), ("attach", "frame"), ("default", "class")})
"""Text in spite of its name; the parts of an attached model that ``attach`` names are in another model."""

_SEVERAL = frozenset({("flex", "body"), ("flex", "node")})
"""References to several elements in one attribute."""

FILES = frozenset({"file", "fileright", "fileleft", "fileup", "filedown", "filefront", "fileback"})
"""Attributes that hold the path of a file."""

DIRECTORIES: dict[str, str] = {
    "mesh": "meshdir",
    "hfield": "meshdir",
    "skin": "meshdir",
    "flexcomp": "meshdir",
    "texture": "texturedir",
    "model": "",
}
"""Kind of element with files -> the compiler's attribute with their folder."""

_OWN_NAMESPACE = {"freejoint": "joint", "spatial": "tendon", "fixed": "tendon", "flexcomp": "flex"}
_FAMILIES = {"actuators": "actuator", "sensors": "sensor", "equalities": "equality"}
_ON_DEMAND: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("body", "worldbody", "frame", "replicate", "attachment_frame"), ("inertial", "freejoint")),
    "composite": ("skin", "geom", "site"),
    "flexcomp": ("edge", "elasticity", "contact"),
    "flex": ("edge", "elasticity", "contact"),
}
"""Single children that are there only when they are added."""

_SECTIONS = frozenset({"mujoco", "compiler", "option", "visual", "default"})
"""Kinds whose children are there once, without being added."""

_OBJECTS = {"xbody": "body", "xbodyquat": "body", "general": "actuator"}


@cache
def identifier(kind: str) -> str | None:
    """Return which attribute names elements of a kind: ``name``, ``class`` for default classes, or none."""
    if kind == "default":
        return "class"
    if kind.startswith("default"):  # also the shared defaults of tendons, which are nobody's name
        return None
    return "name" if "name" in schema(kind).attributes else None


@cache
def namespace(kind: str) -> str | None:
    """Return within which set of elements the names of a kind have to differ."""
    if identifier(kind) is None:
        return None
    for family, space in _FAMILIES.items():
        if kind in schema(family).children.values():
            return space
    return _OWN_NAMESPACE.get(kind, kind)


NAMESPACES = frozenset(space for kind in ELEMENTS if (space := namespace(kind)))
"""All namespaces."""


@cache
def reference(kind: str, attribute: str) -> tuple[str, bool] | None:
    """Return (namespace, whether several) of an attribute that names elements, else None.

    The namespace ``@objtype`` stands for the one that the attribute ``objtype`` of the same element says.
    """
    plain = kind.removeprefix("default:")
    known = schema(kind).attributes.get(attribute) if plain in ELEMENTS else None
    if known is None or known.type != "s" or attribute not in _REFERENCES or (plain, attribute) in _NO_REFERENCE:
        return None
    return _REFERENCES[attribute], (plain, attribute) in _SEVERAL


def object_namespace(objtype: str) -> str | None:
    """Return the namespace of an ``objtype``, None for one that has no names here."""
    space = _OBJECTS.get(objtype, objtype)
    return space if space in NAMESPACES else None


@cache
def single(kind: str, tag: str) -> str | None:
    """Return how a child that is there at most once comes to be: ``always`` or ``added``; None for repeated ones."""
    if kind in _SECTIONS and tag != kind:
        return "always"
    return "added" if tag in _ON_DEMAND.get(kind, ()) else None
