"""What Warp says while it starts, compiles and loads: not printed, but given to Python's ``logging``, where nobody need listen.

Warp prints lines about itself and one for each module that it loads, about twenty for a first step. Those that concern newtonish go to the
logger ``newtonish.warp`` at level INFO instead; lines about modules of the user's, warnings and errors stay as they were.
"""

from __future__ import annotations

import logging
from typing import Any

import warp as wp

__all__ = ["route_warp", "set_verbosity"]

_log = logging.getLogger("newtonish.warp")
# how lines begin that Warp writes because of newtonish: of its start, of loading modules of files and of kernels made at run time
_OURS = ("Warp ", "Module newtonish.", "Module user_forces_")
_state: dict[str, Any] = {}  # "handler": what set_verbosity has added, "level": Warp's level before it asked for details


class _Routed:
    """A logger of Warp's that passes lines about newtonish to ``logging``, and all others to the logger before it."""

    def __init__(self, before: Any) -> None:
        self._before = before
        self.debug, self.warning, self.error = before.debug, before.warning, before.error

    def info(self, message: str) -> None:
        if message.lstrip().startswith(_OURS):
            _log.info(message)
        else:
            self._before.info(message)


def route_warp() -> None:
    """Give Warp's lines about newtonish to ``logging``, and all others to the logger that Warp has now."""
    current = wp.get_logger()
    if not isinstance(current, _Routed):
        wp.set_logger(_Routed(current))


def set_verbosity(level: int | str) -> None:
    """Show what newtonish and Warp report while they start, compile and load.

    Lines go to ``logging`` under ``newtonish``; a program that has set up ``logging`` sees them where it sees its own, any other on
    stderr. By default only warnings are shown.

    Args:
        level: ``"debug"`` (also why Warp compiles something again), ``"info"`` (Warp's start and each module that is loaded),
            ``"warning"``, ``"error"``, or a level of ``logging``.

    Raises:
        ValueError: there is no such level.
    """
    number = logging.getLevelName(level.upper()) if isinstance(level, str) else level
    if isinstance(number, bool) or not isinstance(number, int):
        raise ValueError(f"set_verbosity: got {level!r}; allowed: 'debug', 'info', 'warning', 'error' or a level of logging; choose one")
    ours = logging.getLogger("newtonish")
    ours.setLevel(number)
    if "handler" not in _state and not ours.hasHandlers():
        _state["handler"] = logging.StreamHandler()
        ours.addHandler(_state["handler"])
    _state.setdefault("level", wp.config.log_level)
    wp.config.log_level = wp.LOG_DEBUG if number <= logging.DEBUG else _state["level"]
    route_warp()
