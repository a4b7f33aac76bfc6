"""The stage's bodies, shapes and joints as one tree of elements below ``worldbody``."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from newtonish.importers import frames
from newtonish.importers.usd.dialects import Resolver
from newtonish.importers.usd.document import element, mjc_values
from newtonish.importers.usd.joints import EQUALITIES, JOINT_TYPES, UsdJoint, read_joint
from newtonish.importers.usd.mass import Authored, body_density, read_authored
from newtonish.importers.usd.motion import MotionReader
from newtonish.importers.usd.poses import Pose, local, rigid
from newtonish.importers.usd.shapes import GPRIMS, ShapeReader, is_site
from newtonish.importers.usd.source import Source
from newtonish.importers.usd.tree import Plan, plan_tree
from newtonish.importers.usd.views import LIGHTS, read_camera, read_light
from newtonish.mjcf.language.read import Node

__all__ = ["BodyReader", "Wishes"]


@dataclass
class Wishes:
    """What the caller wants of bodies and shapes: see ``add_usd``."""

    float: bool = True
    static_visuals: bool = True
    skip_disabled: bool = False
    disabled_joints: bool = False


@dataclass
class BodyReader:
    """Reads bodies.

    Args:
        source: The stage.
        resolver: Its dialects.
        shapes: Reads its shapes.
        motion: Reads the joints of its tree.
        wishes: What the caller wants.

    Attributes:
        poses: Frames of the bodies on the stage, by path, in the order of the stage.
        owner: The body each prim is or stands in, empty for the world.
        plan: Which joints carry them.
        joints: All joints but equality constraints.
        masses: What a MassAPI says, by the path of a body or a collider.
        kinematic: Bodies that the user moves and that have a free joint.
        colliders: Paths of colliders in order.
        velocities: Linear [m/s] and angular [rad/s] velocity of bodies that have one.
    """

    source: Source
    resolver: Resolver
    shapes: ShapeReader
    motion: MotionReader
    wishes: Wishes
    poses: dict[str, Pose] = field(default_factory=dict)
    owner: dict[str, str] = field(default_factory=dict)
    plan: Plan = field(default_factory=Plan)
    joints: list[UsdJoint] = field(default_factory=list)
    masses: dict[str, Authored] = field(default_factory=dict)
    kinematic: set[str] = field(default_factory=set)
    colliders: list[str] = field(default_factory=list)
    velocities: dict[str, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)
    _left_out: list[str] = field(default_factory=list)
    _frames: dict[str, Pose | None] = field(default_factory=dict)
    _density: dict[str, float | None] = field(default_factory=dict)

    def read(self) -> Node:
        """Return the element ``worldbody`` with everything in it."""
        self._find_bodies()
        self._find_joints()
        root = element("worldbody", "/")
        made = {"": root}
        waiting = [""]
        while waiting:
            above = waiting.pop()
            for path in self.plan.below.get(above, ()):
                made[path] = self._body(path)
                made[above].children.append(made[path])
                waiting.append(path)
        self._find_shapes(made)
        return root

    def pose(self, prim: Any) -> Pose | None:
        """Frame of a prim; None, and a problem once, for one that has no inverse."""
        path = self.source.path(prim)
        if path not in self._frames:
            found = self._frames[path] = rigid(self.source.world(prim), self.source.length)
            if found is None:
                self.source.problem(prim, "xformOp", "a transform without inverse", "finite numbers and scales that are not zero", "correct it")
        return self._frames[path]

    def seen(self) -> list[tuple[str, Pose]]:
        """Paths and frames of all prims whose frame was asked for."""
        return [(path, pose) for path, pose in self._frames.items() if pose is not None]

    def _find_bodies(self) -> None:
        """Find bodies, and the body that each prim belongs to."""
        for prim in self.source.prims:
            path = self.source.path(prim)
            above = self.owner.get(path.rpartition("/")[0], "")
            self.owner[path] = above
            if "PhysicsRigidBodyAPI" not in self.source.apis(prim):
                continue
            if not self.source.get(prim, "physics:rigidBodyEnabled", True):
                if self.wishes.skip_disabled:
                    self._left_out.append(path)
                self.source.log.ignored("disabled body", self.source.place(prim), path, "is disabled: its shapes do not move", warn=False)
                continue
            pose = self.pose(prim)
            if pose is None:
                continue
            if pose.sheared:
                self.source.problem(prim, "xformOp", "a sheared frame", "turned and scaled frames for bodies", "shear the shapes instead")
            self.poses[path] = pose
            self.owner[path] = path
            self._density[path] = body_density(self.source, prim)
            self.masses[path] = read_authored(self.source, prim, pose)
            self._velocity(prim, path, pose)
            if self.source.get(prim, "physics:startsAsleep", False):
                self.source.log.ignored("startsAsleep", self.source.place(prim), "physics:startsAsleep", "is not read: all bodies start awake")

    def _velocity(self, prim: Any, path: str, pose: Pose) -> None:
        """Read a body's velocities, which are in its own axes."""
        linear = np.array(self.source.get(prim, "physics:velocity", [0.0] * 3)) * self.source.length
        angular = np.deg2rad(self.source.get(prim, "physics:angularVelocity", [0.0] * 3))
        if np.any(linear) or np.any(angular):
            self.velocities[path] = (frames.rotate(pose.quat, linear), frames.rotate(pose.quat, angular))

    def _find_joints(self) -> None:
        """Read joints, and plan the tree."""
        source = self.source
        for prim in source.of(*JOINT_TYPES):
            if (self.resolver.mjc and source.apis(prim) & EQUALITIES) or "newtonish:element" in source.authored(prim):
                continue
            if not source.get(prim, "physics:jointEnabled", True) and not self.wishes.disabled_joints:
                source.log.ignored("disabled joint", source.place(prim), str(prim.GetPath()), "is disabled and left out", warn=False)
                continue
            if self.leads_out(prim, "physics:body0", "physics:body1"):
                continue
            joint = read_joint(source, self.resolver, prim, self.poses, self.pose)
            if joint is not None:
                self.joints.append(joint)

        mobile = self._mobile()

        def adds(joint: UsdJoint) -> bool:
            return "MjcJointAPI" in source.apis(joint.prim) or joint.bodies[1] in mobile or bool(source.get(joint.prim, "newtonish:joint:adds", False))

        self.plan = plan_tree(source, list(self.poses), self.joints, self.articulations(), adds)

    def _mobile(self) -> set[str]:
        """Bodies of articulations in which several joints between two bodies add up; where a joint heads one, what joints lead to from its bodies."""
        found: set[str] = set()
        if "newton" not in self.resolver.order:
            return found
        for prim in self.source.having("NewtonArticulationRootAPI"):
            if not self.source.get(prim, "newton:jointsAddMobility", False):
                continue
            path = self.source.path(prim)
            inside = {body for body in self.poses if f"{body}/".startswith(f"{path}/")}
            inside |= {body for joint in self.joints if joint.path == path for body in joint.bodies if body}
            waiting = list(inside)
            while waiting:
                body = waiting.pop()
                linked = {other for joint in self.joints if body in joint.bodies for other in joint.bodies if other}
                waiting += linked - inside
                inside |= linked
            found |= inside
        return found

    def leads_out(self, prim: Any, *names: str) -> bool:
        """Whether a prim refers to prims that the caller wants left out; then it is left out too, and the report says so."""
        source = self.source
        for target in (path for name in names for path in source.targets(prim, name)):
            found = source.stage.GetPrimAtPath(target)
            if found and (not source.counts(target) or any(f"{target}/".startswith(f"{out}/") for out in self._left_out)):
                source.log.ignored("left out", source.place(prim), source.path(prim), f"refers to {target}, which is left out", warn=False)
                return True
        return False

    def articulations(self) -> list[str]:
        """Paths of prims that are declared to be roots of articulations."""
        return [self.source.path(prim) for prim in self.source.having("PhysicsArticulationRootAPI")]

    def _body(self, path: str) -> Node:
        """The element of one body with its joints."""
        source, prim = self.source, self.source.stage.GetPrimAtPath(path)
        above, joints = self.plan.above[path]
        base = self.poses[above].frame if above else (np.zeros(3), frames.IDENTITY)
        relative = self.poses[path].frame if not above else local(base, self.poses[path].frame)
        (pos, quat), shown = self.motion.place(joints, relative)
        values: dict[str, Any] = {"name": path, "pos": pos.tolist(), "quat": quat.tolist()}
        if any(path in joint.bodies for joint in self.plan.loops):
            values["fuse"] = "false"
        if self.resolver.mjc:
            values |= mjc_values(source, prim, "gravcomp sleep") | {k[5:]: v for k, v in mjc_values(source, prim, "body:gravcomp").items()}
        free = not joints and self.wishes.float
        moved = bool(source.get(prim, "physics:kinematicEnabled", False))
        if moved and not above and not free and all(joint.kind == "fixed" for joint in joints):
            values["mocap"] = True
        elif moved and free:
            self.kinematic.add(path)
        elif moved and any(joint.kind != "fixed" for joint in joints):
            source.log.ignored("kinematic joint", source.place(prim), "physics:kinematicEnabled", "is not followed: the body is moved by its joint")
        node = element("body", path, **values)
        if free:
            node.children.append(element("freejoint", path, name=f"{path}_free_joint"))
        node.children.extend(self.motion.elements([joint for joint in joints if joint.kind != "fixed"], shown))
        return node

    def _find_shapes(self, made: dict[str, Node]) -> None:
        """Read shapes into the elements of their bodies."""
        source = self.source
        world = (np.zeros(3), frames.IDENTITY)
        for prim in source.having("PhysicsCollisionAPI", "MjcSiteAPI", "NewtonSiteAPI"):
            if source.kind(prim) not in GPRIMS:
                given = f"a {source.kind(prim) or 'prim without type'} as a shape"
                source.problem(prim, "type", given, ", ".join(GPRIMS), "apply the schema to one of these")
        for prim in source.of("Camera", *LIGHTS):
            self._view(prim, made[self.owner[source.path(prim)]])
        for prim in source.of(*GPRIMS):
            path = source.path(prim)
            apis = source.apis(prim)
            collider = "PhysicsCollisionAPI" in apis
            body = self.owner[path]
            if any((path + "/").startswith(out + "/") for out in self._left_out):
                continue
            if not body and not collider and not is_site(source, prim) and not self.wishes.static_visuals:
                continue
            pose = self.pose(prim)
            if pose is None:
                continue
            node = self.shapes.read(prim, pose, self.poses[body].frame if body else world, self._density.get(body))
            if node is None:
                continue
            made[body].children.append(node)
            if collider:
                self.colliders.append(path)
            if path != body and "PhysicsMassAPI" in apis and node.tag == "geom":
                self.masses[path] = read_authored(source, prim, pose)

    def _view(self, prim: Any, body: Node) -> None:
        """Read a camera or a light into the element of its body."""
        pose, owner = self.pose(prim), self.owner[self.source.path(prim)]
        if pose is None:
            return
        base = self.poses[owner].frame if owner else (np.zeros(3), frames.IDENTITY)
        read = read_camera if self.source.kind(prim) == "Camera" else read_light
        node = read(self.source, prim, pose, base)
        if node is not None:
            body.children.append(node)
