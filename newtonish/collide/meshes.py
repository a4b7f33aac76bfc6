"""Which geoms are meshes that are not convex, the pairs that only mesh queries can treat, and the Warp meshes for them."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from newtonish.collide.edges import Edges, join, outer_edges
from newtonish.common.enums import GeomType
from newtonish.convert.hulls import convex_hull
from newtonish.errors import UnsupportedError, problem
from newtonish.kernels.collision.filter import geom_pairs
from newtonish.kernels.collision.trimesh import MeshPairs
from newtonish.model.enums import GeoType

__all__ = ["WarpMeshes", "bent_geoms", "split_pairs"]

_HOLLOW = 1.0e-3  # depth of a vertex below a face's plane, over the size, from which on a mesh is not convex


def bent_geoms(compiled: Any, shape_type: np.ndarray) -> np.ndarray:
    """Geoms that are triangle meshes, not meant as their hull, and not convex."""
    kinds = shape_type[np.asarray(compiled.maps.mjc_geom)[0]] if compiled.ngeom else np.zeros(0)
    bent = [
        g
        for g in np.flatnonzero(np.asarray(compiled.geom_type) == GeomType.MESH)
        if kinds[g] != GeoType.CONVEX_MESH and not all(_is_convex(*_triangles(compiled, int(i))) for i in np.unique(_data_ids(compiled)[:, g]))
    ]
    return np.array(bent, dtype=np.int64)


def _data_ids(compiled: Any) -> np.ndarray:
    """Mesh or heightfield of each geom, (1 or worlds, ngeom)."""
    own = np.asarray(compiled.geom_dataid)[None]
    return np.asarray(compiled.batched.get("geom_dataid", own))


def _triangles(compiled: Any, mesh: int) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and triangles of a compiled mesh, in the frame of its geoms."""
    v, f = int(compiled.mesh_vertadr[mesh]), int(compiled.mesh_faceadr[mesh])
    vertices = np.asarray(compiled.mesh_vert)[v : v + int(compiled.mesh_vertnum[mesh])]
    return vertices, np.asarray(compiled.mesh_face)[f : f + int(compiled.mesh_facenum[mesh])]


def _is_convex(vertices: np.ndarray, faces: np.ndarray) -> bool:
    """Whether no vertex stands above the plane of a face."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a)
    length = np.linalg.norm(normal, axis=1)
    good = length > 1e-12
    normal, a = normal[good] / length[good, None], a[good]
    size = np.ptp(vertices, axis=0).max()
    used = vertices[np.unique(faces)]
    for start in range(0, len(normal), 1024):
        part = slice(start, start + 1024)
        height = used @ normal[part].T - np.einsum("fi,fi->f", normal[part], a[part])
        if height.max() > _HOLLOW * size:
            return False
    return True


def split_pairs(compiled: Any, bent: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Take the pairs of ``bent`` geoms out of the ordinary collision of ``compiled`` (in place), and return them."""
    geom1, geom2, _, rest = geom_pairs(compiled)
    first, second = np.concatenate([geom1, rest[:, 0]]), np.concatenate([geom2, rest[:, 1]])
    mine = np.isin(first, bent) | np.isin(second, bent)
    pairs = np.sort(np.stack([first[mine], second[mine]], axis=1), axis=1).astype(np.int32)
    compiled.geom_filter_pairs = np.unique(np.concatenate([np.asarray(compiled.geom_filter_pairs).reshape(-1, 2), pairs]), axis=0)
    return first[mine].astype(np.int32), second[mine].astype(np.int32)


