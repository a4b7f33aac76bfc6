"""Built-in meshes whose vertices are taxels of tactile sensors: a flat grid, and a grid on a part of a sphere.

Each vertex has a normal and the two tangents along which sliding is measured. MuJoCo: documentation, chapter XML
Reference, attribute ``builtin`` of ``asset/mesh``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

__all__ = ["TAXELS"]

Grid = tuple[np.ndarray, np.ndarray, np.ndarray]


def _cells(count: float, what: str, gamma: float = 0.0) -> np.ndarray:
    """Middles of cells from -1 to 1: equal ones, or with ``gamma`` up to 1 ever narrower towards 0, as in a fovea."""
    if count != int(count) or count < 2:
        raise ValueError(f"{what} {count:g}, not an integer >= 2")
    edges = np.linspace(-1.0, 1.0, int(count) + 1)
    edges = gamma * edges**5 + (1.0 - gamma) * edges
    return 0.5 * (edges[1:] + edges[:-1])


def _plate(params: Sequence[float]) -> Grid:
    """A grid of ``res_x`` by ``res_y`` vertices over the square from -1 to 1, at z = -1."""
    if len(params) != 2:
        raise ValueError(f"{len(params)} params of a plate, not res_x and res_y")
    x, y = (_cells(count, name) for count, name in zip(params, ("res_x", "res_y")))
    grid = np.stack(np.meshgrid(x, y, [-1.0], indexing="ij"), axis=-1).reshape(-1, 3)
    corner = (np.arange(len(x) - 1)[:, None] * len(y) + np.arange(len(y) - 1)).reshape(-1)
    lower = np.stack([corner, corner + len(y), corner + 1], axis=-1)
    upper = np.stack([corner + len(y) + 1, corner + 1, corner + len(y)], axis=-1)
    faces = np.stack([lower, upper], axis=1).reshape(-1, 3)
    return grid, faces, np.tile(np.eye(3), (len(grid), 1))


def _wedge(params: Sequence[float]) -> Grid:
    """A grid over ``fov_phi`` to each side and ``fov_theta`` up and down on the unit sphere about -z, hull as its surface."""
    if len(params) != 5:
        raise ValueError(f"{len(params)} params of a wedge, not res_phi, res_theta, fov_phi, fov_theta and gamma")
    if not 0.0 <= params[4] <= 1.0:
        raise ValueError(f"gamma {params[4]:g}, not in [0, 1]")
    if not (0.0 < params[2] <= 180.0 and 0.0 < params[3] < 90.0):
        raise ValueError(f"fields of view {params[2]:g} and {params[3]:g} degrees, not in (0, 180] and (0, 90)")
    phi, theta = (np.radians(fov) * _cells(count, what, params[4]) for fov, count, what in zip(params[2:4], params[:2], ("res_phi", "res_theta")))
    p, t = (a.reshape(-1) for a in np.meshgrid(phi, theta, indexing="ij"))
    zero = np.zeros_like(p)
    normal = np.stack([np.sin(p) * np.cos(t), np.sin(t), -np.cos(p) * np.cos(t)], axis=-1)
    along = np.stack([np.cos(p), zero, np.sin(p)], axis=-1)
    up = np.stack([-np.sin(p) * np.sin(t), np.cos(t), np.cos(p) * np.sin(t)], axis=-1)
    return normal, np.zeros((0, 3), dtype=np.int64), np.stack([normal, along, up], axis=1).reshape(-1, 3)


TAXELS: dict[str, Callable[[Sequence[float]], Grid]] = {"plate": _plate, "wedge": _wedge}
"""Vertices, faces (none: the convex hull's) and normals of each built-in mesh by its name."""
