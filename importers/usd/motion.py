"""Joints of the tree as elements: type, anchor and axis in the body's frame, limits, springs; and what goes with their drives.

The elements have MuJoCo's meaning: a body's pose is that in which its joints are at their reference. Where the stage has a
body in the pose at which the two frames of its joint coincide, that is its own pose; elsewhere the body is moved to it, and
the joint starts at the coordinate that the stage shows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from newtonish.importers import frames
from newtonish.importers.usd.dialects import DEGREE, Resolver
from newtonish.importers.usd.document import checked_list, element, mjc_values
from newtonish.importers.usd.joints import Axis, UsdJoint
from newtonish.importers.usd.poses import closeness, local
from newtonish.importers.usd.source import Source
from newtonish.mjcf.language.read import Node

__all__ = ["DofExtras", "MotionReader"]

APART, TURNED = 1e-4, 1e-4
"""Distance [m] and angle [rad] between the two frames of a joint that are rounding of single precision."""
MJC_JOINT = "actuatorfrclimited actuatorfrcrange[] actuatorgravcomp group margin solimpfriction solimplimit solreffriction solreflimit springdamper"
LENGTHS = {"solreflimit": (2, 2), "solreffriction": (2, 2), "solimplimit": (5, 5), "solimpfriction": (5, 5), "springdamper": (2, 2)}
KEPT = "newtonish:"
"""What our own stages keep beside the schemas."""
Frame = tuple[np.ndarray, np.ndarray]


@dataclass
class DofExtras:
    """What one degree of freedom has beside its element: columns of the builder, and its coordinate and velocity."""

    columns: dict[str, float] = field(default_factory=dict)
    q: float | None = None
    qd: float | None = None
    gains_of_limit: bool = False


class MotionReader:
    """Turns joints of the tree into elements.

    Args:
        source: The stage.
        resolver: Its dialects.
        degree: Whether ``mjc:ref`` and ``mjc:springref`` are in degrees.
        gain_scale: Factor on the gains of drives.
        both_modes: Whether drives have position and velocity actuators whatever their gains are.

    Attributes:
        extras: By the name of the element.
    """

    def __init__(self, source: Source, resolver: Resolver, degree: bool, gain_scale: float, both_modes: bool) -> None:
        self._source, self._resolver, self._degree = source, resolver, degree
        self._gain_scale, self._both = gain_scale, both_modes
        self.extras: dict[str, DofExtras] = {}

    def place(self, joints: list[UsdJoint], relative: Frame) -> tuple[Frame, list[float]]:
        """Pose of a body in the one above it with its joints at zero, and the coordinates at which the stage has it.

        Args:
            joints: The joints between the two, in order.
            relative: Its pose on the stage.
        """
        shown = [0.0] * sum(len(joint.axes) for joint in joints)
        if not joints or joints[0].kind == "free":
            return relative, shown
        gaps = [local(above, frames.compose(*relative, *below)) for above, below in map(_ends, joints)]
        if all(apart <= APART and turned <= TURNED for apart, turned in map(closeness, gaps)):
            return relative, shown
        first = joints[0]
        if len(joints) > 1:
            text = "several joints between two bodies whose frames do not coincide on the stage; the pose there is taken for zero"
            self._source.log.approximated("joint frames", self._source.place(first.prim), "physics:localPos0", text)
            return relative, shown
        above, below = _ends(first)
        zero = frames.compose(*above, *frames.invert(*below))
        if len(first.axes) == 1:
            axis = first.axes[0]
            shown, left = _coordinate(axis, gaps[0])
            shown = [-shown[0]] if first.reversed else shown
        else:
            left = closeness(gaps[0])
        if left[0] > 10 * APART or left[1] > 10 * TURNED:
            text = f"the joint's frames are {left[0]:.3g} m and {left[1]:.3g} rad apart beside its axes; the model starts with them together"
            self._source.log.approximated("joint pose", self._source.place(first.prim), "physics:localPos0", text)
        return zero, shown

    def elements(self, joints: list[UsdJoint], shown: list[float]) -> list[Node]:
        """The elements of the joints between a body and the one above it."""
        result: list[Node] = []
        for joint in joints:
            if joint.reversed and len(joint.axes) > 1:
                given, remedy = "a joint of several axes that the tree goes through backwards", "swap its bodies and frames"
                self._source.problem(joint.prim, "physics:body0", given, "the body nearer to the root as body0", remedy)
            if joint.kind == "free":
                result.append(self._free(joint))
            elif joint.kind == "ball":
                result.append(self._element(joint, None, joint.path, 0.0))
            for axis in joint.axes:
                name = joint.path if len(joint.axes) == 1 else f"{joint.path}:{axis.name}"
                result.append(self._element(joint, axis, name, shown.pop(0)))
        return result

    def _free(self, joint: UsdJoint) -> Node:
        """A free joint that has a prim."""
        source, resolver, prim = self._source, self._resolver, joint.prim
        if not {"MjcJointAPI", "NewtonJointAPI"} & source.apis(prim) and not any(name.startswith(KEPT) for name in source.authored(prim)):
            return element("freejoint", joint.path)
        values = {name: resolver.find(prim, quantity) for name, quantity in (("armature", "armature"), ("frictionloss", "friction"))}
        damping = resolver.find(prim, "damping")
        values |= {"damping": None if damping is None else [damping], "type": "free", "limited": "false"}
        return element("joint", joint.path, **values, **(self._mjc(prim, True, False) if resolver.mjc else {}))

    def _element(self, joint: UsdJoint, axis: Axis | None, name: str, shown: float) -> Node:
        """One hinge, slide or ball."""
        source, resolver, prim = self._source, self._resolver, joint.prim
        pos, quat = _ends(joint)[1]
        values: dict[str, Any] = {"name": name, "pos": pos.tolist(), "type": "ball", "limited": "false"}
        span, instance, turns = None, "angular", True
        if axis is not None:
            sign = -1.0 if joint.reversed else 1.0
            instance, turns, span = axis.name, axis.turns, axis.limit
            values |= {"type": "hinge" if turns else "slide", "axis": (sign * frames.rotate(quat, axis.direction)).tolist()}
        elif joint.cone is not None:
            span = (0.0, joint.cone)
        if span is not None:
            values |= {"range": list(span), "limited": "true"}
        inertia = source.mass * source.length**2 if turns else source.mass
        for key, quantity, scale in (("armature", "armature", inertia), ("frictionloss", "friction", inertia if turns else source.mass * source.length)):
            value = resolver.find(prim, quantity, instance, scale=scale)
            if value is not None:
                values[key] = value
        damping = resolver.find(prim, "damping", instance, scale=inertia)
        values |= {} if damping is None else {"damping": [damping]}
        if resolver.mjc:
            values |= self._mjc(prim, turns, axis is not None)
        self._extras(joint, axis, name, shown, values, inertia)
        return element("joint", name, **values)

    def _mjc(self, prim: Any, turns: bool, scalar: bool) -> dict[str, Any]:
        """What ``mjc:*`` says of a joint beside the common quantities; stiffness is per radian, references are angles."""
        source = self._source
        values = mjc_values(source, prim, MJC_JOINT)
        checked_list(source, prim, values, LENGTHS)
        stiffness = source.number(prim, "mjc:stiffness")
        if stiffness is not None:
            values["stiffness"] = [stiffness]
        for name in ("ref", "springref"):
            value = source.number(prim, f"mjc:{name}")
            if value is not None and scalar:
                values[name] = value * (DEGREE if turns and self._degree else 1.0)
        return values

    def _extras(self, joint: UsdJoint, axis: Axis | None, name: str, shown: float, values: dict[str, Any], inertia: float) -> None:
        """Gains of limits, drives, velocity limit, and the state in which the stage has the joint."""
        resolver, prim = self._resolver, joint.prim
        instance = "angular" if axis is None else axis.name
        extras = self.extras[name] = DofExtras()
        for key in ("limit_ke", "limit_kd"):
            value, attribute = resolver.named(prim, key, instance, scale=inertia)
            if attribute.startswith("physxLimit") and key == "limit_kd" and not extras.columns:
                self._source.log.ignored(
                    "hard limit", self._source.place(prim), attribute, "has no effect on a limit without stiffness, which is hard", warn=False
                )
            elif value is not None:
                extras.columns[f"joint_{key}"] = value
        raw = "solreflimit" in values or f"{KEPT}solreflimit" in self._source.authored(prim)
        extras.gains_of_limit = bool(extras.columns) and not raw
        speed, attribute = resolver.named(prim, "velocity_limit", instance, scale=1.0 if axis is None or axis.turns else self._source.length)
        if speed is not None:
            extras.columns["joint_velocity_limit"] = speed
            self._source.log.ignored("velocity limit", self._source.place(prim), attribute, "is kept in the model; MuJoCo has none")
        if axis is None:
            return
        sign = -1.0 if joint.reversed else 1.0
        for key, unset in (("position", shown), ("velocity", None)):
            value = resolver.find(prim, key, instance, scale=1.0 if axis.turns else self._source.length)
            setattr(extras, "q" if key == "position" else "qd", unset if value is None else sign * value)
        if axis.drive:
            self._drive(axis.drive, sign, extras, values)

    def _drive(self, drive: dict[str, float], sign: float, extras: DofExtras, values: dict[str, Any]) -> None:
        """Columns of a drive; its force limit is that of the joint's actuators, unless ``mjc:*`` gave one."""
        from newtonish.model.enums import JointTargetMode

        ke, kd = drive["ke"] * self._gain_scale, drive["kd"] * self._gain_scale
        mode = JointTargetMode.from_gains(ke, kd, self._both, has_drive=True)
        extras.columns |= {"joint_target_ke": ke, "joint_target_kd": kd, "joint_target_qd": sign * drive["qd"], "joint_target_mode": int(mode)}
        extras.columns["joint_target_q"] = sign * drive["q"]
        effort = drive.get("effort")
        if effort is not None and "actuatorfrcrange" not in values:
            values |= {"actuatorfrcrange": [-effort, effort], "actuatorfrclimited": "true"}


def _ends(joint: UsdJoint) -> tuple[Frame, Frame]:
    """The joint's frames in the upper and in the lower body."""
    return (joint.frames[1], joint.frames[0]) if joint.reversed else joint.frames


def _coordinate(axis: Axis, gap: Frame) -> tuple[list[float], tuple[float, float]]:
    """The coordinate along one axis that a gap between frames shows, and what is left of the gap."""
    pos, quat = gap
    if axis.turns:
        along = float(quat[1:] @ axis.direction)
        angle = 2.0 * np.arctan2(along, quat[0])
        angle = (angle + np.pi) % (2 * np.pi) - np.pi
        turn = np.concatenate([[np.cos(angle / 2)], -np.sin(angle / 2) * axis.direction])
        left = (pos, frames.multiply(quat, turn))
        return [float(angle)], closeness(left)
    slid = float(pos @ axis.direction)
    return [slid], closeness((pos - slid * axis.direction, quat))
