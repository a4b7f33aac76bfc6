"""Standing in for mujoco_warp, so that a framework written for it runs unmodified."""

from __future__ import annotations

import sys
from types import ModuleType

from newtonish.errors import ModelError, problem

__all__ = ["install_as"]


def install_as(name: str = "mujoco_warp") -> ModuleType:
    """Let ``import <name>`` give ``newtonish.mjw`` in this process; a second call changes nothing.

    Call it before anything is imported that imports the other package. That package needs not be installed. Its private
    modules (``mujoco_warp._src``) are not there: importing them ends in ModuleNotFoundError.

    Args:
        name: Name of a top-level package.

    Returns:
        ``newtonish.mjw``.

    Raises:
        ModelError: The name is none of a top-level package; or another package was imported by it already, whose functions
            other modules may hold.
    """
    if not isinstance(name, str) or not name.isidentifier() or name == __name__.split(".")[0]:
        remedy = "leave it out for mujoco_warp"
        raise ModelError(problem("mjw.install_as: name", repr(name), "the name of a top-level package", remedy))
    module, present = sys.modules[__package__], sys.modules.get(name)
    if present is not None and present is not module:
        given = f"{name}, imported already from {getattr(present, '__file__', None) or 'memory'}"
        remedy = "call install_as first, before importing the framework"
        raise ModelError(problem("mjw.install_as", given, "a package that was not imported yet", remedy))
    sys.modules[name] = module
    return module
