"""The types of composites: where their bodies are, how they hang together, and what holds them in shape."""

from __future__ import annotations

import math
from itertools import product

import numpy as np

from newtonish.diagnostics import Diagnostics
from newtonish.importers.mjcf.macros.composite_parts import Composite
from newtonish.mjcf.language.read import Node

__all__ = ["make_cloth", "make_grid", "make_particles", "make_rope", "make_shell"]

AXES = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0])
HALF = math.sqrt(0.5)
ALONG_X = ([HALF, 0.0, HALF, 0.0], [0.5, 0.5, 0.5, 0.5])  # of a rope, of a cloth: their capsules are turned differently
ALONG_Y = [HALF, HALF, 0.0, 0.0]


def make_particles(composite: Composite, body: Node | None, log: Diagnostics) -> list[Node]:
    """Bodies that slide along three axes, or have the joints that are written."""
    result = []
    for place in product(*(range(n) for n in composite.count)):
        particle = composite.make_body(composite.name("B", *place), _grid_position(composite, place, 3))
        particle.children = composite.own_joints() or [_slider(composite, "", axis) for axis in range(3)]
        particle.children.append(composite.make_geom(""))
        result.append(particle)
    return result


def make_grid(composite: Composite, body: Node | None, log: Diagnostics) -> list[Node]:
    """Sliding bodies that tendons hold at their distances; pinned ones do not slide."""
    columns, rows, _ = composite.count
    result = []
    for place in product(range(columns), range(rows)):
        element = composite.make_body(composite.name("B", *place), _grid_position(composite, place, 2))
        if place not in composite.pins:
            element.children = [_slider(composite, composite.name("J", axis, *place), axis) for axis in range(3)]
        element.children.append(composite.make_geom(composite.name("G", *place), type="sphere"))
        element.children.append(composite.make_site(composite.name("S", *place)))
        result.append(element)
    for axis, (dx, dy) in enumerate(((1, 0), (0, 1))):
        for x, y in product(range(columns - dx), range(rows - dy)):
            ends = composite.name("S", x, y), composite.name("S", x + dx, y + dy)
            composite.tie_sites("main", composite.name("T", axis, x, y), *ends)
    _shear(composite)
    return result


def _shear(composite: Composite) -> None:
    """Tendons along the diagonals of a grid or cloth, where they are asked for."""
    if composite.has("shear"):
        for x, y in product(range(composite.count[0] - 1), range(composite.count[1] - 1)):
            ends = composite.name("S", x, y), composite.name("S", x + 1, y + 1)
            composite.tie_sites("shear", composite.name("TS", x, y), *ends)


def _grid_position(composite: Composite, place: tuple[int, ...], size: int) -> list[float]:
    """Where a body of a regular grid is."""
    steps = [composite.spacing * (place[i] - 0.5 * composite.count[i]) for i in range(size)] + [0.0] * (3 - size)
    return [start + step for start, step in zip(composite.offset, steps)]


def _slider(composite: Composite, name: str, axis: int) -> Node:
    """A joint that lets a body slide along an axis of its parent."""
    joint = composite.make_joint("main", name, type="slide", pos=[0.0, 0.0, 0.0], axis=list(AXES[axis]))
    if not name:
        del joint.values["name"]
    return joint


def make_rope(composite: Composite, body: Node | None, log: Diagnostics) -> list[Node] | None:
    """A chain of bodies in both directions from the parent body, whose name says which of them it is."""
    origin = _origin(composite, body, 1, log)
    if origin is None:
        return None
    here, count = origin[0], composite.count[0]
    right = _rope_chain(composite, here, range(here + 1, count))
    left = _rope_chain(composite, here, range(here - 1, -1, -1))
    if composite.type == "loop":
        composite.close_loop(composite.name("B", 0), composite.name("B", count - 1))
    return [_rope_geom(composite, here), *right, *left]


def _rope_chain(composite: Composite, before: int, places: range) -> list[Node]:
    """The bodies at some places, each inside the one before."""
    if not places:
        return []
    here = places[0]
    step = composite.spacing * (here - before)
    pos, quat = [step, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]
    if composite.type == "loop":  # the corners of a regular polygon, half a side from each joint
        half = math.pi / composite.count[0]
        reach = 0.5 * composite.spacing * math.sin(2.0 * half) / math.sin(half)
        pos = [math.copysign(reach * math.cos(half), step), reach * math.sin(half), 0.0]
        quat = [math.cos(half), 0.0, 0.0, math.copysign(math.sin(half), step)]
    link = composite.make_body(composite.name("B", here), pos, quat=quat)
    link.children = _bending(composite, (here,), [-0.5 * step, 0.0, 0.0], 0)
    link.children.append(_rope_geom(composite, here))
    link.children += _rope_chain(composite, here, places[1:])
    return [link]


