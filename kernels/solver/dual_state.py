"""Which zone the force of each row is in, for solvers that end with forces rather than with an acceleration.

A force that rests on a bound of its own is in the zone beyond it: a row that may only push and does not is satisfied,
friction loss at its limit is linear. The force of an elliptic contact, scaled to N = f_0 / mu and T = |f_k / friction_k|,
is compared with the zones of the residual: mu N >= T satisfied, N + mu T <= 0 quadratic, in between the cone.
MuJoCo: the states that mj_solNoSlip leaves.
"""

import warp as wp

from newtonish.common.enums import ConstraintState
from newtonish.kernels.constants import CONTACT_ELLIPTIC, QUADRATIC
from newtonish.kernels.math.world import lanes, sync
from newtonish.kernels.structs.data import Contact, Efc, Status

SATISFIED = wp.constant(int(ConstraintState.SATISFIED))
LINEARNEG = wp.constant(int(ConstraintState.LINEARNEG))
LINEARPOS = wp.constant(int(ConstraintState.LINEARPOS))
CONE = wp.constant(int(ConstraintState.CONE))


@wp.func
def _cone_state(contact: Contact, efc: Efc, r: int, w: int) -> int:
    """State of the rows of an elliptic contact, ``r`` being any of them."""
    c = efc.id[w, r]
    first = contact.efc_address[w, c]
    dim = contact.dim[w, c]
    mu = contact.mu[w, c]
    square = wp.float32(0.0)
    for k in range(1, dim):
        along = efc.force[w, first + k] / contact.friction[w, c][k - 1]
        square += along * along
    pushing = efc.force[w, first] / mu
    sliding = wp.sqrt(square)
    state = int(CONE)
    if mu * pushing >= sliding:
        state = int(SATISFIED)
    elif pushing + mu * sliding <= 0.0:
        state = int(QUADRATIC)
    return state


@wp.func
def dual_states(contact: Contact, efc: Efc, status: Status, w: int, lane: int):
    """Write ``efc.state`` of world ``w`` by its forces; returns with a barrier."""
    friction = status.ne[w] + status.nf[w]
    for r in range(lane, status.nefc[w], lanes()):
        force = efc.force[w, r]
        state = int(QUADRATIC)
        if r >= friction:
            if efc.type[w, r] == CONTACT_ELLIPTIC and contact.dim[w, efc.id[w, r]] > 1:
                state = _cone_state(contact, efc, r, w)
            elif force <= 0.0:
                state = int(SATISFIED)
        elif r >= status.ne[w]:
            if force <= -efc.frictionloss[w, r]:
                state = int(LINEARPOS)
            elif force >= efc.frictionloss[w, r]:
                state = int(LINEARNEG)
        efc.state[w, r] = state
    sync()
