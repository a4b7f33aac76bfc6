"""Parts of a push, for callers whose state is not read in every step: inputs alone, or coordinates of some worlds alone."""

import warp as wp

from newtonish.kernels.bridge.frames import Maps
from newtonish.kernels.bridge.states import Given, push_inputs, push_joint, set_time_step
from newtonish.kernels.math.world import lanes
from newtonish.kernels.structs.data import State
from newtonish.kernels.structs.model import Actuator, Body, Joint, Option, Size


@wp.kernel
def push_inputs_kernel(size: Size, opt: Option, body: Body, jnt: Joint, actuator: Actuator, maps: Maps, given: Given, dt: float, state: State):
    """Forces and controls; ``dt``, if positive, becomes the time step."""
    w, lane = wp.tid()
    set_time_step(opt, dt, w, lane)
    push_inputs(size, body, jnt, actuator, maps, given, state, w, lane)


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
        for j in range(lane, size.njnt, lanes()):
            push_joint(jnt, maps, joint_q, joint_qd, state, w, j)
