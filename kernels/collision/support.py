"""Convex shapes as a core swept by a ball, and the support point of the core: its farthest point along a direction.

A sphere is a point and a capsule a segment, each with a radius; other shapes are their own core. Distances and depths of
swept shapes are those of the cores less the radii, so that shallow contacts of round shapes need no search for a depth.
A prism of a heightfield has three upright edges: the columns of its ``mat`` are their upper ends, the lower ends lie
``size[2]`` below its origin. The farthest vertex of a hull is sought among those that can be it for directions like the wanted one: a table
knows them for each cell of a cube around the hull, and for the parts of cells that have many (``newtonish.mjw.tables.extremes``).
"""

import warp as wp

from newtonish.common.enums import GeomType
from newtonish.kernels.constants import BOX, CAPSULE, CYLINDER, ELLIPSOID, MESH, SPHERE
from newtonish.kernels.math.team import ALONE, HALF, HALF_LANES, OTHER_HALF, has_halves, in_second_half
from newtonish.kernels.structs.model import Hull

PRISM = wp.constant(int(GeomType.HFIELD))
TINY = wp.constant(1.0e-12)


@wp.struct
class Shape:
    """A convex geom, placed relative to the first geom of its pair."""

    kind: wp.int32
    pos: wp.vec3
    mat: wp.mat33
    size: wp.vec3
    radius: wp.float32  # of the ball that sweeps the core
    mesh: wp.int32
    vertadr: wp.int32
    vertnum: wp.int32


@wp.struct
class Support:
    """A support point."""

    pos: wp.vec3
    vertex: wp.int32  # of a hull its number; of a box, a bit for each side; of a cylinder, its cap


@wp.func
def make_shape(hull: wp.ref[Hull], kind: int, dataid: int, pos: wp.vec3, mat: wp.mat33, size: wp.vec3) -> Shape:
    shape = Shape()
    shape.kind = kind
    shape.pos = pos
    shape.mat = mat
    shape.size = size
    if kind == SPHERE or kind == CAPSULE:
        shape.radius = size[0]
    if kind == MESH:
        shape.mesh = dataid
        shape.vertadr = hull.vertadr[dataid]
        shape.vertnum = hull.vertnum[dataid]
    return shape


@wp.func_native(
    HALF
    + """
    // raw pointers: Warp's checked and strided indexing would cost more than the products
    const float* p = (const float*)hull.vert.data + 3 * vertadr;
    const float x = direction[0], y = direction[1], z = direction[2];
    const float ax = fabsf(x), ay = fabsf(y), az = fabsf(z);
    const int axis = ax >= ay && ax >= az ? 0 : ay >= az ? 1 : 2;
    const float along_axis = axis == 0 ? x : axis == 1 ? y : z;
    const int cells = hull.cells.data[mesh];
    const float middle = 0.5f * (float)cells;
    const float scale = middle / fabsf(along_axis);
    const float u = (axis == 0 ? y : axis == 1 ? z : x) * scale + middle;
    const float v = (axis == 0 ? z : axis == 1 ? x : y) * scale + middle;
    // what is not a number ends in cell 0
    const int row = u > 0.0f ? (u < cells - 1.0f ? (int)u : cells - 1) : 0;
    const int column = v > 0.0f ? (v < cells - 1.0f ? (int)v : cells - 1) : 0;
    const int side = 2 * axis + (along_axis < 0.0f);
    const int* first = hull.extremeadr.data + hull.celladr.data[mesh];
    const int* begin = first + (side * cells + row) * cells + column;
    const int* list = hull.extreme.data + begin[0];
    float below = u - (float)row, beside = v - (float)column;
    while (list[0] < 0) {  // the cell is split into four
        below *= 2.0f;
        beside *= 2.0f;
        const int lower = below >= 1.0f, right = beside >= 1.0f;
        below -= (float)lower;
        beside -= (float)right;
        begin = first - list[0] + 2 * lower + right;
        list = hull.extreme.data + begin[0];
    }
    const int count = begin[1] - begin[0];
    int best = rank < count ? rank : 0;
    int i = list[best];
    float most = p[3 * i] * x + p[3 * i + 1] * y + p[3 * i + 2] * z;
    for (int k = rank + lanes; k < count; k += lanes) {
        i = list[k];
        const float along = p[3 * i] * x + p[3 * i + 1] * y + p[3 * i + 2] * z;
        best = along > most ? k : best;
        most = along > most ? along : most;
    }
    return list[first_least(-most, best)];
"""
)
def farthest_vertex(hull: wp.ref[Hull], mesh: int, vertadr: int, direction: wp.vec3, team: int) -> int:
    """Vertex of a hull that is farthest along ``direction`` (in the hull's frame), sought by half of a team together, or by one lane."""
    ...


