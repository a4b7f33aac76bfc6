"""Writes models as MJCF: names with their models in front, one section of each kind, defaults that end with their model.

The text is what PyMJCF's guide describes: the contents of an attached model's world stand in the body that is its
attachment frame, and no model writes into MuJoCo's global default class: a model's defaults are the class ``/``, those
of an attached one ``child/``, and every element that says no class gets it, itself or through ``childclass``.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lxml import etree

from newtonish.errors import NewtonishWarning, problem
from newtonish.mjcf.attachment import GLOBAL_SECTIONS, LARGEST, UNSHARED, AttachmentFrame, larger
from newtonish.mjcf.facts import child_is_single, identifier_of, required_of, spec_of
from newtonish.mjcf.language.names import FILES, reference
from newtonish.mjcf.naming import class_name, has_own_class, in_frame, name_prefix, own_name, prefixed_name, world_name
from newtonish.mjcf.problems import refuse
from newtonish.mjcf.references import MAIN, reference_space, resolve
from newtonish.mjcf.skins import prefixed_skin
from newtonish.mjcf.values import value_text

if TYPE_CHECKING:
    from newtonish.mjcf.assets import Asset
    from newtonish.mjcf.element import Element
    from newtonish.mjcf.namescope import NameScope
    from newtonish.mjcf.root import RootElement

__all__ = ["Writer", "gather_assets"]

_SIZED = ("qpos", "qvel", "act", "mpos", "mquat", "ctrl", "plastic")


class Writer:
    """One run over an element.

    Args:
        element: What to write.
        prefix_root: Whose names are written without a prefix; by default those of the element's model.
        precision: Significant digits; None writes what reads back as the same number.
        zero_threshold: Numbers that are smaller than this, whatever their sign, are written as 0.
        filename_with_hash: Name files by their contents.
        isolate: Write a model's defaults as a class of its own.
    """

    def __init__(
        self, element: Element, prefix_root: NameScope | None = None, *, precision: int | None = None,
        zero_threshold: float = 0.0, filename_with_hash: bool = True, isolate: bool = True,
    ) -> None:  # fmt: skip
        self.element = element
        self.scope = element.namescope if prefix_root is None else prefix_root
        if precision is not None and not 1 <= precision <= 17:
            refuse("precision", f"{precision}", "1 to 17 significant digits, or None", "None writes numbers that read back to the same bits")
        if not zero_threshold >= 0.0:
            refuse("zero_threshold", f"{zero_threshold}", "a number of at least 0", "pass 0 to write all numbers as they are")
        self.precision, self.zero, self.hashed, self.isolate = precision, zero_threshold, filename_with_hash, isolate
        self.assets: dict[str, bytes] = {}
        self._unnamed: dict[int, str] = {}
        self._referred = _referred(element.root_model)

    def xml(self, self_only: bool) -> etree._Element:
        """Return the element, and what is in it unless ``self_only``."""
        element = self.element
        if self_only:
            return self._start(element)
        if element is element._root:
            return self._model(element)
        if element._kind == "default" and element._parent is element._root:
            xml = etree.Element("default")
            self._fill(xml, element, None)
            return xml
        holder = etree.Element("holder")
        self._tree(holder, element, None if _in_tree(element) else self._fill_class(element), MAIN)
        return holder[0]

    # -- the whole model ----------------------------------------------------------------------------------------------

    def _model(self, root: RootElement) -> etree._Element:
        """Write the root: every section once, with the parts of all models."""
        xml = self._start(root)
        models = list(root._whole())
        for tag in spec_of("mujoco").children:
            sections = [child for model in models for child in model._children if child.tag == tag]
            if tag == "default":
                part = self._defaults(models)
            elif tag == "worldbody":
                part = self._worldbody(root)
            else:
                part = self._section(tag, sections)
            if part is not None:
                xml.append(part)
        return xml

    def _section(self, tag: str, sections: list[Element]) -> etree._Element | None:
        """Merge one section of several models: attributes, single children, and the others one behind another."""
        if all(section._empty for section in sections):
            return None
        xml = etree.Element(tag)
        for section in sections:
            for name, text in self.attributes(section).items():
                if tag == "size" and name in LARGEST:
                    xml.set(name, larger(name, text, xml.get(name, text)))
                if xml.get(name, text) != text and tag in GLOBAL_SECTIONS and not (tag == "size" and name in LARGEST):
                    refuse(f"{tag}, {name}", f"{text} and {xml.get(name)} in models attached to each other", "one value",
                           "set them to the same value")  # fmt: skip
                if name not in xml.attrib:
                    xml.set(name, text)
        tags: list[str] = []
        for section in sections:
            for child in section._children:
                if child_is_single(section._kind, child.tag) == "always":
                    if child.tag not in tags:
                        tags.append(child.tag)
                elif not self._left_out(child):
                    self._fill(self._element(xml, child, self._fill_class(child)), child, None)
        for inner in tags:
            part = self._section(inner, [c for section in sections for c in section._children if c.tag == inner])
            if part is not None:
                xml.append(part)
        return xml if len(xml) or xml.attrib or any(section._explicit for section in sections) else None

    def _fill_class(self, element: Element) -> str | None:
        """The class to write for an element outside of the tree that names none."""
        return self._class(element._root) if self._has_class(element._root) else None

    def _left_out(self, element: Element) -> bool:
        """Whether it is a keyframe of an attached model, whose vectors do not fit the whole."""
        if element._kind != "key" or element._root is self.element or not any(k in element._values for k in _SIZED):
            return False
        given = f"the state of model '{element.namescope.name}' alone"
        text = problem(element._label, given, "the state of the whole", "add a key to the root model")
        warnings.warn(f"left out: {text}", NewtonishWarning, stacklevel=6)
        return True

    def _defaults(self, models: list[RootElement]) -> etree._Element | None:
        """Write the defaults of each model as a class of its own."""
        xml = etree.Element("default")
        for model in models:
            if not self.isolate and model is self.element:
                self._fill(xml, model.default, None)
            elif self._has_class(model):
                self._fill(etree.SubElement(xml, "default", {"class": self._class(model)}), model.default, None)
        return xml if len(xml) else None

    def _worldbody(self, root: RootElement) -> etree._Element | None:
        """Write the world with the attached models in their frames."""
        world = root.worldbody
        if world._empty:
            return None
        xml = etree.Element("worldbody")
        name = self._class(root)
        for child in world._children:
            self._tree(xml, child, name if self._has_class(root) else None, name)
        return xml

    def _tree(self, xml: etree._Element, element: Element, missing: str | None, near: str) -> None:
        """Write an element of the kinematic tree.

        Args:
            xml: Where it goes.
            element: The element.
            missing: Class to write where none is said; None below a ``childclass``.
            near: Class that holds where none is said.
        """
        if isinstance(element, AttachmentFrame):
            self._frame(xml, element, near)
            return
        spec = spec_of(element._kind)
        if "childclass" in spec.attributes:
            part = self._element(xml, element, None)
            if "childclass" in element._values:
                missing, near = None, part.get("childclass", near)
            elif missing:
                part.set("childclass", missing)
                missing = None
            for child in element._children:
                self._tree(part, child, missing, near)
        else:
            self._fill(self._element(xml, element, missing), element, None)

    def _frame(self, xml: etree._Element, frame: AttachmentFrame, near: str) -> None:
        """Write an attachment frame with the world of its model; its own joints belong to the model outside."""
        model = frame._model
        name = self._class(model)
        body = etree.SubElement(xml, "body", {"name": world_name(model, self.scope), "childclass": name})
        for key, text in self.attributes(frame).items():
            body.set(key, text)
        for child in frame._children:
            self._element(body, child, near)
        for child in model.worldbody._children:
            self._tree(body, child, None, name)

    # -- one element --------------------------------------------------------------------------------------------------

    def _start(self, element: Element) -> etree._Element:
        """Start an element with its attributes."""
        tag = "body" if isinstance(element, AttachmentFrame) else element.tag
        xml = etree.Element(tag)
        for name, text in self.attributes(element).items():
            xml.set(name, text)
        return xml

    def _element(self, xml: etree._Element, element: Element, missing: str | None) -> etree._Element:
        """Append an element with its attributes; ``missing`` is the class to write where it says none."""
        lacking = [name for name in required_of(element._kind) if element._get(name) is None]
        if lacking:
            given = f"no {', '.join(lacking)}, or a reference to what has been removed"
            refuse(element._label, given, "all required attributes", "set them, or remove the element")
        part = etree.SubElement(xml, element.tag)
        texts = self.attributes(element)
        if missing and "class" in spec_of(element._kind).attributes and "class" not in texts:
            if element._kind != "default":
                named = {name: texts.pop(name) for name in ("name",) if name in texts}
                texts = {**named, "class": missing, **texts}
        for name, text in texts.items():
            part.set(name, text)
        return part

    def _fill(self, xml: etree._Element, element: Element, missing: str | None) -> None:
        """Append the children of an element outside of the tree."""
        for child in element._children:
            if not child._empty:
                self._fill(self._element(xml, child, missing), child, missing)

    def attributes(self, element: Element) -> dict[str, str]:
        """Return what is written of an element's attributes, in the order of the table."""
        texts = {}
        key = identifier_of(element._kind)
        for name in ("objname", "refname"):
            if name in element._values:
                element._get(name)  # of what was removed, the type goes, too
        for name, attribute in spec_of(element._kind).attributes.items():
            value = element._values.get(name)
            if name == key:
                text = self._name(element)
            elif value is None or (element._kind == "compiler" and name in UNSHARED):
                text = None
            elif reference(element._kind, name):
                text = self._reference(element, name, value)
            elif name in FILES:
                value = _written(element, value, self.scope)
                text = value.get_vfs_filename(self.hashed)
                self.assets[text] = value.contents
                self.assets.update(value.parts)
            else:
                text = value_text(attribute, value, self.precision, self.zero)
            if name == "prefix" and element._kind in ("composite", "attach"):
                text = element.namescope.full_prefix(self.scope) + (text or "")
                text = text or (None if value is None else "")
            if text is not None:
                texts[name] = text
        return texts

    def _name(self, element: Element) -> str | None:
        """Return an element's own name; without one only what is referred to gets a name."""
        key = identifier_of(element._kind)
        if element._kind == "default" and element._parent is element._root:
            return None
        if key not in element._values and id(element) not in self._referred and not in_frame(element):
            return None
        return name_prefix(element, self.scope) + self._own(element) if key else None

    def _own(self, element: Element) -> str:
        """Name within the model; the made-up ones are made once."""
        if (element._values.get(identifier_of(element._kind) or "")) is None:
            if id(element) not in self._unnamed:
                self._unnamed[id(element)] = own_name(element)
            return self._unnamed[id(element)]
        return own_name(element)

    def _reference(self, element: Element, name: str, value: Any) -> str | None:
        """Return the text of a reference, None when it led to what has been removed."""
        space = reference_space(element, name)
        items = value if isinstance(value, tuple) else (value,)
        texts = [self._one_reference(element, space, resolve(element, space, item)) for item in items]
        return " ".join(text for text in texts if text is not None) or None

    def _one_reference(self, element: Element, space: str | None, target: Any) -> str | None:
        """Return the name of one target as seen from the model that is written."""
        if target is None:
            return None
        if not isinstance(target, str):
            if space == "default" and target._parent is target._root:
                return self._class(target._root)
            if identifier_of(target._kind) is None:
                return prefixed_name(target, self.scope)
            return name_prefix(target, self.scope) + self._own(target)
        prefix = element.namescope.full_prefix(self.scope)
        return prefix + target

    def _class(self, model: RootElement) -> str:
        return class_name(model, self.scope) if self._has_class(model) else MAIN

    def _has_class(self, model: RootElement) -> bool:
        return (self.isolate or model is not self.element) and has_own_class(model, self.scope)


