"""Controls with a delay do not act in the step that they are given in: what acts is in the past, which has no derivative here."""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.derivative.algebra import real
from newtonish.kernels.derivative.workspace import Linear, Workspace
from newtonish.kernels.history.buffers import actuator_buffer
from newtonish.kernels.math.world import lane_index, lanes, per_world, world_index, worlds_per_thread
from newtonish.kernels.runtime.launch import launch, through_worlds
from newtonish.kernels.structs.history import History
from newtonish.kernels.structs.model import Actuator, Size


@wp.kernel
def _forget_delayed(size: Size, actuator: Actuator, hist: History, linear: Linear, nworld: int):
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        for a in range(lane, size.nactuator, lanes()):
            if actuator_buffer(hist, w, a)[0] > 0 and hist.actuator_delay[per_world(hist.actuator_delay.shape[0], w), a] > 0.0:
                linear.input_ctrl[w, a] = real(0.0)
                linear.force_ctrl[w, a] = real(0.0)
                linear.act_ctrl[w, a] = real(0.0)
                for u in range(size.na + actuator.ctrladr[a], size.na + actuator.ctrladr[a] + actuator.ctrlnum[a]):
                    for i in range(linear.Gu.shape[1]):
                        linear.Gu[w, i, u] = real(0.0)
                    for i in range(linear.Az.shape[1]):
                        linear.Az[w, i, 2 * size.nv + u] = real(0.0)
                    for i in range(linear.Ez.shape[1]):
                        linear.Ez[w, i, 2 * size.nv + u] = real(0.0)


through_worlds(_forget_delayed)


def forget_delayed(m: Any, d: Any, work: Workspace) -> None:
    """Clear the slopes by controls that have a delay.

    Reads   m.hist
    Writes  work.linear.input_ctrl, force_ctrl, act_ctrl, Gu, Az, Ez
    """
    launch(_forget_delayed, d, [m.size, m.actuator, m.hist, work.linear])
