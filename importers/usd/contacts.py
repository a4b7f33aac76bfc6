"""Who does not collide: FilteredPairs, CollisionGroup, articulations without self-collision, and bodies of closing joints."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from newtonish.importers.usd.bodies import BodyReader
from newtonish.importers.usd.dialects import Resolver
from newtonish.importers.usd.document import element
from newtonish.importers.usd.source import Source
from newtonish.mjcf.language.read import Node

__all__ = ["Filters", "read_filters"]

Pair = tuple[str, str]


class Filters:
    """Pairs that do not collide.

    Attributes:
        bodies: Pairs of bodies, each with the prim that says so.
        shapes: Pairs of colliders.
        groups: Paths of collision groups.
    """

    def __init__(self, source: Source, bodies: BodyReader) -> None:
        self._source, self._bodies = source, bodies
        self.bodies: dict[Pair, str] = {}
        self.shapes: set[Pair] = set()
        self.groups: list[str] = []
        self._of_body: dict[str, list[str]] = {}
        for path in bodies.colliders:
            self._of_body.setdefault(bodies.owner[path], []).append(path)

    def between_bodies(self, first: str, second: str, where: str) -> None:
        """Two bodies do not collide."""
        if first != second and (second, first) not in self.bodies:
            self.bodies.setdefault((first, second), where)

    def between_shapes(self, first: str, second: str) -> None:
        """Two colliders do not collide; those of one body never do."""
        if self._bodies.owner[first] != self._bodies.owner[second]:
            order = self._source.order
            self.shapes.add((first, second) if order[first] < order[second] else (second, first))

    def below(self, path: str) -> list[str]:
        """Colliders of a body, or at a prim and below it."""
        if path in self._bodies.poses:
            return self._of_body.get(path, [])
        return [collider for collider in self._bodies.colliders if (collider + "/").startswith(path + "/")]

    def section(self) -> Node:
        """The pairs of bodies as elements."""
        section = element("contact", "/")
        for (first, second), where in self.bodies.items():
            name = f"{where}:{first}:{second}"
            section.children.append(element("exclude", where, name=name, body1=first, body2=second))
        return section


def read_filters(source: Source, resolver: Resolver, bodies: BodyReader, self_collisions: bool) -> Filters:
    """Gather the pairs of a stage that do not collide.

    ``self_collisions`` counts for articulations that do not say themselves.
    """
    filters = Filters(source, bodies)
    for prim in source.authoring("physics:filteredPairs"):
        if source.given(prim, "physics:filteredPairs"):
            _filtered_pairs(source, prim, filters, bodies)
    _groups(source, filters, bodies)
    _articulations(source, resolver, filters, bodies, self_collisions)
    for joint in bodies.plan.loops:
        if not joint.collides and joint.kind != "distance" and all(joint.bodies):
            filters.between_bodies(*joint.bodies, joint.path)
    for above, joints in bodies.plan.above.values():
        for joint in joints:
            if joint.collides and above:
                text = "asks parent and child to collide; MuJoCo filters them (mjc:flag:filterparent)"
                source.log.ignored("joint collision", source.place(joint.prim), "physics:collisionEnabled", text)
    return filters


def _filtered_pairs(source: Source, prim: Any, filters: Filters, bodies: BodyReader) -> None:
    """Pairs named at one prim."""
    path = str(prim.GetPath())
    for target in map(str, source.targets(prim, "physics:filteredPairs")):
        if not source.stage.GetPrimAtPath(target):
            source.problem(prim, "physics:filteredPairs", target, "the path of a prim", "correct the path")
        elif path in bodies.poses and target in bodies.poses:
            filters.between_bodies(path, target, path)
        else:
            for first in filters.below(path):
                for second in filters.below(target):
                    if first != second:
                        filters.between_shapes(first, second)


def _groups(source: Source, filters: Filters, bodies: BodyReader) -> None:
    """Collision groups; those of one merge name are one group."""
    from pxr import UsdPhysics

    members: dict[str, set[str]] = {}
    against: dict[str, set[str]] = {}
    inverted: dict[str, bool] = {}
    names: dict[str, str] = {}
    prims = source.of("PhysicsCollisionGroup")
    for prim in prims:
        path = str(prim.GetPath())
        names[path] = str(source.get(prim, "physics:mergeGroup", "") or path)
    filters.groups = list(names)
    for prim in prims:
        name = names[str(prim.GetPath())]
        source.use(prim, *(f"collection:colliders:{part}" for part in ("includes", "excludes", "expansionRule", "includeRoot")))
        query = UsdPhysics.CollisionGroup(prim).GetCollidersCollectionAPI().ComputeMembershipQuery()
        members.setdefault(name, set()).update(path for path in bodies.colliders if query.IsPathIncluded(path))
        targets = map(str, source.targets(prim, "physics:filteredGroups"))
        against.setdefault(name, set()).update(names.get(target, target) for target in targets)
        inverted[name] = inverted.get(name, False) or bool(source.get(prim, "physics:invertFilteredGroups", False))
    for name, group in members.items():
        others = set(members) - against[name] if inverted[name] else against[name] & set(members)
        for other in others:
            for first in group:
                for second in members[other]:
                    if first != second:
                        filters.between_shapes(first, second)


def _articulations(source: Source, resolver: Resolver, filters: Filters, bodies: BodyReader, default: bool) -> None:
    """Articulations whose bodies do not collide with each other."""
    for path in bodies.articulations():
        prim = source.stage.GetPrimAtPath(path)
        if resolver.find(prim, "self_collision", default=default):
            continue
        inside = [body for body in bodies.poses if (body + "/").startswith(path + "/")]
        if not inside:  # the schema is at the joint that holds the root
            inside = [joint.bodies[1] for joint in bodies.joints if joint.path == path and joint.bodies[1]]
        found = list(inside)
        while inside:
            below = bodies.plan.below.get(inside.pop(), [])
            new = [body for body in below if body not in found]
            found += new
            inside += new
        for first, second in combinations(found, 2):
            filters.between_bodies(first, second, path)
