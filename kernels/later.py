"""Kernels and stages whose file is imported when a model first needs it.

Registering a kernel with Warp takes about a millisecond: its source is read and parsed, and so is that of every function
it calls. All kernels together would take most of the time until a small robot takes its first step, which needs eight.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from importlib import import_module
from typing import Any

import warp as wp


@functools.cache
def fused(name: str) -> wp.Kernel:
    """The kernel of the module ``fused/<name>.py``."""
    return getattr(import_module(f"newtonish.kernels.fused.{name}"), f"{name}_kernel")


def later(
    module: str, name: str, needed: Callable[[Any], Any] | None = None, otherwise: Callable[..., Any] | None = None
) -> Callable[..., Any]:
    """The function ``name`` of ``newtonish.kernels.<module>``, imported at its first call.

    Args:
        module: below ``newtonish.kernels``.
        name: of the function, whose first argument is the model.
        needed: of the model: whether the function has anything to do; where not, it is not called. None: always.
        otherwise: of the same arguments: the result where it is not needed. None: there is none.
    """

    @functools.cache
    def function() -> Callable[..., Any]:
        return getattr(import_module(f"newtonish.kernels.{module}"), name)

    def stage(m: Any, *rest: Any, **named: Any) -> Any:
        if needed is None or needed(m):
            return function()(m, *rest, **named)
        return None if otherwise is None else otherwise(m, *rest, **named)

    stage.__name__ = name
    return stage
