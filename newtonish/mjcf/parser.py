"""Reads MJCF into the object model: the importer's reader checks every word, this builds the elements."""

from __future__ import annotations

import posixpath
import zipfile
from pathlib import Path
from typing import Any, TextIO

from newtonish.arguments import shown
from newtonish.diagnostics import Diagnostics
from newtonish.errors import ImporterError, ModelError, problem
from newtonish.mjcf.children import make_element
from newtonish.mjcf.element import Element
from newtonish.mjcf.facts import child_is_single, identifier_of, spec_of
from newtonish.mjcf.language.include import merge_includes, read_bytes
from newtonish.mjcf.language.limits import limits, within
from newtonish.mjcf.language.names import FILES, reference
from newtonish.mjcf.language.read import Node, check_tree, decode, parse_text
from newtonish.mjcf.problems import refuse, short
from newtonish.mjcf.root import RootElement
from newtonish.mjcf.values import ESCAPED, SEPARATOR

__all__ = ["from_file", "from_path", "from_text", "from_xml_string", "from_zip"]

Assets = dict[str, "bytes | str"]


def from_path(path: str | Path, escape_separators: bool = False, resolve_references: bool = True, assets: Assets | None = None) -> RootElement:
    """Read a model from a file of MJCF, along with what it includes and the files it names.

    Args:
        path: Path of the file.
        escape_separators: Read names with ``/`` by replacing it with a backslash, instead of refusing them.
        resolve_references: Turn names into the elements they name, so that these can be renamed.
        assets: Contents of files by path, which are searched before the file system.

    Raises:
        ImporterError: Everything that is wrong with the file, each with file, line and column.
    """
    main = Path(path)
    if not main.is_file():
        raise ImporterError(problem(f"{path}", "no such file", "the path of an MJCF file", "check the path"))
    text = decode(read_bytes(main), str(path))
    return from_text(text, str(path), main.parent, assets, main, escape_separators, resolve_references)


def from_file(
    file_handle: TextIO | str | Path, escape_separators: bool = False, model_dir: str | Path = "", resolve_references: bool = True,
    assets: Assets | None = None,
) -> RootElement:  # fmt: skip
    """Read a model from an open file, or its path; ``model_dir`` is the folder of what it includes. See :func:`from_path`."""
    if isinstance(file_handle, (str, Path)) and not model_dir:
        return from_path(file_handle, escape_separators, resolve_references, assets)
    if isinstance(file_handle, (str, Path)):
        with open(file_handle, "rb") as handle:
            return from_file(handle, escape_separators, model_dir, resolve_references, assets)
    if not callable(getattr(file_handle, "read", None)):
        raise ImporterError(problem("from_file: file_handle", shown(file_handle), "an open file, or a path", "open the file first"))
    text = file_handle.read()
    name = str(getattr(file_handle, "name", "<file>"))
    if isinstance(text, bytes):
        text = decode(text, name)
    return from_text(text, name, Path(model_dir), assets, None, escape_separators, resolve_references)


def from_xml_string(
    xml_string: str | bytes, escape_separators: bool = False, model_dir: str | Path = "",
    resolve_references: bool = True, assets: Assets | None = None,
) -> RootElement:  # fmt: skip
    """Read a model from text; ``model_dir`` is the folder of what it includes. See :func:`from_path`."""
    if isinstance(xml_string, bytes):
        xml_string = decode(xml_string, "<string>")
    if not isinstance(xml_string, str):
        refuse("from_xml_string", short(xml_string), "text", "pass the text of a model, or use from_path")
    return from_text(xml_string, "<string>", Path(model_dir), assets, None, escape_separators, resolve_references)


def from_zip(path: str | Path, model_file: str = "model.xml", escape_separators: bool = False, resolve_references: bool = True) -> RootElement:
    """Read a model from a ZIP archive, along with what it includes and the files it names, which are in the archive.

    Args:
        path: Path of the archive.
        model_file: Which of several ``.xml`` files is the model; an archive with one needs none.
        escape_separators: See :func:`from_path`.
        resolve_references: See :func:`from_path`.

    Raises:
        ImporterError: It is no such archive, or something is wrong with the model.
    """
    if not zipfile.is_zipfile(path):
        raise ImporterError(problem(f"{path}", "no ZIP archive", "the path of one", "check the path"))
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if not name.endswith("/")]
        models = [name for name in names if name.endswith(".xml")]
        main = models[0] if len(models) == 1 else model_file
        if main not in models:
            raise ImporterError(problem(f"{path}", f"no {main}", ", ".join(models) or "an .xml file", "pass model_file"))
        folder = posixpath.dirname(main)
        assets = {posixpath.relpath(name, folder or "."): archive.read(name) for name in names if name != main}
        text = decode(archive.read(main), main)
    return from_text(text, f"{path}/{main}", Path(), assets, None, escape_separators, resolve_references)


