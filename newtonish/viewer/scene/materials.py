"""Textures and materials of a model, and which of its shapes has which."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from newtonish.namespaces.looks import TEXTURE_TYPES
from newtonish.viewer.scene.arrays import Material, Texture
from newtonish.viewer.scene.tables import Tables

__all__ = ["Looks", "read_looks"]

ROLE_RGB, ROLE_RGBA = 1, 8
SRGB = 2


@dataclass
class Looks:
    """What surfaces look like.

    Attributes:
        textures, materials: As the scene has them.
        colors: (materials, 4) of the model's materials.
        shape_material: (shapes,) row of ``materials``, -1 for none.
        shape_shadow: (shapes,) whether they throw shadows.
        tendon_material, tendon_color: (tendons,) and (tendons, 4): the material of the converted model's tendons, and its colour.
        skybox: Row of ``textures``, -1 for none.
    """

    textures: list[Texture] = field(default_factory=list)
    materials: list[Material] = field(default_factory=list)
    colors: np.ndarray = field(default_factory=lambda: np.ones((0, 4), dtype=np.float32))
    shape_material: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    shape_shadow: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=bool))
    tendon_material: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    tendon_color: np.ndarray = field(default_factory=lambda: np.ones((0, 4), dtype=np.float32))
    skybox: int = -1

    def checker(self) -> int:
        """A material of squares, one metre wide, in lighter and darker shades of white: the colour is the shape's own."""
        for at, material in enumerate(self.materials):
            if material.name == CHECKER:
                return at
        pixels = np.full((2, 2, 3), 255, dtype=np.uint8)
        pixels[0, 1] = pixels[1, 0] = 205
        self.textures.append(Texture("2d", np.kron(pixels, np.ones((64, 64, 1), dtype=np.uint8)), name=CHECKER))
        self.materials.append(Material(texture=len(self.textures) - 1, uniform=True, reflectance=0.0, specular=0.1, name=CHECKER))
        return len(self.materials) - 1

    def plain(self, shape_material: np.ndarray) -> np.ndarray:
        """The same materials without their textures, for each shape."""
        table = np.arange(-1, len(self.materials))
        for at in np.unique(shape_material[shape_material >= 0]).tolist():
            if self.materials[at].texture >= 0:
                bare = replace(self.materials[at], texture=-1)
                if bare not in self.materials:
                    self.materials.append(bare)
                table[at + 1] = self.materials.index(bare)
        return table[shape_material + 1]


CHECKER = "checker of the ground"
"""Name of the material that a ground without one gets."""


def read_looks(model: Any, tables: Tables | None) -> Looks:
    """Textures and materials of a model, from the ``mujoco`` namespace where it has them."""
    custom: Any = getattr(model, "mujoco", None)
    count, tendons = int(model.shape_count), 0 if tables is None else int(tables.ntendon)
    none = Looks(
        shape_material=np.full(count, -1, dtype=np.int32), shape_shadow=np.ones(count, dtype=bool),
        tendon_material=np.full(tendons, -1, dtype=np.int32), tendon_color=np.ones((tendons, 4), dtype=np.float32),
    )  # fmt: skip
    try:
        roles, pixels = custom.mat_texid, custom.tex_pixels
    except AttributeError:  # a model of another package, or one that has nothing of MuJoCo's
        return none
    none.textures = [
        Texture(TEXTURE_TYPES[kind], _faces(TEXTURE_TYPES[kind], picture), space == SRGB, name)
        for kind, picture, space, name in zip(custom.tex_type.tolist(), pixels, custom.tex_colorspace.tolist(), custom.tex_names)
    ]
    fields = zip(
        np.where(roles[:, ROLE_RGB] >= 0, roles[:, ROLE_RGB], roles[:, ROLE_RGBA]).tolist(), custom.mat_texrepeat.tolist(),
        custom.mat_texuniform.tolist(), custom.mat_emission.tolist(), custom.mat_specular.tolist(), custom.mat_shininess.tolist(),
        custom.mat_reflectance.tolist(), custom.mat_names,
    )  # fmt: skip
    none.materials = [Material(texture, tuple(repeat), *rest) for texture, repeat, *rest in fields]
    none.colors = np.asarray(custom.mat_rgba, dtype=np.float32).reshape(-1, 4)
    none.skybox = next((at for at, texture in enumerate(none.textures) if texture.kind == "skybox"), -1)
    none.shape_material = custom.geom_matid.numpy().astype(np.int32)
    none.shape_shadow = custom.geom_castshadow.numpy().astype(bool)
    if tendons:
        rows = np.flatnonzero(custom.tendon_world.numpy() <= 0)[:tendons]  # those of the first world, in the converted model's order
        none.tendon_material = custom.tendon_matid.numpy()[rows].astype(np.int32)
        known = none.tendon_material >= 0
        none.tendon_color[known] = none.colors[none.tendon_material[known]]
    return none


def _faces(kind: str, pixels: np.ndarray) -> np.ndarray:
    """A picture, or the six of a cube: below one another, or one for all sides."""
    if kind == "2d":
        return pixels
    height, width, channels = pixels.shape
    if height == 6 * width:
        return pixels.reshape(6, width, width, channels)
    return np.repeat(pixels[None], 6, axis=0)
