"""Contacts of a heightfield and a convex geom: one for each prism below a triangle of the surface that the geom is near.

The prisms are those of the cells under the geom's box in the heightfield's frame. They stand on the bottom of the base and
end at the surface; each is a convex shape of its own, so that contacts of neighbouring prisms are counted singly and a
point on a shared edge is found as often as prisms meet there. Of a pair's contacts the first 50 are kept, in the order of
rows, then columns. MuJoCo's documentation, XML reference, "asset/hfield".
"""

import warp as wp

from newtonish.kernels.collision.convex import touch
from newtonish.kernels.collision.cores import Cores
from newtonish.kernels.collision.search import Touch
from newtonish.kernels.collision.support import PRISM, Shape, make_shape, support
from newtonish.kernels.collision.walk import KEPT_IN_MEMORY, Walk
from newtonish.kernels.collision.write import write_point
from newtonish.kernels.math.crowd import any_alone
from newtonish.kernels.math.world import lanes, per_world, scan_lanes, sync
from newtonish.kernels.structs.data import Contact, Kinematics
from newtonish.kernels.structs.model import Geom, HeightField, Hull

MOST = wp.constant(50)  # contacts of a pair, as in MuJoCo (mjMAXCONPAIR)


@wp.struct
class Window:
    """The cells of a heightfield that a geom may touch."""

    col: wp.int32
    row: wp.int32
    ncol: wp.int32  # columns of cells; 0: the geom is too far away
    nrow: wp.int32
    bottom: wp.float32  # lowest point of the geom, less the detection distance


@wp.struct
class Over:
    """A geom over a heightfield, in memory as ``Walk`` is."""

    cores: Cores  # a prism, which this lane has, and the geom in the frame of the heightfield, at the origin
    origin: wp.vec3  # where the geom stands
    area: Window
    data: wp.array(dtype=wp.float32)  # heights of the world's heightfields
    adr: wp.int32  # of this one's among them
    ncol: wp.int32  # of its samples
    size: wp.vec4  # half sizes in x and y, greatest height, thickness of the base [m]
    cell: wp.vec2  # size of a cell [m]
    reach: wp.float32  # detection distance [m]


@wp.func_native(KEPT_IN_MEMORY)
def keep_over(kept: wp.ref[Over]):
    """Have what is kept read from memory where it is used."""
    ...


@wp.func
def _extent(hull: wp.ref[Hull], shape: wp.ref[Shape], axis: int, sign: float) -> float:
    """Coordinate of the point of a shape that is farthest along an axis, or against it."""
    direction = wp.vec3(0.0, 0.0, 0.0)
    direction[axis] = sign
    return support(hull, shape, direction).pos[axis] + sign * shape.radius


@wp.func(inline=False)
def window_below(hull: wp.ref[Hull], shape: wp.ref[Shape], size: wp.vec4, nrow: int, ncol: int, reach: float) -> Window:
    """Cells that the box of ``shape``, larger by ``reach``, covers; ``shape`` stands in the frame of the heightfield."""
    found = Window()
    low = wp.vec3(0.0, 0.0, 0.0)
    high = wp.vec3(0.0, 0.0, 0.0)
    for axis in range(3):
        low[axis] = _extent(hull, shape, axis, -1.0) - reach
        high[axis] = _extent(hull, shape, axis, 1.0) + reach
    if wp.abs(0.5 * (low[0] + high[0])) > size[0] + 0.5 * (high[0] - low[0]):
        return found
    if wp.abs(0.5 * (low[1] + high[1])) > size[1] + 0.5 * (high[1] - low[1]):
        return found
    if low[2] > size[2] or high[2] < -size[3]:
        return found
    per_x = float(ncol - 1) / (2.0 * size[0])
    per_y = float(nrow - 1) / (2.0 * size[1])
    found.col = wp.max(int(wp.floor((low[0] + size[0]) * per_x)), 0)
    found.row = wp.max(int(wp.floor((low[1] + size[1]) * per_y)), 0)
    found.ncol = wp.min(int(wp.ceil((high[0] + size[0]) * per_x)), ncol - 1) - found.col
    found.nrow = wp.min(int(wp.ceil((high[1] + size[1]) * per_y)), nrow - 1) - found.row
    found.bottom = low[2]
    return found


@wp.func
def _height(over: wp.ref[Over], row: int, col: int) -> float:
    return over.size[2] * over.data[over.adr + row * over.ncol + col]


@wp.func
def _top(over: wp.ref[Over], row: int, col: int, second: int) -> float:
    """Height of the highest corner of a triangle: most cells under a geom are lower than the geom."""
    third = wp.where(second == 1, _height(over, row, col + 1), _height(over, row + 1, col))
    shared = wp.max(_height(over, row, col), _height(over, row + 1, col + 1))
    return wp.max(third, shared)


