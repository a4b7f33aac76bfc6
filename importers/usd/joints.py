"""UsdPhysics joints as they are authored: the two bodies, the two frames, and the axes that are free.

Frames are given in the two bodies' rigid frames, in metres; a joint to a prim that is no body is a joint to the body that
the prim stands in, or to the world. Angles are radians from here on.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from newtonish.importers import frames
from newtonish.importers.usd.dialects import DEGREE, PER_DEGREE, Resolver
from newtonish.importers.usd.poses import Pose, local, rigid
from newtonish.importers.usd.source import Source

__all__ = ["EQUALITIES", "JOINT_TYPES", "Axis", "UsdJoint", "read_joint", "world_frames"]

JOINT_TYPES = ("PhysicsFixedJoint", "PhysicsRevoluteJoint", "PhysicsPrismaticJoint", "PhysicsSphericalJoint", "PhysicsDistanceJoint", "PhysicsJoint")
EQUALITIES = {"MjcEqualityConnectAPI", "MjcEqualityWeldAPI"}
"""Schemas that make a joint prim a constraint of MuJoCo's, and no joint."""
UNITS = {letter: np.eye(3)[k] for k, letter in enumerate("XYZ")}
FAR = 1e10
"""Stands for the open end of a limit that has one end."""
Frame = tuple[np.ndarray, np.ndarray]


@dataclass
class Axis:
    """One degree of freedom.

    Attributes:
        name: Instance of the schemas that speak of it: ``angular``, ``linear``, ``transX`` ... ``rotZ``.
        turns: Whether it is an angle.
        direction: Unit vector in the joint's frame.
        limit: Lower and upper end [m or rad], None for none.
        drive: ``ke``, ``kd``, ``q``, ``qd``, ``effort`` of a drive, SI and radians; empty for none.
    """

    name: str
    turns: bool
    direction: np.ndarray
    limit: tuple[float, float] | None = None
    drive: dict[str, float] = field(default_factory=dict)


@dataclass
class UsdJoint:
    """One joint prim.

    Attributes:
        kind: ``fixed``, ``ball``, ``free``, ``axes`` or ``distance``.
        bodies: Paths of the two bodies, empty for the world.
        frames: The joint's frame in each of them.
        axes: Free axes, sliding ones first.
        cone: Largest angle of a ball joint [rad], None for none.
        span: Least and largest distance [m], of ``distance``.
        loose: Whether it is kept out of the tree where there is another way.
        collides: Whether its two bodies collide.
        reversed: Whether the tree goes from the second body to the first.
    """

    prim: Any
    path: str
    kind: str
    bodies: tuple[str, str]
    frames: tuple[Frame, Frame]
    axes: list[Axis] = field(default_factory=list)
    cone: float | None = None
    span: tuple[float, float] = (0.0, 0.0)
    loose: bool = False
    collides: bool = False
    reversed: bool = False


def owner(source: Source, path: Any, bodies: dict[str, Pose]) -> str | None:
    """The body that a prim is or stands in, empty for the world, None where there is no such prim."""
    prim = source.stage.GetPrimAtPath(path)
    if not prim:
        return None
    while prim and not prim.IsPseudoRoot():
        if str(prim.GetPath()) in bodies:
            return str(prim.GetPath())
        prim = prim.GetParent()
    return ""


def world_frames(source: Source, prim: Any, bodies: dict[str, Pose], poses: Any, second: str = "") -> list[tuple[str, Any, Frame]] | None:
    """Body, prim and frame in that body, of the two ends of a joint prim; None, and a problem, where a body is missing.

    ``second`` is a relationship that names the second end where ``physics:body1`` does not.
    """
    ends: list[tuple[str, Any, Frame]] = []
    for end in "01":
        name = f"physics:body{end}"
        targets = source.targets(prim, name)
        if end == "1" and second and not targets:
            name = second
            targets = source.targets(prim, name)
        if len(targets) > 1:
            source.problem(prim, name, f"{len(targets)} prims", "one prim", "name one")
            return None
        pos = np.array(source.get(prim, f"physics:localPos{end}", [0.0, 0.0, 0.0]))
        quat = np.array(source.get(prim, f"physics:localRot{end}", [1.0, 0.0, 0.0, 0.0]))
        if not np.isfinite(pos).all() or not np.isfinite(quat).all() or np.linalg.norm(quat) < 1e-9:
            source.problem(prim, f"physics:localPos{end}, localRot{end}", f"{pos.tolist()}, {quat.tolist()}", "finite numbers and a rotation", "correct them")
            return None
        quat = quat / np.linalg.norm(quat)
        if not targets:
            ends.append(("", None, (pos * source.length, quat)))
            continue
        body = owner(source, targets[0], bodies)
        if body is None:
            source.problem(prim, name, str(targets[0]), "the path of a prim", "correct the path")
            return None
        target = source.stage.GetPrimAtPath(targets[0])
        pose = poses(target)
        if pose is None:
            return None
        placed = frames.compose(*pose.frame, pose.point(pos), quat)
        ends.append((body, target, local(bodies[body].frame, placed) if body else placed))
    return _moved_with_body(source, ends)


