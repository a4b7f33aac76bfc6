"""Flat faces and straight edges of convex shapes near a contact, for contacts of more than one point.

A face is written as a polygon, seen counter-clockwise from outside; the cap of a cylinder has sixteen corners.
"""

import warp as wp

from newtonish.kernels.collision.support import BOX, CAPSULE, CYLINDER, MESH, Shape
from newtonish.kernels.structs.model import Hull

CAP = wp.constant(16)  # corners of a cylinder's cap
STEP = wp.constant(0.39269908169872414)


@wp.struct
class Face:
    """The face of a shape that looks most along a direction."""

    alike: wp.float32  # cosine between its normal and the direction; -2: the shape has no flat face
    normal: wp.vec3
    index: wp.int32


@wp.func
def _world_axis(shape: Shape, i: int) -> wp.vec3:
    return wp.vec3(shape.mat[0, i], shape.mat[1, i], shape.mat[2, i])


@wp.func(inline=False)
def face_along(hull: Hull, shape: Shape, direction: wp.vec3, vertex: int) -> Face:
    """The face that looks most along the unit vector ``direction``; of a hull, among those around ``vertex``."""
    found = Face()
    found.alike = -2.0
    local = direction * shape.mat
    if shape.kind == BOX:
        for i in range(3):
            if wp.abs(local[i]) > found.alike:
                found.alike = wp.abs(local[i])
                found.index = 2 * i + wp.where(local[i] > 0.0, 0, 1)
        found.normal = wp.where(found.index % 2 == 0, 1.0, -1.0) * _world_axis(shape, found.index // 2)
    elif shape.kind == CYLINDER:
        found.alike = wp.abs(local[2])
        found.index = wp.where(local[2] > 0.0, 0, 1)
        found.normal = wp.where(local[2] > 0.0, 1.0, -1.0) * _world_axis(shape, 2)
    elif shape.kind == MESH:
        v = shape.vertadr + vertex
        for k in range(hull.aroundadr[v], hull.aroundadr[v] + hull.aroundnum[v]):
            along = wp.dot(hull.normal[hull.around[k]], local)
            if along > found.alike:
                found.alike = along
                found.index = hull.around[k]
        if found.alike > -2.0:
            found.normal = shape.mat * hull.normal[found.index]
    return found


@wp.func
def face_count(hull: Hull, shape: Shape, vertex: int) -> int:
    """Number of faces around a support point."""
    if shape.kind == BOX:
        return 3
    if shape.kind == CYLINDER:
        return 1
    if shape.kind == MESH:
        return hull.aroundnum[shape.vertadr + vertex]
    return 0


@wp.func
def nth_face(hull: Hull, shape: Shape, direction: wp.vec3, vertex: int, nth: int) -> Face:
    """One of the faces around the support point along ``direction``."""
    found = Face()
    local = direction * shape.mat
    if shape.kind == BOX:
        found.index = 2 * nth + wp.where(local[nth] >= 0.0, 0, 1)
        found.normal = wp.where(local[nth] >= 0.0, 1.0, -1.0) * _world_axis(shape, nth)
    elif shape.kind == CYLINDER:
        found.index = wp.where(local[2] >= 0.0, 0, 1)
        found.normal = wp.where(local[2] >= 0.0, 1.0, -1.0) * _world_axis(shape, 2)
    elif shape.kind == MESH:
        found.index = hull.around[hull.aroundadr[shape.vertadr + vertex] + nth]
        found.normal = shape.mat * hull.normal[found.index]
    return found


@wp.func(inline=False)
def face_corners(hull: Hull, shape: Shape, index: int, corners: wp.array(dtype=wp.vec3)) -> int:
    """Write the corners of a face; returns their number."""
    size = shape.size
    count = wp.int32(0)
    if shape.kind == BOX:
        i = index // 2
        u = (i + 1) % 3
        v = (i + 2) % 3
        side = wp.where(index % 2 == 0, 1.0, -1.0)
        count = wp.int32(4)
        for k in range(count):
            p = wp.vec3(0.0, 0.0, 0.0)
            p[i] = side * size[i]
            p[u] = wp.where(k == 0 or k == 3, size[u], -size[u])
            p[v] = side * wp.where(k < 2, size[v], -size[v])
            corners[k] = shape.pos + shape.mat * p
    elif shape.kind == CYLINDER:
        side = wp.where(index == 0, 1.0, -1.0)
        count = wp.int32(CAP)
        for k in range(count):
            angle = STEP * float(k)
            p = wp.vec3(size[0] * wp.cos(angle), side * size[0] * wp.sin(angle), side * size[1])
            corners[k] = shape.pos + shape.mat * p
    elif shape.kind == MESH:
        count = hull.cornernum[index]
        for k in range(count):
            corners[k] = shape.pos + shape.mat * hull.vert[shape.vertadr + hull.corner[hull.corneradr[index] + k]]
    return count


@wp.func
def _edge_of_hull(hull: Hull, shape: Shape, normal: wp.vec3, vertex: int, corners: wp.array(dtype=wp.vec3)) -> float:
    """The edge from a vertex of a hull that is most perpendicular to ``normal``."""
    v = shape.vertadr + vertex
    local = normal * shape.mat
    least = wp.float32(2.0)
    for k in range(hull.edgeadr[v], hull.edgeadr[v] + hull.edgenum[v]):
        along = hull.vert[shape.vertadr + hull.edge[k]] - hull.vert[v]
        slope = wp.abs(wp.dot(wp.normalize(along), local))
        if slope < least:
            least = slope
            corners[1] = shape.pos + shape.mat * hull.vert[shape.vertadr + hull.edge[k]]
    corners[0] = shape.pos + shape.mat * hull.vert[v]
    return least


@wp.func(inline=False)
def edge_across(
    hull: Hull, shape: Shape, normal: wp.vec3, point: wp.vec3, vertex: int, corners: wp.array(dtype=wp.vec3)
) -> float:
    """Write the ends of the edge at the support point ``point`` that is most perpendicular to ``normal``.

    Returns the absolute cosine between the two, or 2 if the shape has no straight edge.
    """
    size = shape.size
    if shape.kind == CAPSULE:
        axis = _world_axis(shape, 2)
        corners[0] = shape.pos - size[1] * axis
        corners[1] = shape.pos + size[1] * axis
        return wp.abs(wp.dot(axis, normal))
    if shape.kind == CYLINDER:
        axis = _world_axis(shape, 2)
        local = (point - shape.pos) * shape.mat
        foot = shape.pos + shape.mat * wp.vec3(local[0], local[1], 0.0)
        corners[0] = foot - size[1] * axis
        corners[1] = foot + size[1] * axis
        return wp.abs(wp.dot(axis, normal))
    if shape.kind == BOX:
        local = normal * shape.mat
        i = wp.int32(0)
        for k in range(1, 3):
            if wp.abs(local[k]) < wp.abs(local[i]):
                i = k
        end = (point - shape.pos) * shape.mat
        corners[0] = point
        end[i] = -end[i]
        corners[1] = shape.pos + shape.mat * end
        return wp.abs(local[i])
    if shape.kind == MESH:
        return _edge_of_hull(hull, shape, normal, vertex, corners)
    return 2.0
