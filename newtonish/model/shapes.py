"""Shapes: the general add_shape, collision filter pairs, default settings and colours."""

from __future__ import annotations

import colorsys
from typing import TYPE_CHECKING, Any

import numpy as np

from newtonish.arguments import is_integer, shown
from newtonish.errors import ModelError, UnsupportedError, problem
from newtonish.model.enums import AttributeFrequency, GeoType, ShapeFlags, member
from newtonish.model.inertia import shape_mass_properties, shape_radius
from newtonish.model.shape_config import ShapeConfig
from newtonish.model.transforms import Transform, Vec3, as_transform, as_vector

if TYPE_CHECKING:
    from newtonish.model.builder import ModelBuilder

_SIZES_USED = {
    GeoType.SPHERE: 1,
    GeoType.CAPSULE: 2,
    GeoType.CYLINDER: 2,
    GeoType.CONE: 2,
    GeoType.ELLIPSOID: 3,
    GeoType.BOX: 3,
}


def palette_color(index: int) -> tuple[float, float, float]:
    """Return a colour that differs from those of neighbouring indices, by golden-ratio steps of hue."""
    return colorsys.hsv_to_rgb((0.58 + index * 0.61803398875) % 1.0, 0.45, 0.85)


class ShapeMethods:
    """Part of :class:`~newtonish.ModelBuilder` that adds shapes of any type."""

    @property
    def default_site_cfg(self: ModelBuilder) -> ShapeConfig:
        """Settings of a site: no collisions, no mass, drawn."""
        return ShapeConfig().as_site()

    def add_shape(
        self: ModelBuilder,
        *,
        body: int,
        type: int,
        xform: Transform | None = None,
        cfg: ShapeConfig | None = None,
        scale: Vec3 | None = None,
        src: Any | None = None,
        is_static: bool = False,
        color: Vec3 | None = None,
        opacity: float | None = None,
        label: str | None = None,
        custom_attributes: dict[str, Any] | None = None,
    ) -> int:
        """Add a shape of any type and return its index.

        Args:
            body: Its body, -1 for the world.
            type: Its :class:`GeoType`.
            xform: Its pose in the body's frame.
            cfg: Its settings; ``builder.default_shape_cfg`` if not given.
            scale: Its size: SPHERE (radius), CAPSULE and CYLINDER and CONE (radius, half height along z), BOX half
                extents, ELLIPSOID half axes, PLANE (width, length, 0) with 0 for infinite, MESH factors of the source.
            src: Its mesh or height field.
            is_static: Whether it gives no mass to its body.
            color: Red, green, blue from 0 to 1.
            opacity: From 0 (transparent) to 1.
            label: Name; by default ``shape_<index>``.
            custom_attributes: Values of attributes of SHAPE frequency.
        """
        shape = self.shape_count
        name = label or f"shape_{shape}"
        what = f"shape '{name}'"
        cfg = self.default_shape_cfg if cfg is None else cfg
        cfg.validate(what)
        kind = member(GeoType, type, f"type of {what}")
        self._check_body(body, what, "body")
        size = _checked_size(kind, np.ones(3) if scale is None else as_vector(scale, 3, what), src, cfg.is_site, what)
        pose = as_transform(xform, what)
        values = self._checked_custom_values(custom_attributes, AttributeFrequency.SHAPE, shape, what)
        has_mass = not is_static and cfg.density > 0.0 and body >= 0 and not self.body_lock_inertia[body]
        added = None
        if has_mass:
            added = shape_mass_properties(kind, size, src, cfg.density, cfg.is_solid, cfg.margin, what)
        self._append_row(
            shape_label=name,
            shape_world=self.current_world,
            shape_body=body,
            shape_transform=pose,
            shape_type=int(kind),
            shape_scale=size,
            shape_source=src,
            shape_flags=cfg.flags,
            shape_color=_color(color, src, shape, what),
            shape_opacity=_opacity(opacity, src, what),
            shape_is_solid=cfg.is_solid,
            shape_margin=cfg.margin,
            shape_gap=self.rigid_gap if cfg.gap is None else cfg.gap,
            shape_material_ke=cfg.ke,
            shape_material_kd=cfg.kd,
            shape_material_kf=cfg.kf,
            shape_material_ka=cfg.ka,
            shape_material_kh=cfg.kh,
            shape_material_mu=cfg.mu,
            shape_material_restitution=cfg.restitution,
            shape_material_mu_torsional=cfg.mu_torsional,
            shape_material_mu_rolling=cfg.mu_rolling,
            shape_collision_group=cfg.collision_group,
            shape_collision_radius=shape_radius(kind, size, src),
        )
        self._topology.add_shape(shape, body)
        self._store_custom_values(values)
        if cfg.has_shape_collision and cfg.collision_filter_parent:
            self._filter_joined_bodies(shape, body)
        if added is not None:
            self._add_body_mass(body, added, pose)
        return shape

    def add_site(
        self: ModelBuilder,
        body: int,
        *,
        xform: Transform | None = None,
        type: int = GeoType.SPHERE,
        scale: Vec3 = (0.01, 0.01, 0.01),
        label: str | None = None,
        visible: bool = False,
        custom_attributes: dict[str, Any] | None = None,
    ) -> int:
        """Add a reference point that neither collides nor weighs, and return its index among the shapes."""
        cfg = self.default_site_cfg
        cfg.is_visible = visible
        return self.add_shape(
            body=body,
            type=type,
            xform=xform,
            cfg=cfg,
            scale=scale,
            label=label,
            custom_attributes=custom_attributes,
        )

    def _site_or_shape_cfg(self: ModelBuilder, cfg: ShapeConfig | None, as_site: bool) -> ShapeConfig:
        if cfg is None:
            return self.default_site_cfg if as_site else self.default_shape_cfg
        return cfg.as_site() if as_site else cfg

    def _filter_joined_bodies(self: ModelBuilder, shape: int, body: int) -> None:
        """Exclude collisions of a new shape with the shapes of bodies joined to its body."""
        flags = self._columns["shape_flags"].array
        shapes = self._topology.shapes
        joined = (*self._topology.parents.get(body, ()), *self._topology.children.get(body, ()))
        for other, joint in joined:
            if not self.joint_collision_filter_parent[joint]:
                continue
            for candidate in shapes.get(other, ()):
                if flags[candidate] & ShapeFlags.COLLIDE_SHAPES:
                    self._filter_pairs.add(int(candidate), int(shape))

    def add_shape_collision_filter_pair(self: ModelBuilder, shape_a: int, shape_b: int) -> None:
        """Exclude collisions between two shapes.

        Raises:
            ModelError: There is no such shape.
        """
        for name, shape in (("shape_a", shape_a), ("shape_b", shape_b)):
            if not is_integer(shape) or not 0 <= int(shape) < self.shape_count:
                allowed = f"0 to {self.shape_count - 1}" if self.shape_count else "none, there are no shapes yet"
                raise ModelError(problem(f"add_shape_collision_filter_pair: {name}", shown(shape), allowed, "pass what add_shape returned"))
        self._filter_pairs.add(int(shape_a), int(shape_b))

    @property
    def shape_collision_filter_pairs(self: ModelBuilder) -> list[tuple[int, int]]:
        """All excluded pairs, each with the smaller index first; a copy, changed by assigning a new list."""
        return [tuple(pair) for pair in self._filter_pairs.array.tolist()]

    @shape_collision_filter_pairs.setter
    def shape_collision_filter_pairs(self: ModelBuilder, pairs: Any) -> None:
        self._filter_pairs.replace(pairs)


