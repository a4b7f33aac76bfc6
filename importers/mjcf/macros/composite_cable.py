"""The cable type of composites: a chain along a curve, with ball joints at its corners."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from newtonish.diagnostics import Diagnostics
from newtonish.importers import frames
from newtonish.importers.mjcf.macros.composite_parts import Composite
from newtonish.mjcf.language.read import Node

__all__ = ["make_cable"]

SHAPES = ("s", "cos(s)", "sin(s)", "0")
FRICTION = ("damping", "armature", "frictionloss")


def make_cable(composite: Composite, body: Node | None, log: Diagnostics) -> list[Node] | None:
    """A chain of bodies along a curve, each inside the one before; its x axis lies along its piece of the curve.

    Between two pieces the frame is turned by the smallest rotation, so that it does not twist (Bergou et al., Discrete Elastic
    Rods, 2008). Two things differ from MuJoCo 2.3.7: bodies stand at the points also where these are at unequal distances, and
    a curve that begins straight keeps its frame when it bends.
    """
    points = _points(composite, log)
    if points is None:
        return None
    edges = np.diff(points, axis=0)
    lengths = np.linalg.norm(edges, axis=1)
    if not lengths.min() > 0.0 or not np.isfinite(lengths).all():
        log.problem(composite.node.location, composite.node.label, "a curve with two equal points", "points that differ", "correct it")
        return None
    turns = _frames(edges / lengths[:, None])
    first = _link(composite, 0, points[0] + composite.offset, turns[0], lengths)
    link = first
    for i in range(1, len(edges)):
        before, here = turns[i - 1], turns[i]
        inner = _link(composite, i, np.array([lengths[i - 1], 0.0, 0.0]), before.T @ here, lengths)
        link.children.append(inner)
        composite.exclude(_name(composite, "B", i - 1), _name(composite, "B", i))
        link = inner
    return [first]


def _points(composite: Composite, log: Diagnostics) -> np.ndarray | None:
    """The corners of the curve [m]."""
    values, node = composite.node.values, composite.node
    if "vertex" in values:
        return np.array(values["vertex"]).reshape(-1, 3)
    words = values.get("curve", "").split()
    if len(words) != 3 or not set(words) <= set(SHAPES) or set(words) == {"0"}:
        log.problem(node.at("curve"), node.label, f"curve '{values.get('curve', '')}'", f"three of {', '.join(SHAPES)}, or vertex", "write it")
        return None
    length, radius, waves = [*values.get("size", [1.0]), 0.0, 0.0][:3]
    s = np.arange(composite.count[0]) / (composite.count[0] - 1)
    shapes = {"s": s * length, "cos(s)": radius * np.cos(math.pi * s * waves), "sin(s)": radius * np.sin(math.pi * s * waves), "0": 0.0 * s}
    return np.stack([shapes[word] for word in words], axis=1)


def _frames(tangents: np.ndarray) -> list[np.ndarray]:
    """Rotation matrices of the pieces of a curve, their first column the tangent."""
    start = tangents[0]
    across = np.cross(start, tangents[1]) if len(tangents) > 1 else np.zeros(3)
    if np.linalg.norm(across) < 1e-9:
        across = np.array([0.0, 0.0, 1.0]) if abs(start[2]) < 1.0 - 1e-9 else np.array([1.0, 0.0, 0.0])
    across = across - start * (start @ across)
    across /= np.linalg.norm(across)
    result = [np.stack([start, np.cross(across, start), across], axis=1)]
    for before, here in pairwise(tangents):
        axis = np.cross(before, here)
        angle = math.atan2(np.linalg.norm(axis), before @ here)
        axis = axis / np.linalg.norm(axis) if np.linalg.norm(axis) > 1e-12 else result[-1][:, 2]
        result.append(frames.to_matrix(frames.from_axisangle([*axis, angle], degree=False)) @ result[-1])
    return result


def _link(composite: Composite, number: int, pos: np.ndarray, turn: np.ndarray, lengths: np.ndarray) -> Node:
    """One body of the chain."""
    length, last = float(lengths[number]), len(lengths) - 1
    link = composite.make_body(_name(composite, "B", number), pos, quat=[float(x) for x in frames.from_matrix(turn)])
    initial = composite.node.values.get("initial", "ball")
    if number or initial != "none":
        joint = composite.make_joint("main", _name(composite, "J", number), type="ball", pos=[0.0, 0.0, 0.0])
        if number == 0 and initial == "free":
            joint.values |= {"type": "free"}
            joint.values = {k: v for k, v in joint.values.items() if k not in FRICTION}
        link.children.append(joint)
    geom = composite.make_geom(composite.name("G", number))
    if composite.geom["type"] == "box":
        geom.values |= {"pos": [0.5 * length, 0.0, 0.0], "size": [0.5 * length, *[*composite.geom.get("size", []), 0.0, 0.0, 0.0][1:3]]}
    else:
        geom.values |= {"fromto": [0.0, 0.0, 0.0, length, 0.0, 0.0]}
    link.children.append(geom)
    if number in (0, last):
        link.children.append(composite.make_site(_name(composite, "S", number), pos=[length if number == last else 0.0, 0.0, 0.0]))
    return link


def _name(composite: Composite, letter: str, number: int) -> str:
    """Name of a body, joint or site: the ends have names of their own."""
    last = composite.count[0] - 2
    return composite.name(f"{letter}_") + ("first" if number == 0 else "last" if number == last else str(number))
