"""Mesh assets: vertices as the file means them, and the mass properties MuJoCo's compiler gives them.

Volume, centre and moments are sums over the tetrahedra that the faces span with an inner point. ``legacy``, the default
in MuJoCo 4.0, counts every tetrahedron as positive; ``exact`` uses signs; ``convex`` is exact on the convex hull;
``shell`` spreads the mass over the surface.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from newtonish.common.constants import MINVAL
from newtonish.common.paths import portable
from newtonish.diagnostics import Diagnostics
from newtonish.errors import ImporterError
from newtonish.importers import frames
from newtonish.importers.assets import Surface, hull_faces, load_surface
from newtonish.importers.mjcf.assets.builtins import BUILTINS
from newtonish.importers.mjcf.assets.fields import FieldReader
from newtonish.importers.mjcf.assets.taxels import TAXELS
from newtonish.importers.mjcf.compiler import Settings
from newtonish.importers.mjcf.defaults import Defaults
from newtonish.importers.mjcf.inertia import eigen3
from newtonish.mjcf.language.limits import limits
from newtonish.mjcf.language.read import Node
from newtonish.model.fields import FieldInstance

__all__ = ["MeshAsset", "read_meshes"]

NOISE = 1e-7
"""Asymmetry of a mesh that counts as rounding, as its vertices are single precision; the same share as MuJoCo's."""


@dataclass
class MeshAsset:
    """A mesh in the frame of a geom that uses it.

    Attributes:
        name: Name in the file.
        node: Its element.
        vertices: (n, 3) [m], scale and reference pose applied.
        faces: (m, 3) triangles.
        inertia: How mass is spread.
        normals: A normal and two tangents for each vertex, (3 n, 3), of meshes for tactile sensors.
        texcoords, face_texcoords: Texture coordinates (k, 2), and which of them the corners of triangles have (m, 3); None for none.
        maxhullvert: Most vertices of its convex hull, -1 for no bound.
        points: The vertices as they are in the file, of which the hull is made; None: the same.
        made_of: The distance field that it is the surface of; its mass counts from the field's own frame then, as in MuJoCo.
        source: The model's mesh object, made once.
        fields: That with distance fields, each made once.
    """

    name: str
    node: Node
    vertices: np.ndarray
    faces: np.ndarray
    inertia: str = "legacy"
    normals: np.ndarray | None = None
    texcoords: np.ndarray | None = None
    face_texcoords: np.ndarray | None = None
    maxhullvert: int = -1
    points: np.ndarray | None = None
    made_of: FieldInstance | None = None
    source: Any = field(default=None, repr=False)
    fields: dict[FieldInstance, Any] = field(default_factory=dict, repr=False)

    def properties(self, shell: bool = False) -> tuple[float, np.ndarray, np.ndarray, np.ndarray]:
        """Return volume (area for shells), centre, axes (w, x, y, z) and moments for density 1.

        Raises:
            ValueError: For a mesh without volume.
        """
        volume, centre, axes, moments = self._shell if shell or self.inertia == "shell" else self._solid
        return (volume, centre, axes, moments) if self.made_of is None else (volume, np.zeros(3), frames.IDENTITY.copy(), moments)

    @cached_property
    def _shell(self) -> tuple[float, np.ndarray, np.ndarray, np.ndarray]:
        corners = self.vertices[self.faces]
        areas, centre = _surface(corners)
        centred = corners - centre
        middles = _sums(centred) / 3.0
        # A triangle's second moment: a twelfth of the corners' squares plus nine twelfths of the middle's.
        squares = _squares(np.repeat(areas / 12, 3), centred.reshape(-1, 3)) + _squares(areas * 9 / 12, middles)
        return _principal(float(areas.sum()), centre, squares)

    @cached_property
    def _solid(self) -> tuple[float, np.ndarray, np.ndarray, np.ndarray]:
        vertices, faces = self.vertices, self.faces
        if self.inertia == "convex":
            faces = hull_faces(vertices, self.maxhullvert, self.points)
        corners = vertices[faces]
        _, inner = _surface(corners)
        volumes, first = _tetrahedra(corners - inner, self.inertia == "legacy")
        volume = float(volumes.sum())
        if not np.isfinite(volume) or volume < MINVAL:
            raise ValueError(f"volume {volume:g}")
        centre = inner + first / volume
        centred = corners - centre
        volumes, _ = _tetrahedra(centred, self.inertia == "legacy")
        squares = _squares(np.repeat(volumes / 20, 3), centred.reshape(-1, 3)) + _squares(volumes / 20, _sums(centred))
        # The mass is that of the tetrahedra about the centre, which for unsigned ones differs from the first sum.
        return _principal(float(volumes.sum()), centre, squares)


