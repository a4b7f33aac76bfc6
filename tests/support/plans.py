"""What a step of a model launches, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from newtonish.kernels.forward import step
from newtonish.kernels.runtime.modules import planned_modules


def short_name(module: str) -> str:
    """The name of a module of kernels below ``newtonish.kernels``, without the lanes of a GPU's variant."""
    return module.removeprefix("newtonish.kernels.").split(".lanes")[0]


def launched(m: Any, d: Any, function: Callable[[Any, Any], None] = step) -> list[str]:
    """Short names of the modules that a function launches kernels of, in the order of their first launches."""
    return [short_name(build.module.name) for build in planned_modules(function, m, d)]
