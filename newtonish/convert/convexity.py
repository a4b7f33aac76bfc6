"""The note that meshes with hollows collide as their convex hulls."""

from __future__ import annotations

import warnings

import numpy as np

from newtonish.common.enums import GeomType
from newtonish.convert.collision_rules import CollisionRules
from newtonish.convert.geoms import ShapeList
from newtonish.convert.meshes import MeshSet
from newtonish.convert.worlds import Worlds
from newtonish.errors import NewtonishWarning, problem

__all__ = ["is_convex", "note_hulls"]

DEPTH = 0.01
"""Hollows less deep than this share of a mesh's size are none."""
_FACES = 256  # handled together, so that most hollows are found early


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


def note_hulls(worlds: Worlds, shapes: ShapeList, rules: CollisionRules, kind: np.ndarray, dataid: np.ndarray, meshes: MeshSet) -> None:
    """Name colliding meshes with hollows in one warning.

    Shapes with authored masks are left out: those who write MJCF know that its meshes are hulls.
    """
    collides = ((rules.contype != 0) | (rules.conaffinity != 0)) & ~rules.authored & (kind == GeomType.MESH)
    convex: dict[int, bool] = {}
    hollow = []
    for geom in np.flatnonzero(collides).tolist():
        for w, i in zip(*np.unique(dataid[:, geom], return_index=True)[::-1], strict=True):
            mesh = meshes.meshes[i]
            convex.setdefault(int(i), is_convex(mesh.vertices, mesh.faces))
            if not convex[int(i)]:
                row = worlds.index["shape"][worlds.distinct[w]][shapes.geom[geom]]
                hollow.append(worlds.source.labels("shape")[row])
    if hollow:
        more = f" (and {len(hollow) - 1} more shapes)" if len(hollow) > 1 else ""
        given, allowed = f"a mesh with hollows{more}", "convex meshes: it collides as its convex hull"
        remedy = "cut it into convex parts, or find contacts outside of the solver"
        warnings.warn(problem(f"shape '{hollow[0]}'", given, allowed, remedy), NewtonishWarning, stacklevel=5)
