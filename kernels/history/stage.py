"""What worlds remember of the past, in a step: delayed controls and sensors, and springs that yielded."""

from __future__ import annotations

from typing import Any

import warp as wp


def _has_history(m: Any) -> bool:
    """Whether controls or sensors are delayed."""
    return m.hist.nhistory > 0


def _is_plastic(m: Any) -> bool:
    """Whether the rest of some spring follows what pulls at it."""
    return m.hist.nplastic > 0


def delayed_controls(m: Any, d: Any, fraction: float = 0.0) -> Any:
    """``d.state`` with the controls that actuators see at ``fraction`` of the step; itself without delays."""
    if not _has_history(m) or m.size.nu == 0:
        return d.state
    from newtonish.kernels.history import delay

    return delay.delayed_controls(m, d, fraction)


def with_controls(m: Any, d: Any) -> Any:
    """The same, with controls that ``delayed_controls`` has read before."""
    if not _has_history(m) or m.size.nu == 0:
        return d.state
    from newtonish.kernels.history import delay

    return delay.with_controls(d)


def delay_sensors(m: Any, d: Any, stages: int) -> None:
    """Let delayed sensors of some stages (bits of ``1 << Stage``) show the past."""
    if _has_history(m):
        from newtonish.kernels.history import delay

        delay.delay_sensors(m, d, stages)


def insert_history(m: Any, d: Any) -> None:
    """Put controls and sensors of the step into the buffers, before the time advances."""
    if _has_history(m):
        from newtonish.kernels.history import delay

        delay.insert_history(m, d)


def springs(m: Any, d: Any) -> tuple[Any, Any]:
    """``m.jnt`` and ``m.tendon`` with the rest positions of springs as they are now; themselves without plasticity."""
    if not _is_plastic(m):
        return m.jnt, m.tendon
    from newtonish.kernels.forces import plasticity

    return plasticity.springs(m, d)


def remember_tendons(m: Any, d: Any) -> None:
    """Keep what the yielding of tendons needs of the start of the step."""
    if _is_plastic(m) and m.size.ntendon > 0:
        from newtonish.kernels.forces import plasticity

        plasticity.remember_tendons(m, d)


def settle(m: Any, d: Any) -> None:
    """After the state advanced: let springs yield, and worlds that were reset forget."""
    if _is_plastic(m) or _has_history(m):
        from newtonish.kernels.forces import plasticity

        plasticity.settle(m, d)


def forget(m: Any, d: Any, mask: wp.array, which: int = 3) -> None:
    """Reset the past of the worlds that ``mask`` (nworld,) names; ``which``: 1 delays, 2 springs, 3 both."""
    if _is_plastic(m) or _has_history(m):
        from newtonish.kernels.forces import plasticity

        plasticity.forget(m, d, mask, which)
