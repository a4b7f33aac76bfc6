"""Writes a resolved MJCF tree into a ModelBuilder: bodies, joints, shapes, and rows of the ``mujoco`` namespace.

Newton's transforms are (position, quaternion x, y, z, w). A body whose joints do not fit one joint of the generic
model (sliding axes before turning axes about one point) is reached through massless virtual links that carry the first
joints.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from newtonish.importers import frames
from newtonish.importers.mjcf.joint_axes import axis_config, dof_attributes, joint_groups, wide_values
from newtonish.importers.mjcf.keyframes import PARTS, Keyframe
from newtonish.importers.mjcf.path_labels import label_by_path, path_of_joints
from newtonish.importers.mjcf.shapes import Shapes
from newtonish.importers.mjcf.tendons import Tendon
from newtonish.importers.mjcf.tree import Body, Geom, Joint, Tree
from newtonish.importers.mjcf.wraps import write_path
from newtonish.model.enums import AttributeFrequency

__all__ = ["Emitter", "Orders", "depth_first", "transform"]

Orders = tuple[list[Body], list[Body]]
"""Bodies of a tree in the order in which they are written, and in that in which their joints are."""


def transform(pos: np.ndarray, quat: np.ndarray) -> np.ndarray:
    """Return seven numbers in Newton's order from a position and a quaternion w, x, y, z."""
    return np.concatenate([pos, quat[1:], quat[:1]])


def depth_first(root: Body) -> Orders:
    """A body and everything below it, depth first; joints in the order of their bodies."""
    found, waiting = [], [root]
    while waiting:
        found.append(waiting.pop())
        waiting.extend(reversed(found[-1].children))
    return found, found


