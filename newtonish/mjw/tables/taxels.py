"""Taxels: the vertices of the meshes of tactile sensors, in the frame of the sensing geom."""

from __future__ import annotations

from typing import Any

import numpy as np

from newtonish.common.enums import SensorType


def taxel_tables(mjm: Any, kinds: np.ndarray) -> dict[str, Any]:
    """Fields of ``TACTILE``.

    Args:
        mjm: the compiled model; meshes with three normals for each vertex have tangents there.
        kinds: SensorType of each sensor, -1 for those that are not evaluated.
    """
    sensors = np.flatnonzero(kinds == SensorType.TACTILE)
    parts: dict[str, list[np.ndarray]] = {name: [] for name in ("sensor", "vertex", "count")}
    vectors: dict[str, list[np.ndarray]] = {name: [] for name in ("pos", "tangent1", "tangent2")}
    for s in sensors:
        mesh = int(mjm.sensor_objid[s])
        first, count = int(mjm.mesh_vertadr[mesh]), int(mjm.mesh_vertnum[mesh])
        tangents = _tangents(mjm, mesh, count)
        parts["sensor"].append(np.full(count, s))
        parts["vertex"].append(np.arange(count))
        parts["count"].append(np.full(count, count))
        vectors["pos"].append(np.asarray(mjm.mesh_vert)[first : first + count])
        vectors["tangent1"].append(tangents[:, 0])
        vectors["tangent2"].append(tangents[:, 1])
    tables = {f"tactile_{name}": np.concatenate([np.zeros(0, dtype=np.int32), *found]) for name, found in parts.items()}
    tables |= {f"tactile_{name}": np.concatenate([np.zeros((0, 3)), *found]) for name, found in vectors.items()}
    return {"tactile_number": len(tables["tactile_sensor"])} | tables


def _tangents(mjm: Any, mesh: int, count: int) -> np.ndarray:
    """Two tangents (count, 2, 3) at each vertex of a mesh; zero where its normals are not frames."""
    normals = int(np.asarray(getattr(mjm, "mesh_normalnum", np.zeros(mesh + 1)))[mesh])
    if normals != 3 * count:
        return np.zeros((count, 2, 3))
    first = int(mjm.mesh_normaladr[mesh])
    return np.asarray(mjm.mesh_normal)[first : first + normals].reshape(count, 3, 3)[:, 1:]


def has_distance_fields(mjm: Any) -> bool:
    """Whether meshes were compiled with an octree of distances, which MuJoCo's tactile sensors read."""
    return bool((np.asarray(getattr(mjm, "mesh_octadr", np.full(1, -1))) >= 0).any())
