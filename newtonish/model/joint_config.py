"""Settings of one joint axis: limits, drive, spring, damper, friction."""

from __future__ import annotations

import warp as wp

from newtonish.arguments import checked_methods
from newtonish.errors import ModelError, problem
from newtonish.model.enums import Axis, JointTargetMode
from newtonish.model.transforms import AxisType, Vec3, as_axis

MAXVAL = 1e10
"""Stands for no limit."""


class JointDofConfig:
    """Settings of one joint axis; forces are N for sliding and N m for turning axes.

    Args:
        axis: Direction in the parent's joint frame; it is made a unit vector.
        limit_lower: Lowest coordinate [m or rad]; -1e10 for none.
        limit_upper: Highest coordinate [m or rad]; 1e10 for none.
        limit_ke: Stiffness of the limits [N/m or N m/rad].
        limit_kd: Damping of the limits [N s/m or N m s/rad].
        target_q: Coordinate that the drive seeks [m or rad]; the middle of the limits if it lies outside them.
        target_qd: Speed that the drive seeks [m/s or rad/s].
        target_ke: Position gain of the drive [N/m or N m/rad].
        target_kd: Velocity gain of the drive [N s/m or N m s/rad].
        damping: Passive damping [N s/m or N m s/rad].
        stiffness: Passive spring [N/m or N m/rad].
        rest_q: Coordinate at which the spring is at rest [m or rad]; zero if not given.
        armature: Inertia added to the axis [kg or kg m^2].
        effort_limit: Largest force of the drive [N or N m].
        velocity_limit: Largest speed [m/s or rad/s].
        friction: Dry friction [N or N m].
        actuator_mode: What the drive follows; inferred from the gains if not given.
        target_pos: Older name of ``target_q``.
        target_vel: Older name of ``target_qd``.
    """

    def __init__(
        self,
        *,
        axis: AxisType | Vec3 = Axis.X,
        limit_lower: float = -MAXVAL,
        limit_upper: float = MAXVAL,
        limit_ke: float = 1e4,
        limit_kd: float = 1e1,
        target_q: float | None = None,
        target_qd: float | None = None,
        target_ke: float = 0.0,
        target_kd: float = 0.0,
        damping: float = 0.0,
        stiffness: float = 0.0,
        rest_q: float | None = None,
        armature: float = 0.0,
        effort_limit: float = 1e6,
        velocity_limit: float = 1e6,
        friction: float = 0.0,
        actuator_mode: JointTargetMode | None = None,
        target_pos: float | None = None,
        target_vel: float | None = None,
    ) -> None:
        self.direction = as_axis(axis, "joint axis")
        self.limit_lower = limit_lower
        self.limit_upper = limit_upper
        self.limit_ke = limit_ke
        self.limit_kd = limit_kd
        self.target_q = either(target_q, target_pos, "target_q", "target_pos") or 0.0
        self.target_qd = either(target_qd, target_vel, "target_qd", "target_vel") or 0.0
        self.target_ke = target_ke
        self.target_kd = target_kd
        self.damping = damping
        self.stiffness = stiffness
        self.rest_q = rest_q
        self.armature = armature
        self.effort_limit = effort_limit
        self.velocity_limit = velocity_limit
        self.friction = friction
        self.actuator_mode = actuator_mode
        if not limit_lower <= self.target_q <= limit_upper:
            self.target_q = 0.5 * (limit_lower + limit_upper)

    @property
    def axis(self) -> wp.vec3:
        """Unit direction in the parent's joint frame."""
        return wp.vec3(*self.direction.tolist())

    @axis.setter
    def axis(self, value: AxisType | Vec3) -> None:
        self.direction = as_axis(value, "joint axis")

    @property
    def target_pos(self) -> float:
        """Older name of ``target_q``."""
        return self.target_q

    @target_pos.setter
    def target_pos(self, value: float) -> None:
        self.target_q = value

    @property
    def target_vel(self) -> float:
        """Older name of ``target_qd``."""
        return self.target_qd

    @target_vel.setter
    def target_vel(self, value: float) -> None:
        self.target_qd = value

    @classmethod
    def create_unlimited(cls, axis: AxisType | Vec3) -> JointDofConfig:
        """Return an axis without limits, drive, spring or damper."""
        return cls(axis=axis, limit_ke=0.0, limit_kd=0.0)

    @property
    def mode(self) -> JointTargetMode:
        """The drive's mode, inferred from the gains where none was given."""
        if self.actuator_mode is not None:
            return JointTargetMode(self.actuator_mode)
        driven = self.target_ke != 0.0 or self.target_kd != 0.0
        return JointTargetMode.from_gains(self.target_ke, self.target_kd, has_drive=driven)


def either(value: float | None, older: float | None, name: str, older_name: str) -> float | None:
    """Return the one of two spellings that was given."""
    if value is not None and older is not None:
        raise ModelError(problem("joint axis", f"{name} and {older_name}", "one of them", f"use {name}"))
    return older if value is None else value


checked_methods(JointDofConfig)
