"""``add_mjcf``'s ``convert_3d_hinge_to_ball_joints``: a body's three hinges become one ball joint."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from newtonish.diagnostics import Diagnostics
from newtonish.importers.mjcf.tree import Body, Joint, Tree

__all__ = ["balls_for_hinges"]


def balls_for_hinges(tree: Tree, log: Diagnostics) -> bool:
    """Replace the joints of bodies that have three hinges and no others; returns whether there were any.

    The ball turns about the anchor of the first hinge. Armature, damping and friction of each hinge become those of one of the
    ball's axes, x, y, z in order. A ball has no limits for its axes, one stiffness, and rests at the start: what cannot be kept is
    noted. Actuators of the hinges push about the hinges' axes; tendons, equality constraints and sensors of them have no meaning
    any more, and say so.
    """
    found = False
    for body in tree.bodies:
        if [joint.type for joint in body.joints] != ["hinge"] * 3:
            continue
        found = True
        ball = _ball(body, log)
        for joint in body.joints:
            tree.names.pop(("joint", joint.name), None)
            if joint.name:
                tree.names["joint", joint.name] = ball
        body.joints = [ball]
    return found


def _ball(body: Body, log: Diagnostics) -> Joint:
    """The joint that takes the place of a body's hinges."""
    first, lost = body.joints[0], []
    stiffness = [joint.values["stiffness"] for joint in body.joints]
    if any(joint.limited for joint in body.joints):
        lost.append("limits")
    if any(numbers != stiffness[0] for numbers in stiffness):
        lost.append("different stiffnesses")
        stiffness[0] = [0.0] * 3
    if any(joint.springref != joint.ref and joint.values["stiffness"][0] for joint in body.joints):
        lost.append("rest angles")
    if any(np.abs(joint.pos - first.pos).max() > 1e-9 for joint in body.joints):
        lost.append("the anchors of the second and third")
    if lost:
        note = f"three hinges become a ball joint without {', '.join(lost)}"
        log.approximated("joint.ball", first.node.location, body.node.label, note)
    values = {**first.values, "stiffness": stiffness[0], "actuatorfrclimited": False, "actuatorfrcrange": [0.0, 0.0], "springyield": 0.0}
    return replace(
        first, type="ball", axis=np.array([0.0, 0.0, 1.0]), limited=False, range=[0.0, 0.0], ref=0.0, springref=0.0,
        values=values, hinges=list(body.joints),
    )  # fmt: skip
