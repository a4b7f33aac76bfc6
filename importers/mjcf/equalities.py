"""MJCF's ``equality`` section: connect, weld, joint and tendon, as rows of ``mujoco:equality_constraint``.

A weld whose relative pose is not written (a zero quaternion) keeps the pose that the bodies have in the reference
configuration; the conversion derives it, as it does the anchor of a connect on the second body.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from newtonish.common.constants import MINVAL
from newtonish.common.enums import ObjType
from newtonish.diagnostics import Diagnostics
from newtonish.importers import frames
from newtonish.importers.mjcf.defaults import Defaults
from newtonish.importers.mjcf.tendons import Tendon
from newtonish.importers.mjcf.tree import Body, Geom, Joint, Tree
from newtonish.mjcf.language.read import Node
from newtonish.mjcf.language.schema import nearest

__all__ = ["Equality", "read_equalities", "write_equalities"]

TYPES = {"connect": 0, "weld": 1, "joint": 2, "tendon": 3}
OBJECT_TYPES = {"body": ObjType.BODY, "site": ObjType.SITE, "joint": ObjType.JOINT, "tendon": ObjType.TENDON}
END_ATTRIBUTES = ("body1", "body2", "site1", "site2", "anchor", "relpose")


@dataclass
class Equality:
    """One equality constraint with the objects it couples; the second one of joints and tendons may be None."""

    node: Node
    kind: str
    ends: list[Any]
    row: dict[str, Any]


def read_equalities(root: Node, tree: Tree, defaults: Defaults, log: Diagnostics, skip: bool) -> list[Equality]:
    """Return the equality constraints of a file in order; ``skip`` leaves all of them out."""
    found: list[Equality] = []
    names: set[str] = set()
    for section in root.sections("equality"):
        for node in section.children:
            if skip:
                log.ignored("equalities", node.location, f"equality {node.label}", "left out as asked for", False)
            elif node.tag in TYPES:
                values, _ = defaults.values(node, None)
                name = values.get("name", "")
                if name in names:
                    log.problem(node.at("name"), node.label, "a name that is taken", "each name once", "rename it")
                names |= {name} - {""}
                kind, ends = _ends(node, values, tree, log)
                if kind == "joint":
                    values["polycoef"] = defaults.lengths.polynomial(values["polycoef"], ends)
                row = _row(node, name or f"equality{len(found)}", kind, values, log)
                found.append(Equality(node, kind, ends, row))
            else:
                text = "equality constraints of deformable objects are kept out, not simulated yet"
                log.ignored("equalities", node.location, f"equality {node.label}", text)
    return found


def _ends(node: Node, values: dict[str, Any], tree: Tree, log: Diagnostics) -> tuple[str, list[Any]]:
    """Return what is coupled: the kind of the two objects, and the objects."""
    if node.tag in ("joint", "tendon"):
        kind, second = node.tag, None
    else:
        given = [name for name in END_ATTRIBUTES if name in values]
        kind = "site" if given[:2] == ["site1", "site2"] else "body"
        needed = {"body1", "anchor"} if node.tag == "connect" else {"body1"}
        sites = {"site1", "site2"} & set(given)
        if (kind == "site" and len(given) > 2) or (kind == "body" and (sites or needed - set(given))):
            allowed = f"{' and '.join(sorted(needed, reverse=True))}, or site1 and site2 alone"
            log.problem(node.location, node.label, " and ".join(given) or "no objects", allowed, "name either")
            return kind, []
        second = tree.world if kind == "body" else None
    ends = [
        _named(node, f"{kind}{i}", kind, tree, log) if f"{kind}{i}" in values else second for i in (1, 2)
    ]  # fmt: skip
    if ends[0] is not None and ends[0] is ends[1]:
        log.problem(node.location, node.label, f"the same {kind} twice", f"two different {kind} objects", "name another one")
    return kind, ends


def _named(node: Node, attribute: str, kind: str, tree: Tree, log: Diagnostics) -> Any:
    """Look up an object; an unknown one, and a joint of several degrees of freedom, are problems."""
    name = node.values.get(attribute, "")
    found = tree.names.get((kind, name))
    if found is None:
        hint = nearest(name, [n for k, n in tree.names if k == kind]) or f"name a {kind}"
        log.problem(node.at(attribute), f"{node.label}, {attribute}", f"'{name}'", f"the name of a {kind}", hint)
    elif kind == "joint" and found.dofs != 1:
        given = f"a {found.type} joint"
        log.problem(node.at(attribute), f"{node.label}, {attribute}", given, "hinge or slide", "name another")
    return found


def _row(node: Node, label: str, kind: str, values: dict[str, Any], log: Diagnostics) -> dict[str, Any]:
    """Return the attributes of one constraint but for its objects."""
    row = {
        "equality_constraint_type": TYPES[node.tag],
        "equality_constraint_label": label,
        "equality_constraint_enabled": values.get("active", True),
        "equality_constraint_objtype": OBJECT_TYPES[kind],
        "eq_solref": values["solref"],
        "eq_solimp": values["solimp"],
    }
    if node.tag in ("joint", "tendon"):
        row["equality_constraint_polycoef"] = values["polycoef"]
    else:
        row["equality_constraint_anchor"] = values.get("anchor", [0.0, 0.0, 0.0])
    if node.tag == "weld":
        row["equality_constraint_torquescale"] = values["torquescale"]
        row["equality_constraint_relpose"] = values.get("relpose", [0.0] * 7)
    for key, value in row.items():
        numbers = value if isinstance(value, list) else [value]
        if any(isinstance(v, float) and not math.isfinite(v) for v in numbers):
            what = key.removeprefix("equality_constraint_").removeprefix("eq_")
            log.problem(node.location, f"{node.label}, {what}", str(value), "finite numbers", "correct it")
    return row


def write_equalities(builder: Any, equalities: list[Equality], world: tuple[np.ndarray, np.ndarray]) -> list[Equality]:
    """Write the rows; ``world`` is the pose of the file's world in the builder's parent body.

    Returns: constraints between sites that were not added, hence not written.
    """
    left_out = []
    for equality in equalities:
        if any(isinstance(end, Geom) and end.index < 0 for end in equality.ends):
            left_out.append(equality)
            continue
        row = dict(equality.row)
        if "equality_constraint_relpose" in row:
            row["equality_constraint_relpose"] = _newton_pose(row["equality_constraint_relpose"])
        for i, end in enumerate(equality.ends, 1):
            row |= _references(builder, end, i)
            if isinstance(end, Body) and end.parent is None:
                _place(row, i, world)
        builder.add_custom_values(**{f"mujoco:{key}": value for key, value in row.items()})
    return left_out


def _references(builder: Any, end: Any, i: int) -> dict[str, int]:
    """Indices of one coupled object."""
    name = "equality_constraint_{}" + str(i)
    if isinstance(end, Joint):
        index = int(np.searchsorted(builder.joint_qd_start, end.dof, side="right")) - 1
        return {name.format("joint"): index, name.format("joint") + "_dof": end.dof}
    if isinstance(end, Tendon):
        return {name.format("tendon"): end.index}
    if isinstance(end, Geom):
        return {name.format("site"): end.index, name.format("body"): builder.shape_body[end.index]}
    return {name.format("body"): end.index} if isinstance(end, Body) else {}


def _newton_pose(relpose: list[float]) -> np.ndarray:
    """Position and unit quaternion x, y, z, w; a zero quaternion, which asks for the reference pose, stays zero."""
    pos, quat = np.array(relpose[:3]), np.array(relpose[3:])
    length = float(np.linalg.norm(quat))
    if length < MINVAL:
        return np.zeros(7)
    quat = quat / length
    return np.concatenate([pos, quat[1:], quat[:1]])


def _place(row: dict[str, Any], i: int, world: tuple[np.ndarray, np.ndarray]) -> None:
    """Move what is given in the frame of the file's world, which is end ``i``, into the frame it is part of."""
    pos, quat = world
    weld = "equality_constraint_relpose" in row
    if weld == (i == 2):  # the anchor is in the frame of the first body of a connect, of the second of a weld
        anchor = np.array(row["equality_constraint_anchor"], dtype=np.float64)
        row["equality_constraint_anchor"] = pos + frames.rotate(quat, anchor)
    if not weld or not np.any(row["equality_constraint_relpose"]):
        return
    pose = row["equality_constraint_relpose"]
    own = np.roll(pose[3:], 1)
    if i == 1:
        point, turned = frames.compose(pos, quat, pose[:3], own)
    else:
        point, turned = pose[:3], frames.compose(np.zeros(3), own, np.zeros(3), quat * [1.0, -1.0, -1.0, -1.0])[1]
    row["equality_constraint_relpose"] = np.concatenate([point, turned[1:], turned[:1]])
