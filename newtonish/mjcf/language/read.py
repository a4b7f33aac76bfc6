"""Reads MJCF text into a tree of nodes that know their place in the text, and checks it against the vocabulary.

lxml reads the XML; as it gives no columns, the text is scanned for start tags as well, and the n-th tag of the text is
the n-th element of the tree. Comments are blanked before parsing, since MuJoCo's reader accepts ``--`` inside them.
Entities are not expanded and nothing is fetched.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from lxml import etree

from newtonish.diagnostics import Diagnostics, Location
from newtonish.errors import ImporterError, problem
from newtonish.mjcf.language.limits import limits
from newtonish.mjcf.language.markup import declares_entities, replace_tags, start_tags, without_comments
from newtonish.mjcf.language.rules import check_rules
from newtonish.mjcf.language.schema import IGNORED, UNSUPPORTED, Attribute, nearest, parse_value, schema

__all__ = ["Node", "check_tree", "parse_text"]

_ATTRIBUTE = re.compile(r"(?<![^\s/=\"'])([A-Za-z_:][^\s=/>]*)\s*=\s*(\"[^\"]*\"|'[^']*')")
_ENCODING = re.compile(rb"^\s*<\?xml[^>]*encoding\s*=\s*[\"']([A-Za-z0-9._-]+)[\"']")
_DECLARATION = re.compile(r"^\s*<\?xml.*?\?>", re.DOTALL)


MOST_ATTRIBUTES = 1000
"""Of one element: finding each of them takes the longer the more there are."""


@dataclass
class Node:
    """An element.

    Attributes:
        tag: Name of the element.
        location: Where its start tag begins.
        text: Attributes as written.
        children: Elements inside.
        places: Where each attribute begins.
        kind: The vocabulary's name of this kind of element.
        values: Typed attributes, filled by :func:`check_tree`.
        settings: Compiler settings of an attached model that it comes from; None for those of the file.
        origin: The element that it is a copy of.
    """

    tag: str
    location: Location
    text: dict[str, str] = field(default_factory=dict)
    children: list[Node] = field(default_factory=list)
    places: dict[str, Location] = field(default_factory=dict)
    kind: str = ""
    values: dict[str, Any] = field(default_factory=dict)
    settings: Any = field(default=None, repr=False)
    origin: Node | None = field(default=None, repr=False)

    @property
    def label(self) -> str:
        """What a message calls it: ``joint 'knee'``."""
        name = self.text.get("name")
        return f"{self.tag} '{name}'" if name else f"element '{self.tag}'"

    def at(self, name: str) -> Location:
        """Where an attribute stands, or the element when it is not written."""
        return self.places.get(name, self.location)

    def sections(self, tag: str) -> Iterator[Node]:
        """The children of one name."""
        return (child for child in self.children if child.tag == tag)


def decode(data: bytes, file: str) -> str:
    """Return the text of a file; its XML declaration or byte order mark says how it is encoded."""
    match = _ENCODING.match(data[:512])
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        encoding = "utf-16"
    else:
        encoding = match.group(1).decode("ascii") if match else "utf-8-sig"
    if encoding.lower() in ("utf-8", "utf8"):
        encoding = "utf-8-sig"
    try:
        return data.decode(encoding)
    except LookupError:  # MuJoCo's reader does not look at the name
        return decode(_ENCODING.sub(b"<?xml", data, count=1), file)
    except UnicodeError as error:
        place = Location(file, data[: getattr(error, "start", 0) or 0].count(b"\n") + 1)
        raise ImporterError(problem(f"{place}: text", f"bytes that are not {encoding}", "UTF-8 text", "save the file as UTF-8")) from None


def _blank(text: str) -> str:
    """White space of the shape of a comment."""
    return re.sub(r"[^\n]", " ", text)


def parse_text(text: str, file: str) -> Node:
    """Return the root node of XML text.

    Raises:
        ImporterError: For text that is not well-formed XML, with its place.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "\ufffd")
    text = without_comments(text, _blank)
    text = _DECLARATION.sub(lambda match: _blank(match.group(0)), text)
    entity = declares_entities(text)
    if entity >= 0:
        place = _place(file, text, entity)
        raise ImporterError(problem(f"{place}: document type", "a declaration of entities", "plain MJCF", "remove the declaration"))
    body = text.lstrip()
    skipped = len(text) - len(body)
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True, remove_pis=True)
    try:
        try:
            root = etree.fromstring(body.encode("utf-8", "replace"), parser)
        except etree.XMLSyntaxError:
            mended = replace_tags(body, _mend)
            if mended == body:
                raise
            root = etree.fromstring(mended.encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError as error:
        raise _syntax_error(error, file, text, skipped) from None
    except ValueError as error:
        raise ImporterError(problem(f"{file}: text", str(error), "well-formed XML", "correct the file")) from None
    tags = _start_tags(file, text)
    nodes = [element for element in root.iter() if isinstance(element.tag, str)]
    if len(tags) != len(nodes):
        tags = [(Location(file, element.sourceline or 0), {}) for element in nodes]
    made: dict[Any, Node] = {}
    for element, (place, attributes) in zip(nodes, tags):
        if len(element.attrib) > MOST_ATTRIBUTES:
            given = f"{len(element.attrib)} attributes"
            raise ImporterError(problem(f"{place}: element '{element.tag}'", given, f"at most {MOST_ATTRIBUTES}", "remove those that nobody reads"))
        node = Node(str(element.tag), place, {str(k): str(v) for k, v in element.attrib.items()}, [], attributes)
        made[element] = node
        parent = element.getparent()
        if parent is not None:
            made[parent].children.append(node)
    return made[root]


def _mend(name: str, inside: str) -> str:
    """A start tag as XML has it: blanks between attributes, no bare ``&`` and ``<`` in values. MuJoCo's reader takes both."""
    inside = re.sub(r"(=\s*(?:\"[^\"]*\"|'[^']*'))(?=[A-Za-z_:])", r"\1 ", inside)
    inside = re.sub(r"&(?!#?\w{1,32};)", "&amp;", inside).replace("<", "&lt;")
    return name + inside


def _syntax_error(error: etree.XMLSyntaxError, file: str, text: str, skipped: int) -> ImporterError:
    """Turn lxml's message into one of ours; its position counts from where parsing began."""
    line, column = error.position if error.position else (1, 1)
    before = text[:skipped].count("\n")
    reason = re.sub(r",? line \d+, column \d+.*$", "", str(error.msg)).strip() or "an empty document"
    place = Location(file, max(line, 1) + before, max(column, 1))
    return ImporterError(problem(f"{place}: XML", reason, "well-formed XML", "correct the file at this place"))


def _place(file: str, text: str, offset: int) -> Location:
    """Turn an offset into line and column."""
    return Location(file, text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset))


