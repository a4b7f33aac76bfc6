"""Inverse kinematics: joint coordinates and velocities from body poses and velocities.

Each joint's coordinates are read off its two bodies, one thread a joint; what the joint cannot follow is projected out.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.model.enums import BodyFlags
from newtonish.model.joint_motion import (
    BALL,
    FIXED,
    is_free,
    point_velocity,
    solve_damped,
    three_angles,
    turned_axes,
    twist_angle,
)
from newtonish.model.schedule import check_selection, schedule

__all__ = ["eval_ik"]

wp.set_module_options({"enable_backward": False})


@wp.kernel
def _ik_kernel(
    group_start: wp.array(dtype=int),
    group_order: wp.array(dtype=int),
    group_mask: wp.array(dtype=wp.bool),
    group_indices: wp.array(dtype=int),
    body_flag_filter: int,
    body_q: wp.array(dtype=wp.transform),
    body_qd: wp.array(dtype=wp.spatial_vector),
    body_com: wp.array(dtype=wp.vec3),
    body_flags: wp.array(dtype=int),
    joint_q_start: wp.array(dtype=int),
    joint_qd_start: wp.array(dtype=int),
    joint_type: wp.array(dtype=int),
    joint_parent: wp.array(dtype=int),
    joint_child: wp.array(dtype=int),
    joint_X_p: wp.array(dtype=wp.transform),
    joint_X_c: wp.array(dtype=wp.transform),
    joint_axis: wp.array(dtype=wp.vec3),
    joint_dof_dim: wp.array2d(dtype=int),
    joint_q: wp.array(dtype=float),
    joint_qd: wp.array(dtype=float),
):
    slot, k = wp.tid()
    group = slot
    if group_indices:
        group = group_indices[slot]
    if group < 0 or group >= group_start.shape[0] - 1:
        return
    if group_mask:
        if not group_mask[group]:
            return
    if k >= group_start[group + 1] - group_start[group]:
        return
    j = group_order[group_start[group] + k]
    child = joint_child[j]
    kind = joint_type[j]
    if (body_flags[child] & body_flag_filter) == 0 or kind == FIXED:
        return
    parent = joint_parent[j]
    frame = joint_X_p[j]
    if parent >= 0:
        frame = body_q[parent] * frame
    anchor = body_q[child] * joint_X_c[j]
    point = wp.transform_get_translation(anchor)
    if is_free(kind):
        point = wp.transform_point(body_q[child], body_com[child])
    linear = point_velocity(child, point, body_q, body_qd, body_com)
    angular = wp.spatial_bottom(body_qd[child])
    if parent >= 0:
        linear -= point_velocity(parent, point, body_q, body_qd, body_com)
        angular -= wp.spatial_bottom(body_qd[parent])
    back = wp.transform_inverse(frame)
    relative = back * anchor
    position = wp.transform_get_translation(relative)
    rotation = wp.transform_get_rotation(relative)
    linear = wp.transform_vector(back, linear)
    angular = wp.transform_vector(back, angular)
    q = joint_q_start[j]
    qd = joint_qd_start[j]
    sliding = joint_dof_dim[j, 0]
    turning = joint_dof_dim[j, 1]
    if is_free(kind):
        for i in range(3):
            joint_q[q + i] = position[i]
            joint_qd[qd + i] = linear[i]
            joint_qd[qd + 3 + i] = angular[i]
        for i in range(4):
            joint_q[q + 3 + i] = rotation[i]
        return
    if kind == BALL:
        for i in range(4):
            joint_q[q + i] = rotation[i]
        for i in range(3):
            joint_qd[qd + i] = angular[i]
        return
    if sliding > 0:
        _write_sliding(q, qd, sliding, position, linear, joint_axis, joint_q, joint_qd)
    if turning > 0:
        _write_turning(q + sliding, qd + sliding, turning, rotation, angular, joint_axis, joint_q, joint_qd)


@wp.func
def _axes_of(start: int, count: int, joint_axis: wp.array(dtype=wp.vec3)) -> wp.mat33:
    """One to three axes as columns, completed to three independent directions."""
    a0 = joint_axis[start]
    a1 = wp.vec3(0.0)
    if count > 1:
        a1 = joint_axis[start + 1]
    else:
        helper = wp.vec3(1.0, 0.0, 0.0)
        if wp.abs(a0[0]) > 0.7:
            helper = wp.vec3(0.0, 1.0, 0.0)
        a1 = wp.normalize(wp.cross(a0, helper))
    a2 = wp.cross(a0, a1)
    if count > 2:
        a2 = joint_axis[start + 2]
    return wp.matrix_from_cols(a0, a1, a2)


@wp.func
def _write_sliding(
    q: int,
    qd: int,
    count: int,
    position: wp.vec3,
    linear: wp.vec3,
    joint_axis: wp.array(dtype=wp.vec3),
    joint_q: wp.array(dtype=float),
    joint_qd: wp.array(dtype=float),
):
    axes = _axes_of(qd, count, joint_axis)
    coordinates = solve_damped(axes, position)
    velocities = solve_damped(axes, linear)
    for i in range(count):
        joint_q[q + i] = coordinates[i]
        joint_qd[qd + i] = velocities[i]


@wp.func
def _write_turning(
    q: int,
    qd: int,
    count: int,
    rotation: wp.quat,
    angular: wp.vec3,
    joint_axis: wp.array(dtype=wp.vec3),
    joint_q: wp.array(dtype=float),
    joint_qd: wp.array(dtype=float),
):
    axes = _axes_of(qd, count, joint_axis)
    a0 = axes[:, 0]
    if count == 1:
        joint_q[q] = twist_angle(a0, rotation)
        joint_qd[qd] = wp.dot(angular, a0)
    else:
        angles = three_angles(a0, axes[:, 1], axes[:, 2], count, rotation)
        turned = turned_axes(a0, axes[:, 1], axes[:, 2], count, angles)
        rates = solve_damped(turned, angular)
        for i in range(count):
            joint_q[q + i] = angles[i]
            joint_qd[qd + i] = rates[i]


def eval_ik(
    model: Any,
    state: Any,
    joint_q: wp.array,
    joint_qd: wp.array,
    mask: wp.array | None = None,
    indices: wp.array | None = None,
    body_flag_filter: int = BodyFlags.ALL,
) -> None:
    """Compute joint coordinates and velocities from ``state.body_q`` and ``state.body_qd``.

    Angles come out between -pi and pi. Joints that close loops keep their coordinates. What a joint cannot follow is
    projected out.

    Args:
        model: The model.
        state: What has ``body_q`` and ``body_qd``.
        joint_q: Coordinates to write.
        joint_qd: Velocities to write.
        mask: One bool for each articulation; without one, and without ``indices``, everything is evaluated.
        indices: Articulations to evaluate.
        body_flag_filter: Bits of :class:`BodyFlags`; joints of other child bodies keep their coordinates.
    """
    check_selection("eval_ik", mask, indices)
    if not model.joint_count:
        return
    plan = schedule(model)
    if indices is not None:
        count = len(indices)
    else:
        count = model.articulation_count + (plan.loose if mask is None else 0)
    wp.launch(
        _ik_kernel,
        dim=(count, plan.longest),
        inputs=[
            plan.start,
            plan.order,
            mask,
            indices,
            int(body_flag_filter),
            state.body_q,
            state.body_qd,
            model.body_com,
            model.body_flags,
            model.joint_q_start,
            model.joint_qd_start,
            model.joint_type,
            model.joint_parent,
            model.joint_child,
            model.joint_X_p,
            model.joint_X_c,
            model.joint_axis,
            model.joint_dof_dim,
        ],
        outputs=[joint_q, joint_qd],
        device=model.device,
    )
