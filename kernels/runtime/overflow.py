"""Worlds that lack room: flagged for each world, and signalled to the host, which reads the signal without waiting for the device."""

import warp as wp

from newtonish.common.enums import OverflowType
from newtonish.kernels.math.world import per_world
from newtonish.kernels.structs.data import State, Status
from newtonish.kernels.structs.model import Option

HESSIAN = wp.constant(int(OverflowType.HESSIAN))


@wp.func_native("*(volatile int*)signal.data = 1;")
def _raise_signal(signal: wp.array(dtype=int)):
    """Several worlds may do so at once, and the host reads it at any time."""
    ...


@wp.func
def flag_overflow(status: Status, w: int, kind: int):
    """Flag that something of a kind (``OverflowType``) was left out in world ``w``; one lane of a world calls this.

    The signal lies in memory of the host, so it is sent only when a world lacks such room for the first time since its last reset.
    """
    if (status.overflow[w] & kind) == 0:
        status.overflow[w] = status.overflow[w] | kind
        _raise_signal(status.any_overflow)


@wp.func
def note_overflow_time(opt: Option, state: State, status: Status, w: int):
    """At the end of a step: when it began, if it is the first since the last reset that lacked room; one lane of a world calls this.

    What an island's Hessian lacks is kept apart, since no contact or row is left out for want of it.
    """
    bits = status.overflow[w]
    if bits != 0:
        begin = state.time[w] - opt.timestep[per_world(opt.timestep.shape[0], w)]
        if (bits & ~HESSIAN) != 0 and status.overflow_time[w, 0] < 0.0:
            status.overflow_time[w, 0] = begin
        if (bits & HESSIAN) != 0 and status.overflow_time[w, 1] < 0.0:
            status.overflow_time[w, 1] = begin
