"""Triangles of meshes, of their convex hulls and of height fields."""

from __future__ import annotations

from typing import Any

import numpy as np

from newtonish.viewer.scene.arrays import Triangles

__all__ = ["heightfield_triangles", "hull_triangles", "mesh_triangles"]

SHARPEST = 0.8
"""Cosine of the angle between a triangle and the mean of its corner above which the corner is smooth, MuJoCo's."""


def mesh_triangles(source: Any) -> Triangles:
    """Triangles of a mesh; where it has no normals, they follow from its faces.

    Args:
        source: ``vertices`` (n, 3), ``indices`` (3 m,) and perhaps ``normals`` (n, 3) and ``uvs`` (n, 2).
    """
    vertices = np.asarray(source.vertices, dtype=np.float64).reshape(-1, 3)
    faces = np.asarray(source.indices, dtype=np.int64).reshape(-1, 3)
    normals = getattr(source, "normals", None)
    name = str(getattr(source, "name", ""))
    uvs = _corner_uvs(source, faces)
    if uvs is not None:  # corners that differ in their texture coordinates are corners of their own
        vertices, normals, faces, uvs = _split(vertices, normals, faces, uvs)
    if normals is not None and len(normals) == len(vertices):
        given = np.asarray(normals, dtype=np.float64).reshape(-1, 3)
        length = np.linalg.norm(given, axis=1, keepdims=True)
        if np.all(length > 1e-10):
            return _triangles(vertices, given / length, faces, uvs, name)
    return _smoothed(vertices, faces, uvs, name)


def _corner_uvs(source: Any, faces: np.ndarray) -> np.ndarray | None:
    """(m, 3, 2) texture coordinates of the corners of each triangle, v down from a picture's first row; None where there are none."""
    if hasattr(source, "corner_uvs"):
        return source.corner_uvs()
    uvs = getattr(source, "uvs", None)  # Newton's count v from the bottom
    return None if uvs is None else (np.asarray(uvs, dtype=np.float64).reshape(-1, 2) * [1.0, -1.0] + [0.0, 1.0])[faces]


def _split(vertices: np.ndarray, normals: Any, faces: np.ndarray, uvs: np.ndarray) -> tuple[Any, ...]:
    """Vertices, normals, faces and texture coordinates with one vertex for each pair of a vertex and a coordinate."""
    pairs = np.concatenate([faces.reshape(-1, 1), np.asarray(uvs, dtype=np.float64).reshape(-1, 2)], axis=1)
    _, first, new = np.unique(pairs, axis=0, return_index=True, return_inverse=True)
    old = faces.reshape(-1)[first]
    full = normals is not None and len(normals) == len(vertices)
    return vertices[old], np.asarray(normals)[old] if full else None, new.reshape(-1, 3), pairs[first, 1:]


def _triangles(vertices: np.ndarray, normals: np.ndarray, faces: np.ndarray, uvs: Any, name: str) -> Triangles:
    return Triangles(
        np.ascontiguousarray(vertices, dtype=np.float32),
        np.ascontiguousarray(normals, dtype=np.float32),
        np.ascontiguousarray(faces, dtype=np.int32),
        None if uvs is None else np.ascontiguousarray(uvs, dtype=np.float32),
        name=name,
    )


