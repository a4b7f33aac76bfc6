"""Turns MJCF joints into what the generic model's joints take: groups, axis settings and custom attributes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from newtonish.importers.mjcf.tree import Joint

__all__ = ["axis_config", "dof_attributes", "joint_groups", "wide_values"]

NO_LIMIT = 1e10
ANCHOR_TOLERANCE = 1e-12
RAW, MJCF_DEFAULT = 1, 2


def joint_groups(joints: Sequence[Joint]) -> list[list[Joint]]:
    """Split a body's joints into runs that one joint of the generic model can express; at least one, maybe empty.

    One run is a free joint, a ball joint, or up to three slides followed by up to three hinges about one point.
    """
    groups: list[list[Joint]] = [[]]
    for joint in joints:
        if groups[-1] and not _fits(groups[-1], joint):
            groups.append([])
        groups[-1].append(joint)
    return groups


def _fits(group: list[Joint], joint: Joint) -> bool:
    """Whether a joint can follow those of a run."""
    if joint.type in ("free", "ball") or group[-1].type in ("free", "ball"):
        return False
    same = [other for other in group if other.type == joint.type]
    if len(same) == 3:
        return False
    hinges = [other for other in group if other.type == "hinge"]
    if joint.type == "slide":
        return not hinges
    return not hinges or bool(np.all(np.abs(hinges[0].pos - joint.pos) <= ANCHOR_TOLERANCE))


def axis_config(builder: Any, joint: Joint) -> Any:
    """Return the builder's settings of one hinge or slide; coordinates count from the reference position."""
    values = joint.values
    lower, upper = (value - joint.ref for value in joint.range) if joint.limited else (-NO_LIMIT, NO_LIMIT)
    config = {}
    if values["actuatorfrclimited"]:
        config["effort_limit"] = max(abs(value) for value in values["actuatorfrcrange"])
    return builder.JointDofConfig(
        axis=joint.axis,
        limit_lower=lower,
        limit_upper=upper,
        damping=values["damping"][0],
        stiffness=values["stiffness"][0],
        rest_q=joint.springref - joint.ref,
        armature=values.get("armature", 0.0),
        friction=values.get("frictionloss", 0.0),
        **config,
    )


def wide_values(joint: Joint) -> dict[str, list[float]]:
    """Return the builder's columns of a free or ball joint, a number for each degree of freedom."""
    rows = [part.values for part in joint.hinges] or [joint.values] * joint.dofs
    return {
        "joint_armature": [row.get("armature", 0.0) for row in rows],
        "joint_damping": [row["damping"][0] for row in rows],
        "joint_stiffness": [joint.values["stiffness"][0]] * len(rows),
        "joint_friction": [row.get("frictionloss", 0.0) for row in rows],
    }


def dof_attributes(group: Sequence[Joint]) -> list[dict[str, Any]]:
    """Return the ``mujoco:*`` attributes of each degree of freedom of a joint."""
    rows = []
    for joint in group:
        row = {f"mujoco:{key}": value for key, value in _one(joint, len(group) > 1).items()}
        rows += [row] * joint.dofs
    return rows


def _one(joint: Joint, shared: bool) -> dict[str, Any]:
    """Return the attributes of one degree of freedom of a joint."""
    values = joint.values
    scalar = joint.type in ("hinge", "slide")
    row: dict[str, Any] = {
        "joint_dof_label": joint.label,
        "limit_margin": values.get("margin", 0.0),
        "solimplimit": values["solimplimit"],
        "solreflimit": values["solreflimit"],
        "solreflimit_mode": RAW if "solreflimit" in joint.authored else MJCF_DEFAULT,
        "solreffriction": values["solreffriction"],
        "solimpfriction": values["solimpfriction"],
        "dof_passive_stiffness": values["stiffness"][0],
        "dof_springref": joint.springref,
        "dof_ref": joint.ref,
        "jnt_actgravcomp": bool(values.get("actuatorgravcomp", False)),
        "joint_limited": 2 if scalar else int(joint.limited),
        "joint_range": joint.range,
        "joint_actfrclimited": int(values["actuatorfrclimited"]),
        "joint_actfrcrange": values["actuatorfrcrange"],
        "joint_group": values.get("group", 0),
        "joint_stiffnesspoly": values["stiffness"][1:],
        "joint_springyield": values.get("springyield", 0.0),
        "joint_dampingpoly": values["damping"][1:],
        "joint_springdamper": values["springdamper"],
    }
    if shared or joint.type == "slide":
        row["joint_anchor"] = joint.pos.tolist()
    elif scalar or joint.type == "ball":
        row["joint_anchor"] = [float("nan")] * 3
    else:
        row["joint_anchor"] = [0.0, 0.0, 0.0]
    return row
