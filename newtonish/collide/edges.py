"""The edges of triangle meshes that stand out, which is where meshes can touch between their corners."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import warp as wp

from newtonish.kernels.collision.mesh_edges import MeshEdges

__all__ = ["Edges", "join", "outer_edges"]

_FLAT = 0.9995  # cosine of the angle between two faces that count as one
Edges = dict[str, np.ndarray]


def outer_edges(vertices: np.ndarray, faces: np.ndarray) -> Edges:
    """Edges where two faces meet at an outward angle, and edges of one face.

    Args:
        vertices: (n, 3) [m]; some may be at one place.
        faces: (f, 3), counter-clockwise from outside.

    Returns:
        ``start`` and ``along`` (k, 3), ``inward`` and ``outward`` (k, 2, 3): unit vectors into the faces and their normals;
        ``face_edges`` (f, 3): the edges that each face lists, -1 for none. Every edge is listed by one face.
    """
    vertices = np.asarray(vertices, dtype=np.float64)
    _, weld = np.unique(vertices, axis=0, return_inverse=True)
    corner = vertices[faces]
    normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    length = np.linalg.norm(normal, axis=1)
    good = length > 1e-14
    normal = np.where(good[:, None], normal / np.where(good, length, 1.0)[:, None], 0.0)
    owner, place = np.divmod(np.arange(3 * len(faces)), 3)
    ends = weld.reshape(-1)[np.stack([faces, np.roll(faces, -1, axis=1)], axis=-1).reshape(-1, 2)]
    keys = np.sort(ends, axis=1)
    order = np.lexsort((np.arange(len(keys)), keys[:, 1], keys[:, 0]))
    order = order[good[owner[order]] & (keys[order, 0] != keys[order, 1])]
    starts = np.flatnonzero(np.r_[True, np.any(np.diff(keys[order], axis=0) != 0, axis=1)]) if len(order) else np.zeros(0, dtype=int)
    counts = np.diff(np.r_[starts, len(order)])
    first = order[starts[counts <= 2]]
    second = np.where(counts[counts <= 2] == 2, order[np.minimum(starts[counts <= 2] + 1, max(len(order) - 1, 0))], first)
    line = np.roll(corner, -1, axis=1).reshape(-1, 3) - corner.reshape(-1, 3)
    inward = np.cross(normal[owner], line)
    inward /= np.maximum(np.linalg.norm(inward, axis=1), 1e-30)[:, None]
    alone = first == second
    bends = np.einsum("ei,ei->e", normal[owner[first]], inward[second]) < 0.0
    sharp = np.einsum("ei,ei->e", normal[owner[first]], normal[owner[second]]) < _FLAT
    kept = alone | (bends & sharp)
    first, second, alone = first[kept], second[kept], alone[kept]
    # away from the one face of an open edge means up and outward
    inner = np.where(alone[:, None], -normal[owner[first]], inward[second])
    listed = np.full((len(faces), 3), -1, dtype=np.int32)
    listed[owner[first], place[first]] = np.arange(len(first))
    return {
        "start": corner.reshape(-1, 3)[first],
        "along": line[first],
        "inward": np.stack([inward[first], inner], axis=1),
        "outward": np.stack([normal[owner[first]], normal[owner[second]]], axis=1),
        "face_edges": listed,
    }


def join(parts: Sequence[Edges], device: Any) -> MeshEdges:
    """The edges of several meshes one after another, on a device; at least one row each."""
    result = MeshEdges()
    blank = {"start": (1, 3), "along": (1, 3), "inward": (1, 2, 3), "outward": (1, 2, 3), "face_edges": (1, 3)}
    for name, shape in blank.items():
        rows = np.concatenate([part[name] for part in parts] + [np.zeros(shape)])
        kind = wp.vec3i if name == "face_edges" else wp.vec3
        setattr(result, name, wp.array(rows.astype(np.int32 if kind is wp.vec3i else np.float32), dtype=kind, device=device))
    return result
