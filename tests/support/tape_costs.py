"""A cost of the last state of steps on a tape."""

import warp as wp


@wp.kernel
def squares(
    joint_q: wp.array(dtype=float), joint_qd: wp.array(dtype=float), body_q: wp.array(dtype=wp.transform), body_qd: wp.array(dtype=wp.spatial_vector),
    total: wp.array(dtype=float),
):  # fmt: skip
    i = wp.tid()
    if i < joint_q.shape[0]:
        wp.atomic_add(total, 0, joint_q[i] * joint_q[i])
    if i < joint_qd.shape[0]:
        wp.atomic_add(total, 0, joint_qd[i] * joint_qd[i])
    if i < body_q.shape[0]:
        p = wp.transform_get_translation(body_q[i])
        wp.atomic_add(total, 0, 3.0 * wp.dot(p, p))
        wp.atomic_add(total, 0, 0.5 * wp.dot(body_qd[i], body_qd[i]))
