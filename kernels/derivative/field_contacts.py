"""What contacts do to gradients by fields of the model, each contact by itself: by its parameters, by where its geoms are and by how its bodies move."""

import warp as wp

from newtonish.kernels.collision.params import MINMU
from newtonish.kernels.constants import ELLIPTIC
from newtonish.kernels.constraint.row import impedance, reference
from newtonish.kernels.derivative.algebra import real, vec6d
from newtonish.kernels.derivative.contact_bars import contact_bar
from newtonish.kernels.derivative.cotangent import Cotangent, vec2d, vec5d
from newtonish.kernels.derivative.row_bars import ParameterBar, RowBar, parameter_bar
from newtonish.kernels.derivative.touch import CONE, QUADRATIC, Touch, pushes, touch_of
from newtonish.kernels.derivative.witness import Witness
from newtonish.kernels.derivative.workspace import LinearMotion
from newtonish.kernels.math.world import lanes, per_world
from newtonish.kernels.structs.data import Com, Contact, Efc, Kinematics, Status
from newtonish.kernels.structs.model import Body, Geom, Option, Tree


@wp.func
def contact_count(contact: Contact, cotangent: Cotangent, status: Status, w: int) -> int:
    """Contacts of a world that both have room for; where that is not all of them, the caller goes on with more."""
    return wp.min(wp.min(status.ncon[w], contact.dist.shape[1]), cotangent.push.shape[1])


@wp.func
def _pyramid_friction(touch: Touch, contact: Contact, efc: Efc, y: vec6d, slip: vec6d, w: int, c: int, r: int) -> vec5d:
    """Of a pyramid's edges, normal +- friction * axis, whose weight is one over 2 mu^2 (1 + friction^2)."""
    found = vec5d()
    first = real(contact.friction[w, c][0])
    found[0] = -wp.dot(y, touch.force) * (real(2.0) / first + real(2.0) * first / (real(1.0) + first * first))
    for axis in range(1, touch.dim):
        mu = real(contact.friction[w, c][axis - 1])
        for side in range(2):
            row = r + 2 * (axis - 1) + side
            sign = wp.where(side == 0, real(1.0), real(-1.0))
            force = real(efc.force[w, row])
            if force > real(0.0):
                along = y[0] + sign * mu * y[axis]
                found[axis - 1] = found[axis - 1] + sign * (y[axis] * force - real(efc.D[w, row]) * along * slip[axis])
    return found


@wp.func
def _elliptic_friction(touch: Touch, contact: Contact, efc: Efc, y: vec6d, slip: vec6d, w: int, c: int, r: int) -> vec5d:
    """Of an elliptic cone: by the lengths that friction scales, and by mu, which is in proportion to the first."""
    found = vec5d()
    friction = contact.friction[w, c]
    first = real(friction[0])
    zone = efc.state[w, r]
    if zone == QUADRATIC:
        for axis in range(1, touch.dim):
            share = real(2.0) * y[axis] * touch.force[axis]
            found[axis - 1] = found[axis - 1] + share / real(friction[axis - 1])
            found[0] = found[0] - share / first
    elif zone == CONE:
        mu = real(contact.mu[w, c])
        Dm = real(efc.D[w, r]) / (mu * mu * (real(1.0) + mu * mu))
        gap = -touch.force[0] / (mu * Dm)  # N - mu T
        T = real(0.0)
        Z = real(0.0)
        for axis in range(1, touch.dim):
            scale = real(friction[axis - 1])
            T += scale * scale * slip[axis] * slip[axis]
            Z += scale * scale * slip[axis] * y[axis]
        T = wp.max(wp.sqrt(T), real(1.0e-12))
        found[0] = -wp.dot(y, touch.force) * real(2.0) * mu * mu / ((real(1.0) + mu * mu) * first)
        for axis in range(1, touch.dim):
            scale = real(friction[axis - 1])
            by_T = scale * slip[axis] * slip[axis] / T
            by_Z = real(2.0) * scale * slip[axis] * y[axis]
            change = mu * by_T * (y[0] - Z / T) + gap * (by_Z / T - Z * by_T / (T * T))
            found[axis - 1] = found[axis - 1] + Dm * mu * change
    return found