def _rope_geom(composite: Composite, place: int) -> Node:
    return composite.make_geom(composite.name("G", place), pos=[0.0, 0.0, 0.0], quat=list(ALONG_X[0]))


def _bending(composite: Composite, place: tuple[int, ...], pos: list[float], along: int) -> list[Node]:
    """The joints between neighbours along an axis: two that bend, and where asked for one that twists and one that stretches."""
    joints = []
    for number, axis in enumerate(a for a in range(3) if a != along):
        name = composite.name("J", number, *place)
        joints.append(composite.make_joint("main", name, type="hinge", pos=list(pos), axis=list(AXES[axis])))
    for kind, letter, motion in (("twist", "JT", "hinge"), ("stretch", "JS", "slide")):
        if composite.has(kind):
            name = composite.name(letter, *place)
            joints.append(composite.make_joint(kind, name, type=motion, pos=list(pos), axis=list(AXES[along])))
            composite.fix_joint(kind, name)
    return joints


def make_cloth(composite: Composite, body: Node | None, log: Diagnostics) -> list[Node] | None:
    """A tree of bodies: a chain along x through the parent body, chains along y from each of its links."""
    origin = _origin(composite, body, 2, log)
    if origin is None:
        return None
    columns, rows, _ = composite.count
    x, y = origin
    root = _cloth_element(composite, (x, y))
    row = _cloth_row(composite, (x, y))
    right = _cloth_columns(composite, (x, y), range(x + 1, columns))
    left = _cloth_columns(composite, (x, y), range(x - 1, -1, -1))
    if body is not None and "flatinertia" in composite.node.values:
        body.children = [child for child in body.children if child.tag != "inertial"]
    for other in range(rows):
        if other != y:  # the row of the parent is a chain of joints already
            for column in range(columns - 1):
                ends = composite.name("S", column, other), composite.name("S", column + 1, other)
                composite.tie_sites("main", composite.name("T", column, other), *ends)
    _shear(composite)
    return [*root, *row, *right, *left]


def _cloth_columns(composite: Composite, before: tuple[int, int], places: range) -> list[Node]:
    """The bodies at some places along x, each inside the one before and with its row."""
    if not places:
        return []
    here = (places[0], before[1])
    link = _cloth_link(composite, before, here)
    link.children += _cloth_row(composite, here)
    link.children += _cloth_columns(composite, here, places[1:])
    return [link]


def _cloth_row(composite: Composite, start: tuple[int, int]) -> list[Node]:
    """The two chains along y from a body."""
    column, row = start
    up = _cloth_chain(composite, start, [(column, y) for y in range(row + 1, composite.count[1])])
    return up + _cloth_chain(composite, start, [(column, y) for y in range(row - 1, -1, -1)])


def _cloth_chain(composite: Composite, before: tuple[int, int], places: list[tuple[int, int]]) -> list[Node]:
    """The bodies at some places along y, each inside the one before."""
    if not places:
        return []
    link = _cloth_link(composite, before, places[0])
    link.children += _cloth_chain(composite, places[0], places[1:])
    return [link]


def _cloth_link(composite: Composite, before: tuple[int, int], here: tuple[int, int]) -> Node:
    """A body of a cloth with its joints at the neighbour it is attached to."""
    along = 0 if here[0] != before[0] else 1
    step = composite.spacing * (here[along] - before[along])
    pos = [step, 0.0, 0.0] if along == 0 else [0.0, step, 0.0]
    link = composite.make_body(composite.name("B", *here), pos)
    link.children = [*_bending(composite, here, [-x for x in pos], along), *_cloth_element(composite, here)]
    return link


