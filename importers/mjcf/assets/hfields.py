"""Heightfield assets: the grid from a file, from the text, or flat, and the box that stands for its mass."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from newtonish.common.paths import portable
from newtonish.diagnostics import Diagnostics
from newtonish.errors import ImporterError
from newtonish.importers.heightmaps import MAX_SAMPLES, load_heights
from newtonish.importers.mjcf.compiler import Settings
from newtonish.mjcf.language.limits import limits
from newtonish.mjcf.language.read import Node

__all__ = ["HeightfieldAsset", "read_hfields"]


@dataclass
class HeightfieldAsset:
    """A heightfield.

    Attributes:
        name: Name in the file, or of its file.
        heights: (nrow, ncol), the first row at -y; scaled to 0 ... 1 later.
        size: Half extents along x and y, height of the highest sample, depth of the base [m].
    """

    name: str
    heights: np.ndarray
    size: tuple[float, float, float, float]

    @property
    def box(self) -> np.ndarray:
        """Half sizes of the box that MuJoCo's compiler weighs: half of the elevation, and the base."""
        return np.array([self.size[0], self.size[1], 0.25 * self.size[2] + 0.5 * self.size[3]])

    @cached_property
    def source(self) -> Any:
        """The model's heightfield, one for all geoms that use it."""
        from newtonish.model.heightfield import Heightfield

        return Heightfield(self.heights, self.heights.shape[0], self.heights.shape[1], self.size[0], self.size[1], min_z=0.0, max_z=self.size[2])


def read_hfields(root: Node, settings: Settings, log: Diagnostics, scale: float = 1.0) -> dict[str, HeightfieldAsset | None]:
    """Return the heightfields of a file by name, None for one with a problem; ``scale`` is a factor on their sizes."""
    found: dict[str, HeightfieldAsset | None] = {}
    for section in root.sections("asset"):
        for node in section.sections("hfield"):
            values = node.values
            name = values.get("name") or Path(portable(values.get("file", ""))).stem
            if not name:
                log.problem(node.location, node.label, "neither name nor file", "a name", 'add name="..."')
            elif name in found:
                log.problem(node.location, node.label, f"the name '{name}' again", "each name once", "rename it")
            else:
                found[name] = _read(node, name, settings.of(node), log, scale)
    return found


def _read(node: Node, name: str, settings: Settings, log: Diagnostics, scale: float) -> HeightfieldAsset | None:
    """Read one element; its problems are noted."""
    what, size = f"hfield '{name}'", node.values.get("size", [])
    if not all(0.0 < number < np.inf for number in size):
        log.problem(node.at("size"), f"{what}, size", str(list(size)), "four positive numbers", "correct it")
        return None
    heights = _heights(node, what, settings, log)
    return None if heights is None else HeightfieldAsset(name, heights, tuple(scale * number for number in size))


def _heights(node: Node, what: str, settings: Settings, log: Diagnostics) -> np.ndarray | None:
    """The grid; a file counts before the numbers in the text, as in MuJoCo."""
    values = node.values
    if "file" in values:
        try:
            return load_heights(settings.asset(values["file"]), values.get("content_type", ""), limits().size)
        except ImporterError as error:
            log.failed(node.at("file"), what, error)
            return None
    nrow, ncol = values.get("nrow", 0), values.get("ncol", 0)
    if min(nrow, ncol) < 2 or nrow * ncol > MAX_SAMPLES:
        given = f"nrow {nrow} and ncol {ncol} without a file"
        log.problem(node.at("nrow"), what, given, f"a file, or both from 2, {MAX_SAMPLES} samples at most", "add one or the other")
        return None
    if "elevation" not in values:
        return np.zeros((nrow, ncol), dtype=np.float32)
    elevation = np.array(values["elevation"], dtype=np.float32)
    if len(elevation) != nrow * ncol or not np.isfinite(elevation).all():
        given = f"{len(elevation)} numbers" if len(elevation) != nrow * ncol else "numbers that are not finite"
        log.problem(node.at("elevation"), f"{what}, elevation", given, f"{nrow * ncol} finite numbers", "correct it")
        return None
    return elevation.reshape(nrow, ncol)[::-1]  # the text starts with the row at +y
