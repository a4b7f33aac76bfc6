"""Settings of a shape that are not geometry: density, contact material, collision, visibility."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from newtonish.arguments import check_fields
from newtonish.errors import ModelError, UnsupportedError, problem
from newtonish.model.enums import ShapeFlags

_SDF_DEFAULTS = {
    "sdf_narrow_band_range": (-0.1, 0.1),
    "sdf_target_voxel_size": None,
    "sdf_max_resolution": None,
    "force_sdf": False,
    "sdf_texture_format": "uint16",
    "sdf_padding": None,
    "is_hydroelastic": False,
}


@dataclass
class ShapeConfig:
    """Settings of a shape.

    Attributes:
        density: Mass per volume [kg/m^3]; adds to the body's mass.
        ke: Contact stiffness [N/m].
        kd: Contact damping [N s/m].
        kf: Friction gain [N s/m], for solvers with viscous friction.
        ka: Adhesion distance [m], for solvers with adhesion.
        mu: Sliding friction coefficient.
        restitution: Restitution coefficient, for solvers that have one.
        mu_torsional: Torsional friction coefficient [m].
        mu_rolling: Rolling friction coefficient [m].
        margin: Outward offset of the surface [m]; wall thickness of a hollow shape.
        gap: Distance beyond the margin at which contacts are detected [m]; None takes ``builder.rigid_gap``.
        is_solid: Whether mass fills the shape or its wall only.
        collision_group: Shapes collide within a group; 0 collides with nothing, negative with all other groups.
        collision_filter_parent: Whether the shape skips shapes of bodies joined to its own.
        has_shape_collision: Whether it collides with shapes.
        has_particle_collision: Whether it collides with particles.
        is_visible: Whether it is drawn.
        is_site: Whether it is a mere reference point; use :meth:`mark_as_site`.
        sdf_narrow_band_range: Kept for compatibility; see :meth:`validate`.
        sdf_target_voxel_size: Kept for compatibility; see :meth:`validate`.
        sdf_max_resolution: Kept for compatibility; see :meth:`validate`.
        force_sdf: Kept for compatibility; see :meth:`validate`.
        sdf_texture_format: Kept for compatibility; see :meth:`validate`.
        is_hydroelastic: Kept for compatibility; see :meth:`validate`.
        kh: Hydroelastic stiffness [N/m^3], for solvers that have it.
        sdf_padding: Kept for compatibility; see :meth:`validate`.
    """

    density: float = 1000.0
    ke: float = 2500.0
    kd: float = 100.0
    kf: float = 1000.0
    ka: float = 0.0
    mu: float = 1.0
    restitution: float = 0.0
    mu_torsional: float = 0.005
    mu_rolling: float = 0.0001
    margin: float = 0.0
    gap: float | None = None
    is_solid: bool = True
    collision_group: int = 1
    collision_filter_parent: bool = True
    has_shape_collision: bool = True
    has_particle_collision: bool = True
    is_visible: bool = True
    is_site: bool = False
    sdf_narrow_band_range: tuple[float, float] | list[float] = (-0.1, 0.1)
    sdf_target_voxel_size: float | None = None
    sdf_max_resolution: int | None = None
    force_sdf: bool = False
    sdf_texture_format: str = "uint16"
    is_hydroelastic: bool = False
    kh: float = 1.0e10
    sdf_padding: float | None = None

    def copy(self) -> ShapeConfig:
        """Return an independent copy."""
        return replace(self)

    def mark_as_site(self) -> None:
        """Make the shape a reference point: no collisions, no mass, no collision group."""
        self.is_site = True
        self.has_shape_collision = self.has_particle_collision = False
        self.density = 0.0
        self.collision_group = 0

    def as_site(self) -> ShapeConfig:
        """Return a copy that is a site."""
        site = self.copy()
        site.mark_as_site()
        return site

    @property
    def flags(self) -> int:
        """The bits of :class:`ShapeFlags` that these settings mean."""
        bits = ShapeFlags.VISIBLE * self.is_visible | ShapeFlags.COLLIDE_SHAPES * self.has_shape_collision
        bits |= ShapeFlags.COLLIDE_PARTICLES * self.has_particle_collision | ShapeFlags.SITE * self.is_site
        return int(bits | ShapeFlags.HYDROELASTIC * self.is_hydroelastic)

    @flags.setter
    def flags(self, value: int) -> None:
        self.is_visible = bool(value & ShapeFlags.VISIBLE)
        self.is_hydroelastic = bool(value & ShapeFlags.HYDROELASTIC)
        if value & ShapeFlags.SITE:
            self.mark_as_site()
            return
        if self.is_site:
            default = ShapeConfig()
            self.is_site = False
            self.density, self.collision_group = default.density, default.collision_group
        self.has_shape_collision = bool(value & ShapeFlags.COLLIDE_SHAPES)
        self.has_particle_collision = bool(value & ShapeFlags.COLLIDE_PARTICLES)

    def validate(self, what: str = "shape") -> None:
        """Raise if a setting is out of range, or asks for signed distance fields, which no solver here has."""
        check_fields(self, what)
        if not math.isfinite(self.density) or self.density < 0.0:
            raise ModelError(problem(what, f"density {self.density}", "finite and not negative", "use 0 for no mass"))
        asked = []
        for name, default in _SDF_DEFAULTS.items():
            value = getattr(self, name)
            if value is not default and not (
                isinstance(value, (tuple, list, str, float, int)) and (tuple(value) if isinstance(value, list) else value) == default
            ):
                asked.append(name)
        if asked:
            given = f"{', '.join(asked)} in its ShapeConfig"
            raise UnsupportedError(problem(what, given, "shapes without signed distance fields", "leave these settings at their defaults"))
        if self.is_site and (self.has_shape_collision or self.has_particle_collision or self.density != 0.0 or self.collision_group != 0):
            given = "a site that collides, has density or has a collision group"
            raise ModelError(problem(what, given, "sites without any of these", "call cfg.mark_as_site()"))