class Emitter:
    """Writes one tree into one builder.

    Args:
        builder: A ``ModelBuilder`` on which the namespace is registered.
        tree: What to write.
        base: Pose of the MJCF world in the builder's world.
        parent: Body of the builder that the MJCF world is part of, -1 for the world.
        shapes: Writes geoms and sites.
        title: Name of the model, for articulations.
        orders: Puts the bodies of a tree into order.
        paths: Whether labels are paths, as of Newton's importer.
    """

    def __init__(
        self,
        builder: Any,
        tree: Tree,
        base: tuple[np.ndarray, np.ndarray],
        parent: int,
        shapes: Shapes,
        title: str,
        orders: Callable[[Body], Orders] = depth_first,
        paths: bool = False,
    ) -> None:
        self._builder = builder
        self._tree = tree
        self._base = base
        self._parent = parent
        self._shapes = shapes
        self._title = title
        self._orders = orders
        self._paths = paths
        self._chains: dict[int, list[tuple[Sequence[Joint], int]]] = {}
        self._poses: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        self._dofs: list[tuple[int, dict[str, Any]]] = []
        self._links: list[tuple[int, dict[str, Any]]] = []

    def bodies(self) -> None:
        """Write all bodies with their joints and shapes, one articulation for each tree below the world."""
        tree = self._tree
        tree.world.index = self._parent
        local = self._base if self._parent < 0 else (np.zeros(3), frames.IDENTITY.copy())
        if self._paths:
            label_by_path(tree, self._title, self._builder.body_count)
        else:
            self._label()
        self._shapes.write(tree.world, local)
        for root in tree.world.children:
            first = self._builder.joint_count
            self._subtree(root, local)
            joints = list(range(first, self._builder.joint_count))
            self._builder.add_articulation(joints, label=self._articulation(root))
        # Attributes of many thousands of joints and geoms are written at the end, a column at a time.
        for frequency, rows in (
            (AttributeFrequency.JOINT_DOF, self._dofs),
            (AttributeFrequency.BODY, self._links),
            (AttributeFrequency.SHAPE, self._shapes.attributes),
        ):
            self._builder._set_custom_columns(frequency, rows)

    def _articulation(self, root: Body) -> str | None:
        """Label of the articulation that begins with a body; in files of one Newton takes the model's name alone."""
        name = root.label.rsplit("/", 1)[-1] if self._paths else root.label
        if self._paths and len(self._tree.world.children) == 1:
            return self._title or None
        return f"{self._title}/{name}" if self._title else name

    def _label(self) -> None:
        """Give every element a label: its name, or its kind and number where that name is free."""
        names = self._tree.names
        elements: tuple[tuple[str, list[Any]], ...] = (
            ("body", self._tree.bodies),
            ("joint", list(self._tree.joints())),
            ("geom", [g for b in (self._tree.world, *self._tree.bodies) for g in b.geoms]),
            ("site", [s for b in (self._tree.world, *self._tree.bodies) for s in b.sites]),
        )
        for kind, items in elements:
            first = 1 if kind == "body" else 0
            for number, item in enumerate(items, first):
                item.label = item.name or f"{kind}{number}"
                while not item.name and (kind, item.label) in names:
                    item.label += "_"

    def _subtree(self, root: Body, offset: tuple[np.ndarray, np.ndarray]) -> None:
        """Write a body and everything below it; ``offset`` is the frame of its parent in the builder's parent body."""
        links, joints = self._orders(root)
        for body in links:
            self._link(body)
        for body in joints:
            self._joints(body, offset if body is root else (np.zeros(3), frames.IDENTITY.copy()))

    def _link(self, body: Body) -> None:
        """Write one body, the virtual links before it, and its shapes."""
        builder = self._builder
        above = self._poses.get(id(body.parent))
        pose = frames.compose(*above, body.pos, body.quat) if above is not None else body.world_pose()
        self._poses[id(body)] = pose
        world_pose = transform(*frames.compose(*self._base, *pose))
        groups = joint_groups(body.joints)
        chain = self._chains[id(body)] = []
        for number, group in enumerate(groups[:-1]):
            link = builder.add_link(
                xform=world_pose,
                label=f"{body.label}_virtual{number}",
                lock_inertia=True,
                custom_attributes={"mujoco:virtual_link": 1, "mujoco:mocap": 0},
            )
            chain.append((group, link))
        mass = body.mass
        body.index = builder.add_link(
            xform=world_pose,
            mass=mass.mass,
            com=mass.pos,
            inertia=mass.matrix(),
            label=body.label,
            lock_inertia=True,
        )
        chain.append((groups[-1], body.index))
        attributes = {
            "mujoco:inertial_quat": mass.quat,
            "mujoco:inertial_diag": mass.diag,
            "mujoco:mocap": int(body.mocap),
            "mujoco:gravcomp": body.values.get("gravcomp", 0.0),
            "mujoco:sleep_policy": {"auto": 0, "never": 3, "allowed": 4, "init": 5}[body.values.get("sleep", "auto")],
        }
        self._links.append((body.index, attributes))
        self._shapes.write(body, (np.zeros(3), frames.IDENTITY.copy()))

    def _joints(self, body: Body, offset: tuple[np.ndarray, np.ndarray]) -> None:
        """Write the joints of a body and of the virtual links before it, which are written already."""
        parent = body.parent.index if body.parent is not None else -1
        relative = frames.compose(*offset, body.pos, body.quat)
        for group, link in self._chains.pop(id(body)):
            self._joint(group, body, parent, link, relative)
            parent, relative = link, (np.zeros(3), frames.IDENTITY.copy())

    def _joint(self, group: Sequence[Joint], body: Body, parent: int, child: int, relative: tuple[np.ndarray, np.ndarray]) -> None:
        """Write the joint of one link."""
        builder = self._builder
        common: dict[str, Any] = {"parent": parent, "child": child, "collision_filter_parent": False}
        if body.base_joint is not None:
            pos, quat = relative  # axes are those of the parent, however the body is turned
            poses = {"parent_xform": transform(pos, frames.IDENTITY), "child_xform": transform(*frames.invert(np.zeros(3), quat))}
            builder.add_joint(**common | poses | {"label": f"{body.label}/base_joint"} | body.base_joint)
            return
        if not group:
            builder.add_joint_fixed(**common, parent_xform=transform(*relative), label=path_of_joints(body, group) if self._paths else f"{body.label}_fixed")
            return
        first = group[0]
        start = builder.joint_dof_count
        for offset, joint in enumerate(group):
            joint.dof = start + offset
        self._dofs.extend(enumerate(dof_attributes(group), start))
        if first.type == "free":
            index = builder.add_joint_free(
                child,
                parent=self._parent,
                label=first.label,
                collision_filter_parent=False,
            )
            self._wide(index, first)
            return
        hinges = [joint for joint in group if joint.type != "slide"]
        anchor = hinges[0].pos if hinges else first.pos
        parent_xform = transform(*frames.compose(*relative, anchor, frames.IDENTITY))
        child_xform = transform(anchor, frames.IDENTITY)
        common |= {"parent_xform": parent_xform, "child_xform": child_xform}
        if first.type == "ball":
            index = builder.add_joint_ball(**common, label=first.label)
            self._wide(index, first)
        elif len(group) == 1:
            add = builder.add_joint_prismatic if first.type == "slide" else builder.add_joint_revolute
            add(**common, axis=axis_config(builder, first), label=first.label)
        else:
            builder.add_joint_d6(
                **common,
                linear_axes=[axis_config(builder, joint) for joint in group if joint.type == "slide"],
                angular_axes=[axis_config(builder, joint) for joint in group if joint.type == "hinge"],
                label=path_of_joints(body, group) if self._paths else f"{body.label}_joints",
            )

    def _wide(self, index: int, joint: Joint) -> None:
        """Set the properties of a free or ball joint on all its degrees of freedom."""
        builder = self._builder
        start = builder.joint_qd_start[index]
        for column, values in wide_values(joint).items():
            target = getattr(builder, column)
            for dof, value in enumerate(values, start):
                target[dof] = value
        if joint.type == "free":
            first = builder.joint_q_start[index]
            for coord in range(first, first + 7):
                builder.joint_rest_q[coord] = builder.joint_q[coord]

    def tendons(self, tendons: list[Tendon]) -> None:
        """Write tendons; the joints or the path of each are a run of rows of their own."""
        builder = self._builder
        for tendon in tendons:
            start, owners = 0, []
            for number, (joint, coefficient) in enumerate(tendon.joints):
                dof = joint.dof
                index = int(np.searchsorted(builder.joint_qd_start, dof, side="right")) - 1
                owners.append(builder.joint_articulation[index])
                row = builder.add_custom_values(
                    **{
                        "mujoco:tendon_joint": index,
                        "mujoco:tendon_joint_dof": dof,
                        "mujoco:tendon_joint_articulation": owners[-1],
                        "mujoco:tendon_coef": coefficient,
                    }
                )
                start = row["mujoco:tendon_coef"] if number == 0 else start
            first, owner = write_path(builder, tendon.path)
            owners = owners or [owner]
            added = builder.add_custom_values(
                **tendon.row,
                **{
                    "mujoco:tendon_matid": -1 if tendon.material is None else self._shapes.materials[id(tendon.material)],
                    "mujoco:tendon_articulation": owners[0] if len(set(owners)) == 1 else -1,
                    "mujoco:tendon_joint_adr": start,
                    "mujoco:tendon_joint_num": len(tendon.joints),
                    "mujoco:tendon_wrap_adr": first,
                    "mujoco:tendon_wrap_num": len(tendon.path),
                },
            )
            tendon.index = added["mujoco:tendon_label"]

    def rows(self, actuators: list[dict], pairs: list[dict], excludes: list[dict]) -> None:
        """Write rows that refer to what was written before."""
        add = self._builder.add_custom_values_batch
        add([row | {"mujoco:actuator_trnid": row["mujoco:actuator_trnid"].ids()} for row in actuators])
        for rows in (pairs, excludes):
            add([{key: item.index if isinstance(item, (Body, Geom)) else item for key, item in row.items() if key != "node"} for row in rows])

    def keyframes(self, keys: list[Keyframe]) -> None:
        """Write keyframes; their numbers go into one pool."""
        builder = self._builder
        pool = len(builder.custom_attributes["mujoco:key_value"].values)
        for key in keys:
            row: dict[str, Any] = {"mujoco:key_label": key["label"], "mujoco:key_time": key["time"]}
            for part in PARTS:
                numbers = key.get(part, [])
                row[f"mujoco:key_{part}_adr"] = pool if numbers else 0
                row[f"mujoco:key_{part}_num"] = len(numbers)
                pool += len(numbers)
                builder.add_custom_values_batch([{"mujoco:key_value": number} for number in numbers])
            builder.add_custom_values(**row)
