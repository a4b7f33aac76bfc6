"""Geoms and sites: type, size and pose in the body's frame, contact parameters, and the mass a geom gives its body."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from newtonish.common.geoms import GEOMS
from newtonish.diagnostics import Diagnostics
from newtonish.importers import frames
from newtonish.importers.mjcf.assets.fields import FieldReader
from newtonish.importers.mjcf.assets.fitting import fit
from newtonish.importers.mjcf.assets.hfields import HeightfieldAsset
from newtonish.importers.mjcf.assets.materials import Looks
from newtonish.importers.mjcf.assets.meshes import MeshAsset
from newtonish.importers.mjcf.compiler import ORIENTATIONS, Settings
from newtonish.importers.mjcf.defaults import Defaults
from newtonish.importers.mjcf.inertia import MassProperties, primitive
from newtonish.importers.mjcf.tree import Body, Geom
from newtonish.mjcf.language.read import Node
from newtonish.mjcf.language.schema import nearest
from newtonish.model.fields import FieldInstance

__all__ = ["GeomReader"]

Frame = tuple[np.ndarray, np.ndarray]

SIZES = {word: row.sizes for word, row in GEOMS.items() if row.solid}
"""How many numbers of ``size`` each shape uses."""

FROM_TO = tuple(word for word, row in GEOMS.items() if row.fromto)
PLAIN_GREY = [0.5, 0.5, 0.5, 1.0]


class GeomReader:
    """Reads the geoms and sites of a file."""

    def __init__(
        self,
        settings: Settings,
        defaults: Defaults,
        meshes: dict[str, MeshAsset | None],
        hfields: dict[str, HeightfieldAsset | None],
        fields: FieldReader,
        looks: Looks,
        log: Diagnostics,
    ) -> None:
        self._settings = settings
        self._defaults = defaults
        self._meshes = meshes
        self._hfields = hfields
        self._fields = fields
        self._looks = looks
        self._log = log

    def geom(self, node: Node, childclass: str | None, frame: Frame, body: Body) -> Geom | None:
        """Read a geom that stands in ``frame`` of its body; None for a kind that is kept out."""
        values, authored = self._defaults.values(node, childclass)
        kind = values["type"]
        geom = self._placed(node, values, authored, frame)
        geom.material = self._looks.material(node, values)
        if not self._attach_mesh(geom) or not self._attach_hfield(geom) or not self._attach_field(geom):
            return None
        self._check_size(geom)
        self._check_numbers(geom)
        geom.rgba = self._colour(geom)
        if kind == "plane" and not _is_static(body):
            self._problem(geom, "type", "a plane on a moving body", "planes on static bodies", "use a box")
        self._weigh(geom)
        return geom

    def site(self, node: Node, childclass: str | None, frame: Frame) -> Geom | None:
        """Read a site that stands in ``frame`` of its body."""
        values, authored = self._defaults.values(node, childclass)
        if values["type"] in ("hfield", "sdf"):
            self._log.ignored("site.type", node.at("type"), f"{node.label} of type {values['type']}", "is kept out")
            return None
        geom = self._placed(node, values, authored, frame)
        geom.material = self._looks.material(node, values)
        geom.rgba = self._colour(geom)
        if geom.type == "mesh":
            if not self._attach_mesh(geom):
                return None
            self._properties(geom, False)
        if not np.isfinite(geom.size).all():
            self._problem(geom, "size", f"size {geom.size.tolist()}", "finite numbers", "correct it")
        return geom

    def _placed(self, node: Node, values: dict[str, Any], authored: set[str], frame: Frame) -> Geom:
        """Make a geom with its size and its pose from pos and orientation, or from ``fromto``."""
        kind = values["type"]
        size = np.zeros(3)
        given = values.get("size", [])
        size[: len(given)] = given
        if "fromto" in values:
            pos, quat = self._from_to(node, values, kind, size)
        else:
            pos = np.array(values["pos"])
            quat = self._settings.orientation(node, values, self._log)
        pos, quat = frames.compose(*frame, pos, quat)
        return Geom(node, values.get("name", ""), kind, size, pos, quat, values, authored)

    def _from_to(self, node: Node, values: dict[str, Any], kind: str, size: np.ndarray) -> Frame:
        """Read the two end points; the half length goes into the last size the shape uses."""
        log = self._log
        if kind not in FROM_TO:
            log.problem(node.at("fromto"), node.label, f"fromto for type {kind}", ", ".join(FROM_TO), "use pos and size")
        if "fromto" in node.text:
            if any(node.values.get("pos", ())):
                log.problem(node.at("pos"), node.label, "fromto and pos together", "one of them", "keep one")
            for name in (name for name in ORIENTATIONS if name in node.text):
                note = "has no effect beside fromto, as in MuJoCo"
                log.ignored("fromto.orientation", node.at(name), f"{node.label}, {name}", note)
        try:
            pos, quat, half = frames.from_to(values["fromto"])
        except ValueError as error:
            log.problem(node.at("fromto"), f"{node.label}, fromto", str(error), "two distinct points", "correct it")
            return np.zeros(3), frames.IDENTITY.copy()
        if kind in ("capsule", "cylinder"):
            size[1] = half
        else:
            size[1], size[2] = size[0], half
        return pos, quat

    def _check_size(self, geom: Geom) -> None:
        """Note sizes that make no shape, and clear the numbers that mean nothing."""
        if geom.hfield is not None:
            geom.size = geom.hfield.box
            return
        used = SIZES.get(geom.type, 3 if geom.type == "plane" else 0)
        geom.size[used:] = 0.0
        if not np.isfinite(geom.size).all() or np.any(np.abs(geom.size) > 1e10):
            self._problem(geom, "size", f"size {geom.size.tolist()}", "numbers below 1e10", "correct it")
        elif geom.type == "plane" and geom.size[2] <= 0:
            self._problem(geom, "size", f"size {geom.size.tolist()}", "a third number above zero, the grid spacing", "add it")
        elif geom.type in SIZES and np.any(geom.size[:used] <= 0):
            number = "one positive number" if used == 1 else f"{used} positive numbers"
            self._problem(geom, "size", f"size {geom.size[:used].tolist()} for type {geom.type}", number, "correct it")

    def _check_numbers(self, geom: Geom) -> None:
        """Note contact parameters out of range."""
        values = geom.values
        if values["condim"] not in (1, 3, 4, 6):
            self._problem(geom, "condim", str(values["condim"]), "1, 3, 4 or 6", "correct it")
        for name in ("friction", "solimp", "solref", "pos"):
            if not all(math.isfinite(v) for v in values[name]):
                self._problem(geom, name, str(values[name]), "finite numbers", "correct it")
        for name in ("mass", "density"):
            if not 0 <= values.get(name, 0.0) < math.inf:
                self._problem(geom, name, str(values[name]), "a number not below zero", "correct it")
        for name in ("margin", "gap", "solmix"):
            if not 0 <= values.get(name, 0.0) < math.inf:
                self._problem(geom, name, str(values[name]), "a number not below zero", "correct it")

    def _colour(self, geom: Geom) -> list[float]:
        """The geom's own colour, else its material's."""
        rgba = geom.values["rgba"]
        return list(geom.material.rgba) if rgba == PLAIN_GREY and geom.material is not None else rgba

    def _attach_mesh(self, geom: Geom) -> bool:
        """Find the mesh of a geom; False when the geom has to be left out."""
        name = geom.values.get("mesh")
        if geom.type not in ("mesh", "sdf") and not (name and geom.type in SIZES):
            return True
        if not name:
            self._problem(geom, "mesh", f"type {geom.type} without a mesh", "the name of a mesh asset", 'add mesh="..."')
            return False
        geom.mesh = self._meshes.get(name)
        if geom.mesh is None:
            if name in self._meshes:  # the asset's problem is noted already
                return False
            hint = nearest(name, self._meshes) or "add it to <asset>"
            self._problem(geom, "mesh", f"'{name}'", "the name of a mesh asset", hint)
            return False
        geom.material = geom.material or self._looks.material(geom.mesh.node, geom.mesh.node.values)
        if geom.type not in ("mesh", "sdf"):
            return self._fit(geom)
        return True

    def _attach_field(self, geom: Geom) -> bool:
        """Find the distance field of a geom of type sdf: its plugin's, else its mesh's own; False when the geom has to be left out."""
        node = geom.node
        field = self._fields.of(node)
        if geom.type != "sdf":
            if field is not None:
                self._log.ignored("geom.plugin", node.location, f"plugin in {node.label}", f"has no effect on type {geom.type}, as in MuJoCo")
            return True
        assert geom.mesh is not None
        if field is None and any(node.sections("plugin")):  # the plugin's problem is noted already
            return False
        if field is None and geom.mesh.made_of is not None:
            given, allowed = f"mesh '{geom.mesh.name}' of a distance field, and no plugin", "the plugin in the geom too, or a mesh without one"
            self._problem(geom, "mesh", given, allowed, "add the mesh's <plugin> to the geom")
            return False
        geom.sdf = field or FieldInstance()
        return True

    def _fit(self, geom: Geom) -> bool:
        """Give a primitive the size and the pose of its mesh, and forget the mesh; False if it has none."""
        found = self._properties(geom, False)
        if found is None:
            return False
        assert geom.mesh is not None
        aabb = self._settings.of(geom.node).fitaabb
        size, centre = fit(geom.type, geom.mesh.vertices, found, aabb)
        geom.size = size * geom.values["fitscale"]
        geom.pos, geom.quat = frames.compose(geom.pos, geom.quat, centre, found[2])
        geom.mesh = None
        return True

    def _attach_hfield(self, geom: Geom) -> bool:
        """Find the heightfield of a geom; False when the geom has to be left out."""
        name = geom.values.get("hfield")
        if geom.type != "hfield":
            if name:
                self._problem(geom, "hfield", f"a heightfield for type {geom.type}", "one for type hfield only", "remove it")
            return not name
        if not name:
            self._problem(geom, "hfield", "type hfield without one", "the name of an hfield asset", 'add hfield="..."')
            return False
        geom.hfield = self._hfields.get(name)
        if geom.hfield is None and name not in self._hfields:  # otherwise the asset's problem is noted already
            hint = nearest(name, self._hfields) or "add it to <asset>"
            self._problem(geom, "hfield", f"'{name}'", "the name of an hfield asset", hint)
        return geom.hfield is not None

    def _weigh(self, geom: Geom) -> None:
        """Compute the mass properties of a geom in its body's frame."""
        values = geom.values
        shell = bool(values.get("shellinertia"))
        pos, quat = geom.pos, geom.quat
        if geom.mesh is not None:
            found = self._properties(geom, shell)
            if found is None:
                return
            volume, centre, turn, moments = found
            pos, quat = frames.compose(pos, quat, centre, turn)
        else:
            volume, moments = primitive("box" if geom.hfield else geom.type, geom.size, shell)
        mass = values.get("mass", values["density"] * volume)
        if not math.isfinite(mass):
            self._problem(geom, "size", f"a mass of {mass}", "a finite mass", "use smaller numbers")
            return
        scale = mass / volume if volume > 0 else 0.0
        geom.mass = MassProperties(mass, pos, quat, moments * scale)

    def _properties(self, geom: Geom, shell: bool) -> Any:
        """Volume, centre, axes and moments of a geom's mesh; None, and a problem noted, if it has none."""
        assert geom.mesh is not None
        try:
            return geom.mesh.properties(shell)
        except ValueError as error:
            self._problem(geom, "mesh", f"mesh '{geom.mesh.name}' with {error}", "a closed mesh", 'try inertia="shell"')
            return None

    def _problem(self, geom: Geom, name: str, given: str, allowed: str, remedy: str) -> None:
        """Note a problem of one attribute of a geom."""
        node = geom.node
        self._log.problem(node.at(name), f"{node.label}, {name}", given, allowed, remedy)


def _is_static(body: Body) -> bool:
    """Whether a body is fixed to the world."""
    while body.parent is not None:
        if body.joints:
            return False
        body = body.parent
    return True