@wp.func_native("const float* p = (const float*)hull.vert.data + 3 * i; return wp::vec3(p[0], p[1], p[2]);")
def vertex_at(hull: wp.ref[Hull], i: int) -> wp.vec3:
    """A vertex of all hulls, in its hull's frame."""
    ...


@wp.func
def support(hull: wp.ref[Hull], shape: wp.ref[Shape], direction: wp.vec3) -> Support:
    """Farthest point of the core along ``direction``, which need not be a unit vector."""
    return _support_by(hull, shape, direction, ALONE)


@wp.func(inline=False)
def _support_by(hull: wp.ref[Hull], shape: wp.ref[Shape], direction: wp.vec3, team: int) -> Support:
    """``support``, by half of a team of lanes that all ask for the same point (``newtonish.kernels.math.team``), or by one."""
    local = direction * shape.mat  # row vector: the direction in the shape's frame
    size = shape.size
    point = wp.vec3(0.0, 0.0, 0.0)
    found = Support()
    if shape.kind == PRISM:
        down = wp.min(direction[2], 0.0)  # the lower ends are the farther ones along directions that point down
        for k in range(3):
            local[k] = local[k] - down * (shape.mat[2, k] + size[2])
        k = wp.where(local[1] > local[0], 1, 0)
        k = wp.where(local[2] > local[k], 2, k)
        height = wp.where(down < 0.0, -size[2], shape.mat[2, k])
        found.pos = shape.pos + wp.vec3(shape.mat[0, k], shape.mat[1, k], height)
        return found
    if shape.kind == BOX:
        point = wp.vec3(
            wp.where(local[0] >= 0.0, size[0], -size[0]),
            wp.where(local[1] >= 0.0, size[1], -size[1]),
            wp.where(local[2] >= 0.0, size[2], -size[2]),
        )
        found.vertex = wp.where(point[0] > 0.0, 1, 0) + wp.where(point[1] > 0.0, 2, 0) + wp.where(point[2] > 0.0, 4, 0)
    elif shape.kind == MESH:
        found.vertex = farthest_vertex(hull, shape.mesh, shape.vertadr, local, team)
        point = vertex_at(hull, shape.vertadr + found.vertex)
    elif shape.kind == CAPSULE:
        point[2] = wp.where(local[2] >= 0.0, size[1], -size[1])
    elif shape.kind == CYLINDER:
        across = wp.sqrt(local[0] * local[0] + local[1] * local[1])
        if across > TINY:
            point[0] = local[0] * size[0] / across
            point[1] = local[1] * size[0] / across
        point[2] = wp.where(local[2] >= 0.0, size[1], -size[1])
        found.vertex = wp.where(local[2] >= 0.0, 0, 1)
    elif shape.kind == ELLIPSOID:
        point = wp.cw_mul(wp.normalize(wp.cw_mul(local, size)), size)
    found.pos = shape.pos + shape.mat * point
    return found


@wp.struct
class Supports:
    """A support point of each of two cores."""

    pos1: wp.vec3
    vertex1: wp.int32
    pos2: wp.vec3
    vertex2: wp.int32


@wp.func
def shape_of_half(shape1: wp.ref[Shape], shape2: wp.ref[Shape]) -> Shape:
    """The one of two shapes that this lane's half of a team looks after."""
    shape = shape1
    if in_second_half():
        shape = shape2
    return shape


@wp.func_native(
    OTHER_HALF
    + """
    const wp::vec3 other(of_other_half(mine.pos[0]), of_other_half(mine.pos[1]), of_other_half(mine.pos[2]));
    const int vertex = of_other_half(mine.vertex);
    found.pos1 = in_second_half ? other : mine.pos;
    found.pos2 = in_second_half ? mine.pos : other;
    found.vertex1 = in_second_half ? vertex : mine.vertex;
    found.vertex2 = in_second_half ? mine.vertex : vertex;
"""
)
def _exchange(mine: wp.ref[Support], found: wp.ref[Supports]):
    """The support points that the two halves of a complete team have found."""
    ...


@wp.func
def supports(hull: wp.ref[Hull], shape1: wp.ref[Shape], shape2: wp.ref[Shape], own: wp.ref[Shape], direction: wp.vec3, team: int) -> Supports:
    """Farthest point of the first core along ``direction`` and of the second against it, at one time by the halves of a team.

    Args:
        own: the half's (``shape_of_half``).
    """
    found = Supports()
    if has_halves(team):
        mine = _support_by(hull, own, wp.where(in_second_half(), -direction, direction), HALF_LANES)
        _exchange(mine, found)
    else:
        a = support(hull, shape1, direction)
        b = support(hull, shape2, -direction)
        found.pos1 = a.pos
        found.vertex1 = a.vertex
        found.pos2 = b.pos
        found.vertex2 = b.vertex
    return found
