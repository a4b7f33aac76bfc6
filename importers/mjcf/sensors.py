"""Sensors: rows of the ``mujoco:sensor`` frequency, in the order of the file.

What a sensor is attached to is looked up by name here and turned into an index when everything has been written.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

from newtonish.common.enums import DataType, ObjType, Stage
from newtonish.common.sensors import CONTACT_SIZES, OBJECTS, RANGEFINDER_SIZES, SENSORS
from newtonish.diagnostics import Diagnostics
from newtonish.importers.mjcf.cameras import Camera
from newtonish.importers.mjcf.history import read_history, read_interval
from newtonish.importers.mjcf.tree import Body, Geom, Joint, Tree
from newtonish.mjcf.language.read import Node
from newtonish.mjcf.language.schema import nearest
from newtonish.namespaces.mujoco_actuators import outputs

__all__ = ["Sensor", "index_of", "read_sensors", "write_sensors"]

DATATYPES = ("real", "positive", "axis", "quaternion")
STAGES = ("none", "pos", "vel", "acc")
REDUCTIONS = ("none", "mindist", "maxforce", "netforce")
NETFORCE, MAXFORCE = 3, 2
_JOINTS = {"ballquat": ("ball",), "ballangvel": ("ball",)}
_SCALAR = ("hinge", "slide")
_KEPT = "a sensor that is not evaluated yet"


@dataclass
class Sensor:
    """One sensor: its attributes, and what it measures and refers to (number of the kind, object of the tree)."""

    node: Node
    row: dict[str, Any]
    target: tuple[int, Any] = (ObjType.UNKNOWN, None)
    reference: tuple[int, Any] = (ObjType.UNKNOWN, None)


def read_sensors(root: Node, tree: Tree, actuators: list[dict[str, Any]], log: Diagnostics) -> list[Sensor]:
    """Return the sensors of a file; those that cannot be evaluated are reported and left out.

    Args:
        root: The file.
        tree: Its bodies, with names.
        actuators: Rows of the actuators in order.
        log: Receives problems and what is left out.
    """
    positions = {row["mujoco:actuator_label"]: i for i, row in enumerate(actuators)}
    tendons = {n.values.get("name", "") for s in root.sections("tendon") for n in s.children}
    unknown = {name for name in tendons if ("tendon", name) not in tree.names}
    unseen = {n.values.get("name", "") for s in root.sections("asset") for n in s.sections("mesh")}
    unseen -= {geom.mesh.name for body in tree.bodies for geom in body.geoms if geom.mesh is not None}
    sensors: list[Sensor] = []
    names: set[str] = set()
    for section in root.sections("sensor"):
        for node in section.children:
            if not node.kind:
                continue
            name = node.values.get("name", "")
            if name and name in names:
                log.problem(node.at("name"), node.label, "a name that is taken", "each name once", "rename it")
            names.add(name)
            if node.tag not in SENSORS:
                log.ignored("sensors", node.location, f"sensor {node.label}", _KEPT)
                continue
            if node.values.get("tendon") in unknown:
                log.ignored("sensors", node.location, f"sensor {node.label}", "measures a tendon that is kept out")
                continue
            if any(key in tree.forgotten and key not in tree.names for key in _named(node)):
                log.ignored("sensors", node.location, f"sensor {node.label}", "measures what is left out as asked for")
                continue
            if node.tag == "touch" and ("site", str(node.values.get("site", ""))) not in tree.names and node.values.get("site"):
                log.ignored("sensors", node.location, f"sensor {node.label}", f"its site '{node.values['site']}' is not there")
                continue
            if node.tag == "tactile" and node.values["mesh"] in unseen:
                log.ignored("sensors", node.location, f"sensor {node.label}", "its mesh is not that of a geom")
                continue
            if node.tag == "rangefinder" and ("site" in node.values) == ("camera" in node.values):
                given = "both" if "site" in node.values else "neither"
                log.problem(node.location, node.label, given, "a site or camera", "name one of them")
                continue
            sensor = Sensor(node, _row(node, name or f"sensor{len(sensors)}", log))
            _attach(sensor, tree, positions, log)
            if "actuator" in node.values and node.values["actuator"] in positions:
                kind = actuators[positions[node.values["actuator"]]]["mujoco:actuator_trntype"]
                sensor.row["dim"] = outputs(kind)
            sensors.append(sensor)
    return sensors


def _named(node: Node) -> list[tuple[str, str]]:
    """Kind and name of all that a sensor refers to in the tree of bodies."""
    values = node.values
    kinds = {word: word.rstrip("12") for word in ("site", "joint", "camera", "body", "geom", "body1", "body2", "geom1", "geom2")}
    kinds |= {f"{end}name": str(values.get(f"{end}type", "")).replace("xbody", "body") for end in ("obj", "ref")}
    return [(kind, str(values[attribute])) for attribute, kind in kinds.items() if values.get(attribute)]


def _row(node: Node, label: str, log: Diagnostics) -> dict[str, Any]:
    """Return the attributes that name no objects."""
    kind, values = SENSORS[node.tag], node.values
    row: dict[str, Any] = {
        "label": label,
        "type": int(kind.type),
        "cutoff": values.get("cutoff", 0.0),
        "noise": values.get("noise", 0.0),
        "dim": kind.dim,
        "datatype": int(kind.datatype),
        "needstage": int(kind.stage),
        "interval": read_interval(node, log),
        **read_history(node, values, log),
    }
    for name in ("cutoff", "noise"):
        if not (math.isfinite(row[name]) and row[name] >= 0.0):
            log.problem(node.at(name), f"{node.label}, {name}", str(row[name]), "a number >= 0", "correct it")
    if row["cutoff"] > 0.0 and row["datatype"] in (DataType.AXIS, DataType.QUATERNION) and kind.object != "pair":
        log.problem(node.at("cutoff"), node.label, "a cutoff", "only real numbers have one", "remove it")
    if node.tag == "user":
        row["dim"] = values.get("dim", 0)
        row["datatype"] = DATATYPES.index(values.get("datatype", "real"))
        row["needstage"] = STAGES.index(values.get("needstage", "acc"))
        if row["dim"] < 0:
            log.problem(node.at("dim"), f"{node.label}, dim", str(row["dim"]), "an integer >= 0", "correct it")
    elif node.tag == "rangefinder":
        row["dataspec"], row["dim"] = _parts(node, RANGEFINDER_SIZES, "dist", log)
    elif node.tag == "insidesite" and values.get("enclosed"):
        row["dataspec"], row["datatype"] = 1, DataType.REAL
    elif node.tag == "contact":
        row |= _contact_row(node, log)
    return row


def _parts(node: Node, sizes: dict[str, int], default: str, log: Diagnostics) -> tuple[int, int]:
    """Return the bits of the parts named by ``data``, and how many numbers they are."""
    words = node.values.get("data") or [default]
    order = [list(sizes).index(word) for word in words]
    if any(b <= a for a, b in itertools.pairwise(order)):
        log.problem(node.at("data"), f"{node.label}, data", " ".join(words), f"in the order {', '.join(sizes)}", "sort it")
    return sum(1 << i for i in set(order)), sum(sizes[word] for word in set(words))


def _contact_row(node: Node, log: Diagnostics) -> dict[str, Any]:
    """Return what a contact sensor puts out; one that looks at distances and counts alone needs no forces."""
    bits, size = _parts(node, CONTACT_SIZES, "found", log)
    number = node.values.get("num", 1)
    reduce = REDUCTIONS.index(node.values.get("reduce", "none"))
    if number < 1:
        log.problem(node.at("num"), f"{node.label}, num", str(number), "an integer >= 1", "correct it")
    moving = {"linvel", "angvel"} & set(node.values.get("data") or [])
    if reduce == NETFORCE and moving:
        given = f"netforce with {', '.join(sorted(moving))}"
        log.problem(node.at("reduce"), f"{node.label}, reduce", given, "another reduction", "leave the velocities out")
    forces = sum(1 << list(CONTACT_SIZES).index(word) for word in ("force", "torque"))
    velocities = sum(1 << list(CONTACT_SIZES).index(word) for word in ("linvel", "angvel"))
    stage = 1
    if bits & velocities:
        stage = 2
    if bits & forces or reduce in (MAXFORCE, NETFORCE):
        stage = Stage.ACC
    return {"dataspec": bits, "reduce": reduce, "num": number, "dim": number * size, "needstage": stage}


def _attach(sensor: Sensor, tree: Tree, actuators: dict[str, int], log: Diagnostics) -> None:
    """Look up what the sensor measures and what it refers to."""
    node, tag = sensor.node, sensor.node.tag
    kind = SENSORS[tag].object

    def find(attribute: str, word: str) -> tuple[int, Any]:
        return OBJECTS[word], _object(node, attribute, word, tree, actuators, log)

    if tag == "rangefinder":
        word = "camera" if "camera" in node.values else "site"
        sensor.target = find(word, word)
        if word == "camera":
            _count_pixels(sensor, log)
    elif kind == "pair":
        for end, side in (("1", "target"), ("2", "reference")):
            words = [word for word in ("geom", "body") if word + end in node.values]
            if len(words) != 1:
                given = " and ".join(word + end for word in words) or f"neither geom{end} nor body{end}"
                log.problem(node.location, node.label, given, f"geom{end} or body{end}", "name one of them")
            else:
                setattr(sensor, side, find(words[0] + end, words[0]))
        if sensor.target[1] is not None and sensor.target[1] is sensor.reference[1]:
            log.problem(node.location, node.label, "the same object twice", "two objects", "name another")
    elif tag == "tactile":
        sensor.reference = find("geom", "geom")
        sensor.target = (ObjType.MESH, _taxels(sensor, tree, log))
    elif kind not in ("", "*"):
        sensor.target = find(kind, kind)
        if kind == "joint":
            _check_joint(node, sensor.target[1], log)
    elif tag == "contact":
        for word, number in (("geom", OBJECTS["geom"]), ("body", OBJECTS["body"]), ("subtree", ObjType.XBODY)):
            for end, side in (("1", "target"), ("2", "reference")):
                if word + end in node.values:
                    found = find(word + end, "geom" if word == "geom" else "body")
                    setattr(sensor, side, (number, found[1]))
        if "site" in node.values:
            sensor.target = find("site", "site")
    elif kind == "*":
        for prefix, side in (("obj", "target"), ("ref", "reference")):
            named: str | None = node.values.get(f"{prefix}type")
            if named is None:
                continue
            if named not in OBJECTS:
                known = ", ".join(OBJECTS)
                log.problem(node.at(f"{prefix}type"), f"{node.label}, {prefix}type", f"'{named}'", known, "correct it")
                continue
            setattr(sensor, side, find(f"{prefix}name", named))
    if tag == "camprojection":
        sensor.reference = find("camera", "camera")
        _check_resolution(sensor, sensor.reference[1], log)
    if tag == "insidesite":
        sensor.reference = find("site", "site")


def _taxels(sensor: Sensor, tree: Tree, log: Diagnostics) -> Geom | None:
    """Find a geom that shows the mesh of a tactile sensor, its own first; three numbers for each vertex."""
    name, own = sensor.node.values["mesh"], sensor.reference[1]
    geoms = ([own] if own is not None else []) + [geom for body in tree.bodies for geom in body.geoms]
    for geom in geoms:
        if geom.mesh is not None and geom.mesh.name == name:
            sensor.row["dim"] = 3 * len(geom.mesh.vertices)
            return geom
    shown = sorted({geom.mesh.name for geom in geoms if geom.mesh is not None})
    hint = nearest(name, shown) or "give a geom this mesh"
    log.problem(sensor.node.at("mesh"), f"{sensor.node.label}, mesh", f"'{name}'", "the mesh of a geom", hint)
    return None


def _check_resolution(sensor: Sensor, camera: Camera | None, log: Diagnostics) -> bool:
    """Note a camera without pixels; returns whether it has some."""
    if camera is None:
        return False
    pixels = camera.row["resolution"]
    if min(pixels) <= 0:
        node = sensor.node
        given = f"camera '{camera.name}' with resolution {pixels}"
        log.problem(node.at("camera"), node.label, given, "a positive resolution", "write the camera's resolution")
    return min(pixels) > 0


MOST_NUMBERS = 1 << 24
"""Numbers that one sensor may give."""


def _count_pixels(sensor: Sensor, log: Diagnostics) -> None:
    """A rangefinder of a camera measures every pixel."""
    camera = sensor.target[1]
    if _check_resolution(sensor, camera, log):
        numbers = sensor.row["dim"] * camera.row["resolution"][0] * camera.row["resolution"][1]
        if numbers > MOST_NUMBERS:
            given = f"camera '{camera.name}' with resolution {camera.row['resolution']}, {numbers} numbers"
            log.problem(sensor.node.at("camera"), sensor.node.label, given, f"at most {MOST_NUMBERS} numbers", "write a smaller resolution")
            return
        sensor.row["dim"] = numbers


def _object(node: Node, attribute: str, word: str, tree: Tree, actuators: dict[str, int], log: Diagnostics) -> Any:
    """Find an object by name: an item of the tree, or the position of an actuator."""
    name = node.values.get(attribute, "")
    kind = "body" if word == "xbody" else word
    known: Any = actuators if kind == "actuator" else {n: item for (k, n), item in tree.names.items() if k == kind}
    if name not in known:
        hint = nearest(name, list(known)) or f"name a {kind}"
        log.problem(node.at(attribute), f"{node.label}, {attribute}", f"'{name}'", f"the name of a {kind}", hint)
        return None
    return known[name]


def _check_joint(node: Node, joint: Joint | None, log: Diagnostics) -> None:
    """Refuse joints that the sensor has no meaning for."""
    if joint is None:
        return
    if "limit" in node.tag:
        if not joint.limited:
            given = f"joint '{joint.name}', which has no limits"
            log.problem(node.at("joint"), node.label, given, "a limited joint", "give it a range")
        return
    allowed = _JOINTS.get(node.tag, _SCALAR)
    if joint.type not in allowed:
        given = f"the {joint.type} joint '{joint.name}'"
        log.problem(node.at("joint"), node.label, given, f"a {' or '.join(allowed)} joint", "name another")


def write_sensors(builder: Any, sensors: list[Sensor], first_actuator: int) -> list[Sensor]:
    """Write the sensors into the builder; returns those that refer to objects that were left out.

    Args:
        builder: A builder that has everything else.
        sensors: The sensors.
        first_actuator: Row of the file's first actuator.
    """
    lost = []
    for sensor in sensors:
        ends = [(kind, index_of(item, first_actuator)) for kind, item in (sensor.target, sensor.reference)]
        objects = [item for _, item in (sensor.target, sensor.reference)]
        if any(i < 0 and item is not None and not isinstance(item, Body) for (_, i), item in zip(ends, objects)):
            lost.append(sensor)
            continue
        row = {**sensor.row, "objtype": ends[0][0], "obj": ends[0][1], "reftype": ends[1][0], "ref": ends[1][1]}
        builder.add_custom_values(**{f"mujoco:sensor_{key}": value for key, value in row.items()})
    return lost


def index_of(item: Any, first_actuator: int) -> int:
    """Index in the builder: of a body, shape or tendon, the first dof of a joint, the row of an actuator; -1 none."""
    if item is None:
        return -1
    if isinstance(item, int):
        return first_actuator + item
    return item.dof if isinstance(item, Joint) else item.index
