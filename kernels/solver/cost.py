"""Cost, force and state of all constraint rows at given residuals, whatever the friction cone.

Method: MuJoCo's documentation, chapter Computation, "Primal problem".
"""

import warp as wp

from newtonish.kernels.constants import ELLIPTIC
from newtonish.kernels.linalg.rows import partial_cost, partial_update
from newtonish.kernels.math.world import block_sum, block_sum_int, scratch_slot
from newtonish.kernels.solver.cone import cones_cost, cones_update
from newtonish.kernels.structs.data import Contact, Efc, Status
from newtonish.kernels.structs.model import Option


@wp.func
def rows_cost(
    opt: Option,
    contact: Contact,
    efc: Efc,
    status: Status,
    Jaref: wp.array2d(dtype=float),
    nflat: int,
    w: int,
    lane: int,
) -> float:
    """Cost of all rows, the same in every lane."""
    cost = partial_cost(Jaref, efc.D, efc.frictionloss, status.ne[w], nflat, w, scratch_slot(w))
    if opt.cone == ELLIPTIC:
        cost += cones_cost(contact, efc, status, Jaref, w)
    return block_sum(cost)


@wp.func
def rows_update(
    opt: Option,
    contact: Contact,
    efc: Efc,
    status: Status,
    Jaref: wp.array2d(dtype=float),
    nflat: int,
    w: int,
    lane: int,
) -> int:
    """Write ``efc.force`` and ``efc.state``; not 0 if the Hessian changed. Ends with a barrier."""
    changed = partial_update(
        Jaref, efc.D, efc.frictionloss, efc.force, efc.state, status.ne[w], nflat, w, scratch_slot(w)
    )
    if opt.cone == ELLIPTIC:
        changed += cones_update(contact, efc, status, Jaref, w)
    return block_sum_int(changed)
