"""Contacts in the layout of Newton's ``Contacts`` as MuJoCo's contacts: what a collision pipeline found, in place of collision.

Newton gives a point on each of two bodies, in the bodies' frames, and how thick the surface is around each point (radius
and margin together). The distance is that of the points along the normal less the thickness without the margins, which
MuJoCo adds by itself; the position is the midpoint of the surfaces. The points are taken along with the bodies, so that
contacts found once serve for several steps. What else a contact needs is mixed from the two geoms as in MuJoCo. A contact
may carry a stiffness, damping and friction of its own, which then count.

Contacts lie in any order. They are sorted by world and keep their order within a world, so equal input gives equal bits.
"""

import warp as wp

from newtonish.kernels.bridge.frames import KINEMATIC, to_xyzw
from newtonish.kernels.collision.gains import (
    apply_gain,
    first_weight,
    gain_factor,
    gain_solref,
    make_spring,
    mixed_impedance,
    pair_invweight,
)
from newtonish.kernels.collision.params import MINMU, contact_params, pair_margin
from newtonish.kernels.collision.write import finish_contact, write_count, write_point
from newtonish.kernels.constants import DISABLED, ELLIPTIC
from newtonish.kernels.math.sort_by_world import first_of_world
from newtonish.kernels.math.world import lanes, per_world, sync
from newtonish.kernels.structs.collision import Gain
from newtonish.kernels.structs.data import Contact, Kinematics, Status
from newtonish.kernels.structs.field import vec5
from newtonish.kernels.structs.model import Body, Geom, Option, Pair


@wp.struct
class OutsideContacts:
    """Newton's contact arrays; those of a contact's own properties may be empty."""

    count: wp.array(dtype=wp.int32)
    shape0: wp.array(dtype=wp.int32)
    shape1: wp.array(dtype=wp.int32)
    point0: wp.array(dtype=wp.vec3)  # in the body's frame [m]
    point1: wp.array(dtype=wp.vec3)
    offset0: wp.array(dtype=wp.vec3)  # from the point to the surface with its margin, in the body's frame [m]
    offset1: wp.array(dtype=wp.vec3)
    normal: wp.array(dtype=wp.vec3)  # from the first shape to the second, world frame
    margin0: wp.array(dtype=wp.float32)  # thickness around the point: radius and margin [m]
    margin1: wp.array(dtype=wp.float32)
    stiffness: wp.array(dtype=wp.float32)  # [N/m]; zero: the shapes'
    damping: wp.array(dtype=wp.float32)  # [N s/m]; zero: critical
    friction: wp.array(dtype=wp.float32)  # factor of the sliding friction; zero: 1


@wp.struct
class ShapeMaps:
    """What belongs to the shapes of the Newton model."""

    world: wp.array(dtype=wp.int32)  # -1: all worlds
    geom: wp.array(dtype=wp.int32)  # -1: none
    body: wp.array(dtype=wp.int32)  # Newton's
    margin: wp.array(dtype=wp.float32)  # Newton's shape_margin [m]
    fixed: wp.array(dtype=wp.int32)  # whether the geom's body cannot move
    body_flags: wp.array(dtype=wp.int32)


@wp.func
def is_immovable(shapes: ShapeMaps, s: int) -> bool:
    """Whether forces do not move the body of a shape."""
    b = shapes.body[s]
    if b < 0 or shapes.fixed[s] != 0:
        return True
    return (shapes.body_flags[b] & KINEMATIC) != 0


@wp.func
def world_of_contact(flat: OutsideContacts, shapes: ShapeMaps, i: int, worlds: int) -> int:
    """World of contact ``i``; ``worlds`` if it is none that can push anything."""
    s0 = flat.shape0[i]
    s1 = flat.shape1[i]
    number = shapes.world.shape[0]
    if s0 < 0 or s1 < 0 or s0 >= number or s1 >= number:
        return worlds
    if shapes.geom[s0] < 0 or shapes.geom[s1] < 0:
        return worlds
    if is_immovable(shapes, s0) and is_immovable(shapes, s1):
        return worlds
    first = shapes.world[s0]
    second = shapes.world[s1]
    if first >= 0 and second >= 0 and first != second:
        return worlds
    return wp.max(first, second)


@wp.kernel
def contact_worlds_kernel(flat: OutsideContacts, shapes: ShapeMaps, worlds: int, number: wp.array(dtype=wp.int32), key: wp.array(dtype=wp.int32)):
    """World of every contact, and how many contacts there are: a pipeline may count more than it had room for."""
    i = wp.tid()
    if i == 0:
        number[0] = wp.min(flat.count[0], flat.shape0.shape[0])
    if i < flat.count[0] and i < flat.shape0.shape[0]:
        world = world_of_contact(flat, shapes, i, worlds)
        if world < 0:
            world = worlds
        key[i] = world


@wp.func
def thickness(margin: float, shape_margin: float) -> float:
    """Part of a thickness that is the shape's own radius: MuJoCo takes care of the margin."""
    return margin - shape_margin


@wp.func
def surface_point(kin: Kinematics, w: int, b: int, point: wp.vec3, offset: wp.vec3, margin: float, shape_margin: float) -> wp.vec3:
    """Point of a surface without its margin, in the world frame."""
    share = wp.float32(0.0)
    if margin > 0.0:
        share = thickness(margin, shape_margin) / margin
    return kin.xpos[w, b] + wp.quat_rotate(to_xyzw(kin.xquat[w, b]), point + share * offset)


