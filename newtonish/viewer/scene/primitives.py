"""Triangles of the built-in shapes, of unit size: what :class:`Library` begins with.

Pictures lie on them as MuJoCo lays them: once around and once from top to bottom, on flat faces once across; u counts to the east from +x,
v downwards.
"""

from __future__ import annotations

import numpy as np

from newtonish.viewer.scene.arrays import Triangles

__all__ = ["arrow", "arrow_both", "arrow_plain", "box", "capsule", "cone", "cylinder", "ground", "plane", "sphere"]

SLICES, STACKS = 28, 16
"""Pieces around and from pole to pole, MuJoCo's defaults."""
SHAFT, TIP, WEDGE = 1.0 / 3.0, 0.5, 1.75
"""Of an arrow of length one the shaft ends at a third and the tip at a half, as MuJoCo draws it; its head is wider by the last."""


Patch = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
"""Positions, normals, triangles and texture coordinates."""


def _join(name: str, *patches: Patch, **more: bool) -> Triangles:
    """Join patches, each with corners of its own, so that edges between them are sharp."""
    positions, normals, indices, uvs = zip(*patches)
    offsets = np.cumsum([0] + [len(part) for part in positions[:-1]])
    return Triangles(
        np.ascontiguousarray(np.concatenate(positions), dtype=np.float32),
        np.ascontiguousarray(np.concatenate(normals), dtype=np.float32),
        np.ascontiguousarray(np.concatenate([part + at for part, at in zip(indices, offsets)]), dtype=np.int32),
        np.ascontiguousarray(np.concatenate(uvs), dtype=np.float32),
        name=name,
        **more,
    )


def _grid(rows: int, columns: int) -> np.ndarray:
    """Triangles between ``rows`` rings of ``columns`` corners each, outward where rings go up and corners counter-clockwise."""
    row, column = np.meshgrid(np.arange(rows - 1), np.arange(columns - 1), indexing="ij")
    first = (row * columns + column).reshape(-1)
    below, above = [first, first + 1, first + columns + 1], [first, first + columns + 1, first + columns]
    return np.concatenate([np.stack(below, axis=1), np.stack(above, axis=1)])


def _around() -> np.ndarray:
    """Cosine and sine of the slices, the first again at the end, (SLICES + 1, 2)."""
    angle = 2 * np.pi * np.arange(SLICES + 1) / SLICES
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)


def _lathe(radius: np.ndarray, height: np.ndarray, slope: np.ndarray, v: np.ndarray | None = None) -> Patch:
    """Surface of revolution: radius, height and z of the normal of each ring, upwards; and v, from 1 to 0 if it is not given."""
    circle = _around()
    rings = len(radius)
    positions = np.empty((rings, len(circle), 3))
    positions[..., :2] = np.asarray(radius)[:, None, None] * circle
    positions[..., 2] = np.asarray(height)[:, None]
    slope = np.asarray(slope, dtype=float)
    normals = np.empty_like(positions)
    normals[..., :2] = np.sqrt(1.0 - slope**2)[:, None, None] * circle
    normals[..., 2] = slope[:, None]
    uvs = np.empty((rings, len(circle), 2))
    uvs[..., 0] = np.arange(len(circle)) / SLICES
    uvs[..., 1] = (np.linspace(1.0, 0.0, rings) if v is None else v)[:, None]
    return positions.reshape(-1, 3), normals.reshape(-1, 3), _grid(rings, len(circle)), uvs.reshape(-1, 2)


def _disc(height: float, up: float, radius: float = 1.0) -> Patch:
    """A flat lid."""
    circle = _around()[:-1] * radius
    positions = np.zeros((SLICES + 1, 3))
    positions[1:, :2] = circle
    positions[:, 2] = height
    around = np.arange(SLICES)
    following = (around + 1) % SLICES
    fan = [np.zeros(SLICES, dtype=int), around + 1, following + 1]
    indices = np.stack(fan if up > 0 else [fan[0], fan[2], fan[1]], axis=1)
    return positions, np.tile([0.0, 0.0, up], (SLICES + 1, 1)), indices, 0.5 + 0.5 * positions[:, :2] / radius


def _ring(height: float, inner: float, outer: float) -> Patch:
    """A flat ring that faces down."""
    circle = _around()
    positions = np.zeros((2, len(circle), 3))
    positions[:, :, :2] = np.array([outer, inner])[:, None, None] * circle
    positions[..., 2] = height
    normals, uvs = np.tile([0.0, 0.0, -1.0], (2 * len(circle), 1)), 0.5 + 0.5 * positions[..., :2].reshape(-1, 2) / outer
    return positions.reshape(-1, 3), normals, _grid(2, len(circle))[:, ::-1], uvs


