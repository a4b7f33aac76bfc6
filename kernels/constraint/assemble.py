"""Row counts of a world, and the padding after the last row.

Rows stand in MuJoCo's order: equality (see ``equality_stage``), friction, limits, contacts. They get their slots by scans over
the lanes of a world, hence the same slots on every run and every device. Rows that do not fit are left out, contacts as a whole.
"""

import warp as wp

from newtonish.common.enums import OverflowType
from newtonish.kernels.constraint.row import clear_jacobian
from newtonish.kernels.math.world import sync
from newtonish.kernels.runtime.nonfinite import note_rows
from newtonish.kernels.runtime.overflow import flag_overflow
from newtonish.kernels.structs.data import Contact, Efc, State, Status
from newtonish.kernels.structs.model import Size

NEFC_OVERFLOW = wp.constant(int(OverflowType.NEFC))


@wp.func
def _clear_padding(efc: Efc, w: int, first: int, last: int):
    """Rows that keep the padding harmless: no Jacobian, no weight."""
    clear_jacobian(efc, w, first, last - first)
    for r in range(first, last):
        efc.pos[w, r] = 0.0
        efc.margin[w, r] = 0.0
        efc.D[w, r] = 0.0
        efc.vel[w, r] = 0.0
        efc.aref[w, r] = 0.0
        efc.frictionloss[w, r] = 0.0
        efc.force[w, r] = 0.0
        efc.state[w, r] = 0


@wp.func
def count_rows(size: Size, state: State, contact: Contact, efc: Efc, status: Status, w: int, lane: int, ne: int, nf: int, nl: int, contacts: wp.vec2i):
    """Store how many rows of each kind there are, pad them, and note one that is not finite.

    ``contacts``: rows that are there, and how many there would be with unlimited room.
    """
    room = efc.type.shape[1]
    wanted = nf + nl + contacts[1]
    if size.neq > 0:
        wanted += status.ne_needed[w]
    kept_friction = wp.min(nf, room - ne)
    kept_limits = wp.min(nl, room - ne - kept_friction)
    nefc = ne + kept_friction + kept_limits + contacts[0]
    if lane == 0:
        _clear_padding(efc, w, nefc, (nefc + 7) // 8 * 8)
        status.nf[w] = kept_friction
        status.nl[w] = kept_limits
        status.nefc[w] = nefc
        status.nefc_needed[w] = wp.max(status.nefc_needed[w], wanted)
        if wanted > nefc:
            flag_overflow(status, w, NEFC_OVERFLOW)
    sync()
    note_rows(size, state, contact, efc, status, nefc, w, lane)
    sync()
