"""Mass, centre of mass and inertia of shapes of uniform density, in float64 numpy.

Closed forms for the primitives, the divergence theorem over a mesh's triangles (Mirtich 1996, by signed tetrahedra), the
parallel-axis theorem for moving an inertia to another point. A hollow shape is the solid minus the same shape
shrunk by its wall thickness.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from newtonish.errors import ModelError, problem
from newtonish.model.enums import GeoType
from newtonish.model.transforms import quat_to_matrix

MassProperties = tuple[float, np.ndarray, np.ndarray]
"""Mass [kg], centre of mass [m] in the shape's frame, inertia [kg m^2] about it in the shape's axes."""

_NONE: tuple[GeoType, ...] = (GeoType.NONE, GeoType.PLANE, GeoType.HFIELD, GeoType.GAUSSIAN)


def shift_inertia(mass: float, inertia: np.ndarray, offset: np.ndarray) -> np.ndarray:
    """Return an inertia about the centre of mass as seen from a point at ``offset`` from it."""
    return inertia + mass * (float(offset @ offset) * np.eye(3) - np.outer(offset, offset))


def rotate_inertia(inertia: np.ndarray, quat: np.ndarray) -> np.ndarray:
    """Return an inertia in the axes into which the unit quaternion turns its own."""
    rotation = quat_to_matrix(quat)
    return rotation @ inertia @ rotation.T


def ellipsoid(density: float, rx: float, ry: float, rz: float) -> MassProperties:
    """Return the mass properties of a solid ellipsoid with the given half-axes."""
    mass = density * 4.0 / 3.0 * np.pi * rx * ry * rz
    squares = np.array([rx, ry, rz]) ** 2
    return mass, np.zeros(3), np.diag(mass / 5.0 * (squares.sum() - squares))


def sphere(density: float, radius: float) -> MassProperties:
    """Return the mass properties of a solid ball."""
    return ellipsoid(density, radius, radius, radius)


def box(density: float, hx: float, hy: float, hz: float) -> MassProperties:
    """Return the mass properties of a solid box with the given half-extents."""
    mass = density * 8.0 * hx * hy * hz
    squares = np.array([hx, hy, hz]) ** 2
    return mass, np.zeros(3), np.diag(mass / 3.0 * (squares.sum() - squares))


def cylinder(density: float, radius: float, half_height: float, barrel_radius: float = 0.0) -> MassProperties:
    """Return the mass properties of a solid cylinder along z; ``barrel_radius`` is that of the arc of its sides, 0: straight ones."""
    if barrel_radius > 0.0:
        return _barrel(density, radius, half_height, barrel_radius)
    mass = density * 2.0 * np.pi * radius**2 * half_height
    across = mass * (radius**2 / 4.0 + half_height**2 / 3.0)
    return mass, np.zeros(3), np.diag([across, across, mass * radius**2 / 2.0])


def _barrel(density: float, radius: float, half_height: float, barrel_radius: float) -> MassProperties:
    """Mass properties of discs along z, summed by Gauss and Legendre over the angle of the arc, which meets the ends at ``radius``."""
    nodes, weights = np.polynomial.legendre.leggauss(32)
    end = np.arcsin(half_height / barrel_radius)
    z, arc = barrel_radius * np.sin(end * nodes), barrel_radius * np.cos(end * nodes)
    weights = density * np.pi * weights * end * arc
    squares = (radius + (half_height**2 - z**2) / (arc + np.sqrt(barrel_radius**2 - half_height**2))) ** 2
    across, along = weights @ (squares**2 / 4.0 + squares * z**2), weights @ squares**2 / 2.0
    return float(weights @ squares), np.zeros(3), np.diag([across, across, along])


def capsule(density: float, radius: float, half_height: float) -> MassProperties:
    """Return the mass properties of a solid capsule along z; ``half_height`` is that of its cylinder."""
    tube, _, tube_inertia = cylinder(density, radius, half_height)
    ball, _, ball_inertia = sphere(density, radius)
    # Each half ball's centre of mass lies 3/8 r beyond the end of the cylinder.
    out = ball * (half_height**2 + 0.75 * half_height * radius)
    return tube + ball, np.zeros(3), tube_inertia + ball_inertia + np.diag([out, out, 0.0])


def cone(density: float, radius: float, half_height: float) -> MassProperties:
    """Return the mass properties of a solid cone along z, base at -half_height, tip at +half_height."""
    height = 2.0 * half_height
    mass = density * np.pi * radius**2 * height / 3.0
    across = mass * (3.0 / 20.0 * radius**2 + 3.0 / 80.0 * height**2)
    return mass, np.array([0.0, 0.0, -height / 4.0]), np.diag([across, across, 0.3 * mass * radius**2])


def mesh_solid(vertices: np.ndarray, triangles: np.ndarray) -> MassProperties:
    """Return volume, centroid and second moments of a closed mesh at density one; the volume is signed."""
    corners = vertices[triangles]
    # Reference point near the mesh: keeps the sums accurate for a mesh far from its origin.
    centre = vertices.mean(axis=0) if len(vertices) else np.zeros(3)
    a, b, c = (corners[:, k] - centre for k in range(3))
    volumes = np.einsum("ij,ij->i", a, np.cross(b, c)) / 6.0
    volume, centroid, moments = _sums(volumes, (a, b, c), 4.0)
    return volume, centroid + centre if volume else centroid, moments


def mesh_shell(vertices: np.ndarray, triangles: np.ndarray) -> MassProperties:
    """Return area, centroid and second moments of a mesh's surface at one unit of mass per area."""
    a, b, c = (vertices[triangles][:, k] for k in range(3))
    areas = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1)
    return _sums(areas, (a, b, c), 3.0)


