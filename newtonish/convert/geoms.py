"""Geoms and sites: Newton shapes as MuJoCo's, with what its compiler derives (bounding radius, box, frame flags).

Shapes are listed body by body. A mesh moves into its inertial frame (see ``meshes``). Shapes that do not collide keep
their place with masks 0. Newton's ``gap`` is a detection distance of its own pipeline and is not forwarded; only where
our importers wrote a shape's MuJoCo masks is the gap MuJoCo's.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from newtonish.common import frames
from newtonish.common.enums import GeomType, ObjType
from newtonish.common.geoms import GEOMS, bounding_radii, geom_types, half_extents
from newtonish.convert import gains
from newtonish.convert.bodies import BodyTree
from newtonish.convert.collision_rules import COLLIDE_SHAPES, CollisionRules
from newtonish.convert.cones import CONE
from newtonish.convert.fields import FieldSet
from newtonish.convert.fluid import fluid_table
from newtonish.convert.hfields import HeightfieldSet
from newtonish.convert.meshes import MeshSet
from newtonish.convert.placing import Placement, place_hfields, place_meshes
from newtonish.convert.slots import hide
from newtonish.convert.source import Source
from newtonish.convert.worlds import Worlds
from newtonish.errors import ModelError, NewtonishWarning, problem, raise_all
from newtonish.model.enums import GeoType

__all__ = ["ShapeList", "body_contact_tables", "check_planes", "gain_tables", "geom_tables", "list_shapes", "moved_field", "sameframe", "site_tables"]

GEOM_TYPE = {int(GeoType[name]): int(row.type) for row in GEOMS.values() for name in row.newton}
"""MuJoCo's type of each of Newton's."""
SITE = 8
SITE_TRANSMISSIONS = (3, 5, 7)
"""Values of ``actuator_trntype`` whose targets are sites: site, slider-crank, orientation between sites."""
HUGE = 1e10
_MESHES = (GeomType.MESH, GeomType.SDF)


@dataclass
class ShapeList:
    """Template positions of the shapes that become geoms and sites, in MuJoCo's order, and the bodies they are on."""

    geom: np.ndarray
    geom_body: np.ndarray
    site: np.ndarray
    site_body: np.ndarray


def list_shapes(worlds: Worlds, tree: BodyTree, options: dict[str, Any]) -> ShapeList:
    """Sort shapes into geoms and sites by MuJoCo body; kinds that cannot be converted are named in a warning."""
    source = worlds.source
    kind = worlds.template("shape", source.array("shape_type"))
    flags = worlds.template("shape", source.array("shape_flags"))
    link = worlds.local("body", worlds.template("shape", source.array("shape_body")))
    body = np.where(link < 0, 0, tree.to_mjc[link] if len(tree.to_mjc) else 0)
    site = (flags & SITE) > 0
    known = np.isin(kind, list(GEOM_TYPE))
    for row in np.flatnonzero(~known & ~site & (kind != 0)):
        name = source.labels("shape")[worlds.index["shape"][0][row]]
        allowed = "plane, heightfield, sphere, capsule, ellipsoid, cylinder, box, cone and mesh; it is left out of the simulation"
        text = problem(f"shape '{name}'", f"shape type {kind[row]}", allowed, "replace it by one of these")
        warnings.warn(text, NewtonishWarning, stacklevel=5)
    geom = known & ~site
    if options.get("skip_visual_only_geoms"):
        geom &= ((flags & COLLIDE_SHAPES) > 0) | _measured(worlds, len(kind)) | _named(worlds, len(kind))
    if not options.get("include_sites", True):
        site &= _needed(worlds, len(kind))
    geoms, sites = (np.flatnonzero(mask) for mask in (geom, site))
    geoms, sites = (rows[np.argsort(body[rows], kind="stable")] for rows in (geoms, sites))
    return ShapeList(geoms, body[geoms], sites, body[sites])


def _measured(worlds: Worlds, count: int) -> np.ndarray:
    """Whether a sensor looks at each of the template's shapes, or at the mesh that it shows."""
    source = worlds.source
    measured = np.zeros(count + 1, dtype=bool)  # the last one is for no shape
    for end in ("obj", "ref"):
        kinds = worlds.template("mujoco:sensor", source.custom(f"sensor_{end}type"))
        rows = worlds.template("mujoco:sensor", source.custom(f"sensor_{end}"))
        measured[worlds.local("shape", rows[np.isin(kinds, (ObjType.GEOM, ObjType.MESH))])] = True
    return measured[:-1]


