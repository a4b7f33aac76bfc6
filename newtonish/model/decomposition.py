"""Other geometry in a mesh's place: convex parts, its convex hull, or the least box or ball around it.

Parts are cut by CoACD (Wei et al., "Approximate Convex Decomposition for 3D Meshes with Collision-Aware Concavity and Tree Search", SIGGRAPH 2022), the extra ``decompose``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from newtonish.errors import ModelError, UnsupportedError, problem
from newtonish.model.enums import GeoType
from newtonish.model.geometry import Mesh

__all__ = ["Decomposition", "convex_hull", "decompose", "is_convex", "least_ball", "least_box"]

DEPTH = 0.01
"""Hollows less deep than this share of a mesh's size are none."""
_FACES = 256  # handled together, so that most hollows are found early
_MOST_VERTICES = 256  # of a part, where the mesh sets no bound


def is_convex(vertices: np.ndarray, faces: np.ndarray) -> bool:
    """Whether no vertex lies in front of a triangle by more than ``DEPTH`` of the mesh's size."""
    limit = DEPTH * float(np.ptp(vertices, axis=0).max(initial=0.0))
    for first in range(0, len(faces), _FACES):
        a, b, c = (vertices[faces[first : first + _FACES, k]] for k in range(3))
        normal = np.cross(b - a, c - a)
        length = np.linalg.norm(normal, axis=-1)
        normal = normal[length > 0.0] / length[length > 0.0, None]
        height = normal @ vertices.T - np.einsum("ni,ni->n", normal, a[length > 0.0])[:, None]
        inside_out = -height.min(axis=1) <= limit  # everything lies in front: the triangle is turned inside out
        height[inside_out] *= -1.0
        if np.any(height > limit):
            return False
    return True


class Decomposition(NamedTuple):
    """A mesh in convex parts.

    Attributes:
        parts: Convex meshes in the frame of the mesh, the largest first.
        volume: That of the mesh [m^3]; not above zero where its triangles do not close.
        parts_volume: Sum over the parts [m^3].
        hull_volume: That of the convex hull of the mesh [m^3].
    """

    parts: list[Mesh]
    volume: float
    parts_volume: float
    hull_volume: float

    def __str__(self) -> str:
        number = "1 convex part" if len(self.parts) == 1 else f"{len(self.parts)} convex parts"
        vertices = sum(len(part.vertices) for part in self.parts)
        if not self.volume > 0.0:
            return f"collides as {number} of {vertices} vertices"
        share, hull = self.parts_volume / self.volume, self.hull_volume / self.volume
        return f"collides as {number} of {vertices} vertices, {share:.3g} times its volume (its convex hull: {hull:.3g} times)"


