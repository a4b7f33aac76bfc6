"""Taxels: the vertices of the meshes of tactile sensors, in the frame of the sensing geom."""

from __future__ import annotations

from typing import Any

import numpy as np

from newtonish.common.enums import SensorType
from newtonish.mjw.record import ModelRecord


def taxel_tables(record: ModelRecord, kinds: np.ndarray) -> dict[str, Any]:
    """Fields of ``TACTILE``.

    Args:
        record: the compiled model; meshes with three normals for each vertex have tangents there.
        kinds: SensorType of each sensor, -1 for those that are not evaluated.
    """
    sensors = np.flatnonzero(kinds == SensorType.TACTILE)
    parts: dict[str, list[np.ndarray]] = {name: [] for name in ("sensor", "vertex", "count")}
    vectors: dict[str, list[np.ndarray]] = {name: [] for name in ("pos", "tangent1", "tangent2")}
    for s in sensors:
        mesh = int(record.sensor_objid[s])
        first, count = int(record.mesh_vertadr[mesh]), int(record.mesh_vertnum[mesh])
        tangents = _tangents(record, mesh, count)
        parts["sensor"].append(np.full(count, s))
        parts["vertex"].append(np.arange(count))
        parts["count"].append(np.full(count, count))
        vectors["pos"].append(record.mesh_vert[first : first + count])
        vectors["tangent1"].append(tangents[:, 0])
        vectors["tangent2"].append(tangents[:, 1])
    tables = {f"tactile_{name}": np.concatenate([np.zeros(0, dtype=np.int32), *found]) for name, found in parts.items()}
    tables |= {f"tactile_{name}": np.concatenate([np.zeros((0, 3)), *found]) for name, found in vectors.items()}
    return {"tactile_number": len(tables["tactile_sensor"])} | tables


def _tangents(record: ModelRecord, mesh: int, count: int) -> np.ndarray:
    """Two tangents (count, 2, 3) at each vertex of a mesh; zero where its normals are not frames."""
    normals = int(record.mesh_normalnum[mesh])
    if normals != 3 * count:
        return np.zeros((count, 2, 3))
    first = int(record.mesh_normaladr[mesh])
    return record.mesh_normal[first : first + normals].reshape(count, 3, 3)[:, 1:]


def has_distance_fields(record: ModelRecord) -> bool:
    """Whether meshes were compiled with an octree of distances, which MuJoCo's tactile sensors read."""
    return bool((record.mesh_octadr >= 0).any())
