"""The instances of a scene in batches, as a browser draws them: one mesh with its looks, and where its copies stand.

Copies of a mesh without a picture differ in place, size, colour and opacity; a mesh with a picture is a batch for each colour and size of
the picture. Capsules, whose caps keep their shape, are drawn as a tube and two caps.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from newtonish.viewer.scene.arrays import Instances, Scene, Triangles
from newtonish.viewer.scene.library import BUILT_IN

__all__ = ["Batch", "Batches", "part_of", "quaternions"]

WHOLE, TUBE, UPPER, LOWER = range(4)
"""Which part of its mesh a batch draws."""

_FLAT = [BUILT_IN["plane"], BUILT_IN["ground"]]
"""What throws no shadows in a browser: on itself it would, in stripes."""


@dataclass
class Batch:
    """One mesh and its copies.

    Attributes:
        key: What it is called as long as the same mesh has the same looks.
        entry: Its triangles in the scene's library.
        part: All of them, or a part of a capsule.
        material: Row of ``Scene.materials`` whose picture it has, -1 for none.
        texture_scale: (3,) of the picture, as in ``Instances``.
        transparent: Whether one sees through it.
        shadow: Whether it throws one.
        position, quaternion, scale: (n, 3), (n, 4) w x y z and (n, 3) of the copies, float32.
        color: (n, 4) uint8.
    """

    key: str
    entry: int
    part: int
    material: int
    texture_scale: np.ndarray
    transparent: bool
    shadow: bool
    position: np.ndarray
    quaternion: np.ndarray
    scale: np.ndarray
    color: np.ndarray


class Batches:
    """Sorts scenes into batches; how rows are sorted is kept as long as the scene's layout is."""

    def __init__(self) -> None:
        self._layout: int | None = None
        self._groups: list[tuple[Batch, np.ndarray]] = []

    def of(self, scene: Scene) -> list[Batch]:
        """The batches of a scene."""
        shown = scene.instances
        if shown.layout != self._layout:
            self._layout, self._groups = shown.layout, _sort(scene)
        turned = quaternions(shown.rotation)
        return [_placed(group, shown, rows, turned[rows]) for group, rows in self._groups]

    def row(self, key: str, copy: int) -> int:
        """Row of the scene's instances that a copy of a batch is; -1: there is no such any more."""
        rows = next((rows for group, rows in self._groups if group.key == key), ())
        return int(rows[copy]) if 0 <= copy < len(rows) else -1


def _sort(scene: Scene) -> list[tuple[Batch, np.ndarray]]:
    """Rows that belong together, and what they have in common."""
    shown = scene.instances
    if not len(shown):
        return []
    pictures = np.array([-1, *(at if one.texture >= 0 else -1 for at, one in enumerate(scene.materials))])
    material = pictures[shown.material + 1]
    color = _colors(shown, pictures[shown.material + 1] < 0)
    common = np.zeros((len(shown), 11), dtype=np.float64)
    common[:, 0], common[:, 1], common[:, 2] = shown.triangles, material, color[:, 3] < 255
    common[:, 10] = shown.shadow & ~np.isin(shown.triangles, _FLAT)
    pictured = material >= 0
    common[pictured, 3:6] = shown.texture_scale[pictured]
    common[pictured, 6:10] = color[pictured]
    _, first, which = np.unique(common, axis=0, return_index=True, return_inverse=True)
    groups = []
    for number, row in enumerate(first.tolist()):
        rows = np.flatnonzero(which.reshape(-1) == number)
        entry = int(shown.triangles[row])
        name = f"{entry} {scene.library[entry].name} {' '.join(f'{value:g}' for value in common[row, 1:])}"
        for part in (TUBE, UPPER, LOWER) if scene.library[entry].capped else (WHOLE,):
            batch = Batch(f"{name} {part}", entry, part, int(material[row]), shown.texture_scale[row], bool(common[row, 2]), bool(common[row, 10]),
                          shown.position[rows], np.zeros((len(rows), 4), np.float32), shown.scale[rows], color[rows])  # fmt: skip
            if part in (UPPER, LOWER):
                batch.scale = batch.scale[:, [0, 1, 0]]
            groups.append((batch, rows))
    return groups


def _colors(shown: Instances, plain: np.ndarray) -> np.ndarray:
    """(n, 4) uint8; what glows is lighter, where it has no picture: another colour would be another mesh, which nobody has hold of any more."""
    color = shown.color.astype(np.float64)
    color[:, :3] += (1.0 - color[:, :3]) * (np.clip(shown.glow, 0.0, 1.0) * plain)[:, None]
    return np.round(255 * np.clip(color, 0.0, 1.0)).astype(np.uint8)


def _placed(batch: Batch, shown: Instances, rows: np.ndarray, turned: np.ndarray) -> Batch:
    """The batch where its copies are now."""
    position = shown.position[rows]
    if batch.part in (UPPER, LOWER):
        side = 1.0 if batch.part == UPPER else -1.0
        position = position + shown.rotation[rows][:, :, 2] * (side * shown.scale[rows, 2:])
    return replace(batch, position=position, quaternion=turned)


def part_of(triangles: Triangles, part: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Corners as they are drawn, their rows in the entry, and triangles of a part of an entry."""
    corners, indices = triangles.positions, triangles.indices
    if part == WHOLE:
        return corners, np.arange(len(corners)), indices
    height = corners[indices][:, :, 2]
    middle = height.mean(axis=1)
    belongs = np.abs(middle) <= 1.0 if part == TUBE else middle > 1.0 if part == UPPER else middle < -1.0
    used, renumbered = np.unique(indices[belongs], return_inverse=True)
    shift = {TUBE: 0.0, UPPER: -1.0, LOWER: 1.0}[part]
    return corners[used] + np.array([0.0, 0.0, shift], np.float32), used, renumbered.reshape(-1, 3).astype(np.int32)


def quaternions(rotations: np.ndarray) -> np.ndarray:
    """(n, 4) float32, w x y z, of rotations (n, 3, 3); by the largest of the four, so that none is divided by what is near zero."""
    r = rotations.astype(np.float64)
    trace = r[:, 0, 0] + r[:, 1, 1] + r[:, 2, 2]
    squares = np.stack([trace, *(2.0 * r[:, i, i] - trace for i in range(3))], axis=1) + 1.0  # four times w^2, x^2, y^2, z^2
    products = np.empty((len(r), 4, 4))
    for i in range(4):
        products[:, i, i] = squares[:, i]
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        products[:, 0, i + 1] = products[:, i + 1, 0] = r[:, k, j] - r[:, j, k]
        products[:, i + 1, j + 1] = products[:, j + 1, i + 1] = r[:, i, j] + r[:, j, i]
    best = products[np.arange(len(r)), np.argmax(squares, axis=1)]
    return (best / np.maximum(np.linalg.norm(best, axis=1, keepdims=True), 1e-30)).astype(np.float32)
