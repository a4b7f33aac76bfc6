"""The corner, edge or face of a shape that touches another, and the faces that meet there.

A feature is told by the vertices of the shape that made the corners of a polytope's face: one, an edge of two, a face of
three. A cylinder's vertices are its caps, so one is a point of a rim or a cap and two are a line along the side.
"""

import warp as wp

from newtonish.kernels.collision.flat import Edge, Face, face_along, face_count, face_has, hull_normal, nth_face
from newtonish.kernels.collision.support import Shape
from newtonish.kernels.constants import BOX, CAPSULE, CYLINDER, MESH
from newtonish.kernels.structs.model import Hull

PARALLEL_FACES = wp.constant(0.996)  # cosine of the largest angle between two faces that touch along an area
PARALLEL_EDGE = wp.constant(0.0888)  # sine of the largest angle between an edge and a face along which it touches


@wp.struct
class Feature:
    """Where a shape touches."""

    dim: wp.int32  # 1: a vertex, 2: an edge, 3: a face
    a: wp.int32  # its vertices
    b: wp.int32
    c: wp.int32
    faces: wp.int32  # 1: a face has all of these vertices; 0: none has; -1: none of a box has, whose face is told by the direction


@wp.struct
class Flat:
    """The features of two shapes where they touch, and faces there that may lie on one another."""

    feature1: Feature
    feature2: Feature
    face1: Face
    face2: Face
    edge: Edge  # of the first shape
    base: wp.vec3  # a corner of the face on which points are laid
    along: wp.int32  # 1: the edge lies along the second face
    sign: wp.float32  # -1: the two have changed places


@wp.func_native("const auto first = flat.face1; flat.face1 = flat.face2; flat.face2 = first;")
def exchange_faces(flat: wp.ref[Flat]): ...


@wp.func_native("const auto first = flat.feature1; flat.feature1 = flat.feature2; flat.feature2 = first;")
def exchange_features(flat: wp.ref[Flat]): ...


@wp.func_native("flat.face1 = face;")
def keep_first(flat: wp.ref[Flat], face: Face): ...


@wp.func_native("flat.face2 = face;")
def keep_second(flat: wp.ref[Flat], face: Face): ...


@wp.func
def has_face(kind: int) -> bool:
    return kind == BOX or kind == CYLINDER or kind == MESH


@wp.func
def may_be_flat(kind1: int, kind2: int) -> bool:
    """Whether two shapes can touch in more than a point: two with faces, or a face and a capsule."""
    first = has_face(kind1) or (kind1 == CAPSULE and has_face(kind2))
    return first and (has_face(kind2) or kind2 == CAPSULE)


@wp.func
def _has_others(hull: wp.ref[Hull], shape: wp.ref[Shape], face: int, feature: wp.ref[Feature]) -> bool:
    """Whether a face around the first vertex of a feature has its other ones too."""
    has = bool(True)
    if feature.b != feature.a:
        has = face_has(hull, shape, face, feature.b)
    if has:
        if feature.c != feature.b:
            has = face_has(hull, shape, face, feature.c)
    return has


@wp.func(inline=False)
def feature_of(hull: wp.ref[Hull], shape: wp.ref[Shape], corners: wp.vec3i, direction: wp.vec3, found: wp.ref[Feature]):
    """The feature of three vertices, of which some may be the same, as ``found``; ``direction`` points out of the shape."""
    found.faces = 0
    found.dim = 1
    found.a = corners[0]
    found.b = corners[0]
    found.c = corners[0]
    if corners[1] != corners[0]:
        found.dim = 2
        found.b = corners[1]
        found.c = corners[1]
        if corners[2] != corners[0] and corners[2] != corners[1]:
            found.dim = 3
            found.c = corners[2]
    elif corners[2] != corners[0]:
        found.dim = 2
        found.b = corners[2]
        found.c = corners[2]
    for k in range(face_count(hull, shape, found.a)):
        if found.faces == 0:
            if _has_others(hull, shape, nth_face(hull, shape, found.a, k), found):
                found.faces = 1
    if found.faces == 0 and shape.kind == BOX:
        if face_along(hull, shape, direction, 0).alike > PARALLEL_FACES:
            found.faces = -1


@wp.func
def face_at(hull: wp.ref[Hull], shape: wp.ref[Shape], feature: wp.ref[Feature], direction: wp.vec3, nth: int) -> Face:
    """One of the ``face_count`` faces around the feature's first vertex, whether it holds the feature or not (``holds``); ``alike`` -2 if there is none.

    A box whose vertices lie on no common face, a rounding of a shallow face, has the face along ``direction`` instead.
    """
    found = Face()
    found.alike = -2.0
    if feature.faces < 0:
        if nth == 0:
            found = face_along(hull, shape, direction, 0)
    elif feature.faces > 0:
        found = face_along_index(hull, shape, nth_face(hull, shape, feature.a, nth), direction)
    return found


@wp.func
def holds(hull: wp.ref[Hull], shape: wp.ref[Shape], face: int, feature: wp.ref[Feature]) -> bool:
    """Whether a face around the feature's first vertex has its other ones too: asked last, as it is a search among the faces around each."""
    has = bool(True)
    if feature.faces > 0:
        has = _has_others(hull, shape, face, feature)
    return has


@wp.func
def face_along_index(hull: wp.ref[Hull], shape: wp.ref[Shape], index: int, direction: wp.vec3) -> Face:
    """A face by its number."""
    found = Face()
    found.index = index
    if shape.kind == MESH:
        found.normal = shape.mat * hull_normal(hull, index)
    else:
        axis = wp.where(shape.kind == BOX, index // 2, 2)
        side = wp.where(index % 2 == 0, 1.0, -1.0)
        found.normal = side * wp.vec3(shape.mat[0, axis], shape.mat[1, axis], shape.mat[2, axis])
    found.alike = wp.dot(found.normal, direction)
    return found
