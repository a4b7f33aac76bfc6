"""Instances in the graphics card's memory, in the order they are drawn in.

Opaque things are sorted by entry and material, so that everything of a kind is one draw call; the order is kept as long as the scene's
layout is the same, and then only poses are sent. Transparent things are sorted by their distance for every picture.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from pyglet import gl

from newtonish.viewer.draw.meshes import Mesh, buffer, pointer
from newtonish.viewer.scene import Instances, Scene

__all__ = ["Batch", "Batches", "InstanceSet"]

OPAQUE = 0.995
"""From this opacity on a thing hides what is behind it, as in MuJoCo's renderer."""


@dataclass
class Batch:
    """Neighbouring instances of one entry and one material.

    Attributes:
        mesh: The entry.
        material: Row of the scene's materials, -1 for none.
        first: Row of its first instance.
        count: Number of its instances.
        casters: How many of them, from the first, throw shadows.
    """

    mesh: Mesh
    material: int
    first: int
    count: int
    casters: int


class InstanceSet:
    """Buffers for some of a scene's instances, and the batches they fall into."""

    def __init__(self) -> None:
        self._poses, self._looks, self._ids = buffer(), buffer(), buffer()
        self.rows = np.zeros(0, np.intp)
        self.batches: list[Batch] = []
        self._has_ids = False

    def arrange(self, shown: Instances, rows: np.ndarray, meshes: list[Mesh], behind: np.ndarray | None = None) -> None:
        """Take rows in the given order; neighbours that look alike become batches.

        Args:
            shown: All instances.
            rows: Those to hold.
            meshes: The uploaded library.
            behind: Factor on the opacity of each row, or None.
        """
        self.rows, self._has_ids = rows, False
        entry, material = shown.triangles[rows], shown.material[rows]
        change = np.flatnonzero(np.diff(entry) | np.diff(material)) + 1
        starts = np.concatenate(([0], change)) if len(rows) else change
        ends = np.concatenate((change, [len(rows)]))
        casters = np.concatenate(([0], np.cumsum(shown.shadow[rows])))
        self.batches = [
            Batch(meshes[entry[a]], int(material[a]), int(a), int(b - a), 0 if meshes[entry[a]].flat else int(casters[b] - casters[a]))
            for a, b in zip(starts, ends, strict=False)
        ]
        parts = (shown.scale[rows], shown.color[rows], shown.texture_scale[rows], shown.glow[rows, None])
        looks = np.concatenate(parts, axis=1, dtype=np.float32)
        if behind is not None:
            looks[:, 6] *= behind
        _send(self._looks, looks)

    def place(self, shown: Instances) -> None:
        """Send where the held instances are now."""
        poses = np.empty((len(self.rows), 3, 4), np.float32)
        poses[:, :, :3] = shown.rotation[self.rows]
        poses[:, :, 3] = shown.position[self.rows]
        _send(self._poses, poses)

    def identify(self, shown: Instances) -> None:
        """Send what the held instances stand for."""
        if not self._has_ids:
            _send(self._ids, np.stack([shown.kind[self.rows], shown.index[self.rows]], axis=1).astype(np.int32))
            self._has_ids = True

    def draw(self, batch: Batch, count: int | None = None, ids: bool = False) -> None:
        """Draw a batch, or its first ``count`` instances, with the current program."""
        gl.glBindVertexArray(batch.mesh.vao)
        gl.glBindBuffer(gl.GL_ARRAY_BUFFER, self._poses)
        start = 48 * batch.first
        for row in range(3):
            gl.glVertexAttribPointer(3 + row, 4, gl.GL_FLOAT, gl.GL_FALSE, 48, start + 16 * row)
        gl.glBindBuffer(gl.GL_ARRAY_BUFFER, self._looks)
        start = 44 * batch.first
        gl.glVertexAttribPointer(6, 3, gl.GL_FLOAT, gl.GL_FALSE, 44, start)
        gl.glVertexAttribPointer(7, 4, gl.GL_FLOAT, gl.GL_FALSE, 44, start + 12)
        gl.glVertexAttribPointer(8, 4, gl.GL_FLOAT, gl.GL_FALSE, 44, start + 28)
        if ids:
            gl.glBindBuffer(gl.GL_ARRAY_BUFFER, self._ids)
            gl.glEnableVertexAttribArray(9)
            gl.glVertexAttribIPointer(9, 2, gl.GL_INT, 8, 8 * batch.first)
        number = batch.count if count is None else count
        gl.glDrawElementsInstanced(gl.GL_TRIANGLES, batch.mesh.count, gl.GL_UNSIGNED_INT, None, number)
        if ids:
            gl.glDisableVertexAttribArray(9)

    def close(self) -> None:
        """Free the buffers."""
        gl.glDeleteBuffers(3, (gl.GLuint * 3)(self._poses, self._looks, self._ids))


def _send(name: int, array: np.ndarray) -> None:
    """Replace a buffer's contents."""
    array = np.ascontiguousarray(array)
    gl.glBindBuffer(gl.GL_ARRAY_BUFFER, name)
    gl.glBufferData(gl.GL_ARRAY_BUFFER, array.nbytes, pointer(array), gl.GL_STREAM_DRAW)


class Batches:
    """A scene's instances, opaque and transparent.

    Attributes:
        opaque: Sorted by entry and material.
        clear: Transparent things, the farthest first. Their opacity is that of being drawn twice, since MuJoCo draws them from
            both ends; planes seen from behind have three tenths of theirs.
    """

    def __init__(self) -> None:
        self.opaque, self.clear = InstanceSet(), InstanceSet()
        self._key: tuple | None = None

    def update(self, scene: Scene, meshes: list[Mesh]) -> None:
        """Sort and send what has changed since the last picture."""
        shown, camera = scene.instances, scene.camera
        flat = np.array([mesh.flat for mesh in meshes], bool)[shown.triangles] if len(shown) else np.zeros(0, bool)
        behind = flat & (np.einsum("ni,ni->n", camera.position - shown.position, shown.rotation[:, :, 2]) < 0)
        transparent = (shown.color[:, 3] < OPAQUE) | behind
        key = (id(scene.library), shown.layout, len(shown), transparent.tobytes())
        if key != self._key:
            rows = np.flatnonzero(~transparent)
            order = np.lexsort((~shown.shadow[rows], shown.material[rows], shown.triangles[rows]))
            self.opaque.arrange(shown, rows[order], meshes)
            self._key = key
        self.opaque.place(shown)

        rows = np.flatnonzero(transparent & (shown.color[:, 3] > 0))
        if len(rows) or len(self.clear.rows):
            distance = np.linalg.norm(shown.position[rows] - camera.position, axis=1)
            rows = rows[np.lexsort((-distance, ~flat[rows]))]  # planes are behind everything
            opacity = np.where(behind[rows], 0.3, 1.0) * shown.color[rows, 3]
            twice = 1 - (1 - opacity) ** 2
            self.clear.arrange(shown, rows, meshes, (twice / shown.color[rows, 3]).astype(np.float32))
            self.clear.place(shown)

    def close(self) -> None:
        """Free the buffers."""
        self.opaque.close()
        self.clear.close()
