"""Kinks of constraint rows: forces that begin or end, friction at its bound, limits about to begin."""

import warp as wp

from newtonish.common.enums import JointType, Kink
from newtonish.kernels.constants import CONTACT_ELLIPTIC, CONTACT_PYRAMIDAL, FRICTION_DOF, FRICTION_TENDON, LIMIT_JOINT, LIMIT_TENDON
from newtonish.kernels.constraint.contact import CONTACT_FRICTIONLESS
from newtonish.kernels.constraint.limit import DISABLED
from newtonish.kernels.constraint.row import jacobian_entry
from newtonish.kernels.derivative.algebra import real, rotation_vector
from newtonish.kernels.derivative.kink_state import Kinks, at, note
from newtonish.kernels.math.world import lanes, per_world
from newtonish.kernels.structs.data import Contact, Efc, Force, Solve, State, Status, TendonState
from newtonish.kernels.structs.model import Joint, Option, Size, Tendon


@wp.func
def _residual(size: Size, frc: Force, efc: Efc, sol: Solve, w: int, r: int) -> wp.vec2d:
    """J a - aref of row ``r``, and the sizes of its terms and of what rows hold back of the acceleration."""
    reference = real(efc.aref[w, r])
    total = -reference
    terms = wp.abs(reference)
    for i in range(size.nv):
        entry = real(jacobian_entry(efc, w, r, i))
        total += entry * real(sol.qacc[w, i])
        terms += wp.abs(entry) * (wp.abs(real(sol.qacc[w, i])) + wp.abs(real(frc.qacc_smooth[w, i])))
    return wp.vec2d(total, terms)


@wp.func
def _cone(size: Size, frc: Force, contact: Contact, efc: Efc, sol: Solve, kinks: Kinks, w: int, r: int):
    """An elliptic contact whose first row is ``r``: it sticks where mu N + T < 0 and has no force where N > mu T."""
    c = efc.id[w, r]
    if contact.efc_address[w, c] == r:
        mu = real(contact.mu[w, c])
        normal = mu * _residual(size, frc, efc, sol, w, r)
        along = real(0.0)
        terms = normal[1]
        for k in range(1, contact.dim[w, c]):
            part = real(contact.friction[w, c][k - 1]) * _residual(size, frc, efc, sol, w, r + k)
            along += part[0] * part[0]
            terms += part[1]
        along = wp.sqrt(along)
        if contact.dim[w, c] > 1 and at(mu * normal[0] + along, (real(1.0) + mu) * terms):
            note(kinks, w, int(Kink.SLIP))
        if at(normal[0] - mu * along, (real(1.0) + mu) * terms):
            note(kinks, w, int(Kink.RELEASE))


@wp.func
def row_kinks(size: Size, frc: Force, contact: Contact, efc: Efc, sol: Solve, status: Status, kinks: Kinks, w: int, lane: int):
    """Rows whose force is about to begin, to end or to reach its bound."""
    for r in range(lane, wp.min(status.nefc[w], efc.type.shape[1]), lanes()):
        kind = efc.type[w, r]
        if kind == CONTACT_ELLIPTIC:
            _cone(size, frc, contact, efc, sol, kinks, w, r)
        elif kind == FRICTION_DOF or kind == FRICTION_TENDON:
            found = _residual(size, frc, efc, sol, w, r)
            bound = real(efc.frictionloss[w, r]) / real(efc.D[w, r])
            if at(wp.abs(found[0]) - bound, found[1] + bound):
                note(kinks, w, int(Kink.FRICTIONLOSS))
        elif kind == LIMIT_JOINT or kind == LIMIT_TENDON or kind == CONTACT_PYRAMIDAL or kind == CONTACT_FRICTIONLESS:
            found = _residual(size, frc, efc, sol, w, r)
            if at(found[0], found[1]):
                note(kinks, w, int(Kink.RELEASE))


@wp.func
def _near_margin(value: float, span: wp.vec2, margin: float) -> bool:
    """Whether a value is where the row of a limit begins."""
    x = real(value)
    low = real(span[0]) + real(margin)
    high = real(span[1]) - real(margin)
    return at(x - low, wp.abs(x) + wp.abs(low)) or at(x - high, wp.abs(x) + wp.abs(high))


@wp.func
def limit_kinks(size: Size, opt: Option, jnt: Joint, tendon: Tendon, state: State, ten: TendonState, kinks: Kinks, w: int, lane: int):
    """Limits about to begin, and springs of tendons about to rest."""
    if (opt.disableflags & DISABLED) == 0:
        for j in range(lane, size.njnt, lanes()):
            if jnt.limited[j] != 0:
                span = jnt.range[per_world(jnt.range.shape[0], w), j]
                margin = jnt.margin[per_world(jnt.margin.shape[0], w), j]
                q = jnt.qposadr[j]
                found = bool(False)
                if jnt.type[j] == JointType.BALL:
                    quat = wp.vec4d(real(state.qpos[w, q]), real(state.qpos[w, q + 1]), real(state.qpos[w, q + 2]), real(state.qpos[w, q + 3]))
                    largest = wp.max(span[0], span[1])
                    found = _near_margin(float(wp.length(rotation_vector(wp.normalize(quat)))), wp.vec2(largest, largest), margin)
                elif jnt.type[j] != JointType.FREE:
                    found = _near_margin(state.qpos[w, q], span, margin)
                if found:
                    note(kinks, w, int(Kink.LIMIT))
        for t in range(lane, size.ntendon, lanes()):
            if tendon.limited[t] != 0:
                margin = tendon.margin[per_world(tendon.margin.shape[0], w), t]
                if _near_margin(ten.length[w, t], tendon.range[per_world(tendon.range.shape[0], w), t], margin):
                    note(kinks, w, int(Kink.LIMIT))
    for t in range(lane, size.ntendon, lanes()):
        rest = tendon.lengthspring[per_world(tendon.lengthspring.shape[0], w), t]
        poly = tendon.stiffnesspoly[per_world(tendon.stiffnesspoly.shape[0], w), t]
        stiffness = wp.abs(tendon.stiffness[per_world(tendon.stiffness.shape[0], w), t]) + wp.length(poly)
        if rest[0] < rest[1] and stiffness > 0.0:
            if _near_margin(ten.length[w, t], rest, 0.0):
                note(kinks, w, int(Kink.SPRING))
