"""Joints: the general add_joint, and articulations.

A joint connects a frame on its parent body (``parent_xform``) with a frame on its child body (``child_xform``); axes are
given in the parent's joint frame. Every axis has one DOF with limits, drive, spring, damper and friction of its own.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from newtonish.errors import ModelError, NewtonishWarning, problem
from newtonish.model.enums import AttributeFrequency, BodyFlags, JointTargetMode, JointType, ShapeFlags, member
from newtonish.model.joint_config import MAXVAL, JointDofConfig
from newtonish.model.transforms import (
    Transform,
    as_transform,
    quat_multiply,
    transform_inverse,
    transform_multiply,
)

if TYPE_CHECKING:
    from newtonish.model.builder import ModelBuilder

QUATERNION_JOINTS = (JointType.BALL, JointType.FREE, JointType.DISTANCE, JointType.ROD)
"""Types whose last four coordinates are a unit quaternion."""


def _euler_quat(angles: Sequence[float]) -> np.ndarray:
    """Return the rotation by angles about x, then the turned y, then the turned z."""
    result = np.array([0.0, 0.0, 0.0, 1.0])
    for axis, angle in enumerate(angles):
        turn = np.zeros(4)
        turn[axis], turn[3] = np.sin(0.5 * angle), np.cos(0.5 * angle)
        result = quat_multiply(result, turn)
    return result


class JointMethods:
    """Part of :class:`~newtonish.ModelBuilder` that adds joints of any type."""

    def add_joint(
        self: ModelBuilder,
        joint_type: JointType,
        parent: int,
        child: int,
        *,
        linear_axes: list[JointDofConfig] | None = None,
        angular_axes: list[JointDofConfig] | None = None,
        label: str | None = None,
        parent_xform: Transform | None = None,
        child_xform: Transform | None = None,
        collision_filter_parent: bool | None = None,
        enabled: bool = True,
        custom_attributes: dict[str, Any] | None = None,
    ) -> int:
        """Add a joint of any type and return its index.

        Args:
            joint_type: Its type.
            parent: Parent body, -1 for the world.
            child: Child body.
            linear_axes: Settings of the sliding axes.
            angular_axes: Settings of the turning axes.
            label: Name; by default ``joint_<number>``.
            parent_xform: Joint frame in the parent body's frame.
            child_xform: Joint frame in the child body's frame.
            collision_filter_parent: Whether shapes of parent and child do not collide with each other; by default
                they do not, except where a moving joint is attached to the world.
            enabled: Whether the joint acts.
            custom_attributes: Values of attributes of JOINT, JOINT_DOF, JOINT_COORD or JOINT_CONSTRAINT frequency;
                for the latter three a list, a dict by offset, or one value for all.
        """
        joint_type = member(JointType, joint_type, "type of joint")
        joint = self.joint_count
        name = label or f"joint_{joint + 1}"
        what = f"joint '{name}'"
        linear, angular = ([] if axes is None else list(axes) for axes in (linear_axes, angular_axes))
        self._check_joint(joint_type, parent, child, linear, angular, what)
        if collision_filter_parent is None:
            collision_filter_parent = parent != -1 or joint_type == JointType.FIXED
        frames = as_transform(parent_xform, what), as_transform(child_xform, what)
        before = self._row_counts()
        self._append_row(
            joint_label=name,
            joint_world=self.current_world,
            joint_type=int(joint_type),
            joint_parent=parent,
            joint_child=child,
            joint_X_p=frames[0],
            joint_X_c=frames[1],
            joint_dof_dim=(len(linear), len(angular)),
            joint_enabled=enabled,
            joint_q_start=self.joint_coord_count,
            joint_qd_start=self.joint_dof_count,
            joint_cts_start=self.joint_constraint_count,
            joint_articulation=-1,
            joint_mimic_joint=-1,
            joint_mimic_coeffs=(0.0, 1.0),
            joint_collision_filter_parent=collision_filter_parent,
        )
        self._append_joint_spaces(joint_type, linear, angular)
        try:
            self._store_custom_values(self._checked_joint_values(custom_attributes, joint, what))
        except ModelError:
            self._truncate(before)
            raise
        self._topology.add_joint(joint, parent, child)
        if collision_filter_parent:
            self._filter_bodies(parent, child)
        return joint

    def _check_joint(
        self: ModelBuilder,
        joint_type: JointType,
        parent: int,
        child: int,
        linear: list[JointDofConfig],
        angular: list[JointDofConfig],
        what: str,
    ) -> None:
        """Raise if a joint's bodies or number of axes do not fit; warn about a second joint between two bodies."""
        self._check_body(parent, what, "parent body")
        self._check_body(child, what, "child body")
        if child == -1 or child == parent:
            given = "the world" if child == -1 else f"body '{self.body_label[child]}', which is also the parent"
            raise ModelError(problem(what, f"child body {given}", "a body other than the parent", "pass its index"))
        counts = (len(linear), len(angular))
        wanted = {
            JointType.PRISMATIC: (1, 0),
            JointType.REVOLUTE: (0, 1),
            JointType.BALL: (0, 3),
            JointType.FIXED: (0, 0),
        }.get(joint_type, (3, 3))
        if joint_type == JointType.D6 and counts[0] <= 3 and counts[1] <= 3:
            wanted = counts
        if counts != wanted:
            given = f"{counts[0]} sliding and {counts[1]} turning axes"
            allowed = f"{wanted[0]} and {wanted[1]} for type {joint_type.name}"
            if joint_type == JointType.D6:
                allowed = "at most 3 and 3 for type D6"
            raise ModelError(problem(what, given, allowed, "pass as many axes, or another type"))
        if joint_type in QUATERNION_JOINTS and any(axis.rest_q for axis in angular):
            allowed = "no rest_q on the turning axes of a joint whose coordinate is a quaternion"
            raise ModelError(problem(what, "a scalar rest_q", allowed, "set the four builder.joint_rest_q entries"))
        tree = self._topology
        if any(body == parent for body, _ in (*tree.parents.get(child, ()), *tree.children.get(child, ()))):
            names = [self.body_label[body] if body >= 0 else "world" for body in (parent, child)]
            warnings.warn(
                f"{what} is a second joint between '{names[0]}' and '{names[1]}'; solvers may treat parallel joints "
                f"differently. Use add_link instead of add_body for a body with a joint of its own.",
                NewtonishWarning,
                stacklevel=6,
            )

    def _append_joint_spaces(self: ModelBuilder, joint_type: JointType, linear: list[JointDofConfig], angular: list[JointDofConfig]) -> None:
        """Append the axes, velocities and coordinates of the joint that was added last."""
        for axis in (*linear, *angular):
            self._append_row(
                joint_axis=axis.direction,
                joint_qd=0.0,
                joint_f=0.0,
                joint_act=0.0,
                joint_target_qd=axis.target_qd,
                joint_target_mode=int(JointTargetMode.NONE if joint_type == JointType.ROD else axis.mode),
                joint_target_ke=axis.target_ke,
                joint_target_kd=axis.target_kd,
                joint_stiffness=axis.stiffness,
                joint_damping=axis.damping,
                joint_limit_ke=axis.limit_ke,
                joint_limit_kd=axis.limit_kd,
                joint_limit_lower=axis.limit_lower if np.isfinite(axis.limit_lower) else -MAXVAL,
                joint_limit_upper=axis.limit_upper if np.isfinite(axis.limit_upper) else MAXVAL,
                joint_armature=axis.armature,
                joint_effort_limit=axis.effort_limit,
                joint_velocity_limit=axis.velocity_limit,
                joint_friction=axis.friction,
            )
        if joint_type in QUATERNION_JOINTS:
            sliding = [0.0] * len(linear)
            unit = [0.0, 0.0, 0.0, 1.0]
            self.joint_q.extend([*sliding, *unit])
            self.joint_rest_q.extend([*(axis.rest_q or 0.0 for axis in linear), *unit])
            turned = _euler_quat([axis.target_q for axis in angular])
            self.joint_target_q.extend([*(axis.target_q for axis in linear), *turned])
        else:
            axes = (*linear, *angular)
            self.joint_q.extend([0.0] * len(axes))
            self.joint_rest_q.extend([axis.rest_q or 0.0 for axis in axes])
            self.joint_target_q.extend([axis.target_q for axis in axes])
        self.joint_cts.extend([0.0] * joint_type.constraint_count(len(linear) + len(angular)))

    def _filter_bodies(self: ModelBuilder, first: int, second: int) -> None:
        """Exclude collisions between all colliding shapes of two bodies."""
        shapes = self._topology.shapes
        flags = self._columns["shape_flags"].array
        collide = int(ShapeFlags.COLLIDE_SHAPES)
        colliding = [[s for s in shapes.get(body, ()) if flags[s] & collide] for body in (first, second)]
        for a in colliding[0]:
            for b in colliding[1]:
                self.add_shape_collision_filter_pair(a, b)

    def _pose_free_joint(self: ModelBuilder, joint: int) -> None:
        """Set a free joint's coordinates so that its child is where ``body_q`` says."""
        columns = self._columns
        parent = self.joint_parent[joint]
        frame = columns["joint_X_p"].array[joint]
        if parent >= 0:
            frame = transform_multiply(columns["body_q"].array[parent], frame)
        child_frame = transform_multiply(columns["body_q"].array[self.joint_child[joint]], columns["joint_X_c"].array[joint])
        start = self.joint_q_start[joint]
        columns["joint_q"].array[start : start + 7] = transform_multiply(transform_inverse(frame), child_frame)

    def add_articulation(
        self: ModelBuilder,
        joints: list[int],
        label: str | None = None,
        custom_attributes: dict[str, Any] | None = None,
    ) -> int:
        """Declare a tree of joints and return the articulation's index.

        Args:
            joints: Joint indices, each one more than the last; a body may be the child of one of them only.
            label: Name; by default ``articulation_<index>``.
            custom_attributes: Values of attributes of ARTICULATION frequency.
        """
        index = self.articulation_count
        name = label or f"articulation_{index}"
        what = f"articulation '{name}'"
        rows = [int(joint) for joint in joints]
        self._check_articulation(rows, what)
        values = self._checked_custom_values(custom_attributes, AttributeFrequency.ARTICULATION, index, what)
        self._append_row(
            articulation_label=name,
            articulation_world=self.current_world,
            articulation_start=rows[0],
            articulation_end=rows[-1] + 1,
        )
        self._columns["joint_articulation"].array[rows[0] : rows[-1] + 1] = index
        self._store_custom_values(values)
        return index

    def _check_articulation(self: ModelBuilder, rows: list[int], what: str) -> None:
        """Raise unless joints are a run of free indices of the current world that form a tree."""
        if not rows or rows != list(range(rows[0], rows[0] + len(rows))) or rows[0] < 0 or rows[-1] >= self.joint_count:
            given = f"joints {rows[:8]}{'...' if len(rows) > 8 else ''}"
            allowed = f"a non-empty run of consecutive indices from 0 to {self.joint_count - 1}"
            raise ModelError(problem(what, given, allowed, "add an articulation's joints one after another"))
        parents: dict[int, int] = {}
        for joint in rows:
            name, child = self.joint_label[joint], self.joint_child[joint]
            taken = self.joint_articulation[joint]
            if taken >= 0:
                given = f"joint '{name}', which belongs to '{self.articulation_label[taken]}'"
                raise ModelError(problem(what, given, "joints of no articulation", "list every joint once"))
            if self.joint_world[joint] != self.current_world:
                given = f"joint '{name}' of world {self.joint_world[joint]}"
                raise ModelError(problem(what, given, f"joints of world {self.current_world}", "split it by world"))
            if child in parents:
                given = f"two joints with the child body '{self.body_label[child]}'"
                raise ModelError(problem(what, given, "one joint a body", "leave loop-closing joints out"))
            parents[child] = self.joint_parent[joint]
            if parents[child] >= 0 and self.body_flags[child] & int(BodyFlags.KINEMATIC):
                given = f"kinematic body '{self.body_label[child]}' below '{self.body_label[parents[child]]}'"
                raise ModelError(problem(what, given, "kinematic bodies at the root only", "make it dynamic"))