def _moved_with_body(source: Source, ends: list[tuple[str, Any, Frame]]) -> list[tuple[str, Any, Frame]]:
    """The ends of a joint; one at the world itself moves with the body at the other end."""
    for k, (_, target, frame) in enumerate(ends):
        moved = source.moved(ends[1 - k][0]) if target is None else None
        if moved is not None:
            pose = rigid(moved, 1.0)
            assert pose is not None
            ends[k] = ("", None, frames.compose(pose.pos * source.length, pose.quat, *frame))
    return ends


def read_joint(source: Source, resolver: Resolver, prim: Any, bodies: dict[str, Pose], poses: Any) -> UsdJoint | None:
    """Read one joint; None, and a problem, for one that cannot be."""
    ends = world_frames(source, prim, bodies, poses)
    if ends is None:
        return None
    (first, _, frame0), (second, _, frame1) = ends
    if first == second:
        given = "the world twice" if not first else f"{first} twice"
        if not first and not source.given(prim, "physics:body0") and not source.given(prim, "physics:body1"):
            given = "no body"
        source.problem(prim, "physics:body0, physics:body1", given, "two different bodies, one of which may be the world", "name another body")
        return None
    joint = UsdJoint(prim, source.path(prim), "axes", (first, second), (frame0, frame1))
    joint.loose = bool(source.get(prim, "physics:excludeFromArticulation", False))
    joint.collides = bool(source.get(prim, "physics:collisionEnabled", False))
    for name in ("physics:breakForce", "physics:breakTorque"):
        if source.get(prim, name, math.inf) not in (math.inf, 3.4028234663852886e38):
            source.log.ignored("break", source.place(prim), name, "is not simulated: joints do not break")
    kind = source.kind(prim)
    read = {
        "PhysicsRevoluteJoint": _single,
        "PhysicsPrismaticJoint": _single,
        "PhysicsSphericalJoint": _ball,
        "PhysicsDistanceJoint": _distance,
        "PhysicsJoint": _generic,
    }
    if kind == "PhysicsFixedJoint":
        joint.kind = "fixed"
    else:
        read[kind](source, resolver, joint)
    return joint


def _single(source: Source, resolver: Resolver, joint: UsdJoint) -> None:
    """A revolute or prismatic joint."""
    prim = joint.prim
    turns = source.kind(prim) == "PhysicsRevoluteJoint"
    letter = str(source.get(prim, "physics:axis", "X"))
    if letter not in UNITS:
        source.problem(prim, "physics:axis", f"'{letter}'", "X, Y or Z", "correct it")
        letter = "X"
    axis = Axis("angular" if turns else "linear", turns, UNITS[letter])
    low, high = (source.number(prim, f"physics:{end}Limit", sign * math.inf) for end, sign in (("lower", -1), ("upper", 1)))
    if _bounded(source, joint, axis, low, high, "physics:lowerLimit"):
        joint.axes = [axis]
        axis.drive = _drive(source, prim, axis)
    else:
        joint.kind = "fixed"


def _ball(source: Source, resolver: Resolver, joint: UsdJoint) -> None:
    """A spherical joint; MuJoCo limits the whole angle, the two cone angles only the direction of one axis."""
    joint.kind = "ball"
    prim = joint.prim
    source.use(prim, "physics:axis")
    cones = [source.number(prim, f"physics:coneAngle{k}Limit", -1.0) for k in (0, 1)]
    given = [angle for angle in cones if 0 <= angle < math.inf]
    if not given:
        return
    joint.cone = min(given) * DEGREE
    if cones[0] != cones[1] or "MjcJointAPI" not in source.apis(prim):
        text = f"the cone of {cones[0]:g} by {cones[1]:g} degrees limits the whole rotation to {min(given):g} degrees, twist included"
        source.log.approximated("cone limit", source.place(prim), "physics:coneAngle0Limit", text)


