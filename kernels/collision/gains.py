"""Force-space gains of contacts: stiffness and damping in newtons per metre, whatever the masses.

MuJoCo scales a contact's spring by the inverse weight A of its two bodies, so ``solref`` alone means another stiffness for
every pair of masses. At rest, beyond the width of the impedance, the normal force is r k / ((1 - d) A s), with r the
penetration, k = (timeconst dampratio)^-2, d the largest impedance and s = 1 for frictionless and elliptic contacts;
2 (dim - 1) edges of a pyramid push together, each regularised by the friction coefficient, hence
s = mu^2 (1 + mu^2) / (impratio (dim - 1)) there. So k = ke (1 - d) A s, and the damping likewise. Derived from MuJoCo's
documentation, chapter Computation, "Constraint model", and chapter Modeling, "Solver parameters".

In motion a row answers with 1 - d of its gains, so springs get a small flat impedance, under which both hold. Their friction
keeps a large one (see ``newtonish.kernels.constraint.springs``).

A kernel of its own: models without such shapes neither compile nor launch it.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.collision.params import OVERRIDE, solver_mix
from newtonish.kernels.constants import ELLIPTIC, MINVAL
from newtonish.kernels.constraint.springs import friction_solref, is_spring, spring_solimp
from newtonish.kernels.math.world import lanes, per_world
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.structs.collision import Gain
from newtonish.kernels.structs.data import Contact, Status
from newtonish.kernels.structs.model import Body, Geom, Option


@wp.func
def first_weight(geom: Geom, w: int, g1: int, g2: int) -> float:
    """Weight of the first geom's parameters in a contact: all of the higher priority's, else by ``solmix``."""
    if geom.priority[g1] > geom.priority[g2]:
        return 1.0
    if geom.priority[g1] < geom.priority[g2]:
        return 0.0
    nth = per_world(geom.solmix.shape[0], w)
    return solver_mix(geom.solmix[nth, g1], geom.solmix[nth, g2])


@wp.func
def mixed_gain(geom: Geom, gain: Gain, w: int, g1: int, g2: int) -> wp.vec2:
    """Stiffness and damping of a contact; zero unless every geom that has a say has gains."""
    mix = first_weight(geom, w, g1, g2)
    nth = per_world(gain.gain.shape[0], w)
    first = gain.gain[nth, g1]
    second = gain.gain[nth, g2]
    if (mix > 0.0 and first[0] <= 0.0) or (mix < 1.0 and second[0] <= 0.0):
        return wp.vec2(0.0, 0.0)
    return mix * first + (1.0 - mix) * second


@wp.func
def mixed_impedance(geom: Geom, gain: Gain, w: int, g1: int, g2: int) -> float:
    """Flat impedance of a contact that is a spring in motion too; zero unless every geom that has a say is one."""
    mix = first_weight(geom, w, g1, g2)
    nth = per_world(gain.impedance.shape[0], w)
    first = gain.impedance[nth, g1]
    second = gain.impedance[nth, g2]
    if (mix > 0.0 and first <= 0.0) or (mix < 1.0 and second <= 0.0):
        return 0.0
    return mix * first + (1.0 - mix) * second


@wp.func
def pair_invweight(body: Body, geom: Geom, w: int, g1: int, g2: int) -> float:
    """Inverse weight of the two bodies of a contact [1/kg]."""
    nth = per_world(body.invweight0.shape[0], w)
    return body.invweight0[nth, geom.bodyid[g1]][0] + body.invweight0[nth, geom.bodyid[g2]][0]


@wp.func
def gain_factor(opt: Option, w: int, invweight: float, dmax: float, friction: float, dim: int) -> float:
    """What turns a stiffness of a contact into the square of a frequency [1/kg]."""
    factor = invweight * (1.0 - dmax)
    if opt.cone != ELLIPTIC and dim > 1:
        invsqrt = opt.impratio_invsqrt[per_world(opt.impratio_invsqrt.shape[0], w)]
        square = friction * friction
        factor *= square * (1.0 + square) * invsqrt * invsqrt / float(dim - 1)
    return factor


@wp.func
def gain_solref(stiffness: float, damping: float, factor: float) -> wp.vec2:
    """Time constant and damping ratio of a stiffness [N/m] and a damping [N s/m]."""
    k = wp.max(stiffness * factor, MINVAL)
    b = wp.max(damping * factor, MINVAL)
    return wp.vec2(2.0 / b, b / (2.0 * wp.sqrt(k)))


@wp.func
def make_spring(opt: Option, contact: Contact, invweight: float, gain: wp.vec2, impedance: float, w: int, c: int):
    """Write the parameters of contact ``c`` whose stiffness and damping ``gain`` hold in motion as well."""
    timestep = opt.timestep[per_world(opt.timestep.shape[0], w)]
    factor = gain_factor(opt, w, invweight, impedance, contact.friction[w, c][0], contact.dim[w, c])
    contact.solref[w, c] = -factor * gain
    if not is_spring(contact.solimp[w, c]):  # a second time, for gains of the contact's own
        own = contact.solreffriction[w, c]
        contact.solreffriction[w, c] = friction_solref(own, impedance, timestep, opt.disableflags)
        contact.solimp[w, c] = spring_solimp(impedance)


@wp.func
def apply_gain(opt: Option, body: Body, geom: Geom, gain: Gain, contact: Contact, w: int, c: int):
    """Let the gains of the two geoms of contact ``c``, if they have such, replace its ``solref``."""
    geoms = contact.geom[w, c]
    dmax = contact.solimp[w, c][1]
    if contact.pairid[w, c] < 0 and geoms[0] >= 0 and geoms[1] >= 0 and (opt.enableflags & OVERRIDE) == 0:
        both = mixed_gain(geom, gain, w, geoms[0], geoms[1])
        invweight = pair_invweight(body, geom, w, geoms[0], geoms[1])
        impedance = mixed_impedance(geom, gain, w, geoms[0], geoms[1])
        if both[0] > 0.0 and invweight > 0.0 and impedance > 0.0:
            make_spring(opt, contact, invweight, both, impedance, w, c)
        elif both[0] > 0.0 and invweight > 0.0 and dmax < 1.0:
            factor = gain_factor(opt, w, invweight, dmax, contact.friction[w, c][0], contact.dim[w, c])
            contact.solref[w, c] = gain_solref(both[0], both[1], factor)


@wp.kernel
def contact_gains_kernel(opt: Option, body: Body, geom: Geom, gain: Gain, contact: Contact, status: Status):
    """Force-space gains of the contacts of a world."""
    w, lane = wp.tid()
    for c in range(lane, wp.min(status.ncon[w], contact.dist.shape[1]), lanes()):
        apply_gain(opt, body, geom, gain, contact, w, c)


def contact_gains(m: Any, d: Any) -> None:
    """Force-space gains of contacts, after collision, in models with such shapes.

    Reads   m.gain, m.geom, m.body.invweight0, d.contact. Writes d.contact.solref, and of springs
            solimp and solreffriction.
    """
    launch(contact_gains_kernel, d, [m.opt, m.body, m.geom, m.gain, d.contact, d.status])
