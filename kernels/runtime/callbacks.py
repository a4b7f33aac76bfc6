"""Functions of the user's that a step calls between its stages, and switches that add launches to it.

They belong to a Model (``m.callback``). A step is recorded with them, so they launch kernels or copy arrays on the device,
and do not look at results. MuJoCo: documentation, chapter Programming, "Simulation loop" (mjcb_control, mjcb_passive).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

NAMES = ("control", "passive")


class Callbacks:
    """Functions ``(m, d)`` that every evaluation of the dynamics calls; None: none.

    Attributes:
        control: after positions and velocities are known and before the controls are read; writes ``d.ctrl``,
            ``d.qfrc_applied`` or ``d.xfrc_applied``. With RK4 it is called four times a step.
        passive: adds to ``d.qfrc_passive``, once the other passive forces are in it.
    """

    control: Callable[[Any, Any], None] | None
    passive: Callable[[Any, Any], None] | None

    def __init__(self) -> None:
        for name in NAMES:
            self.__dict__[name] = None

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in NAMES:
            raise AttributeError(
                f"m.callback.{name}: got an unknown callback; allowed: {', '.join(NAMES)}; what another one would do belongs "
                f"before or after step, or between step1 and step2."
            )
        if value is not None and not callable(value):
            raise AttributeError(f"m.callback.{name}: got a {type(value).__name__}; allowed: a function of (m, d), or None; pass one of these.")
        self.__dict__[name] = value

    def copy(self) -> Callbacks:
        """The same functions, to be replaced apart."""
        other = Callbacks()
        other.__dict__.update(self.__dict__)
        return other

    def key(self) -> tuple[Any, ...]:
        """What a recorded step depends on."""
        return tuple(self.__dict__.values())

    def __repr__(self) -> str:
        return f"Callbacks({', '.join(f'{name}={getattr(self, name)}' for name in NAMES)})"
