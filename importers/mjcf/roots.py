"""How a file's roots are joined to the world, where its caller wants it otherwise than the file: other joints, other poses, other axes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from newtonish.errors import ModelError, problem
from newtonish.importers import frames
from newtonish.importers.mjcf.joints import free_joint
from newtonish.importers.mjcf.tree import Body, Tree
from newtonish.model.enums import Axis, JointType, ShapeFlags

__all__ = ["RootChanges", "axis_rotation", "collapse_massless_roots", "filter_own_shapes"]

_TAKEN = ("parent", "child", "parent_xform", "child_xform")


@dataclass(frozen=True)
class RootChanges:
    """What becomes of the bodies that stand in the world of a file.

    Attributes:
        floating: True: each is attached to a free joint, False: none moves, None: as the file says.
        base_joint: Arguments of ``ModelBuilder.add_joint`` for a joint in place of the file's.
        in_place: Each stands at the origin of the file's world, whatever the file says.
        bodies: Names of those whose joints change; None: all.
    """

    floating: bool | None = None
    base_joint: dict[str, Any] | None = None
    in_place: bool = False
    bodies: frozenset[str] | None = None

    def check(self, parent_body: int, xform: Any, who: str = "add_mjcf") -> None:
        """Raise a ModelError for combinations that contradict each other."""
        given = ""
        if self.floating is not None and self.base_joint is not None:
            given, allowed, remedy = "floating and base_joint", "one of them", "leave one out"
        elif self.floating and parent_body >= 0:
            given, allowed, remedy = "floating=True with a parent_body", "free joints in the world", "use base_joint with six axes"
        elif self.in_place and xform is None:
            given, allowed, remedy = "override_root_xform without xform", "a pose for the roots", "pass xform"
        elif taken := [name for name in _TAKEN if name in (self.base_joint or {})]:
            given, allowed, remedy = f"base_joint with {taken[0]!r}", "other arguments of add_joint", "use xform and parent_body"
        if given:
            raise ModelError(problem(who, given, allowed, remedy))

    @property
    def changes_joints(self) -> bool:
        """Whether coordinates are others than the file's."""
        return self.floating is not None or self.base_joint is not None

    def apply(self, tree: Tree) -> None:
        """Change the roots of a tree; mocap bodies keep having no joint."""
        for body in tree.world.children:
            if self.in_place:
                body.pos, body.quat = np.zeros(3), frames.IDENTITY.copy()
            if body.mocap or not self.changes_joints or (self.floating and _is_free(body)):
                continue
            if self.bodies is not None and body.name not in self.bodies:
                continue
            for joint in body.joints:
                tree.names.pop(("joint", joint.name), None)
            body.joints = []
            body.base_joint = self.base_joint
            if self.floating:
                body.joints = [free_joint(body.node, f"{body.name}/floating_base" if body.name else "floating_base")]
                tree.names["joint", body.joints[0].name] = body.joints[0]


def _is_free(body: Body) -> bool:
    return len(body.joints) == 1 and body.joints[0].type == "free"


def axis_rotation(up: Axis, target: Axis) -> np.ndarray:
    """Shortest rotation, quaternion w first, that turns one axis of the frame onto another."""
    if up == target:
        return frames.IDENTITY.copy()
    across = np.cross(np.eye(3)[int(up)], np.eye(3)[int(target)])
    return np.array([1.0, *across]) * np.sqrt(0.5)


def filter_own_shapes(builder: Any, first: int) -> None:
    """Let the colliding shapes from ``first`` on meet others, but not each other."""
    flags = builder.shape_flags
    shapes = [i for i in range(first, builder.shape_count) if flags[i] & ShapeFlags.COLLIDE_SHAPES]
    for n, shape in enumerate(shapes):
        for other in shapes[n + 1 :]:
            builder.add_shape_collision_filter_pair(shape, other)


def collapse_massless_roots(builder: Any, first: int, verbose: bool) -> None:
    """Merge free bodies without mass, from joint ``first`` on, with what is fixed to them, down to the first bodies with mass."""
    mass, kind = builder.body_mass, builder.joint_type
    parent, child = builder.joint_parent, builder.joint_child
    joints = range(first, builder.joint_count)
    light = {child[j] for j in joints if kind[j] == JointType.FREE and parent[j] == -1 and mass[child[j]] <= 0.0}
    merged: set[int] = set()
    count = -1
    while count < len(merged):  # parents need not come before children
        count = len(merged)
        for j in joints:
            if kind[j] == JointType.FIXED and parent[j] in light:
                merged.add(j)
                if mass[child[j]] <= 0.0:
                    light.add(child[j])
    if merged:
        kept = [j for j in range(builder.joint_count) if kind[j] == JointType.FIXED and j not in merged]
        builder.collapse_fixed_joints(verbose, joints_to_keep=kept)
