"""What a step does for its user between the stages: calls of functions, counts of warnings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from newtonish.common.enums import DisableBit, EnableBit
from newtonish.kernels.runtime.launch import is_planning


def has_control_callback(m: Any) -> bool:
    """Whether the user's function for the controls is called: not where actuation is disabled."""
    return m.callback.control is not None and not m.opt.disableflags & DisableBit.ACTUATION


def has_passive_callback(m: Any) -> bool:
    """Whether the user's function for the passive forces is called: not where springs and dampers are both disabled."""
    off = DisableBit.SPRING | DisableBit.DAMPER
    return m.callback.passive is not None and m.opt.disableflags & off != off


def call(m: Any, d: Any, function: Callable[[Any, Any], None], fraction: float) -> None:
    """Call a function ``(m, d)`` of the user's, with ``d.time`` a fraction of the time step later.

    While launches are only planned it is not called: it may count its calls, or write arrays, for a step not taken.
    """
    if fraction == 0.0:
        _call(m, d, function)
        return
    from newtonish.kernels.runtime.callback_time import advance_time, restore_time

    advance_time(m, d, fraction)
    _call(m, d, function)
    restore_time(m, d)


def _call(m: Any, d: Any, function: Callable[[Any, Any], None]) -> None:
    if not is_planning():
        function(m, d)


def diagnose(m: Any, d: Any) -> None:
    """Count warnings, and compare forward with inverse dynamics, where that is asked for; before the state moves."""
    if m.watching:
        from newtonish.kernels.analysis.diagnostics import watch

        watch(m, d)
    if m.opt.enableflags & EnableBit.FWDINV:
        from newtonish.kernels.analysis.diagnostics import compare_fwd_inv

        compare_fwd_inv(m, d)
