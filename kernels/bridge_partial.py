"""Parts of a push, for callers whose state is not read in every step: inputs alone, or coordinates of some worlds alone."""

import warp as wp

from newtonish.kernels.bridge import push_inputs, push_joint
from newtonish.kernels.bridge_frames import Maps
from newtonish.kernels.structs.data import State
from newtonish.kernels.structs.model import Actuator, Body, Joint, Option, Size


@wp.kernel
def push_inputs_kernel(
    size: Size,
    opt: Option,
    body: Body,
    jnt: Joint,
    actuator: Actuator,
    maps: Maps,
    joint_q: wp.array(dtype=float),
    body_f: wp.array(dtype=wp.spatial_vector),
    joint_f: wp.array(dtype=float),
    target_q: wp.array(dtype=float),
    target_qd: wp.array(dtype=float),
    ctrl: wp.array(dtype=float),
    ctrl_more: wp.array(dtype=wp.vec3),
    dt: float,
    state: State,
):
    """Forces and controls; ``dt``, if positive, becomes the time step."""
    w, lane = wp.tid()
    if lane == 0 and dt > 0.0 and w < opt.timestep.shape[0]:
        opt.timestep[w] = dt
    push_inputs(
        size, body, jnt, actuator, maps, joint_q, body_f, joint_f, target_q, target_qd, ctrl, ctrl_more, state, w, lane
    )


@wp.kernel
def push_worlds_kernel(
    size: Size,
    jnt: Joint,
    maps: Maps,
    mask: wp.array(dtype=bool),
    joint_q: wp.array(dtype=float),
    joint_qd: wp.array(dtype=float),
    state: State,
):
    """Positions and velocities of the masked worlds."""
    w, lane = wp.tid()
    if mask[w]:
        for j in range(lane, size.njnt, wp.block_dim()):
            push_joint(jnt, maps, joint_q, joint_qd, state, w, j)
