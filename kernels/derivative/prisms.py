"""The prism of a heightfield that a contact touches, found again from the contact's point and normal.

Every triangle of the surface stands on a prism of its own (``newtonish.kernels.collision.hfield``), and a point on a border between them belongs to several.
It is that one of which the point is farthest along the normal.
"""

import warp as wp

from newtonish.kernels.derivative.algebra import real
from newtonish.kernels.math.world import per_world
from newtonish.kernels.structs.model import HeightField

BORDER = wp.constant(wp.float64(1.0e-5))  # of a cell: distance from its border within which a point belongs to the next one as well


@wp.func
def prism_size(hfield: HeightField, w: int, h: int) -> wp.vec3d:
    """Half lengths of a cell of heightfield ``h``, and half of its greatest height [m]."""
    size = hfield.size[per_world(hfield.size.shape[0], w), h]
    dx = real(size[0]) / real(hfield.ncol[h] - 1)
    dy = real(size[1]) / real(hfield.nrow[h] - 1)
    return wp.vec3d(dx, dy, real(0.5) * (real(size[2]) + real(size[3])))


@wp.func
def prism_vertex(hfield: HeightField, w: int, h: int, prism: wp.vec3i, v: int) -> wp.vec3d:
    """Corner ``v`` of a prism in the heightfield's frame: three at the surface, three at the bottom.

    Args:
        prism: row and column of the cell, and 0 or 1: the triangle of its first or of its last column's corner.
    """
    nth = v % 3
    row = prism[0]
    col = prism[1]
    # both triangles share the corners (row, col) and (row + 1, col + 1)
    if nth == 1 or (nth == 2 and prism[2] == 0):
        row += 1
    if nth == 1 or (nth == 2 and prism[2] == 1):
        col += 1
    size = hfield.size[per_world(hfield.size.shape[0], w), h]
    half = prism_size(hfield, w, h)
    height = -real(size[3])
    if v < 3:
        height = real(size[2] * hfield.data[per_world(hfield.data.shape[0], w), hfield.adr[h] + row * hfield.ncol[h] + col])
    return wp.vec3d(real(2 * col) * half[0] - real(size[0]), real(2 * row) * half[1] - real(size[1]), height)


@wp.func
def _excess(hfield: HeightField, w: int, h: int, prism: wp.vec3i, at: wp.vec3d, outward: wp.vec3d) -> wp.float64:
    """How far the farthest corner of a prism is from a point, along a direction."""
    farthest = wp.dot(prism_vertex(hfield, w, h, prism, 0), outward)
    for v in range(1, 6):
        farthest = wp.max(farthest, wp.dot(prism_vertex(hfield, w, h, prism, v), outward))
    return wp.abs(farthest - wp.dot(at, outward))


@wp.func
def _beside(x: wp.float64, y: wp.float64, triangle: int) -> wp.float64:
    """How far a point is beside a triangle of a cell, in cells from its first corner."""
    beyond = wp.max(wp.max(-x, x - real(1.0)), wp.max(-y, y - real(1.0)))
    return wp.max(wp.max(beyond, wp.where(triangle == 0, x - y, y - x)), real(0.0))


@wp.func
def prism_at(hfield: HeightField, w: int, h: int, at: wp.vec3d, outward: wp.vec3d, rounding: wp.float64) -> wp.vec3i:
    """Row, column and triangle of the prism with the point ``at`` on its surface, where a normal leaves it along ``outward``.

    Args:
        at: in the heightfield's frame, as is ``outward``.
        rounding: of the point [m].
    """
    size = hfield.size[per_world(hfield.size.shape[0], w), h]
    half = prism_size(hfield, w, h)
    x = (at[0] + real(size[0])) / (real(2.0) * half[0])
    y = (at[1] + real(size[1])) / (real(2.0) * half[1])
    border = BORDER + rounding / wp.min(half[0], half[1])
    last_col = hfield.ncol[h] - 2
    last_row = hfield.nrow[h] - 2
    best = wp.vec3i()
    least = real(1.0e30)
    for row in range(wp.clamp(int(wp.floor(y - border)), 0, last_row), wp.clamp(int(wp.floor(y + border)), 0, last_row) + 1):
        for col in range(wp.clamp(int(wp.floor(x - border)), 0, last_col), wp.clamp(int(wp.floor(x + border)), 0, last_col) + 1):
            for triangle in range(2):
                prism = wp.vec3i(row, col, triangle)
                excess = _excess(hfield, w, h, prism, at, outward) + wp.length(half) * _beside(x - real(col), y - real(row), triangle)
                if excess < least:
                    least = excess
                    best = prism
    return best
