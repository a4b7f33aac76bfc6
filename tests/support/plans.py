"""What a step of a model launches, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from newtonish.kernels.forward import step
from newtonish.kernels.runtime.modules import planned_modules


def launched(m: Any, d: Any, function: Callable[[Any, Any], None] = step) -> list[str]:
    """Names below ``newtonish.kernels`` of the modules that a function launches kernels of, in the order of their first launches."""
    return [build.module.name.removeprefix("newtonish.kernels.") for build in planned_modules(function, m, d)]
