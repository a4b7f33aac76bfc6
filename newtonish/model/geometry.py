"""Geometry that shapes refer to: triangle meshes, made from arrays or read from files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import warp as wp

from newtonish.arguments import checked_methods, shown
from newtonish.errors import ImporterError, ModelError, problem
from newtonish.model.fields import FieldInstance, field_surface
from newtonish.model.inertia import mesh_shell, mesh_solid
from newtonish.model.transforms import Vec3, as_vector

__all__ = ["Mesh"]

_READABLE = (".stl", ".obj", ".ply", ".off", ".glb", ".gltf")


class Mesh:
    """A triangle mesh; one object may be the source of many shapes.

    Args:
        vertices: Positions [m], shape (n, 3).
        indices: Three vertex indices for each triangle, flat or (m, 3).
        normals: One normal for each vertex.
        uvs: One texture coordinate for each vertex.
        compute_inertia: Whether mass properties are computed; otherwise they are one kilogram, unit moments.
        is_solid: Whether mass fills the volume or covers the surface.
        maxhullvert: Most vertices of its convex hull; None for no bound.
        color: Red, green, blue from 0 to 1.
        roughness: Roughness of the surface, for drawing.
        metallic: Metallic look of the surface, for drawing.
        texture: Picture, or where to find it, for drawing.
        opacity: From 0 (transparent) to 1.
        name: Name, for messages.

    Attributes:
        vertices: Positions, float64, shape (n, 3).
        indices: Vertex indices, int32, flat.
        texcoords: Texture coordinates that corners of triangles share, (k, 2), v downwards from the picture's first row; None for none.
        face_texcoords: Which of them the corners have, (m, 3).
        hull_points: The vertices before they were scaled and moved, (n, 3), which decide on the faces of its hull; None: the vertices.
        field: The signed distance field that collides in place of the mesh (a ``FieldInstance``); None: none.
        made_of: The field that the mesh is the surface of; such a mesh stays in its own frame when it is compiled, as in MuJoCo. None: none.
        base: The mesh that this one is a copy of, with a field; None: none.
        mass: Volume [m^3] of a solid mesh, area [m^2] of a shell: the mass at density one.
        com: Centre of mass [m].
        inertia: Inertia about it at density one, (3, 3).
    """

    MAX_HULL_VERTICES = 64

    def __init__(
        self,
        vertices: Any,
        indices: Any,
        *,
        normals: Any | None = None,
        uvs: Any | None = None,
        compute_inertia: bool = True,
        is_solid: bool = True,
        maxhullvert: int | None = None,
        color: Vec3 | None = None,
        roughness: float | None = None,
        metallic: float | None = None,
        texture: Any | None = None,
        opacity: float | None = None,
        name: str = "",
    ) -> None:
        self.name = name
        what = f"mesh '{name}'" if name else "mesh"
        self.vertices = _table(vertices, 3, f"vertices of {what}")
        self.indices = _array(indices, np.int32, f"indices of {what}").reshape(-1)
        _check_indices(self.indices, len(self.vertices), what)
        self.normals = None if normals is None else _table(normals, 3, f"normals of {what}")
        self.uvs = None if uvs is None else _table(uvs, 2, f"uvs of {what}")
        self.texcoords: np.ndarray | None = None
        self.face_texcoords: np.ndarray | None = None
        self.hull_points: np.ndarray | None = None
        self.field: FieldInstance | None = None
        self.made_of: FieldInstance | None = None
        self.base: Mesh | None = None
        self.is_solid = is_solid
        self.maxhullvert = maxhullvert
        self.color = None if color is None else as_vector(color, 3, f"color of {what}")
        self.roughness = roughness
        self.metallic = metallic
        self.texture = texture
        self.opacity = opacity
        self.has_inertia = compute_inertia
        self.mass, self.com, self.inertia = 1.0, np.zeros(3), np.eye(3)
        self._device_meshes: dict[str, wp.Mesh] = {}
        if compute_inertia:
            self.compute_mass_properties()

    @property
    def triangles(self) -> np.ndarray:
        """Vertex indices, shape (m, 3)."""
        return self.indices.reshape(-1, 3)

    def corner_uvs(self) -> np.ndarray | None:
        """Texture coordinates of the three corners of each triangle, (m, 3, 2); v runs down from the picture's first row.

        They are those by corner, or else ``uvs``, which count v from the bottom; None where there are neither.
        """
        if self.texcoords is not None and self.face_texcoords is not None:
            return self.texcoords[self.face_texcoords]
        return None if self.uvs is None else (self.uvs * [1.0, -1.0] + [0.0, 1.0])[self.triangles]

    def compute_mass_properties(self) -> None:
        """Set mass, centre of mass and inertia at density one; a mesh turned inside out has them too."""
        compute = mesh_solid if self.is_solid else mesh_shell
        mass, com, inertia = compute(self.vertices, self.triangles)
        sign = -1.0 if mass < 0.0 else 1.0
        self.mass, self.com, self.inertia = sign * mass, com, sign * inertia

    def copy(self, vertices: Any | None = None, indices: Any | None = None) -> Mesh:
        """Return an independent mesh, with other vertices or triangles if given."""
        moved = vertices is not None or indices is not None
        mesh = Mesh(
            self.vertices if vertices is None else vertices,
            self.indices if indices is None else indices,
            normals=None if moved else self.normals,
            uvs=None if moved else self.uvs,
            compute_inertia=self.has_inertia,
            is_solid=self.is_solid,
            maxhullvert=self.maxhullvert,
            color=self.color,
            roughness=self.roughness,
            metallic=self.metallic,
            texture=self.texture,
            opacity=self.opacity,
            name=self.name,
        )
        if not moved:
            mesh.texcoords, mesh.face_texcoords = self.texcoords, self.face_texcoords
            mesh.hull_points = self.hull_points
            mesh.field, mesh.made_of, mesh.base = self.field, self.made_of, self.base
        return mesh

    def as_field(self, plugin: str = "", *, name: str = "", **parameters: float) -> Mesh:
        """A copy whose shapes collide as a signed distance field: in MuJoCo's words, geoms of type ``sdf``.

        Cavities count then, where a mesh is its convex hull else.

        Args:
            plugin: Which field, as for :meth:`from_field`; empty: the mesh's own, kept in an octree that is made when the model is converted.
            name: Name of the field's instance.
            **parameters: Those of the field.

        Raises:
            ModelError: There is no such field, or its parameters are wrong.
        """
        return self._with_field(FieldInstance.of(plugin, parameters, name))

    def _with_field(self, field: FieldInstance) -> Mesh:
        mesh = self.copy()
        mesh.field, mesh.base = field, self.base or self
        return mesh

    @classmethod
    def from_field(cls, plugin: str, *, name: str = "", **parameters: float) -> Mesh:
        """The surface of a signed distance field, whose shapes collide as that field.

        Args:
            plugin: MuJoCo's (``mujoco.sdf.nut``, ``bolt``, ``torus``, ``bowl``, ``gear``), or a name given to ``mjw.register_field``.
            name: Name of the mesh.
            **parameters: Those of the field; what is left out has its usual value.

        Raises:
            ModelError: There is no such field, or its parameters are wrong.
        """
        field = FieldInstance.of(plugin, parameters, name)
        mesh = cls(*field_surface(field), name=name)
        mesh.made_of = mesh.field = field
        return mesh

    def finalize(self, device: Any = None) -> int:
        """Make the Warp mesh on a device, once, and return its handle."""
        key = str(wp.get_device(device))
        if key not in self._device_meshes:
            points = wp.array(self.vertices.astype(np.float32), dtype=wp.vec3, device=key)
            self._device_meshes[key] = wp.Mesh(points, wp.array(self.indices, dtype=wp.int32, device=key))
        return self._device_meshes[key].id

    @classmethod
    def create_from_file(cls, path: str | Path, **kwargs: Any) -> Mesh:
        """Read a mesh file; all objects in it become one mesh, vertices keep their order.

        Args:
            path: An STL, OBJ, PLY, OFF, GLB or GLTF file.
            **kwargs: Further arguments of :class:`Mesh`.
        """
        file = Path(path)
        what = f"mesh file '{file}'"
        if file.suffix.lower() not in _READABLE:
            raise ImporterError(problem(what, f"extension '{file.suffix}'", ", ".join(_READABLE), "convert the file"))
        if not file.is_file():
            raise ImporterError(problem(what, "no such file", "a file that exists", "correct the path"))
        import trimesh

        try:
            loaded = trimesh.load(file, force="mesh", process=False, maintain_order=True, skip_materials=True)
        except Exception as error:
            remedy = "open it in a mesh editor and save it again"
            raise ImporterError(problem(what, f"unreadable content ({error})", "a valid mesh file", remedy)) from error
        if not len(loaded.vertices) or not len(loaded.faces):
            raise ImporterError(problem(what, "no triangles", "a file with triangles", "check how it was exported"))
        kwargs.setdefault("name", file.stem)
        return cls(np.asarray(loaded.vertices), np.asarray(loaded.faces), **kwargs)


def _array(values: Any, dtype: type, what: str) -> np.ndarray:
    """Return numbers of a type as an array of one's own."""
    try:
        return np.array(values, dtype=dtype)
    except (TypeError, ValueError, OverflowError, RuntimeError):
        raise ModelError(problem(what, shown(values), f"numbers that {dtype.__name__} holds", "pass a list or an array of them")) from None


def _table(values: Any, width: int, what: str) -> np.ndarray:
    """Return rows of ``width`` float64 numbers."""
    rows = _array(values, np.float64, what)
    if rows.size % width or not np.all(np.isfinite(rows)):
        given = f"{rows.size} numbers" if rows.size % width else "numbers that are not finite"
        raise ModelError(problem(what, given, f"{width} finite numbers for each vertex", "correct the array"))
    return rows.reshape(-1, width)


def _check_indices(indices: np.ndarray, count: int, what: str) -> None:
    """Raise unless indices come in threes and lie within the vertices."""
    if len(indices) % 3:
        raise ModelError(problem(what, f"{len(indices)} indices", "three for each triangle", "triangulate it"))
    if len(indices) and (indices.min() < 0 or indices.max() >= count):
        given = f"indices {indices.min()} to {indices.max()}"
        raise ModelError(problem(what, given, f"0 to {count - 1}", "correct the triangles"))


checked_methods(Mesh)
