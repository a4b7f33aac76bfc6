"""Forward kinematics: body poses and velocities from joint coordinates and velocities.

One thread walks one articulation from its root; joints outside articulations follow in a second launch, unless their
child is placed by an articulation already (they close a loop). Body velocities are (velocity of the centre of mass,
angular velocity) in world axes; a free joint's are the same in its parent frame.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.model.enums import BodyFlags
from newtonish.model.ik import eval_ik
from newtonish.model.joint_motion import is_free, joint_motion, point_velocity
from newtonish.model.schedule import check_selection, schedule

__all__ = ["eval_fk", "eval_ik"]

wp.set_module_options({"enable_backward": False})


@wp.kernel
def _fk_kernel(
    group_start: wp.array(dtype=int),
    group_order: wp.array(dtype=int),
    first_group: int,
    group_mask: wp.array(dtype=wp.bool),
    group_indices: wp.array(dtype=int),
    joint_mask: wp.array(dtype=wp.bool),
    body_flag_filter: int,
    joint_q: wp.array(dtype=float),
    joint_qd: wp.array(dtype=float),
    joint_q_start: wp.array(dtype=int),
    joint_qd_start: wp.array(dtype=int),
    joint_type: wp.array(dtype=int),
    joint_parent: wp.array(dtype=int),
    joint_child: wp.array(dtype=int),
    joint_X_p: wp.array(dtype=wp.transform),
    joint_X_c: wp.array(dtype=wp.transform),
    joint_axis: wp.array(dtype=wp.vec3),
    joint_dof_dim: wp.array2d(dtype=int),
    body_com: wp.array(dtype=wp.vec3),
    body_flags: wp.array(dtype=int),
    body_q: wp.array(dtype=wp.transform),
    body_qd: wp.array(dtype=wp.spatial_vector),
):
    group = first_group + wp.tid()
    if group_indices:
        group = group_indices[wp.tid()]
    if group < 0 or group >= group_start.shape[0] - 1:
        return
    if group_mask:
        if not group_mask[group]:
            return
    for k in range(group_start[group], group_start[group + 1]):
        j = group_order[k]
        child = joint_child[j]
        wanted = (body_flags[child] & body_flag_filter) != 0
        if joint_mask:
            wanted = wanted and joint_mask[j]
        if wanted:
            parent = joint_parent[j]
            motion = joint_motion(
                joint_type[j],
                joint_q_start[j],
                joint_qd_start[j],
                joint_dof_dim[j, 0],
                joint_dof_dim[j, 1],
                joint_q,
                joint_qd,
                joint_axis,
            )
            frame = joint_X_p[j]
            if parent >= 0:
                frame = body_q[parent] * frame
            anchor = frame * motion.pose
            pose = anchor * wp.transform_inverse(joint_X_c[j])
            centre = wp.transform_point(pose, body_com[child])
            linear = wp.transform_vector(frame, motion.linear)
            angular = wp.transform_vector(frame, motion.angular)
            if not is_free(joint_type[j]):
                linear += wp.cross(angular, centre - wp.transform_get_translation(anchor))
            if parent >= 0:
                linear += point_velocity(parent, centre, body_q, body_qd, body_com)
                angular += wp.spatial_bottom(body_qd[parent])
            body_q[child] = pose
            body_qd[child] = wp.spatial_vector(linear, angular)


def eval_fk(
    model: Any,
    joint_q: wp.array,
    joint_qd: wp.array,
    state: Any,
    mask: wp.array | None = None,
    indices: wp.array | None = None,
    body_flag_filter: int = BodyFlags.ALL,
    *,
    joint_mask: wp.array | None = None,
) -> None:
    """Compute ``state.body_q`` and ``state.body_qd`` from joint coordinates and velocities.

    Args:
        model: The model.
        joint_q: Coordinates, as ``state.joint_q``.
        joint_qd: Velocities, as ``state.joint_qd``.
        state: What has ``body_q`` and ``body_qd`` to write to.
        mask: One bool for each articulation; without one, and without ``indices``, everything is evaluated.
        indices: Articulations to evaluate.
        body_flag_filter: Bits of :class:`BodyFlags`; other bodies keep their pose.
        joint_mask: One bool for each joint; children of other joints keep their pose.
    """
    check_selection("eval_fk", mask, indices)
    for kernel, dim, inputs in fk_launches(model, joint_q, joint_qd, state, mask, indices, body_flag_filter, joint_mask):
        wp.launch(kernel, dim=dim, inputs=inputs, device=model.device)


def fk_launches(
    model: Any,
    joint_q: wp.array,
    joint_qd: wp.array,
    state: Any,
    mask: wp.array | None = None,
    indices: wp.array | None = None,
    body_flag_filter: int = BodyFlags.ALL,
    joint_mask: wp.array | None = None,
) -> list[tuple[wp.Kernel, int, list[Any]]]:
    """Kernel, number of threads and inputs of each launch of :func:`eval_fk`, for who launches in another way."""
    if not model.joint_count:
        return []
    plan = schedule(model)
    arrays = [
        joint_mask,
        int(body_flag_filter),
        joint_q,
        joint_qd,
        model.joint_q_start,
        model.joint_qd_start,
        model.joint_type,
        model.joint_parent,
        model.joint_child,
        model.joint_X_p,
        model.joint_X_c,
        model.joint_axis,
        model.joint_dof_dim,
        model.body_com,
        model.body_flags,
        state.body_q,
        state.body_qd,
    ]
    count = model.articulation_count if indices is None else len(indices)
    launches: list[tuple[wp.Kernel, int, list[Any]]] = []
    if count:
        launches.append((_fk_kernel, count, [plan.start, plan.order, 0, mask, indices, *arrays]))
    if plan.loose and mask is None and indices is None:
        inputs = [plan.start, plan.order, model.articulation_count, None, None, *arrays]
        launches.append((_fk_kernel, plan.loose, inputs))
    return launches
