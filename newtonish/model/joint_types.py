"""The joint families: one method each, filling in the axes of ``add_joint``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from newtonish.model.enums import Axis, JointTargetMode, JointType
from newtonish.model.joint_config import JointDofConfig, either
from newtonish.model.transforms import AxisType, Transform, Vec3

if TYPE_CHECKING:
    from newtonish.model.builder import ModelBuilder


def _axis_from(given: AxisType | Vec3 | JointDofConfig | None, default: JointDofConfig, **settings: Any) -> JointDofConfig:
    """Return an axis' settings; those not given are the builder's defaults."""
    if isinstance(given, JointDofConfig):
        return given
    chosen = {key: getattr(default, key) if value is None else value for key, value in settings.items()}
    return JointDofConfig(axis=default.direction if given is None else given, **chosen)


def _unlimited() -> list[JointDofConfig]:
    return [JointDofConfig.create_unlimited(axis) for axis in (Axis.X, Axis.Y, Axis.Z)]


class JointFamilyMethods:
    """Part of :class:`~newtonish.ModelBuilder` with one method for each type of joint.

    Arguments are those of ``add_joint`` and, for the axis, of :class:`JointDofConfig`; what is not given comes from
    ``builder.default_joint_cfg``. An axis passed as a :class:`JointDofConfig` brings all its settings along.
    """

    def add_joint_revolute(
        self: ModelBuilder,
        parent: int,
        child: int,
        *,
        parent_xform: Transform | None = None,
        child_xform: Transform | None = None,
        axis: AxisType | Vec3 | JointDofConfig | None = None,
        target_q: float | None = None,
        target_qd: float | None = None,
        target_ke: float | None = None,
        target_kd: float | None = None,
        damping: float | None = None,
        stiffness: float | None = None,
        rest_q: float | None = None,
        limit_lower: float | None = None,
        limit_upper: float | None = None,
        limit_ke: float | None = None,
        limit_kd: float | None = None,
        armature: float | None = None,
        effort_limit: float | None = None,
        velocity_limit: float | None = None,
        friction: float | None = None,
        actuator_mode: JointTargetMode | None = None,
        target_pos: float | None = None,
        target_vel: float | None = None,
        label: str | None = None,
        collision_filter_parent: bool | None = None,
        enabled: bool = True,
        custom_attributes: dict[str, Any] | None = None,
    ) -> int:
        """Add a joint that turns about one axis [rad] and return its index."""
        turning = _axis_from(
            axis,
            self.default_joint_cfg,
            target_q=either(target_q, target_pos, "target_q", "target_pos"),
            target_qd=either(target_qd, target_vel, "target_qd", "target_vel"),
            target_ke=target_ke,
            target_kd=target_kd,
            damping=damping,
            stiffness=stiffness,
            rest_q=rest_q,
            limit_lower=limit_lower,
            limit_upper=limit_upper,
            limit_ke=limit_ke,
            limit_kd=limit_kd,
            armature=armature,
            effort_limit=effort_limit,
            velocity_limit=velocity_limit,
            friction=friction,
            actuator_mode=actuator_mode,
        )
        return self.add_joint(
            JointType.REVOLUTE,
            parent,
            child,
            parent_xform=parent_xform,
            child_xform=child_xform,
            angular_axes=[turning],
            label=label,
            collision_filter_parent=collision_filter_parent,
            enabled=enabled,
            custom_attributes=custom_attributes,
        )

    def add_joint_prismatic(
        self: ModelBuilder,
        parent: int,
        child: int,
        *,
        parent_xform: Transform | None = None,
        child_xform: Transform | None = None,
        axis: AxisType | Vec3 | JointDofConfig = Axis.X,
        target_q: float | None = None,
        target_qd: float | None = None,
        target_ke: float | None = None,
        target_kd: float | None = None,
        damping: float | None = None,
        stiffness: float | None = None,
        rest_q: float | None = None,
        limit_lower: float | None = None,
        limit_upper: float | None = None,
        limit_ke: float | None = None,
        limit_kd: float | None = None,
        armature: float | None = None,
        effort_limit: float | None = None,
        velocity_limit: float | None = None,
        friction: float | None = None,
        actuator_mode: JointTargetMode | None = None,
        target_pos: float | None = None,
        target_vel: float | None = None,
        label: str | None = None,
        collision_filter_parent: bool | None = None,
        enabled: bool = True,
        custom_attributes: dict[str, Any] | None = None,
    ) -> int:
        """Add a joint that slides along one axis [m] and return its index."""
        sliding = _axis_from(
            axis,
            self.default_joint_cfg,
            target_q=either(target_q, target_pos, "target_q", "target_pos"),
            target_qd=either(target_qd, target_vel, "target_qd", "target_vel"),
            target_ke=target_ke,
            target_kd=target_kd,
            damping=damping,
            stiffness=stiffness,
            rest_q=rest_q,
            limit_lower=limit_lower,
            limit_upper=limit_upper,
            limit_ke=limit_ke,
            limit_kd=limit_kd,
            armature=armature,
            effort_limit=effort_limit,
            velocity_limit=velocity_limit,
            friction=friction,
            actuator_mode=actuator_mode,
        )
        return self.add_joint(
            JointType.PRISMATIC,
            parent,
            child,
            parent_xform=parent_xform,
            child_xform=child_xform,
            linear_axes=[sliding],
            label=label,
            collision_filter_parent=collision_filter_parent,
            enabled=enabled,
            custom_attributes=custom_attributes,
        )

    def add_joint_ball(
        self: ModelBuilder,
        parent: int,
        child: int,
        *,
        parent_xform: Transform | None = None,
        child_xform: Transform | None = None,
        armature: float | None = None,
        friction: float | None = None,
        damping: float | None = None,
        stiffness: float | None = None,
        actuator_mode: JointTargetMode | None = None,
        label: str | None = None,
        collision_filter_parent: bool | None = None,
        enabled: bool = True,
        custom_attributes: dict[str, Any] | None = None,
    ) -> int:
        """Add a joint that turns freely and return its index; its coordinate is a quaternion x, y, z, w."""
        default = self.default_joint_cfg
        axes = [
            JointDofConfig(
                axis=axis,
                armature=default.armature if armature is None else armature,
                friction=default.friction if friction is None else friction,
                damping=default.damping if damping is None else damping,
                stiffness=default.stiffness if stiffness is None else stiffness,
                actuator_mode=actuator_mode,
            )
            for axis in (Axis.X, Axis.Y, Axis.Z)
        ]
        return self.add_joint(
            JointType.BALL,
            parent,
            child,
            parent_xform=parent_xform,
            child_xform=child_xform,
            angular_axes=axes,
            label=label,
            collision_filter_parent=collision_filter_parent,
            enabled=enabled,
            custom_attributes=custom_attributes,
        )

    def add_joint_fixed(
        self: ModelBuilder,
        parent: int,
        child: int,
        *,
        parent_xform: Transform | None = None,
        child_xform: Transform | None = None,
        label: str | None = None,
        collision_filter_parent: bool | None = None,
        enabled: bool = True,
        custom_attributes: dict[str, Any] | None = None,
    ) -> int:
        """Add a joint without motion and return its index."""
        return self.add_joint(
            JointType.FIXED,
            parent,
            child,
            parent_xform=parent_xform,
            child_xform=child_xform,
            label=label,
            collision_filter_parent=collision_filter_parent,
            enabled=enabled,
            custom_attributes=custom_attributes,
        )

    def add_joint_free(
        self: ModelBuilder,
        child: int,
        *,
        parent_xform: Transform | None = None,
        child_xform: Transform | None = None,
        parent: int = -1,
        label: str | None = None,
        collision_filter_parent: bool | None = None,
        enabled: bool = True,
        custom_attributes: dict[str, Any] | None = None,
    ) -> int:
        """Add a joint of six degrees of freedom and return its index.

        Its coordinates are a position [m] and a quaternion x, y, z, w, and are set so that the child stays where its
        ``body_q`` says. Its velocity is that of the child's centre of mass, then the angular velocity, both in the
        parent's joint frame.
        """
        joint = self.add_joint(
            JointType.FREE,
            parent,
            child,
            parent_xform=parent_xform,
            child_xform=child_xform,
            linear_axes=_unlimited(),
            angular_axes=_unlimited(),
            label=label,
            collision_filter_parent=collision_filter_parent,
            enabled=enabled,
            custom_attributes=custom_attributes,
        )
        self._pose_free_joint(joint)
        return joint

    def add_joint_distance(
        self: ModelBuilder,
        parent: int,
        child: int,
        *,
        parent_xform: Transform | None = None,
        child_xform: Transform | None = None,
        min_distance: float = -1.0,
        max_distance: float = 1.0,
        collision_filter_parent: bool | None = None,
        enabled: bool = True,
        custom_attributes: dict[str, Any] | None = None,
        label: str | None = None,
    ) -> int:
        """Add a joint that keeps the distance of two points within limits [m] and return its index.

        The limits stand on its first axis; a negative one means none.
        """
        sliding = _unlimited()
        sliding[0] = JointDofConfig(axis=Axis.X, limit_lower=min_distance, limit_upper=max_distance)
        return self.add_joint(
            JointType.DISTANCE,
            parent,
            child,
            parent_xform=parent_xform,
            child_xform=child_xform,
            linear_axes=sliding,
            angular_axes=_unlimited(),
            label=label,
            collision_filter_parent=collision_filter_parent,
            enabled=enabled,
            custom_attributes=custom_attributes,
        )

    def add_joint_d6(
        self: ModelBuilder,
        parent: int,
        child: int,
        *,
        linear_axes: Sequence[JointDofConfig] | None = None,
        angular_axes: Sequence[JointDofConfig] | None = None,
        label: str | None = None,
        parent_xform: Transform | None = None,
        child_xform: Transform | None = None,
        collision_filter_parent: bool | None = None,
        enabled: bool = True,
        custom_attributes: dict[str, Any] | None = None,
    ) -> int:
        """Add a joint with up to three sliding and three turning axes and return its index.

        The child slides along the sliding axes, then turns about the first turning axis, about the second one as
        turned by the first, and so on. Axes need not be perpendicular.
        """
        return self.add_joint(
            JointType.D6,
            parent,
            child,
            parent_xform=parent_xform,
            child_xform=child_xform,
            linear_axes=None if linear_axes is None else list(linear_axes),
            angular_axes=None if angular_axes is None else list(angular_axes),
            label=label,
            collision_filter_parent=collision_filter_parent,
            enabled=enabled,
            custom_attributes=custom_attributes,
        )
