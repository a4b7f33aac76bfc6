"""Bodies with their mass, nested as in the tree."""

from __future__ import annotations

from typing import Any

import numpy as np
from pxr import Sdf

from newtonish.exporters.usd.forces import Forces
from newtonish.exporters.usd.joints import JointWriter, Placed
from newtonish.exporters.usd.kept import Keeper
from newtonish.exporters.usd.layer import StageLayer
from newtonish.exporters.usd.paths import Paths
from newtonish.exporters.usd.shapes import ShapeWriter
from newtonish.importers import frames
from newtonish.mjcf.language.read import Node

__all__ = ["TreeWriter"]

TYPES = Sdf.ValueTypeNames
IDENTITY = (np.zeros(3), frames.IDENTITY)


class TreeWriter:
    """Writes the tree.

    Attributes:
        placed: Bodies by name, in order; the world is ``world``.
    """

    def __init__(self, layer: StageLayer, keeper: Keeper, paths: Paths, shapes: ShapeWriter, forces: Forces) -> None:
        self._layer, self._keeper, self._paths, self._shapes = layer, keeper, paths, shapes
        self._joints = JointWriter(layer, keeper, paths, forces)
        self.placed: dict[str, Placed] = {}
        self._pending: list[tuple[Placed, Placed, bool]] = []

    def write(self, world: Node) -> None:
        """Write everything that stands in the world, then the joints."""
        spec = self._layer.define(self._paths.world, "Scope")
        self._keeper.mark(spec, world, "worldbody")
        self.placed["world"] = Placed("", world, IDENTITY, IDENTITY)
        self._inside(world)
        self._bodies(world, self.placed["world"])
        self._layer.define(f"{self._paths.top}/Joints", "Scope")
        for above, body, root in self._pending:
            self._joints.between(above, body, root)

    def _inside(self, body: Node) -> None:
        """Write shapes, sites, cameras and lights of a body."""
        for child in body.children:
            if child.tag in ("geom", "site", "camera", "light"):
                self._shapes.write(child, self._paths.of[id(child)])

    def _bodies(self, node: Node, above: Placed) -> None:
        """Write the bodies in a body; what is attached to the world and has bodies below it heads an articulation."""
        for child in node.children:
            if child.tag != "body":
                continue
            values = child.values
            own = (np.array(values["pos"]), frames.normalize(values["quat"], "a quaternion"))
            placed = Placed(self._paths.of[id(child)], child, frames.compose(*above.world, *own), own)
            self.placed[values["name"]] = placed
            joints = [item for item in child.children if item.tag == "joint"]
            floats = bool(joints) and joints[0].values["type"] == "free"
            alone = len(joints) > 1 and not self._layer.mjc  # only an articulation says that joints between two bodies add up
            heads = above.path == "" and (alone or any(item.tag == "body" for item in child.children))
            spec = self._layer.define(placed.path, "Xform", ("PhysicsRigidBodyAPI", "PhysicsMassAPI"))
            if floats and heads:
                self._joints.root(spec, child)
            self._layer.place(spec, values["pos"], values["quat"])
            self._body(spec, child)
            self._pending.append((above, placed, heads and not floats and not values.get("mocap")))
            self._inside(child)
            self._bodies(child, placed)

    def _body(self, spec: Any, node: Node) -> None:
        """Write what a body says of itself, and its mass."""
        values, put = node.values, self._layer.put
        self._layer.show(spec, values["name"])
        quat = np.array(values["quat"])
        if frames.from_matrix(frames.to_matrix(quat)) @ quat < 0 and any(child.values.get("type") == "free" for child in node.children):
            self._keeper.one(spec, node, "quat")
        if values.get("user"):
            self._keeper.one(spec, node, "user")
        if values.get("mocap"):
            put(spec, "physics:kinematicEnabled", TYPES.Bool, True)
        if values.get("gravcomp"):
            self._keeper.mjc(spec, node, "gravcomp", TYPES.Double)
        if "sleep" in values:
            self._keeper.mjc(spec, node, "sleep", TYPES.Token)
        for inertial in (child for child in node.children if child.tag == "inertial"):
            own = inertial.values
            if own["mass"]:
                put(spec, "physics:mass", TYPES.Float, own["mass"])
                put(spec, "physics:centerOfMass", TYPES.Point3f, own["pos"])
                put(spec, "physics:diagonalInertia", TYPES.Float3, own["diaginertia"])
                put(spec, "physics:principalAxes", TYPES.Quatf, own["quat"])
            if not own["mass"] or not np.any(own["diaginertia"]):  # zeros stand for "from the shapes" in this schema
                self._keeper.rest(spec, inertial, prefix="inertial:", strict=True)