@wp.func
def _parameter_bars(
    opt: Option, contact: Contact, efc: Efc, cotangent: Cotangent, touch: Touch, y: vec6d, held: vec6d, seen_V: vec6d, slip: vec6d, w: int, c: int,
):  # fmt: skip
    """Gradients by friction, references and impedance."""
    r = contact.efc_address[w, c]
    solref = contact.solref[w, c]
    solimp = contact.solimp[w, c]
    timestep = opt.timestep[per_world(opt.timestep.shape[0], w)]
    x = real(contact.dist[w, c]) - real(contact.includemargin[w, c])
    d = real(impedance(solimp, float(x)))
    k = real(reference(solref, solimp, timestep, opt.disableflags)[0])
    bar = RowBar()
    bar.k = -held[0] * d * x
    bar.b = -held[0] * seen_V[0]
    bar.d = wp.dot(y, touch.force) / (d * (real(1.0) - d)) - held[0] * k * x
    sliding = RowBar()
    for axis in range(1, touch.dim):
        sliding.b = sliding.b - held[axis] * seen_V[axis]
    apart = contact.solreffriction[w, c]
    other = ParameterBar()
    if opt.cone == ELLIPTIC and touch.dim > 1 and (apart[0] != 0.0 or apart[1] != 0.0):
        other = parameter_bar(sliding, apart, solimp, x, timestep, opt.disableflags)
    else:
        bar.b = bar.b + sliding.b
    found = parameter_bar(bar, solref, solimp, x, timestep, opt.disableflags)
    cotangent.solref[w, c] = found.solref
    cotangent.solreffriction[w, c] = other.solref
    cotangent.solimp[w, c] = found.solimp + other.solimp
    by_friction = vec5d()
    if touch.dim > 1:
        if opt.cone == ELLIPTIC:
            by_friction = _elliptic_friction(touch, contact, efc, y, slip, w, c, r)
        else:
            by_friction = _pyramid_friction(touch, contact, efc, y, slip, w, c, r)
    for i in range(5):
        if contact.friction[w, c][i] <= MINMU:
            by_friction[i] = real(0.0)
    cotangent.friction[w, c] = by_friction


@wp.func
def _contact_bar(
    opt: Option, geom: Geom, kin: Kinematics, contact: Contact, efc: Efc, motion: LinearMotion, cotangent: Cotangent, touch: Touch, found: Witness, w: int, c: int,
):  # fmt: skip
    """Everything of contact ``c``, which pushes."""
    bar = contact_bar(geom, kin, motion, cotangent, touch, found, True, w)
    cotangent.push[w, c] = bar.push
    cotangent.push_L[w, c] = bar.push_L
    cotangent.push_V[w, c] = bar.push_V
    cotangent.place1[w, c] = bar.place1
    cotangent.place2[w, c] = bar.place2
    cotangent.margin[w, c] = -bar.by_dist
    _parameter_bars(opt, contact, efc, cotangent, touch, bar.y, bar.held, bar.rate, bar.slip, w, c)


@wp.func
def _without_force(cotangent: Cotangent, w: int, c: int):
    """A contact that does not push changes nothing."""
    cotangent.push[w, c] = vec6d()
    cotangent.push_L[w, c] = vec6d()
    cotangent.push_V[w, c] = vec6d()
    cotangent.place1[w, c] = vec6d()
    cotangent.place2[w, c] = vec6d()
    cotangent.friction[w, c] = vec5d()
    cotangent.solref[w, c] = vec2d()
    cotangent.solreffriction[w, c] = vec2d()
    cotangent.solimp[w, c] = vec5d()
    cotangent.margin[w, c] = real(0.0)


@wp.func
def contact_bars(
    opt: Option, tree: Tree, body: Body, geom: Geom, kin: Kinematics, com: Com, contact: Contact, efc: Efc, status: Status,
    motion: LinearMotion, cotangent: Cotangent, w: int, lane: int,
):  # fmt: skip
    """Write what each contact does; the lanes share them."""
    for c in range(lane, contact_count(contact, cotangent, status, w), lanes()):
        _without_force(cotangent, w, c)
        if contact.efc_address[w, c] >= 0:
            found = motion.witness[w, c]
            touch = touch_of(opt, tree, body, geom, com, contact, efc, motion, found, w, c)
            if pushes(touch):
                _contact_bar(opt, geom, kin, contact, efc, motion, cotangent, touch, found, w, c)