def _face_normals(vertices: np.ndarray, faces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Unit normals of triangles and their areas."""
    edges = vertices[faces[:, 1:]] - vertices[faces[:, :1]]
    normals = np.cross(edges[:, 0], edges[:, 1])
    length = np.linalg.norm(normals, axis=1)
    return normals / np.maximum(length, 1e-300)[:, None], 0.5 * length


def _smoothed(vertices: np.ndarray, faces: np.ndarray, uvs: Any, name: str) -> Triangles:
    """Corners that lie in one place share a normal, weighted by areas, as far as the faces there bend gently; others are sharp."""
    flat, area = _face_normals(vertices, faces)
    _, place = np.unique(vertices.astype(np.float32), axis=0, return_inverse=True)
    corner = place.reshape(-1)[faces]  # (m, 3): the place of each corner
    mean = np.zeros((int(place.max(initial=-1)) + 1, 3))
    for k in range(3):
        np.add.at(mean, corner[:, k], flat * area[:, None])
    mean /= np.maximum(np.linalg.norm(mean, axis=1, keepdims=True), 1e-300)
    gentle = np.einsum("mkj,mj->mk", mean[corner], flat) > SHARPEST
    # once more with only the faces that take part, so that a sharp neighbour does not bend what is smooth
    smooth = np.zeros_like(mean)
    for k in range(3):
        use = gentle[:, k]
        np.add.at(smooth, corner[use, k], (flat * area[:, None])[use])
    smooth /= np.maximum(np.linalg.norm(smooth, axis=1, keepdims=True), 1e-300)
    normals = np.where(gentle[..., None], smooth[corner], flat[:, None, :]).reshape(-1, 3)
    # one corner for each vertex and normal
    table = np.concatenate([faces.reshape(-1, 1), np.round(normals * 1e4)], axis=1)
    _, first, new = np.unique(table, axis=0, return_index=True, return_inverse=True)
    old = faces.reshape(-1)[first]
    return _triangles(vertices[old], normals[first], new.reshape(-1, 3), None if uvs is None else uvs[old], name)


def hull_triangles(source: Any) -> Triangles:
    """The convex hull of a mesh, with flat faces; the mesh itself where it has no volume."""
    from scipy.spatial import ConvexHull, QhullError

    vertices = np.asarray(source.vertices, dtype=np.float64).reshape(-1, 3)
    try:
        hull = ConvexHull(vertices)
    except (QhullError, ValueError):
        return mesh_triangles(source)
    faces = hull.simplices.copy()
    edges = vertices[faces[:, 1:]] - vertices[faces[:, :1]]
    inward = np.einsum("ij,ij->i", np.cross(edges[:, 0], edges[:, 1]), hull.equations[:, :3]) < 0
    faces[inward] = faces[inward][:, ::-1]
    corners = vertices[faces].reshape(-1, 3)
    normals = np.repeat(hull.equations[:, :3], 3, axis=0)
    return _triangles(corners, normals, np.arange(len(corners)).reshape(-1, 3), None, f"{getattr(source, 'name', '')} hull")


def heightfield_triangles(source: Any, base: float) -> Triangles:
    """A height field's surface with smooth normals, its four walls and its bottom, in metres.

    Args:
        source: ``data`` (nrow, ncol) from 0 to 1, ``hx``, ``hy``, ``min_z``, ``max_z``.
        base: Depth below the lowest sample [m]; below zero: a surface alone.
    """
    data = np.asarray(source.data, dtype=np.float64)
    rows, columns = data.shape
    x, y = np.linspace(-source.hx, source.hx, columns), np.linspace(-source.hy, source.hy, rows)
    z = source.min_z + data * (source.max_z - source.min_z)
    top = np.stack([*np.meshgrid(x, y), z], axis=-1)
    slope_y, slope_x = np.gradient(z, y, x)
    normals = np.stack([-slope_x, -slope_y, np.ones_like(z)], axis=-1)
    normals /= np.linalg.norm(normals, axis=-1, keepdims=True)
    positions, directions = [top.reshape(-1, 3)], [normals.reshape(-1, 3)]
    at = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).reshape(-1)
    faces = [np.stack([at, at + 1, at + columns + 1], axis=1), np.stack([at, at + columns + 1, at + columns], axis=1)]
    if base >= 0.0:
        count, floor = rows * columns, source.min_z - base
        walls = ((top[0], (0, -1)), (top[:, -1], (1, 0)), (top[-1, ::-1], (0, 1)), (top[::-1, 0], (-1, 0)))
        for edge, outward in walls:
            below = edge.copy()
            below[:, 2] = floor
            positions += [below, edge]
            directions.append(np.tile([*outward, 0.0], (2 * len(edge), 1)))
            lower = count + np.arange(len(edge) - 1)
            upper = lower + len(edge)
            faces += [np.stack([lower, lower + 1, upper + 1], axis=1), np.stack([lower, upper + 1, upper], axis=1)]
            count += 2 * len(edge)
        corners = np.array([[x[0], y[0], floor], [x[0], y[-1], floor], [x[-1], y[-1], floor], [x[-1], y[0], floor]])
        positions.append(corners)
        directions.append(np.tile([0.0, 0.0, -1.0], (4, 1)))
        faces.append(np.array([[0, 1, 2], [0, 2, 3]]) + count)
    return _triangles(np.concatenate(positions), np.concatenate(directions), np.concatenate(faces), None, "height field")
