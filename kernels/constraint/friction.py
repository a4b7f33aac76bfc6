"""Rows of dry friction in joints: one for each dof with a positive frictionloss.

Method: MuJoCo's documentation, chapter Computation, "Friction loss"; the row has no position, only damping.
"""

import warp as wp

from newtonish.common.enums import DisableBit
from newtonish.kernels.constants import FRICTION_DOF
from newtonish.kernels.constraint.row import (
    append_entry,
    clear_jacobian,
    impedance,
    reference,
    regularization,
    write_row,
)
from newtonish.kernels.math.finite import below, nothing
from newtonish.kernels.math.world import lanes, per_world, scan_lanes
from newtonish.kernels.structs.data import Efc, State
from newtonish.kernels.structs.model import Dof, Option, Size

DISABLED = wp.constant(int(DisableBit.FRICTIONLOSS | DisableBit.CONSTRAINT))


@wp.func
def _write_friction(opt: Option, dof: Dof, state: State, efc: Efc, w: int, i: int, r: int, frictionloss: float):
    """Row ``r``: friction of dof ``i``."""
    timestep = opt.timestep[per_world(opt.timestep.shape[0], w)]
    solref = dof.solref[per_world(dof.solref.shape[0], w), i]
    solimp = dof.solimp[per_world(dof.solimp.shape[0], w), i]
    b = reference(solref, solimp, timestep, opt.disableflags)[1]
    invweight = dof.invweight0[per_world(dof.invweight0.shape[0], w), i]
    D = 1.0 / regularization(invweight, impedance(solimp, 0.0))
    vel = state.qvel[w, i]
    clear_jacobian(efc, w, r, 1)
    append_entry(efc, w, r, i, 1.0)
    write_row(efc, w, r, FRICTION_DOF, i, 0.0, 0.0, D, vel, -b * vel + nothing(frictionloss), frictionloss)


@wp.func
def friction_rows(size: Size, opt: Option, dof: Dof, state: State, efc: Efc, w: int, lane: int, start: int) -> int:
    """Write the friction rows from row ``start`` on; returns how many there would be with unlimited room."""
    room = efc.type.shape[1]
    count = wp.int32(0)
    last = size.nv
    if (opt.disableflags & DISABLED) != 0:
        last = 0
    for first in range(0, last, lanes()):
        i = first + lane
        active = wp.int32(0)
        frictionloss = wp.float32(0.0)
        if i < last:
            frictionloss = dof.frictionloss[per_world(dof.frictionloss.shape[0], w), i]
            if below(0.0, frictionloss):
                active = 1
        place = scan_lanes(active)
        r = start + count + place[0]
        if active == 1 and r < room:
            _write_friction(opt, dof, state, efc, w, i, r, frictionloss)
        count += place[1]
    return count