@wp.func
def scaled_sliding(friction: vec5, scale: float) -> vec5:
    """Friction coefficients with those of sliding multiplied by ``scale``."""
    scaled = friction
    for k in range(2):
        scaled[k] = wp.max(friction[k] * scale, MINMU)
    return scaled


@wp.func
def own_properties(opt: Option, body: Body, geom: Geom, gain: Gain, contact: Contact, flat: OutsideContacts, w: int, c: int, i: int, g1: int, g2: int):
    """Stiffness and damping that contact ``i`` brings along.

    The impedance is then the largest one everywhere, so that the force is linear in the penetration.
    """
    stiffness = flat.stiffness[i]
    invweight = pair_invweight(body, geom, w, g1, g2)
    dmax = contact.solimp[w, c][1]
    impedance = mixed_impedance(geom, gain, w, g1, g2)
    if stiffness > 0.0 and invweight > 0.0 and impedance > 0.0:
        damping = flat.damping[i]
        if damping <= 0.0:
            damping = 2.0 * wp.sqrt(stiffness / gain_factor(opt, w, invweight, impedance, contact.friction[w, c][0], contact.dim[w, c]))
        make_spring(opt, contact, invweight, wp.vec2(stiffness, damping), impedance, w, c)
    elif stiffness > 0.0 and invweight > 0.0 and dmax < 1.0:
        factor = gain_factor(opt, w, invweight, dmax, contact.friction[w, c][0], contact.dim[w, c])
        damping = flat.damping[i]
        if damping <= 0.0:
            damping = 2.0 * wp.sqrt(stiffness / factor)  # critical
        contact.solref[w, c] = gain_solref(stiffness, damping, factor)
        contact.solimp[w, c] = vec5(dmax, dmax, 0.001, 1.0, 0.5)


@wp.func
def sliding_gain(opt: Option, body: Body, geom: Geom, gain: Gain, contact: Contact, w: int, c: int, g1: int, g2: int):
    """Damping of sliding by the shapes' ``kf`` [N s/m], elliptic cones only; zero: no friction."""
    mix = first_weight(geom, w, g1, g2)
    nth = per_world(gain.kf.shape[0], w)
    kf = mix * gain.kf[nth, g1] + (1.0 - mix) * gain.kf[nth, g2]
    if opt.cone != ELLIPTIC or kf < 0.0:
        return
    if kf == 0.0:
        contact.dim[w, c] = 1
        return
    dmax = contact.solimp[w, c][1]
    invsqrt = opt.impratio_invsqrt[per_world(opt.impratio_invsqrt.shape[0], w)]
    rate = kf * pair_invweight(body, geom, w, g1, g2)
    if mixed_impedance(geom, gain, w, g1, g2) == 0.0:
        rate *= (1.0 - dmax) * invsqrt * invsqrt + dmax
    if rate > 0.0:
        contact.solreffriction[w, c] = wp.vec2(2.0 / rate, 1.0)


@wp.kernel
def outside_kernel(
    opt: Option, body: Body, geom: Geom, pair: Pair, gain: Gain, kin: Kinematics, contact: Contact, status: Status,
    flat: OutsideContacts, shapes: ShapeMaps, number: wp.array(dtype=wp.int32), key: wp.array(dtype=wp.int32),
    order: wp.array(dtype=wp.int32), first_world: int,
):  # fmt: skip
    """Contacts of a world in the order in which they were given."""
    w, lane = wp.tid()
    begin = first_of_world(key, order, number[0], first_world + w)
    end = first_of_world(key, order, number[0], first_world + w + 1)
    if (opt.disableflags & DISABLED) != 0:
        end = begin
    write_count(contact, status, end - begin, w, lane)
    for c in range(lane, wp.min(end - begin, contact.dist.shape[1]), lanes()):
        i = order[begin + c]
        s0 = flat.shape0[i]
        s1 = flat.shape1[i]
        g1 = shapes.geom[s0]
        g2 = shapes.geom[s1]
        b1 = geom.bodyid[g1]
        b2 = geom.bodyid[g2]
        zero = wp.vec3(0.0, 0.0, 0.0)
        normal = flat.normal[i]
        apart = surface_point(kin, w, b2, flat.point1[i], zero, 0.0, 0.0) - surface_point(kin, w, b1, flat.point0[i], zero, 0.0, 0.0)
        dist = wp.dot(normal, apart) - thickness(flat.margin0[i], shapes.margin[s0]) - thickness(flat.margin1[i], shapes.margin[s1])
        first = surface_point(kin, w, b1, flat.point0[i], flat.offset0[i], flat.margin0[i], shapes.margin[s0])
        second = surface_point(kin, w, b2, flat.point1[i], flat.offset1[i], flat.margin1[i], shapes.margin[s1])
        margin = pair_margin(opt, geom, pair, w, g1, g2, -1)[0]
        params = contact_params(opt, geom, pair, w, g1, g2, -1)
        write_point(contact, dist, 0.5 * (first + second), normal, zero, g1, g2, -1, w, c)
        finish_contact(contact, params, margin, w, c)
        if flat.friction.shape[0] > 0 and flat.friction[i] > 0.0:
            contact.friction[w, c] = scaled_sliding(params.friction, flat.friction[i])
        sliding_gain(opt, body, geom, gain, contact, w, c, g1, g2)
        apply_gain(opt, body, geom, gain, contact, w, c)
        if flat.stiffness.shape[0] > 0:
            own_properties(opt, body, geom, gain, contact, flat, w, c, i, g1, g2)
    sync()