def _named(worlds: Worlds, count: int) -> np.ndarray:
    """Whether a contact pair names each of the template's shapes, which then collides whatever its flags say, or a tendon wraps it."""
    source = worlds.source
    named = np.zeros(count + 1, dtype=bool)  # the last one is for no shape
    for table, name in (("mujoco:pair", "pair_geom1"), ("mujoco:pair", "pair_geom2"), ("mujoco:tendon_wrap", "tendon_wrap_shape")):
        named[worlds.local("shape", worlds.template(table, source.custom(name)))] = True
    return named[:-1]


def _needed(worlds: Worlds, count: int) -> np.ndarray:
    """Whether an actuator, a tendon or an equality constraint acts on each of the template's shapes as a site."""
    source = worlds.source
    needed = np.zeros(count + 1, dtype=bool)  # the last one is for no shape
    on_site = np.isin(worlds.template("mujoco:actuator", source.custom("actuator_trntype")), SITE_TRANSMISSIONS)
    needed[worlds.local("shape", worlds.template("mujoco:actuator", source.custom("actuator_trnid"))[on_site])] = True
    tables = {"mujoco:tendon_wrap": ("tendon_wrap_shape", "tendon_wrap_sidesite"),
              "mujoco:equality_constraint": ("equality_constraint_site1", "equality_constraint_site2")}  # fmt: skip
    for table, names in tables.items():
        for name in names:
            needed[worlds.local("shape", worlds.template(table, source.custom(name)))] = True
    return needed[:-1]


def geom_tables(worlds: Worlds, shapes: ShapeList, rules: CollisionRules, meshes: MeshSet, hfields: HeightfieldSet, fields: FieldSet) -> dict[str, np.ndarray]:
    """The ``geom_*`` fields but ``geom_sameframe``; floats per distinct world."""
    source = worlds.source

    def pick(values: np.ndarray) -> np.ndarray:
        return worlds.pick("shape", values)[:, shapes.geom]

    def template(values: np.ndarray) -> np.ndarray:
        return worlds.template("shape", values)[shapes.geom]

    kind = np.array([GEOM_TYPE[int(t)] for t in template(source.array("shape_type"))], dtype=np.int32)
    plugin = fields.geoms(worlds, shapes.geom, kind)
    pos, quat = frames.from_newton(pick(source.array("shape_transform")))
    size = _sizes(kind, pick(source.array("shape_scale")), pick(source.custom("plane_grid")))
    _warn_of_barrels(source, shown_rows := worlds.index["shape"][worlds.distinct][:, shapes.geom], kind)
    cone = template(source.array("shape_type")) == CONE
    size[:, cone] = size[:, cone][..., [0, 0, 1]]
    authored_pos, authored_quat = pos.copy(), quat.copy()
    shown = Placement(shown_rows, pos, quat, size)
    place_meshes(worlds, shown, np.flatnonzero(np.isin(kind, _MESHES)), meshes, cone)
    place_hfields(worlds, shown, np.flatnonzero(kind == GeomType.HFIELD), hfields)
    aabb, rbound = _bounds(kind, shown)
    friction = [f"shape_material_{name}" for name in ("mu", "mu_torsional", "mu_rolling")]
    tables = {
        "geom_type": kind,
        "geom_bodyid": shapes.geom_body,
        "geom_plugin": plugin,
        "geom_dataid": shown.dataid[0],
        "_geom_dataid": shown.dataid,
        "geom_contype": rules.contype,
        "geom_conaffinity": rules.conaffinity,
        "geom_condim": template(source.custom("condim")),
        "geom_group": template(source.custom("geom_group")),
        "geom_priority": template(source.custom("geom_priority")),
        "geom_solmix": pick(source.custom("geom_solmix")),
        "geom_solimp": pick(source.custom("geom_solimp")),
        "geom_solref": gains.contact_solref(
            pick(source.custom("solref_mode")),
            pick(source.solref("solref")),
            pick(source.array("shape_material_ke")),
            pick(source.array("shape_material_kd")),
        ),
        "geom_size": size,
        "geom_aabb": aabb,
        "geom_rbound": rbound,
        "geom_pos": pos,
        "geom_quat": quat,
        "geom_friction": np.stack([pick(source.array(name)) for name in friction], axis=-1),
        "geom_margin": pick(source.array("shape_margin")),
        "geom_gap": np.where(rules.authored & source.has_own_namespace, pick(source.array("shape_gap")), 0.0),
        "geom_surfacevel": moved_field(pick(source.custom("geom_surfacevel")), authored_pos, authored_quat, pos, quat),
        "geom_adhesion": pick(source.custom("geom_adhesion")),
        "geom_fluid": fluid_table(kind, size, pick(source.custom("geom_fluid_ellipsoid")), pick(source.custom("geom_fluid_coef"))),
        "geom_rgba": _rgba(worlds, shapes.geom),
    }
    if worlds.empty.any():
        hide(tables, worlds.empty[worlds.distinct][:, shapes.geom])
    return tables


