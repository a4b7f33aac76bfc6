"""Where two distance fields overlap: descents from points spread over the common part of their boxes.

From each start the sum of both fields and the amount of the larger one is made smaller, by steps against its gradient whose length is halved
until they gain enough (Armijo's rule); then one such step lowers the larger field. Where both fields are negative at the end there is a contact, whose
normal halves the angle between the gradient of one field and the opposite of the other's: that of the surface on which both are equal. All in
the frame of the second geom's field and in float64, as MuJoCo searches: a start that comes to rest in another dent is another contact.
"""

from __future__ import annotations

from collections.abc import Sequence

import warp as wp

from newtonish.common.constants import MINVAL
from newtonish.kernels.constants import MESH
from newtonish.kernels.sdf.fields import FieldKind, named
from newtonish.kernels.sdf.geoms import of_geoms
from newtonish.kernels.sdf.meeting import Meeting
from newtonish.kernels.structs.model import Sdf

f64 = wp.float64
ZERO = wp.constant(wp.float64(0.0))
MOST = wp.constant(wp.float64(1.0e10))  # of a gradient that can be followed
FIRST_STEP = wp.constant(wp.float64(2.0))
LEAST_STEP = wp.constant(wp.float64(1.0e-4))
GAIN = wp.constant(wp.float64(0.1))  # share of the expected descent that a step has to gain
TINY = wp.constant(wp.float64(MINVAL))


class Search:
    """Warp functions of a set of fields.

    Attributes:
        begin: (sdf, geom's type, size, number, probe): begin to ask a geom.
        distance: (sdf, probe): signed distance of a geom, as ``probe.dist``.
        gradient: (sdf, probe, known): its gradient, as ``probe.grad``; ``known``: 1 where ``probe.dist`` is the distance there, else 0.
        overlap: (sdf, meeting): a descent from ``meeting.descent.x`` to its end.
        normal: (sdf, meeting): unit vector at a contact there, from the first geom to the second.
    """

    def __init__(self, fields: Sequence[FieldKind], name: str) -> None:
        self.begin, self.distance, self.gradient = of_geoms(fields, name)
        self.overlap, self.normal = _of_pairs(self.distance, self.gradient, name)


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
def _is_last(sdf: wp.ref[Sdf], pair: wp.ref[Meeting]) -> bool:
    """Whether a descent takes its last step, which lowers the larger distance alone."""
    return pair.descent.step >= sdf.iterations


@wp.func
def _lowered(pair: wp.ref[Meeting], last: bool) -> wp.float64:
    """What the descent lowers: both distances, and the amount of the larger one; in the last step the larger one."""
    larger = wp.max(pair.probe1.dist, pair.probe2.dist)
    if last:
        return larger
    return pair.probe1.dist + pair.probe2.dist + wp.abs(larger)


@wp.func
def _slope(pair: wp.ref[Meeting], last: bool) -> wp.vec3d:
    """Gradient of that."""
    first = wp.transpose(pair.turn) * pair.probe1.grad
    larger = wp.where(pair.probe2.dist > pair.probe1.dist, pair.probe2.grad, first)
    if not last:
        sign = wp.where(wp.max(pair.probe1.dist, pair.probe2.dist) > ZERO, f64(1.0), f64(-1.0))
        larger = first + pair.probe2.grad + sign * larger
    return larger


def _of_pairs(distance: wp.Function, gradient: wp.Function, name: str) -> tuple[wp.Function, wp.Function]:
    """The search for a contact of two geoms, and the normal of one."""

    def evaluate(sdf: wp.ref[Sdf], pair: wp.ref[Meeting], steep: bool):
        """Both distances where a descent is, and their gradients there (``steep``)."""
        pair.probe1.x = pair.turn * pair.descent.x + pair.shift
        pair.probe2.x = pair.descent.x
        distance(sdf, pair.probe1)
        distance(sdf, pair.probe2)
        if steep:
            gradient(sdf, pair.probe1, 1)
            gradient(sdf, pair.probe2, 1)

    at = wp.func(named(evaluate, f"evaluate_{name}"), inline=False)

    def line_search(sdf: wp.ref[Sdf], pair: wp.ref[Meeting]):
        """Go down the slope by ever shorter steps, until one gains enough."""
        searching = bool(True)
        while searching:
            pair.descent.length = f64(0.5) * pair.descent.length
            pair.descent.wanted = f64(0.5) * pair.descent.wanted
            pair.descent.x = pair.descent.origin - pair.descent.length * pair.descent.slope
            at(sdf, pair, False)
            pair.descent.dist = _lowered(pair, _is_last(sdf, pair))
            searching = pair.descent.length > LEAST_STEP and pair.descent.dist - pair.descent.before > pair.descent.wanted

    go_down = wp.func(named(line_search, f"line_search_{name}"))

    def overlap(sdf: wp.ref[Sdf], pair: wp.ref[Meeting]):
        """The steps of a descent, and one that lowers the larger distance."""
        pair.descent.dist = MOST
        pair.descent.step = 0
        while pair.descent.step <= sdf.iterations:
            at(sdf, pair, True)
            last = _is_last(sdf, pair)
            slope = _slope(pair, last)
            over = _is_wild(slope)
            if over:
                pair.descent.dist = MOST
            else:
                pair.descent.before = _lowered(pair, last)
                pair.descent.origin = pair.descent.x
                pair.descent.slope = slope
                pair.descent.length = FIRST_STEP
                pair.descent.wanted = -GAIN * FIRST_STEP * wp.dot(slope, slope)
                go_down(sdf, pair)
                over = pair.descent.before < pair.descent.dist
                if over:  # no step gains
                    pair.descent.x = pair.descent.origin
                    pair.descent.dist = pair.descent.before
            if over and not _is_last(sdf, pair):
                pair.descent.step = sdf.iterations - 1
            pair.descent.step += 1

    def normal(sdf: wp.ref[Sdf], pair: wp.ref[Meeting]) -> wp.vec3d:
        """Unit vector from the first geom to the second, in the frame of the second's field."""
        if pair.probe1.type == MESH:  # which has no field of its own
            pair.probe2.x = pair.descent.x
            gradient(sdf, pair.probe2, 0)
            return -_unit(pair.probe2.grad)
        at(sdf, pair, True)
        return -_unit(_unit(pair.probe2.grad) - _unit(wp.transpose(pair.turn) * pair.probe1.grad))

    return wp.func(named(overlap, f"overlap_{name}"), inline=False), wp.func(named(normal, f"normal_{name}"))
