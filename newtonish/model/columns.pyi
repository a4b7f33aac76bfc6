"""Columns of ModelBuilder and arrays of Model. Written by tests/support/stubs.py from the tables; do not edit."""

from collections.abc import Sequence
from typing import Any, Generic, TypeVar, overload

import warp as wp

from newtonish.model.attributes import AttributeNamespace
from newtonish.model.enums import GeoType, JointType
from newtonish.model.tables import Column

Item = TypeVar("Item")

class Numbers(Generic[Item]):
    """A column of numbers, vectors or matrices; a sequence of rows may be assigned."""

    @overload
    def __get__(self, owner: None, kind: type) -> Numbers[Item]: ...
    @overload
    def __get__(self, owner: object, kind: type | None = None) -> Column[Item]: ...
    def __set__(self, owner: object, value: Any) -> None: ...

class Objects(Generic[Item]):
    """A column of texts or other objects; a sequence may be assigned."""

    @overload
    def __get__(self, owner: None, kind: type) -> Objects[Item]: ...
    @overload
    def __get__(self, owner: object, kind: type | None = None) -> list[Item]: ...
    def __set__(self, owner: object, value: Sequence[Item]) -> None: ...

class BuilderColumns:
    body_label: Objects[str]
    """One for each body."""
    body_world: Numbers[int]
    """One for each body, a row number of world."""
    body_q: Numbers[wp.transform]
    """One for each body."""
    body_qd: Numbers[wp.spatial_vectorf]
    """One for each body."""
    body_com: Numbers[wp.vec3f]
    """One for each body."""
    body_mass: Numbers[float]
    """One for each body."""
    body_inertia: Numbers[wp.mat33f]
    """One for each body."""
    body_flags: Numbers[int]
    """One for each body."""
    body_lock_inertia: Numbers[bool]
    """One for each body."""
    shape_label: Objects[str]
    """One for each shape."""
    shape_world: Numbers[int]
    """One for each shape, a row number of world."""
    shape_body: Numbers[int]
    """One for each shape, a row number of body."""
    shape_transform: Numbers[wp.transform]
    """One for each shape."""
    shape_type: Numbers[GeoType]
    """One for each shape."""
    shape_scale: Numbers[tuple[float, float, float]]
    """One for each shape."""
    shape_flags: Numbers[int]
    """One for each shape."""
    shape_source: Objects[Any]
    """One for each shape."""
    shape_color: Numbers[tuple[float, float, float]]
    """One for each shape."""
    shape_opacity: Numbers[float]
    """One for each shape."""
    shape_is_solid: Numbers[bool]
    """One for each shape."""
    shape_margin: Numbers[float]
    """One for each shape."""
    shape_gap: Numbers[float]
    """One for each shape."""
    shape_material_ke: Numbers[float]
    """One for each shape."""
    shape_material_kd: Numbers[float]
    """One for each shape."""
    shape_material_kf: Numbers[float]
    """One for each shape."""
    shape_material_ka: Numbers[float]
    """One for each shape."""
    shape_material_kh: Numbers[float]
    """One for each shape."""
    shape_material_mu: Numbers[float]
    """One for each shape."""
    shape_material_restitution: Numbers[float]
    """One for each shape."""
    shape_material_mu_torsional: Numbers[float]
    """One for each shape."""
    shape_material_mu_rolling: Numbers[float]
    """One for each shape."""
    shape_collision_group: Numbers[int]
    """One for each shape."""
    shape_collision_radius: Numbers[float]
    """One for each shape."""
    joint_label: Objects[str]
    """One for each joint."""
    joint_world: Numbers[int]
    """One for each joint, a row number of world."""
    joint_type: Numbers[JointType]
    """One for each joint."""
    joint_parent: Numbers[int]
    """One for each joint, a row number of body."""
    joint_child: Numbers[int]
    """One for each joint, a row number of body."""
    joint_X_p: Numbers[wp.transform]
    """One for each joint."""
    joint_X_c: Numbers[wp.transform]
    """One for each joint."""
    joint_dof_dim: Numbers[tuple[int, int]]
    """One for each joint."""
    joint_enabled: Numbers[bool]
    """One for each joint."""
    joint_q_start: Numbers[int]
    """One for each joint, a row number of joint coord."""
    joint_qd_start: Numbers[int]
    """One for each joint, a row number of joint dof."""
    joint_cts_start: Numbers[int]
    """One for each joint, a row number of joint constraint."""
    joint_articulation: Numbers[int]
    """One for each joint, a row number of articulation."""
    joint_mimic_joint: Numbers[int]
    """One for each joint, a row number of joint."""
    joint_mimic_coeffs: Numbers[tuple[float, float]]
    """One for each joint."""
    joint_collision_filter_parent: Numbers[bool]
    """One for each joint."""
    joint_q: Numbers[float]
    """One for each joint coord."""
    joint_target_q: Numbers[float]
    """One for each joint coord."""
    joint_rest_q: Numbers[float]
    """One for each joint coord."""
    joint_qd: Numbers[float]
    """One for each joint dof."""
    joint_f: Numbers[float]
    """One for each joint dof."""
    joint_act: Numbers[float]
    """One for each joint dof."""
    joint_axis: Numbers[wp.vec3f]
    """One for each joint dof."""
    joint_armature: Numbers[float]
    """One for each joint dof."""
    joint_target_qd: Numbers[float]
    """One for each joint dof."""
    joint_target_mode: Numbers[int]
    """One for each joint dof."""
    joint_target_ke: Numbers[float]
    """One for each joint dof."""
    joint_target_kd: Numbers[float]
    """One for each joint dof."""
    joint_stiffness: Numbers[float]
    """One for each joint dof."""
    joint_damping: Numbers[float]
    """One for each joint dof."""
    joint_friction: Numbers[float]
    """One for each joint dof."""
    joint_limit_lower: Numbers[float]
    """One for each joint dof."""
    joint_limit_upper: Numbers[float]
    """One for each joint dof."""
    joint_limit_ke: Numbers[float]
    """One for each joint dof."""
    joint_limit_kd: Numbers[float]
    """One for each joint dof."""
    joint_effort_limit: Numbers[float]
    """One for each joint dof."""
    joint_velocity_limit: Numbers[float]
    """One for each joint dof."""
    joint_cts: Numbers[float]
    """One for each joint constraint."""
    articulation_label: Objects[str]
    """One for each articulation."""
    articulation_world: Numbers[int]
    """One for each articulation, a row number of world."""
    articulation_start: Numbers[int]
    """One for each articulation, a row number of joint."""
    articulation_end: Numbers[int]
    """One for each articulation, a row number of joint."""
    constraint_mimic_label: Objects[str]
    """One for each constraint mimic."""
    constraint_mimic_world: Numbers[int]
    """One for each constraint mimic, a row number of world."""
    constraint_mimic_joint0: Numbers[int]
    """One for each constraint mimic, a row number of joint."""
    constraint_mimic_joint1: Numbers[int]
    """One for each constraint mimic, a row number of joint."""
    constraint_mimic_coef0: Numbers[float]
    """One for each constraint mimic."""
    constraint_mimic_coef1: Numbers[float]
    """One for each constraint mimic."""
    constraint_mimic_enabled: Numbers[bool]
    """One for each constraint mimic."""