@wp.func(inline=False)
def prism(over: wp.ref[Over], row: int, col: int, second: int):
    """The prism below one of the two triangles of a cell, relative to the geom, as ``over.cores.shape1``.

    Corners are made from whole-number offsets, so that neighbouring prisms share theirs to the bit.
    """
    dx = over.cell[0]
    dy = over.cell[1]
    x0 = dx * float(col) - over.size[0] - over.origin[0]
    x1 = dx * float(col + 1) - over.size[0] - over.origin[0]
    y0 = dy * float(row) - over.size[1] - over.origin[1]
    y1 = dy * float(row + 1) - over.size[1] - over.origin[1]
    a = wp.vec3(x0, y1, _height(over, row + 1, col) - over.origin[2])
    b = wp.vec3(x0, y0, _height(over, row, col) - over.origin[2])
    c = wp.vec3(x1, y1, _height(over, row + 1, col + 1) - over.origin[2])
    if second == 1:
        a = b
        b = c
        c = wp.vec3(x1, y0, _height(over, row, col + 1) - over.origin[2])
    top = (a[2] + b[2] + c[2]) / 3.0
    bottom = -over.size[3] - over.origin[2]
    pos = wp.vec3((a[0] + b[0] + c[0]) / 3.0, (a[1] + b[1] + c[1]) / 3.0, 0.5 * (top + bottom))
    over.cores.shape1.kind = PRISM
    over.cores.shape1.pos = pos
    over.cores.shape1.mat = wp.matrix_from_cols(a - pos, b - pos, c - pos)
    over.cores.shape1.size = wp.vec3(0.5 * dx, 0.5 * dy, 0.5 * (top - bottom))


@wp.func
def _touch_prism(hull: wp.ref[Hull], over: wp.ref[Over], k: int, found: wp.ref[Touch]):
    """The deepest point of the geom and prism ``k`` of the cells under it, relative to the geom's centre, as ``found``, which comes empty."""
    cell = k // 2
    row = over.area.row + cell // over.area.ncol
    col = over.area.col + cell % over.area.ncol
    if _top(over, row, col, k % 2) < over.area.bottom:
        return
    prism(over, row, col, k % 2)
    touch(hull, over.cores, over.reach, found)


@wp.func
def _write_touch(kin: wp.ref[Kinematics], contact: Contact, walk: wp.ref[Walk], found: wp.ref[Touch], slot: int):
    axes = kin.geom_xmat[walk.w, walk.geoms[0]]
    pos = kin.geom_xpos[walk.w, walk.geoms[1]] + axes * found.pos
    write_point(contact, found.dist, pos, axes * found.normal, wp.vec3(), walk.geoms[0], walk.geoms[1], walk.pairid, walk.w, slot)


@wp.func
def place_over(
    geom: wp.ref[Geom], hull: wp.ref[Hull], hfield: wp.ref[HeightField], kin: wp.ref[Kinematics], walk: wp.ref[Walk], reach: float, over: wp.ref[Over],
):  # fmt: skip
    """The second geom of ``walk.geoms`` over its heightfield, the first, and how many prisms are under it, as ``walk.number``."""
    w = walk.w
    g1 = walk.geoms[0]
    g2 = walk.geoms[1]
    over.reach = reach
    axes = kin.geom_xmat[w, g1]
    data_w = per_world(geom.dataid.shape[0], w)
    h = geom.dataid[data_w, g1]
    over.origin = (kin.geom_xpos[w, g2] - kin.geom_xpos[w, g1]) * axes  # row vector: in the frame of the heightfield
    turn = wp.transpose(axes) * kin.geom_xmat[w, g2]
    size2 = geom.size[per_world(geom.size.shape[0], w), g2]
    over.cores.shape2 = make_shape(hull, geom.type[g2], geom.dataid[data_w, g2], over.origin, turn, size2)
    over.data = hfield.data[per_world(hfield.data.shape[0], w)]
    over.adr = hfield.adr[h]
    over.ncol = hfield.ncol[h]
    over.size = hfield.size[per_world(hfield.size.shape[0], w), h]
    nrow = hfield.nrow[h]
    over.cell = wp.vec2(2.0 * over.size[0] / float(over.ncol - 1), 2.0 * over.size[1] / float(nrow - 1))
    over.area = window_below(hull, over.cores.shape2, over.size, nrow, over.ncol, reach)
    over.cores.shape2.pos = wp.vec3(0.0, 0.0, 0.0)
    walk.number = 2 * wp.max(over.area.ncol, 0) * wp.max(over.area.nrow, 0)


def colliding_hfield(any_of: wp.Function) -> wp.Function:
    """Contacts of heightfields; ``any_of`` tells whether one of the lanes that come by together has more to do."""

    @wp.func
    def collide_hfield(hull: wp.ref[Hull], kin: wp.ref[Kinematics], contact: Contact, walk: wp.ref[Walk], over: wp.ref[Over]):
        """Contacts of a geom over a heightfield, behind the ``walk.count`` ones that there are; all lanes of a world work on its pair together."""
        walk.done = 0
        walk.kept = 0
        while any_of(walk.done < walk.number and walk.kept < MOST):
            found = Touch()
            if walk.done + walk.lane < walk.number:
                _touch_prism(hull, over, walk.done + walk.lane, found)
            place = scan_lanes(found.near)
            at = walk.kept + place[0]
            if found.near == 1 and at < MOST and walk.count + at < contact.dist.shape[1]:
                _write_touch(kin, contact, walk, found, walk.count + at)
            walk.kept = wp.min(walk.kept + place[1], MOST)
            walk.done += lanes()
        sync()
        walk.count += walk.kept

    return collide_hfield


_collide_over = colliding_hfield(any_alone)


@wp.func
def collide_hfield(
    geom: wp.ref[Geom], hull: wp.ref[Hull], hfield: wp.ref[HeightField], kin: wp.ref[Kinematics], contact: Contact, walk: wp.ref[Walk], g1: int, g2: int,
    pairid: int, reach: float,
):  # fmt: skip
    """Contacts of heightfield ``g1`` and geom ``g2``, behind the ``walk.count`` ones that there are, where worlds come by at different times."""
    over = Over()
    keep_over(over)
    walk.geoms = wp.vec2i(g1, g2)
    walk.pairid = pairid
    place_over(geom, hull, hfield, kin, walk, reach, over)
    _collide_over(hull, kin, contact, walk, over)