class WarpMeshes:
    """Warp meshes of the geoms in pairs, in the geoms' frames; holds what the handles in ``pairs`` refer to.

    Attributes:
        pairs: The struct for the kernel.
    """

    def __init__(self, compiled: Any, bent: np.ndarray, geom1: np.ndarray, geom2: np.ndarray, device: Any) -> None:
        self._device, self._compiled, self._bent = wp.get_device(device), compiled, set(bent.tolist())
        self._meshes: dict[tuple[str, int], wp.Mesh] = {}
        self._places: dict[tuple[str, int], tuple[int, int, int]] = {}
        self._edges: list[Edges] = []
        ids = _data_ids(compiled)
        handles = np.zeros((len(ids), max(1, compiled.ngeom)), dtype=np.uint64)
        places = np.zeros((*handles.shape, 3), dtype=np.int32)
        for g in np.unique(np.concatenate([geom1, geom2])).tolist():
            for i in np.unique(ids[:, g]).tolist():
                key = self._key(int(g), i)
                if key is not None:
                    if key not in self._meshes:
                        self._meshes[key] = self._make(key, int(g))
                    handles[ids[:, g] == i, g] = self._meshes[key].id
                    places[ids[:, g] == i, g] = self._places[key]
        self.pairs = MeshPairs()
        self.pairs.geom1 = wp.array(geom1, dtype=wp.int32, device=self._device)
        self.pairs.geom2 = wp.array(geom2, dtype=wp.int32, device=self._device)
        self.pairs.mesh = wp.array(handles, dtype=wp.uint64, ndim=2, device=self._device)
        for k, name in enumerate(("edge_adr", "edge_num", "face_adr")):
            setattr(self.pairs, name, wp.array(np.ascontiguousarray(places[..., k]), dtype=wp.int32, ndim=2, device=self._device))
        self.pairs.edges = join(self._edges, self._device)

    def _key(self, g: int, data: int) -> tuple[str, int] | None:
        """What a geom needs where it shows mesh or heightfield ``data``; None: nothing."""
        kind = int(self._compiled.geom_type[g])
        if kind == GeomType.MESH:
            return ("mesh" if g in self._bent else "hull", data)
        return ("field", data) if kind == GeomType.HFIELD else None

    def _make(self, key: tuple[str, int], g: int) -> wp.Mesh:
        """The Warp mesh of a key, with its edges put behind those that are there."""
        what, data = key
        if what == "mesh":
            vertices, faces = _triangles(self._compiled, data)
        elif what == "hull":
            hull = convex_hull(_triangles(self._compiled, data)[0])
            vertices, faces = hull.vertices, hull.triangles
        else:
            vertices, faces = self._terrain(data, g)
        edges = outer_edges(vertices, faces)
        before = [sum(len(part[name]) for part in self._edges) for name in ("start", "face_edges")]
        self._places[key] = (before[0], len(edges["start"]), before[1])
        self._edges.append(edges)
        points: wp.array = wp.array(np.asarray(vertices, dtype=np.float32), dtype=wp.vec3, device=self._device)
        indices: wp.array = wp.array(np.asarray(faces, dtype=np.int32).reshape(-1), dtype=wp.int32, device=self._device)
        return wp.Mesh(points, indices)

    def _terrain(self, data: int, g: int) -> tuple[np.ndarray, np.ndarray]:
        """Surface of a heightfield, by the same triangles as its prisms."""
        c = self._compiled
        if "hfield_data" in c.batched or "hfield_size" in c.batched:
            given = "heights that differ between worlds, against a mesh that is not convex"
            text = problem(f"shape '{c.geom_names[g]}'", given, "one heightfield for all worlds", "use boxes or convex meshes there")
            raise UnsupportedError(text)
        nrow, ncol, adr = int(c.hfield_nrow[data]), int(c.hfield_ncol[data]), int(c.hfield_adr[data])
        size = np.asarray(c.hfield_size)[data]
        heights = np.asarray(c.hfield_data)[adr : adr + nrow * ncol] * size[2]
        x, y = np.meshgrid(np.linspace(-size[0], size[0], ncol), np.linspace(-size[1], size[1], nrow))
        corner = (np.arange(nrow - 1)[:, None] * ncol + np.arange(ncol - 1)).reshape(-1)
        low, right, up, far = corner, corner + 1, corner + ncol, corner + ncol + 1
        faces = np.concatenate([np.stack([up, low, far], axis=1), np.stack([low, right, far], axis=1)])
        return np.stack([x.reshape(-1), y.reshape(-1), heights], axis=1), faces
