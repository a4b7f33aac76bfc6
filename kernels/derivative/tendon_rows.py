"""Rows of limits, dry friction and equalities of tendons: their Jacobian is a share of the tendon's."""

import warp as wp

from newtonish.common.enums import EqType
from newtonish.kernels.constants import EQUALITY, FRICTION_TENDON, LIMIT_TENDON
from newtonish.kernels.constraint.equality import polynomial
from newtonish.kernels.constraint.row import jacobian_entry
from newtonish.kernels.derivative.algebra import real
from newtonish.kernels.math.world import per_world
from newtonish.kernels.structs.data import Efc, TendonState
from newtonish.kernels.structs.model import Equality, Tendon

EQ_TENDON = wp.constant(int(EqType.TENDON))


@wp.func
def share_of_row(tendon: Tendon, eq: Equality, ten: TendonState, efc: Efc, w: int, t: int, r: int) -> wp.float64:
    """Derivative of the position of row ``r`` by the length of tendon ``t``; 0: the row is not one of the tendon's."""
    kind = efc.type[w, r]
    item = efc.id[w, r]
    share = real(0.0)
    if kind == FRICTION_TENDON and item == t:
        share = real(1.0)
    elif kind == LIMIT_TENDON and item == t:  # the row of the upper limit has the opposite of the tendon's Jacobian
        along = wp.float32(0.0)
        for n in range(tendon.J_rowadr[t], tendon.J_rowadr[t] + tendon.J_rownnz[t]):
            along += ten.J[w, n] * jacobian_entry(efc, w, r, tendon.J_colind[n])
        share = wp.where(along >= 0.0, real(1.0), real(-1.0))
    elif kind == EQUALITY:
        if eq.type[item] == EQ_TENDON:
            leader = eq.obj2id[item]
            if eq.obj1id[item] == t:
                share = real(1.0)
            if leader == t:
                data = eq.data[per_world(eq.data.shape[0], w), item]
                start = tendon.length0[per_world(tendon.length0.shape[0], w), leader]
                share -= real(polynomial(data, ten.length[w, leader] - start)[1])
    return share
