"""Flat faces and straight edges of convex shapes near a contact, for contacts of more than one point.

A face is written as a polygon, seen clockwise from outside; the cap of a cylinder has sixteen corners.
"""

import math

import warp as wp

from newtonish.kernels.collision.support import Shape, vertex_at
from newtonish.kernels.constants import BOX, CAPSULE, CYLINDER, MESH
from newtonish.kernels.structs.model import Hull

CAP = 16  # corners of a cylinder's cap
COSINES = ", ".join(f"{round(math.cos(2.0 * math.pi * k / CAP), 9) + 0.0}f" for k in range(CAP))  # towards its corners


@wp.struct
class Face:
    """The face of a shape that looks most along a direction."""

    alike: wp.float32  # cosine between its normal and the direction; -2: the shape has no flat face
    normal: wp.vec3
    index: wp.int32


@wp.struct
class Edge:
    """A straight edge of a shape."""

    point: wp.vec3  # support point of the shape, where the line along a cylinder's side lies
    start: wp.vec3
    end: wp.vec3


@wp.func
def _world_axis(shape: wp.ref[Shape], i: int) -> wp.vec3:
    return wp.vec3(shape.mat[0, i], shape.mat[1, i], shape.mat[2, i])


@wp.func(inline=False)
def face_along(hull: wp.ref[Hull], shape: wp.ref[Shape], direction: wp.vec3, vertex: int) -> Face:
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


# Raw pointers: Warp's strided indexing, which allows for negative indices, takes longer than what is done with what it finds.
@wp.func_native("return hull.aroundnum.data[vertex];")
def _around_count(hull: wp.ref[Hull], vertex: int) -> int:
    """Number of faces around a vertex of all hulls."""
    ...


@wp.func_native("return hull.around.data[hull.aroundadr.data[vertex] + nth];")
def _nth_around(hull: wp.ref[Hull], vertex: int, nth: int) -> int:
    """One of them."""
    ...


@wp.func_native("const float* n = (const float*)hull.normal.data + 3 * face; return wp::vec3(n[0], n[1], n[2]);")
def hull_normal(hull: wp.ref[Hull], face: int) -> wp.vec3:
    """Normal of a face of all hulls, in its hull's frame."""
    ...


@wp.func
def face_count(hull: wp.ref[Hull], shape: wp.ref[Shape], vertex: int) -> int:
    """Number of faces around a vertex."""
    if shape.kind == BOX:
        return 3
    if shape.kind == CYLINDER:
        return 1
    if shape.kind == MESH:
        return _around_count(hull, shape.vertadr + vertex)
    return 0


@wp.func
def nth_face(hull: wp.ref[Hull], shape: wp.ref[Shape], vertex: int, nth: int) -> int:
    """Number of one of the faces around a vertex."""
    if shape.kind == BOX:
        return 2 * nth + wp.where((vertex & (1 << nth)) != 0, 0, 1)
    if shape.kind == CYLINDER:
        return vertex
    return _nth_around(hull, shape.vertadr + vertex, nth)


@wp.func_native(
    """
    const int* around = hull.around.data + hull.aroundadr.data[vertex];
    const int number = hull.aroundnum.data[vertex];
    for (int k = 0; k < number; k++) {
        if (around[k] == face) return true;
    }
    return false;
"""
)
def _is_around(hull: wp.ref[Hull], vertex: int, face: int) -> bool:
    """Whether a face is one of those around a vertex of all hulls."""
    ...


