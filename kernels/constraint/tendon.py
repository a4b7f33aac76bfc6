"""Rows of tendons: dry friction, and limits of the length; after the rows of the same kind of joints.

Method: MuJoCo's documentation, chapter Computation, "Friction loss" and "Limit".
"""

import warp as wp

from newtonish.common.enums import DisableBit
from newtonish.kernels.constants import FRICTION_TENDON, LIMIT_TENDON
from newtonish.kernels.constraint.row import (
    append_entry,
    clear_jacobian,
    impedance,
    reference,
    regularization,
    write_row,
)
from newtonish.kernels.constraint.weightless import tendon_invweight
from newtonish.kernels.math.finite import below, nothing
from newtonish.kernels.math.world import lanes, per_world, scan_lanes
from newtonish.kernels.structs.data import Efc, TendonState
from newtonish.kernels.structs.model import Dof, Option, Size, Tendon

FRICTION_DISABLED = wp.constant(int(DisableBit.FRICTIONLOSS | DisableBit.CONSTRAINT))
LIMIT_DISABLED = wp.constant(int(DisableBit.LIMIT | DisableBit.CONSTRAINT))


@wp.func
def _write_jacobian(tendon: Tendon, ten: TendonState, efc: Efc, w: int, t: int, r: int, sign: float):
    clear_jacobian(efc, w, r, 1)
    for k in range(tendon.J_rowadr[t], tendon.J_rowadr[t] + tendon.J_rownnz[t]):
        append_entry(efc, w, r, tendon.J_colind[k], sign * ten.J[w, k])


@wp.func
def _write_limit(
    opt: Option,
    tendon: Tendon,
    dof: Dof,
    ten: TendonState,
    efc: Efc,
    w: int,
    t: int,
    r: int,
    dist: float,
    margin: float,
    sign: float,
):
    """Row ``r``: limit of tendon ``t``; ``sign``: +1 at the lower limit, -1 at the upper."""
    solref = tendon.solref_lim[per_world(tendon.solref_lim.shape[0], w), t]
    solimp = tendon.solimp_lim[per_world(tendon.solimp_lim.shape[0], w), t]
    kb = reference(solref, solimp, opt.timestep[per_world(opt.timestep.shape[0], w)], opt.disableflags)
    imp = impedance(solimp, dist - margin)
    vel = sign * ten.velocity[w, t]
    aref = -kb[1] * vel - kb[0] * imp * (dist - margin)
    _write_jacobian(tendon, ten, efc, w, t, r, sign)
    D = 1.0 / regularization(tendon_invweight(opt, tendon, dof, efc, w, t, r), imp)
    write_row(efc, w, r, LIMIT_TENDON, t, dist, margin, D, vel, aref, 0.0)


@wp.func
def _write_friction(opt: Option, tendon: Tendon, dof: Dof, ten: TendonState, efc: Efc, w: int, t: int, r: int, frictionloss: float):
    """Row ``r``: friction of tendon ``t``."""
    solref = tendon.solref_fri[per_world(tendon.solref_fri.shape[0], w), t]
    solimp = tendon.solimp_fri[per_world(tendon.solimp_fri.shape[0], w), t]
    b = reference(solref, solimp, opt.timestep[per_world(opt.timestep.shape[0], w)], opt.disableflags)[1]
    vel = ten.velocity[w, t]
    _write_jacobian(tendon, ten, efc, w, t, r, 1.0)
    D = 1.0 / regularization(tendon_invweight(opt, tendon, dof, efc, w, t, r), impedance(solimp, 0.0))
    write_row(efc, w, r, FRICTION_TENDON, t, 0.0, 0.0, D, vel, -b * vel + nothing(frictionloss), frictionloss)


@wp.func
def tendon_friction_rows(size: Size, opt: Option, tendon: Tendon, dof: Dof, ten: TendonState, efc: Efc, w: int, lane: int, start: int) -> int:
    """Write the friction rows from row ``start`` on; returns how many there would be with unlimited room."""
    room = efc.type.shape[1]
    count = wp.int32(0)
    last = size.ntendon
    if (opt.disableflags & FRICTION_DISABLED) != 0:
        last = 0
    for first in range(0, last, lanes()):
        t = first + lane
        active = wp.int32(0)
        frictionloss = wp.float32(0.0)
        if t < last:
            frictionloss = tendon.frictionloss[per_world(tendon.frictionloss.shape[0], w), t]
            if below(0.0, frictionloss) and tendon.J_rownnz[t] > 0:  # no dof moves a tendon between fixed bodies
                active = 1
        place = scan_lanes(active)
        r = start + count + place[0]
        if active == 1 and r < room:
            _write_friction(opt, tendon, dof, ten, efc, w, t, r, frictionloss)
        count += place[1]
    return count


@wp.func
def tendon_limit_rows(size: Size, opt: Option, tendon: Tendon, dof: Dof, ten: TendonState, efc: Efc, w: int, lane: int, start: int) -> int:
    """Write the limit rows from row ``start`` on; returns how many there would be with unlimited room."""
    room = efc.type.shape[1]
    count = wp.int32(0)
    last = size.ntendon
    if (opt.disableflags & LIMIT_DISABLED) != 0:
        last = 0
    for first in range(0, last, lanes()):
        t = first + lane
        lower = wp.int32(0)
        upper = wp.int32(0)
        low = wp.float32(0.0)
        high = wp.float32(0.0)
        margin = wp.float32(0.0)
        if t < last:
            if tendon.limited[t] != 0 and tendon.J_rownnz[t] > 0:
                span = tendon.range[per_world(tendon.range.shape[0], w), t]
                margin = tendon.margin[per_world(tendon.margin.shape[0], w), t]
                low = ten.length[w, t] - span[0]
                high = span[1] - ten.length[w, t]
                lower = int(below(low, margin))
                upper = int(below(high, margin))
        place = scan_lanes(lower + upper)
        r = start + count + place[0]
        if lower == 1 and r < room:
            _write_limit(opt, tendon, dof, ten, efc, w, t, r, low, margin, 1.0)
        if upper == 1 and r + lower < room:
            _write_limit(opt, tendon, dof, ten, efc, w, t, r + lower, high, margin, -1.0)
        count += place[1]
    return count
