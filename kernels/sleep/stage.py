"""What sleep adds to a step, between its stages; nothing, unless the flag ``sleep`` is set.

A step: ``wake``, positions, ``wake_tendons``, contacts (``newtonish.kernels.fused.collision_awake``), ``awake_rows``, ``still_forces``,
solver, ``still_solution``, sensors, ``hold_sensors``, ``fall_asleep``, integration, ``lie_still``.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.enums import DisableBit, EnableBit, Stage


def may_sleep(m: Any) -> bool:
    """Whether trees of the model may sleep: with the flag, and while rows are sorted into islands, as in MuJoCo."""
    return bool(m.opt.enableflags & EnableBit.SLEEP) and not m.opt.disableflags & DisableBit.ISLAND and m.size.ntree > 0


def wake(m: Any, d: Any) -> None:
    """Wake what the user disturbed, before everything else."""
    if may_sleep(m):
        from newtonish.kernels.sleep import wake as waking

        waking.wake(m, d)


def wake_tendons(m: Any, d: Any) -> None:
    """Wake what tendons couple with trees awake, after the position stage."""
    if may_sleep(m) and m.size.ntendon > 0:
        from newtonish.kernels.sleep import wake as waking

        waking.wake_tendons(m, d)


def awake_rows(m: Any, d: Any) -> tuple[Any, Any]:
    """Model and data for the kernels of rows, which leave trees asleep alone; wakes what equality constraints couple."""
    if not may_sleep(m):
        return m, d
    from newtonish.kernels.sleep import rows

    return rows.without_rows_asleep(m, d)


def still_forces(m: Any, d: Any) -> None:
    """No forces on trees asleep, before the solver."""
    if may_sleep(m):
        from newtonish.kernels.sleep import still

        still.still_forces(m, d)


def still_solution(m: Any, d: Any) -> None:
    """No acceleration of trees asleep, after the solver."""
    if may_sleep(m):
        from newtonish.kernels.sleep import still

        still.still_solution(m, d)


def hold_sensors(m: Any, d: Any, stages: int) -> None:
    """Sensors of forces and accelerations of trees asleep keep what they said."""
    if may_sleep(m) and stages & 1 << int(Stage.ACC):
        from newtonish.kernels.sleep import still

        still.hold_sensors(m, d)


def fall_asleep(m: Any, d: Any) -> None:
    """Who is ready falls asleep, before the state moves."""
    if may_sleep(m):
        from newtonish.kernels.sleep import fall

        fall.fall_asleep(m, d)


def lie_still(m: Any, d: Any) -> None:
    """Who sleeps keeps still, after the state moved."""
    if may_sleep(m):
        from newtonish.kernels.sleep import fall

        fall.lie_still(m, d)


def forget(m: Any, d: Any, mask: wp.array) -> None:
    """The worlds that ``mask`` (nworld,) names were reset."""
    if may_sleep(m):
        from newtonish.kernels.sleep import fall

        fall.forget(m, d, mask)
