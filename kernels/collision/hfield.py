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
    field: wp.int32
    reach: wp.float32  # detection distance [m]


@wp.func_native(KEPT_IN_MEMORY)
def _keep_over(kept: wp.ref[Over]): ...


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
def _height(hfield: wp.ref[HeightField], w: int, h: int, row: int, col: int, scale: float) -> float:
    return scale * hfield.data[per_world(hfield.data.shape[0], w), hfield.adr[h] + row * hfield.ncol[h] + col]


@wp.func
def _top(hfield: wp.ref[HeightField], w: int, h: int, row: int, col: int, second: int) -> float:
    """Height of the highest corner of a triangle: most cells under a geom are lower than the geom."""
    size = hfield.size[per_world(hfield.size.shape[0], w), h]
    third = wp.where(second == 1, _height(hfield, w, h, row, col + 1, size[2]), _height(hfield, w, h, row + 1, col, size[2]))
    shared = wp.max(_height(hfield, w, h, row, col, size[2]), _height(hfield, w, h, row + 1, col + 1, size[2]))
    return wp.max(third, shared)


@wp.func(inline=False)
def prism(hfield: wp.ref[HeightField], w: int, h: int, row: int, col: int, second: int, origin: wp.vec3, shape: wp.ref[Shape]):
    """The prism below one of the two triangles of a cell, relative to ``origin``, as ``shape``.

    Corners are made from whole-number offsets, so that neighbouring prisms share theirs to the bit.
    """
    size = hfield.size[per_world(hfield.size.shape[0], w), h]
    dx = 2.0 * size[0] / float(hfield.ncol[h] - 1)
    dy = 2.0 * size[1] / float(hfield.nrow[h] - 1)
    x0 = dx * float(col) - size[0] - origin[0]
    x1 = dx * float(col + 1) - size[0] - origin[0]
    y0 = dy * float(row) - size[1] - origin[1]
    y1 = dy * float(row + 1) - size[1] - origin[1]
    a = wp.vec3(x0, y1, _height(hfield, w, h, row + 1, col, size[2]) - origin[2])
    b = wp.vec3(x0, y0, _height(hfield, w, h, row, col, size[2]) - origin[2])
    c = wp.vec3(x1, y1, _height(hfield, w, h, row + 1, col + 1, size[2]) - origin[2])
    if second == 1:
        a = b
        b = c
        c = wp.vec3(x1, y0, _height(hfield, w, h, row, col + 1, size[2]) - origin[2])
    shape.kind = PRISM
    top = (a[2] + b[2] + c[2]) / 3.0
    bottom = -size[3] - origin[2]
    shape.pos = wp.vec3((a[0] + b[0] + c[0]) / 3.0, (a[1] + b[1] + c[1]) / 3.0, 0.5 * (top + bottom))
    shape.mat = wp.matrix_from_cols(a - shape.pos, b - shape.pos, c - shape.pos)
    shape.size = wp.vec3(0.5 * dx, 0.5 * dy, 0.5 * (top - bottom))


@wp.func
def _touch_prism(hfield: wp.ref[HeightField], hull: wp.ref[Hull], over: wp.ref[Over], w: int, k: int, found: wp.ref[Touch]):
    """The deepest point of the geom and prism ``k`` of the cells under it, relative to the geom's centre, as ``found``, which comes empty."""
    cell = k // 2
    row = over.area.row + cell // over.area.ncol
    col = over.area.col + cell % over.area.ncol
    if _top(hfield, w, over.field, row, col, k % 2) < over.area.bottom:
        return
    prism(hfield, w, over.field, row, col, k % 2, over.origin, over.cores.shape1)
    touch(hull, over.cores, over.reach, found)


@wp.func
def _write_touch(kin: wp.ref[Kinematics], contact: Contact, walk: wp.ref[Walk], found: wp.ref[Touch], slot: int):
    axes = kin.geom_xmat[walk.w, walk.geoms[0]]
    pos = kin.geom_xpos[walk.w, walk.geoms[1]] + axes * found.pos
    write_point(contact, found.dist, pos, axes * found.normal, wp.vec3(), walk.geoms[0], walk.geoms[1], walk.pairid, walk.w, slot)


@wp.func
def collide_hfield(
    geom: wp.ref[Geom], hull: wp.ref[Hull], hfield: wp.ref[HeightField], kin: wp.ref[Kinematics], contact: Contact, walk: wp.ref[Walk], g1: int, g2: int,
    pairid: int, reach: float,
):  # fmt: skip
    """Contacts of heightfield ``g1`` and geom ``g2``, behind the ``walk.count`` ones that there are; all lanes work on the pair together."""
    over = Over()
    _keep_over(over)
    walk.geoms = wp.vec2i(g1, g2)
    walk.pairid = pairid
    over.reach = reach
    w = walk.w
    axes = kin.geom_xmat[w, g1]
    data_w = per_world(geom.dataid.shape[0], w)
    over.field = geom.dataid[data_w, g1]
    over.origin = (kin.geom_xpos[w, g2] - kin.geom_xpos[w, g1]) * axes  # row vector: in the frame of the heightfield
    turn = wp.transpose(axes) * kin.geom_xmat[w, g2]
    size2 = geom.size[per_world(geom.size.shape[0], w), g2]
    over.cores.shape2 = make_shape(hull, geom.type[g2], geom.dataid[data_w, g2], over.origin, turn, size2)
    size = hfield.size[per_world(hfield.size.shape[0], w), over.field]
    over.area = window_below(hull, over.cores.shape2, size, hfield.nrow[over.field], hfield.ncol[over.field], reach)
    over.cores.shape2.pos = wp.vec3(0.0, 0.0, 0.0)
    walk.number = 2 * wp.max(over.area.ncol, 0) * wp.max(over.area.nrow, 0)
    walk.done = 0
    walk.kept = 0
    while walk.done < walk.number and walk.kept < MOST:
        found = Touch()
        if walk.done + walk.lane < walk.number:
            _touch_prism(hfield, hull, over, walk.w, walk.done + walk.lane, found)
        place = scan_lanes(found.near)
        at = walk.kept + place[0]
        if found.near == 1 and at < MOST and walk.count + at < contact.dist.shape[1]:
            _write_touch(kin, contact, walk, found, walk.count + at)
        walk.kept = wp.min(walk.kept + place[1], MOST)
        walk.done += lanes()
    sync()
    walk.count += walk.kept
