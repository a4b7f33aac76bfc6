"""Keyframes: states that a file names, in MuJoCo's order of coordinates with quaternions w, x, y, z."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from newtonish.common.constants import MINVAL
from newtonish.diagnostics import Diagnostics
from newtonish.importers.mjcf.actuators import control_count, stateful
from newtonish.importers.mjcf.lengths import AS_WRITTEN, Lengths
from newtonish.importers.mjcf.tree import Tree
from newtonish.mjcf.language.read import Node

__all__ = ["PARTS", "Inherited", "Keyframe", "number_coordinates", "read_keyframes", "reference_qpos"]

PARTS = ("qpos", "qvel", "act", "ctrl", "mpos", "mquat", "plastic")

Keyframe = dict[str, Any]
"""``label``, ``time``, and a list of numbers for each part that is written."""


@dataclass
class Inherited:
    """The keyframes of an attached model, in its own order of coordinates.

    Attributes:
        prefix: What is put before their names.
        copies: The copies that were made of the model's elements.
        keys: The keyframes.
        tree: The model's tree.
        actuators: The model's actuators.
    """

    prefix: str
    copies: list[Node]
    keys: list[Keyframe]
    tree: Tree
    actuators: list[dict[str, Any]]

    def placed(self, tree: Tree, actuators: list[dict[str, Any]]) -> list[Keyframe]:
        """Return the keyframes in the order of another tree, which has copies of some of the elements.

        Of several copies, those of ``replicate``, the first takes the numbers; the others are at the reference.
        """
        own = {id(node): spans for node, spans in _spans(self.tree, self.actuators)}
        copies = {id(node) for node in self.copies}
        moves: list[tuple[str, int, int, int]] = []
        for node, spans in _spans(tree, actuators):
            while node is not None and id(node) not in copies:
                node = node.origin
            while node is not None and id(node) not in own:
                node = node.origin
            for part, (start, count) in (own.pop(id(node)) if node is not None else {}).items():
                moves.append((part, spans[part][0], start, count))
        rest = _rest(tree, actuators)
        result = []
        for key in self.keys:
            new: Keyframe = {"label": self.prefix + key["label"] if key["label"] else "", "time": key["time"], "node": key["node"]}
            for part in set(key) & set(rest):
                new[part] = list(rest[part])
                for _, to, start, count in (move for move in moves if move[0] == part):
                    new[part][to : to + count] = key[part][start : start + count]
            result.append(new)
        return result


def _spans(tree: Tree, actuators: list[dict[str, Any]]) -> Iterator[tuple[Node | None, dict[str, tuple[int, int]]]]:
    """Yield elements with first number and count of what they have in each part of a state."""
    number_coordinates(tree)
    dof = mocap = act = ctrl = 0
    for body in tree.bodies:
        if body.mocap:
            yield body.node, {"mpos": (3 * mocap, 3), "mquat": (4 * mocap, 4)}
            mocap += 1
        for joint in body.joints:
            yield joint.node, {"qpos": (joint.qpos, joint.coords), "qvel": (dof, joint.dofs)}
            dof += joint.dofs
    for row in actuators:
        acts, ctrls = stateful(row), control_count(row)
        yield row["mujoco:actuator_trnid"].node, {"act": (act, acts), "ctrl": (ctrl, ctrls)}
        act, ctrl = act + acts, ctrl + ctrls


def _rest(tree: Tree, actuators: list[dict[str, Any]]) -> dict[str, list[float]]:
    """The reference state."""
    mocap = [body for body in tree.bodies if body.mocap]
    _, nv = number_coordinates(tree)
    return {
        "qpos": reference_qpos(tree),
        "qvel": [0.0] * nv,
        "act": [0.0] * sum(stateful(row) for row in actuators),
        "ctrl": [0.0] * sum(control_count(row) for row in actuators),
        "mpos": [float(v) for body in mocap for v in body.pos],
        "mquat": [float(v) for body in mocap for v in body.quat],
    }


def number_coordinates(tree: Tree) -> tuple[int, int]:
    """Give every joint its first coordinate in qpos; return the numbers of coordinates and degrees of freedom."""
    nq = nv = 0
    for joint in tree.joints():
        joint.qpos = nq
        nq += joint.coords
        nv += joint.dofs
    return nq, nv


def reference_qpos(tree: Tree) -> list[float]:
    """Return MuJoCo's qpos0."""
    qpos: list[float] = []
    for body in tree.bodies:
        for joint in body.joints:
            if joint.type == "free":
                qpos.extend([*body.pos, *body.quat])
            elif joint.type == "ball":
                qpos.extend([1.0, 0.0, 0.0, 0.0])
            else:
                qpos.append(joint.ref)
    return qpos