def _surface(corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the areas of triangles and the centre of the surface."""
    areas = 0.5 * np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    total = areas.sum()
    if not np.isfinite(total) or total < MINVAL:
        raise ValueError(f"surface area {total:g}")
    return areas, areas @ _sums(corners) / (3.0 * total)


def _sums(corners: np.ndarray) -> np.ndarray:
    """Sums over the corners of triangles (n, 3, 3); NumPy's own is slow along so short an axis."""
    return corners[:, 0] + corners[:, 1] + corners[:, 2]


def _squares(weights: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Sum of weights times v v^T (3, 3)."""
    return (weights[:, None] * vectors).T @ vectors


def _tetrahedra(corners: np.ndarray, unsigned: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return volumes of the tetrahedra between triangles and the origin, and the sum of volume times centre."""
    volumes = np.einsum("fi,fi->f", np.cross(corners[:, 0], corners[:, 1]), corners[:, 2]) / 6
    if unsigned:
        volumes = np.abs(volumes)
    return volumes, volumes @ _sums(corners) / 4


def _principal(mass: float, centre: np.ndarray, squares: np.ndarray) -> tuple[float, np.ndarray, np.ndarray, np.ndarray]:
    """Turn second moments into principal moments and axes."""
    diag, quat = eigen3(np.trace(squares) * np.eye(3) - squares, NOISE)
    if not np.isfinite(diag).all() or diag[2] <= 0:
        raise ValueError(f"principal moments {diag.tolist()}")
    return mass, centre, quat, diag


def read_meshes(
    root: Node, settings: Settings, defaults: Defaults, fields: FieldReader, log: Diagnostics, needed: set[str] | None = None
) -> dict[str, MeshAsset | None]:
    """Return the mesh assets of a file by name, None for one with a problem; files are read now to find missing ones.

    Where ``needed`` is given, a mesh that it does not name need not be readable.
    """
    meshes: dict[str, MeshAsset | None] = {}
    for section in root.sections("asset"):
        for node in section.sections("mesh"):
            values, _ = defaults.values(node, None)
            name = values.get("name") or Path(portable(values.get("file", ""))).stem
            if not name:
                log.problem(node.location, node.label, "neither name nor file", "a name", 'add name="..."')
                continue
            if name in meshes:
                log.problem(node.location, node.label, f"the name '{name}' again", "each name once", "rename it")
                continue
            made_of = fields.of(node) if "file" not in values else None
            if made_of is None and any(node.sections("plugin")):
                if "file" in values:
                    log.problem(node.location, node.label, "a file and a plugin", "one of them", "keep one")
                meshes[name] = None
                continue
            try:
                shape, normals, points = _triangles(node, values, settings.of(node), fields, made_of)
            except ImporterError as error:
                if needed is None or name in needed:
                    log.failed(node.at("file"), f"mesh '{name}'", error)
                else:
                    log.mark("ignored", node.location, "only seen, and not readable: discardvisual")
                meshes[name] = None
                continue
            except ValueError as error:
                text = str(error).rstrip(".")
                log.problem(node.at("file"), f"mesh '{name}'", text, "a triangle mesh", "check the file and the path")
                meshes[name] = None
                continue
            if shape is None:
                what = f"the built-in shape {values['builtin']}" if "builtin" in values else "neither file nor vertices, or a plugin"
                allowed = "a file, vertex and face, or a built-in shape"
                log.problem(node.location, f"mesh '{name}'", what, allowed, "save it as a file")
                meshes[name] = None
                continue
            if shape.left_out:
                note = f"has several objects: the faces of the first count, {shape.left_out} of others do not, as in MuJoCo; the hull has all vertices"
                log.approximated("mesh.objects", node.at("file"), f"mesh '{name}'", note)
            flat, bound = values.get("builtin") == "plate", values.get("maxhullvert", -1)
            rule = "shell" if flat else values["inertia"]
            meshes[name] = MeshAsset(name, node, shape.vertices, shape.faces, rule, normals, shape.texcoords, shape.face_texcoords, bound, points, made_of)
    return meshes


def _triangles(
    node: Node, values: dict[str, Any], settings: Settings, fields: FieldReader, made_of: FieldInstance | None
) -> tuple[Surface | None, np.ndarray | None, np.ndarray | None]:
    """Return the surface of one mesh element, with pose and scale applied, the normals of grids of taxels, and the points before that."""
    normals = texcoords = corners = None
    left_out, faces = 0, np.zeros((0, 3), dtype=np.int64)
    if made_of is not None:
        if np.any(np.array(values["scale"]) != 1.0):
            raise ValueError(f"scale {values['scale']}, which the surface of a distance field has not: its parameters make it larger")
        vertices, faces = fields.surface(made_of)
    elif values.get("builtin") in TAXELS:
        vertices, faces, normals = TAXELS[values["builtin"]](values.get("params", []))
    elif values.get("builtin", "none") in BUILTINS:
        vertices, faces = BUILTINS[values["builtin"]](values.get("params", []))
    elif "file" in values:
        vertices, faces, texcoords, corners, left_out = load_surface(settings.asset(values["file"]), limits().size, content_type=values.get("content_type", ""))
    elif "vertex" in values:
        flat = np.array(values["vertex"], dtype=np.float64)
        if len(flat) % 3 or len(flat) < 12:
            raise ValueError(f"{len(flat)} vertex numbers, not three for each of at least four vertices")
        vertices = flat.reshape(-1, 3)
        if "face" in values:
            given = np.array(values["face"], dtype=np.int64)
            if len(given) % 3 or not len(given) or given.min() < 0 or given.max() >= len(vertices):
                raise ValueError("faces that are not triples of vertex numbers")
            faces = given.reshape(-1, 3)
    else:
        return None, None, None
    with np.errstate(over="ignore"):
        points = vertices = np.asarray(vertices, dtype=np.float64).astype(np.float32).astype(np.float64)
    if not np.isfinite(points).all():
        raise ValueError("vertices that single precision does not hold")
    if not len(faces):
        faces = hull_faces(vertices, values.get("maxhullvert", -1))
        corners = None if texcoords is None else faces
    if "texcoord" in values:
        if len(values["texcoord"]) != 2 * len(vertices):
            raise ValueError(f"{len(values['texcoord'])} numbers of texcoord, not two for each of {len(vertices)} vertices")
        texcoords, corners = np.array(values["texcoord"], dtype=np.float64).reshape(-1, 2), faces
    vertices = vertices - np.array(values.get("refpos", (0.0, 0.0, 0.0)))
    if "refquat" in values:
        _, back = frames.invert(np.zeros(3), frames.normalize(values["refquat"], "a quaternion"))
        vertices = vertices @ frames.to_matrix(back).T
    scale = np.array(values["scale"])
    if not np.isfinite(scale).all() or not np.all(scale):
        raise ValueError(f"scale {scale.tolist()}")
    if np.prod(scale) < 0:
        faces, corners = faces[:, ::-1], None if corners is None else corners[:, ::-1]
    return Surface(vertices * scale, faces, texcoords, corners, left_out), normals, points
