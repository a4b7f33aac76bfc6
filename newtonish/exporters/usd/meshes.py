"""Meshes in a library that shapes refer to, and heightfields as surfaces with their numbers beside them."""

from __future__ import annotations

from typing import Any

import numpy as np
from pxr import Sdf

from newtonish.exporters.usd.kept import PREFIX, Keeper
from newtonish.exporters.usd.layer import StageLayer, identifier
from newtonish.mjcf.language.read import Node

__all__ = ["MeshWriter"]

TYPES = Sdf.ValueTypeNames
SCOPE = "Meshes"
BALL, RINGS = "unit_sphere", 12


class MeshWriter:
    """Writes surfaces.

    Args:
        layer: Where to.
        keeper: Writes what the schemas have no word for.
        root: The ``mujoco`` element.
        top: Path of the default prim.
        painted: Texture coordinates of the corners of each triangle (m, 3, 2) by the names of meshes, v down from a picture's first row.
    """

    def __init__(self, layer: StageLayer, keeper: Keeper, root: Node, top: str, painted: dict[str, np.ndarray]) -> None:
        self._layer, self._keeper, self._scope, self._painted = layer, keeper, f"{top}/{SCOPE}", painted
        assets = [child for section in root.sections("asset") for child in section.children]
        self._meshes = {node.values["name"]: node for node in assets if node.tag == "mesh"}
        taken = {BALL}
        self._paths = {name: f"{self._scope}/{identifier(name, taken, 'mesh')}" for name in self._meshes} | {BALL: f"{self._scope}/{BALL}"}
        self._fields = {node.values["name"]: node for node in assets if node.tag == "hfield"}

    def _library(self) -> None:
        """Make the scope of the library: abstract prims, which are drawn only where they are referred to."""
        if not self._layer.layer.GetPrimAtPath(self._scope):
            self._layer.define(self._scope, "Scope", specifier=Sdf.SpecifierClass)

    def write(self) -> None:
        """Write the meshes."""
        if self._meshes:
            self._library()
        for number, (name, node) in enumerate(self._meshes.items()):
            values = node.values
            scale = np.array(values.get("scale", [1.0] * 3))
            points, faces = np.array(values["vertex"]).reshape(-1, 3) * scale, np.array(values["face"]).reshape(-1, 3)
            spec = self._layer.define(self._paths[name], "Mesh")
            self._layer.show(spec, name)
            self._surface(spec, points, faces if np.prod(scale) > 0 else faces[:, ::-1])
            if name in self._painted:
                self._coordinates(spec, self._painted[name])
            mjc = self._layer.mjc
            self._layer.put(spec, "mjc:inertia" if mjc else f"{PREFIX}:mesh:inertia", TYPES.Token, values["inertia"], uniform=True, custom=not mjc)
            if values.get("maxhullvert", -1) > 0:  # newton:maxHullVertices is for colliders alone
                self._layer.put(
                    spec, "mjc:maxhullvert" if mjc else f"{PREFIX}:mesh:maxhullvert", TYPES.Int, values["maxhullvert"], uniform=True, custom=not mjc
                )
            self._layer.put(spec, f"{PREFIX}:mesh:number", TYPES.Int, number, uniform=True, custom=True)

    def use(self, spec: Any, name: str) -> None:
        """Make a shape a copy of a mesh of the library."""
        spec.referenceList.Prepend(Sdf.Reference(primPath=Sdf.Path(self._paths[name])))

    def bound(self, spec: Any, name: str) -> None:
        """Say how many vertices the hull of a shape's mesh may have."""
        most = self._meshes[name].values.get("maxhullvert", -1)
        if most > 0:
            self._layer.say(spec, "maxHullVertices", most)

    def ball(self) -> str:
        """Name of a sphere of radius one as a mesh, for what becomes an ellipsoid by its scale."""
        if not self._layer.layer.GetPrimAtPath(self._paths[BALL]):
            self._library()
            high, round_ = (np.arange(1, RINGS) * np.pi / RINGS)[:, None], np.arange(2 * RINGS) * np.pi / RINGS
            rings = [np.sin(high) * np.cos(round_), np.sin(high) * np.sin(round_), np.cos(high) * np.ones_like(round_)]
            points = np.concatenate([[[0.0, 0.0, 1.0]], np.stack(rings, axis=-1).reshape(-1, 3), [[0.0, 0.0, -1.0]]])
            here = np.arange(2 * RINGS)
            after, last = np.roll(here, -1), len(points) - 1
            faces = [np.column_stack([0 * here, 1 + here, 1 + after]), np.column_stack([last + 0 * here, last - 1 - here, last - 1 - after])]
            for ring in range(RINGS - 2):
                top, low = 1 + 2 * RINGS * ring, 1 + 2 * RINGS * (ring + 1)
                faces += [np.column_stack([top + here, low + here, low + after]), np.column_stack([top + here, low + after, top + after])]
            self._surface(self._layer.define(self._paths[BALL], "Mesh"), points, np.concatenate(faces))
        return BALL

    def terrain(self, spec: Any, node: Node) -> None:
        """Write a heightfield as a surface, and its samples."""
        field = self._fields[node.values["hfield"]]
        rows, columns = field.values["nrow"], field.values["ncol"]
        half_x, half_y, top, _ = field.values["size"]
        heights = np.array(field.values["elevation"]).reshape(rows, columns)[::-1]
        span = float(np.ptp(heights)) or 1.0
        grid = np.meshgrid(np.linspace(-half_x, half_x, columns), np.linspace(-half_y, half_y, rows))
        points = np.column_stack([grid[0].ravel(), grid[1].ravel(), ((heights - heights.min()) / span * top).ravel()])
        corner = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).ravel()
        below, above = [corner, corner + 1, corner + columns + 1], [corner, corner + columns + 1, corner + columns]
        self._surface(spec, points, np.concatenate([np.column_stack(below), np.column_stack(above)]))
        for name in ("nrow", "ncol", "size", "elevation"):
            self._keeper.one(spec, field, name, "hfield:")

    def _coordinates(self, spec: Any, corners: np.ndarray) -> None:
        """Write texture coordinates of corners, each pair of numbers once; USD counts v from the bottom."""
        pairs, places = np.unique((corners * [1.0, -1.0] + [0.0, 1.0]).reshape(-1, 2).astype(np.float32), axis=0, return_inverse=True)
        attribute = self._layer.put(spec, "primvars:st", TYPES.TexCoord2fArray, pairs)
        attribute.SetInfo("interpolation", "faceVarying")
        self._layer.put(spec, "primvars:st:indices", TYPES.IntArray, places.ravel())

    def _surface(self, spec: Any, points: np.ndarray, faces: np.ndarray) -> None:
        """Write points and triangles."""
        put = self._layer.put
        put(spec, "points", TYPES.Point3fArray, points)
        put(spec, "faceVertexCounts", TYPES.IntArray, [3] * len(faces))
        put(spec, "faceVertexIndices", TYPES.IntArray, faces.ravel())
        put(spec, "subdivisionScheme", TYPES.Token, "none", uniform=True)
        put(spec, "extent", TYPES.Float3Array, [points.min(axis=0), points.max(axis=0)])
