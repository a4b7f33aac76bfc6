"""Rows scaled by the inverse inertia they really meet: the diagonal of J M^-1 J' in the present pose, with flag diagexact.

Springs (see ``springs``) push with what they were asked for whatever R is, so their aref grows with it. Without the flag, R = (1 - d)/d A takes for A an average of the reference pose (``invweight0``). Edges of a pyramid take the A
of the contact's first edge, rows of an elliptic contact that of its normal. MuJoCo: documentation, chapter Computation,
"Diagonal approximation".
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.enums import ConstraintType
from newtonish.kernels.constants import (
    CONNECT,
    EQUALITY,
    FRICTION_DOF,
    FRICTION_TENDON,
    LIMIT_JOINT,
    LIMIT_TENDON,
    MINVAL,
    WELD,
)
from newtonish.kernels.constraint.row import impedance, regularization
from newtonish.kernels.constraint.springs import is_spring
from newtonish.kernels.math.world import lanes, per_world, scratch_slot, sync
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.solver.jacobian import fill_inverse, inverse_inertia
from newtonish.kernels.structs.data import Contact, Efc, Mass, Solve, Status
from newtonish.kernels.structs.field import vec5
from newtonish.kernels.structs.model import Dof, Equality, Joint, Option, Size, Tendon

PYRAMIDAL = wp.constant(int(ConstraintType.CONTACT_PYRAMIDAL))
ELLIPTIC = wp.constant(int(ConstraintType.CONTACT_ELLIPTIC))
DIAGONAL = wp.constant(6)  # column of sol.A
LEAST = wp.constant(1.0e-12)  # a row that meets less moves nothing in float32


@wp.func
def first_row(eq: Equality, contact: Contact, efc: Efc, w: int, r: int) -> int:
    """First row of the constraint that row ``r`` belongs to."""
    first = wp.int32(r)
    kind = efc.type[w, r]
    if kind > LIMIT_TENDON:
        first = contact.efc_address[w, efc.id[w, r]]
    elif kind == EQUALITY:
        while first > 0 and efc.type[w, first - 1] == EQUALITY and efc.id[w, first - 1] == efc.id[w, r]:
            first -= 1
    return first


@wp.func
def impedance_of(jnt: Joint, dof: Dof, tendon: Tendon, eq: Equality, contact: Contact, efc: Efc, w: int, r: int, first: int) -> float:
    """Impedance of row ``r``; rows of a connect or weld share that of their common distance, rows of a contact too."""
    kind = efc.type[w, r]
    i = efc.id[w, r]
    distance = efc.pos[w, first] - efc.margin[w, first]
    solimp = vec5()
    if kind == EQUALITY:
        solimp = eq.solimp[per_world(eq.solimp.shape[0], w), i]
        number = wp.int32(1)
        if eq.type[i] == CONNECT:
            number = 3
        elif eq.type[i] == WELD:
            number = 6
        square = wp.float32(0.0)
        for k in range(number):
            square += efc.pos[w, first + k] * efc.pos[w, first + k]
        distance = wp.sqrt(square)
    elif kind == FRICTION_DOF:
        solimp = dof.solimp[per_world(dof.solimp.shape[0], w), i]
    elif kind == FRICTION_TENDON:
        solimp = tendon.solimp_fri[per_world(tendon.solimp_fri.shape[0], w), i]
    elif kind == LIMIT_JOINT:
        solimp = jnt.solimp[per_world(jnt.solimp.shape[0], w), i]
    elif kind == LIMIT_TENDON:
        solimp = tendon.solimp_lim[per_world(tendon.solimp_lim.shape[0], w), i]
    else:
        solimp = contact.solimp[w, i]
    return impedance(solimp, distance)


@wp.func
def inverse_regularization(opt: Option, contact: Contact, efc: Efc, inertia: float, imp: float, w: int, r: int, first: int) -> float:
    """D of row ``r`` whose constraint's first row meets the inverse inertia ``inertia``."""
    kind = efc.type[w, r]
    R = regularization(inertia, imp)
    if kind == PYRAMIDAL:
        mu = contact.mu[w, efc.id[w, r]]
        R = wp.max(MINVAL, 2.0 * mu * mu * R)
    elif kind == ELLIPTIC and r > first:
        friction = contact.friction[w, efc.id[w, r]]
        ratio = opt.impratio_invsqrt[per_world(opt.impratio_invsqrt.shape[0], w)] * friction[0] / friction[r - first - 1]
        R = wp.max(MINVAL, R * ratio * ratio)
    return 1.0 / R


