"""Marks: lines, arrows, points, meshes, shapes and frames that a script logs under names, beside the model's own shapes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from newtonish.errors import ModelError, problem
from newtonish.model.enums import GeoType
from newtonish.viewer.scene.arrays import Instances, Triangles
from newtonish.viewer.scene.enums import Category, Kind
from newtonish.viewer.scene.library import BUILT_IN, Library
from newtonish.viewer.scene.meshes import mesh_triangles
from newtonish.viewer.scene.rotations import from_z, matrices

__all__ = ["Marks"]

ORANGE = (1.0, 0.6, 0.1)
"""Colour of what is given none."""
RADIUS = 0.01
"""Of points that are given none [m]."""
ENDLESS = 100.0
"""Half width of planes without an end [m]."""
_SIZES = {
    GeoType.PLANE: ("plane", 2), GeoType.SPHERE: ("sphere", 1), GeoType.CAPSULE: ("capsule", 2), GeoType.ELLIPSOID: ("sphere", 3),
    GeoType.CYLINDER: ("cylinder", 2), GeoType.BOX: ("box", 3), GeoType.CONE: ("cone", 2),
}  # fmt: skip
"""Built-in triangles of each kind of shape, and how many numbers its scale has."""


class Marks:
    """What was logged last under each name; logging nothing under a name takes it away."""

    def __init__(self) -> None:
        self._shown: dict[str, tuple[str | Triangles, Instances]] = {}
        self._meshes: dict[str, Triangles] = {}
        self._library: Library | None = None
        self._entries: dict[int, int] = {}

    def clear(self) -> None:
        """Forget everything, the meshes too."""
        self._shown.clear()
        self._meshes.clear()

    def parts(self, library: Library) -> list[Instances]:
        """Everything as instances of a library, which gets the meshes that it lacks."""
        if library is not self._library:
            self._library, self._entries = library, {}
        for shape, made in self._shown.values():
            if isinstance(shape, str):
                made.triangles[:] = BUILT_IN[shape]
            else:
                if id(shape) not in self._entries:
                    self._entries[id(shape)] = library.add(shape)
                made.triangles[:] = self._entries[id(shape)]
        return [made for _, made in self._shown.values()]

    # -- what is logged -----------------------------------------------------------------------------------------------

    def segments(self, name: str, starts: Any, ends: Any, colors: Any, width: float, hidden: bool, *, arrows: bool = False) -> None:
        """Lines, or arrows, between points (n, 3) [m]; ``width`` [m]."""
        start, end = _points(starts), _points(ends)
        if len(start) != len(end):
            text = problem(f"'{name}'", f"{len(start)} starts and {len(end)} ends", "as many of both", "give each line both its ends")
            raise ModelError(text)
        along = end - start
        length = np.linalg.norm(along, axis=1)
        scale = np.full((len(start), 3), 0.5 * float(width))
        scale[:, 2] = 2.0 * length if arrows else 0.5 * length  # an arrow of the library ends at a half
        position = start if arrows else start + 0.5 * along
        self._keep(name, "arrow" if arrows else "cylinder", position, from_z(along), scale, colors, hidden)

    def points(self, name: str, points: Any, radii: Any, colors: Any, hidden: bool) -> None:
        """Balls at points (n, 3) [m], with one radius or one each [m]."""
        place = _points(points)
        radius = np.broadcast_to(RADIUS if radii is None else _host(radii).reshape(-1), len(place))
        self._keep(name, "sphere", place, np.eye(3), radius[:, None], colors, hidden)

    def mesh(self, name: str, points: Any, indices: Any, normals: Any = None, uvs: Any = None) -> None:
        """Triangles that :meth:`copies` refers to; others under the same name take their place, in the copies too."""
        given = SimpleNamespace(vertices=_points(points), indices=_host(indices).astype(np.int64).reshape(-1), name=name)
        given.normals = None if normals is None else _points(normals)
        made, old = mesh_triangles(given), self._meshes.get(name)
        if old is not None and np.array_equal(old.indices, made.indices) and old.positions.shape == made.positions.shape:
            old.positions, old.normals, old.version = made.positions, made.normals, old.version + 1
            return
        self._meshes[name] = made
        for key, (shape, instances) in self._shown.items():
            if shape is old:
                self._shown[key] = made, instances

    def copies(self, name: str, mesh: str, xforms: Any, scales: Any, colors: Any, hidden: bool) -> None:
        """Copies of a logged mesh at transforms (n, 7), with scales (n, 3)."""
        if mesh not in self._meshes:
            known = ", ".join(repr(one) for one in self._meshes) or "none was logged"
            raise ModelError(problem(f"'{name}'", f"the mesh {mesh!r}", known, "call log_mesh before log_instances"))
        place, turned = _poses(xforms)
        self._keep(name, self._meshes[mesh], place, turned, 1.0 if scales is None else _points(scales), colors, hidden)

    def shapes(self, name: str, kind: int, size: Any, xforms: Any, colors: Any, source: Any, hidden: bool) -> None:
        """Copies of a shape, of the size that ``ModelBuilder.add_shape`` has for its kind, at transforms (n, 7)."""
        place, turned = _poses(xforms)
        given = np.atleast_1d(_host(size).astype(float)).reshape(-1)
        if kind in (GeoType.MESH, GeoType.CONVEX_MESH) and source is not None:
            key = f"{name} {id(source)}"
            if key not in self._meshes:
                self.mesh(key, source.vertices, source.indices, getattr(source, "normals", None))
            self._keep(name, self._meshes[key], place, turned, np.resize(given, 3), colors, hidden)
            return
        if kind not in _SIZES:
            allowed = ", ".join(one.name for one in (*_SIZES, GeoType.MESH, GeoType.CONVEX_MESH))
            raise ModelError(problem(f"'{name}'", f"a shape of kind {kind!r}", allowed, "log its triangles by log_mesh"))
        shape, numbers = _SIZES[GeoType(kind)]
        given = np.resize(given[:numbers], numbers)
        if kind == GeoType.PLANE:
            scale = np.array([*(0.5 * side if side > 0.0 else ENDLESS for side in given), 1.0])
        else:
            scale = np.resize(given, 3) if numbers != 2 else given[[0, 0, 1]]
        self._keep(name, shape, place, turned, scale, colors, hidden)

    def frame(self, name: str, transform: Any, length: float) -> None:
        """A coordinate frame at a transform (7,): a red, a green and a blue arrow [m]."""
        place, turned = _poses(transform)
        starts = np.repeat(place[:1], 3, axis=0)
        self.segments(name, starts, starts + length * turned[0].T, np.eye(3) * 0.9, 0.06 * length, False, arrows=True)

    def _keep(self, name: str, shape: str | Triangles, position: Any, rotation: Any, scale: Any, colors: Any, hidden: bool) -> None:
        if hidden or not len(position):
            self._shown.pop(name, None)
            return
        made = Instances.empty(len(position))
        made.position[:], made.rotation[:], made.scale[:] = position, rotation, scale
        made.color[:, :3] = ORANGE if colors is None else _points(colors)
        made.category[:], made.kind[:] = Category.DECOR, Kind.UNKNOWN
        self._shown[name] = shape, made


def _host(values: Any) -> np.ndarray:
    """Numbers of an array on any device, a sequence or a number."""
    return np.asarray(values.numpy() if hasattr(values, "numpy") else values)


def _points(values: Any) -> np.ndarray:
    """(n, 3); none where nothing is given."""
    return np.zeros((0, 3)) if values is None else _host(values).astype(float).reshape(-1, 3)


def _poses(xforms: Any) -> tuple[np.ndarray, np.ndarray]:
    """Positions (n, 3) and rotations (n, 3, 3) of transforms (n, 7): position, and quaternion x y z w."""
    rows = np.zeros((0, 7)) if xforms is None else _host(xforms).astype(float).reshape(-1, 7)
    return rows[:, :3], matrices(rows[:, 3:])
