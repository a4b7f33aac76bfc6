"""Puts what :class:`newtonish.viewer.ui.canvas.Canvas` has collected over a picture: one draw call."""

from __future__ import annotations

import numpy as np
from pyglet import gl

from newtonish.viewer.draw import shaders
from newtonish.viewer.draw.meshes import buffer, pointer
from newtonish.viewer.draw.program import Program
from newtonish.viewer.draw.textures import texture

__all__ = ["Overlay"]


class Overlay:
    """Draws triangles in pixels over whatever framebuffer is bound.

    Args:
        letters: (h, w) uint8 opacity that the triangles are cut from.
    """

    def __init__(self, letters: np.ndarray) -> None:
        self._program = Program(shaders.FLAT_VERTEX, shaders.FLAT_FRAGMENT)
        self._texture = texture(gl.GL_TEXTURE_2D, MIN_FILTER=gl.GL_LINEAR, MAG_FILTER=gl.GL_LINEAR)
        letters = np.ascontiguousarray(letters, np.uint8)
        gl.glPixelStorei(gl.GL_UNPACK_ALIGNMENT, 1)
        height, width = letters.shape
        gl.glTexImage2D(gl.GL_TEXTURE_2D, 0, gl.GL_R8, width, height, 0, gl.GL_RED, gl.GL_UNSIGNED_BYTE, pointer(letters))
        vao = gl.GLuint()
        gl.glGenVertexArrays(1, vao)
        self._vao, self._buffer, self._count = vao.value, buffer(), 0
        gl.glBindVertexArray(self._vao)
        gl.glBindBuffer(gl.GL_ARRAY_BUFFER, self._buffer)
        for location, size, offset in ((0, 2, 0), (1, 2, 8), (2, 4, 16)):
            gl.glEnableVertexAttribArray(location)
            gl.glVertexAttribPointer(location, size, gl.GL_FLOAT, gl.GL_FALSE, 32, offset)
        gl.glBindVertexArray(0)

    def update(self, vertices: np.ndarray) -> None:
        """Take other triangles: (n, 8) float32 of place [pixels from the upper left corner], place in the letters, colour."""
        vertices = np.ascontiguousarray(vertices, np.float32)
        self._count = len(vertices)
        gl.glBindBuffer(gl.GL_ARRAY_BUFFER, self._buffer)
        gl.glBufferData(gl.GL_ARRAY_BUFFER, vertices.nbytes, pointer(vertices), gl.GL_DYNAMIC_DRAW)

    def draw(self, width: int, height: int) -> None:
        """Draw them over a picture of this size."""
        if not self._count:
            return
        gl.glDisable(gl.GL_DEPTH_TEST)
        gl.glDisable(gl.GL_CULL_FACE)
        gl.glEnable(gl.GL_BLEND)
        gl.glBlendFunc(gl.GL_SRC_ALPHA, gl.GL_ONE_MINUS_SRC_ALPHA)
        self._program.use().set(pixels=np.array([width, height], float), glyphs=0)
        gl.glActiveTexture(gl.GL_TEXTURE0)
        gl.glBindTexture(gl.GL_TEXTURE_2D, self._texture)
        gl.glBindVertexArray(self._vao)
        gl.glDrawArrays(gl.GL_TRIANGLES, 0, self._count)
        gl.glBindVertexArray(0)
        gl.glDisable(gl.GL_BLEND)

    def close(self) -> None:
        """Free it."""
        self._program.close()
        gl.glDeleteTextures(1, gl.GLuint(self._texture))
        gl.glDeleteVertexArrays(1, gl.GLuint(self._vao))
        gl.glDeleteBuffers(1, gl.GLuint(self._buffer))
