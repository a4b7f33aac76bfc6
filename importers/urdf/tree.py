"""The tree that links and joints form: its root and order, poses at zero, what moves, and which joints follow which."""

from __future__ import annotations

from collections import defaultdict, deque

import numpy as np

from newtonish.common.constants import MINVAL
from newtonish.diagnostics import Diagnostics
from newtonish.importers import frames
from newtonish.importers.urdf.parts import Frame, Joint, Link, Robot
from newtonish.model.inertia import shift_inertia

__all__ = ["Tree", "check_floating", "check_masses", "flatten_mimics", "read_tree"]


class Tree:
    """A robot whose links hang together.

    Attributes:
        root: The link that no joint places.
        robot: The file's contents.
        below: Joints by the name of their parent link, in the order of the text.
    """

    def __init__(self, root: Link, robot: Robot, below: dict[str, list[Joint]]) -> None:
        self.root = root
        self.robot = robot
        self.below = below

    def ordered(self, order: str | None) -> list[Joint]:
        """Joints depth first, breadth first, or as the text has them (None)."""
        if order is None:
            return list(self.robot.joints.values())
        waiting, result = deque([self.root.name]), []
        pending: deque[Joint] = deque()
        while waiting or pending:
            if waiting:
                joints = self.below.get(waiting.popleft(), [])
                if order == "bfs":
                    pending.extend(joints)
                else:
                    pending.extendleft(reversed(joints))
            if pending:
                joint = pending.popleft()
                result.append(joint)
                waiting.append(joint.child)
        return result

    def place(self, base: Frame) -> None:
        """Set the pose of every link in the world, all coordinates zero, from that of the root."""
        self.root.pose = base
        for joint in self.ordered("dfs"):
            parent = self.robot.links[joint.parent]
            self.robot.links[joint.child].pose = frames.compose(*parent.pose, *joint.frame)

    def static(self, fixed_base: bool) -> set[str]:
        """Names of the links that cannot move."""
        found = {self.root.name} if fixed_base else set()
        for joint in self.ordered("dfs"):
            if joint.type == "fixed" and joint.parent in found:
                found.add(joint.child)
        return found


def read_tree(robot: Robot, log: Diagnostics) -> Tree | None:
    """Return the tree, or None with every reason noted why there is none."""
    count = len(log.problems)
    above: dict[str, Joint] = {}
    below: dict[str, list[Joint]] = defaultdict(list)
    for joint in robot.joints.values():
        what, known = joint.node.label, True
        for end, name in (("parent", joint.parent), ("child", joint.child)):
            if name not in robot.links:
                place = next(iter(joint.node.sections(end))).at("link")
                log.problem(place, what, f"{end} link '{name}', which is not there", "a link of this file", "correct the name, or add the link")
                known = False
        if not known:
            continue
        if joint.child in above:
            given = f"child link '{joint.child}', which joint '{above[joint.child].name}' places already"
            log.problem(joint.node.location, what, given, "one joint above each link", "remove one of them; URDF cannot express loops")
            continue
        above[joint.child] = joint
        below[joint.parent].append(joint)
    roots = [link for link in robot.links.values() if link.name not in above]
    if len(log.problems) > count or not robot.links:
        return None
    if len(roots) > 1:
        names = ", ".join(f"'{link.name}'" for link in roots[:8]) + (f" and {len(roots) - 8} more" if len(roots) > 8 else "")
        log.problem(roots[1].node.location, robot.node.label, f"several roots: links {names}", "one link that no joint places", "connect them by fixed joints")
    reached, waiting = set(), [link.name for link in roots]
    while waiting:
        name = waiting.pop()
        reached.add(name)
        waiting.extend(joint.child for joint in below.get(name, ()))
    left = [name for name in robot.links if name not in reached]
    while left:
        cycle = [left[0]]
        while above[cycle[-1]].parent not in cycle:
            cycle.append(above[cycle[-1]].parent)
        cycle = cycle[cycle.index(above[cycle[-1]].parent) :][::-1]
        given = f"a cycle without a root: {' -> '.join([*cycle[:8], cycle[0]])}"
        log.problem(above[cycle[0]].node.location, above[cycle[0]].node.label, given, "a tree", "remove one of its joints")
        gone, waiting = set(), [cycle[0]]
        while waiting:
            name = waiting.pop()
            if name not in gone:
                gone.add(name)
                waiting.extend(joint.child for joint in below.get(name, ()))
        left = [name for name in left if name not in gone]
    return Tree(roots[0], robot, below) if len(log.problems) == count else None


