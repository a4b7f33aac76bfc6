"""The distance with which a speculative contact goes into its row.

The row asks for the acceleration -b v - k r along the normal, v the approach and r the distance less the margin. r is chosen so that a step takes away the
share 1 - t of the speed, t being the share of the step after which the geoms meet: what is left takes them to the surface. With integrator
``discrete`` spring and damper are taken at the end of the step, whose velocity is t v. Method: MuJoCo 4.0's documentation, chapter
Computation, section "Speculative contacts", "Effective contact distance".
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.enums import ConstraintType, IntegratorType
from newtonish.kernels.constants import MINVAL
from newtonish.kernels.constraint.row import MAXIMP, MINIMP, reference
from newtonish.kernels.integrate.discrete.rows import Softness, spring_and_damper
from newtonish.kernels.math.world import lanes, per_world
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.structs.data import Contact, Status
from newtonish.kernels.structs.model import Option, Size
from newtonish.kernels.structs.speculative import Ahead

DISCRETE = wp.constant(int(IntegratorType.DISCRETE))
FRICTIONLESS = wp.constant(int(ConstraintType.CONTACT_FRICTIONLESS))
FAR = wp.constant(1.0e10)  # where the impedance is the largest one
WITHOUT_SPRING = wp.constant(1.0e-3)  # depth at which a contact without stiffness acts, as in MuJoCo [m]


@wp.func
def _depth(opt: Option, contact: Contact, ahead: Ahead, w: int, c: int) -> float:
    """How deep below the margin the row sees speculative contact ``c``; negative: above it [m]."""
    timestep = opt.timestep[per_world(opt.timestep.shape[0], w)]
    solimp = contact.solimp[w, c]
    most = wp.clamp(solimp[1], MINIMP, MAXIMP)
    gains = reference(contact.solref[w, c], solimp, timestep, opt.disableflags)
    gains[0] = gains[0] * most
    if opt.integrator == DISCRETE:
        row = Softness()
        row.solref = contact.solref[w, c]
        row.solimp = solimp
        row.distance = FAR
        found = spring_and_damper(opt, row, FRICTIONLESS, timestep)
        gains = wp.vec2(found[0], found[1])
    stiffness = timestep * timestep * gains[0] * most
    damping = timestep * gains[1] * most
    share = ahead.share[w, c]
    if stiffness <= MINVAL:
        return WITHOUT_SPRING
    lost = 1.0 - share - damping
    if opt.integrator == DISCRETE:
        lost = 1.0 - share - share * (damping + stiffness)
    return lost / stiffness * ahead.closing[w, c]


@wp.kernel
def contact_distances_kernel(size: Size, opt: Option, contact: Contact, ahead: Ahead, status: Status):
    """Distances of speculative contacts, and which contacts have rows whatever their distance."""
    w, lane = wp.tid()
    for c in range(lane, wp.min(status.ncon[w], contact.dist.shape[1]), lanes()):
        active = wp.float32(0.0)
        if size.flg_adhesion != 0:
            active = contact.adhesion[w, c]
        if ahead.share[w, c] > 0.0:
            active = 1.0
            contact.dist[w, c] = contact.includemargin[w, c] - _depth(opt, contact, ahead, w, c)
        ahead.active[w, c] = active


def contact_distances(m: Any, d: Any) -> None:
    """Reads m.opt, d.contact, d.ahead. Writes d.contact.dist of speculative contacts, d.ahead.active."""
    launch(contact_distances_kernel, d, [m.size, m.opt, d.contact, d.ahead, d.status])
