"""Where two distance fields overlap: descents from points spread over the common part of their boxes.

From each start the sum of both fields and the amount of the larger one is made smaller, by steps against its gradient whose length is halved
until they gain enough (Armijo's rule); then one such step lowers the larger field. Where both fields are negative at the end there is a contact, whose
normal halves the angle between the gradient of one field and the opposite of the other's: that of the surface on which both are equal. All in
the frame of the second geom's field and in float64, as MuJoCo searches: a start that comes to rest in another dent is another contact.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import warp as wp

from newtonish.common.constants import MINVAL
from newtonish.kernels.constants import MESH, SDF
from newtonish.kernels.sdf.fields import FieldKind, named
from newtonish.kernels.sdf.octree import octree_distance, octree_gradient
from newtonish.kernels.sdf.shapes import shape_distance, shape_gradient
from newtonish.kernels.structs.field import vec8d
from newtonish.kernels.structs.model import Sdf

f64 = wp.float64
ZERO = wp.constant(wp.float64(0.0))
MOST = wp.constant(wp.float64(1.0e10))  # of a gradient that can be followed
FIRST_STEP = wp.constant(wp.float64(2.0))
LEAST_STEP = wp.constant(wp.float64(1.0e-4))
GAIN = wp.constant(wp.float64(0.1))  # share of the expected descent that a step has to gain
TINY = wp.constant(wp.float64(MINVAL))


@wp.struct
class Frame:
    """Axes and origin in the world."""

    axes: wp.mat33d
    pos: wp.vec3d


@wp.struct
class Meeting:
    """Two geoms, the second of which is a field, and the way from the frame of its field to that of the first."""

    geom1: wp.int32
    geom2: wp.int32
    type1: wp.int32
    turn: wp.mat33d
    shift: wp.vec3d
    size1: wp.vec3d
    frame1: Frame  # of the geoms
    frame2: Frame
    field1: Frame  # of their fields
    field2: Frame


@wp.struct
class Overlap:
    """Where a descent ended: the point in the frame of the second field, and the larger of both distances there."""

    x: wp.vec3d
    dist: wp.float64


@wp.struct
class Values:
    """Distances of both geoms at a point, and their gradients, in the frame of the second field."""

    one: wp.float64
    two: wp.float64
    down1: wp.vec3d
    down2: wp.vec3d


class Search:
    """Warp functions of a set of fields.

    Attributes:
        distance: (sdf, geom, type, size, x): signed distance of a geom, in the frame of its field.
        overlap: (sdf, meeting, rest): a descent from ``rest.x``, of which ``rest`` then is the end.
        normal: (sdf, meeting, x): unit vector at a contact, from the first geom to the second.
    """

    def __init__(self, fields: Sequence[FieldKind], name: str) -> None:
        self.distance, self.gradient = _of_geoms(fields, name)
        self.overlap, self.normal = _of_pairs(self.distance, self.gradient, name)


@wp.func
def _no_distance(field: int, prm: vec8d, x: wp.vec3d) -> wp.float64:
    return ZERO


@wp.func
def _no_gradient(field: int, prm: vec8d, x: wp.vec3d) -> wp.vec3d:
    return wp.vec3d()


def _choice_of_distances(number: int, own: wp.Function, others: wp.Function) -> Any:
    """The distance of field ``number``, or of one of the others."""

    def field_distance(field: int, prm: vec8d, x: wp.vec3d) -> wp.float64:
        if field == number:
            return own(x, prm)
        return others(field, prm, x)

    return field_distance


def _choice_of_gradients(number: int, own: wp.Function, others: wp.Function) -> Any:
    """The gradient of field ``number``, or of one of the others."""

    def field_gradient(field: int, prm: vec8d, x: wp.vec3d) -> wp.vec3d:
        if field == number:
            return own(x, prm)
        return others(field, prm, x)

    return field_gradient


def _of_geoms(fields: Sequence[FieldKind], name: str) -> tuple[wp.Function, wp.Function]:
    """Distance and gradient of a geom, in the frame of its field, whatever its type."""
    one_distance: wp.Function = _no_distance
    one_gradient: wp.Function = _no_gradient
    for i, field in enumerate(fields):
        one_distance = wp.func(named(_choice_of_distances(wp.constant(i), field.distance, one_distance), f"field_distance_{name}_{i}"))
        one_gradient = wp.func(named(_choice_of_gradients(wp.constant(i), field.gradient, one_gradient), f"field_gradient_{name}_{i}"))

    def geom_distance(sdf: wp.ref[Sdf], g: int, kind: int, size: wp.vec3d, x: wp.vec3d) -> wp.float64:
        found = wp.float64(0.0)
        if kind != SDF:
            found = shape_distance(kind, x, size)
        elif sdf.field[g] >= 0:
            found = one_distance(sdf.field[g], sdf.prm[g], x)
        else:
            found = octree_distance(sdf, sdf.root[g], x)
        return found

    def geom_gradient(sdf: wp.ref[Sdf], g: int, kind: int, size: wp.vec3d, x: wp.vec3d) -> wp.vec3d:
        found = wp.vec3d()
        if kind != SDF:
            found = shape_gradient(kind, x, size)
        elif sdf.field[g] >= 0:
            found = one_gradient(sdf.field[g], sdf.prm[g], x)
        else:
            found = octree_gradient(sdf, sdf.root[g], x)
        return found

    return wp.func(named(geom_distance, f"geom_distance_{name}"), inline=False), wp.func(named(geom_gradient, f"geom_gradient_{name}"), inline=False)


@wp.func
def _unit(x: wp.vec3d) -> wp.vec3d:
    """A vector of length 1 in the same direction; along the first axis where there is none."""
    length = wp.length(x)
    if length < TINY:
        return wp.vec3d(f64(1.0), ZERO, ZERO)
    return x / length


@wp.func
def _is_wild(grad: wp.vec3d) -> bool:
    """Whether a gradient has a component that is no number, or too large for one."""
    bad = bool(False)
    for axis in range(3):
        if not (wp.abs(grad[axis]) <= MOST):
            bad = True
    return bad


@wp.func
def _whole(at: wp.ref[Values]) -> wp.float64:
    """What the descent lowers: both distances, and the amount of the larger one."""
    return at.one + at.two + wp.abs(wp.max(at.one, at.two))


@wp.func
def _slope(at: wp.ref[Values], whole: bool) -> wp.vec3d:
    """Gradient of that, or of the larger distance."""
    larger = wp.where(at.two > at.one, at.down2, at.down1)
    if whole:
        larger = at.down1 + at.down2 + wp.where(wp.max(at.one, at.two) > ZERO, f64(1.0), f64(-1.0)) * larger
    return larger


def _of_pairs(distance: wp.Function, gradient: wp.Function, name: str) -> tuple[wp.Function, wp.Function]:
    """The search for a contact of two geoms, and the normal of one."""

    def evaluate(sdf: wp.ref[Sdf], pair: wp.ref[Meeting], x: wp.vec3d, steep: bool, found: wp.ref[Values]):
        """Both distances at a point in the frame of the second field, and their gradients there (``steep``), as ``found``."""
        side = wp.int32(1)
        while side <= 2:  # a loop, so that the fields stand in the kernel once
            g = wp.where(side == 1, pair.geom1, pair.geom2)
            kind = wp.where(side == 1, pair.type1, SDF)
            y = x
            if side == 1:
                y = pair.turn * x + pair.shift
            value = distance(sdf, g, kind, pair.size1, y)
            if side == 1:
                found.one = value
            else:
                found.two = value
            if steep:
                down = gradient(sdf, g, kind, pair.size1, y)
                if side == 1:
                    found.down1 = wp.transpose(pair.turn) * down
                else:
                    found.down2 = down
            side += 1

    at = wp.func(named(evaluate, f"evaluate_{name}"), inline=False)

    def overlap(sdf: wp.ref[Sdf], pair: wp.ref[Meeting], rest: wp.ref[Overlap]):
        """Where the search from ``rest.x`` ends: the steps of the descent, and one that lowers the larger distance."""
        here = Values()
        rest.dist = MOST
        step = wp.int32(0)
        while step <= sdf.iterations:
            whole = step < sdf.iterations
            at(sdf, pair, rest.x, True, here)
            before = wp.max(here.one, here.two)
            if whole:
                before = _whole(here)
            grad = _slope(here, whole)
            origin = wp.vec3d(rest.x[0], rest.x[1], rest.x[2])
            searching = not _is_wild(grad)
            rest.dist = MOST
            length = FIRST_STEP
            wanted = -GAIN * length * wp.dot(grad, grad)
            gained = bool(searching)
            while searching:
                length = f64(0.5) * length
                wanted = f64(0.5) * wanted
                rest.x = origin - length * grad
                at(sdf, pair, rest.x, False, here)
                rest.dist = wp.max(here.one, here.two)
                if whole:
                    rest.dist = _whole(here)
                searching = length > LEAST_STEP and rest.dist - before > wanted
            if gained and before < rest.dist:  # no step gains
                rest.x = origin
                rest.dist = before
                gained = False
            if whole and not gained:
                step = sdf.iterations - 1  # the descent is over
            step += 1

    def normal(sdf: wp.ref[Sdf], pair: wp.ref[Meeting], x: wp.vec3d) -> wp.vec3d:
        """Unit vector from the first geom to the second, in the frame of the second's field."""
        if pair.type1 == MESH:  # which has no field of its own
            return -_unit(gradient(sdf, pair.geom2, SDF, pair.size1, x))
        here = Values()
        at(sdf, pair, x, True, here)
        return -_unit(_unit(here.down2) - _unit(here.down1))

    return wp.func(named(overlap, f"overlap_{name}"), inline=False), wp.func(named(normal, f"normal_{name}"))
