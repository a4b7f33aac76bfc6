"""Fixed tendons: a length that is a weighted sum of joint coordinates, with a constant Jacobian.

MuJoCo: mj_tendon for tendons of type ``fixed``; documentation, chapter XML Reference, element ``tendon/fixed``.
"""

from __future__ import annotations

import warp as wp

from newtonish.kernels.math.world import per_world
from newtonish.kernels.structs.data import State, TendonState
from newtonish.kernels.structs.model import Tendon


@wp.func
def fixed_tendon(tendon: Tendon, state: State, ten: TendonState, w: int, t: int):
    """Length and Jacobian of fixed tendon ``t`` of one world."""
    coef_w = per_world(tendon.coef.shape[0], w)
    adr = tendon.J_rowadr[t]
    length = wp.float32(0.0)
    for k in range(adr, adr + tendon.J_rownnz[t]):
        coef = tendon.coef[coef_w, k]
        length += coef * state.qpos[w, tendon.J_qposadr[k]]
        ten.J[w, k] = coef
    ten.length[w, t] = length
    ten.wrapadr[w, t] = 2 * tendon.adr[t]
    ten.wrapnum[w, t] = 0
