"""Frames of distance fields, and the points from which contacts of two of them are searched for, in float64."""

import warp as wp

from newtonish.kernels.constants import SDF
from newtonish.kernels.sdf.meeting import Common, Frame, Meeting
from newtonish.kernels.structs.data import Kinematics
from newtonish.kernels.structs.model import Geom, Sdf

f64 = wp.float64
ONE = wp.constant(wp.float64(1.0))
HALF = wp.constant(wp.float64(0.5))
FARTHEST = wp.constant(wp.float64(1.0e10))


@wp.func(inline=False)
def geom_frame(pos: wp.vec3, mat: wp.mat33, found: wp.ref[Frame]):
    """A geom's frame in float64, with axes orthonormal to their rounding, of one in float32: by way of a quaternion, as MuJoCo goes."""
    found.pos = wp.vec3d(pos)
    m = wp.mat33d(mat)
    q = wp.vec4d()  # x, y, z, w
    if m[0, 0] + m[1, 1] + m[2, 2] > f64(0.0):
        w = HALF * wp.sqrt(ONE + m[0, 0] + m[1, 1] + m[2, 2])
        q = wp.vec4d((m[2, 1] - m[1, 2]) * HALF * HALF / w, (m[0, 2] - m[2, 0]) * HALF * HALF / w, (m[1, 0] - m[0, 1]) * HALF * HALF / w, w)
    else:
        i = wp.int32(2)
        if m[0, 0] > m[1, 1] and m[0, 0] > m[2, 2]:
            i = 0
        elif m[1, 1] > m[2, 2]:
            i = 1
        j = (i + 1) % 3
        k = (i + 2) % 3
        along = HALF * wp.sqrt(ONE + m[i, i] - m[j, j] - m[k, k])
        q[i] = along
        q[j] = (m[j, i] + m[i, j]) * HALF * HALF / along
        q[k] = (m[k, i] + m[i, k]) * HALF * HALF / along
        q[3] = (m[k, j] - m[j, k]) * HALF * HALF / along
    q = wp.normalize(q)
    found.axes = wp.quat_to_matrix(wp.quatd(q[0], q[1], q[2], q[3]))


@wp.func(inline=False)
def field_frame(sdf: wp.ref[Sdf], kind: int, g: int, frame: wp.ref[Frame], found: wp.ref[Frame]):
    """The frame of a geom's field, of its own frame. ``kind``: the geom's type."""
    found.axes = frame.axes
    found.pos = frame.pos
    if kind == SDF:
        found.axes = frame.axes * sdf.mat[g]
        found.pos = frame.pos + frame.axes * sdf.pos[g]


@wp.func
def meet(geom: wp.ref[Geom], sdf: wp.ref[Sdf], kin: wp.ref[Kinematics], w: int, g1: int, g2: int, pair: wp.ref[Meeting]):
    """Two geoms as the search takes them, as ``pair``."""
    pair.geom1 = g1
    pair.geom2 = g2
    geom_frame(kin.geom_xpos[w, g1], kin.geom_xmat[w, g1], pair.frame1)
    geom_frame(kin.geom_xpos[w, g2], kin.geom_xmat[w, g2], pair.frame2)
    field_frame(sdf, geom.type[g1], g1, pair.frame1, pair.field1)
    field_frame(sdf, geom.type[g2], g2, pair.frame2, pair.field2)
    back = wp.transpose(pair.field1.axes)
    pair.turn = back * pair.field2.axes
    pair.shift = back * (pair.field2.pos - pair.field1.pos)


@wp.func(inline=False)
def common_box(sdf: wp.ref[Sdf], pair: wp.ref[Meeting], found: wp.ref[Common]):
    """The common part of the boxes of two geoms, as ``found``; empty where one of its sides is negative."""
    g1 = pair.geom1
    g2 = pair.geom2
    turn = wp.transpose(pair.frame1.axes) * pair.frame2.axes
    center = turn * sdf.center[g2] + wp.transpose(pair.frame1.axes) * (pair.frame2.pos - pair.frame1.pos)
    for axis in range(3):
        reach = f64(0.0)
        for side in range(3):
            reach += wp.abs(turn[axis, side]) * sdf.half[g2][side]
        found.low[axis] = wp.max(center[axis] - reach, sdf.center[g1][axis] - sdf.half[g1][axis])
        found.high[axis] = wp.min(center[axis] + reach, sdf.center[g1][axis] + sdf.half[g1][axis])
    back = wp.transpose(pair.field2.axes)
    found.turn = back * pair.frame1.axes
    found.shift = back * (pair.frame1.pos - pair.field2.pos)


@wp.func
def is_empty(box: wp.ref[Common]) -> bool:
    """Whether two boxes have nothing in common."""
    return box.high[0] < box.low[0] or box.high[1] < box.low[1] or box.high[2] < box.low[2]


@wp.func
def halton(number: int, base: int) -> wp.float64:
    """A number from 0 to 1 of the sequence of Halton (1960): the digits of ``number``, mirrored at the point."""
    rest = wp.int32(number)
    weight = ONE / wp.float64(base)
    total = f64(0.0)
    while rest > 0:
        total += weight * wp.float64(rest % base)
        weight = weight / wp.float64(base)
        rest = rest // base
    return total


@wp.func
def start_point(box: wp.ref[Common], number: int) -> wp.vec3d:
    """Start of a search, in the frame of the second field: the starts fill the box evenly."""
    share = wp.vec3d(halton(number, 2), halton(number, 3), halton(number, 5))
    return box.turn * (box.low + wp.cw_mul(box.high - box.low, share)) + box.shift
