"""Constraint rows of the integrator ``discrete``: the spring and damper of each row are taken at the end of the step.

A row asks for aref = -k d r - b v at the start of a step. With r + h v + h^2 a and v + h a in its place, where a is the
row's own acceleration, it asks for (aref - h k d v) / f and its regularisation is divided by f = 1 + h b + h^2 k d. Limits
and contacts whose spring the step cannot resolve (h^2 k d > 1) are replaced by the stiffest that does not rebound, unless
flag ``refsafe`` is off. The rows come from the kernels of every integrator, made without their own safeguard.
Method: MuJoCo 4.0's documentation, chapter Computation, "Numerical integration", "Discrete-time".
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.enums import ConstraintType
from newtonish.kernels.constants import (
    CONNECT,
    CONTACT_ELLIPTIC,
    EQUALITY,
    FRICTION_DOF,
    FRICTION_TENDON,
    LIMIT_JOINT,
    LIMIT_TENDON,
    WELD,
)
from newtonish.kernels.constraint.material import material_rows_kernel
from newtonish.kernels.constraint.row import MAXIMP, REFSAFE, impedance, reference
from newtonish.kernels.integrate.discrete.options import row_options
from newtonish.kernels.math.world import lanes, per_world
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.structs.data import Contact, Efc, Status
from newtonish.kernels.structs.field import variant, vec5
from newtonish.kernels.structs.metric import Metric
from newtonish.kernels.structs.model import SIZE, Dof, Equality, Joint, Option, Size, Tendon

CONTACT = wp.constant(int(ConstraintType.CONTACT_FRICTIONLESS))  # the first of the kinds of contacts


@wp.struct
class Softness:
    """What a row's reference acceleration depends on."""

    solref: wp.vec2
    solimp: vec5
    distance: float  # at which the impedance is taken


@wp.func
def _equality_distance(eq: Equality, efc: Efc, status: Status, w: int, r: int) -> float:
    """Distance of an equality row for its impedance: the length of all its constraint's errors."""
    e = efc.id[w, r]
    if eq.type[e] != CONNECT and eq.type[e] != WELD:
        return efc.pos[w, r]
    square = wp.float32(0.0)
    for k in range(-5, 6):
        if r + k >= 0 and r + k < status.ne[w]:
            if efc.id[w, r + k] == e:
                square += efc.pos[w, r + k] * efc.pos[w, r + k]
    return wp.sqrt(square)


@wp.func
def softness(jnt: Joint, dof: Dof, tendon: Tendon, eq: Equality, contact: Contact, efc: Efc, status: Status, w: int, r: int) -> Softness:
    """Parameters of row ``r``."""
    kind = efc.type[w, r]
    i = efc.id[w, r]
    s = Softness()
    s.distance = efc.pos[w, r] - efc.margin[w, r]
    if kind == EQUALITY:
        s.solref = eq.solref[per_world(eq.solref.shape[0], w), i]
        s.solimp = eq.solimp[per_world(eq.solimp.shape[0], w), i]
        s.distance = _equality_distance(eq, efc, status, w, r)
    elif kind == FRICTION_DOF:
        s.solref = dof.solref[per_world(dof.solref.shape[0], w), i]
        s.solimp = dof.solimp[per_world(dof.solimp.shape[0], w), i]
    elif kind == FRICTION_TENDON:
        s.solref = tendon.solref_fri[per_world(tendon.solref_fri.shape[0], w), i]
        s.solimp = tendon.solimp_fri[per_world(tendon.solimp_fri.shape[0], w), i]
    elif kind == LIMIT_JOINT:
        s.solref = jnt.solref[per_world(jnt.solref.shape[0], w), i]
        s.solimp = jnt.solimp[per_world(jnt.solimp.shape[0], w), i]
    elif kind == LIMIT_TENDON:
        s.solref = tendon.solref_lim[per_world(tendon.solref_lim.shape[0], w), i]
        s.solimp = tendon.solimp_lim[per_world(tendon.solimp_lim.shape[0], w), i]
    else:
        s.solref = contact.solref[w, i]
        s.solimp = contact.solimp[w, i]
    return s