@wp.func
def face_has(hull: wp.ref[Hull], shape: wp.ref[Shape], face: int, vertex: int) -> bool:
    """Whether a vertex is a corner of a face; a cylinder's two vertices are its caps."""
    if shape.kind == BOX:
        return ((vertex & (1 << (face // 2))) != 0) == (face % 2 == 0)
    if shape.kind == CYLINDER:
        return vertex == face
    return _is_around(hull, shape.vertadr + vertex, face)


@wp.func
def corner_count(hull: wp.ref[Hull], shape: wp.ref[Shape], face: int) -> int:
    """Number of corners of a face."""
    if shape.kind == MESH:
        return hull.cornernum[face]
    return wp.where(shape.kind == BOX, 4, wp.static(CAP))


@wp.func_native(
    f"""
    const float cosines[{CAP}] = {{{COSINES}}};
    return wp::vec2(cosines[nth], cosines[(nth + {CAP - CAP // 4}) % {CAP}]);
"""
)
def _rim(nth: int) -> wp.vec2:
    """Cosine and sine of the angle at which a corner of a cap stands."""
    ...


@wp.func
def face_corner(hull: wp.ref[Hull], shape: wp.ref[Shape], face: int, nth: int) -> wp.vec3:
    """A corner of a face.

    They run clockwise and begin where MuJoCo's begin: which four corners are kept of a clipped face depends on the first.
    """
    size = shape.size
    p = wp.vec3()
    if shape.kind == MESH:
        p = vertex_at(hull, shape.vertadr + hull.corner[hull.corneradr[face] + hull.cornernum[face] - 1 - nth])
    elif shape.kind == BOX:
        i = face // 2
        side = wp.where(face % 2 == 0, 1.0, -1.0)
        s = wp.where(nth < 2, 1.0, -1.0)
        t = wp.where(nth == 1 or nth == 2, 1.0, -1.0)
        p = wp.vec3(side * size[0], s * size[1], -side * t * size[2])
        if i == 1:
            p = wp.vec3(t * size[0], side * size[1], -side * s * size[2])
        elif i == 2:
            p = wp.vec3(side * t * size[0], s * size[1], side * size[2])
    else:
        side = wp.where(face == 0, 1.0, -1.0)
        rim = _rim(nth)
        p = wp.vec3(size[0] * rim[0], -side * size[0] * rim[1], side * size[1])
    return shape.pos + shape.mat * p


@wp.func(inline=False)
def face_corners(hull: wp.ref[Hull], shape: wp.ref[Shape], face: int, corners: wp.array(dtype=wp.vec3)) -> int:
    """Write the corners of a face; returns their number."""
    count = corner_count(hull, shape, face)
    for k in range(count):
        corners[k] = face_corner(hull, shape, face, k)
    return count


@wp.func
def _corner_before(hull: wp.ref[Hull], face: int, vertex: int) -> int:
    """The corner of a hull's face that comes before ``vertex``, counter-clockwise."""
    first = hull.corneradr[face]
    before = hull.corner[first + hull.cornernum[face] - 1]
    found = wp.int32(-1)
    for k in range(first, first + hull.cornernum[face]):
        if hull.corner[k] == vertex:
            found = before
        before = hull.corner[k]
    return found


@wp.func
def edge_count(hull: wp.ref[Hull], shape: wp.ref[Shape], dim: int, vertex: int) -> int:
    """Number of straight edges of a feature: those that meet in a vertex, or one."""
    if dim == 1 and shape.kind == BOX:
        return 3
    if dim == 1 and shape.kind == MESH:
        return _around_count(hull, shape.vertadr + vertex)
    return 1


@wp.func(inline=False)
def write_edge(hull: wp.ref[Hull], shape: wp.ref[Shape], dim: int, a: int, b: int, nth: int, edge: wp.ref[Edge]) -> bool:
    """The two ends of an edge of a feature with the vertices ``a`` and ``b``, as ``edge``; false if there is none.

    Args:
        dim: 1: one of the edges that meet in ``a``; 2: the edge between ``a`` and ``b``.
    """
    size = shape.size
    if shape.kind == CAPSULE:
        axis = _world_axis(shape, 2)
        edge.start = shape.pos - size[1] * axis
        edge.end = shape.pos + size[1] * axis
    elif shape.kind == CYLINDER:
        axis = _world_axis(shape, 2)
        local = (edge.point - shape.pos) * shape.mat
        foot = shape.pos + shape.mat * wp.vec3(local[0], local[1], 0.0)
        edge.start = foot - size[1] * axis
        edge.end = foot + size[1] * axis
    elif shape.kind == BOX:
        other = wp.where(dim == 1, a ^ (1 << nth), b)
        edge.start = shape.pos + shape.mat * _box_corner(size, a)
        edge.end = shape.pos + shape.mat * _box_corner(size, other)
    else:
        other = wp.int32(b)
        if dim == 1:
            other = _corner_before(hull, _nth_around(hull, shape.vertadr + a, nth), a)
            if other < 0:
                return False
        edge.start = shape.pos + shape.mat * vertex_at(hull, shape.vertadr + a)
        edge.end = shape.pos + shape.mat * vertex_at(hull, shape.vertadr + other)
    return True


@wp.func
def _box_corner(size: wp.vec3, vertex: int) -> wp.vec3:
    return wp.vec3(
        wp.where((vertex & 1) != 0, size[0], -size[0]),
        wp.where((vertex & 2) != 0, size[1], -size[1]),
        wp.where((vertex & 4) != 0, size[2], -size[2]),
    )
