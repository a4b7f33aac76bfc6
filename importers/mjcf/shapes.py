"""Writes geoms and sites into a ModelBuilder as shapes."""

from __future__ import annotations

from typing import Any

import numpy as np

from newtonish.common.geoms import GEOMS
from newtonish.importers import frames
from newtonish.importers.mjcf.tree import Body, Geom
from newtonish.model.enums import GeoType

__all__ = ["Shapes"]

TYPES = {word: GeoType[row.newton[0]] for word, row in GEOMS.items()} | {"sdf": GeoType.MESH}
RAW, MJCF_DEFAULT = 1, 2


class Shapes:
    """Writes the shapes of bodies.

    Args:
        builder: Where to.
        sites: Whether to write sites.
        visuals: Whether to write geoms that collide with nothing.
        meshes: Whether to write meshes and heightfields.
        hide_visuals: Whether geoms that collide with nothing are not drawn.
        maxhullvert: Most vertices of the hulls of meshes; None: what the file says of each.
    """

    def __init__(
        self,
        builder: Any,
        sites: bool = True,
        visuals: bool = True,
        meshes: bool = True,
        hide_visuals: bool = False,
        maxhullvert: int | None = None,
    ) -> None:
        self._builder = builder
        self._sites = sites
        self._visuals = visuals
        self._meshes = meshes
        self._hide_visuals = hide_visuals
        self._maxhullvert = maxhullvert
        self.counts: dict[str, int] = {}
        self.attributes: list[tuple[int, dict[str, Any]]] = []
        self.materials: dict[int, int] = {}

    def write(self, body: Body, frame: tuple[np.ndarray, np.ndarray]) -> None:
        """Write the geoms of a body, then its sites; ``frame`` is the body's frame in the builder's body."""
        for geom in body.geoms:
            wanted = geom.kept and (geom.collides or self._visuals or geom.needed)
            if wanted and (self._meshes or (geom.mesh is None and geom.hfield is None)):
                self._geom(geom, body.index, frame)
        for site in body.sites if self._sites else ():
            self._site(site, body.index, frame)

    def _geom(self, geom: Geom, body: int, frame: tuple[np.ndarray, np.ndarray]) -> None:
        """Write one geom."""
        values = geom.values
        friction = values["friction"]
        cfg = self._builder.ShapeConfig(
            density=0.0,
            mu=friction[0],
            mu_torsional=friction[1],
            mu_rolling=friction[2],
            margin=values.get("margin", 0.0),
            gap=values.get("gap", 0.0),
            has_shape_collision=geom.collides,
            has_particle_collision=geom.collides,
            collision_filter_parent=False,
            is_visible=geom.collides or not self._hide_visuals,
        )
        attributes = {
            "mujoco:contype": values["contype"],
            "mujoco:conaffinity": values["conaffinity"],
            "mujoco:condim": values["condim"],
            "mujoco:geom_group": values["group"],
            "mujoco:geom_priority": values["priority"],
            "mujoco:geom_solimp": values["solimp"],
            "mujoco:geom_solmix": values["solmix"],
            "mujoco:solref": values["solref"],
            "mujoco:solref_mode": RAW if "solref" in geom.authored else MJCF_DEFAULT,
        }
        attributes |= _extras(geom) | self._looks(geom)
        source = None
        if geom.mesh is not None:
            source = self._source(geom)
            _, centre, turn, _ = geom.mesh.properties(bool(values.get("shellinertia")))
            attributes |= {"mujoco:mesh_pos": centre, "mujoco:mesh_quat": turn}
        if geom.hfield is not None:
            source = geom.hfield.source
            attributes["mujoco:hfield_base"] = geom.hfield.size[3]
        self._add(geom, body, frame, cfg, attributes, source)

    def _site(self, site: Geom, body: int, frame: tuple[np.ndarray, np.ndarray]) -> None:
        """Write one site."""
        cfg = self._builder.ShapeConfig(collision_filter_parent=False)
        cfg.mark_as_site()
        attributes: dict[str, Any] = {"mujoco:geom_group": site.values["group"]} | self._looks(site)
        source = None
        if site.mesh is not None:
            source = self._source(site)
            _, centre, turn, _ = site.mesh.properties(False)
            attributes |= {"mujoco:mesh_pos": centre, "mujoco:mesh_quat": turn}
        self._add(site, body, frame, cfg, attributes, source)

    def _add(
        self,
        geom: Geom,
        body: int,
        frame: tuple[np.ndarray, np.ndarray],
        cfg: Any,
        attributes: dict[str, Any],
        source: Any,
    ) -> None:
        """Write one shape."""
        kind = TYPES[geom.type]
        size = geom.size
        if geom.type == "plane":
            attributes["mujoco:plane_grid"] = size[2]
            size = np.array([2 * size[0], 2 * size[1], 0.0])
        pos, quat = frames.compose(*frame, geom.pos, geom.quat)
        rgba = np.clip(np.nan_to_num(geom.rgba), 0.0, 1.0)
        geom.index = self._builder.add_shape(
            body=body,
            type=int(kind),
            xform=np.concatenate([pos, quat[1:], quat[:1]]),
            cfg=cfg,
            scale=np.ones(3) if source is not None else size,
            src=source,
            is_static=True,
            color=rgba[:3],
            opacity=float(rgba[3]),
            label=geom.label,
        )
        self.attributes.append((geom.index, attributes))
        word = "sites" if cfg.is_site else f"{geom.type} geoms"
        self.counts[word] = self.counts.get(word, 0) + 1

    def _looks(self, geom: Geom) -> dict[str, Any]:
        """Material and shadow, where they are not the usual ones."""
        looks: dict[str, Any] = {} if geom.values.get("castshadow", True) else {"mujoco:geom_castshadow": False}
        if geom.material is not None:
            looks["mujoco:geom_matid"] = self.materials[id(geom.material)]
        return looks

    def _source(self, geom: Geom) -> Any:
        """Return the model's mesh object of an asset, one for all geoms that use it."""
        from newtonish.model.geometry import Mesh

        mesh = geom.mesh
        assert mesh is not None
        if mesh.source is None:
            bound = mesh.maxhullvert if self._maxhullvert is None else self._maxhullvert
            mesh.source = Mesh(
                mesh.vertices,
                mesh.faces.reshape(-1),
                normals=mesh.normals,
                compute_inertia=False,
                maxhullvert=None if bound < 0 else bound,
                name=mesh.name,
            )
            mesh.source.texcoords, mesh.source.face_texcoords = mesh.texcoords, mesh.face_texcoords
            mesh.source.hull_points = mesh.points
            mesh.source.made_of = mesh.made_of
        if geom.sdf is None:
            return mesh.source
        if geom.sdf not in mesh.fields:
            mesh.fields[geom.sdf] = mesh.source._with_field(geom.sdf)
        return mesh.fields[geom.sdf]


def _extras(geom: Geom) -> dict[str, Any]:
    """Return attributes that few geoms have."""
    values = geom.values
    result: dict[str, Any] = {}
    if values.get("adhesion"):
        result["mujoco:geom_adhesion"] = values["adhesion"]
    if "surfacevel" in values:
        given = values["surfacevel"]
        result["mujoco:geom_surfacevel"] = [*given, *[0.0] * (6 - len(given))]
    if values.get("fluidshape") == "ellipsoid":
        given = values.get("fluidcoef", [])
        result["mujoco:geom_fluid_ellipsoid"] = True
        result["mujoco:geom_fluid_coef"] = [*given, *[0.5, 0.25, 1.5, 1.0, 1.0][len(given) :]]
    return result
