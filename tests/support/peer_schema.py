"""PyMJCF's tables of elements in our vocabulary's place: some of its tests bring one, with elements that MJCF does not have.

``override`` reads such a file into the rows that the object model is made of, so that the tests meet our elements, attributes and errors.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

_WORDS = {"int": "i", "float": "f"}
_TEXTS = ("string", "identifier", "reference", "basepath", "file")


def override(path: str) -> None:
    """Let elements be those of a schema in PyMJCF's form; of the file ``schema.xml``, which describes MJCF, those that are ours."""
    from newtonish.mjcf import facts, namescope, root, search
    from newtonish.mjcf.language import keywords, names, schema, vocabulary

    kept = _kept(facts, names, schema, keywords, vocabulary, namescope, search, root)
    for module, name, value in kept:
        setattr(module, name, value.copy() if isinstance(value, dict) else value)
    if Path(path).name != "schema.xml":
        table = _Table(ET.parse(path).getroot())
        vocabulary.ELEMENTS |= table.rows
        schema.ELEMENTS = names.ELEMENTS = vocabulary.ELEMENTS
        schema.KEYWORDS = keywords.KEYWORDS = keywords.KEYWORDS | table.words
        __import__("newtonish.mjcf.values", fromlist=["KEYWORDS"]).KEYWORDS = keywords.KEYWORDS
        names._REFERENCES |= table.references
        names._OWN_NAMESPACE |= table.spaces
        names.identifier = facts.identifier = lambda kind: table.identifiers.get(kind)
        names.single = facts.single = lambda kind, tag: table.single.get((kind, tag))
        names.NAMESPACES = names.NAMESPACES | set(table.spaces.values()) | set(table.rows)
        namescope.SPACES = search.SPACES = namescope.SPACES | names.NAMESPACES
        root.RootElement._directory = lambda self, element: element._values.get("basepath") or self.files.text_path or ""
    for function in (facts.spec_of, facts.identifier_of, facts.space_of, facts.required_of, names.namespace, names.reference, schema.schema):
        function.cache_clear()


_first: list = []


def _kept(facts, names, schema, keywords, vocabulary, namescope, search, root) -> list:
    """What is replaced, as it was at first."""
    if not _first:
        values = __import__("newtonish.mjcf.values", fromlist=["KEYWORDS"])
        places = [(vocabulary, "ELEMENTS"), (schema, "ELEMENTS"), (names, "ELEMENTS"), (schema, "KEYWORDS"), (keywords, "KEYWORDS"), (values, "KEYWORDS")]
        places += [(names, name) for name in ("_REFERENCES", "_OWN_NAMESPACE", "identifier", "single", "NAMESPACES")]
        places += [(facts, "identifier"), (facts, "single"), (namescope, "SPACES"), (search, "SPACES"), (root.RootElement, "_directory")]
        _first.extend((module, name, getattr(module, name)) for module, name in places)
    return _first


class _Table:
    """Rows of the vocabulary, and what it does not tell: keywords, references, namespaces, names, single elements."""

    def __init__(self, xml: ET.Element) -> None:
        self.rows: dict[str, tuple[str, str]] = {}
        self.words: dict[str, str] = {}
        self.references: dict[str, str] = {}
        self.spaces: dict[str, str] = {}
        self.identifiers: dict[str, str] = {}
        self.single: dict[tuple[str, str], str] = {}
        self._add(xml)

    def _add(self, xml: ET.Element) -> None:
        kind = xml.get("name")
        attributes = xml.findall("attributes/attribute")
        inner = [child for child in xml.findall("children/element") if child.get("name") != kind]
        children = [child.get("name") for child in inner] + [kind] * (xml.get("recursive") == "true" or kind == "default")
        if kind == "mujoco":
            children.append("compiler")  # which our models always have
            self.single[kind, "compiler"] = "always"
        known = self.rows.get(kind, ("", ""))
        self.rows[kind] = (known[0] or " ".join(self._attribute(kind, a) for a in attributes), known[1] or " ".join(children))
        for child in inner:
            if child.get("repeated") != "true":
                self.single[kind, child.get("name")] = "added" if child.get("on_demand") == "true" else "always"
            self._add(child)
        if xml.get("namespace"):
            self.spaces[kind] = xml.get("namespace")

    def _attribute(self, kind: str, xml: ET.Element) -> str:
        name, how = xml.get("name"), xml.get("type")
        if how in _TEXTS:
            word = "s"
        elif how == "keyword":
            word = f"{kind}_{name}"
            self.words[word] = xml.get("valid_values")
        else:
            word = _WORDS[xml.get("array_type") or how] + (f"1-{xml.get('array_size')}" if xml.get("array_size") else "*" if how == "array" else "")
        if how == "identifier":
            self.identifiers[kind] = name
        if how == "reference" and name not in self.references:
            space = xml.get("reference_namespace") or name
            self.references[name] = space.replace("attrib:", "@")
        return f"{name}:{word}" + "&" * (xml.get("required") == "true")


def let_scopes_stand_alone() -> None:
    """Let a scope be made by a name, without a model, and be put into another one, as PyMJCF's can: only names are looked at then."""
    from newtonish.mjcf.namescope import NameScope

    make, name, parent = NameScope.__init__, NameScope.name.fget, NameScope.parent.fget

    def made(self, root, *_) -> None:
        if isinstance(root, str):
            self.__dict__.update(root=None, _name=root, _outer=None)
        else:
            make(self, root)

    NameScope.__init__ = made
    NameScope.name = property(lambda self: self.__dict__["_name"] if self.root is None else name(self))
    NameScope.parent = property(
        lambda self: self.__dict__["_outer"] if "_outer" in self.__dict__ else parent(self), lambda self, outer: self.__dict__.update(_outer=outer)
    )
