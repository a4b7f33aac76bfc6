"""The adjoint of a contact: derivatives of its share of the cost by the motions of its bodies and by where its geoms are.

Along its axes a contact's share of the cost is ``y f(s)``: y is the relative motion lam, f the force, and s its residual. Their derivatives are those of ``contacts.py``,
gone through backwards, in one visit for all dofs.
"""

import warp as wp

from newtonish.kernels.derivative.algebra import bottom, real, top, unit_axis, vec6d
from newtonish.kernels.derivative.cotangent import Cotangent
from newtonish.kernels.derivative.materials import surface_change
from newtonish.kernels.derivative.touch import Touch, about, along_axes, answer_of, at_contact, axes_of, to_world, wrench_of
from newtonish.kernels.derivative.witness import Displacement, Witness, displaced, frame_turn
from newtonish.kernels.derivative.witness_bar import common_bar, second_bar
from newtonish.kernels.derivative.workspace import LinearMotion
from newtonish.kernels.structs.data import Kinematics
from newtonish.kernels.structs.model import Geom


@wp.struct
class ContactBar:
    """Derivatives of a contact's share of the cost, in the world, and what they are made of, along the contact's axes."""

    push: vec6d  # by the relative motion lam: of the point, then the rotation
    push_L: vec6d  # by L
    push_V: vec6d  # by V
    place1: vec6d  # by a displacement of the first geom alone, about the centre of mass of its tree
    place2: vec6d  # by one of the second geom
    by_dist: wp.float64
    y: vec6d  # relative motion lam
    rate: vec6d  # relative velocity
    slip: vec6d  # what rows make of accelerations and velocities
    held: vec6d  # C y


@wp.func
def _relative(motions: wp.array2d(dtype=vec6d), touch: Touch, found: Witness, w: int) -> vec6d:
    """Motion of the second body relative to the first at the contact: of the point, then the rotation."""
    return at_contact(motions[w, touch.body2], found.pos - touch.center2) - at_contact(motions[w, touch.body1], found.pos - touch.center1)


@wp.func
def _turn_of(seen: vec6d, wrench: vec6d) -> wp.vec3d:
    """Derivative of a wrench's work on a relative motion by a turn of the frame that both are seen in."""
    return -wp.cross(top(seen), top(wrench)) - wp.cross(bottom(seen), bottom(wrench))


@wp.func
def _carried_along(found: Witness, v: wp.vec3d, omega: wp.vec3d) -> Displacement:
    """What a contact does if both bodies move as one: the tangents alone are not carried along."""
    moved = Displacement()
    moved.pos = v
    moved.turn = frame_turn(found, wp.cross(omega, found.normal), omega)
    return moved


@wp.func
def _against(axes: wp.mat33d, damped: vec6d, flow: vec6d, dim: int) -> wp.float64:
    """Share of the flow of surfaces: not along the normal, nor in rolling."""
    along = along_axes(axes, flow)
    total = real(0.0)
    for i in range(1, wp.min(dim, 4)):
        total += damped[i] * along[i]
    return total


@wp.func
def _flow_bar(
    geom: Geom, kin: Kinematics, touch: Touch, found: Witness, axes: wp.mat33d, damped: vec6d, both: bool, w: int,
) -> vec6d:  # fmt: skip
    """What surfaces that move add, with opposite sign, by a motion of the second geom, or of both as one."""
    result = vec6d()
    units = wp.int32(6)  # not a literal, or Warp unrolls the loop and compiles the long calls six times
    for i in range(units):
        v = unit_axis(i)
        omega = unit_axis(i - 3)
        share = wp.where(both, real(1.0), real(0.0))
        moved = Displacement()
        if both:
            moved = _carried_along(found, v, omega)
        else:
            moved = displaced(found, wp.vec3d(), wp.vec3d(), v, omega)
        flow = surface_change(geom, kin, w, touch.geoms, found.pos, share * v, share * omega, v, omega, moved.pos, moved.turn)
        result[i] = _against(axes, damped, flow, touch.dim)
    return result


@wp.func
def contact_bar(
    geom: Geom, kin: Kinematics, motion: LinearMotion, cotangent: Cotangent, touch: Touch, found: Witness, fixed_too: bool, w: int,
) -> ContactBar:  # fmt: skip
    """Everything of a contact that pushes; ``fixed_too``: also the place of a first geom that nothing moves."""
    bar = ContactBar()
    axes = axes_of(found)
    seen = _relative(cotangent.lam, touch, found, w)
    seen_L = _relative(motion.L, touch, found, w)
    seen_V = _relative(motion.V, touch, found, w)
    bar.y = along_axes(axes, seen)
    bar.rate = along_axes(axes, seen_V)
    bar.slip = along_axes(axes, seen_L) + touch.slide_damper * bar.rate
    bar.held = answer_of(touch, bar.y)
    damped = touch.slide_damper * bar.held
    damped[0] = touch.damper * bar.held[0]
    bar.push = to_world(axes, wrench_of(touch))
    bar.push_L = -to_world(axes, bar.held)
    bar.push_V = -to_world(axes, damped)
    bar.by_dist = touch.growth * wp.dot(bar.y, touch.force) - bar.held[0] * (touch.spring + touch.growth * touch.hold)
    bar.by_dist -= touch.sliding * wp.dot(bar.held, bar.rate)
    by_pos = wp.cross(top(bar.push), bottom(seen)) + wp.cross(top(bar.push_L), bottom(seen_L)) + wp.cross(top(bar.push_V), bottom(seen_V))
    by_turn = _turn_of(seen, bar.push) + _turn_of(seen_L, bar.push_L) + _turn_of(seen_V, bar.push_V)
    moved = Displacement()
    moved.dist = bar.by_dist
    moved.pos = by_pos
    moved.turn = by_turn
    second = second_bar(found, moved)  # by a motion of the second geom, of the contact's point, then the rotation
    both = vec6d()
    if touch.flows:
        second -= _flow_bar(geom, kin, touch, found, axes, damped, False, w)
    if touch.last1 >= 0 or fixed_too:
        both = common_bar(found, moved)
        if touch.flows:
            both -= _flow_bar(geom, kin, touch, found, axes, damped, True, w)
    bar.place1 = about(both - second, found.pos - touch.center1)
    bar.place2 = about(second, found.pos - touch.center2)
    return bar
