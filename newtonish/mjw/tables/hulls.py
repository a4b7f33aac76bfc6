"""Tables of the convex hulls of the meshes that collide, as the kernels read them.

A model of MuJoCo's own has a hull graph, perhaps with a limited number of vertices, and polygons made of triangles that look one
way: they are taken then, so that the same corners touch. Other models' hulls are made here, by the same rules.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from newtonish.common.enums import GeomType
from newtonish.kernels.structs.collision import MOST_CORNERS
from newtonish.mjw.record import ModelRecord
from newtonish.mjw.tables.extremes import extremes


def hull_tables(record: ModelRecord, geom1: np.ndarray, geom2: np.ndarray, meshes: np.ndarray, nconvex: int) -> dict[str, Any]:
    """The ``hull_*`` fields for the meshes of the geoms that occur in pairs, and for further ``meshes``."""
    geoms = np.unique(np.concatenate([geom1, geom2])).astype(int)
    wanted = {int(i) for i in (*shown_meshes(record, geoms), *_meshes_of_fields(record, geom1, geom2), *meshes)}
    nmesh = record.nmesh
    hulls = _hulls(record, sorted(wanted))
    vertnum = np.array([len(hulls[i].vertices) if i in hulls else 0 for i in range(nmesh)], dtype=np.int32)
    facenum = np.array([len(hulls[i].faces) if i in hulls else 0 for i in range(nmesh)], dtype=np.int32)
    found = list(hulls.values())
    low, high = np.zeros((nmesh, 3)), np.zeros((nmesh, 3))
    for i, hull in hulls.items():
        low[i], high[i] = hull.vertices.min(axis=0), hull.vertices.max(axis=0)
    corners = _corners(found)
    around = _faces_around(found)
    return {
        "hull_nconvex": nconvex,
        "hull_iterations": record.opt.ccd_iterations,
        "hull_vertadr": _starts(vertnum),
        "hull_vertnum": vertnum,
        "hull_center": 0.5 * (low + high),
        "hull_half": 0.5 * (high - low),
        "hull_vert": np.concatenate([h.vertices for h in found] or [np.zeros((0, 3))]),
        **_cells(hulls, nmesh),
        **_ragged("around", around),
        "hull_faceadr": _starts(facenum),
        "hull_facenum": facenum,
        "hull_normal": np.concatenate([h.normals for h in found] or [np.zeros((0, 3))]),
        "hull_offset": np.concatenate([_offsets(h) for h in found] or [np.zeros(0)]),
        **_ragged("corner", corners),
    }


def _offsets(hull: Any) -> np.ndarray:
    """Distances of the planes of a hull's faces from the origin."""
    return np.einsum("ij,ij->i", np.asarray(hull.normals, dtype=np.float64).reshape(-1, 3), hull.vertices[[face[0] for face in hull.faces]])


def shown_meshes(record: ModelRecord, geoms: np.ndarray) -> np.ndarray:
    """Meshes that ``geoms`` show, in any world."""
    at = np.asarray(geoms, dtype=np.int64)
    at = at[record.geom_type[at] == GeomType.MESH]
    ids = np.asarray(record.batched.get("geom_dataid", record.geom_dataid))[..., at]
    return np.unique(ids[ids >= 0]).astype(np.int64)


def _meshes_of_fields(record: ModelRecord, geom1: np.ndarray, geom2: np.ndarray) -> np.ndarray:
    """Meshes of signed distance fields that meet planes, which their hulls do."""
    if not (record.geom_type == GeomType.SDF).any():
        return np.zeros(0, dtype=np.int64)
    on_planes = (record.geom_type[geom1] == GeomType.PLANE) & (record.geom_type[geom2] == GeomType.SDF)
    return np.unique(record.geom_dataid[geom2[on_planes]])


def _cells(hulls: dict[int, Any], nmesh: int) -> dict[str, np.ndarray]:
    """The tables of the vertices that can be the farthest ones; the lists of a mesh follow those of the one before."""
    cells, celladr = np.zeros(nmesh, dtype=np.int32), np.zeros(nmesh, dtype=np.int32)
    begins, lists, ncell, length = [np.zeros(0)], [np.zeros(0)], 0, 0
    for i, hull in hulls.items():
        cells[i], begin, farthest = extremes(hull.vertices)
        celladr[i] = ncell
        begins.append(begin + length)
        lists.append(farthest)
        ncell += len(begin)
        length += len(farthest)
    flat = {"extremeadr": np.concatenate(begins), "extreme": np.concatenate(lists)}
    return {"hull_cells": cells, "hull_celladr": celladr, **{f"hull_{k}": v.astype(np.int32) for k, v in flat.items()}}