def check_planes(worlds: Worlds, shapes: ShapeList, kind: np.ndarray, moves: np.ndarray) -> None:
    """Raise a ModelError that names the planes on bodies that move: a half space has no other side to leave by.

    Args:
        worlds: The worlds.
        shapes: Which shapes are geoms.
        kind: Type of each geom.
        moves: Whether each body has dofs, or is attached to one that has.
    """
    rows, labels = worlds.index["shape"][0][shapes.geom], worlds.source.labels("shape")
    moving = np.flatnonzero((kind == GeomType.PLANE) & moves[shapes.geom_body])
    remedy = "use a box, or put it on the world (body=-1)"
    problems = [problem(f"shape '{labels[rows[g]]}'", "a plane on a body that moves", "planes on static bodies", remedy) for g in moving]
    raise_all(ModelError, "conversion", problems)


def gain_tables(worlds: Worlds, shapes: ShapeList) -> dict[str, np.ndarray]:
    """``geom_gain``, ``geom_impedance`` and ``geom_kf``, which MuJoCo does not know; floats per distinct world."""
    source = worlds.source
    mode = worlds.pick("shape", source.custom("solref_mode"))[:, shapes.geom]
    names = ("shape_material_ke", "shape_material_kd", "shape_material_kf")
    ke, kd, kf = (worlds.pick("shape", source.array(name))[:, shapes.geom] for name in names)
    return {"geom_gain": gains.contact_gain(mode, ke, kd), "geom_impedance": gains.contact_impedance(mode), "geom_kf": kf}


def _rgba(worlds: Worlds, rows: np.ndarray) -> np.ndarray:
    """Colour and opacity of shapes."""
    source = worlds.source
    colour = worlds.template("shape", source.array("shape_color"))[rows] if source.has("shape_color") else 0.5
    alpha = worlds.template("shape", source.array("shape_opacity"))[rows] if source.has("shape_opacity") else 1.0
    rgba = np.ones((len(rows), 4), dtype=np.float32)
    rgba[:, :3], rgba[:, 3] = colour, alpha
    return rgba


def _warn_of_barrels(source: Source, rows: np.ndarray, kind: np.ndarray) -> None:
    """Name the first cylinder with bulging sides: geoms are straight, as those of Newton's solver."""
    bulges = (kind == GeomType.CYLINDER) & (np.asarray(source.array("shape_scale"))[rows][..., 2] > 0.0)
    if np.any(bulges):
        name = source.labels("shape")[int(rows[bulges][0])]
        allowed = "straight sides; it collides as a cylinder of the radius of its ends"
        text = problem(f"shape '{name}'", f"a barrel radius, as have {int(np.sum(bulges))} shapes", allowed, "use a mesh where the bulge matters")
        warnings.warn(text, NewtonishWarning, stacklevel=5)


def _sizes(kind: np.ndarray, scale: np.ndarray, grid: np.ndarray) -> np.ndarray:
    """Newton's scale as MuJoCo's geom_size: half widths for planes, what the type does not use is 0."""
    size = scale.copy()
    size[:, kind == GeomType.PLANE, :2] *= 0.5
    size[:, kind == GeomType.PLANE, 2] = grid[:, kind == GeomType.PLANE]
    for row in GEOMS.values():
        if row.solid:
            size[:, kind == row.type, row.sizes :] = 0.0
    return size


def moved_field(field: np.ndarray, pos: np.ndarray, quat: np.ndarray, new_pos: np.ndarray, new_quat: np.ndarray) -> np.ndarray:
    """The same velocity field (linear, angular about the origin) in geom frames that were moved."""
    linear, angular = frames.rotate(quat, field[..., :3]), frames.rotate(quat, field[..., 3:])
    linear = linear + np.cross(angular, new_pos - pos)
    back = new_quat * np.array([1.0, -1.0, -1.0, -1.0])
    moved = np.concatenate([frames.rotate(back, linear), frames.rotate(back, angular)], axis=-1)
    stays = np.all(pos == new_pos, axis=-1) & np.all(quat == new_quat, axis=-1)
    return np.where(stays[..., None], field, moved)


def _bounds(kind: np.ndarray, shown: Placement) -> tuple[np.ndarray, np.ndarray]:
    """``geom_aabb`` (centre, half sizes in the geom frame) and ``geom_rbound`` (0 for planes)."""
    size = shown.size
    aabb = np.zeros((*size.shape[:-1], 6))
    aabb[..., 3:] = half_extents(kind, size)
    aabb = np.where((kind == GeomType.PLANE)[:, None], np.array([0, 0, -0.5 * HUGE, HUGE, HUGE, 0.5 * HUGE]), aabb)
    aabb = np.where(np.isin(kind, (*_MESHES, GeomType.HFIELD))[:, None], shown.box, aabb)
    others = np.select([kind == GeomType.PLANE, kind == GeomType.HFIELD], [np.zeros(size.shape[:-1]), shown.radius], np.linalg.norm(size, axis=-1))
    return aabb, bounding_radii(kind, size, others)


