"""The model under MuJoCo's names: the converted model as the scene reads it, every array with the worlds in front."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from newtonish.convert import convert
from newtonish.errors import ModelError, NewtonishWarning, UnsupportedError

__all__ = ["Tables", "read_tables"]

_OPTIONS = {"skip_visual_only_geoms": False, "include_sites": True}


class Tables:
    """Arrays of a converted model.

    Attributes:
        compiled: The converted model.
        nworld: Number of worlds.
        stat: ``extent, center, meansize, meanmass``.
    """

    def __init__(self, compiled: Any) -> None:
        self.compiled, self.stat = compiled, compiled.stat
        self.nworld = int(compiled.nworld)
        self.maps = compiled.maps

    def __getattr__(self, name: str) -> Any:
        return getattr(self.compiled, name)

    def worlds(self, name: str) -> np.ndarray:
        """A field with an axis for worlds in front, of length one where all are equal."""
        batched = self.compiled.batched
        return batched[name] if name in batched else getattr(self.compiled, name)[None]

    def light_rows(self, custom: Any) -> np.ndarray:
        """Row of ``mujoco:light`` of each of the converted lights of the first world, which are sorted by body."""
        rows = np.flatnonzero(custom.light_world.numpy() <= 0)
        links = custom.light_body.numpy()[rows]
        to_mjc = self.maps.body_to_mjc
        body = np.where(links < 0, 0, to_mjc[np.maximum(links, 0)] if len(to_mjc) else 0)
        return rows[np.argsort(body, kind="stable")]


def read_tables(model: Any) -> Tables | None:
    """Convert a model with everything it shows; None where it cannot be converted, and so not be simulated either."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NewtonishWarning)  # a solver says what it does not simulate
            return Tables(convert(model, options=dict(_OPTIONS)))
    except (ModelError, UnsupportedError):
        return None