def _starts(number: np.ndarray) -> np.ndarray:
    return (np.cumsum(number) - number).astype(np.int32)


def _ragged(name: str, rows: list[np.ndarray]) -> dict[str, np.ndarray]:
    """Rows of unequal length as one array with addresses and lengths."""
    number = np.array([len(r) for r in rows], dtype=np.int32)
    flat = np.concatenate(rows or [np.zeros(0)]).astype(np.int32)
    return {f"hull_{name}adr": _starts(number), f"hull_{name}num": number, f"hull_{name}": flat}


def _corners(hulls: list[Any]) -> list[np.ndarray]:
    """The corners of each face of all hulls, as many as the kernels have room for."""
    if not hulls:
        return []
    from newtonish.convert.hulls import thinned

    return [thinned(hull.vertices, face, MOST_CORNERS) for hull in hulls for face in hull.faces]


def _faces_around(hulls: list[Any]) -> list[np.ndarray]:
    """For each vertex of all hulls its faces, counted over all hulls."""
    faces = [face for hull in hulls for face in hull.faces]
    if not faces:
        return [np.zeros(0, dtype=np.int32) for hull in hulls for _ in hull.vertices]
    lengths = np.array([len(face) for face in faces])
    before = np.repeat(_starts(np.array([len(hull.vertices) for hull in hulls])), [len(hull.faces) for hull in hulls])
    vertex = np.concatenate(faces) + np.repeat(before, lengths)
    order = np.argsort(vertex, kind="stable")
    face = np.repeat(np.arange(len(faces), dtype=np.int32), lengths)[order]
    starts = np.searchsorted(vertex[order], np.arange(sum(len(hull.vertices) for hull in hulls) + 1)).tolist()
    return [face[start:end] for start, end in pairwise(starts)]


def _compiled_hull(record: ModelRecord, mesh: int) -> Any | None:
    """The hull of MuJoCo's compiler, or None if the mesh has none."""
    graph = int(record.mesh_graphadr[mesh])
    count = int(record.mesh_polynum[mesh]) if graph >= 0 and len(record.mesh_polynum) else 0
    if count == 0:
        return None
    from newtonish.convert.hulls import ConvexHull

    kept = int(record.mesh_graph[graph + 1])
    numbers = int(record.mesh_graph[graph])
    used = record.mesh_graph[graph + 2 + numbers : graph + 2 + 2 * numbers]
    first, length = int(record.mesh_vertadr[mesh]), int(record.mesh_vertnum[mesh])
    local = np.full(length, -1)
    local[used] = np.arange(numbers)
    polygons = range(int(record.mesh_polyadr[mesh]), int(record.mesh_polyadr[mesh]) + count)
    faces = [local[record.mesh_polyvert[record.mesh_polyvertadr[p] : record.mesh_polyvertadr[p] + record.mesh_polyvertnum[p]]] for p in polygons]
    if min(face.min() for face in faces) < 0:
        return None
    return ConvexHull(
        vertices=np.asarray(record.mesh_vert[first : first + length], dtype=np.float64)[used],
        faces=faces,
        normals=record.mesh_polynormal[polygons.start : polygons.stop],
        triangles=local[record.mesh_graph[graph + 2 + 3 * (numbers + kept) :][: 3 * kept].reshape(-1, 3)],
    )


def _hulls(record: ModelRecord, meshes: list[int]) -> dict[int, Any]:
    """Hulls of the meshes by id."""
    if not meshes:
        return {}
    from newtonish.convert.hulls import convex_hull

    found = {}
    bounds, points = record.mesh_maxhullvert, record.mesh_points
    for i in meshes:
        rows = slice(int(record.mesh_vertadr[i]), int(record.mesh_vertadr[i]) + int(record.mesh_vertnum[i]))
        found[i] = _compiled_hull(record, i) or convex_hull(points[rows], int(bounds[i]), np.asarray(record.mesh_vert[rows], dtype=np.float64))
    return found