@wp.func
def fill_diagonal(size: Size, dof: Dof, mass: Mass, efc: Efc, sol: Solve, nefc: int, w: int, lane: int):
    """The diagonal of J M^-1 J', with the factor in ``mass``, in a column of ``sol.A``; returns with a barrier."""
    slot = scratch_slot(w)
    fill_inverse(size, dof, mass, efc, sol, nefc, w, lane)
    for r in range(nefc):
        a = inverse_inertia(efc, sol, r, r, w)
        if lane == 0:
            sol.A[slot, r, DIAGONAL] = a
    sync()


@wp.func
def exact_stiffness(opt: Option, jnt: Joint, dof: Dof, tendon: Tendon, eq: Equality, contact: Contact, efc: Efc, sol: Solve, w: int, r: int) -> float:
    """D of row ``r`` from that diagonal; 0 for a row that nothing moves."""
    first = first_row(eq, contact, efc, w, r)
    source = wp.where(efc.type[w, r] > LIMIT_TENDON, first, r)
    inertia = sol.A[scratch_slot(w), source, DIAGONAL]
    D = wp.float32(0.0)
    if inertia > LEAST:
        imp = impedance_of(jnt, dof, tendon, eq, contact, efc, w, r, first)
        D = inverse_regularization(opt, contact, efc, inertia, imp, w, r, first)
    return D


@wp.func
def pushes_as_spring(jnt: Joint, tendon: Tendon, eq: Equality, contact: Contact, efc: Efc, w: int, r: int) -> bool:
    """Whether row ``r`` of a model with springs is an equality, a limit or a normal that is one."""
    kind = efc.type[w, r]
    i = efc.id[w, r]
    if kind == EQUALITY:
        return is_spring(eq.solimp[per_world(eq.solimp.shape[0], w), i])
    if kind == LIMIT_JOINT:
        return is_spring(jnt.solimp[per_world(jnt.solimp.shape[0], w), i])
    if kind == LIMIT_TENDON:
        return is_spring(tendon.solimp_lim[per_world(tendon.solimp_lim.shape[0], w), i])
    if kind > LIMIT_TENDON and (kind != ELLIPTIC or r == contact.efc_address[w, i]):
        return is_spring(contact.solimp[w, i])
    return False


@wp.kernel
def exact_diagonal_kernel(
    size: Size, opt: Option, jnt: Joint, dof: Dof, tendon: Tendon, eq: Equality, mass: Mass, contact: Contact, efc: Efc,
    sol: Solve, status: Status,
):  # fmt: skip
    """D of all rows of a world from the exact diagonal; a row that nothing moves keeps what it had."""
    w, lane = wp.tid()
    fill_diagonal(size, dof, mass, efc, sol, status.nefc[w], w, lane)
    for r in range(lane, status.nefc[w], lanes()):
        D = exact_stiffness(opt, jnt, dof, tendon, eq, contact, efc, sol, w, r)
        if D > 0.0:
            if size.flg_spring != 0:
                if pushes_as_spring(jnt, tendon, eq, contact, efc, w, r):
                    efc.aref[w, r] = efc.aref[w, r] * efc.D[w, r] / D
            efc.D[w, r] = D


def exact_diagonal(m: Any, d: Any) -> None:
    """Replace the rows' D by those of the exact diagonal, after ``make_constraint``, with flag diagexact.

    Reads   d.efc, d.mass (qLD, qLDiagInv), d.contact. Writes d.efc.D, and aref of springs; d.sol.W, d.sol.A
    MuJoCo  flag diagexact of mj_makeImpedance.
    """
    groups = [m.size, m.opt, m.jnt, m.dof, m.tendon, m.eq, d.mass, d.contact, d.efc, d.sol, d.status]
    launch(exact_diagonal_kernel, d, groups)