class FilterPairs:
    """Growing array of shape pairs that do not collide, smaller index first."""

    def __init__(self) -> None:
        self._blocks: list[np.ndarray] = []
        self._new: list[tuple[int, int]] = []

    @property
    def array(self) -> np.ndarray:
        """All pairs, shape (n, 2), in the order in which they were added."""
        if self._new:
            self._blocks.append(np.array(self._new, dtype=np.int64))
            self._new = []
        if len(self._blocks) > 1:
            self._blocks = [np.concatenate(self._blocks)]
        return self._blocks[0] if self._blocks else np.empty((0, 2), dtype=np.int64)

    def add(self, first: int, second: int) -> None:
        """Add a pair."""
        self._new.append((first, second) if first < second else (second, first))

    def extend(self, pairs: np.ndarray) -> None:
        """Add pairs, shape (n, 2)."""
        if len(pairs):
            pending = self.array  # flushes single pairs first, so that the order is kept
            block = np.sort(np.asarray(pairs, dtype=np.int64).reshape(-1, 2), axis=1)
            self._blocks = [pending, block] if len(pending) else [block]

    def replace(self, pairs: Any) -> None:
        """Replace all pairs."""
        self._blocks, self._new = [], []
        self.extend(np.array([tuple(pair) for pair in pairs], dtype=np.int64).reshape(-1, 2))