def _distance(source: Source, resolver: Resolver, joint: UsdJoint) -> None:
    """A distance joint."""
    joint.kind = "distance"
    low, high = (source.number(joint.prim, f"physics:{end}Distance", -1.0) for end in ("min", "max"))
    least = max(low, 0.0) * source.length
    joint.span = (least, high * source.length if 0 <= high < math.inf else FAR)
    if not joint.span[0] < joint.span[1]:
        source.problem(
            joint.prim, "physics:minDistance", f"{low:g} to {high:g}", "a least distance below the largest", "leave a gap, or use a mjc connect equality"
        )


def _generic(source: Source, resolver: Resolver, joint: UsdJoint) -> None:
    """A joint whose axes are free unless a LimitAPI locks them."""
    prim = joint.prim
    apis = source.apis(prim)
    if "PhysicsLimitAPI:distance" in apis:
        source.log.ignored("distance limit", source.place(prim), "limit:distance", "is not read; use a distance joint")
    for prefix, turns in (("trans", False), ("rot", True)):
        for letter in "XYZ":
            axis = Axis(prefix + letter, turns, UNITS[letter])
            low, high = (source.number(prim, f"limit:{axis.name}:physics:{end}", sign * math.inf) for end, sign in (("low", -1), ("high", 1)))
            if _bounded(source, joint, axis, low, high, f"limit:{axis.name}:physics:low"):
                axis.drive = _drive(source, prim, axis)
                joint.axes.append(axis)
    turning = [axis for axis in joint.axes if axis.turns]
    plain = all(axis.limit is None and not axis.drive for axis in joint.axes)
    if len(joint.axes) == 6 and plain:
        joint.kind, joint.axes = "free", []
    elif len(turning) == 3 == len(joint.axes) and plain:
        joint.kind, joint.axes = "ball", []
    elif not joint.axes:
        joint.kind = "fixed"


def _bounded(source: Source, joint: UsdJoint, axis: Axis, low: float, high: float, name: str) -> bool:
    """Set an axis' limit; False for one that is locked."""
    if math.isinf(low) and math.isinf(high):
        return low < high
    if low >= high:
        if low == high != 0.0:
            source.problem(
                joint.prim, name, f"{low:g} for both ends", "rising ends, or a low end above the high one to lock the axis", "turn the joint's frames instead"
            )
        return False
    unit = DEGREE if axis.turns else source.length
    axis.limit = (max(low * unit, -FAR), min(high * unit, FAR))
    return True


def _drive(source: Source, prim: Any, axis: Axis) -> dict[str, float]:
    """Read a DriveAPI of one axis."""
    if f"PhysicsDriveAPI:{axis.name}" not in source.apis(prim):
        return {}

    def value(name: str, default: float) -> float:
        return float(source.number(prim, f"drive:{axis.name}:physics:{name}", default))

    angle, gain = (DEGREE, PER_DEGREE * source.mass * source.length**2) if axis.turns else (source.length, source.mass)
    kind = source.get(prim, f"drive:{axis.name}:physics:type", "force")
    if kind == "acceleration":
        given = "acceleration"
        source.problem(prim, f"drive:{axis.name}:physics:type", given, "force", "multiply the gains by the inertia that the joint moves, and write force")
    drive = {"ke": value("stiffness", 0.0) * gain, "kd": value("damping", 0.0) * gain}
    drive |= {"q": value("targetPosition", 0.0) * angle, "qd": value("targetVelocity", 0.0) * angle}
    effort = value("maxForce", math.inf)
    if effort < 1e30:
        drive["effort"] = effort * source.mass * source.length ** (2 if axis.turns else 1)
    for key in ("ke", "kd", "effort"):
        if not 0 <= drive.get(key, 0.0) < math.inf:
            source.problem(prim, f"drive:{axis.name}", f"{key} {drive[key]}", "numbers not below zero", "correct them")
    return drive
