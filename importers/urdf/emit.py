"""Writes a resolved URDF robot into a ModelBuilder: links, shapes, the base joint, joints, mimics, the articulation."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from newtonish.importers import frames
from newtonish.importers.mjcf.emit import transform
from newtonish.importers.mjcf.roots import axis_rotation, filter_own_shapes
from newtonish.importers.urdf.mass import GEO_TYPES, shape_scale
from newtonish.importers.urdf.parts import Frame, Geometry, Joint, Link
from newtonish.importers.urdf.tree import Tree
from newtonish.model.enums import Axis, JointTargetMode, JointType

__all__ = ["Emitter", "Rules"]

STATIC = 0
"""``mujoco:mocap`` of what is part of the world, as in MuJoCo: links that move may touch it."""


@dataclass
class Rules:
    """What the caller asks for; see ``add_urdf``."""

    base: Frame
    parent_body: int
    floating: bool
    base_joint: dict[str, Any] | None
    override_root_xform: bool
    scale: float
    hide_visuals: bool
    parse_visuals_as_colliders: bool
    up: Axis
    force_show_colliders: bool
    enable_self_collisions: bool
    joint_ordering: str | None
    bodies_follow_joint_ordering: bool
    force_position_velocity_actuation: bool
    drive_damping: bool


class Emitter:
    """Writes one robot into one builder.

    Args:
        builder: Where to.
        tree: What to write; masses are known, links are placed.
        rules: What the caller asks for.
    """

    def __init__(self, builder: Any, tree: Tree, rules: Rules) -> None:
        self._builder = builder
        self._tree = tree
        self._rules = rules
        self._links = tree.robot.links
        self.counts: Counter[str] = Counter()
        self.joints: list[int] = []

    def write(self, mimics: dict[str, tuple[str, float, float]]) -> None:
        """Write everything."""
        tree, rules, builder = self._tree, self._rules, self._builder
        first = builder.shape_count
        joints = tree.ordered(rules.joint_ordering)
        ordered = [tree.root, *(self._links[joint.child] for joint in joints)]
        links = ordered if rules.bodies_follow_joint_ordering else list(self._links.values())
        shown = any(link.visuals for link in links) and not rules.parse_visuals_as_colliders
        held = rules.parent_body < 0 and rules.base_joint is None and not rules.floating
        if held and "mujoco:mocap" in builder.custom_attributes:
            for name in tree.static(True):
                self._links[name].custom["mujoco:mocap"] = STATIC
        for link in links:
            self._link(link, rules.force_show_colliders or not shown)
        self._base_joint()
        static = tree.static(self._held(tree.root.index))
        for joint in joints:
            self._joint(joint, touches_parent=joint.parent in static)
        for name, (target, offset, factor) in mimics.items():
            self._mimic(name, target, offset, factor)
        self._articulation()
        if not rules.enable_self_collisions:
            filter_own_shapes(builder, first)

    def _label(self, name: str) -> str:
        """A name below that of the robot."""
        return f"{self._tree.robot.name}/{name}" if self._tree.robot.name else name

    # -- links --------------------------------------------------------------------------------------------------------

    def _link(self, link: Link, show_colliders: bool) -> None:
        """Write a link and its shapes; its mass is known, and may grow by shapes that the caller adds later."""
        rules, builder = self._rules, self._builder
        link.index = builder.add_link(
            xform=transform(*link.pose),
            mass=link.mass,
            com=link.com,
            inertia=link.inertia,
            label=self._label(link.name),
            lock_inertia=True,
            custom_attributes=link.custom,
        )
        visual = builder.default_shape_cfg.copy()
        visual.density, visual.is_visible = 0.0, not rules.hide_visuals
        visual.has_shape_collision = visual.has_particle_collision = False
        collider = builder.default_shape_cfg.copy()
        collider.is_visible = show_colliders
        for name, shapes, cfg in (("visual", link.visuals, visual), ("collision", link.collisions, collider)):
            for number, shape in enumerate(shapes):
                self._shape(link, shape, cfg, f"{name}{number}", name == "visual")
                self.counts[f"{name} shapes"] += 1
        builder.body_lock_inertia[link.index] = False

    def _shape(self, link: Link, shape: Geometry, cfg: Any, name: str, is_visual: bool) -> None:
        """Write a shape."""
        pos, quat = shape.frame
        if shape.kind in ("cylinder", "capsule"):  # their axis is the up axis of the file
            quat = frames.multiply(quat, axis_rotation(Axis.Z, self._rules.up))
        rgba = shape.rgba
        self._builder.add_shape(
            body=link.index,
            type=GEO_TYPES[shape.kind],
            xform=transform(pos, quat),
            scale=shape_scale(shape),
            src=shape.mesh,
            cfg=cfg,
            color=None if rgba is None else rgba[:3],
            opacity=rgba[3] if rgba is not None and is_visual else None,
            label=self._label(f"{link.name}/{shape.node.text.get('name') or name}"),
            custom_attributes=shape.custom,
        )

    # -- joints -------------------------------------------------------------------------------------------------------

    def _base_joint(self) -> None:
        """Connect the root with the world, or with a body of the builder."""
        builder, rules, root = self._builder, self._rules, self._tree.root
        pos, quat = rules.base
        if rules.base_joint is not None:
            frame, inside = transform(pos, quat), None
            if not rules.override_root_xform:
                # the axes of the caller's joint stay those of the parent: only the robot is turned
                frame = transform(pos, frames.IDENTITY)
                inside = transform(*frames.invert(np.zeros(3), quat))
            given = {"label": self._label("base_joint"), **rules.base_joint}
            index = builder.add_joint(parent=rules.parent_body, child=root.index, parent_xform=frame, child_xform=inside, **given)
        elif rules.floating:
            index = builder.add_joint_free(root.index, label=self._label("floating_base"))
        else:
            label = self._label("fixed_base")
            index = builder.add_joint_fixed(rules.parent_body, root.index, parent_xform=transform(pos, quat), label=label)
        self.joints.append(index)

    def _held(self, body: int) -> bool:
        """Whether nothing but fixed joints stand between a body of the builder and the world."""
        builder = self._builder
        above = {child: joint for joint, child in enumerate(builder.joint_child)}
        while body in above:
            if builder.joint_type[above[body]] != JointType.FIXED:
                return False
            body = builder.joint_parent[above[body]]
        return body < 0

    def _axis(self, joint: Joint, direction: np.ndarray, limited: bool = True) -> Any:
        """Settings of one axis; what the file does not say is as ``builder.default_joint_cfg`` has it."""
        default, rules, slides = self._builder.default_joint_cfg, self._rules, joint.type in ("prismatic", "planar") and limited
        factor = rules.scale if slides else 1.0
        limits = {}
        for name, value in (("limit_lower", joint.lower), ("limit_upper", joint.upper), ("velocity_limit", joint.velocity)):
            limits[name] = getattr(default, name) if value is None or not limited else value * factor
        damping = {"damping": joint.damping, "target_kd": None}
        if rules.drive_damping:
            damping = {"damping": None, "target_kd": joint.damping}
        mode = JointTargetMode.POSITION_VELOCITY if rules.force_position_velocity_actuation else JointTargetMode.POSITION
        same = ("target_q", "target_qd", "target_ke", "stiffness", "rest_q", "limit_ke", "limit_kd", "armature")
        return self._builder.JointDofConfig(
            axis=direction,
            actuator_mode=mode,
            effort_limit=default.effort_limit if joint.effort is None or not limited else joint.effort,
            friction=default.friction if joint.friction is None else joint.friction,
            **{name: getattr(default, name) if value is None else value for name, value in damping.items()},
            **{name: getattr(default, name) for name in same},
            **limits,
        )

    def _joint(self, joint: Joint, touches_parent: bool) -> None:
        """Write a joint; what moves may touch a parent that cannot, as in MuJoCo."""
        builder = self._builder
        parent, child = self._links[joint.parent], self._links[joint.child]
        common: dict[str, Any] = {"label": self._label(joint.name), "custom_attributes": joint.custom}
        if joint.type == "floating":
            joint.index = builder.add_joint_free(child.index, **common)
            self._free_dynamics(joint)
        else:
            common |= {"parent": parent.index, "child": child.index, "parent_xform": transform(*joint.frame)}
            common["collision_filter_parent"] = not touches_parent or joint.type == "fixed"
            if joint.type == "fixed":
                joint.index = builder.add_joint_fixed(**common)
            elif joint.type == "prismatic":
                joint.index = builder.add_joint_prismatic(**common, axis=self._axis(joint, joint.axis))
            elif joint.type == "planar":
                u, v = _plane(joint.axis)
                sliding = [self._axis(joint, u), self._axis(joint, v)]
                turning = [self._axis(joint, joint.axis, limited=False)]
                joint.index = builder.add_joint_d6(**common, linear_axes=sliding, angular_axes=turning)
            else:
                joint.index = builder.add_joint_revolute(**common, axis=self._axis(joint, joint.axis))
        self.joints.append(joint.index)
        self.counts[f"{joint.type} joints"] += 1

    def _free_dynamics(self, joint: Joint) -> None:
        """Give a floating joint's damping and friction to all its axes."""
        builder = self._builder
        first = builder.joint_qd_start[joint.index]
        for column, value in (("joint_damping", joint.damping), ("joint_friction", joint.friction)):
            for dof in range(first, first + 6):
                getattr(builder, column)[dof] = value or 0.0

    def _mimic(self, name: str, target: str, offset: float, factor: float) -> None:
        """Couple a joint to the one it follows; the coefficients get the unit of scaled lengths."""
        follower, reference = self._tree.robot.joints[name], self._tree.robot.joints[target]
        unit, other = (self._rules.scale if joint.type == "prismatic" else 1.0 for joint in (follower, reference))
        self._builder.set_joint_mimic(follower.index, reference.index, coeffs=(offset * unit, factor * unit / other))
        self.counts["mimic joints"] += 1

    # -- the whole ----------------------------------------------------------------------------------------------------

    def _articulation(self) -> None:
        """Make an articulation of the joints, or add them to that of the body they are attached to."""
        builder, parent, robot = self._builder, self._rules.parent_body, self._tree.robot
        if parent < 0:
            builder.add_articulation(self.joints, label=robot.name or None, custom_attributes=robot.custom)
            return
        owner = builder.articulation_count - 1
        builder.articulation_end[owner] = self.joints[-1] + 1
        for joint in self.joints:
            builder.joint_articulation[joint] = owner


def _plane(normal: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return two directions that span the plane across ``normal``: the first across y as well, where that can be."""
    helper = np.array([1.0, 0.0, 0.0]) if abs(normal[1]) > 1.0 - 1e-9 else np.array([0.0, 1.0, 0.0])
    u = np.cross(helper, normal)
    u /= np.linalg.norm(u)
    return u, np.cross(normal, u)
