"""The ``custom`` section: numbers, texts and tuples of objects that a file carries for its user."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from newtonish.common.sensors import OBJECTS
from newtonish.diagnostics import Diagnostics
from newtonish.importers.mjcf.sensors import Sensor, index_of
from newtonish.importers.mjcf.tree import Tree
from newtonish.mjcf.language.read import Node

__all__ = ["Custom", "read_custom", "write_custom"]

KINDS = {**OBJECTS, "sensor": 20, "numeric": 21, "text": 22, "tuple": 23}
"""MuJoCo's numbers of what an element of a tuple can name here, by MJCF's word."""
_LATER = ("light", "mesh", "hfield", "material", "texture", "skin", "pair", "exclude", "equality", "flex", "key", "plugin")


@dataclass
class Element:
    """One element of a tuple: its kind by MJCF's word, the object (a name within this section), and a number."""

    kind: str
    item: Any
    prm: float


@dataclass
class Custom:
    """One entry; ``data`` holds numbers or a text, ``elements`` those of a tuple."""

    node: Node
    kind: str
    name: str
    data: Any = None
    elements: list[Element] = field(default_factory=list)


def read_custom(root: Node, tree: Tree, actuators: list[dict[str, Any]], sensors: list[Sensor], log: Diagnostics) -> list[Custom]:
    """Return the entries of a file: numbers, then texts, then tuples."""
    entries: dict[tuple[str, str], Custom] = {}
    for section in root.sections("custom"):
        for node in section.children:
            entry = Custom(node, node.tag, node.values.get("name", ""))
            if (node.tag, entry.name) in entries:
                log.problem(node.at("name"), node.label, "a name that is taken", "each name once", "rename it")
            entries[node.tag, entry.name] = entry
    known: dict[tuple[str, str], Any] = {key: item for key, item in tree.names.items() if key[0] in KINDS}
    known |= {("xbody", name): item for (kind, name), item in tree.names.items() if kind == "body"}
    known |= {("actuator", row["mujoco:actuator_label"]): i for i, row in enumerate(actuators)}
    known |= {("sensor", sensor.row["label"]): sensor for sensor in sensors}
    known |= entries
    for entry in entries.values():
        if entry.kind == "numeric":
            entry.data = _numbers(entry.node, log)
        elif entry.kind == "text":
            entry.data = entry.node.values["data"] if entry.node.values.get("data") else ""
            if not entry.data:
                log.problem(entry.node.at("data"), entry.node.label, "an empty text", "some text", "write it, or remove the element")
        else:
            entry.elements = [e for node in entry.node.children if (e := _element(node, entry, known, log)) is not None]
            if not entry.node.children:
                log.problem(entry.node.location, entry.node.label, "no element", "at least one", "add one, or remove it")
    return sorted(entries.values(), key=lambda entry: ("numeric", "text", "tuple").index(entry.kind))


def _numbers(node: Node, log: Diagnostics) -> list[float]:
    """The numbers of an entry, filled up with zeros to its size."""
    data = list(node.values.get("data", ()))
    size = node.values.get("size", len(data))
    if size <= 0 or len(data) > size or size > 1_000_000:
        given = f"size {size} and {len(data)} numbers"
        log.problem(node.location, node.label, given, "a size from 1 to 1000000 that holds the numbers", "correct the size")
        return []
    return data + [0.0] * (size - len(data))


def _element(node: Node, entry: Custom, known: dict[tuple[str, str], Any], log: Diagnostics) -> Element | None:
    """Read one element of a tuple and look up what it names."""
    kind, name = node.values.get("objtype", ""), node.values.get("objname", "")
    if kind in _LATER:
        log.ignored("tuple.element", node.location, f"{entry.node.label}, {kind} '{name}'", f"is left out: tuples keep no {kind}")
        return None
    if (kind, name) not in known:
        given = f"{kind} '{name}'"
        log.problem(node.at("objname"), entry.node.label, given, "the name of an object of that kind", "correct the name or the kind")
        return None
    return Element(kind, known[kind, name], node.values.get("prm", 0.0))


def write_custom(builder: Any, entries: list[Custom], sensors: list[Sensor], first_actuator: int, first_sensor: int) -> None:
    """Write the entries as rows; their numbers and elements go into pools.

    Args:
        builder: A builder that has everything else.
        entries: As ``read_custom`` returns them.
        sensors: The sensors that were written.
        first_actuator: Row of the file's first actuator.
        first_sensor: Row of the file's first sensor.
    """
    row_of: dict[int, int] = {id(sensor): first_sensor + i for i, sensor in enumerate(sensors)}
    for kind in ("numeric", "text", "tuple"):
        first = len(builder.custom_attributes[f"mujoco:{kind}_label"].values)
        row_of |= {id(entry): first + i for i, entry in enumerate(e for e in entries if e.kind == kind)}
    for entry in entries:
        row: dict[str, Any] = {f"mujoco:{entry.kind}_label": entry.name}
        if entry.kind == "text":
            row["mujoco:text_data"] = entry.data
        else:
            pool = "numeric_data" if entry.kind == "numeric" else "tuple_objtype"
            first = len(builder.custom_attributes[f"mujoco:{pool}"].values)
            row |= {f"mujoco:{entry.kind}_adr": first, f"mujoco:{entry.kind}_size": len(entry.data or entry.elements)}
            for number in entry.data or ():
                builder.add_custom_values(**{"mujoco:numeric_data": number})
            for element in entry.elements:
                own = isinstance(element.item, (Custom, Sensor))
                index = row_of.get(id(element.item), -1) if own else index_of(element.item, first_actuator)
                values = {"tuple_objtype": KINDS[element.kind], "tuple_obj": index, "tuple_objprm": element.prm}
                builder.add_custom_values(**{f"mujoco:{name}": value for name, value in values.items()})
        builder.add_custom_values(**row)
