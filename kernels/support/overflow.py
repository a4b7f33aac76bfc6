"""Worlds that lack room: flagged for each world, and signalled to the host, which reads the signal without waiting for the device."""

import warp as wp

from newtonish.kernels.structs.data import Status


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