def _sums(weights: np.ndarray, corners: tuple[np.ndarray, ...], number: float) -> MassProperties:
    """Sums over simplices of ``number`` corners: triangles, or tetrahedra whose last corner is the origin."""
    measure = float(weights.sum())
    if measure == 0.0:
        return 0.0, np.zeros(3), np.zeros((3, 3))
    total = sum(corners[1:], corners[0])
    centroid = (weights[:, None] * total).sum(axis=0) / (number * measure)
    second = np.zeros((3, 3))
    for p in (*corners, total):
        second += np.einsum("i,ij,ik->jk", weights, p, p) / (number * (number + 1.0))
    second -= measure * np.outer(centroid, centroid)
    return measure, centroid, np.trace(second) * np.eye(3) - second


def _mesh(density: float, source: Any, scale: np.ndarray, is_solid: bool, thickness: float) -> MassProperties:
    vertices = np.asarray(source.vertices, dtype=np.float64) * scale
    triangles = np.asarray(source.indices).reshape(-1, 3)
    if is_solid:
        mass, com, inertia = mesh_solid(vertices, triangles)
        factor = density * (-1.0 if mass < 0.0 else 1.0)
    else:
        mass, com, inertia = mesh_shell(vertices, triangles)
        factor = density * thickness
    return factor * mass, com, factor * inertia


def _solid(kind: int, density: float, scale: np.ndarray) -> MassProperties:
    sx, sy, sz = (float(value) for value in scale)
    if kind == GeoType.SPHERE:
        return sphere(density, sx)
    if kind == GeoType.BOX:
        return box(density, sx, sy, sz)
    if kind == GeoType.ELLIPSOID:
        return ellipsoid(density, sx, sy, sz)
    if kind == GeoType.CYLINDER:
        return cylinder(density, sx, sy, sz)
    return {GeoType.CAPSULE: capsule, GeoType.CONE: cone}[GeoType(kind)](density, sx, sy)


def _shrunk(kind: int, scale: np.ndarray, wall: float) -> np.ndarray:
    """Return the scale of the hole inside a shape with the given wall thickness."""
    used = {GeoType.SPHERE: 1, GeoType.CAPSULE: 1, GeoType.CYLINDER: 2, GeoType.CONE: 2}.get(GeoType(kind), 3)
    hole = scale.copy()
    hole[:used] -= wall
    if kind == GeoType.CYLINDER and hole[2] > 0.0:
        hole[2] -= wall  # of a barrel's sides
    return hole