def read_keyframes(
    root: Node,
    tree: Tree,
    actuators: list[dict[str, Any]],
    log: Diagnostics,
    inherited: Sequence[Inherited] = (),
    measure: Lengths = AS_WRITTEN,
) -> list[Keyframe]:
    """Return the keyframes of a file, checked for length; short lists are completed from the reference, as in MuJoCo.

    Those of attached models follow, with the numbers of the joints, actuators and bodies that were attached in their new places.
    """
    rest = _rest(tree, actuators) | {"plastic": _plastic_rest(tree)}
    keys: list[Keyframe] = []
    names: set[str] = set()
    for section in root.sections("keyframe"):
        for node in section.sections("key"):
            name = node.values.get("name", "")
            if name and name in names:
                log.problem(node.at("name"), node.label, "a name that is taken", "each name once", "rename it")
            names.add(name)
            key: Keyframe = {"label": name, "time": node.values.get("time", 0.0), "node": node}
            for part in PARTS:
                if node.values.get(part):
                    key[part] = _part(node, part, rest[part], tree, log, measure)
            keys.append(key)
    for source in inherited:
        keys.extend(source.placed(tree, actuators))
    wanted = max([node.values.get("nkey", 0) for node in root.sections("size")], default=0)
    if wanted > 10_000:
        node = next(root.sections("size"))
        log.problem(node.at("nkey"), "size, nkey", str(wanted), "at most 10000", "use a smaller number")
        wanted = 0
    keys.extend({"label": "", "time": 0.0} for _ in range(wanted - len(keys)))
    return keys


def _plastic_rest(tree: Tree) -> list[float]:
    """The plastic state before anything has yielded, NaN where it is not known yet: where springs of joints, and of tendons, rest."""
    rest: list[float] = []
    for joint in tree.joints():
        if joint.values.get("springyield", 0.0) > 0.0:
            rest += [1.0, 0.0, 0.0, 0.0] if joint.type == "ball" else [joint.springref]
    for tendon in tree.tendons:
        if tendon.row["mujoco:tendon_springyield"] > 0.0:
            given = tendon.row["mujoco:tendon_springlength"]
            rest += [math.nan] * 2 if given == [-1.0, -1.0] else given
    return rest


def _part(node: Node, part: str, rest: list[float], tree: Tree, log: Diagnostics, measure: Lengths) -> list[float]:
    """Check one list of numbers; of a body half a pose counts for nothing."""
    numbers, length = measure.key(part, list(node.values[part]), tree.joints()), len(rest)
    if len(numbers) < length:
        note = f"{len(numbers)} of {length} numbers are written; the others are taken from the reference configuration"
        log.approximated(f"key.{part}", node.at(part), f"{node.label}, {part}", note)
        whole = len(numbers) - len(numbers) % {"mpos": 3, "mquat": 4}.get(part, 1)
        numbers = numbers[:whole] + rest[whole:]
        if any(math.isnan(v) for v in rest[whole:]):
            allowed = f"{length}, as the rest lengths of tendons that have none written are known later"
            log.problem(node.at(part), f"{node.label}, {part}", f"{whole} numbers", allowed, "write all of them, or springlength")
            return []
    if len(numbers) != length:
        given = f"{len(numbers)} numbers"
        log.problem(node.at(part), f"{node.label}, {part}", given, f"{length} for this model", "correct the list")
        return []
    if not all(math.isfinite(v) for v in numbers):
        log.problem(node.at(part), f"{node.label}, {part}", "a number that is not finite", "finite numbers", "correct it")
        return []
    if part == "qpos":
        for joint in tree.joints():
            if joint.type in ("free", "ball"):
                start = joint.qpos + joint.coords - 4
                numbers[start : start + 4] = _unit(numbers[start : start + 4])
    if part == "mquat":
        for start in range(0, length, 4):
            numbers[start : start + 4] = _unit(numbers[start : start + 4])
    return numbers


def _unit(quat: list[float]) -> list[float]:
    """Return the quaternion at length one; a zero one is no rotation."""
    length = float(np.linalg.norm(quat))
    return [v / length for v in quat] if length > MINVAL else [1.0, 0.0, 0.0, 0.0]
