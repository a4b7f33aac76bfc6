"""UsdGeom shapes as geoms and sites: type, size and frame in the body, contact parameters, and what their mass is derived from.

Scale is baked into sizes: a sphere may become an ellipsoid, a cube any box, a cylinder may be stretched along its axis; what
is no shape of MuJoCo any more (a capsule squeezed across its axis, a sheared cube) is a problem. Meshes take up any linear
map. Cones and cylinders of two radii collide as convex meshes of 32 sides.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from newtonish.importers import frames
from newtonish.importers.mjcf.assets.meshes import MeshAsset
from newtonish.importers.usd.dialects import Resolver
from newtonish.importers.usd.document import checked_list, element, mjc_values
from newtonish.importers.usd.looks import Looks
from newtonish.importers.usd.materials import Materials
from newtonish.importers.usd.meshes import frustum, texture_coordinates, triangles
from newtonish.importers.usd.poses import Pose, axis_turn, local
from newtonish.importers.usd.source import Source
from newtonish.importers.usd.views import drawn
from newtonish.mjcf.language.read import Node

__all__ = ["GPRIMS", "ShapeReader", "is_site"]

GPRIMS = ("Sphere", "Cube", "Cylinder", "Capsule", "Cone", "Plane", "Mesh", "Cylinder_1", "Capsule_1")
EVEN = 1e-5
"""Relative difference of two scales that count as equal."""
EXACT = 1e-12
"""Difference of a scale from a whole number that comes from multiplying matrices."""
GRID = 1.0
MJC = "condim priority group solref solimp solmix contype conaffinity"
HULLED = {
    "none": "its triangles; MuJoCo collides the convex hull",
    "meshSimplification": "a simplified mesh; MuJoCo collides the convex hull",
    "convexDecomposition": "a decomposition; it is one convex hull",
    "sdf": "a distance field; it is a convex hull",
    "sphereFill": "spheres; it is one convex hull",
}


def is_site(source: Source, prim: Any) -> bool:
    """Whether a prim is declared to be a site."""
    return bool(source.apis(prim) & {"MjcSiteAPI", "NewtonSiteAPI"})


class ShapeReader:
    """Reads shapes.

    Args:
        source: The stage.
        resolver: Its dialects.
        materials: Its materials.
        keep_meshes: Whether meshes stay meshes, whatever ``physics:approximation`` says.
        old_margins: Whether ``mjc:margin`` includes ``mjc:gap``, as before MuJoCo 3.9.

    Attributes:
        looks: Their colours.
        hidden: Paths of shapes that a viewport does not show.
        colliders: Paths of those that have a CollisionAPI.
        meshes: Meshes by the name that geoms refer to.
        terrains: The section of assets, with the heightfields that are kept beside the surface that shows them.
        hulls: Paths of meshes that collide as their convex hulls because they say so.
        forces: Stiffness, damping and the like of contacts, by the path of the geom.
    """

    def __init__(
        self, source: Source, resolver: Resolver, materials: Materials, keep_meshes: bool, old_margins: bool = False, decomposes: bool = False
    ) -> None:
        self._source, self._resolver, self.materials, self._keep_meshes = source, resolver, materials, keep_meshes
        self._old_margins, self._decomposes = old_margins, decomposes
        self.hulls: set[str] = set()
        self.looks = Looks(source)
        self.hidden: set[str] = set()
        self.colliders: set[str] = set()
        self.meshes: dict[str, MeshAsset | None] = {}
        self.terrains = element("asset", "/")
        self._known: dict[tuple[bytes, bytes, str, int, int, bytes], str] = {}
        self.forces: dict[str, dict[str, float]] = {}

    def read(self, prim: Any, pose: Pose, body: tuple[np.ndarray, np.ndarray], density: float | None) -> Node | None:
        """The element of a shape in a body's frame; None, and a problem, for one that cannot be.

        Args:
            prim: A prim of a type in :data:`GPRIMS`.
            pose: Its frame.
            body: Its body's frame.
            density: What the body says of density [kg/m^3], None for nothing.
        """
        source, path = self._source, self._source.path(prim)
        site, collider = is_site(source, prim), "PhysicsCollisionAPI" in source.apis(prim)
        if site and collider:
            source.log.ignored("site and collider", source.place(prim), path, "is a site and a collider; it is read as a site")
        found = self._shape(prim, pose, collider and not site)
        if found is None:
            return None
        kind, size, turn, mesh = found
        pos, quat = local(body, frames.compose(*pose.frame, *turn))
        values: dict[str, Any] = {"name": path, "type": kind, "size": [float(v) for v in size], "pos": pos.tolist(), "quat": quat.tolist(), "mesh": mesh}
        values["hfield"] = path if kind == "hfield" else None
        values["rgba"] = self.looks.rgba(prim)
        values["material"] = self.looks.bound(prim)
        if not drawn(source, prim):
            self.hidden.add(path)
        if site:
            values |= mjc_values(source, prim, "group") if self._resolver.mjc else {}
            return element("site", path, **values)
        if collider:
            self.colliders.add(path)
        values |= self._contact(prim, collider) | self._weight(prim, collider, density)
        return element("geom", path, **values)

    def _contact(self, prim: Any, collider: bool) -> dict[str, Any]:
        """Contact parameters; a shape that is no collider meets nothing."""
        source, resolver = self._source, self._resolver
        if not collider:
            group = mjc_values(source, prim, "group") if resolver.mjc else {}
            return group | {"contype": 0, "conaffinity": 0}
        values = mjc_values(source, prim, MJC) if resolver.mjc else {}
        checked_list(source, prim, values, {"solref": (2, 2), "solimp": (5, 5)})
        if not source.get(prim, "physics:collisionEnabled", True):
            values |= {"contype": 0, "conaffinity": 0}
        for name in ("margin", "gap"):
            value = resolver.find(prim, name, scale=source.length)
            if value is not None:
                values[name] = value
        if self._old_margins and resolver.mjc:
            values["margin"] = values.get("margin", 0.0) - source.number(prim, "mjc:gap", 0.0)
        rub, forces = self.materials.of(prim)
        if forces and "solref" not in values:
            self.forces[str(prim.GetPath())] = forces
        return {**values, "friction": rub}

    def _weight(self, prim: Any, collider: bool, density: float | None) -> dict[str, Any]:
        """Mass or density of a shape: its own, then its body's density, its material's, and 1000 kg/m^3."""
        source = self._source
        mass, own = (source.number(prim, f"physics:{name}", 0.0) for name in ("mass", "density"))
        for name, value in (("mass", mass), ("density", own)):
            if not 0 <= value < np.inf:
                source.problem(prim, f"physics:{name}", str(value), "a number not below zero", "correct it")
                return {"mass": 0.0}
        shell = bool(self._resolver.find(prim, "shell", default=False))
        result: dict[str, Any] = {"shellinertia": shell} if shell else {}
        thick = self._thickness(prim) if shell else 1.0
        if mass:
            return result | {"mass": mass * source.mass}
        if own:
            return result | {"density": own * source.mass / source.length**3 * thick}
        if not collider or not source.get(prim, "physics:collisionEnabled", True):
            return {"mass": 0.0}
        if density is None:
            density = self.materials.density(prim)
        return result | {"density": (1000.0 if density is None else density) * thick}

    def _thickness(self, prim: Any) -> float:
        """What turns the density of a shell into mass by area: its thickness [m], 1 where nobody says it, as in MuJoCo."""
        source = self._source
        given = source.number(prim, "newton:shellThickness", -np.inf) if "newton" in self._resolver.order else -np.inf
        if np.isneginf(given):
            return 1.0
        if not 0 < given < np.inf:
            source.problem(prim, "newton:shellThickness", str(given), "a number above zero, or -inf for none", "correct it")
            return 1.0
        return given * source.length

    # -- forms --------------------------------------------------------------------------------------------------------

    def _shape(self, prim: Any, pose: Pose, collider: bool) -> tuple[str, np.ndarray, Any, str | None] | None:
        """Type, size, frame of the geom in the prim's frame, and mesh."""
        source, kind = self._source, self._source.kind(prim)
        here = (np.zeros(3), frames.IDENTITY.copy())
        if kind == "Mesh" and source.given(prim, "newtonish:hfield:nrow"):
            return self._terrain(prim)
        kept = source.get(prim, "newtonish:type") if kind == "Mesh" and not pose.sheared else None
        if kept == "ellipsoid":  # a collider that is a squeezed sphere, shown by a mesh
            source.use(prim, "points", "faceVertexCounts", "faceVertexIndices", "subdivisionScheme", "physics:approximation")
            return kept, np.abs(np.diag(pose.shape)), here, None
        if kind == "Mesh":
            return self._mesh(prim, pose, collider)
        if kind == "Cone" or (kind.endswith("_1") and self._radii(prim)[0] != self._radii(prim)[1]):
            return self._tapered(prim, kind, pose)
        if source.given(prim, "physics:approximation"):
            source.use(prim, "physics:approximation")
            source.log.ignored(
                "approximation of a solid", source.place(prim), "physics:approximation", f"is for meshes; a {kind} collides as it is", warn=False
            )
        if pose.sheared:
            source.problem(prim, "xformOp", "a sheared frame", f"turned and scaled frames for a {kind}", "apply it to a mesh")
            return None
        scale = np.abs(np.diag(pose.shape))
        if kind == "Sphere":
            half = self._length(prim, "radius", 1.0) * scale
            even = np.ptp(half) <= EVEN * half.max()
            return ("sphere", np.array([half.mean(), 0.0, 0.0]), here, None) if even else ("ellipsoid", half, here, None)
        if kind == "Cube":
            return "box", 0.5 * self._length(prim, "size", 2.0) * scale, here, None
        axis = str(source.get(prim, "axis", "Z"))
        turn = axis_turn(axis)
        along = np.abs(frames.to_matrix(turn).T) @ scale  # scale of the geom's own x, y and z
        if kind == "Plane":
            width, length = self._length(prim, "width", 2.0), self._length(prim, "length", 2.0)
            across = {"X": (length * scale[1], width * scale[2]), "Y": (length * scale[2], width * scale[0])}
            sizes = across.get(axis, (width * scale[0], length * scale[1]))
            return "plane", np.array([0.5 * sizes[0], 0.5 * sizes[1], GRID]), (np.zeros(3), turn), None
        if abs(along[0] - along[1]) > EVEN * max(along[:2]):
            given = f"a {kind} scaled by {along[0]:g} and {along[1]:g} across its axis"
            source.problem(prim, "xformOp:scale", given, "one scale across the axis", "use a mesh, or an even scale")
            return None
        radius = self._radii(prim)[0] * along[0]
        half = 0.5 * self._length(prim, "height", 1.0 if kind.startswith("Capsule") else 2.0) * along[2]
        if kind.startswith("Capsule") and abs(along[0] - along[2]) > EVEN * max(along):
            source.log.approximated("capsule scale", source.place(prim), "xformOp:scale", "the capsule's caps stay round, its axis is stretched")
        return ("capsule" if kind.startswith("Capsule") else "cylinder"), np.array([radius, half, 0.0]), (np.zeros(3), turn), None

    def _length(self, prim: Any, name: str, default: float) -> float:
        """A size of a shape in its own unit; one that is none is a problem."""
        value = self._source.number(prim, name, default)
        if not 0 < value < np.inf:
            self._source.problem(prim, name, str(value), "a number above zero", "correct it")
            return default
        return value

    def _radii(self, prim: Any) -> tuple[float, float]:
        """Radii at the bottom and at the top."""
        if self._source.kind(prim).endswith("_1"):
            fallback = 0.5 if self._source.kind(prim) == "Capsule_1" else 1.0
            return self._length(prim, "radiusBottom", fallback), self._length(prim, "radiusTop", fallback)
        radius = self._length(prim, "radius", 0.5 if self._source.kind(prim) == "Capsule" else 1.0)
        return radius, radius

    def _tapered(self, prim: Any, kind: str, pose: Pose) -> tuple[str, np.ndarray, Any, str] | None:
        """A cone, or a cylinder of two radii, as a mesh."""
        source = self._source
        if kind == "Capsule_1":
            source.problem(prim, "radiusTop", "a capsule of two radii", "one radius", "use a mesh")
            return None
        bottom, top = (self._length(prim, "radius", 1.0), 0.0) if kind == "Cone" else self._radii(prim)
        points, faces = frustum(bottom, top, self._length(prim, "height", 2.0))
        points = points @ frames.to_matrix(axis_turn(str(source.get(prim, "axis", "Z")))).T
        source.log.approximated("cone", source.place(prim), str(prim.GetPath()), f"the {kind} is a convex mesh of 32 sides")
        return self._as_mesh(prim, points, faces, pose, "convex", -1)

    def _mesh(self, prim: Any, pose: Pose, collider: bool) -> tuple[str, np.ndarray, Any, str | None] | None:
        """A mesh, or what ``physics:approximation`` has it collide as."""
        source = self._source
        found = triangles(source, prim)
        if found is None:
            return None
        points, faces, slots = found
        wanted = str(source.get(prim, "physics:approximation", "none")) if collider else "convexHull"
        if not self._keep_meshes and wanted in ("boundingCube", "boundingSphere"):
            placed = points @ pose.shape.T
            low, high = placed.min(axis=0), placed.max(axis=0)
            centre, half = 0.5 * (low + high), 0.5 * (high - low)
            if wanted == "boundingSphere":
                radius = float(np.linalg.norm(placed - centre, axis=1).max())
                return "sphere", np.array([radius, 0.0, 0.0]), (centre, frames.IDENTITY.copy()), None
            return "box", half, (centre, frames.IDENTITY.copy()), None
        if collider and wanted == "convexHull":
            self.hulls.add(source.path(prim))
        if wanted in HULLED and not self._decomposes:
            source.log.approximated(f"approximation {wanted}", source.place(prim), "physics:approximation", f"asks for {HULLED[wanted]}")
        elif wanted not in ("convexHull", "boundingCube", "boundingSphere", *HULLED):
            source.problem(prim, "physics:approximation", f"'{wanted}'", f"convexHull, boundingCube, boundingSphere, {', '.join(HULLED)}", "correct it")
        spread = source.get(prim, "newtonish:mesh:inertia", "legacy")
        spread = source.get(prim, "mjc:inertia", spread) if self._resolver.mjc else spread
        if spread not in ("legacy", "convex", "exact", "shell"):
            source.problem(prim, "mjc:inertia", f"'{spread}'", "legacy, convex, exact, shell", "correct it")
            return None
        bound = self._resolver.find(prim, "hull_vertices", default=source.get(prim, "newtonish:mesh:maxhullvert", -1))
        painted = texture_coordinates(source, prim, self.looks.primvar(prim), faces, slots)
        return self._as_mesh(prim, points, faces, pose, spread, int(bound), painted)

    def _terrain(self, prim: Any) -> tuple[str, np.ndarray, Any, str | None]:
        """A heightfield, by the samples that are kept beside its surface."""
        path, names = str(prim.GetPath()), ("nrow", "ncol", "size", "elevation")
        given = {name: self._source.get(prim, f"newtonish:hfield:{name}") for name in names}
        if not isinstance(given["size"], list) or len(given["size"]) != 4 or not isinstance(given["ncol"], int):
            self._source.problem(
                prim, "newtonish:hfield:size, ncol", f"{given['size']}, {given['ncol']}", "four sizes and the number of columns", "correct them"
            )
        else:
            self.terrains.children.append(element("hfield", path, **given))
        return "hfield", np.zeros(3), (np.zeros(3), frames.IDENTITY.copy()), None

    def _as_mesh(
        self, prim: Any, points: np.ndarray, faces: np.ndarray, pose: Pose, spread: str, bound: int, painted: tuple[np.ndarray, np.ndarray] | None = None
    ) -> tuple[str, np.ndarray, Any, str]:
        """Make a mesh asset, or find an equal one."""
        whole = np.round(pose.shape)
        vertices = points @ np.where(np.abs(pose.shape - whole) < EXACT, whole, pose.shape).T
        if np.linalg.det(pose.shape) < 0:
            faces = faces[:, ::-1]
            painted = None if painted is None else (painted[0], painted[1][:, ::-1])
        number = self._source.get(prim, "newtonish:mesh:number", -1)  # equal meshes that have a number each stay two
        skin = b"" if painted is None else painted[0].tobytes() + painted[1].tobytes()
        key = (vertices.astype(np.float32).tobytes(), faces.tobytes(), spread, bound, number, skin)
        name = self._known.setdefault(key, str(prim.GetPath()))
        if name not in self.meshes:
            uv, corners = (None, None) if painted is None else (painted[0], np.ascontiguousarray(painted[1]))
            self.meshes[name] = MeshAsset(name, element("mesh", name), vertices, np.ascontiguousarray(faces), spread, None, uv, corners, bound)
        return "mesh", np.zeros(3), (np.zeros(3), frames.IDENTITY.copy()), name