def _cloth_element(composite: Composite, place: tuple[int, int]) -> list[Node]:
    """Inertia, geom and site of one body; long geoms lie across each other like the threads of a weave."""
    quat = list(ALONG_X[1] if sum(place) % 2 == 0 else ALONG_Y)
    geom = composite.make_geom(composite.name("G", *place), pos=[0.0, 0.0, 0.0], quat=quat)
    nodes = [geom, composite.make_site(composite.name("S", *place))]
    flat = composite.node.values.get("flatinertia", 0.0)
    if flat > 0.0:  # of a square plate; the number is its thickness as a part of its side
        across = _mass(composite) * composite.spacing**2 / 12.0
        inertia = [across * (1.0 + flat**2), across * (1.0 + flat**2), 2.0 * across]
        nodes.insert(0, composite.make("inertial", {"pos": [0.0, 0.0, 0.0], "mass": _mass(composite), "diaginertia": inertia}))
    return nodes


def _mass(composite: Composite) -> float:
    """Mass of one geom."""
    geom = composite.geom
    if "mass" in geom:
        return geom["mass"]
    radius, half, height = [*geom["size"], 0.0, 0.0][:3]
    volume = 4.0 / 3.0 * math.pi * radius**3
    if geom["type"] == "capsule":
        volume += 2.0 * math.pi * radius**2 * half
    elif geom["type"] == "ellipsoid":
        volume = 4.0 / 3.0 * math.pi * radius * half * height
    return geom.get("density", 1000.0) * volume


def _origin(composite: Composite, body: Node | None, size: int, log: Diagnostics) -> tuple[int, ...] | None:
    """Which body of the composite the parent is: its name says so."""
    name = body.values.get("name", "") if body else "world"
    head = composite.name("B")
    words = name[len(head) :].split("_") if name.startswith(head) else []
    place = tuple(int(word) for word in words[:size] if word.isdecimal() and word.isascii())
    if len(place) == size and all(n < count for n, count in zip(place, composite.count)):
        return place
    example = composite.name("B", *[0] * size)
    allowed = f"the name of one of the composite's bodies, as '{example}'"
    log.problem(composite.node.location, composite.node.label, f"the parent body '{name}'", allowed, "give that name to the body that holds the composite")
    return None


def make_shell(composite: Composite, body: Node | None, log: Diagnostics) -> list[Node]:
    """Bodies on the outside of a box, cylinder or ellipsoid, each sliding outwards, coupled to its neighbours and to the volume."""
    size = composite.geom["size"][0]
    centre = composite.make_geom(composite.name("Gcenter"), type="sphere", pos=[0.0, 0.0, 0.0], size=[2.0 * size, 0.0, 0.0])
    places = [place for place in product(*(range(n) for n in composite.count)) if _outside(composite, place)]
    result = [_shell_element(composite, place) for place in places]
    for place in places:
        joint = composite.name("J", *place)
        composite.fix_joint("main", joint)
        for axis in range(3):
            other = tuple(n + (i == axis) for i, n in enumerate(place))
            if other[axis] < composite.count[axis] and _outside(composite, other):
                composite.couple_joints(joint, composite.name("J", *other))
    composite.tie_joints(composite.name("T"), [composite.name("J", *place) for place in places])
    return [centre, *result]


def _outside(composite: Composite, place: tuple[int, ...]) -> bool:
    """Whether a place is on the outside of the grid."""
    return any(n in (0, count - 1) for n, count in zip(place, composite.count))


def _shell_element(composite: Composite, place: tuple[int, ...]) -> Node:
    """A body on the shell; its z axis points outwards and its geom lies inside."""
    pos = _on_shell(composite, place)
    element = composite.make_body(composite.name("B", *place), pos, zaxis=[float(x) for x in pos])
    radius, half = [*composite.geom["size"], 0.0][:2]
    capsule = composite.geom["type"] == "capsule"
    inwards = [0.0, 0.0, -(radius + half) if capsule else -radius]
    joint = composite.make_joint("main", composite.name("J", *place), type="slide", pos=[0.0, 0.0, 0.0], axis=list(AXES[2]))
    geom = composite.make_geom(composite.name("G", *place), type="capsule" if capsule else "sphere", pos=inwards)
    element.children = [joint, geom]
    return element


def _on_shell(composite: Composite, place: tuple[int, ...]) -> np.ndarray:
    """Where a place of the grid's outside is on the shape."""
    unit = np.array([2.0 * n / (count - 1) - 1.0 for n, count in zip(place, composite.count)])
    half = 0.5 * composite.spacing * (np.array(composite.count) - 1.0)
    if composite.type == "ellipsoid":
        unit /= np.linalg.norm(unit)
    elif composite.type == "cylinder" and unit[:2].any():
        unit[:2] *= np.abs(unit[:2]).max() / np.linalg.norm(unit[:2])
    return unit * half
