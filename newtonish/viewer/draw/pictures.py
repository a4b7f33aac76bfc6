"""Pictures over a scene: each a rectangle of pixels, uploaded when it has changed."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from pyglet import gl

from newtonish.viewer.draw import shaders
from newtonish.viewer.draw.meshes import buffer, pointer
from newtonish.viewer.draw.program import Program
from newtonish.viewer.draw.textures import texture

__all__ = ["Pictures"]

FORMATS = {3: gl.GL_RGB, 4: gl.GL_RGBA}


class Pictures:
    """Draws named pictures into rectangles of whatever framebuffer is bound."""

    def __init__(self) -> None:
        self._program = Program(shaders.FLAT_VERTEX, shaders.PICTURE_FRAGMENT)
        self._textures: dict[str, tuple[int, int]] = {}
        vao = gl.GLuint()
        gl.glGenVertexArrays(1, vao)
        self._vao, self._buffer = vao.value, buffer()
        gl.glBindVertexArray(self._vao)
        gl.glBindBuffer(gl.GL_ARRAY_BUFFER, self._buffer)
        for location, offset in ((0, 0), (1, 8)):
            gl.glEnableVertexAttribArray(location)
            gl.glVertexAttribPointer(location, 2, gl.GL_FLOAT, gl.GL_FALSE, 16, offset)
        gl.glBindVertexArray(0)

    def draw(self, width: int, height: int, placed: Iterable[tuple[str, np.ndarray, int, tuple[float, float, float, float]]]) -> None:
        """Draw over a picture of this size.

        Args:
            width, height: Of the framebuffer [pixels].
            placed: Name, (h, w, 3 or 4) uint8, version, and x, y, width, height [pixels from the upper left corner] of each.
        """
        for name, pixels, version, (x, y, across, down) in placed:
            self._upload(name, pixels, version)
            corners = np.array([(x + across * u, y + down * v, u, v) for u, v in ((0, 0), (1, 0), (0, 1), (1, 1))], np.float32)
            gl.glBindBuffer(gl.GL_ARRAY_BUFFER, self._buffer)
            gl.glBufferData(gl.GL_ARRAY_BUFFER, corners.nbytes, pointer(corners), gl.GL_DYNAMIC_DRAW)
            gl.glDisable(gl.GL_DEPTH_TEST)
            gl.glDisable(gl.GL_CULL_FACE)
            gl.glEnable(gl.GL_BLEND)
            gl.glBlendFunc(gl.GL_SRC_ALPHA, gl.GL_ONE_MINUS_SRC_ALPHA)
            self._program.use().set(pixels=np.array([width, height], float), image=0)
            gl.glActiveTexture(gl.GL_TEXTURE0)
            gl.glBindTexture(gl.GL_TEXTURE_2D, self._textures[name][0])
            gl.glBindVertexArray(self._vao)
            gl.glDrawArrays(gl.GL_TRIANGLE_STRIP, 0, 4)
            gl.glBindVertexArray(0)
            gl.glDisable(gl.GL_BLEND)

    def _upload(self, name: str, pixels: np.ndarray, version: int) -> None:
        known, sent = self._textures.get(name, (0, -1))
        if sent == version:
            return
        edge = gl.GL_CLAMP_TO_EDGE
        known = known or texture(gl.GL_TEXTURE_2D, MIN_FILTER=gl.GL_LINEAR, MAG_FILTER=gl.GL_NEAREST, WRAP_S=edge, WRAP_T=edge)
        gl.glBindTexture(gl.GL_TEXTURE_2D, known)
        gl.glPixelStorei(gl.GL_UNPACK_ALIGNMENT, 1)
        pixels = np.ascontiguousarray(pixels, np.uint8)
        height, width, channels = pixels.shape
        gl.glTexImage2D(gl.GL_TEXTURE_2D, 0, gl.GL_RGBA8, width, height, 0, FORMATS[channels], gl.GL_UNSIGNED_BYTE, pointer(pixels))
        self._textures[name] = known, version

    def close(self) -> None:
        """Free them."""
        self._program.close()
        for name, _ in self._textures.values():
            gl.glDeleteTextures(1, gl.GLuint(name))
        gl.glDeleteVertexArrays(1, gl.GLuint(self._vao))
        gl.glDeleteBuffers(1, gl.GLuint(self._buffer))
        self._textures = {}