def from_text(
    text: str, name: str, folder: Path, assets: Assets | None = None, main: Path | None = None, escape: bool = False,
    resolve: bool = True,
) -> RootElement:  # fmt: skip
    """Read a model from text that came from ``name``."""
    with within(limits()):  # room for as many levels as may be read
        log = Diagnostics(name)
        tree = parse_text(text.lstrip("\ufeff"), name)
        merge_includes(tree, folder, main, _resolver(assets) if assets else None, log)
        check_tree(tree, log)
        log.check()
        root = RootElement(model_dir=folder, assets=assets)
        builder = _Builder(log, escape)
        builder.root(root, tree)
        builder.check()
        root._resolves = False
        if resolve:
            root.resolve_references()
        return root


def _resolver(assets: Assets) -> Any:
    """Return what finds included files among given contents first."""

    def find(folder: str | None, name: str) -> str:
        for key in (str(Path(folder or "") / name), name, Path(name).name):
            if key in assets:
                return decode(assets[key], name) if isinstance(assets[key], bytes) else assets[key].lstrip("\ufeff")
        return str(Path(folder or "") / name)

    return find


class _Builder:
    """Makes elements from nodes of text."""

    def __init__(self, log: Diagnostics, escape: bool) -> None:
        self._log, self._escape = log, escape
        self._merged = False
        self._separated: list[tuple[Node, str, str]] = []  # names with separators: where, of what, which

    def check(self) -> None:
        """Raise all that is wrong; what names have in common is said once."""
        if self._separated:
            (node, label, name), *others = self._separated
            more = f" and {len(others)} more names" if others else ""
            remedy = "pass escape_separators=True, or rename " + ("them" if others else "it")
            self._log.problem(node.location, label, f"{short(name)}{more}", f"names without '{SEPARATOR}'", remedy)
        self._log.check()

    def root(self, root: RootElement, tree: Node) -> None:
        """Fill a model; where its files are has to be known before they are named."""
        self._set(root, tree)
        self._merged = _is_isolated(tree)
        sections = sorted(tree.children, key=lambda node: node.tag != "compiler")
        for node in sections:
            self._children(root._child(node.tag), node, whole=True)

    def _children(self, element: Element, node: Node, whole: bool = False) -> None:
        """Set an element's attributes, where it is there already, and add what is in its node."""
        if element._kind == "default" and element._parent is element._root and self._merged:
            node = node.children[0]
        elif whole:
            self._set(element, node)
        seen: set[str] = set()
        for child in node.children:
            how = child_is_single(element._kind, child.tag)
            if how and child.tag in seen:
                self._log.problem(child.location, child.label, f"a second one in '{node.tag}'", "one", "remove it")
                continue
            seen.add(child.tag)
            if how == "always":
                part = element._child(child.tag)
                part._explicit = part._explicit or element._kind == "default"
                self._set(part, child)
            else:
                part = make_element(spec_of(element._kind).children[child.tag], child.tag, element)
                element._children.append(part)
                self._set(part, child)
            self._children(part, child)

    def _set(self, element: Element, node: Node) -> None:
        """Set the attributes of a node; what is wrong is noted with its place."""
        try:
            values = {"dclass" if key == "class" else key: self._value(element, node, key, value) for key, value in node.values.items()}
            element.set_attributes(**{name: value for name, value in values.items() if value != ""})
        except ModelError as error:
            place = next((node.at(key) for key in FILES if key in node.text), node.location)
            for entry in error.problems:
                self._log.problems.append((place, f"{place}: {entry}"))

    def _value(self, element: Element, node: Node, key: str, value: Any) -> Any:
        """Return what to set for a typed value of the text; a class that holds anyway is not set."""
        named = key == identifier_of(element._kind) or reference(element._kind, key) is not None
        if not named and (element._kind, key) != ("mujoco", "model"):
            return value
        if value == SEPARATOR and self._merged and key in ("class", "childclass"):
            return "main" if _below_childclass(element) else ""
        if self._escape:
            return value.replace(SEPARATOR, ESCAPED)
        if SEPARATOR in value:
            self._separated.append((node, f"{element._label}, {key}", value))
            return value.replace(SEPARATOR, ESCAPED)  # so that reading goes on
        return value


def _below_childclass(element: Element) -> bool:
    """Whether a class from above holds for an element that names none."""
    above = element._parent
    while above is not None and "childclass" not in above._values:
        above = above._parent
    return above is not None


def _is_isolated(tree: Node) -> bool:
    """Whether all defaults are in one class ``/``, which is how this package writes a model's own defaults."""
    tops = [node for node in tree.children if node.tag == "default"]
    if len(tops) != 1 or set(tops[0].text) - {"class"}:
        return False
    inside = tops[0].children
    return len(inside) == 1 and inside[0].tag == "default" and inside[0].text.get("class") == SEPARATOR
