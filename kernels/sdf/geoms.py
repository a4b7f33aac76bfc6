"""Distance and gradient of a geom at a point in the frame of its field, whatever its type: a primitive, a function or an octree.

Gradients by differences evaluate the distance where all other functions do, so that a GPU has the text of each field once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import warp as wp

from newtonish.kernels.constants import SDF
from newtonish.kernels.sdf.fields import AHEAD, BOTH_WAYS, FieldKind, named
from newtonish.kernels.sdf.meeting import Probe
from newtonish.kernels.sdf.octree import is_outside, octree_distance, octree_gradient
from newtonish.kernels.sdf.shapes import shape_distance, shape_gradient
from newtonish.kernels.structs.field import vec8d
from newtonish.kernels.structs.model import Sdf

f64 = wp.float64
FORWARD_STEP = wp.constant(wp.float64(1.0e-8))  # [m]
CENTRAL_STEP = wp.constant(wp.float64(1.0e-6))  # [m]
ONE_WAY = wp.constant(AHEAD)
TWO_WAYS = wp.constant(BOTH_WAYS)


@wp.func
def _no_distance(at: wp.ref[Probe]) -> wp.float64:
    return f64(0.0)


@wp.func
def _no_gradient(at: wp.ref[Probe]) -> wp.vec3d:
    return wp.vec3d()


@wp.func
def _all_as_given(field: int, prm: vec8d) -> vec8d:
    return prm


@wp.func
def _no_way(field: int) -> int:
    return 0


def _choice(number: int, own: wp.Function, others: wp.Function) -> Any:
    """What field ``number`` says at a point, distance or gradient, or one of the others."""

    def field_choice(at: wp.ref[Probe]):
        if at.field == number:
            return own(at.x, at.prm)
        return others(at)

    return field_choice


def _choice_of_ways(number: int, own: int, others: wp.Function) -> Any:
    """The way of differences of field ``number``, or of one of the others; 0: it has a gradient."""

    def field_way(field: int) -> int:
        if field == number:
            return own
        return others(field)

    return field_way


def _choice_of_prepared(number: int, own: wp.Function, others: wp.Function) -> Any:
    """The parameters as field ``number`` takes them, or one of the others."""

    def field_prepared(field: int, prm: vec8d) -> vec8d:
        if field == number:
            return own(prm)
        return others(field, prm)

    return field_prepared


def of_geoms(fields: Sequence[FieldKind], name: str) -> tuple[wp.Function, wp.Function, wp.Function]:
    """What begins to ask a geom (``Search.begin``), its distance and its gradient.

    Args:
        fields: by their numbers.
        name: suffix of the names of functions.
    """
    one_distance: wp.Function = _no_distance
    one_gradient: wp.Function = _no_gradient
    one_way: wp.Function = _no_way
    one_prepared: wp.Function = _all_as_given
    for i, field in enumerate(fields):
        number = wp.constant(i)
        one_distance = wp.func(named(_choice(number, field.distance, one_distance), f"field_distance_{name}_{i}"))
        if field.gradient in (AHEAD, BOTH_WAYS):
            one_way = wp.func(named(_choice_of_ways(number, wp.constant(field.gradient), one_way), f"field_way_{name}_{i}"))
        else:
            one_gradient = wp.func(named(_choice(number, field.gradient, one_gradient), f"field_gradient_{name}_{i}"))
        if field.prepared is not None:
            one_prepared = wp.func(named(_choice_of_prepared(number, field.prepared, one_prepared), f"field_prepared_{name}_{i}"))

    def begin_probe(sdf: wp.ref[Sdf], kind: int, size: wp.vec3, g: int, at: wp.ref[Probe]):
        at.type = kind
        at.size = wp.vec3d(size)
        if at.type == SDF:
            at.field = sdf.field[g]
            at.root = sdf.root[g]
            at.prm = one_prepared(at.field, sdf.prm[g])

    def geom_distance(sdf: wp.ref[Sdf], at: wp.ref[Probe]):
        if at.type != SDF:
            at.dist = shape_distance(at.type, at.x, at.size)
        elif at.field >= 0:
            at.dist = one_distance(at)
        else:
            at.dist = octree_distance(sdf, at.root, at.x)

    distance = wp.func(named(geom_distance, f"geom_distance_{name}"), inline=False)

    def differences_ahead(sdf: wp.ref[Sdf], at: wp.ref[Probe]):
        """The gradient by differences of the distance ahead of a point from the one at it."""
        at.here = at.x
        at.kept = at.dist
        axis = wp.int32(0)
        while axis < 3:
            at.x[axis] = at.here[axis] + FORWARD_STEP
            distance(sdf, at)
            at.grad[axis] = (at.dist - at.kept) / FORWARD_STEP
            at.x[axis] = at.here[axis]
            axis += 1
        at.dist = at.kept

    def central_differences(sdf: wp.ref[Sdf], at: wp.ref[Probe]):
        """The same from the one behind it."""
        at.here = at.x
        at.kept = at.dist
        axis = wp.int32(0)
        while axis < 3:
            at.x[axis] = at.here[axis] - CENTRAL_STEP
            distance(sdf, at)
            at.behind = at.dist
            at.x[axis] = at.here[axis] + CENTRAL_STEP
            distance(sdf, at)
            at.grad[axis] = (at.dist - at.behind) / (CENTRAL_STEP + CENTRAL_STEP)
            at.x[axis] = at.here[axis]
            axis += 1
        at.dist = at.kept

    ahead = wp.func(named(differences_ahead, f"differences_ahead_{name}"))
    both_ways = wp.func(named(central_differences, f"central_differences_{name}"))

    def geom_gradient(sdf: wp.ref[Sdf], at: wp.ref[Probe], known: int):
        way = wp.int32(0)
        if at.type != SDF:
            at.grad = shape_gradient(at.type, at.x, at.size)
        elif at.field >= 0:
            way = one_way(at.field)
            if way == 0:
                at.grad = one_gradient(at)
        elif is_outside(sdf, at.root, at.x):
            way = ONE_WAY
        else:
            at.grad = octree_gradient(sdf, at.root, at.x)
        if way == ONE_WAY:
            if known == 0:
                distance(sdf, at)
            ahead(sdf, at)
        elif way == TWO_WAYS:
            both_ways(sdf, at)

    gradient = wp.func(named(geom_gradient, f"geom_gradient_{name}"), inline=False)
    return wp.func(named(begin_probe, f"begin_probe_{name}"), inline=False), distance, gradient
