"""Geoms and sites as UsdGeom shapes, meshes in a library, contact parameters and materials; cameras and lights."""

from __future__ import annotations

from typing import Any

import numpy as np
from pxr import Sdf

from newtonish.common.geoms import GEOMS
from newtonish.exporters.usd.forces import Forces
from newtonish.exporters.usd.kept import Keeper, differs, same
from newtonish.exporters.usd.layer import StageLayer
from newtonish.exporters.usd.looks import LookWriter
from newtonish.exporters.usd.materials import MaterialWriter
from newtonish.exporters.usd.meshes import MeshWriter
from newtonish.exporters.usd.optics import write_camera, write_light
from newtonish.mjcf.language.read import Node

__all__ = ["ShapeWriter"]

TYPES = Sdf.ValueTypeNames
ROUND = 1e-5
"""Relative difference of half axes below which an ellipsoid is read as a sphere."""
GREY = [0.5, 0.5, 0.5, 1.0]
"""Colour of shapes that say nothing of it."""
DRAWN = 20.0
"""Side of a plane without end as it is drawn [m]."""
PRIMS = {
    "plane": "Plane",
    "hfield": "Mesh",
    "sphere": "Sphere",
    "capsule": "Capsule",
    "ellipsoid": "Sphere",
    "cylinder": "Cylinder",
    "box": "Cube",
    "mesh": "Mesh",
}
USED = {word: row.sizes for word, row in GEOMS.items()}
"""Sizes that each type of shape uses and the prim holds."""
CONTACT = {
    "condim": TYPES.Int, "priority": TYPES.Int, "contype": TYPES.Int, "conaffinity": TYPES.Int, "solmix": TYPES.Double, "solref": TYPES.DoubleArray,
    "solimp": TYPES.DoubleArray, "margin": TYPES.Double, "gap": TYPES.Double,
}  # fmt: skip
FORM = {"type", "size", "pos", "quat", "mesh", "hfield", "rgba", "group", "mass"}