def sphere() -> Triangles:
    """Radius one."""
    angle = np.linspace(-0.5 * np.pi, 0.5 * np.pi, STACKS + 1)
    return _join("sphere", _lathe(np.cos(angle), np.sin(angle), np.sin(angle)))


def capsule() -> Triangles:
    """Radius one, half length one, with caps beyond; ``capped``, so that the caps stay hemispheres in any proportion."""
    up = np.linspace(0.0, 0.5 * np.pi, STACKS // 2 + 1)
    angle = np.concatenate([-up[::-1], up])
    height = np.sin(angle) + np.repeat([-1.0, 1.0], len(up))
    share = up / (0.5 * np.pi)
    below, above = slice(0, len(up)), slice(len(up), None)
    return _join(
        "capsule",
        _lathe(np.cos(angle[below]), height[below], np.sin(angle[below]), share[::-1]),
        _lathe(np.ones(2), np.array([-1.0, 1.0]), np.zeros(2)),
        _lathe(np.cos(angle[above]), height[above], np.sin(angle[above]), 1.0 - share),
        capped=True,
    )


def cylinder() -> Triangles:
    """Radius one, half height one."""
    return _join("cylinder", _lathe(np.ones(2), np.array([-1.0, 1.0]), np.zeros(2)), _disc(1.0, 1.0), _disc(-1.0, -1.0))


def cone() -> Triangles:
    """Radius one at z = -1, the tip at z = 1."""
    return _join("cone", _tip(1.0, -1.0, 1.0), _disc(-1.0, -1.0))


def _tip(radius: float, low: float, high: float) -> Patch:
    """Side of a cone, in a few rings, so that its shading is even."""
    share = np.linspace(0.0, 1.0, 5)
    slope = radius / np.hypot(radius, high - low)
    return _lathe(radius * (1 - share), low + share * (high - low), np.full(5, slope))


def arrow() -> Triangles:
    """Along z, radius of the shaft one, with wedges; an arrow of length one, see ``TIP``."""
    side = _lathe(np.ones(2), np.array([0.0, SHAFT]), np.zeros(2))
    return _join("arrow", side, _disc(0.0, -1.0), _tip(WEDGE, SHAFT, TIP), _ring(SHAFT, 1.0, WEDGE))


def arrow_plain() -> Triangles:
    """The same without wedges."""
    return _join("arrow1", _lathe(np.ones(2), np.array([0.0, SHAFT]), np.zeros(2)), _disc(0.0, -1.0), _tip(1.0, SHAFT, TIP))


def arrow_both() -> Triangles:
    """The same with a head at either end, from z = -1/2 to 1/2."""
    up, lid = _tip(WEDGE, SHAFT, TIP), _ring(SHAFT, 1.0, WEDGE)
    flip = np.array([1.0, -1.0, -1.0])  # half a turn about x
    down = [(positions * flip, normals * flip, indices, uvs) for positions, normals, indices, uvs in (up, lid)]
    return _join("arrow2", _lathe(np.ones(2), np.array([-SHAFT, SHAFT]), np.zeros(2)), up, lid, *down)


def box() -> Triangles:
    """Half extents one."""
    patches = []
    for axis in range(3):
        for side in (-1.0, 1.0):
            first, second = (axis + 1) % 3, (axis + 2) % 3
            corners = np.zeros((4, 3))
            corners[:, axis] = side
            corners[:, first] = [-1, 1, 1, -1]
            corners[:, second] = [-1, -1, 1, 1]
            normal = np.zeros(3)
            normal[axis] = side
            faces = np.array([[0, 1, 2], [0, 2, 3]])
            across, down = ((1, 2), (0, 2), (0, 1))[axis]
            uvs = np.stack([0.5 + 0.5 * corners[:, across], 0.5 - 0.5 * corners[:, down]], axis=1)
            patches.append((corners, np.tile(normal, (4, 1)), faces if side > 0 else faces[:, ::-1], uvs))
    return _join("box", *patches)


def plane() -> Triangles:
    """Half widths one, at z = 0, seen from above."""
    corners = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], dtype=float)
    uvs = 0.5 + corners[:, :2] * [0.5, -0.5]
    return _join("plane", (corners, np.tile([0.0, 0.0, 1.0], (4, 1)), np.array([[0, 1, 2], [0, 2, 3]]), uvs))


def ground() -> Triangles:
    """A plane without an end: its texture coordinates are generated from the middle."""
    made = plane()
    made.uvs, made.name = None, "ground"
    return made
