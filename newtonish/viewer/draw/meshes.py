"""The library's triangles in the graphics card's memory, and the drawing of many instances of one entry."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

import numpy as np
from pyglet import gl

from newtonish.viewer.draw.detail import CELLS, FEW, coarser
from newtonish.viewer.scene import Instances, Triangles

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

    A library that is another list than the last one starts over.

    Attributes:
        meshes: The uploaded entries.
        centers, radii: (n, 3) and (n,) spheres around them, before an instance's scale.
        flat, many: (n,) whether they are planes, and whether they have so many triangles that coarser copies pay.
    """

    def __init__(self) -> None:
        self.meshes: list[Mesh] = []
        self._coarse: dict[tuple[int, int], Mesh] = {}
        self._library: list[Triangles] | None = None

    def update(self, library: list[Triangles]) -> None:
        """Make ``meshes`` the uploaded form of ``library``."""
        if library is not self._library:
            self.close()
            self._library = library
        changed = False
        for row, entry in enumerate(library):
            if row >= len(self.meshes):
                self.meshes.append(_upload(entry))
            elif self.meshes[row].version != entry.version:
                _fill(self.meshes[row], entry)
                for level in range(len(CELLS)):
                    self._free(self._coarse.pop((row, level), None))
            else:
                continue
            changed = True
        if changed:
            self.centers = np.array([mesh.center for mesh in self.meshes]).reshape(-1, 3)
            self.radii = np.array([mesh.radius for mesh in self.meshes])
            self.flat = np.array([mesh.flat for mesh in self.meshes], bool)
            # what changes in place would be simplified again for every picture
            self.many = np.array([mesh.count > 3 * FEW and mesh.version == 0 for mesh in self.meshes], bool)

    def mesh(self, row: int, level: int) -> Mesh:
        """An entry, or its coarser copy of one of the levels of :mod:`newtonish.viewer.draw.detail`."""
        if level >= len(CELLS) or not self.many[row]:
            return self.meshes[row]
        if (row, level) not in self._coarse:
            self._coarse[row, level] = _upload(coarser(self._library[row], CELLS[level]))
        return self._coarse[row, level]

    def spheres(self, shown: Instances) -> tuple[np.ndarray, np.ndarray]:
        """(n, 3) and (n,) spheres around instances, in the world."""
        entry = shown.triangles
        middle = np.einsum("nij,nj->ni", shown.rotation, self.centers[entry] * shown.scale) + shown.position
        return middle, self.radii[entry] * np.abs(shown.scale).max(axis=1)

    def close(self) -> None:
        """Free everything."""
        for mesh in (*self.meshes, *self._coarse.values()):
            self._free(mesh)
        self.meshes, self._coarse, self._library = [], {}, None

    @staticmethod
    def _free(mesh: Mesh | None) -> None:
        if mesh is not None:
            gl.glDeleteVertexArrays(1, gl.GLuint(mesh.vao))
            gl.glDeleteBuffers(2, (gl.GLuint * 2)(mesh.vertices, mesh.indices))


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
