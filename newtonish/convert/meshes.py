"""Meshes in their own inertial frame: MuJoCo stores a mesh centred at its centre of mass, axes along the principal ones.

A geom that shows a mesh is moved by the inverse, so that the surface stays where it was. Mass properties come from the pyramids
(face, reference point) of the triangles, as in Mirtich, Fast and Accurate Computation of Polyhedral Mass Properties
(1996); which triangles and signs count is the mesh's ``inertia`` mode. Principal moments that are equal leave the axes to
rounding: a mesh with a rotational symmetry may then get other axes than MuJoCo's, for the same surface.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial import ConvexHull

from newtonish.convert import frames
from newtonish.errors import ModelError, problem, raise_all

__all__ = ["CompiledMesh", "MeshSet"]

CONVEX, LEGACY, EXACT, SHELL = 0, 1, 2, 3
_PAIRS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))


@dataclass(frozen=True)
class CompiledMesh:
    """A mesh in its inertial frame; ``pos`` and ``quat`` place that frame in the frame the vertices came in."""

    vertices: np.ndarray
    faces: np.ndarray
    scale: np.ndarray
    pos: np.ndarray
    quat: np.ndarray

    @property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Smallest and largest corner of the vertices."""
        return self.vertices.min(axis=0), self.vertices.max(axis=0)


class MeshSet:
    """The distinct meshes of a model in order of first use."""

    def __init__(self) -> None:
        self.meshes: list[CompiledMesh] = []
        self._ids: dict[tuple, int] = {}

    def add(self, name: str, mesh: object, scale: np.ndarray, inertia: int) -> int:
        """Id of a mesh source at a scale, compiled on first use.

        Args:
            name: Shape the mesh belongs to, for messages.
            mesh: Object with ``vertices`` (n, 3) and flat ``indices``.
            scale: Scale along the mesh's axes.
            inertia: 0 convex, 1 legacy, 2 exact, 3 shell.
        """
        key = (id(mesh), tuple(scale), inertia)
        if key not in self._ids:
            self._ids[key] = len(self.meshes)
            vertices = np.asarray(mesh.vertices, dtype=np.float64).reshape(-1, 3) * scale
            faces = np.asarray(mesh.indices, dtype=np.int64).reshape(-1, 3)
            if np.prod(scale) < 0:
                faces = faces[:, [0, 2, 1]]
            self.meshes.append(_compile(name, vertices, faces, np.asarray(scale), inertia))
        return self._ids[key]

    def sizes(self) -> dict[str, int]:
        """``nmesh``, ``nmeshvert`` and ``nmeshface``."""
        return {
            "nmesh": len(self.meshes),
            "nmeshvert": sum(len(m.vertices) for m in self.meshes),
            "nmeshface": sum(len(m.faces) for m in self.meshes),
        }

    def tables(self) -> dict[str, np.ndarray]:
        """The ``mesh_*`` fields."""
        vertnum = np.array([len(m.vertices) for m in self.meshes], dtype=np.int32)
        facenum = np.array([len(m.faces) for m in self.meshes], dtype=np.int32)
        stack = {
            key: np.array([getattr(m, key) for m in self.meshes], dtype=np.float64).reshape(-1, width)
            for key, width in (("scale", 3), ("pos", 3), ("quat", 4))
        }
        return {
            "mesh_vertnum": vertnum,
            "mesh_vertadr": np.cumsum(vertnum) - vertnum,
            "mesh_facenum": facenum,
            "mesh_faceadr": np.cumsum(facenum) - facenum,
            "mesh_vert": np.concatenate([m.vertices for m in self.meshes] or [np.zeros((0, 3))]),
            "mesh_face": np.concatenate([m.faces for m in self.meshes] or [np.zeros((0, 3))]),
            **{f"mesh_{key}": value for key, value in stack.items()},
        }


def _compile(name: str, vertices: np.ndarray, faces: np.ndarray, scale: np.ndarray, inertia: int) -> CompiledMesh:
    """Find the inertial frame of a mesh and express the vertices in it."""
    counted = _hull_faces(name, vertices, inertia) if inertia == CONVEX or not len(faces) else faces
    corners = vertices[counted]
    area, normal, centre = _triangles(corners)
    if area.sum() < 1e-15:
        _refuse(name, "a mesh without surface area", "a closed surface with a positive area")
    face_centre = (area[:, None] * centre).sum(axis=0) / area.sum()
    if inertia == SHELL:
        com = face_centre
    else:
        volume = np.einsum("ni,ni->n", centre - face_centre, normal) * area / 3.0
        volume = np.abs(volume) if inertia == LEGACY else volume
        if volume.sum() < 1e-15:
            _refuse(name, f"a mesh of volume {volume.sum():.3g} m³", "a closed surface with outward triangles")
        com = (volume[:, None] * (0.75 * centre + 0.25 * face_centre)).sum(axis=0) / volume.sum()
    moments, quat = frames.eig3(_inertia(corners - com, inertia))
    if moments[2] <= 0:
        _refuse(name, f"a mesh with principal moments {moments.tolist()}", "positive moments")
    inverse = quat * np.array([1.0, -1.0, -1.0, -1.0])
    return CompiledMesh(frames.rotate(inverse, vertices - com), faces if len(faces) else counted, scale, com, quat)


def _triangles(corners: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Area, unit normal and centre of triangles (n, 3, 3)."""
    cross = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(cross, axis=-1)
    keep = length > 1e-15
    normal = np.where(keep[:, None], cross / np.where(keep, length, 1.0)[:, None], 0.0)
    return np.where(keep, 0.5 * length, 0.0), normal, corners.mean(axis=1)


def _inertia(corners: np.ndarray, inertia: int) -> np.ndarray:
    """Inertia matrix about the origin of triangles (n, 3, 3), for density one."""
    area, normal, centre = _triangles(corners)
    weight = area if inertia == SHELL else np.einsum("ni,ni->n", centre, normal) * area / 3.0
    weight = np.abs(weight) if inertia == LEGACY else weight
    weight = weight / (12.0 if inertia == SHELL else 20.0)
    total = corners.sum(axis=1)
    products = np.zeros((3, 3))
    for i, j in _PAIRS:
        # 2·ΣDD + Σ of the mixed products = ΣDD + (ΣD)(ΣD) over the three corners
        value = (corners[:, :, i] * corners[:, :, j]).sum(axis=1) + total[:, i] * total[:, j]
        products[i, j] = products[j, i] = (weight * value).sum()
    return np.trace(products) * np.eye(3) - products


def _hull_faces(name: str, vertices: np.ndarray, inertia: int) -> np.ndarray:
    """Outward triangles of the convex hull."""
    if len(vertices) < 4:
        _refuse(name, f"a mesh of {len(vertices)} vertices", "at least 4 vertices")
    hull = ConvexHull(vertices)
    faces = hull.simplices.astype(np.int64)
    _, normal, _ = _triangles(vertices[faces])
    flip = np.einsum("ni,ni->n", normal, hull.equations[:, :3]) < 0
    faces[flip] = faces[flip][:, [0, 2, 1]]
    return faces


def _refuse(name: str, given: str, allowed: str) -> None:
    raise_all(ModelError, "conversion", [problem(f"shape '{name}'", given, allowed, "repair the mesh file")])
