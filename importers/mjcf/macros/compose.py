"""``replicate`` and ``attach``: copies of parts of the tree, and of what refers to them, under other names.

The bodies are read in the order of the text. Each copy goes into a frame at its place; after each, the elements of the other
sections that refer to the copied part are copied too, with the copy's prefix or suffix on their references. What ``replicate``
encloses is taken out again afterwards, and with it the elements that referred to the original. So an element that refers both to
a replicated part and to something that stands behind it in the text is not copied, and refers to nothing in the end: an error,
as in MuJoCo. An element that refers to nothing at all, like a clock, is copied each time.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from newtonish.common.paths import portable
from newtonish.diagnostics import Diagnostics
from newtonish.importers import frames
from newtonish.importers.mjcf.macros.conflicts import settle
from newtonish.importers.mjcf.macros.copies import (
    Attachment,
    Model,
    Named,
    below,
    find,
    foreign,
    renamed,
    size,
    with_name,
)
from newtonish.importers.mjcf.macros.references import DATA, KINDS, LISTS, PARTIAL, SECTIONS, references, space
from newtonish.mjcf.language.limits import Limits
from newtonish.mjcf.language.read import Node
from newtonish.mjcf.language.schema import nearest, schema

__all__ = ["MAX_ELEMENTS", "compose"]

MAX_ELEMENTS = Limits.elements
"""Most elements that replicate and attach may make, unless the caller allows more."""

ASSETS = ("mesh", "hfield", "material", "texture")


def compose(model: Model, log: Diagnostics, most: int = MAX_ELEMENTS) -> None:
    """Make the copies that a file asks for; its tree is changed.

    Args:
        model: The file, its children loaded.
        log: Takes the problems; one about too many elements is raised at once.
        most: Most elements that may be made.
    """
    if any(_asks(section) for section in model.root.sections("worldbody")):
        _Composer(model, log, most).run()


def _asks(node: Node) -> bool:
    """Whether copies are asked for below a node."""
    below = list(node.children)
    while below:  # not by recursion: a generator inside another takes C's stack, which Python 3.12 counts apart from its own
        child = below.pop()
        if child.tag in ("replicate", "attach"):
            return True
        below += child.children
    return False


class _Composer:
    """Makes the copies of one file."""

    def __init__(self, model: Model, log: Diagnostics, most: int) -> None:
        self._model = model
        self._log = log
        self._most = most
        self._left = most
        self._lists = {tag: [node for s in model.root.sections(tag) for node in s.children if node.kind] for tag in SECTIONS}
        self._names: dict[tuple[str, str], Named] = {("body", "world"): (model.root, None)}

    def run(self) -> None:
        """Make all copies."""
        root = self._model.root
        for tag in SECTIONS:
            for node in self._lists[tag]:
                self._register(space(tag, node), node, None)
        sections = list(root.children)
        for number, section in enumerate(sections):
            if section.tag == "worldbody":
                root.children[number] = replace(section, children=[])
                self._contents(section, root.children[number], None)
        for tag in SECTIONS:
            kept = [section for section in root.children if section.tag != tag]
            if self._lists[tag]:
                kind = schema("mujoco").children[tag]
                kept.append(Node(tag, next(root.sections(tag), root).location, children=self._lists[tag], kind=kind))
            root.children = kept

    def _contents(self, source: Node, target: Node, childclass: str | None, replica: bool = False) -> None:
        """Write what is inside one element of the tree into another; ``replica`` is true directly inside ``replicate``."""
        for child in source.children:
            if not child.kind:
                continue
            if child.tag in ("body", "frame"):
                inner = replace(child, children=[])
                target.children.append(inner)
                below = child.values.get("childclass", childclass)
                self._register(KINDS[child.tag], inner, below)
                self._contents(child, inner, below, replica and child.tag == "frame")
            elif child.tag == "replicate":
                self._replicate(child, target, childclass)
            elif child.tag == "attach":
                self._attach(child, target)
            elif replica and child.tag in ("joint", "freejoint"):
                self._log.problem(child.location, child.label, f"'{child.tag}' directly in replicate", "bodies, geoms, sites", "put it into a body")
            elif replica and child.tag == "inertial":
                self._log.ignored("replicate.inertial", child.location, child.label, "directly in replicate has no effect, as in MuJoCo")
            else:
                target.children.append(child)
                if child.tag in KINDS:
                    self._register(KINDS[child.tag], child, childclass)

    def _replicate(self, node: Node, target: Node, childclass: str | None) -> None:
        """Read what is inside, write its copies, and take the original out."""
        values, settings = node.values, self._model.settings
        offset, euler = np.array(values.get("offset", (0.0, 0.0, 0.0))), np.array(values.get("euler", (0.0, 0.0, 0.0)))
        if not np.isfinite([*offset, *euler]).all():
            self._log.problem(node.location, node.label, "offsets or angles that are not finite", "finite numbers", "correct them")
            return
        childclass = values.get("childclass", childclass)
        held, before = Node("frame", node.location, kind="frame"), set(self._names)
        self._contents(node, held, childclass, replica=True)
        sources = {tag: list(nodes) for tag, nodes in self._lists.items()}
        count = max(values["count"], 0)
        self._afford(node, count * max(1, size(held.children)))  # an empty copy takes time as well
        turn = frames.from_euler(euler, settings.eulerseq, settings.degree)
        pos, digits = np.zeros(3), len(str(count))
        own = self._names_below(held)
        for kind, name in sorted(own & before):
            self._log.problem(node.location, node.label, f"{kind} '{name}' inside, a name that is taken", "each name once", "rename it")
        for number in range(count):
            # The orientation is that of the multiplied angles, not the product of the turns, as in MuJoCo.
            quat = frames.from_euler(euler * number, settings.eulerseq, settings.degree)
            suffix = f"{values.get('sep', '')}{number:0{digits}d}"
            place = Node("frame", node.location, kind="frame", values={"pos": list(pos), "quat": list(quat)})
            if "childclass" in values:
                place.values["childclass"] = values["childclass"]
            place.children = [renamed(child, "", suffix) for child in held.children]
            target.children.append(place)
            self._register_below(place, childclass)
            self._copy_references(node, sources, "", suffix)
            pos, _ = frames.compose(pos, quat, offset, turn)
        self._take_out(own - before)

    def _attach(self, node: Node, target: Node) -> None:
        """Write a copy of a body, a frame or a whole model."""
        values = node.values
        prefix, name = values["prefix"], values.get("model")
        if "body" in values and "frame" in values:
            return  # noted when the text was checked
        kind = next((kind for kind in ("body", "frame") if kind in values), None)
        wanted = values.get(kind, "") if kind else ""
        if kind and (kind, prefix + wanted) in self._names:
            self._log.problem(node.at("prefix"), node.label, f"{kind} '{prefix + wanted}', which exists", "a new name", "use another prefix")
            return
        if name is None:
            self._attach_own(node, target, kind, wanted)
            return
        child = self._model.children.get(name)
        if child is None:
            if name not in self._model.children:  # otherwise its problem is noted already
                hint = nearest(name, self._model.children) or "add it to <asset>"
                self._log.problem(node.at("model"), f"{node.label}, model", f"'{name}'", "the name of a model asset", hint)
            return
        if kind is None:
            whole = Node("frame", node.location, kind="frame")
            whole.children = [item for section in child.root.sections("worldbody") for item in section.children]
            found: Named | None = (whole, None)
        else:
            found = find(child.root, kind, wanted)
        if found is None:
            self._missing(node, kind or "", wanted, f"a {kind} of model '{name}'")
            return
        settle(self._model.root, child.root, node, name, self._log)
        base = self._model.defaults.adopt(prefix, child.defaults, node)
        self._place(node, target, found[0], prefix, base if found[1] is None else prefix + found[1], child)
        self._assets(child, prefix, base)
        self._fields(child, prefix, base)
        sources = {tag: [foreign(n, prefix, base, child) for s in child.root.sections(tag) for n in s.children if n.kind] for tag in SECTIONS}
        sources["custom"].sort(key=lambda n: n.tag not in DATA)  # tuples refer to them
        copies = [*below(target.children[-1]), *self._copy_references(node, sources, prefix, "")]
        self._model.attached.append(Attachment(prefix, child, copies))

    def _attach_own(self, node: Node, target: Node, kind: str | None, wanted: str) -> None:
        """Attach a part of this file, as it has been read so far."""
        if kind is None:
            self._log.problem(node.location, node.label, "neither model nor body nor frame", "one of them", "say what to attach")
            return
        found = self._names.get((kind, wanted))
        if found is None or wanted == "world":
            self._missing(node, kind, wanted, f"a {kind} that stands before")
            return
        sources = {tag: list(nodes) for tag, nodes in self._lists.items()}
        self._place(node, target, found[0], node.values["prefix"], found[1] or "main", None)
        self._copy_references(node, sources, node.values["prefix"], "")

    def _missing(self, node: Node, kind: str, wanted: str, allowed: str) -> None:
        """Note that what is to be attached is not there."""
        self._log.problem(node.at(kind), f"{node.label}, {kind}", f"'{wanted}'", allowed, "correct the name")

    def _place(self, node: Node, target: Node, source: Node, prefix: str, childclass: str, child: Model | None) -> None:
        """Write a copy into a frame that stands for the classes around its original."""
        self._afford(node, size([source]))
        place = Node("frame", node.location, kind="frame", values={"childclass": childclass})
        place.children = [renamed(source, prefix, "", child)]
        target.children.append(place)
        self._register_below(place, childclass)

    def _assets(self, child: Model, prefix: str, base: str) -> None:
        """Copy the assets of an attached model, all of them."""
        copies = []
        for section in child.root.sections("asset"):
            for node in section.children:
                if node.kind and node.tag in ASSETS:
                    copy = foreign(node, prefix, base, child)
                    name = node.values.get("name") or Path(portable(node.values.get("file", ""))).stem
                    copy.values["name"] = prefix + name if name else ""
                    copy.children = [foreign(inner, prefix, base, child) if inner.tag == "plugin" else inner for inner in copy.children]
                    copies.append(copy)
        if copies:
            self._model.root.children.append(Node("asset", self._model.root.location, children=copies, kind="asset"))

    def _fields(self, child: Model, prefix: str, base: str) -> None:
        """Copy the instances of plugins of an attached model."""
        copies = []
        for section in child.root.sections("extension"):
            for node in section.sections("plugin"):
                copy = foreign(node, prefix, base, child)
                copy.children = [foreign(inner, prefix, base, child) for inner in copy.children]
                for inner in copy.children:
                    inner.values["name"] = prefix + inner.values.get("name", "")
                copies.append(copy)
        if copies:
            self._model.root.children.append(Node("extension", self._model.root.location, children=copies, kind="extension"))

    def _copy_references(self, node: Node, sources: dict[str, list[Node]], prefix: str, suffix: str) -> list[Node]:
        """Copy the elements of the sections that refer to what has just been copied, and return the copies."""
        copies = []
        for tag in SECTIONS:
            for source in sources[tag]:
                copy = self._referring(tag, source, prefix, suffix)
                if copy is None:
                    continue
                self._afford(node, size([copy]))
                self._lists[tag].append(copy)
                copies.append(copy)
                self._register(space(tag, copy), copy, None)
                if not any(references(copy)):  # copies of it are copied again with the next replica, as in MuJoCo
                    sources[tag] = [*sources[tag], copy]
        return copies

    def _referring(self, tag: str, source: Node, prefix: str, suffix: str) -> Node | None:
        """The copy of an element, or None if it does not refer to the copied part, or not with all it has to."""
        found: dict[tuple[int, str], str] = {}
        named = False
        if source.tag in DATA and tag == "custom" and (not prefix or any(source is n for n in self._lists[tag])):
            return None
        for holder, attribute, kind, name in references(source):
            new = prefix + name + suffix
            if kind in DATA and not prefix:
                new = name
            elif (kind, new) in self._names and not (kind == "body" and new == "world"):
                named = True
            elif (kind, name) == ("body", "world") or (tag in PARTIAL and (kind, name) in self._names):
                new = name
            else:
                return None
            found[id(holder), attribute] = new
        if found and not named:
            return None
        copy = with_name(source, prefix, suffix)
        for (owner, attribute), new in found.items():
            if owner == id(source):
                copy.values[attribute] = new
        if source.tag in LISTS:
            copy.children = [replace(part, values=part.values | {a: new for (owner, a), new in found.items() if owner == id(part)}) for part in source.children]
        return copy

    def _take_out(self, own: set[tuple[str, str]]) -> None:
        """Forget names, and drop the elements that referred to them."""
        gone = set(own)
        for key in own:
            self._names.pop(key, None)
        for tag in SECTIONS:
            kept = []
            for node in self._lists[tag]:
                keys = [(kind, name) for _, _, kind, name in references(node)]
                resolved = all(key in self._names or key in gone for key in keys)
                if resolved and any(key not in self._names for key in keys):
                    key = (space(tag, node), node.values.get("name", ""))
                    gone.add(key)
                    self._names.pop(key, None)
                else:
                    kept.append(node)
            self._lists[tag] = kept

    def _afford(self, node: Node, number: int) -> None:
        """Count elements that are made; stop where they become too many."""
        self._left -= number
        if self._left < 0:
            given = f"copies of more than {self._most} elements in all"
            self._log.problem(node.location, node.label, given, f"at most {self._most}", "use fewer copies, or pass a larger max_elements")
            self._log.check()

    def _register(self, kind: str, node: Node, childclass: str | None) -> None:
        """Note a name; a name that is taken stays with who had it, and is a problem where the tree is read."""
        name = node.values.get("name")
        if name:
            self._names.setdefault((kind, name), (node, childclass))

    def _register_below(self, node: Node, childclass: str | None) -> None:
        """Note the names of all that is below a node."""
        for child in node.children:
            if child.tag in KINDS:
                inner = child.values.get("childclass", childclass) if child.tag in ("body", "frame") else childclass
                self._register(KINDS[child.tag], child, inner)
                self._register_below(child, inner)

    def _names_below(self, node: Node) -> set[tuple[str, str]]:
        """The names of all that is below a node."""
        names = {(KINDS[c.tag], c.values["name"]) for c in node.children if c.tag in KINDS and c.values.get("name")}
        return names.union(*(self._names_below(child) for child in node.children))
