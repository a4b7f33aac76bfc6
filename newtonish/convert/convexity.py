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
from newtonish.model.decomposition import is_convex

__all__ = ["note_hulls"]


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
        remedy = "cut it into convex parts (ModelBuilder.approximate_meshes), or find contacts outside of the solver"
        warnings.warn(problem(f"shape '{hollow[0]}'", given, allowed, remedy), NewtonishWarning, stacklevel=5)
