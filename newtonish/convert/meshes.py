"""Meshes in their own inertial frame: MuJoCo stores a mesh centred at its centre of mass, axes along the principal
ones.

A geom that shows a mesh is moved by the inverse, so that the surface stays where it was. The frame is the one named
by ``mujoco:mesh_pos`` and ``mujoco:mesh_quat``, else it is derived by summing the pyramids between the triangles
and the centre of the surface, each counted as positive (MuJoCo's default, robust for meshes that are not closed);
products of inertia as in Mirtich, Fast and Accurate Computation of Polyhedral Mass Properties (1996). Equal
principal moments leave the axes to
rounding: a mesh with a rotational symmetry may then get other axes than MuJoCo's, for the same surface.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from newtonish.common import frames
from newtonish.common.constants import MINVAL
from newtonish.convert.octrees import Octree, octree
from newtonish.errors import ModelError, problem, raise_all

__all__ = ["CompiledMesh", "MeshSet"]


@dataclass
class CompiledMesh:
    """A mesh in its inertial frame; ``pos`` and ``quat`` place that frame in the frame the vertices came in."""

    vertices: np.ndarray
    faces: np.ndarray
    scale: np.ndarray
    pos: np.ndarray
    quat: np.ndarray
    frames: np.ndarray  # normal and two tangents of each vertex, (3 n, 3); empty for meshes without
    maxhullvert: int  # most vertices of the hull, -1 for no bound
    points: np.ndarray  # the vertices as the hull is made of them
    source: Any = None
    needs_octree: bool = False

    @property
    def name(self) -> str:
        """Name of the mesh, empty if it has none."""
        return str(getattr(self.source, "name", ""))

    @property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Smallest and largest corner of the vertices."""
        return self.vertices.min(axis=0), self.vertices.max(axis=0)

    @cached_property
    def octree(self) -> Octree:
        """Its signed distance field."""
        return octree(self.vertices, self.faces)


class MeshSet:
    """The distinct meshes of a model in order of first use."""

    def __init__(self) -> None:
        self.meshes: list[CompiledMesh] = []
        self._ids: dict[tuple, int] = {}

    def add(self, name: str, mesh: Any, scale: np.ndarray, pos: np.ndarray, quat: np.ndarray) -> int:
        """Id of a mesh source at a scale, compiled on first use.

        Args:
            name: Shape the mesh belongs to, for messages.
            mesh: Object with ``vertices`` (n, 3) and flat ``indices``; with ``normals`` of shape (3 n, 3), a normal
                and two tangents for each vertex, for tactile sensors; with ``field``, a ``FieldInstance``, for geoms of type sdf.
            scale: Scale along the mesh's axes.
            pos: Origin of the inertial frame in the scaled mesh; NaN derives the frame.
            quat: Axes of the inertial frame, wxyz; zero derives the frame.
        """
        field = getattr(mesh, "field", None)
        mesh = getattr(mesh, "base", None) or mesh
        key = (id(mesh), tuple(scale), pos.tobytes(), quat.tobytes())
        if key not in self._ids:
            vertices = np.asarray(mesh.vertices, dtype=np.float64).reshape(-1, 3) * scale
            faces = np.asarray(mesh.indices, dtype=np.int64).reshape(-1, 3)
            if np.prod(scale) < 0:
                faces = faces[:, [0, 2, 1]]
            if getattr(mesh, "made_of", None) is not None:
                if np.any(scale != 1.0):
                    _refuse(name, f"scale {scale.tolist()} of the surface of a distance field", "1 1 1: its parameters make it larger")
                pos, quat = np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])
            elif np.any(np.isnan(pos)) or not np.any(quat):
                pos, quat = _inertial_frame(name, vertices[faces])
            points = getattr(mesh, "hull_points", None)
            points = vertices if points is None else np.asarray(points, dtype=np.float64)
            quat = frames.unit(quat)
            local = frames.rotate(quat * np.array([1.0, -1.0, -1.0, -1.0]), vertices - pos)
            self._ids[key] = len(self.meshes)
            bound = getattr(mesh, "maxhullvert", None)
            bound = -1 if bound is None else int(bound)
            self.meshes.append(CompiledMesh(local, faces, np.asarray(scale), pos, quat, _frames(mesh, quat), bound, points, mesh))
        number = self._ids[key]
        self.meshes[number].needs_octree |= field is not None and not field.plugin
        return number

    def octrees(self) -> tuple[dict[str, np.ndarray], dict[str, int]]:
        """The ``mesh_oct*`` and ``oct_*`` fields, of meshes that collide as their own distance fields, and ``noct``."""
        made = [mesh.octree for mesh in self.meshes if mesh.needs_octree]
        number = np.array([len(mesh.octree.level) if mesh.needs_octree else 0 for mesh in self.meshes], dtype=np.int32)
        tables = {
            "mesh_octnum": number,
            "mesh_octadr": np.where(number > 0, np.cumsum(number) - number, -1).astype(np.int32),
            "oct_depth": np.concatenate([o.level for o in made] or [np.zeros(0, dtype=np.int32)]),
            "oct_child": np.concatenate([o.child for o in made] or [np.zeros((0, 8), dtype=np.int32)]),
            "oct_aabb": np.concatenate([o.box for o in made] or [np.zeros((0, 6))]),
            "oct_coeff": np.concatenate([o.coeff for o in made] or [np.zeros((0, 8))]),
        }
        return tables, {"noct": int(number.sum())}

    def sizes(self) -> dict[str, int]:
        """``nmesh``, ``nmeshvert``, ``nmeshface`` and ``nmeshnormal``."""
        return {
            "nmesh": len(self.meshes),
            "nmeshvert": sum(len(m.vertices) for m in self.meshes),
            "nmeshface": sum(len(m.faces) for m in self.meshes),
            "nmeshnormal": sum(len(m.frames) for m in self.meshes),
        }

    def tables(self) -> dict[str, np.ndarray]:
        """The ``mesh_*`` fields."""
        vertnum = np.array([len(m.vertices) for m in self.meshes], dtype=np.int32)
        facenum = np.array([len(m.faces) for m in self.meshes], dtype=np.int32)
        normalnum = np.array([len(m.frames) for m in self.meshes], dtype=np.int32)
        stack = {
            key: np.array([getattr(m, key) for m in self.meshes], dtype=np.float64).reshape(-1, width) for key, width in (("scale", 3), ("pos", 3), ("quat", 4))
        }
        return {
            "mesh_vertnum": vertnum,
            "mesh_vertadr": np.cumsum(vertnum) - vertnum,
            "mesh_facenum": facenum,
            "mesh_faceadr": np.cumsum(facenum) - facenum,
            "mesh_normal": np.concatenate([m.frames for m in self.meshes] or [np.zeros((0, 3))]),
            "mesh_normalnum": normalnum,
            "mesh_normaladr": np.cumsum(normalnum) - normalnum,
            "mesh_graphadr": np.full(len(self.meshes), -1, dtype=np.int32),
            "mesh_vert": np.concatenate([m.vertices for m in self.meshes] or [np.zeros((0, 3))]),
            "mesh_face": np.concatenate([m.faces for m in self.meshes] or [np.zeros((0, 3))]),
            **{f"mesh_{key}": value for key, value in stack.items()},
        }


