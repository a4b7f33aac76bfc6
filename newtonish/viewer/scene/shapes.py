"""The model's shapes as instances: everything that does not change while they move is found out once."""

from __future__ import annotations

from typing import Any

import numpy as np

from newtonish.model.enums import GeoType, ShapeFlags
from newtonish.viewer.scene.arrays import Instances
from newtonish.viewer.scene.enums import Category, Kind
from newtonish.viewer.scene.library import BUILT_IN, Library
from newtonish.viewer.scene.materials import Looks
from newtonish.viewer.scene.options import VisualOptions
from newtonish.viewer.scene.rotations import matrices
from newtonish.viewer.scene.tables import Tables

__all__ = ["Shapes", "ShownShapes"]

_ENTRY = {
    GeoType.PLANE: "plane", GeoType.SPHERE: "sphere", GeoType.CAPSULE: "capsule", GeoType.ELLIPSOID: "sphere",
    GeoType.CYLINDER: "cylinder", GeoType.BOX: "box", GeoType.CONE: "cone",
}  # fmt: skip
_MESHES = (GeoType.MESH, GeoType.CONVEX_MESH)


class ShownShapes:
    """The shapes that one choice of options shows, static ones first.

    Attributes:
        instances: Of all of them, with the poses of those that do not move.
        moving: Rows that are on a body.
        bodies: Their bodies.
        offset, turn: Their poses in the bodies, (n, 3) and (n, 3, 3).
        endless: Rows of planes without an end, which follow the camera.
    """

    def __init__(self, instances: Instances, offset: np.ndarray, turn: np.ndarray, endless: np.ndarray) -> None:
        self.instances, self.endless = instances, endless
        self.moving = np.flatnonzero(instances.body >= 0)
        self.bodies = instances.body[self.moving]
        self.offset, self.turn = offset[self.moving], turn[self.moving]

    def place(self, position: np.ndarray, rotation: np.ndarray, origin: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Positions and rotations of all rows.

        Args:
            position: (bodies, 3) in the world, offsets of worlds added.
            rotation: (bodies, 3, 3).
            origin: (n, 3) offset of each row's world.
        """
        at, turned = self.instances.position + origin, self.instances.rotation
        if len(self.moving):
            turned = turned.copy()
            body = rotation[self.bodies]
            turned[self.moving] = np.matmul(body, self.turn)
            at[self.moving] = position[self.bodies] + np.einsum("nij,nj->ni", body, self.offset)
        return at, turned


class Shapes:
    """All shapes of a model, before a choice is made.

    Args:
        model: Newton's model.
        tables: The converted one, or None.
        library: Receives its meshes and height fields.
        looks: Its materials.
        static: (bodies,) whether a body is fixed to the world.
        reach: Half width of planes without an end [m].
        alpha: Factor of the opacity of what moves, in transparent mode.
        worlds: Whether each world is shown.
        checker: Whether planes without a material get squares.
    """

    def __init__(
        self, model: Any, tables: Tables | None, library: Library, looks: Looks, static: np.ndarray, reach: float, alpha: float,
        worlds: np.ndarray, checker: bool,
    ) -> None:  # fmt: skip
        self._tables = tables
        self._model, self._library, self._looks, self._alpha, self._reach = model, library, looks, alpha, reach
        self.kind = _host(model.shape_type)
        self.flags = _host(model.shape_flags)
        self.body = _host(model.shape_body)
        self.world = _host(model.shape_world)
        count = len(self.kind)
        self.scale = _host(model.shape_scale).astype(np.float32)
        self.transform = _host(model.shape_transform).astype(np.float32)
        custom = getattr(model, "mujoco", None)
        self.group = np.clip(_of(custom, "geom_group", count, 0), 0, 5)
        self.base = _of(custom, "hfield_base", count, -1.0)
        self.collides = (self.flags & ShapeFlags.COLLIDE_SHAPES) > 0
        self.site = (self.flags & ShapeFlags.SITE) > 0
        self.color = np.ones((count, 4), dtype=np.float32)
        if getattr(model, "shape_color", None) is not None:
            self.color[:, :3] = _host(model.shape_color)
        if getattr(model, "shape_opacity", None) is not None:
            self.color[:, 3] = _host(model.shape_opacity)
        fixed = (self.body < 0) | (static[np.maximum(self.body, 0)] if len(static) else True)
        self.category = np.where(fixed, Category.STATIC, Category.DYNAMIC).astype(np.int32)
        self.shown = (self.world < 0) | worlds[np.maximum(self.world, 0)]
        self.material = looks.shape_material.copy()
        if checker:
            self._add_checker()
        self._entries: dict[bool, np.ndarray] = {}
        self.endless = (self.kind == GeoType.PLANE) & np.any(self.scale[:, :2] <= 0.0, axis=1)
        self.shown &= ~self._repeated_grounds(int(model.up_axis))
        self._full_scale = self._scales()
        self._made: tuple[Any, ShownShapes] | None = None

    def _add_checker(self) -> None:
        plain = (self.kind == GeoType.PLANE) & (self.material < 0) & ~self.site
        if plain.any():
            self.material[plain] = self._looks.checker()

    def _repeated_grounds(self, up: int) -> np.ndarray:
        """Level planes without an end that one of another world already covers: drawn in one place they would flicker."""
        level = np.abs(matrices(self.transform[:, 3:])[:, up, 2]) > 1.0 - 1e-6
        level &= self.endless & np.all(self.scale[:, :2] <= 0.0, axis=1) & (self.body < 0) & self.shown
        rows = np.flatnonzero(level)
        looks = np.concatenate([self.transform[rows, up, None], self.color[rows], self.material[rows, None], self.group[rows, None]], axis=1)
        first = np.unique(looks, axis=0, return_index=True)[1]
        repeated = np.zeros(len(self.kind), dtype=bool)
        repeated[np.delete(rows, first)] = True
        return repeated

    def _scales(self) -> np.ndarray:
        """Factors of the library's unit shapes."""
        scale, kind = self.scale.copy(), self.kind
        round_ = np.isin(kind, (GeoType.CAPSULE, GeoType.CYLINDER, GeoType.CONE))
        scale[round_] = scale[round_][:, [0, 0, 1]]
        scale[kind == GeoType.SPHERE] = scale[kind == GeoType.SPHERE][:, [0, 0, 0]]
        flat = kind == GeoType.PLANE
        scale[flat] = np.where(scale[flat] > 0.0, 0.5 * scale[flat], self._reach)
        scale[flat, 2] = 1.0
        return scale

    def _entry_of(self, hull: bool) -> np.ndarray:
        """Entry of the library of each shape, -1 for what is not drawn."""
        if hull not in self._entries:
            entries = np.full(len(self.kind), -1, dtype=np.int32)
            for kind, name in _ENTRY.items():
                entries[self.kind == kind] = BUILT_IN[name]
            entries[self.endless] = BUILT_IN["ground"]
            sources = self._model.shape_source
            for shape in np.flatnonzero(np.isin(self.kind, (*_MESHES, GeoType.HFIELD)) & self.shown):
                if self.kind[shape] == GeoType.HFIELD:
                    entries[shape] = self._library.heightfield(sources[shape], float(self.base[shape]))
                elif hull and (self.collides[shape] or self.site[shape]):
                    entries[shape] = self._library.hull(sources[shape])
                else:
                    entries[shape] = self._library.mesh(sources[shape])
            self._entries[hull] = entries
        return self._entries[hull]

    def choose(self, options: VisualOptions) -> ShownShapes:
        """The shapes that options show; the same object as long as they do."""
        key = options.shape_key()
        if self._made is None or self._made[0] != key:
            self._made = (key, self._choose(options))
        return self._made[1]

    def _choose(self, options: VisualOptions) -> ShownShapes:
        entries = self._entry_of(options.convexhull)
        groups = np.where(self.site, np.array(options.sitegroup)[self.group], np.array(options.geomgroup)[self.group])
        mask = self.shown & groups & (entries >= 0) & (self.color[:, 3] > 0.0)
        mask &= (self.category & int(options.categories)) > 0
        if not options.static:
            mask &= self.category != Category.STATIC
        if not options.invisible:
            mask &= (self.flags & ShapeFlags.VISIBLE) > 0
        rows = np.flatnonzero(mask)
        rows = rows[np.argsort(self.category[rows], kind="stable")]
        made = Instances.empty(len(rows))
        made.triangles[:], made.scale[:], made.color[:] = entries[rows], self._full_scale[rows], self.color[rows]
        made.category[:], made.index[:] = self.category[rows], rows
        made.world[:], made.body[:] = self.world[rows], self.body[rows]
        made.kind[:] = np.where(self.site[rows], Kind.SITE, Kind.GEOM)
        made.shadow[:] = self._looks.shape_shadow[rows]
        if options.texture:
            made.material[:] = self.material[rows]
        else:
            made.material[:] = self._looks.plain(self.material)[rows]
        made.texture_scale[:] = self._texture_scale(rows)
        if options.transparent:
            made.color[made.category == Category.DYNAMIC, 3] *= self._alpha
        made.position[:] = self.transform[rows, :3]
        made.rotation[:] = matrices(self.transform[rows, 3:])
        return ShownShapes(made, made.position.copy(), made.rotation.copy(), np.flatnonzero(self.endless[rows]))

    def _texture_scale(self, rows: np.ndarray) -> np.ndarray:
        """How often pictures repeat, by MuJoCo's rules: over a shape, or over metres where the material says so."""
        result = np.ones((len(rows), 3), dtype=np.float32)
        for at, row in enumerate(rows.tolist()):
            if self.material[row] < 0:
                continue
            material = self._looks.materials[self.material[row]]
            kind = GeoType(int(self.kind[row]))
            scale, built_in = self._full_scale[row], kind in _ENTRY
            repeat = np.array([*material.repeat, 1.0])
            if material.texture >= 0 and self._looks.textures[material.texture].kind != "2d":
                metres = np.ones(3) if built_in and kind != GeoType.PLANE else scale
                result[at] = metres * (self._size(row) if material.uniform else 1.0)
            elif self.endless[row]:
                result[at] = repeat * scale
            elif built_in or self._library.entries[self._entry_of(False)[row]].uvs is not None:
                result[at] = repeat * (self._size(row) if material.uniform else 1.0)
            else:
                result[at] = repeat * scale * (1.0 if material.uniform else 1.0 / np.maximum(self._size(row), 1e-12))
        return result

    def _size(self, row: int) -> np.ndarray:
        """Half the size of a shape [m]; of a mesh or height field that of the box around it."""
        if GeoType(int(self.kind[row])) in _ENTRY:
            return self._full_scale[row]
        geom = -1 if self._tables is None else int(self._tables.maps.shape_to_geom[row])
        if geom >= 0:  # MuJoCo's box, which has the axes of the mesh's inertia
            sizes = self._tables.worlds("geom_size")
            return sizes[max(int(self.world[row]), 0) if len(sizes) > 1 else 0, geom]
        positions = self._library.entries[self._entry_of(False)[row]].positions
        return 0.5 * np.ptp(positions, axis=0) * np.abs(self.scale[row])


def _host(array: Any) -> np.ndarray:
    return np.asarray(array.numpy() if hasattr(array, "numpy") else array)


def _of(custom: Any, name: str, count: int, default: float) -> np.ndarray:
    """An attribute of the shapes, or a default for each."""
    array = getattr(custom, name, None)
    return np.full(count, default) if array is None else _host(array)