def decompose(mesh: Mesh, what: str, threshold: float = 0.05, max_convex_hull: int = -1, seed: int = 0, **options: Any) -> Decomposition:
    """Cut a mesh into convex parts, the same ones each time; a mesh without hollows is one part.

    Args:
        mesh: What is cut; ``mesh.maxhullvert`` bounds the vertices of each part.
        what: Its name in messages.
        threshold: CoACD's bound on concavity, 0.01 (fine) to 1 (coarse).
        max_convex_hull: Most parts; -1 for no bound.
        seed: Of CoACD's search.
        **options: Further arguments of ``coacd.run_coacd``.

    Raises:
        UnsupportedError: ``coacd`` is not installed, or cannot cut this mesh.
        ModelError: an option that CoACD does not have.
    """
    hull = convex_hull(mesh)
    if is_convex(mesh.vertices, mesh.triangles):
        return Decomposition([hull], mesh.mass if mesh.has_inertia else hull.mass, hull.mass, hull.mass)
    try:
        import coacd
    except ImportError:
        text = problem(f"decomposition of {what}", "no coacd", "an installed coacd", "install it with pip install 'newtonish[decompose]'")
        raise UnsupportedError(text) from None
    bound = mesh.maxhullvert if mesh.maxhullvert is not None and mesh.maxhullvert > 3 else _MOST_VERTICES
    given = {"max_ch_vertex": bound, "decimate": bound < _MOST_VERTICES, **options}
    coacd.set_log_level("error")
    try:
        found = coacd.run_coacd(coacd.Mesh(mesh.vertices, mesh.triangles), threshold=threshold, max_convex_hull=max_convex_hull, seed=seed, **given)
    except TypeError as error:
        allowed = "threshold, max_convex_hull, seed, and arguments of coacd.run_coacd"
        raise ModelError(problem(f"decomposition of {what}: options", str(error), allowed, "correct them")) from error
    except (RuntimeError, ValueError, AssertionError, MemoryError) as error:
        text = problem(f"decomposition of {what}", f"a mesh that CoACD cannot cut ({error})", "a mesh with a volume", "repair it, or cut it by hand")
        raise UnsupportedError(text) from error
    parts = [convex_hull(Mesh(points, faces, maxhullvert=mesh.maxhullvert)) for points, faces in found if _has_volume(points)]
    if not parts:
        raise UnsupportedError(problem(f"decomposition of {what}", "no part with a volume", "a mesh with a volume", "let it collide as its convex hull"))
    parts.sort(key=lambda part: -part.mass)
    for number, part in enumerate(parts):
        part.name = f"{mesh.name or 'mesh'}_{number}"
        part.color, part.opacity, part.roughness, part.metallic = mesh.color, mesh.opacity, mesh.roughness, mesh.metallic
    return Decomposition(parts, mesh.mass if mesh.has_inertia else 0.0, sum(part.mass for part in parts), hull.mass)


def convex_hull(mesh: Mesh) -> Mesh:
    """The convex hull as a mesh of its own, with the mesh's name and bound of vertices; a flat mesh stays as it is."""
    from scipy.spatial import ConvexHull

    if not _has_volume(mesh.vertices):
        return mesh
    hull = ConvexHull(mesh.vertices)
    corners = hull.simplices
    inward = np.einsum("ij,ij->i", np.cross(*_edges(mesh.vertices, corners)), hull.equations[:, :3]) < 0.0
    corners = np.where(inward[:, None], corners[:, ::-1], corners)
    used, indices = np.unique(corners, return_inverse=True)
    result = Mesh(mesh.vertices[used], indices.reshape(-1), maxhullvert=mesh.maxhullvert, name=mesh.name)
    result.color, result.opacity, result.roughness, result.metallic = mesh.color, mesh.opacity, mesh.roughness, mesh.metallic
    return result


def least_box(mesh: Mesh) -> tuple[GeoType, np.ndarray, np.ndarray]:
    """The box of least volume around a mesh, in any direction: its type, its pose in the mesh's frame and its half extents [m]."""
    from scipy.spatial.transform import Rotation
    from trimesh.bounds import oriented_bounds

    into_box, extents = oriented_bounds(mesh.vertices)
    box = np.linalg.inv(into_box)
    return GeoType.BOX, np.concatenate([box[:3, 3], Rotation.from_matrix(box[:3, :3]).as_quat()]), 0.5 * np.asarray(extents)


def least_ball(mesh: Mesh) -> tuple[GeoType, np.ndarray, np.ndarray]:
    """The least ball around a mesh: its type, its pose in the mesh's frame, and its radius [m] as a size."""
    from trimesh.nsphere import minimum_nsphere

    centre, radius = minimum_nsphere(mesh.vertices)
    return GeoType.SPHERE, np.array([*centre, 0.0, 0.0, 0.0, 1.0]), np.array([radius, 0.0, 0.0])


def _edges(vertices: np.ndarray, triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two edges of each triangle, (m, 3) each."""
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    return b - a, c - a


def _has_volume(points: Any) -> bool:
    """Whether points lie in no common plane, to a millionth of their extent."""
    points = np.asarray(points, dtype=np.float64)
    if len(points) < 4:
        return False
    spread = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    return bool(spread[2] > 1e-6 * spread[0])