class ShapeWriter:
    """Writes shapes, cameras and lights."""

    def __init__(self, layer: StageLayer, keeper: Keeper, meshes: MeshWriter, materials: MaterialWriter, looks: LookWriter, forces: Forces) -> None:
        self._layer, self._keeper, self._meshes, self._materials, self._looks, self._forces = layer, keeper, meshes, materials, looks, forces

    def write(self, node: Node, path: str) -> None:
        """Write one element of a body."""
        if node.tag == "camera":
            spec = write_camera(self._layer, self._keeper, node, path)
        elif node.tag == "light":
            spec = write_light(self._layer, self._keeper, node, path)
        else:
            spec = self._shape(node, path)
        self._layer.show(spec, node.values.get("name", ""))

    def _shape(self, node: Node, path: str) -> Any:
        """Write a geom or a site."""
        values, put = node.values, self._layer.put
        kind = values["type"]
        ball = kind == "ellipsoid" and _collides(node)  # UsdPhysics has no colliders that are squeezed spheres
        spec = self._layer.define(path, "Mesh" if ball else PRIMS[kind])
        scale = self._form(spec, node, kind)
        self._layer.place(spec, values["pos"], values["quat"], scale)
        colour = self._looks.colour(values, not same(values["rgba"], GREY))
        put(spec, "primvars:displayColor", TYPES.Color3fArray, [colour[:3]])
        if colour[3] != 1.0:
            put(spec, "primvars:displayOpacity", TYPES.FloatArray, [colour[3]])
        self._looks.bind(spec, node)
        if node.tag == "site":
            self._layer.apply(spec, "MjcSiteAPI", "NewtonSiteAPI")
            put(spec, "purpose", TYPES.Token, "guide", uniform=True)
            self._keeper.mjc(spec, node, "group", TYPES.Int)
            self._keeper.rest(spec, node, FORM)
        elif _collides(node):
            self._collider(spec, node, kind)
        else:
            self._layer.apply(spec, "MjcImageableAPI")
            self._keeper.mjc(spec, node, "group", TYPES.Int)
            self._keeper.rest(spec, node, FORM | {"contype", "conaffinity"})
        return spec

    def _form(self, spec: Any, node: Node, kind: str) -> Any:
        """Write what shape it is; returns the scale of its prim."""
        put, values = self._layer.put, node.values
        size = list(values.get("size", ()))
        ball = kind == "ellipsoid" and _collides(node)
        if ball:
            self._keeper.one(spec, node, "type")
            self._meshes.use(spec, self._meshes.ball())
        elif kind in ("plane", "ellipsoid") or (node.tag == "site" and any(size[USED[kind] :])):
            self._keep_size(spec, node, kind, size)
        scale = None
        if ball:
            return size
        if kind == "mesh":
            self._meshes.use(spec, values["mesh"])
        elif kind == "hfield":
            self._meshes.terrain(spec, node)
        elif kind == "sphere":
            put(spec, "radius", TYPES.Double, size[0])
        elif kind == "ellipsoid":
            put(spec, "radius", TYPES.Double, 1.0)
            scale = size
        elif kind == "box":
            put(spec, "size", TYPES.Double, 2.0)
            scale = size
        elif kind == "plane":
            put(spec, "axis", TYPES.Token, "Z", uniform=True)
            for name, half in zip(("width", "length"), size):
                put(spec, name, TYPES.Double, 2.0 * half or DRAWN)
        else:
            put(spec, "axis", TYPES.Token, "Z", uniform=True)
            put(spec, "radius", TYPES.Double, size[0])
            put(spec, "height", TYPES.Double, 2.0 * size[1])
        extent = _extent(kind, size)
        if extent is not None:
            put(spec, "extent", TYPES.Float3Array, [0.0 - extent, extent])
        return scale

    def _keep_size(self, spec: Any, node: Node, kind: str, size: list[float]) -> None:
        """Keep sizes that the prim would be read otherwise: of planes without end, of round ellipsoids, ones that no shape uses."""
        if kind == "ellipsoid" and np.ptp(size) > ROUND * max(size):
            return
        if kind == "ellipsoid":
            self._keeper.one(spec, node, "type")
        if kind != "plane" or size[:2] != [1.0, 1.0] or size[2:] != [1.0]:
            self._keeper.one(spec, node, "size")

    def _collider(self, spec: Any, node: Node, kind: str) -> None:
        """Write how a shape collides."""
        layer, values = self._layer, node.values
        layer.apply(spec, "PhysicsCollisionAPI", "MjcCollisionAPI")
        if kind in ("mesh", "ellipsoid"):
            layer.apply(spec, "PhysicsMeshCollisionAPI", "MjcMeshCollisionAPI")
            layer.put(spec, "physics:approximation", TYPES.Token, "convexHull", uniform=True)
        gains = self._forces.contacts.get(values["name"]) if layer.newton else None
        layer.say(spec, "contactMargin", values.get("margin", 0.0))
        layer.say(spec, "contactGap", values.get("gap", 0.0))
        if kind == "mesh":
            self._meshes.bound(spec, values["mesh"])
        done = FORM | {"friction"} | ({"solref"} if gains else set()) | (set() if layer.mjc else {"margin", "gap"})
        for name, word in CONTACT.items():
            if name not in done and name in values and differs(node, name):
                self._keeper.mjc(spec, node, name, word)
        self._keeper.mjc(spec, node, "group", TYPES.Int)
        self._materials.bind(spec, values["friction"], gains or ())
        self._keeper.rest(spec, node, done | {*CONTACT})


def _collides(node: Node) -> bool:
    """Whether an element is a geom that meets others."""
    return node.tag == "geom" and bool(node.values["contype"] or node.values["conaffinity"])


def _extent(kind: str, size: list[float]) -> np.ndarray | None:
    """Half extent of a shape in its prim's own coordinates."""
    if kind == "sphere":
        return np.full(3, size[0])
    if kind in ("box", "ellipsoid"):
        return np.ones(3)
    if kind == "plane":
        return np.array([0.5 * (2.0 * half or DRAWN) for half in size[:2]] + [0.0])
    if kind in ("capsule", "cylinder"):
        return np.array([size[0], size[0], size[1] + (size[0] if kind == "capsule" else 0.0)])
    return None