def _start_tags(file: str, text: str) -> list[tuple[Location, dict[str, Location]]]:
    """Return the places of all start tags and of their attributes, in the order of the text."""
    result = []
    line, line_start, done = 1, 0, 0

    def locate(offset: int) -> Location:
        nonlocal line, line_start, done
        line += text.count("\n", done, offset)
        newline = text.rfind("\n", done, offset)
        line_start = newline + 1 if newline >= 0 else line_start
        done = offset
        return Location(file, line, offset - line_start + 1)

    for tag in start_tags(text):
        here = locate(tag.start)
        places = {a.group(1): locate(a.start()) for a in _ATTRIBUTE.finditer(text, tag.inside, tag.end)}
        result.append((here, places))
    return result


_ANY_ATTRIBUTE = ("frame", "replicate")
"""Kinds whose unknown attributes MuJoCo passes over."""
_BODIES = ("body", "frame", "replicate")
"""What MuJoCo takes, and passes over, directly below the root."""


def check_tree(root: Node, log: Diagnostics) -> None:
    """Give every node its kind and typed values; note unknown and malformed words as problems."""
    if root.tag != "mujoco":
        log.problem(root.location, f"element '{root.tag}'", "as the root", "'mujoco'", "pass an MJCF file")
        return
    _check(root, "mujoco", log, 0)


def _check(node: Node, kind: str, log: Diagnostics, depth: int) -> None:
    """Check one node and what is inside it."""
    node.kind = kind
    known = schema(kind)
    if depth > limits().depth:
        remedy = "flatten the tree, or pass a larger max_depth"
        log.problem(node.location, node.label, f"{depth} levels deep", f"{limits().depth} levels", remedy)
        return
    for name, text in node.text.items():
        attribute = known.attributes.get(name)
        if attribute is None and kind in _ANY_ATTRIBUTE:
            log.ignored(f"{kind}.unknown", node.at(name), f"{node.label}, {name}", "is no attribute of it and has no effect, as in MuJoCo")
            continue
        if attribute is None:
            hint = nearest(name, known.attributes) or f"known are {', '.join(sorted(known.attributes)) or 'none'}"
            log.problem(node.at(name), node.label, f"unknown attribute '{name}'", "MuJoCo 4.0's attributes", hint)
            continue
        _read_value(node, attribute, text, log)
    check_rules(node, log)
    for attribute in known.attributes.values():
        if attribute.required and attribute.name not in node.text:
            log.problem(node.location, node.label, f"no '{attribute.name}'", attribute.allowed, f"add '{attribute.name}'")
    stray = [child for child in node.children if kind == "mujoco" and child.tag in _BODIES]
    for child in stray:
        log.ignored("mujoco.body", child.location, child.label, "stands outside of worldbody and is not part of the model, as in MuJoCo")
    if stray:
        node.children = [child for child in node.children if child.tag not in _BODIES]
    for child in node.children:
        inner = known.children.get(child.tag)
        if inner is None:
            hint = nearest(child.tag, known.children) or f"known are {', '.join(sorted(known.children)) or 'none'}"
            log.problem(child.location, f"element '{child.tag}' in '{node.tag}'", "an unknown element", "MuJoCo 4.0's", hint)
            continue
        _check(child, inner, log, depth + 1)


SINGLE = 3.4028235e38
"""The largest number of a model's arrays."""


def _beyond_single(value: Any) -> bool:
    """Whether a number that is finite in the file, or one of some, is infinite in float32."""
    return any(SINGLE < abs(x) < math.inf for x in (value if isinstance(value, list) else (value,)))


def _read_value(node: Node, attribute: Attribute, text: str, log: Diagnostics) -> None:
    """Parse one attribute and note when it has no effect here."""
    name = attribute.name
    try:
        node.values[name] = parse_value(attribute, text)
    except ValueError as error:
        note = partial(log.problem, remedy="correct the value") if attribute.required else log.malformed  # readers rely on what is required
        note(node.at(name), f"{node.label}, {name}", str(error), attribute.allowed)
        return
    if attribute.type == "f" and _beyond_single(node.values[name]):
        note = f"is beyond {SINGLE:g}, the largest number of float32, in which it counts as infinite"
        log.approximated(f"{node.tag}.{name}.single", node.at(name), f"{node.label}, {name}", note)
    if attribute.status == UNSUPPORTED:
        log.ignored(f"{node.tag}.{name}", node.at(name), f"{node.label}, {name}", "is read but not simulated yet", warn=True)
    elif attribute.status == IGNORED and node.kind and schema(node.kind).status != IGNORED:
        log.ignored(f"{node.tag}.{name}", node.at(name), f"{node.label}, {name}", "has no effect here", warn=False)