def site_tables(worlds: Worlds, shapes: ShapeList, meshes: MeshSet) -> dict[str, np.ndarray]:
    """The ``site_*`` fields but ``site_sameframe``; a site's size is kept as it is, but for the box of its mesh."""
    source = worlds.source
    kind = worlds.template("shape", source.array("shape_type"))[shapes.site]
    pos, quat = frames.from_newton(worlds.pick("shape", source.array("shape_transform"))[:, shapes.site])
    native = {k: v for k, v in GEOM_TYPE.items() if v in geom_types(solid=True)}
    size = worlds.pick("shape", source.array("shape_scale"))[:, shapes.site].copy()
    types = np.array([native.get(int(k), GeomType.SPHERE) for k in kind], dtype=np.int32)
    dataid = _site_meshes(worlds, shapes, types, size, meshes)
    return {
        "site_type": types,
        "site_dataid": dataid,
        "site_bodyid": shapes.site_body,
        "site_group": worlds.template("shape", source.custom("geom_group"))[shapes.site],
        "site_size": size,
        "site_pos": pos,
        "site_quat": quat,
        "site_rgba": _rgba(worlds, shapes.site),
    }


def _site_meshes(worlds: Worlds, shapes: ShapeList, types: np.ndarray, size: np.ndarray, meshes: MeshSet) -> np.ndarray:
    """Mesh of each site, with the type and size (in place) that it gives; the site's own frame stays where it is."""
    source = worlds.source
    dataid = np.full(len(types), -1, dtype=np.int32)
    rows = worlds.index["shape"][0][shapes.site]
    kind = worlds.template("shape", source.array("shape_type"))[shapes.site]
    mesh_pos, mesh_quat = (worlds.template("shape", source.custom(n))[shapes.site] for n in ("mesh_pos", "mesh_quat"))
    for site, k in enumerate(kind):
        mesh = source.model.shape_source[rows[site]]
        if GEOM_TYPE.get(int(k)) != GeomType.MESH or mesh is None:
            continue
        name = source.labels("shape")[rows[site]]
        if np.any(size[:, site] != size[:1, site]):
            given, remedy = "a mesh scale that differs between worlds", "give every world the same one; only geoms' may differ"
            raise_all(ModelError, "conversion", [problem(f"site '{name}'", given, "one scale for all worlds", remedy)])
        dataid[site] = meshes.add(name, mesh, size[0, site], mesh_pos[site], mesh_quat[site])
        low, high = meshes.meshes[dataid[site]].bounds
        types[site], size[:, site] = GeomType.MESH, np.maximum(np.abs(low), np.abs(high))
    return dataid


def sameframe(pos: np.ndarray, quat: np.ndarray, ipos: np.ndarray, iquat: np.ndarray) -> np.ndarray:
    """mjtSameFrame of frames (W, n) on bodies: 1 body, 2 inertia, 3 body's rotation, 4 inertia's rotation, 0 none.

    A flag is given only where it holds in every distinct world.
    """
    rotation = frames.is_identity(None, quat)
    inertial = frames.is_same_quat(quat, iquat)
    at_com = np.all(np.abs(pos - ipos) < frames.FRAME_EPS, axis=-1)
    flag = np.select([rotation & frames.is_identity(pos, None), rotation, inertial & at_com, inertial], [1, 3, 2, 4], default=0)
    return np.where(np.all(flag == flag[:1], axis=0), flag[0], 0).astype(np.uint8)


def body_contact_tables(nbody: int, geom: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """``body_geom*``, ``body_contype``, ``body_conaffinity`` and ``body_margin`` from the geoms of each body."""
    owner = geom["geom_bodyid"]
    count = np.bincount(owner, minlength=nbody)
    contype, conaffinity = np.zeros(nbody, dtype=np.int32), np.zeros(nbody, dtype=np.int32)
    np.bitwise_or.at(contype, owner, geom["geom_contype"])
    np.bitwise_or.at(conaffinity, owner, geom["geom_conaffinity"])
    reach = geom["geom_margin"] + geom["geom_gap"]
    margin = np.zeros((len(reach), nbody))
    np.maximum.at(margin, (slice(None), owner), reach)
    return {
        "body_geomnum": count,
        "body_geomadr": np.where(count > 0, np.cumsum(count) - count, -1),
        "body_contype": contype,
        "body_conaffinity": conaffinity,
        "body_margin": margin,
    }