def shape_mass_properties(kind: int, scale: Any, source: Any, density: float, is_solid: bool = True, thickness: float = 0.0, name: str = "") -> MassProperties:
    """Return mass, centre of mass and inertia of a shape.

    Args:
        kind: Its :class:`GeoType`.
        scale: Its three size numbers, as in ``ModelBuilder.add_shape``.
        source: Its mesh, if it has one.
        density: Mass per volume [kg/m^3].
        is_solid: False for a shell of the given thickness.
        thickness: Wall thickness of a hollow shape [m].
        name: What to call the shape in an error.
    """
    nothing = (0.0, np.zeros(3), np.zeros((3, 3)))
    if density == 0.0 or kind in _NONE:
        return nothing
    scale = np.asarray(scale, dtype=np.float64)
    if kind in (GeoType.MESH, GeoType.CONVEX_MESH):
        return _mesh(density, source, scale, is_solid, thickness) if source is not None else nothing
    solid = _solid(kind, density, scale)
    if is_solid:
        return solid
    if thickness == 0.0:
        return 0.0, solid[1], np.zeros((3, 3))
    hole_scale = _shrunk(kind, scale, thickness)
    used = hole_scale[scale > 0.0]
    if thickness < 0.0 or np.any(used < 0.0):
        raise ModelError(
            problem(
                name or "hollow shape",
                f"wall thickness (margin) {thickness:g} m with size {scale.tolist()}",
                "between 0 and the smallest size",
                "make the margin smaller or the shape solid",
            )
        )
    mass, com, inertia = solid
    hole, hole_com, hole_inertia = _solid(kind, density, hole_scale)
    shell = mass - hole
    shell_com = (mass * com - hole * hole_com) / shell
    moments = shift_inertia(mass, inertia, com - shell_com) - shift_inertia(hole, hole_inertia, hole_com - shell_com)
    return shell, shell_com, moments


def barrel_bulge(half_height: float, barrel_radius: float) -> float:
    """Return how much wider a cylinder with sides of ``barrel_radius`` is in its middle than at its ends; 0 for straight sides."""
    if barrel_radius < half_height or barrel_radius <= 0.0:
        return 0.0  # a third size of a site means nothing
    return half_height**2 / (barrel_radius + float(np.sqrt(barrel_radius**2 - half_height**2)))


def shape_bounds(kind: int, scale: Any, source: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return lower and upper corner of the box around a shape, in its own frame; planes are 1e6 m wide if infinite."""
    sx, sy, sz = (float(value) for value in scale)
    if kind in (GeoType.MESH, GeoType.CONVEX_MESH) and source is not None and len(source.vertices):
        points = np.asarray(source.vertices, dtype=np.float64) * np.array([sx, sy, sz])
        return points.min(axis=0), points.max(axis=0)
    if kind == GeoType.PLANE:
        half = np.array([0.5 * sx if sx > 0.0 else 1e6, 0.5 * sy if sy > 0.0 else 1e6, 0.0])
    elif kind == GeoType.SPHERE:
        half = np.full(3, abs(sx))
    elif kind == GeoType.CAPSULE:
        half = np.array([sx, sx, sx + sy])
    elif kind == GeoType.CYLINDER:
        widest = sx + barrel_bulge(sy, sz)
        half = np.array([widest, widest, sy])
    elif kind == GeoType.CONE:
        half = np.array([sx, sx, sy])
    elif kind in (GeoType.BOX, GeoType.ELLIPSOID):
        half = np.array([sx, sy, sz])
    elif kind == GeoType.HFIELD and source is not None:
        size = np.array([source.hx, source.hy, 0.0])
        low, high = -size, size.copy()
        low[2], high[2] = source.min_z, source.max_z
        return low * np.array([sx, sy, sz]), high * np.array([sx, sy, sz])
    else:
        half = np.zeros(3)
    return -np.abs(half), np.abs(half)


def shape_radius(kind: int, scale: Any, source: Any) -> float:
    """Return the radius of a ball around the centre of a shape's bounds that contains the shape."""
    if kind == GeoType.SPHERE:
        return abs(float(scale[0]))
    if kind in (GeoType.CAPSULE, GeoType.CYLINDER, GeoType.CONE):
        return abs(float(scale[0])) + abs(float(scale[1]))
    if kind == GeoType.ELLIPSOID:
        return float(np.max(np.abs(np.asarray(scale, dtype=np.float64))))
    if kind == GeoType.PLANE and not (scale[0] > 0.0 and scale[1] > 0.0):
        return 1e6
    lower, upper = shape_bounds(kind, scale, source)
    return 0.5 * float(np.linalg.norm(upper - lower))
