"""Points of a convex geom over a plane that it will hit: its lowest face, a straight edge, or the lowest point."""

import warp as wp

from newtonish.kernels.collision.convex import MOST_POLYGON
from newtonish.kernels.collision.feature import PARALLEL_EDGE
from newtonish.kernels.collision.flat import Edge, face_along, face_corners, write_edge
from newtonish.kernels.collision.patch import Patch, add_point, widest_four
from newtonish.kernels.collision.support import Shape, support
from newtonish.kernels.constants import CAPSULE, CYLINDER
from newtonish.kernels.structs.model import Hull


@wp.func
def _add_near(patch: wp.ref[Patch], point: wp.vec3, normal: wp.vec3, reach: float):
    """Add a point of a plane through the origin and one above it, if these are within ``reach``."""
    height = wp.dot(point, normal)
    if height <= reach:
        add_point(patch, height, point - 0.5 * height * normal)


@wp.func(inline=False)
def _add_edge(hull: wp.ref[Hull], shape: wp.ref[Shape], normal: wp.vec3, lowest: wp.vec3, reach: float, patch: wp.ref[Patch]):
    """Add the ends of the lowest line along a capsule or cylinder.

    A capsule's is where MuJoCo finds it, which sweeps the geom by half the detection distance and takes that back along the normal.
    """
    shift = wp.vec3()
    if shape.kind == CAPSULE:
        axis = wp.vec3(shape.mat[0, 2], shape.mat[1, 2], shape.mat[2, 2])
        across = -normal + wp.dot(normal, axis) * axis
        shift = (shape.radius + 0.5 * reach) * across + 0.5 * reach * normal
    edge = Edge()
    edge.point = lowest
    write_edge(hull, shape, 2, 0, 0, 0, edge)
    _add_near(patch, edge.start + shift, normal, reach)
    _add_near(patch, edge.end + shift, normal, reach)


@wp.func(inline=False)
def plane_points(hull: wp.ref[Hull], normal: wp.vec3, shape: wp.ref[Shape], reach: float, patch: wp.ref[Patch]):
    """Points of a geom within ``reach`` of a plane through the origin, four at most, as ``patch``, which comes empty."""
    patch.normal = normal
    lowest = support(hull, shape, -normal)
    upright = wp.abs(normal[0] * shape.mat[0, 2] + normal[1] * shape.mat[1, 2] + normal[2] * shape.mat[2, 2])
    if (shape.kind == CAPSULE or shape.kind == CYLINDER) and upright < PARALLEL_EDGE:
        _add_edge(hull, shape, normal, lowest.pos, reach, patch)
        return
    face = face_along(hull, shape, -normal, lowest.vertex)
    if face.alike > -2.0:
        polygon = wp.zeros(shape=(wp.static(2 * MOST_POLYGON),), dtype=wp.vec3)
        count = face_corners(hull, shape, face.index, polygon)
        kept = wp.int32(0)
        for k in range(count):
            p = polygon[k]
            if wp.dot(p, normal) <= reach:
                polygon[kept] = p
                kept += 1
        order = wp.vec4i(0, 1, 2, 3)
        if kept > 4:
            order = widest_four(polygon, kept)
        for k in range(wp.min(kept, 4)):
            _add_near(patch, polygon[order[k]], normal, reach)
    if patch.count == 0:
        _add_near(patch, lowest.pos - shape.radius * normal, normal, 1.0e10)
