"""The library's triangles in the graphics card's memory, and the drawing of many instances of one entry."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

import numpy as np
from pyglet import gl

from newtonish.viewer.scene import Triangles

__all__ = ["Mesh", "MeshStore", "buffer", "pointer"]


def buffer() -> int:
    """A new buffer's name."""
    name = gl.GLuint()
    gl.glGenBuffers(1, name)
    return name.value


def pointer(array: np.ndarray):
    """An array's address, as OpenGL's functions take it."""
    return array.ctypes.data_as(ctypes.c_void_p)


@dataclass
class Mesh:
    """One entry, uploaded.

    Attributes:
        vao: Vertex array with the corners at the locations 0 to 2; instances use 3 to 9.
        count: Number of indices.
        explicit_uv: Whether the entry has texture coordinates.
        capped: As the entry's.
        flat: It lies in the plane z = 0 and faces z, so it is seen from behind as well, but shines through.
        center, radius: A sphere around its corners, before the instance's scale.
        version: Of the entry when it was uploaded.
    """

    vao: int
    vertices: int
    indices: int
    count: int
    explicit_uv: bool
    capped: bool
    flat: bool
    center: np.ndarray
    radius: float
    version: int


class MeshStore:
    """Uploads what a library has gained or changed since the last look.

    A library that is another list than the last one begins anew.
    """

    def __init__(self) -> None:
        self.meshes: list[Mesh] = []
        self._library: list[Triangles] | None = None

    def update(self, library: list[Triangles]) -> None:
        """Make ``meshes`` the uploaded form of ``library``."""
        if library is not self._library:
            self.close()
            self._library = library
        for row, entry in enumerate(library):
            if row >= len(self.meshes):
                self.meshes.append(_upload(entry))
            elif self.meshes[row].version != entry.version:
                _fill(self.meshes[row], entry)

    def close(self) -> None:
        """Free everything."""
        for mesh in self.meshes:
            gl.glDeleteVertexArrays(1, gl.GLuint(mesh.vao))
            gl.glDeleteBuffers(2, (gl.GLuint * 2)(mesh.vertices, mesh.indices))
        self.meshes = []
        self._library = None


def _upload(entry: Triangles) -> Mesh:
    """A new vertex array with buffers for one entry."""
    vao = gl.GLuint()
    gl.glGenVertexArrays(1, vao)
    mesh = Mesh(vao.value, buffer(), buffer(), 0, False, False, False, np.zeros(3), 0.0, 0)
    gl.glBindVertexArray(mesh.vao)
    gl.glBindBuffer(gl.GL_ARRAY_BUFFER, mesh.vertices)
    for location, size, offset in ((0, 3, 0), (1, 3, 12), (2, 2, 24)):
        gl.glEnableVertexAttribArray(location)
        gl.glVertexAttribPointer(location, size, gl.GL_FLOAT, gl.GL_FALSE, 32, offset)
    for location in range(3, 9):
        gl.glEnableVertexAttribArray(location)
    for location in range(3, 10):
        gl.glVertexAttribDivisor(location, 1)
    gl.glBindBuffer(gl.GL_ELEMENT_ARRAY_BUFFER, mesh.indices)
    _fill(mesh, entry)
    return mesh


def _fill(mesh: Mesh, entry: Triangles) -> None:
    """The entry's numbers into its buffers, and what is derived from them."""
    positions = np.asarray(entry.positions, np.float32).reshape(-1, 3)
    corners = np.zeros((len(positions), 8), np.float32)
    corners[:, :3], corners[:, 3:6] = positions, entry.normals
    if entry.uvs is not None:
        corners[:, 6:] = entry.uvs
    indices = np.ascontiguousarray(entry.indices, np.uint32)
    gl.glBindVertexArray(mesh.vao)
    gl.glBindBuffer(gl.GL_ARRAY_BUFFER, mesh.vertices)
    gl.glBufferData(gl.GL_ARRAY_BUFFER, corners.nbytes, pointer(corners), gl.GL_STATIC_DRAW)
    gl.glBufferData(gl.GL_ELEMENT_ARRAY_BUFFER, indices.nbytes, pointer(indices), gl.GL_STATIC_DRAW)
    mesh.count, mesh.version = indices.size, entry.version
    mesh.explicit_uv, mesh.capped = entry.uvs is not None, bool(entry.capped)
    mesh.flat = bool(len(positions)) and not positions[:, 2].any() and bool((corners[:, 5] > 0.999).all())
    if len(positions):
        mesh.center = 0.5 * (positions.min(axis=0) + positions.max(axis=0))
        mesh.radius = float(np.linalg.norm(positions - mesh.center, axis=1).max())
