"""What goes into the builder after the tree: drives, states, gains of contacts, filter pairs, and joints that close loops."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from newtonish.importers import frames
from newtonish.importers.mjcf.emit import transform
from newtonish.importers.mjcf.tree import Tree
from newtonish.importers.usd.bodies import BodyReader
from newtonish.importers.usd.joints import Axis
from newtonish.importers.usd.motion import DofExtras
from newtonish.importers.usd.read import StageContents
from newtonish.importers.usd.shapes import ShapeReader
from newtonish.model.enums import BodyFlags, ShapeFlags

__all__ = ["ColliderLooks", "Frame", "body_row", "write_extras", "write_loops"]

FORCE_GAINS = 0
"""``mujoco:solref_mode`` of contacts and limits whose gains are stiffness and damping."""
Frame = tuple[np.ndarray, np.ndarray]


class ColliderLooks(NamedTuple):
    """Whether colliders are drawn: never where their body has other shapes to be seen, else always, else as the stage says."""

    hide: bool = False
    show: bool = False


def write_extras(builder: Any, stage: StageContents, base: Frame, looks: ColliderLooks) -> None:
    """Write what elements have no word for.

    Args:
        builder: Where the tree has been written.
        stage: The stage; its tree has the rows of bodies, geoms and joints.
        base: Pose of the stage in the builder's world.
        looks: Whether colliders are drawn.
    """
    tree, bodies = stage.contents.tree, stage.bodies
    for name, extras in bodies.motion.extras.items():
        if ("joint", name) in tree.names:  # another joint may have taken the place of a root's
            _dofs(builder, tree.names["joint", name], extras)
    _contacts(builder, stage)
    _visibility(builder, tree, stage.shapes, looks)
    for path in bodies.kinematic:
        row = tree.names["body", path].index
        builder.body_flags[row] = int(BodyFlags.KINEMATIC)
        builder.custom_attributes["mujoco:mocap"].values[row] = -1
    _poses(builder, tree, bodies, base)
    _velocities(builder, tree, bodies, base)
    _labels(builder, tree, bodies)
    _articulation_labels(builder, tree, bodies)


def _contacts(builder: Any, stage: StageContents) -> None:
    """Gains and friction of shapes, and pairs that do not collide."""
    names = stage.contents.tree.names
    for path, columns in stage.shapes.forces.items():
        shape = names["geom", path].index
        for column, value in columns.items() if shape >= 0 else ():
            getattr(builder, column)[shape] = value
        if shape >= 0 and {"shape_material_ke", "shape_material_kd"} & set(columns):
            builder.custom_attributes["mujoco:solref_mode"].values[shape] = FORCE_GAINS
    for pair in sorted(stage.filters.shapes):
        rows = [names["geom", path].index for path in pair]
        if min(rows) >= 0:
            builder.add_shape_collision_filter_pair(*rows)


def _visibility(builder: Any, tree: Tree, shapes: ShapeReader, looks: ColliderLooks) -> None:
    """Set which shapes are drawn."""
    for body in (tree.world, *tree.bodies):
        written = [geom for geom in body.geoms if geom.index >= 0]
        seen = any(geom.name not in shapes.colliders for geom in written)
        for geom in written:
            shown = geom.name not in shapes.hidden
            if geom.name in shapes.colliders:
                shown = not (looks.hide and seen) and (looks.show or shown)
            flags = builder.shape_flags[geom.index] & ~int(ShapeFlags.VISIBLE)
            builder.shape_flags[geom.index] = flags | (int(ShapeFlags.VISIBLE) if shown else 0)


def body_row(tree: Tree, bodies: BodyReader, path: str) -> int:
    """Row of a body, or of the one that it was fused with; that of the stage's world for an empty path."""
    while path and ("body", path) not in tree.names:
        path = bodies.plan.above[path][0]
    return tree.names["body", path].index if path else tree.world.index


def _dofs(builder: Any, joint: Any, extras: DofExtras) -> None:
    """Columns and state of one joint."""
    for dof in range(joint.dof, joint.dof + joint.dofs):
        for column, value in extras.columns.items():
            if column != "joint_target_q":
                getattr(builder, column)[dof] = value
        if extras.gains_of_limit:
            builder.custom_attributes["mujoco:solreflimit_mode"].values[dof] = FORCE_GAINS
    if joint.dofs > 1:
        return
    row = int(np.searchsorted(builder.joint_qd_start, joint.dof, side="right")) - 1
    coordinate = builder.joint_q_start[row] + joint.dof - builder.joint_qd_start[row]
    if "joint_target_q" in extras.columns:
        builder.joint_target_q[coordinate] = extras.columns["joint_target_q"]
    if extras.q:
        builder.joint_q[coordinate] = extras.q
    if extras.qd:
        builder.joint_qd[joint.dof] = extras.qd


