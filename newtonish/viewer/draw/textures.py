"""Pictures in the graphics card's memory: flat ones, cubes and skies, with smaller copies for the distance."""

from __future__ import annotations

import numpy as np
from pyglet import gl

from newtonish.viewer.draw.meshes import pointer
from newtonish.viewer.scene import Texture

__all__ = ["TextureStore", "texture"]

FORMATS = {1: gl.GL_RED, 2: gl.GL_RG, 3: gl.GL_RGB, 4: gl.GL_RGBA}
STORED = {1: gl.GL_R8, 2: gl.GL_RG8, 3: gl.GL_RGB8, 4: gl.GL_RGBA8}
STORED_SRGB = {**STORED, 3: gl.GL_SRGB8, 4: gl.GL_SRGB8_ALPHA8}
"""Of pictures in sRGB: they are drawn linear, as in MuJoCo, which knows the space of colours only."""


def texture(target: int, **settings: int) -> int:
    """A new texture's name, bound, with parameters such as ``MIN_FILTER``."""
    name = gl.GLuint()
    gl.glGenTextures(1, name)
    gl.glBindTexture(target, name.value)
    for setting, value in settings.items():
        gl.glTexParameteri(target, getattr(gl, f"GL_TEXTURE_{setting}"), value)
    return name.value


class TextureStore:
    """Uploads the pictures a scene has gained; another list of textures starts over.

    Attributes:
        names: OpenGL's name of each texture.
        cubes: Whether each is a cube.
    """

    def __init__(self) -> None:
        self.names: list[int] = []
        self.cubes: list[bool] = []
        self._textures: list[Texture] | None = None

    def update(self, textures: list[Texture]) -> None:
        """Upload what is new."""
        if textures is not self._textures:
            self.close()
            self._textures = textures
        for picture in textures[len(self.names) :]:
            cube = picture.kind != "2d"
            stored = (STORED_SRGB if picture.srgb else STORED)[picture.pixels.shape[-1]]
            self.names.append(_cube(picture.pixels, stored) if cube else _flat(picture.pixels, stored))
            self.cubes.append(cube)

    def close(self) -> None:
        """Free everything."""
        for name in self.names:
            gl.glDeleteTextures(1, gl.GLuint(name))
        self.names, self.cubes, self._textures = [], [], None


def _send(target: int, pixels: np.ndarray, stored: int) -> None:
    """One face. A channel alone is grey, two are grey and opacity, as in MuJoCo."""
    pixels = np.ascontiguousarray(pixels, np.uint8)
    height, width, channels = pixels.shape
    gl.glPixelStorei(gl.GL_UNPACK_ALIGNMENT, 1)
    gl.glTexImage2D(target, 0, stored, width, height, 0, FORMATS[channels], gl.GL_UNSIGNED_BYTE, pointer(pixels))


def _grey(target: int, channels: int) -> None:
    """Spread one channel over three colours."""
    if channels <= 2:
        for setting in ("GREEN", "BLUE"):
            gl.glTexParameteri(target, getattr(gl, f"GL_TEXTURE_SWIZZLE_{setting[0]}"), gl.GL_RED)
        if channels == 2:
            gl.glTexParameteri(target, gl.GL_TEXTURE_SWIZZLE_A, gl.GL_GREEN)


def _flat(pixels: np.ndarray, stored: int) -> int:
    """A picture that repeats."""
    target = gl.GL_TEXTURE_2D
    name = texture(target, MIN_FILTER=gl.GL_LINEAR_MIPMAP_LINEAR, MAG_FILTER=gl.GL_LINEAR, WRAP_S=gl.GL_REPEAT, WRAP_T=gl.GL_REPEAT)
    _send(target, pixels, stored)
    _grey(target, pixels.shape[-1])
    gl.glGenerateMipmap(target)
    return name


def _cube(pixels: np.ndarray, stored: int) -> int:
    """Six faces, +x -x +y -y +z -z."""
    target, edge = gl.GL_TEXTURE_CUBE_MAP, gl.GL_CLAMP_TO_EDGE
    name = texture(target, MIN_FILTER=gl.GL_LINEAR_MIPMAP_LINEAR, MAG_FILTER=gl.GL_LINEAR, WRAP_S=edge, WRAP_T=edge, WRAP_R=edge)
    gl.glEnable(gl.GL_TEXTURE_CUBE_MAP_SEAMLESS)
    for face in range(6):
        _send(gl.GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, pixels[face], stored)
    _grey(target, pixels.shape[-1])
    gl.glGenerateMipmap(target)
    return name