def _in_tree(element: Element) -> bool:
    """Whether an element is in the world, where a class may come from above, or in the defaults, or one of these."""
    while element._parent is not element._root:
        element = element._parent
    return element._kind in ("worldbody", "default")


def _referred(root: RootElement) -> set[int]:
    """Identities of the elements that others refer to."""
    found: set[int] = set()
    for model in root._whole():
        for element in model._descendants():
            for value in element._values.values():
                for item in value if isinstance(value, tuple) else (value,):
                    if hasattr(item, "_kind"):
                        found.add(id(item))
    return found


def gather_sources(root: RootElement) -> dict[Path, list[Path]]:
    """Return the files that assets were read from, by the folder of the model that names them, links followed."""
    found: dict[Path, list[Path]] = {}
    for model in root._whole():
        own = found.setdefault(model._folder.resolve(), [])
        for element in model._descendants():
            for name in FILES.intersection(element._values):
                own.extend(element._values[name].sources)
    return found


def _written(element: Element, asset: Asset, scope: NameScope) -> Asset:
    """A file as it is written: the bodies in that of an attached skin have their model in front."""
    prefix = element.namescope.full_prefix(scope) if element._kind == "skin" else ""
    return prefixed_skin(element._label, asset, prefix) if prefix else asset


def gather_assets(root: RootElement) -> dict[str, bytes]:
    """Return the contents of all files that the written text names."""
    assets: dict[str, bytes] = {}
    for model in root._whole():
        for element in model._descendants():
            for name in FILES.intersection(element._values):
                asset = _written(element, element._values[name], root.namescope)
                assets[asset.get_vfs_filename()] = asset.contents
                assets.update(asset.parts)
    return assets
