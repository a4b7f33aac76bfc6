"""Arguments of add_urdf that do not fit together."""

from __future__ import annotations

import math
from typing import Any

from newtonish.errors import ModelError, problem

__all__ = ["check_arguments"]


def check_arguments(
    builder: Any, floating: bool | None, base_joint: dict | None, parent: int, scale: float, order: str | None, damping: str, unplaced: bool
) -> None:
    """Raise for arguments that do not fit together."""

    def refuse(name: str, given: str, allowed: str, remedy: str) -> None:
        raise ModelError(problem(f"add_urdf, {name}", given, allowed, remedy))

    if not -1 <= parent < builder.body_count:
        refuse("parent_body", str(parent), f"-1 (the world) to {builder.body_count - 1}", "pass the index of a body")
    if floating is not None and base_joint is not None:
        refuse("base_joint", "floating as well", "one of the two", "leave floating at None")
    if floating and parent >= 0:
        refuse("floating", f"True with parent_body {parent}", "parent_body -1", "a free joint moves relative to the world; use base_joint")
    if parent >= 0:
        _check_parent(builder, parent, refuse)
    if not math.isfinite(scale) or scale <= 0.0:
        refuse("scale", f"{scale!r}", "a finite number above zero", "correct it")
    if order not in ("bfs", "dfs", None):
        refuse("joint_ordering", f"{order!r}", "'bfs', 'dfs' or None", "choose one of these")
    if damping not in ("passive", "drive"):
        refuse("joint_damping_mode", f"{damping!r}", "'passive' or 'drive'", "choose one of these")
    if unplaced:
        refuse("override_root_xform", "True without xform", "both, or neither", "pass xform")
    if base_joint is not None:
        taken = {"parent", "child", "parent_xform", "child_xform"}.intersection(base_joint)
        if taken:
            refuse("base_joint", f"{', '.join(sorted(taken))}", "the other arguments of add_joint", "use parent_body and xform")
        trial = type(builder)()  # its errors come before anything is written
        plain = {name: value for name, value in base_joint.items() if name != "custom_attributes"}
        try:
            trial.add_joint(parent=-1, child=trial.add_link(), **plain)
        except TypeError as error:
            refuse("base_joint", str(error), "arguments of ModelBuilder.add_joint", "correct them")


def _check_parent(builder: Any, parent: int, refuse: Any) -> None:
    """Raise unless the body belongs to the articulation added last, at whose end new joints can be added."""
    owners = [int(builder.joint_articulation[joint]) for _, joint in builder.joint_parents.get(parent, ())]
    owner = max(owners, default=-1)
    name = f"body '{builder.body_label[parent]}'"
    if owner < 0:
        refuse("parent_body", f"{name}, which is in no articulation", "a body of an articulation", "add its joints to one, or use parent_body=-1")
    if owner != builder.articulation_count - 1 or builder.articulation_end[owner] != builder.joint_count:
        allowed = "a body of the articulation added last, with no joint after it"
        refuse("parent_body", f"{name} of articulation '{builder.articulation_label[owner]}'", allowed, "add the robot right after its parent")
