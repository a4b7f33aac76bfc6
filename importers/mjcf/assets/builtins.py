"""Built-in meshes: surfaces that MJCF describes by a few parameters.

MuJoCo: documentation, chapter XML Reference, attribute ``builtin`` of ``asset/mesh``; the formulas are those of superquadrics
(A. H. Barr, Superquadrics and angle-preserving transformations, 1981).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

__all__ = ["BUILTINS"]

Surface = tuple[np.ndarray, np.ndarray]
"""Vertices (n, 3), and triangles (m, 3); no triangles: those of the convex hull."""

MAX_RESOLUTION = 1000


def _whole(value: float, what: str, least: int, most: int = MAX_RESOLUTION) -> int:
    """A parameter that counts; a fraction is cut off, as in MuJoCo."""
    if not least <= int(value) <= most:
        raise ValueError(f"{what} {value:g}, not from {least} to {most}")
    return int(value)


def _power(value: np.ndarray, exponent: float) -> np.ndarray:
    """A power that keeps the sign. What rounding leaves of a zero grows with small exponents; it does in MuJoCo as well."""
    return np.sign(value) * np.abs(value) ** exponent


def _sphere(subdivision: float) -> Surface:
    """An icosahedron whose faces are cut into four ``subdivision`` times."""
    long, short = 0.5 * (1.0 + np.sqrt(5.0)), 1.0
    points = [(-short, long, 0), (short, long, 0), (-short, -long, 0), (short, -long, 0), (0, -short, long), (0, short, long)]
    points += [(0, -short, -long), (0, short, -long), (long, 0, -short), (long, 0, short), (-long, 0, -short), (-long, 0, short)]
    vertices = [np.array(p) / np.linalg.norm(p) for p in points]
    faces = [(0, 11, 5), (0, 5, 1), (0, 1, 7), (0, 7, 10), (0, 10, 11), (1, 5, 9), (5, 11, 4), (11, 10, 2), (10, 7, 6), (7, 1, 8)]
    faces += [(3, 9, 4), (3, 4, 2), (3, 2, 6), (3, 6, 8), (3, 8, 9), (4, 9, 5), (2, 4, 11), (6, 2, 10), (8, 6, 7), (9, 8, 1)]
    for _ in range(_whole(subdivision, "a subdivision", 0, 4)):
        middle: dict[tuple[int, int], int] = {}

        def between(a: int, b: int, middle: dict[tuple[int, int], int] = middle) -> int:
            """The vertex halfway on the sphere."""
            key = (min(a, b), max(a, b))
            if key not in middle:
                middle[key] = len(vertices)
                point = vertices[a] + vertices[b]
                vertices.append(point / np.linalg.norm(point))
            return middle[key]

        finer = []
        for a, b, c in faces:
            ab, bc, ca = between(a, b), between(b, c), between(c, a)
            finer += [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
        faces = finer
    return np.array(vertices), np.array(faces)


def _hemisphere(resolution: float) -> Surface:
    """Rings of 4, 8, 12, ... vertices from the pole at +z to the equator, and a base with a vertex in its middle."""
    rings = _whole(resolution, "a resolution", 0, 10) + 1
    vertices, faces = [(0.0, 0.0, 1.0)], [(0, 1 + q, 1 + (q + 1) % 4) for q in range(4)]
    starts = [0]
    for ring in range(1, rings + 1):
        starts.append(len(vertices))
        k = np.arange(4 * ring) % ring
        corner = np.stack([ring - k, k, 0 * k + rings - ring], axis=1).astype(np.float64)  # on an octahedron, a quarter of the ring
        turn = np.exp(0.5j * np.pi * (np.arange(4 * ring) // ring))
        flat = (corner[:, 0] + 1j * corner[:, 1]) * turn
        points = np.stack([flat.real, flat.imag, corner[:, 2]], axis=1)
        vertices += [tuple(p) for p in points / np.linalg.norm(points, axis=1, keepdims=True)]
    for ring in range(1, rings):
        inner, outer = (lambda k, s=starts[r], n=4 * r: s + k % n for r in (ring, ring + 1))
        for quarter in range(4):
            near, far = quarter * ring, quarter * (ring + 1)
            for k in range(ring):
                faces += [(inner(near + k), outer(far + k), outer(far + k + 1)), (inner(near + k), outer(far + k + 1), inner(near + k + 1))]
            faces.append((inner(near + ring), outer(far + ring), outer(far + ring + 1)))
    base, edge = len(vertices), int(starts[-1])
    vertices.append((0.0, 0.0, 0.0))
    faces += [(edge + k, base, edge + (k + 1) % (4 * rings)) for k in range(4 * rings)]
    return np.array(vertices), np.array(faces)


def _cone(nvert: float, radius: float) -> Surface:
    """The hull of a polygon at z = -1 and a smaller one, or a point, at z = 1."""
    angles = 2 * np.pi * np.arange(_whole(nvert, "nvert", 3)) / int(nvert)
    if not 0.0 <= radius <= 1.0:
        raise ValueError(f"radius {radius:g}, not in [0, 1]")
    ring = np.stack([np.cos(angles), np.sin(angles), np.zeros_like(angles)], axis=1)
    top = radius * ring if radius > 0 else np.zeros((1, 3))
    up = np.array([0.0, 0.0, 1.0])
    return np.concatenate([ring - up, top + up]), np.zeros((0, 3), dtype=np.int64)


def _supersphere(resolution: float, east: float, north: float) -> Surface:
    """A superellipsoid: parallels and meridians of a sphere, sines and cosines raised to powers."""
    count = _whole(resolution, "a resolution", 3)
    if east < 0 or north < 0:
        raise ValueError(f"exponents {east:g} and {north:g}, not from 0")
    parallel = (-0.5 * np.pi + np.pi * np.arange(1, count) / count)[:, None]
    meridian = (-np.pi + 2 * np.pi * np.arange(count) / count)[None, :]
    width, height = _power(np.cos(parallel), north), _power(np.sin(parallel), north)
    rings = [width * _power(np.cos(meridian), east), width * _power(np.sin(meridian), east), height + 0 * meridian]
    vertices = np.concatenate([[[0.0, 0.0, -1.0]], np.stack(rings, axis=-1).reshape(-1, 3), [[0.0, 0.0, 1.0]]])
    k = np.arange(count)
    step = (k + 1) % count
    faces = [np.stack([0 * k, 1 + step, 1 + k], axis=1)]
    for ring in range(count - 2):
        a, b = 1 + ring * count + k, 1 + ring * count + step
        faces.append(np.stack([a, b, a + count, b, b + count, a + count], axis=1).reshape(-1, 3))
    last = 1 + (count - 2) * count
    faces.append(np.stack([last + k, last + step, 0 * k + len(vertices) - 1], axis=1))
    return vertices, np.concatenate(faces)


def _supertorus(resolution: float, radius: float, s: float, t: float) -> Surface:
    """A torus of major radius 1 whose two circles are raised to powers."""
    count = _whole(resolution, "a resolution", 3)
    if not 0.0 < radius <= 1.0 or s <= 0 or t <= 0:
        raise ValueError(f"radius {radius:g} and exponents {s:g}, {t:g}, not a radius in (0, 1] and positive exponents")
    major, minor = (2 * np.pi * np.arange(count) / count for _ in range(2))
    out = 1.0 + radius * _power(np.cos(minor), s)[None, :]
    x, y = (_power(turn(major), t)[:, None] * out for turn in (np.cos, np.sin))
    z = radius * _power(np.sin(minor), s)[None, :] + 0 * x
    i, j = (a.reshape(-1) for a in np.meshgrid(np.arange(count), np.arange(count), indexing="ij"))
    here, there, step = i * count, (i + 1) % count * count, (j + 1) % count
    faces = np.stack([here + j, there + j, here + step, there + j, there + step, here + step], axis=1).reshape(-1, 3)
    return np.stack([x, y, z], axis=-1).reshape(-1, 3), faces


def _checked(make: Callable[..., Surface], names: str) -> Callable[[Sequence[float]], Surface]:
    """A function of the list of parameters."""

    def checked(params: Sequence[float]) -> Surface:
        if len(params) != len(names.split()):
            raise ValueError(f"{len(params)} params, not {names}")
        return make(*params)

    return checked


BUILTINS: dict[str, Callable[[Sequence[float]], Surface]] = {
    "sphere": _checked(_sphere, "subdivision"),
    "hemisphere": _checked(_hemisphere, "resolution"),
    "cone": _checked(_cone, "nvert radius"),
    "supersphere": _checked(_supersphere, "resolution e n"),
    "supertorus": _checked(_supertorus, "resolution radius s t"),
}
"""The surfaces by name."""
