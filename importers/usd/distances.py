"""Distance joints: a tendon between two sites whose length is limited, which is what MuJoCo has for them."""

from __future__ import annotations

from newtonish.importers.usd.bodies import BodyReader
from newtonish.importers.usd.document import element
from newtonish.mjcf.language.read import Node

__all__ = ["distance_tendons"]

SIZE = 0.005


def distance_tendons(bodies: BodyReader, world: Node, tendons: Node) -> None:
    """Add two sites and a tendon for each distance joint.

    Args:
        bodies: The stage's bodies and joints.
        world: The element of all bodies, which gets sites.
        tendons: The section of tendons.
    """
    joints = [joint for joint in bodies.plan.loops if joint.kind == "distance"]
    if not joints:
        return
    elements = {"": world}
    waiting = [world]
    while waiting:
        below = [child for child in waiting.pop().children if child.tag == "body"]
        elements |= {child.values["name"]: child for child in below}
        waiting += below
    for joint in joints:
        names = [f"{joint.path}:{end}" for end in (0, 1)]
        for name, body, (pos, _) in zip(names, joint.bodies, joint.frames):
            elements[body].children.append(element("site", joint.path, name=name, type="sphere", size=[SIZE], pos=pos.tolist()))
        tendon = element("spatial", joint.path, limited="true", range=list(joint.span))
        tendon.children = [element("site", joint.path, "wrap_site", site=name) for name in names]
        tendons.children.append(tendon)
        if not joint.collides and all(joint.bodies):
            bodies.source.log.kept(joint.path, "is a tendon; its bodies collide")
