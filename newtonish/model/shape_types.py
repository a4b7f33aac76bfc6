"""The shape families: one method each, turning named sizes into the scale of ``add_shape``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from newtonish.errors import ModelError, problem
from newtonish.model.enums import GeoType
from newtonish.model.shape_config import ShapeConfig
from newtonish.model.transforms import Transform, Vec3, as_vector, quat_between

if TYPE_CHECKING:
    from newtonish.model.builder import ModelBuilder
    from newtonish.model.heightfield import Heightfield

GROUND_COLOR = (0.125, 0.125, 0.15)


class ShapeFamilyMethods:
    """Part of :class:`~newtonish.ModelBuilder` with one method for each type of shape.

    Common arguments are those of ``add_shape``; ``as_site=True`` makes a reference point instead of a colliding shape.
    """

    def add_shape_plane(
        self: ModelBuilder,
        plane: Any | None = (0.0, 0.0, 1.0, 0.0),
        *,
        xform: Transform | None = None,
        width: float = 10.0,
        length: float = 10.0,
        body: int = -1,
        cfg: ShapeConfig | None = None,
        color: Vec3 | None = None,
        opacity: float | None = None,
        label: str | None = None,
        custom_attributes: dict[str, Any] | None = None,
    ) -> int:
        """Add a massless plane and return its index.

        Args:
            plane: (a, b, c, d) of a x + b y + c z + d = 0; used if ``xform`` is not given.
            xform: Pose whose z axis is the normal.
            width: Extent along x [m], 0 for infinite.
            length: Extent along y [m], 0 for infinite.
            body: Its body, -1 for the world.
            cfg: Its settings.
            color: Red, green, blue from 0 to 1.
            opacity: From 0 to 1.
            label: Name.
            custom_attributes: Values of attributes of SHAPE frequency.
        """
        if xform is None:
            what = f"plane '{label or self.shape_count}'"
            equation = as_vector(() if plane is None else plane, 4, what)
            norm = float(np.linalg.norm(equation[:3]))
            if norm == 0.0:
                raise ModelError(problem(what, f"{equation.tolist()}", "a normal that is not zero", "correct it"))
            normal = equation[:3] / norm
            turn = quat_between(np.array([0.0, 0.0, 1.0]), normal)
            xform = np.concatenate([-equation[3] / norm * normal, turn])
        return self.add_shape(
            body=body,
            type=GeoType.PLANE,
            xform=xform,
            cfg=cfg,
            scale=(width, length, 0.0),
            is_static=True,
            color=color,
            opacity=opacity,
            label=label,
            custom_attributes=custom_attributes,
        )

    def add_ground_plane(
        self: ModelBuilder,
        *,
        height: float = 0.0,
        cfg: ShapeConfig | None = None,
        color: Vec3 | None = GROUND_COLOR,
        opacity: float | None = None,
        label: str | None = None,
    ) -> int:
        """Add an infinite plane across the up axis at a height [m], and return its index."""
        return self.add_shape_plane(
            (*self.up_vector, -height),
            width=0.0,
            length=0.0,
            cfg=cfg,
            color=color,
            opacity=opacity,
            label=label or "ground_plane",
        )

    def add_shape_sphere(
        self: ModelBuilder,
        body: int,
        *,
        xform: Transform | None = None,
        radius: float = 1.0,
        cfg: ShapeConfig | None = None,
        as_site: bool = False,
        color: Vec3 | None = None,
        opacity: float | None = None,
        label: str | None = None,
        custom_attributes: dict[str, Any] | None = None,
    ) -> int:
        """Add a sphere [m] and return its index."""
        return self.add_shape(
            body=body,
            type=GeoType.SPHERE,
            xform=xform,
            cfg=self._site_or_shape_cfg(cfg, as_site),
            scale=(radius, 0.0, 0.0),
            color=color,
            opacity=opacity,
            label=label,
            custom_attributes=custom_attributes,
        )

    def add_shape_ellipsoid(
        self: ModelBuilder,
        body: int,
        *,
        xform: Transform | None = None,
        rx: float = 1.0,
        ry: float = 0.75,
        rz: float = 0.5,
        cfg: ShapeConfig | None = None,
        as_site: bool = False,
        color: Vec3 | None = None,
        opacity: float | None = None,
        label: str | None = None,
        custom_attributes: dict[str, Any] | None = None,
    ) -> int:
        """Add an ellipsoid with the given half axes [m] and return its index."""
        return self.add_shape(
            body=body,
            type=GeoType.ELLIPSOID,
            xform=xform,
            cfg=self._site_or_shape_cfg(cfg, as_site),
            scale=(rx, ry, rz),
            color=color,
            opacity=opacity,
            label=label,
            custom_attributes=custom_attributes,
        )

    def add_shape_box(
        self: ModelBuilder,
        body: int,
        *,
        xform: Transform | None = None,
        hx: float = 0.5,
        hy: float = 0.5,
        hz: float = 0.5,
        cfg: ShapeConfig | None = None,
        as_site: bool = False,
        color: Vec3 | None = None,
        opacity: float | None = None,
        label: str | None = None,
        custom_attributes: dict[str, Any] | None = None,
    ) -> int:
        """Add a box with the given half extents [m] and return its index."""
        return self.add_shape(
            body=body,
            type=GeoType.BOX,
            xform=xform,
            cfg=self._site_or_shape_cfg(cfg, as_site),
            scale=(hx, hy, hz),
            color=color,
            opacity=opacity,
            label=label,
            custom_attributes=custom_attributes,
        )

    def add_shape_capsule(
        self: ModelBuilder,
        body: int,
        *,
        xform: Transform | None = None,
        radius: float = 1.0,
        half_height: float = 0.5,
        cfg: ShapeConfig | None = None,
        as_site: bool = False,
        color: Vec3 | None = None,
        opacity: float | None = None,
        label: str | None = None,
        custom_attributes: dict[str, Any] | None = None,
    ) -> int:
        """Add a capsule along z and return its index; ``half_height`` is that of its cylinder [m]."""
        return self.add_shape(
            body=body,
            type=GeoType.CAPSULE,
            xform=xform,
            cfg=self._site_or_shape_cfg(cfg, as_site),
            scale=(radius, half_height, 0.0),
            color=color,
            opacity=opacity,
            label=label,
            custom_attributes=custom_attributes,
        )

    def add_shape_cylinder(
        self: ModelBuilder,
        body: int,
        *,
        xform: Transform | None = None,
        radius: float = 1.0,
        half_height: float = 0.5,
        barrel_radius: float = 0.0,
        cfg: ShapeConfig | None = None,
        as_site: bool = False,
        color: Vec3 | None = None,
        opacity: float | None = None,
        label: str | None = None,
        custom_attributes: dict[str, Any] | None = None,
    ) -> int:
        """Add a cylinder along z [m] and return its index.

        ``barrel_radius`` is the radius of the arc of bulging sides; 0: straight sides. Mass and bounds follow it, and the solver collides the
        cylinder of ``radius``, with a warning (Newton's does so in silence).
        """
        return self.add_shape(
            body=body,
            type=GeoType.CYLINDER,
            xform=xform,
            cfg=self._site_or_shape_cfg(cfg, as_site),
            scale=(radius, half_height, barrel_radius),
            color=color,
            opacity=opacity,
            label=label,
            custom_attributes=custom_attributes,
        )

    def add_shape_cone(
        self: ModelBuilder,
        body: int,
        *,
        xform: Transform | None = None,
        radius: float = 1.0,
        half_height: float = 0.5,
        cfg: ShapeConfig | None = None,
        as_site: bool = False,
        color: Vec3 | None = None,
        opacity: float | None = None,
        label: str | None = None,
        custom_attributes: dict[str, Any] | None = None,
    ) -> int:
        """Add a cone along z, tip up, centred at half its height [m], and return its index."""
        return self.add_shape(
            body=body,
            type=GeoType.CONE,
            xform=xform,
            cfg=self._site_or_shape_cfg(cfg, as_site),
            scale=(radius, half_height, 0.0),
            color=color,
            opacity=opacity,
            label=label,
            custom_attributes=custom_attributes,
        )

    def add_shape_mesh(
        self: ModelBuilder,
        body: int,
        *,
        xform: Transform | None = None,
        mesh: Any | None = None,
        scale: Vec3 | None = None,
        cfg: ShapeConfig | None = None,
        color: Vec3 | None = None,
        opacity: float | None = None,
        label: str | None = None,
        custom_attributes: dict[str, Any] | None = None,
    ) -> int:
        """Add a triangle mesh (a :class:`~newtonish.Mesh`), scaled along its axes, and return its index."""
        return self.add_shape(
            body=body,
            type=GeoType.MESH,
            xform=xform,
            cfg=cfg,
            scale=scale,
            src=mesh,
            color=color,
            opacity=opacity,
            label=label,
            custom_attributes=custom_attributes,
        )

    def add_shape_convex_hull(
        self: ModelBuilder,
        body: int,
        *,
        xform: Transform | None = None,
        mesh: Any | None = None,
        scale: Vec3 | None = None,
        cfg: ShapeConfig | None = None,
        color: Vec3 | None = None,
        opacity: float | None = None,
        label: str | None = None,
        custom_attributes: dict[str, Any] | None = None,
    ) -> int:
        """Add a mesh that stands for its convex hull, and return its index."""
        return self.add_shape(
            body=body,
            type=GeoType.CONVEX_MESH,
            xform=xform,
            cfg=cfg,
            scale=scale,
            src=mesh,
            color=color,
            opacity=opacity,
            label=label,
            custom_attributes=custom_attributes,
        )

    def add_shape_heightfield(
        self: ModelBuilder,
        *,
        xform: Transform | None = None,
        heightfield: Heightfield | None = None,
        scale: Vec3 | None = None,
        cfg: ShapeConfig | None = None,
        color: Vec3 | None = None,
        opacity: float | None = None,
        label: str | None = None,
        custom_attributes: dict[str, Any] | None = None,
    ) -> int:
        """Add a heightfield to the world and return its index.

        Args:
            xform: Pose of its rectangle's centre at height 0; heights are along z.
            heightfield: Its heights and extents.
            scale: Factors of its extents and heights.
            cfg: Its settings.
            color: Red, green, blue from 0 to 1.
            opacity: From 0 to 1.
            label: Name.
            custom_attributes: Values of attributes of SHAPE frequency; ``mujoco:hfield_base`` is the depth of solid ground
                below the lowest sample [m].
        """
        return self.add_shape(
            body=-1,
            type=GeoType.HFIELD,
            xform=xform,
            cfg=cfg,
            scale=scale,
            src=heightfield,
            is_static=True,
            color=color,
            opacity=opacity,
            label=label,
            custom_attributes=custom_attributes,
        )