class ModelColumns:
    articulation_count: int
    articulation_end: wp.array
    """One for each articulation, a row number of joint."""
    articulation_label: list[str]
    """One for each articulation."""
    articulation_start: wp.array
    """One for each articulation, a row number of joint."""
    articulation_world: wp.array
    """One for each articulation, a row number of world."""
    articulation_world_start: wp.array
    body_com: wp.array
    """One for each body."""
    body_count: int
    body_flags: wp.array
    """One for each body."""
    body_inertia: wp.array
    """One for each body."""
    body_inv_inertia: wp.array
    body_inv_mass: wp.array
    body_label: list[str]
    """One for each body."""
    body_mass: wp.array
    """One for each body."""
    body_q: wp.array
    """One for each body."""
    body_qd: wp.array
    """One for each body."""
    body_world: wp.array
    """One for each body, a row number of world."""
    body_world_start: wp.array
    constraint_mimic_coef0: wp.array
    """One for each constraint mimic."""
    constraint_mimic_coef1: wp.array
    """One for each constraint mimic."""
    constraint_mimic_count: int
    constraint_mimic_enabled: wp.array
    """One for each constraint mimic."""
    constraint_mimic_joint0: wp.array
    """One for each constraint mimic, a row number of joint."""
    constraint_mimic_joint1: wp.array
    """One for each constraint mimic, a row number of joint."""
    constraint_mimic_label: list[str]
    """One for each constraint mimic."""
    constraint_mimic_world: wp.array
    """One for each constraint mimic, a row number of world."""
    curve_count: int
    edge_count: int
    joint_X_c: wp.array
    """One for each joint."""
    joint_X_p: wp.array
    """One for each joint."""
    joint_act: wp.array
    """One for each joint dof."""
    joint_ancestor: wp.array
    joint_armature: wp.array
    """One for each joint dof."""
    joint_articulation: wp.array
    """One for each joint, a row number of articulation."""
    joint_axis: wp.array
    """One for each joint dof."""
    joint_child: wp.array
    """One for each joint, a row number of body."""
    joint_constraint_count: int
    joint_constraint_world_start: wp.array
    joint_coord_count: int
    joint_coord_world_start: wp.array
    joint_count: int
    joint_damping: wp.array
    """One for each joint dof."""
    joint_dof_count: int
    joint_dof_dim: wp.array
    """One for each joint."""
    joint_dof_world_start: wp.array
    joint_effort_limit: wp.array
    """One for each joint dof."""
    joint_enabled: wp.array
    """One for each joint."""
    joint_f: wp.array
    """One for each joint dof."""
    joint_friction: wp.array
    """One for each joint dof."""
    joint_label: list[str]
    """One for each joint."""
    joint_limit_kd: wp.array
    """One for each joint dof."""
    joint_limit_ke: wp.array
    """One for each joint dof."""
    joint_limit_lower: wp.array
    """One for each joint dof."""
    joint_limit_upper: wp.array
    """One for each joint dof."""
    joint_mimic_coeffs: wp.array
    """One for each joint."""
    joint_mimic_joint: wp.array
    """One for each joint, a row number of joint."""
    joint_parent: wp.array
    """One for each joint, a row number of body."""
    joint_q: wp.array
    """One for each joint coord."""
    joint_q_start: wp.array
    """One for each joint, a row number of joint coord."""
    joint_qd: wp.array
    """One for each joint dof."""
    joint_qd_start: wp.array
    """One for each joint, a row number of joint dof."""
    joint_rest_q: wp.array
    """One for each joint coord."""
    joint_stiffness: wp.array
    """One for each joint dof."""
    joint_target_kd: wp.array
    """One for each joint dof."""
    joint_target_ke: wp.array
    """One for each joint dof."""
    joint_target_mode: wp.array
    """One for each joint dof."""
    joint_target_q: wp.array
    """One for each joint coord."""
    joint_target_qd: wp.array
    """One for each joint dof."""
    joint_type: wp.array
    """One for each joint."""
    joint_velocity_limit: wp.array
    """One for each joint dof."""
    joint_world: wp.array
    """One for each joint, a row number of world."""
    joint_world_start: wp.array
    particle_count: int
    shape_body: wp.array
    """One for each shape, a row number of body."""
    shape_collision_aabb_lower: wp.array
    shape_collision_aabb_upper: wp.array
    shape_collision_group: wp.array
    """One for each shape."""
    shape_collision_radius: wp.array
    """One for each shape."""
    shape_color: wp.array
    """One for each shape."""
    shape_count: int
    shape_flags: wp.array
    """One for each shape."""
    shape_gap: wp.array
    """One for each shape."""
    shape_heightfield_index: wp.array
    shape_is_solid: wp.array
    """One for each shape."""
    shape_label: list[str]
    """One for each shape."""
    shape_margin: wp.array
    """One for each shape."""
    shape_material_ka: wp.array
    """One for each shape."""
    shape_material_kd: wp.array
    """One for each shape."""
    shape_material_ke: wp.array
    """One for each shape."""
    shape_material_kf: wp.array
    """One for each shape."""
    shape_material_kh: wp.array
    """One for each shape."""
    shape_material_mu: wp.array
    """One for each shape."""
    shape_material_mu_rolling: wp.array
    """One for each shape."""
    shape_material_mu_torsional: wp.array
    """One for each shape."""
    shape_material_restitution: wp.array
    """One for each shape."""
    shape_opacity: wp.array
    """One for each shape."""
    shape_scale: wp.array
    """One for each shape."""
    shape_source: list[Any]
    """One for each shape."""
    shape_transform: wp.array
    """One for each shape."""
    shape_type: wp.array
    """One for each shape."""
    shape_world: wp.array
    """One for each shape, a row number of world."""
    shape_world_start: wp.array
    spring_count: int
    surface_count: int
    tendon_count: int
    tet_count: int
    tri_count: int
    volume_count: int
    world_count: int
    mujoco: AttributeNamespace
    """MuJoCo's attributes, where an importer or the caller has declared them."""
