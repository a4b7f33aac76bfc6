"""Two convex cores, and what is known of how they lie: their closest points, or how deep they overlap."""

import warp as wp

from newtonish.kernels.collision.gjk import Nearest
from newtonish.kernels.collision.support import Shape


@wp.struct
class Depth:
    """How deep two cores overlap."""

    found: wp.int32
    exact: wp.int32  # 0: the polytope stopped short of the boundary
    depth: wp.float32  # negative: they are apart by a rounding
    normal: wp.vec3  # moving the second core along it separates them
    point1: wp.vec3
    point2: wp.vec3
    corner1: wp.vec3i  # vertices of the two shapes that the corners of the face closest to the origin were made of
    corner2: wp.vec3i


@wp.struct
class Cores:
    """Two shapes, the first at the origin or near it; of one address, as a GPU would hold one for each part."""

    shape1: Shape
    shape2: Shape
    at: Nearest
    deep: Depth  # if they overlap
    extent: wp.float32  # size of the two shapes, the measure of rounding


@wp.func_native("const auto first = cores.shape1; cores.shape1 = cores.shape2; cores.shape2 = first;")
def exchange_shapes(cores: wp.ref[Cores]):
    """Take the second shape for the first one, and the first for the second."""
    ...


@wp.func
def extent_of(shape1: wp.ref[Shape], shape2: wp.ref[Shape]) -> float:
    """Size of two shapes, the measure of rounding."""
    return wp.length(shape1.size) + wp.length(shape2.size)
