"""What is done about a world in which a number was not finite, beside its automatic reset: it stops, or an error is raised.

Kernels do the former, and raise a signal for the latter, which lies in memory of the host: nothing waits for the device. The host looks where the
caller does: when an array is read by its flat name, before and, on a CPU, after a step, and in ``check_capacity``.
"""

from __future__ import annotations

import ctypes
import weakref
from typing import Any

import warp as wp

from newtonish.errors import ModelError, NonfiniteError, problem
from newtonish.kernels.structs.container import Data, Model
from newtonish.kernels.structs.data import STATE
from newtonish.kernels.structs.memory import zeros_on_host

__all__ = ["MODES", "Guard", "make_guard"]

MODES = ("reset", "stop", "raise")
_KEPT = ("time", "time_low", "qpos", "qvel", "act", "qacc_warmstart", "mocap_pos", "mocap_quat", "eq_active")
_SHOWN = 5  # worlds that an error tells of


class Guard:
    """Looks whether worlds of a Data were reset.

    Args:
        m: model.
        d: data.
        stops: whether such worlds stop; otherwise an error is raised.

    Attributes:
        stops: As it was given.
        signal: 1: a world was reset since the last look.
    """

    def __init__(self, m: Model, d: Data, stops: bool) -> None:
        self.stops = stops
        self._pair = weakref.ref(m), weakref.ref(d)
        self._device = d.device
        self.signal = zeros_on_host((1,), wp.int32, d.device)
        self._raised = ctypes.c_int32.from_address(self.signal.ptr)
        self._counts = wp.zeros((d.nworld, 2), dtype=wp.int32, device=d.device)
        self._state = {name: wp.zeros_like(getattr(d.state, name)) for name in _KEPT} if stops else {}

    def of(self, first: int, count: int) -> tuple[Any, wp.array]:
        """The kept state and the counts of ``count`` worlds."""
        kept = STATE.struct()
        for name, array in self._state.items():
            setattr(kept, name, array[first : first + count] if array.size else array)
        return kept, self._counts[first : first + count]

    def lower(self) -> None:
        """Take the signal back, as what it told of did not happen."""
        self._raised.value = 0

    def look(self, m: Model | None = None, d: Data | None = None) -> None:
        """Raise NonfiniteError if a world was reset and nobody has said so; costs nothing else."""
        if not self._raised.value or self._device.is_capturing:
            return
        self.lower()
        m, d = m or self._pair[0](), d or self._pair[1]()
        if m is None or d is None:
            return
        from newtonish.mjw.reset_origins import resets

        found = resets(m, d)
        given = "; ".join(reset.text for reset in found[:_SHOWN]) + (f"; and {len(found) - _SHOWN} more" if len(found) > _SHOWN else "")
        remedy = "look at d.nonfinite and mjw.resets(m, d), and call reset_data for these worlds"
        raise NonfiniteError(problem(f"{len(found)} of {d.nworld} worlds", given or "numbers that are not finite", "finite numbers", remedy))


def make_guard(m: Model, d: Data, mode: Any) -> Guard | None:
    """What ``make_data(on_nonfinite=mode)`` asks for; None: the reset is all."""
    if not isinstance(mode, str) or mode not in MODES:
        text = problem("make_data: on_nonfinite", repr(mode), ", ".join(map(repr, MODES)), "choose one of these")
        raise ModelError(text)
    return None if mode == "reset" else Guard(m, d, mode == "stop")
