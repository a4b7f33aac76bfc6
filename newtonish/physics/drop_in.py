"""Standing in for dm_control's PyMJCF, so that its composer, walkers, arenas and tasks run unmodified."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType

from newtonish.errors import ModelError, problem
from newtonish.physics.functions import Library

__all__ = ["install_as"]

_NAME = "dm_control.mjcf"
_BINDINGS = "dm_control.mujoco.wrapper.mjbindings"


def install_as(name: str = _NAME) -> ModuleType:
    """Let dm_control build and simulate models by ``newtonish.mjcf`` in this process; a second call changes nothing.

    ``from dm_control import mjcf`` gives this package then, and MuJoCo's functions that dm_control calls on a Physics' pointers
    (``newtonish.physics.functions``) take those of ours. Call it before anything is imported that imports PyMJCF.

    Args:
        name: ``"dm_control.mjcf"``.

    Returns:
        ``newtonish.mjcf``.

    Raises:
        ModelError: Another name, or PyMJCF was imported already.
        ModuleNotFoundError: dm_control is not installed.
    """
    if name != _NAME:
        raise ModelError(problem("mjcf.install_as: name", repr(name), repr(_NAME), "leave it out"))
    module, present = import_module("newtonish.mjcf"), sys.modules.get(name)
    if present is module:
        return module
    if present is not None:
        given = f"{name}, imported already from {present.__file__}"
        raise ModelError(problem("mjcf.install_as", given, "a package that was not imported yet", "call install_as first, before importing composer"))
    bindings, parent = import_module(_BINDINGS), import_module("dm_control")
    functions = import_module(f"{_BINDINGS}.functions")
    bindings.mjlib = functions.mjlib = Library(functions.mjlib)  # type: ignore[attr-defined]
    parent.mjcf = sys.modules[name] = module  # type: ignore[attr-defined]
    return module
