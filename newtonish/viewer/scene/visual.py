"""MuJoCo's visual settings (``mjVisual``): what a model says about how it wants to be viewed, or the defaults."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from newtonish.namespaces.visual import visual

__all__ = ["read_visual"]


def read_visual(model: Any) -> SimpleNamespace:
    """A model's settings by group, ``visual.map.znear``, ``visual.rgba.joint``; colours are float32 arrays."""
    try:
        return model.mujoco.vis
    except AttributeError:  # a model of another package, or one that has nothing of MuJoCo's
        return visual()
