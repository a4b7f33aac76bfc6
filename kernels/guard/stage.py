"""What is done in a step for worlds that may go wrong: nothing, unless the Data was made for more, or has a recorder."""

from __future__ import annotations

from typing import Any


def before_solution(m: Any, d: Any) -> None:
    """Keep the state and the inputs of a step, once functions of the user's have set these, and before the solver replaces its warm start."""
    if d.guard is not None:
        from newtonish.kernels.guard.hold import remember

        remember(m, d)
    if d.recorder is not None:
        from newtonish.kernels.guard.flight import record

        record(m, d)


def after_integration(m: Any, d: Any) -> None:
    """Attend to worlds that were reset in this step."""
    if d.recorder is not None:
        from newtonish.kernels.guard.flight import note_failures

        note_failures(m, d)
    if d.guard is not None:
        from newtonish.kernels.guard.hold import attend

        attend(m, d)


def after_reset(d: Any, mask: Any) -> None:
    """Worlds that were reset on request have no failures before their next step."""
    if d.recorder is not None:
        from newtonish.kernels.guard.flight import forget_flags

        forget_flags(d, mask)
