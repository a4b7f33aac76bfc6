"""What a model says of joints that MuJoCo has no counterpart for: one warning each, naming the first joint."""

from __future__ import annotations

import warnings

import numpy as np

from newtonish.convert.source import Source
from newtonish.errors import NewtonishWarning, problem

__all__ = ["warn_of_unused"]

NO_SPEED_LIMIT = 1e6
"""Newton's default."""


def warn_of_unused(source: Source, loops: np.ndarray) -> None:
    """Name joints with velocity limits, joints that are switched off, and springs under their deprecated names.

    Args:
        source: The model.
        loops: Indices of joints that close loops; these can be switched off.
    """
    start = np.append(source.array("joint_qd_start")[: source.rows("joint")], source.rows("joint_dof"))
    owner = np.repeat(np.arange(source.rows("joint")), np.diff(start))
    slow = source.array("joint_velocity_limit") < NO_SPEED_LIMIT if source.has("joint_velocity_limit") else np.zeros(0, bool)
    _warn(source, owner[slow], "a velocity limit", "no limit of speed: it is not simulated", "damp the joint instead")
    off = ~source.array("joint_enabled").astype(bool)
    off[loops] = False
    allowed = "joints that are on, but for those that close loops: it is simulated"
    _warn(source, np.flatnonzero(off), "joint_enabled = False", allowed, "leave the joint out of the model")
    if source.has_own_namespace:  # a real Newton model converts the names itself
        stiffness, rest = source.array("joint_stiffness"), source.array("joint_rest_q")
        old = (source.custom("dof_passive_stiffness") != 0.0) & (stiffness == 0.0)
        allowed = "joint_stiffness; the spring is left out of the simulation"
        _warn(source, owner[old], "mujoco:dof_passive_stiffness alone", allowed, "pass stiffness to the joint")
        first = source.array("joint_q_start")[owner] + np.arange(len(owner)) - start[owner]
        scalar = ~np.isin(source.array("joint_type")[owner], (2, 4, 5))
        given = np.where(scalar, rest[np.where(scalar, first, 0)], 0.0) if len(rest) else np.zeros(len(owner))
        offset = source.custom("dof_springref") - source.custom("dof_ref")
        old = scalar & (stiffness != 0.0) & (source.custom("dof_springref") != 0.0) & (given == 0.0) & (offset != 0.0)
        allowed = "joint_rest_q; the spring rests at 0 in the simulation"
        _warn(source, owner[old], "mujoco:dof_springref alone", allowed, "pass rest_q to the joint")


def _warn(source: Source, joints: np.ndarray, given: str, allowed: str, remedy: str) -> None:
    joints = np.unique(joints)
    if not len(joints):
        return
    labels = source.labels("joint")
    names = list(dict.fromkeys(labels[j] for j in joints.tolist()))
    more = f" ({len(joints)} joints)" if len(joints) > 1 else ""
    warnings.warn(problem(f"joint '{names[0]}'", given + more, allowed, remedy), NewtonishWarning, stacklevel=5)