@wp.func
def spring_and_damper(opt: Option, s: Softness, kind: int, h: float) -> wp.vec3:
    """Stiffness [1/s^2] and damping [1/s] of a row; the third is 1 if they replace ones that the step cannot resolve."""
    kb = reference(s.solref, s.solimp, h, opt.disableflags | REFSAFE)
    imp = impedance(s.solimp, s.distance)
    found = wp.vec3(kb[0] * imp, kb[1], 0.0)
    if kind == FRICTION_DOF or kind == FRICTION_TENDON:
        found[0] = 0.0
    excess = h * h * found[0]
    timed = s.solref[0] > 0.0 or s.solref[1] > 0.0
    if (opt.disableflags & REFSAFE) == 0 and timed and kind >= LIMIT_JOINT and excess > 1.0:
        most = MAXIMP * (1.0 - imp) / (imp * (1.0 - MAXIMP))
        damper = wp.min(found[1] / wp.sqrt(excess), wp.max(0.0, most - 2.0) / h)
        found = wp.vec3(1.0 / (h * h), damper, 1.0)
    return found


@wp.func
def softening(opt: Option, s: Softness, kind: int, h: float) -> float:
    """What the end of the step multiplies R by: the impedance that the row has in effect stays below the largest."""
    found = spring_and_damper(opt, s, kind, h)
    imp = impedance(s.solimp, s.distance)
    least = imp * (1.0 - MAXIMP) / ((1.0 - imp) * MAXIMP)
    return wp.max(1.0 / (1.0 + h * found[1] + h * h * found[0]), least)


@wp.func
def _implicit_weight(opt: Option, efc: Efc, s: Softness, h: float, w: int, r: int) -> float:
    """``efm.D`` of a row that is no friction row of an elliptic contact."""
    return efc.D[w, r] / softening(opt, s, efc.type[w, r], h)


@wp.func
def _implicit_row(opt: Option, efc: Efc, efm: Metric, s: Softness, h: float, w: int, r: int):
    """Fill ``efm.D`` and ``efm.aref`` of a row that is no friction row of an elliptic contact."""
    found = spring_and_damper(opt, s, efc.type[w, r], h)
    vel = efc.vel[w, r]
    aref = efc.aref[w, r]
    if found[2] != 0.0:
        aref = -found[0] * (efc.pos[w, r] - efc.margin[w, r]) - found[1] * vel
    efm.D[w, r] = _implicit_weight(opt, efc, s, h, w, r)
    efm.aref[w, r] = (aref - h * found[0] * vel) / (1.0 + h * found[1] + h * h * found[0])


@wp.func
def _implicit_friction(opt: Option, contact: Contact, efc: Efc, efm: Metric, s: Softness, h: float, w: int, r: int):
    """The same for a friction row of an elliptic contact: damping alone, and R in proportion to the normal row's, to which ``s`` belongs and whose lane
    is another."""
    c = efc.id[w, r]
    own = contact.solreffriction[w, c]
    solref = contact.solref[w, c]
    if own[0] != 0.0 or own[1] != 0.0:
        solref = own
    b = reference(solref, contact.solimp[w, c], h, opt.disableflags | REFSAFE)[1]
    normal = contact.efc_address[w, c]
    efm.D[w, r] = efc.D[w, r] * _implicit_weight(opt, efc, s, h, w, normal) / efc.D[w, normal]
    efm.aref[w, r] = -b * efc.vel[w, r] / (1.0 + h * b)


@wp.kernel
def implicit_rows_kernel(
    size: Size, opt: Option, jnt: Joint, dof: Dof, tendon: Tendon, eq: Equality, contact: Contact, efc: Efc, efm: Metric,
    status: Status,
):  # fmt: skip
    """Implicit rows of one world."""
    w, lane = wp.tid()
    h = opt.timestep[per_world(opt.timestep.shape[0], w)]
    for r in range(lane, status.nefc[w], lanes()):
        first = r
        if efc.type[w, r] == CONTACT_ELLIPTIC:
            first = contact.efc_address[w, efc.id[w, r]]
        s = softness(jnt, dof, tendon, eq, contact, efc, status, w, first)
        if first < r:
            _implicit_friction(opt, contact, efc, efm, s, h, w, r)
        else:
            _implicit_row(opt, efc, efm, s, h, w, r)


def implicit_rows(m: Any, d: Any) -> None:
    """Rows with springs and dampers taken at the end of the step, from those of the constraint kernels.

    Reads   m.opt, m.jnt, m.dof, m.tendon, m.eq, d.contact, d.efc. Writes d.efm: D, aref. Changes d.efc: vel, aref, where
            surfaces move
    """
    if m.size.flg_surfacevel != 0:
        still = variant(SIZE, m.size, flg_adhesion=0)  # adhesion is added once R is known
        launch(material_rows_kernel, d, [still, row_options(m), d.contact, d.efc, d.status])
    launch(implicit_rows_kernel, d, [m.size, m.opt, m.jnt, m.dof, m.tendon, m.eq, d.contact, d.efc, d.efm, d.status])
