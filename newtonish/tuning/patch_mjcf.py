"""Tuned gains as a changed copy of an MJCF file: nothing else of the text changes, not a blank.

An attribute is changed where it stands: on the element; in a default class, if all elements that take it from there get the same; or it is
added to the element. Gains stay in the words they were written in: ``kv`` or ``dampratio``, ``gainprm`` and ``biasprm``, ``solreflimit``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from newtonish.errors import UnsupportedError, problem
from newtonish.files import write_file
from newtonish.tuning.result import Outcome, TargetResult

__all__ = ["write_mjcf"]

_FILES = {"file", "meshdir", "texturedir", "assetdir", "fileright", "fileleft", "fileup", "filedown", "filefront", "fileback"}


@dataclass
class Element:
    """A start tag: where it stands in which file."""

    tag: str
    attributes: dict[str, str]
    file: Path
    start: int
    parent: Element | None
    children: list[Element] = field(default_factory=list)

    def walk(self) -> Iterator[Element]:
        yield self
        for child in self.children:
            yield from child.walk()


def write_mjcf(source: Path, outcome: Outcome, names: list[str], out: Path) -> list[Path]:
    """Write a copy of a model with the tuned gains; included files that change get copies beside them.

    Args:
        source: The model file.
        outcome: What was found.
        names: Names of all actuators, in their order.
        out: File to write.

    Returns:
        The files that were written.

    Raises:
        UnsupportedError: An element cannot be found, as of an attached model, or files would not be found from the place of ``out``.
    """
    source = source.resolve()
    texts: dict[Path, bytes] = {}
    root = _read(source, source, texts, None)
    if out.resolve().parent != source.parent and any(_FILES & set(element.attributes) for element in root.walk()):
        given = f"a folder other than that of {source.name}, which names files relative to its own"
        raise UnsupportedError(problem(f"--out {str(out)!r}", given, f"a file in {source.parent}", "write it there, or write the gains as Python lines (.py)"))
    edits: dict[tuple[Path, int], dict[str, str]] = {}
    wanted: list[tuple[Element, dict[str, str]]] = []
    for result in filter(lambda result: result.changed, outcome.results):
        wanted += _wanted(root, result, names)
    for element, attributes in wanted:
        for name, text in attributes.items():
            place = _place(root, element, name, text, wanted)
            edits.setdefault((place.file, place.start), {})[name] = text
    return _write(root, source, out, texts, edits)


def _read(path: Path, main: Path, texts: dict[Path, bytes], parent: Element | None) -> Element:
    """The tree of a file, with included files in their places."""
    texts[path] = path.read_bytes()
    parser = expat.ParserCreate()
    stack: list[Element | None] = [parent]
    first: list[Element] = []

    def begin(tag: str, attributes: dict[str, str]) -> None:
        element = Element(tag, attributes, path, parser.CurrentByteIndex, stack[-1])
        if stack[-1] is not None:
            stack[-1].children.append(element)
        first.append(element)
        stack.append(element)
        if tag == "include" and "file" in attributes:
            found = next((folder / attributes["file"] for folder in (path.parent, main.parent) if (folder / attributes["file"]).is_file()), None)
            if found is not None:
                _read(found.resolve(), main, texts, element)

    parser.StartElementHandler = begin
    parser.EndElementHandler = lambda tag: stack.pop()
    parser.Parse(texts[path], True)
    return first[0]


def _wanted(root: Element, result: TargetResult, names: list[str]) -> list[tuple[Element, dict[str, str]]]:
    """Elements and what they are to say."""
    target = result.target
    if target.kind == "limit":
        sign = -1.0 if target.names[0] == "stiffness" else 1.0
        joint = _find(root, ("joint",), {"name": target.name}, target.name)
        return [(joint, {"solreflimit": " ".join(_text(sign * value) for value in result.values)})]
    found = []
    for actuator, which in ((target.stiffener, (0, 1)),) if target.damper == target.stiffener else ((target.stiffener, (0,)), (target.damper, (1,))):
        element = _actuator(root, names[actuator], target.name)
        found.append((element, _gains(root, element, result, which)))
    return found


def _gains(root: Element, element: Element, result: TargetResult, which: tuple[int, ...]) -> dict[str, str]:
    """Attributes of an actuator by what kind of element it is."""
    (kp, kv), (old_kp, old_kv) = result.values, result.authored
    if element.tag == "general":
        gain, bias = (_numbers(_effective(root, element, name), text) for name, text in (("gainprm", "1"), ("biasprm", "0 0 0")))
        if 0 in which:
            gain[0], bias[1] = gain[0] * kp / old_kp, -kp
        if 1 in which:
            bias[2] = -kv
        return {"gainprm": " ".join(map(_text, gain)), "biasprm": " ".join(map(_text, bias))}
    words = {"position": ("kp", "kv"), "intvelocity": ("kp", "kv"), "velocity": ("", "kv")}.get(element.tag)
    if words is None:
        text = problem(
            f"joint '{result.target.name}'",
            f"a drive of kind <{element.tag}>",
            "position, velocity, intvelocity, general",
            "write the gains as Python lines (.py)",
        )
        raise UnsupportedError(text)
    attributes = {words[0]: _text(kp)} if 0 in which and words[0] else {}
    if 1 in which:
        ratio, own = _effective(root, element, "dampratio"), _effective(root, element, "kv")
        if ratio is not None and ("kv" not in element.attributes and own is None) and old_kv > 0.0:
            attributes["dampratio"] = _text(float(ratio) * kv / old_kv * math.sqrt(old_kp / kp))
        else:
            attributes["kv"] = _text(kv)
    return attributes


def _actuator(root: Element, name: str, joint: str) -> Element:
    parents = [element for element in root.walk() if element.tag == "actuator"]
    inside = [child for parent in parents for child in parent.walk() if child is not parent]
    same = [element for element in inside if element.attributes.get("name") == name] if name else []
    same = same or [element for element in inside if joint in (element.attributes.get("joint"), element.attributes.get("jointinparent"))]
    if len(same) != 1:
        _lost(f"actuator '{name or joint}'", len(same))
    return same[0]


def _find(root: Element, tags: tuple[str, ...], attributes: dict[str, str], name: str) -> Element:
    same = [e for e in root.walk() if e.tag in tags and all(e.attributes.get(key) == value for key, value in attributes.items()) and not _in(e, "equality")]
    if len(same) != 1:
        _lost(f"joint '{name}'", len(same))
    return same[0]


def _lost(title: str, count: int) -> None:
    given = f"{count or 'no'} element{'s' if count != 1 else ''} of that name in the text"
    raise UnsupportedError(problem(title, given, "elements that are written out once", "write the gains as Python lines (.py)"))


def _in(element: Element, tag: str) -> bool:
    return element.parent is not None and (element.parent.tag == tag or _in(element.parent, tag))


def _default_of(root: Element, element: Element) -> Element | None:
    """The default class that counts for an element."""
    name, holder = element.attributes.get("class"), element.parent
    while name is None and holder is not None:
        name, holder = holder.attributes.get("childclass"), holder.parent
    classes = [e for e in root.walk() if e.tag == "default"]
    outer = [e for e in classes if not _in(e, "default")]
    return next((e for e in classes if e.attributes.get("class") == name), None) if name is not None else next(iter(outer), None)


def _source(root: Element, element: Element, name: str) -> Element | None:
    """Where an attribute of an element comes from: itself, or an element of a default class."""
    if name in element.attributes:
        return element
    holder = _default_of(root, element)
    while holder is not None and holder.tag in ("default", "include"):
        found = next((e for e in holder.children if e.tag == element.tag and name in e.attributes), None)
        if found is not None:
            return found
        holder = holder.parent
    return None


def _effective(root: Element, element: Element, name: str) -> str | None:
    found = _source(root, element, name)
    return None if found is None else found.attributes[name]


def _place(root: Element, element: Element, name: str, text: str, wanted: list[tuple[Element, dict[str, str]]]) -> Element:
    """The element to write an attribute to."""
    source = _source(root, element, name)
    if source is None or source is element:
        return element
    users = [e for e in root.walk() if e.tag == element.tag and not _in(e, "default") and _source(root, e, name) is source]
    same = all(any(other is user and attributes.get(name) == text for other, attributes in wanted) for user in users)
    return source if same else element


def _numbers(text: str | None, otherwise: str) -> list[float]:
    numbers = [float(part) for part in (text or otherwise).split()]
    return numbers + [0.0] * (len(otherwise.split()) - len(numbers))


def _text(value: float) -> str:
    return f"{value:.6g}"


def _write(root: Element, source: Path, out: Path, texts: dict[Path, bytes], edits: dict[tuple[Path, int], dict[str, str]]) -> list[Path]:
    """Copies of the files that change, from the innermost included one outwards."""
    copies = {source: out}
    changed = {path for path, _ in edits}
    for element in list(root.walk())[::-1]:  # included files come before those that include them
        inside = next((child.file for child in element.children if child.file != element.file), None) if element.tag == "include" else None
        if inside is not None and inside in changed:
            copies[inside] = inside.with_name(f"{out.stem}_{inside.name}")
            changed.add(element.file)
            path = Path(element.attributes["file"])
            edits.setdefault((element.file, element.start), {})["file"] = path.with_name(copies[inside].name).as_posix()
    for path, target in copies.items():
        data = texts[path]
        for (_, start), attributes in sorted(((key, value) for key, value in edits.items() if key[0] == path), key=lambda item: -item[0][1]):
            end = _end(data, start)
            data = data[:start] + _changed(data[start:end], attributes) + data[end:]
        write_file(target, data)
    return list(copies.values())


def _end(data: bytes, start: int) -> int:
    """Behind the closing bracket of a start tag."""
    quote = b""
    for place in range(start, len(data)):
        letter = data[place : place + 1]
        if quote:
            quote = b"" if letter == quote else quote
        elif letter in (b'"', b"'"):
            quote = letter
        elif letter == b">":
            return place + 1
    return len(data)


def _changed(tag: bytes, attributes: dict[str, str]) -> bytes:
    for name, text in attributes.items():
        pattern = re.compile(rb"(\s" + re.escape(name.encode()) + rb"\s*=\s*)(\"[^\"]*\"|'[^']*')")
        written = f'"{text}"'.encode()
        if pattern.search(tag):
            tag = pattern.sub(rb"\g<1>" + written.replace(b"\\", b"\\\\"), tag, count=1)
        else:
            body = tag[:-2] if tag.endswith(b"/>") else tag[:-1]
            tag = body.rstrip() + b" " + name.encode() + b"=" + written + tag[len(body) :]
    return tag
