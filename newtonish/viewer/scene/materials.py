"""Textures and materials of a model, and which of its shapes has which."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from newtonish.viewer.scene.arrays import Material, Texture

__all__ = ["Looks", "read_looks"]


@dataclass
class Looks:
    """What surfaces look like.

    Attributes:
        textures, materials: As the scene has them.
        shape_material: (shapes,) row of ``materials``, -1 for none.
        skybox: Row of ``textures``, -1 for none.
    """

    textures: list[Texture] = field(default_factory=list)
    materials: list[Material] = field(default_factory=list)
    shape_material: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    tendon_material: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    tendon_color: np.ndarray = field(default_factory=lambda: np.zeros((0, 4)))
    skybox: int = -1

    def checker(self) -> int:
        """A material of squares, one metre wide, in lighter and darker shades of white: the colour is the shape's own."""
        for at, material in enumerate(self.materials):
            if material.name == "checker":
                return at
        pixels = np.full((2, 2, 3), 255, dtype=np.uint8)
        pixels[0, 1] = pixels[1, 0] = 205
        self.textures.append(Texture("2d", np.kron(pixels, np.ones((64, 64, 1), dtype=np.uint8)), name="checker"))
        self.materials.append(Material(texture=len(self.textures) - 1, uniform=True, reflectance=0.0, specular=0.1, name="checker"))
        return len(self.materials) - 1

    def plain(self, shape_material: np.ndarray) -> np.ndarray:
        """The same materials without their textures, for each shape."""
        without = {at: at for at in np.unique(shape_material[shape_material >= 0]).tolist()}
        for at in without:
            if self.materials[at].texture >= 0:
                bare = replace(self.materials[at], texture=-1)
                if bare not in self.materials:
                    self.materials.append(bare)
                without[at] = self.materials.index(bare)
        table = np.arange(-1, len(self.materials))
        for at, bare in without.items():
            table[at + 1] = bare
        return table[shape_material + 1]


def read_looks(model: Any, tendons: int = 0) -> Looks:
    """Textures and materials of a model."""
    none = np.full(int(model.shape_count), -1, dtype=np.int32)
    return Looks(shape_material=none, tendon_material=np.full(tendons, -1, dtype=np.int32), tendon_color=np.ones((tendons, 4)))
