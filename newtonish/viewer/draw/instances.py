"""Instances in the graphics card's memory, in the order they are drawn in.

Opaque things are sorted by entry and material, so that everything of a kind is one draw call; the order is kept as long as the scene's
layout is the same, and then only poses are sent. Transparent things are sorted by their distance for every picture.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from pyglet import gl

from newtonish.viewer.draw.detail import CELLS, level_of
from newtonish.viewer.draw.meshes import Mesh, MeshStore, buffer, pointer
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
    """

    mesh: Mesh
    material: int
    first: int
    count: int


class InstanceSet:
    """Buffers for some of a scene's instances, and the batches they fall into."""

    def __init__(self) -> None:
        self._poses, self._looks, self._ids = buffer(), buffer(), buffer()
        self.rows = np.zeros(0, np.intp)
        self.batches: list[Batch] = []
        self._has_ids = False

    def arrange(
        self,
        shown: Instances,
        rows: np.ndarray,
        store: MeshStore,
        level: np.ndarray,
        opacity: np.ndarray | None = None,
        slack: np.ndarray | None = None,
        plain: bool = False,
    ) -> None:
        """Take rows in the given order; neighbours that look alike become batches.

        Args:
            shown: All instances.
            rows: Those to hold.
            store: The uploaded library.
            level: How coarse each of all instances is drawn.
            opacity: Factor on the opacity of each row, or None.
            slack: How far the drawn surface of each of all instances may lie below the true one [m], or None.
            plain: Whether materials make no difference.
        """
        self.rows, self._has_ids = rows, False
        entry, coarse = shown.triangles[rows], level[rows]
        material = np.full(len(rows), -1) if plain else shown.material[rows]
        change = np.flatnonzero(np.diff(entry) | np.diff(material) | np.diff(coarse)) + 1
        starts = np.concatenate(([0], change)) if len(rows) else change
        ends = np.concatenate((change, [len(rows)]))
        self.batches = [Batch(store.mesh(int(entry[a]), int(coarse[a])), int(material[a]), int(a), int(b - a)) for a, b in zip(starts, ends, strict=False)]
        slack = np.zeros((len(rows), 1)) if slack is None else slack[rows, None]
        parts = (shown.scale[rows], slack, shown.color[rows], shown.texture_scale[rows], shown.glow[rows, None])
        looks = np.concatenate(parts, axis=1, dtype=np.float32)
        if opacity is not None:
            looks[:, 7] *= opacity
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

    def draw(self, batch: Batch, ids: bool = False) -> None:
        """Draw a batch with the current program."""
        gl.glBindVertexArray(batch.mesh.vao)
        gl.glBindBuffer(gl.GL_ARRAY_BUFFER, self._poses)
        start = 48 * batch.first
        for row in range(3):
            gl.glVertexAttribPointer(3 + row, 4, gl.GL_FLOAT, gl.GL_FALSE, 48, start + 16 * row)
        gl.glBindBuffer(gl.GL_ARRAY_BUFFER, self._looks)
        for part in range(3):
            gl.glVertexAttribPointer(6 + part, 4, gl.GL_FLOAT, gl.GL_FALSE, 48, 48 * batch.first + 16 * part)
        if ids:
            gl.glBindBuffer(gl.GL_ARRAY_BUFFER, self._ids)
            gl.glEnableVertexAttribArray(9)
            gl.glVertexAttribIPointer(9, 2, gl.GL_INT, 8, 8 * batch.first)
        gl.glDrawElementsInstanced(gl.GL_TRIANGLES, batch.mesh.count, gl.GL_UNSIGNED_INT, None, batch.count)
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
    """A scene's instances: opaque, transparent, and those that throw shadows.

    Attributes:
        opaque: Sorted by entry, fineness and material.
        clear: Transparent things, the farthest first. Their opacity is that of being drawn twice, since MuJoCo draws them from
            both ends; planes seen from behind have three tenths of theirs.
        casters: What throws shadows, sorted by entry and fineness.
        centers, radii: (n, 3) and (n,) spheres around all instances.
        throwing: Rows that throw shadows.
    """

    def __init__(self) -> None:
        self.opaque, self.clear, self.casters = InstanceSet(), InstanceSet(), InstanceSet()
        self._key: tuple | None = None
        self._shadow_key: tuple | None = None

    def update(self, scene: Scene, store: MeshStore, height: int, cell: float) -> None:
        """Sort and send what has changed since the last picture.

        Args:
            scene: The scene.
            store: The uploaded library.
            height: Of the picture [pixels].
            cell: How coarse meshes may be [pixels]; 0: not at all.
        """
        shown, camera = scene.instances, scene.camera
        flat = store.flat[shown.triangles]
        self.centers, self.radii = store.spheres(shown)
        behind = flat & (np.einsum("ni,ni->n", camera.position - shown.position, shown.rotation[:, :, 2]) < 0)
        transparent = (shown.color[:, 3] < OPAQUE) | behind
        level = self._levels(scene, store, height, cell)
        key = (id(scene.library), shown.layout, len(shown), transparent.tobytes(), level.tobytes())
        if key != self._key:
            rows = np.flatnonzero(~transparent)
            order = np.lexsort((shown.material[rows], level[rows], shown.triangles[rows], flat[rows]))  # what hides most is drawn last
            self.opaque.arrange(shown, rows[order], store, level, slack=self._slack(level))
            self._key = key
        self.opaque.place(shown)

        rows = np.flatnonzero(transparent & (shown.color[:, 3] > 0))
        if len(rows) or len(self.clear.rows):
            distance = np.linalg.norm(shown.position[rows] - camera.position, axis=1)
            rows = rows[np.lexsort((-distance, ~flat[rows]))]  # planes are behind everything
            opacity = np.where(behind[rows], 0.3, 1.0) * shown.color[rows, 3]
            twice = 1 - (1 - opacity) ** 2
            self.clear.arrange(shown, rows, store, level, (twice / shown.color[rows, 3]).astype(np.float32))
            self.clear.place(shown)
        self.throwing = np.flatnonzero(shown.shadow & ~flat)

    def _levels(self, scene: Scene, store: MeshStore, height: int, cell: float) -> np.ndarray:
        """How coarse each instance may be drawn where it is."""
        shown, camera = scene.instances, scene.camera
        finest = np.full(len(shown), len(CELLS))
        if cell <= 0:
            return finest
        if camera.orthographic:
            away = np.ones(len(shown))
        else:
            away = np.maximum((self.centers - camera.position) @ camera.forward - self.radii, camera.near)
        size = 2 * self.radii / away * height / camera.height
        return np.where(store.many[shown.triangles], level_of(size, cell), finest)

    def _slack(self, level: np.ndarray) -> np.ndarray:
        """A quarter of a cell of each coarse copy [m]."""
        return np.append(0.5 / np.array(CELLS), 0.0)[level] * self.radii

    def update_casters(self, scene: Scene, store: MeshStore, width: np.ndarray, cell: float) -> None:
        """Sort and send what throws shadows into pictures whose pixels are ``width`` metres wide at each instance, (n,)."""
        shown, rows = scene.instances, self.throwing
        level = np.full(len(shown), len(CELLS))
        if cell > 0:
            level = np.where(store.many[shown.triangles], level_of(2 * self.radii / np.maximum(width, 1e-9), cell), level)
        key = (id(scene.library), shown.layout, len(shown), rows.tobytes(), level.tobytes())
        if key != self._shadow_key:
            order = np.lexsort((level[rows], shown.triangles[rows]))
            self.casters.arrange(shown, rows[order], store, level, plain=True)
            self._shadow_key = key
        self.casters.place(shown)

    def close(self) -> None:
        """Free the buffers."""
        for drawn in (self.opaque, self.clear, self.casters):
            drawn.close()