def _poses(builder: Any, tree: Tree, bodies: BodyReader, base: Frame) -> None:
    """Poses of bodies as the stage has them, but for free ones: these may have been aligned with their inertia."""
    for path, pose in bodies.poses.items():
        body = tree.names.get(("body", path))
        if body is None or (body.joints and body.joints[0].type == "free"):
            continue
        pos, quat = frames.compose(*base, *pose.frame)
        before = np.roll(np.array(builder.body_q[body.index][3:7]), 1)  # of two quaternions for one rotation, the one that is there
        builder.body_q[body.index] = transform(pos, -quat if before @ quat < 0 else quat)


def _velocities(builder: Any, tree: Tree, bodies: BodyReader, base: Frame) -> None:
    """Velocities of bodies: of free ones as joint velocities too; linear ones are those of the centre of mass."""
    for path, (linear, angular) in bodies.velocities.items():
        body = tree.names.get(("body", path))
        if body is None:
            continue
        turned = np.concatenate([frames.rotate(base[1], linear), frames.rotate(base[1], angular)])
        builder.body_qd[body.index] = turned
        if body.joints and body.joints[0].type == "free":
            builder.joint_qd[body.joints[0].dof : body.joints[0].dof + 6] = turned.tolist()


def _labels(builder: Any, tree: Tree, bodies: BodyReader) -> None:
    """Joints that one prim stands for are called by its path, fixed ones and those of several axes too."""
    rows = {child: row for row, child in enumerate(builder.joint_child)}
    for path, (_, joints) in bodies.plan.above.items():
        body = tree.names.get(("body", path))
        if len(joints) != 1 or body is None or body.base_joint is not None:
            continue
        free = bool(body.joints) and body.joints[0].type == "free"
        if not free and (body.joints or joints[0].kind == "fixed"):  # else the caller had it replaced
            builder.joint_label[rows[body.index]] = joints[0].path


def _articulation_labels(builder: Any, tree: Tree, bodies: BodyReader) -> None:
    """Articulations are called by the path of the prim that declares them, as in Newton; others keep that of their root."""
    declared = set(bodies.articulations())
    by_joint = {joint.bodies[1]: joint.path for joint in bodies.joints if joint.path in declared}
    roots = {builder.joint_child[start]: row for row, start in enumerate(builder.articulation_start)}
    for path in bodies.plan.above:
        body = tree.names.get(("body", path))
        row = roots.get(body.index) if body is not None else None
        if row is None:
            continue
        around = [name for name in declared if f"{path}/".startswith(f"{name}/")]
        label = by_joint.get(path) or max(around, key=len, default=None)
        if label is not None:
            builder.articulation_label[row] = label


def write_loops(builder: Any, stage: StageContents, base: Frame) -> int:
    """Write joints that close loops, outside articulations; the conversion makes constraints of them. Returns how many."""
    tree, bodies, count = stage.contents.tree, stage.bodies, 0
    for joint in bodies.plan.loops:
        if joint.kind in ("distance", "free"):
            continue
        ends = list(zip(joint.bodies, joint.frames))
        if not joint.bodies[1]:  # the world cannot be a child
            ends.reverse()
        rows = [body_row(tree, bodies, path) for path, _ in ends]
        first = frames.compose(*base, *ends[0][1]) if not ends[0][0] else ends[0][1]
        common = {"parent": rows[0], "child": rows[1], "parent_xform": transform(*first), "child_xform": transform(*ends[1][1])}
        common |= {"label": joint.path, "collision_filter_parent": False}
        sign = -1.0 if not joint.bodies[1] else 1.0
        if joint.kind == "fixed":
            builder.add_joint_fixed(**common)
        elif joint.kind == "ball":
            builder.add_joint_ball(**common)
        else:
            axes = [_config(builder, axis, sign) for axis in joint.axes]
            sliding = [config for config, axis in zip(axes, joint.axes) if not axis.turns]
            turning = [config for config, axis in zip(axes, joint.axes) if axis.turns]
            if len(axes) == 1:
                (builder.add_joint_revolute if turning else builder.add_joint_prismatic)(**common, axis=axes[0])
            else:
                builder.add_joint_d6(**common, linear_axes=sliding, angular_axes=turning)
        count += 1
    return count


def _config(builder: Any, axis: Axis, sign: float) -> Any:
    """Settings of one axis of a closing joint."""
    low, high = axis.limit or (-1e10, 1e10)
    return builder.JointDofConfig(axis=sign * axis.direction, limit_lower=low, limit_upper=high)