def _checked_size(kind: GeoType, size: np.ndarray, source: Any, is_site: bool, what: str) -> np.ndarray:
    """Return a shape's size with signs that mean nothing taken off; raise where it makes no shape."""
    if not np.all(np.isfinite(size)):
        raise ModelError(problem(what, f"size {size.tolist()}", "finite numbers", "correct the size"))
    if kind == GeoType.GAUSSIAN:
        raise UnsupportedError(problem(what, "type GAUSSIAN", "the other types of GeoType", "use a mesh"))
    if kind in (GeoType.MESH, GeoType.CONVEX_MESH, GeoType.HFIELD):
        if source is None:
            wanted = "Heightfield" if kind == GeoType.HFIELD else "Mesh"
            raise ModelError(problem(what, f"type {kind.name} without a source", f"a {wanted}", "pass it as src"))
        fields = ("nrow", "ncol", "data") if kind == GeoType.HFIELD else ("vertices", "indices")
        if not all(hasattr(source, name) for name in fields):
            raise ModelError(problem(what, f"source {shown(source)}", "a Heightfield" if kind == GeoType.HFIELD else "a Mesh", "pass that"))
        if kind == GeoType.HFIELD and np.any(size <= 0.0):
            given = f"scale {size.tolist()}"
            raise ModelError(problem(what, given, "positive numbers", "turn the heightfield by its xform instead"))
        return size
    used = _SIZES_USED.get(kind, 0)
    if kind == GeoType.CONE and size[1] < 0.0:
        raise ModelError(problem(what, f"half height {size[1]:g}", "positive", "turn the cone by its xform instead"))
    size = np.abs(size)
    if used and not is_site and np.any(size[:used] <= 0.0):
        given = f"size {size[:used].tolist()} for type {kind.name}"
        raise ModelError(problem(what, given, f"{used} positive number(s)", "give the size in metres"))
    if kind == GeoType.CYLINDER and 0.0 < size[2] < size[1] and not is_site:
        given = f"barrel radius {size[2]:g}"
        raise ModelError(problem(what, given, f"0, straight sides, or at least the half height {size[1]:g}", "correct the radius"))
    return size


def _color(color: Vec3 | None, source: Any, shape: int, what: str) -> np.ndarray:
    if color is None:
        color = getattr(source, "color", None)
    return as_vector(palette_color(shape) if color is None else color, 3, f"color of {what}")


def _opacity(opacity: float | None, source: Any, what: str) -> float:
    if opacity is None:
        opacity = getattr(source, "opacity", None)
    value = 1.0 if opacity is None else float(opacity)
    if not 0.0 <= value <= 1.0:
        raise ModelError(problem(what, f"opacity {value:g}", "0 (transparent) to 1", "correct it"))
    return value