def check_masses(tree: Tree, static: set[str], base: str, log: Diagnostics) -> int:
    """Note joints that move nothing; links must be placed. Returns the number of massless links that move.

    Args:
        tree: The robot.
        static: Names of the links that cannot move.
        base: How the root moves: ``fixed``, ``floating``, or ``prismatic`` for any joint that needs mass and perhaps no inertia.
        log: Where to.
    """
    links = tree.robot.links
    # mass, its first moment and inertia about the world's origin of everything from a link downwards
    mass, first, second = {}, {}, {}
    for link in links.values():
        turn = frames.to_matrix(link.pose[1])
        com = link.pose[0] + turn @ link.com
        mass[link.name], first[link.name] = link.mass, link.mass * com
        second[link.name] = shift_inertia(link.mass, turn @ link.inertia @ turn.T, com)
    for joint in reversed(tree.ordered("dfs")):
        for sums in (mass, first, second):
            sums[joint.parent] = sums[joint.parent] + sums[joint.child]
    moved = [(joint.node, joint.type, links[joint.child], joint.axis) for joint in tree.ordered("dfs") if joint.type != "fixed"]
    if base != "fixed":
        moved.append((tree.root.node, base, tree.root, np.zeros(3)))
    for node, kind, link, axis in moved:
        total, origin = mass[link.name], link.pose[0]
        centre = first[link.name] / total if total > MINVAL else origin
        about = shift_inertia(total, second[link.name] - shift_inertia(total, np.zeros((3, 3)), centre), origin - centre)
        direction = frames.to_matrix(link.pose[1]) @ axis
        turns = kind in ("revolute", "continuous", "planar")
        inertia = float(direction @ about @ direction) if turns else float(np.linalg.eigvalsh(about)[0]) if kind == "floating" else 1.0
        if total > MINVAL and inertia > MINVAL:
            continue
        given = (
            f"zero mass in link '{link.name}', and in all below it" if total <= MINVAL else f"no inertia in link '{link.name}', nor below it, about its axis"
        )
        remedy = "write an inertial, or boundmass and boundinertia in <mujoco><compiler/>; fix the joint if it should not move"
        log.problem(node.location, node.label, given, "mass and inertia of what moves", remedy)
    return sum(link.mass <= MINVAL and link.name not in static for link in links.values())


def check_floating(tree: Tree, static: set[str], log: Diagnostics) -> None:
    """Note floating joints below links that move: such a joint's child moves relative to the world only."""
    for joint in tree.robot.joints.values():
        if joint.type == "floating" and joint.parent not in static:
            given = f"a floating joint below link '{joint.parent}', which moves"
            remedy = "float the root (floating=True), or use three prismatic and three revolute joints"
            log.problem(joint.node.location, joint.node.label, given, "a parent that is fixed to the world", remedy)


def flatten_mimics(robot: Robot, log: Diagnostics) -> dict[str, tuple[str, float, float]]:
    """Return, by follower, the joint that it follows at the end of a chain, offset and multiplier."""
    result = {}
    for joint in robot.joints.values():
        if joint.mimic is None:
            continue
        place, what = joint.mimic.node.location, f"{joint.node.label}, mimic"
        visited, offset, factor, target = [joint.name], joint.mimic.offset, joint.mimic.multiplier, joint.mimic.joint
        while target in robot.joints and target not in visited and robot.joints[target].mimic is not None:
            visited.append(target)
            chained = robot.joints[target].mimic
            offset, factor, target = offset + factor * chained.offset, factor * chained.multiplier, chained.joint
        if target not in robot.joints:
            log.problem(place, what, f"joint '{target}', which is not there", "a joint of this file", "correct the name")
        elif target in visited:
            log.problem(place, what, f"a cycle: {' -> '.join([*visited[:8], target])}", "a joint that follows none of these", "remove one mimic")
        elif robot.joints[target].type not in ("revolute", "continuous", "prismatic"):
            given = f"joint '{target}' of type {robot.joints[target].type}"
            log.problem(place, what, given, "a revolute, continuous or prismatic joint", "follow another joint")
        elif not np.isfinite([offset, factor]).all():
            log.problem(place, what, "a chain whose factors are not finite", "finite numbers", "correct the multipliers")
        else:
            result[joint.name] = (target, offset, factor)
    return result
