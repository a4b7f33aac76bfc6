"""Which joints carry the bodies and which close loops: a tree below the world over the graph of joints.

From the world, and then from every other root, joints are followed from their first body to their second in the order of
the stage, into the depth. A joint to a body that has been reached closes a loop. Joints that are kept out of the
articulation are taken only by bodies that have no other. What can be reached only against the direction of a joint is
reached that way. Roots are bodies that no joint leads to, then those that only joints outside articulations lead to, then bodies
that are declared to be articulation roots, then the first body of a ring that has none of these, which is noted: where a ring is
cut changes no physics. A ring inside a declared articulation is an error, as an articulation has a root, and nobody says which.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from newtonish.importers.usd.joints import UsdJoint
from newtonish.importers.usd.source import Source

__all__ = ["Plan", "plan_tree"]

WORLD = ""


@dataclass
class Plan:
    """The tree.

    Attributes:
        above: For each body the one above it, empty for the world, and the joints between them; no joint for a free body.
        below: Bodies below each one and below the world, in the order of the stage.
        loops: Joints that are not in the tree.
    """

    above: dict[str, tuple[str, list[UsdJoint]]] = field(default_factory=dict)
    below: dict[str, list[str]] = field(default_factory=dict)
    loops: list[UsdJoint] = field(default_factory=list)


class _Planner:
    """Builds one plan; see :func:`plan_tree`."""

    def __init__(self, bodies: Sequence[str], joints: Sequence[UsdJoint], adds: Callable[[UsdJoint], bool]) -> None:
        self.plan = Plan()
        self._bodies, self._adds = bodies, adds
        incoming = {joint.bodies[1] for joint in joints if not joint.loose}
        held = {joint.path for joint in joints if joint.loose and joint.bodies[1] in incoming}
        self._joints = [joint for joint in joints if joint.path not in held and joint.kind != "distance"]
        self.plan.loops = [joint for joint in joints if joint.path in held or joint.kind == "distance"]
        self._taken: set[str] = set()
        self._leaving: dict[str, list[UsdJoint]] = {}
        for joint in self._joints:
            self._leaving.setdefault(joint.bodies[0], []).append(joint)

    def reached(self, body: str) -> bool:
        """Whether a body is in the tree, or the world."""
        return body == WORLD or body in self.plan.above

    def follow(self, start: str) -> None:
        """Take in what can be reached from a body along the direction of joints."""
        waiting = [iter(self._leaving.get(start, ()))]
        while waiting:
            joint = next(waiting[-1], None)
            if joint is None:
                waiting.pop()
            elif joint.path not in self._taken and self._take(joint, joint.bodies):
                waiting.append(iter(self._leaving.get(joint.bodies[1], ())))

    def _take(self, joint: UsdJoint, way: tuple[str, str]) -> bool:
        """Put a joint into the tree, or among those that close loops; whether it led to a new body."""
        self._taken.add(joint.path)
        parent, child = way
        if not self.reached(child):
            self.plan.above[child] = (parent, [joint])
            return True
        known = self.plan.above.get(child)
        if known is not None and known[0] == parent and known[1] and self._adds(joint) and all(map(self._adds, known[1])):
            known[1].append(joint)
        else:
            self.plan.loops.append(joint)
        return False

    def root(self, body: str) -> None:
        """Make a body that no joint leads to the root of a tree that floats."""
        if not self.reached(body):
            self.plan.above[body] = (WORLD, [])
            self.follow(body)

    def backwards(self) -> None:
        """Take in what can be reached only against the direction of joints."""
        changed = True
        while changed:
            changed = False
            for joint in self._joints:
                first, second = joint.bodies
                if joint.path not in self._taken and self.reached(second) and not self.reached(first):
                    joint.reversed = True
                    self._take(joint, (second, first))
                    self.follow(first)
                    changed = True
        for joint in self._joints:
            if joint.path not in self._taken and all(map(self.reached, joint.bodies)):
                self._take(joint, joint.bodies)

    def led_to(self, loose: bool) -> set[str]:
        """Bodies that joints lead to, with or without those outside articulations."""
        return {joint.bodies[1] for joint in self._joints if loose or not joint.loose}

    def unreached(self) -> list[str]:
        """Bodies that have not been reached."""
        return [body for body in self._bodies if not self.reached(body)]

    def ring(self) -> list[str]:
        """Bodies of a ring among those, in the direction of its joints."""
        above = {joint.bodies[1]: joint.bodies[0] for joint in reversed(self._joints)}
        found = [self.unreached()[0]]
        while above[found[-1]] not in found:
            found.append(above[found[-1]])
        return found[found.index(above[found[-1]]) :][::-1]


def plan_tree(source: Source, bodies: Sequence[str], joints: Sequence[UsdJoint], articulations: Sequence[str], adds: Callable[[UsdJoint], bool]) -> Plan:
    """Return the tree over the bodies of a stage.

    Args:
        source: The stage.
        bodies: Paths in the order of the stage.
        joints: The joints, in that order.
        articulations: Paths that are declared to be roots of articulations: of bodies, joints, or prims above them.
        adds: Whether a further joint between two bodies adds its freedom to theirs, as in MuJoCo, and does not take from it.
    """
    planner = _Planner(bodies, joints, adds)
    declared = set(articulations) | {joint.bodies[1] for joint in joints if joint.path in articulations}
    planner.follow(WORLD)
    planner.backwards()
    for roots in (set(bodies) - planner.led_to(True), set(bodies) - planner.led_to(False), declared):
        for body in bodies:
            if body in roots:
                planner.root(body)
        planner.backwards()
    while planner.unreached():
        ring = planner.ring()
        first = min(ring, key=source.order.__getitem__)
        prim = source.stage.GetPrimAtPath(first)
        around = [path for path in articulations if f"{first}/".startswith(f"{path}/")]
        if around:
            shown = " -> ".join([*ring[:8], ring[0]])
            remedy = "apply PhysicsArticulationRootAPI to the body that floats, hold one by a joint to the world, or exclude a joint (excludeFromArticulation)"
            source.problem(prim, "physics:body0, physics:body1", f"a cycle without a root: {shown}", f"one root in articulation {around[0]}", remedy)
        else:
            text = f"its joints form a ring of {len(ring)} bodies without a root; it floats, and is taken for the root"
            source.log.approximated("ring", source.place(prim), first, text)
        planner.root(first)
        planner.backwards()
    plan = planner.plan
    for body in bodies:
        plan.below.setdefault(plan.above[body][0], []).append(body)
    return plan
