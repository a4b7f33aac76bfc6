"""What the caller wants of a stage's roots and of the order of its bodies and joints, where that is not what the stage says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from newtonish.errors import ModelError, problem
from newtonish.importers.mjcf.emit import Orders, depth_first
from newtonish.importers.mjcf.roots import RootChanges
from newtonish.importers.mjcf.tree import Body, Tree
from newtonish.importers.usd.bodies import BodyReader
from newtonish.importers.usd.poses import rigid
from newtonish.importers.usd.source import Source

__all__ = ["StageRoots", "bodies_in_order", "changed_roots", "check_ordering", "put_articulations_at_origin"]

ARTICULATION = "PhysicsArticulationRootAPI"


def check_ordering(ordering: str | None) -> None:
    """Raise a ModelError for an order that is none."""
    if ordering not in ("dfs", "bfs", None):
        raise ModelError(problem("add_usd, joint_ordering", repr(ordering), "'dfs', 'bfs' or None", "choose one of these"))


@dataclass(frozen=True)
class StageRoots(RootChanges):
    """Changes of a stage's roots, which keep the pose that the stage shows where their joints are replaced.

    Attributes:
        poses: Frames on the stage by the path of the body.
    """

    poses: dict[str, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)

    def apply(self, tree: Tree) -> None:
        """See :meth:`RootChanges.apply`."""
        for body in tree.world.children:
            if self.changes_joints and body.name in (self.bodies or ()):
                body.pos, body.quat = self.poses[body.name]
        super().apply(tree)


def changed_roots(bodies: BodyReader, wanted: RootChanges) -> StageRoots:
    """Restrict changes to the roots that they are for: bodies that no joint holds, and those of articulations.

    A body that is attached to the world by a joint of its own, such as a door, keeps it.
    """
    declared = [f"{path}/" for path in bodies.articulations()]
    found = {}
    for path in bodies.plan.below.get("", ()):
        joints = bodies.plan.above[path][1]
        places = [f"{path}/", *(f"{joint.path}/" for joint in joints)]
        if not joints or any(place.startswith(root) for place in places for root in declared):
            found[path] = bodies.poses[path].frame
    return StageRoots(wanted.floating, wanted.base_joint, bodies=frozenset(found), poses=found)


def put_articulations_at_origin(source: Source) -> None:
    """Let the frame of each articulation's prim be that of the stage, wherever the stage has it.

    Of articulations inside others the outermost counts; the frame of one that is declared at a joint is that of the prim around it.
    """
    from pxr import UsdGeom

    done: list[str] = []
    for prim in source.having(ARTICULATION):
        if any(f"{prim.GetPath()}/".startswith(f"{path}/") for path in done):
            continue
        while prim and not prim.IsA(UsdGeom.Xformable):
            prim = prim.GetParent()
        if not prim or prim.IsPseudoRoot():
            continue
        pose = rigid(source.world(prim), 1.0)
        if pose is not None:
            done.append(str(prim.GetPath()))
            source.move(done[-1], pose.frame)


def bodies_in_order(source: Source, bodies: BodyReader, ordering: str | None, follow: bool) -> Callable[[Body], Orders]:
    """Return what puts the bodies of a tree into order.

    Args:
        source: The stage.
        bodies: Its bodies and joints.
        ordering: Order of joints: into the depth, into the breadth, or None for that of the stage.
        follow: Whether bodies come in the order of joints, and not in that of the stage.
    """
    if ordering == "dfs" and follow:
        return depth_first

    def place(body: Body) -> int:
        joints = bodies.plan.above[body.name][1]
        return source.order[joints[0].path] if joints else -1

    def order(root: Body) -> Orders:
        found, _ = depth_first(root)
        joints = found
        if ordering == "bfs":
            joints = [root]
            for body in joints:
                joints.extend(body.children)
        elif ordering is None:
            joints = sorted(found, key=place)
        return (joints if follow else sorted(found, key=lambda body: source.order[body.name])), joints

    return order