def _frames(mesh: Any, quat: np.ndarray) -> np.ndarray:
    """The frames of a mesh's vertices in its inertial frame; empty if it has plain normals or none."""
    normals = getattr(mesh, "normals", None)
    normals = np.zeros((0, 3)) if normals is None else np.asarray(normals, dtype=np.float64).reshape(-1, 3)
    if len(normals) != 3 * len(np.asarray(mesh.vertices).reshape(-1, 3)):
        return np.zeros((0, 3))
    return frames.rotate(quat * np.array([1.0, -1.0, -1.0, -1.0]), normals)


def _inertial_frame(name: str, corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Centre of mass and principal axes of the solid inside triangles (n, 3, 3)."""
    area, _, centre = _triangles(corners)
    if area.sum() < MINVAL:
        _refuse(name, "a mesh without surface area", "triangles with a positive area")
    inner = (area[:, None] * centre).sum(axis=0) / area.sum()
    volume = _volumes(corners - inner)
    if volume.sum() < MINVAL:
        _refuse(name, f"a mesh of volume {volume.sum():.3g} m³", "a surface that encloses a volume")
    com = (volume[:, None] * (0.75 * centre + 0.25 * inner)).sum(axis=0) / volume.sum()
    moments, quat = frames.eig3(_inertia(corners - com))
    if moments[2] <= 0:
        _refuse(name, f"a mesh with principal moments {moments.tolist()}", "positive moments")
    return com, quat


def _triangles(corners: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Area, unit normal and centre of triangles (n, 3, 3)."""
    cross = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(cross, axis=-1)
    keep = length > MINVAL
    normal = np.where(keep[:, None], cross / np.where(keep, length, 1.0)[:, None], 0.0)
    return np.where(keep, 0.5 * length, 0.0), normal, corners.mean(axis=1)


def _volumes(corners: np.ndarray) -> np.ndarray:
    """Volumes of the pyramids between triangles and the origin, without sign."""
    area, normal, centre = _triangles(corners)
    return np.abs(np.einsum("ni,ni->n", centre, normal)) * area / 3.0


def _inertia(corners: np.ndarray) -> np.ndarray:
    """Inertia matrix about the origin of the pyramids below triangles (n, 3, 3), for density one."""
    weight = _volumes(corners) / 20.0
    total = corners.sum(axis=1)
    products = np.einsum("n,nki,nkj->ij", weight, corners, corners) + np.einsum("n,ni,nj->ij", weight, total, total)
    return np.trace(products) * np.eye(3) - products


def _refuse(name: str, given: str, allowed: str) -> None:
    raise_all(ModelError, "conversion", [problem(f"shape '{name}'", given, allowed, "repair the mesh file")])
