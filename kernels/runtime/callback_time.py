"""The time that a function of the user's reads at a stage of an integrator: that of the stage."""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.math.world import per_world
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.structs.data import State, User
from newtonish.kernels.structs.model import Option


@wp.kernel
def _advance_time(opt: Option, state: State, user: User, fraction: float):
    w, lane = wp.tid()
    if lane == 0:
        user.time0[w] = state.time[w]
        state.time[w] = state.time[w] + fraction * opt.timestep[per_world(opt.timestep.shape[0], w)]


@wp.kernel
def _restore_time(state: State, user: User):
    w, lane = wp.tid()
    if lane == 0:
        state.time[w] = user.time0[w]


def advance_time(m: Any, d: Any, fraction: float) -> None:
    """Let ``d.time`` be a fraction of the time step later. Writes d.user.time0."""
    launch(_advance_time, d, [m.opt, d.state, d.user, fraction])


def restore_time(m: Any, d: Any) -> None:
    """Let ``d.time`` be what it was before ``advance_time``."""
    launch(_restore_time, d, [d.state, d.user])
