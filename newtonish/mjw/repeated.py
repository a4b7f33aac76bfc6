"""Steps of a few worlds on a CPU that are the same as the last ones, with next to nothing between the call and its kernels.

A step of a small robot takes two microseconds, and ``newtonish.mjw.replay.run`` takes one and a half around it, to find out that nothing has
changed. Here what can change is compared once, in the shortest way there is: versions and switches in Python, options and signals, which are
numbers in memory, by the native loop before it calls the first kernel. Where anything differs, nothing is done, and ``run`` is asked.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import warp as wp

from newtonish.kernels.structs.container import Data, Model
from newtonish.mjw.recording import Recording

__all__ = ["Repeat", "repeat_of"]

Repeat = Callable[[Any, Data, int], bool]
"""Takes so many steps of (m, d), or returns False without having done anything."""
_LACKS_ROOM = 1
_WORD = 4


def repeat_of(m: Model, d: Data, recording: Recording, most: int, after_full: Callable[[int], None]) -> Repeat | None:
    """What takes recorded steps again.

    Args:
        m: model that was recorded.
        d: data that was recorded.
        recording: of one step, which one thread takes.
        most: steps that one thread takes in a call before somebody looks for room.
        after_full: is called after so many steps in one of which a world lacked room.

    Returns:
        None if the recording is no table of native calls of one thread, or keeps more beside it than these copy.
    """
    calls, options = recording.calls, m.opt
    if calls is None or recording.keeps_more or len(calls.tasks) != 1:
        return None
    runtime: Any = wp._src.context.runtime  # of a tested version of Warp, else there are no native calls
    if not hasattr(runtime, "_apic_capture"):
        return None
    block = options.__ctype__()  # type: ignore[attr-defined]  # of Warp's structs
    signals = [(d.status.any_overflow.ptr, 1)] + ([] if d.guard is None else [(d.guard.signal.ptr, 1)])
    take, fields = calls.watching([(ctypes.addressof(block), ctypes.sizeof(block) // _WORD), *signals])
    of_model, of_data, watching, guard = m.version, d.version, m.watching, d.guard

    def repeat(given: Any, data: Data, steps: int) -> bool:
        """Take the steps if ``given`` is the model that was recorded and neither it nor the data has changed."""
        if (
            given is not m
            or m.version != of_model
            or data.version != of_data
            or m.handed  # structure that somebody may have written
            or m.opt is not options
            or m.watching is not watching
            or m.callback.control is not None
            or m.callback.passive is not None
            or runtime._apic_capture is not None  # a capture of the caller's
            or steps > most
        ):
            return False
        fields[1] = steps
        take()
        done = fields[2]
        if done:
            if done != _LACKS_ROOM:
                return False
            after_full(steps)
        if guard is not None:
            guard.look(given, data)
        return True

    return repeat
