"""Calling a function of the user's at a stage of an integrator: the time it reads is that of the stage."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import warp as wp

from newtonish.kernels.launch import launch
from newtonish.kernels.math.world import per_world
from newtonish.kernels.structs.data import State, User
from newtonish.kernels.structs.model import Option


@wp.kernel
def _advance_time(opt: Option, state: State, user: User, share: float):
    w, lane = wp.tid()
    if lane == 0:
        user.time0[w] = state.time[w]
        state.time[w] = state.time[w] + share * opt.timestep[per_world(opt.timestep.shape[0], w)]


@wp.kernel
def _restore_time(state: State, user: User):
    w, lane = wp.tid()
    if lane == 0:
        state.time[w] = user.time0[w]


def call(m: Any, d: Any, function: Callable[[Any, Any], None], share: float) -> None:
    """Call ``function(m, d)`` with ``d.time`` a share of the time step later."""
    if share == 0.0:
        function(m, d)
        return
    launch(_advance_time, d, [m.opt, d.state, d.user, share])
    function(m, d)
    launch(_restore_time, d, [d.state, d.user])
