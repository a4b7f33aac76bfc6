"""What a file says of pictures, kept for viewers: textures, materials, skins, how lights and cameras look.

The objects stand in libraries that all worlds share; the names and meanings of their fields are those of ``mujoco.MjModel``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

__all__ = ["ROLES", "TEXTURE_TYPES", "CameraLook", "LightLook", "Material", "Skin", "Texture"]

ROLES = ("user", "rgb", "occlusion", "roughness", "metallic", "normal", "opacity", "emissive", "rgba", "orm")
"""What a texture of a material can be for, in MuJoCo's order (mjtTextureRole)."""
TEXTURE_TYPES = ("2d", "cube", "skybox")
"""What a texture can be wrapped around, in MuJoCo's order (mjtTexture)."""


@dataclass(eq=False)
class Texture:
    """A picture, whose pixels are made or decoded when somebody asks for them.

    Attributes:
        name: Name in the file.
        type: 0 2d, 1 cube, 2 skybox. A cube is six squares below one another (right, left, up, down, front, back), or one
            square that all sides have.
        colorspace: 0 not said, 1 linear, 2 sRGB.
        height, width: Pixels.
        nchannel: Numbers of a pixel.
        said: Attributes of the element that makes it again, where it is procedural.
        make: Returns the pixels, uint8 (height, width, nchannel), the top row first.
    """

    name: str
    type: int
    colorspace: int
    height: int
    width: int
    nchannel: int
    make: Callable[[], np.ndarray] = field(repr=False)
    said: dict[str, Any] = field(default_factory=dict, repr=False)

    @cached_property
    def pixels(self) -> np.ndarray:
        """uint8, shape (height, width, nchannel), the top row first."""
        pixels = np.ascontiguousarray(self.make(), dtype=np.uint8).reshape(self.height, self.width, self.nchannel)
        pixels.flags.writeable = False
        return pixels


@dataclass(eq=False)
class Material:
    """How a surface looks.

    Attributes:
        name: Name in the file.
        textures: Texture of each role (``ROLES``), None for none.
        rgba: Colour, by which that of the texture is multiplied.
        texrepeat: How often a 2d texture repeats along x and y.
        texuniform: Whether it repeats by length instead of by object.
        emission, specular, shininess, reflectance: From 0 to 1.
        metallic, roughness: From 0 to 1; -1 if not said.
    """

    name: str
    textures: tuple[Texture | None, ...] = (None,) * len(ROLES)
    rgba: tuple[float, ...] = (1.0, 1.0, 1.0, 1.0)
    texrepeat: tuple[float, ...] = (1.0, 1.0)
    texuniform: bool = False
    emission: float = 0.0
    specular: float = 0.5
    shininess: float = 0.5
    reflectance: float = 0.0
    metallic: float = -1.0
    roughness: float = -1.0


@dataclass(eq=False)
class LightLook:
    """How a light shines; where it is stands in the rows of ``mujoco:light``.

    Attributes:
        type: 0 spot, 1 directional, 2 point, 3 image.
        texture: Picture of an image light, None for none.
        castshadow, active: Whether it does.
        bulbradius: [m], for soft shadows.
        intensity: [candela], for renderers that know of physics; 0 if not said.
        range: [m], how far it reaches.
        attenuation: Constant, linear and quadratic.
        cutoff: [degrees], half angle of a spot.
        softness, exponent: How a spot fades towards its edge.
        ambient, diffuse, specular: Colours.
    """

    type: int = 0
    texture: Texture | None = None
    castshadow: bool = True
    active: bool = True
    bulbradius: float = 0.02
    intensity: float = 0.0
    range: float = 10.0
    attenuation: tuple[float, ...] = (1.0, 0.0, 0.0)
    cutoff: float = 45.0
    softness: float = 0.2
    exponent: float = 10.0
    ambient: tuple[float, ...] = (0.0, 0.0, 0.0)
    diffuse: tuple[float, ...] = (0.7, 0.7, 0.7)
    specular: tuple[float, ...] = (0.3, 0.3, 0.3)


@dataclass(eq=False)
class CameraLook:
    """What a camera has beside its pose and its lens.

    Attributes:
        ipd: [m], distance of the eyes.
        output: Pictures it takes, bit mask: 1 rgb, 2 depth, 4 distance, 8 normal, 16 segmentation.
    """

    ipd: float = 0.068
    output: int = 1


@dataclass(eq=False)
class Skin:
    """A surface that bones deform; the bodies of its bones stand in ``mujoco:skin_bone``.

    Attributes:
        name: Name in the file.
        vert: Positions [m] where the bones are in their bind pose, (n, 3).
        texcoord: Texture coordinates, (n, 2), or (0, 2).
        face: Triangles, (m, 3).
        bindpos, bindquat: Pose of each bone at binding, (nbone, 3) and (nbone, 4), w first.
        vertid, vertweight: Vertices that each bone moves, and how much of them; an array a bone.
        material: Material, None for none.
        rgba: Colour.
        inflate: [m], how far vertices move along their normals.
        group: 0 to 5.
    """

    name: str
    vert: np.ndarray
    texcoord: np.ndarray
    face: np.ndarray
    bindpos: np.ndarray
    bindquat: np.ndarray
    vertid: list[np.ndarray]
    vertweight: list[np.ndarray]
    material: Material | None = None
    rgba: tuple[float, ...] = (0.5, 0.5, 0.5, 1.0)
    inflate: float = 0.0
    group: int = 0

    @property
    def bones(self) -> int:
        """Number of bones."""
        return len(self.bindpos)


def table(rows: Any, name: str, dtype: type, shape: tuple[int, ...]) -> np.ndarray:
    """One field of all rows of a library as an array."""
    return np.array([getattr(row, name) for row in rows], dtype=dtype).reshape(len(rows), *shape)
