"""Fixed tendons: a length that is a weighted sum of joint coordinates, with a constant Jacobian.

MuJoCo: mj_tendon for tendons of type ``fixed``; documentation, chapter XML Reference, element ``tendon/fixed``.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.launch import launch
from newtonish.kernels.math.world import per_world, sync
from newtonish.kernels.structs.data import State, TendonState
from newtonish.kernels.structs.model import Size, Tendon


@wp.func
def tendon_world(size: Size, tendon: Tendon, state: State, ten: TendonState, w: int, lane: int):
    """Length and Jacobian of each tendon of one world; returns with a barrier."""
    coef_w = per_world(tendon.coef.shape[0], w)
    for t in range(lane, size.ntendon, wp.block_dim()):
        adr = tendon.J_rowadr[t]
        length = wp.float32(0.0)
        for k in range(adr, adr + tendon.J_rownnz[t]):
            coef = tendon.coef[coef_w, k]
            length += coef * state.qpos[w, tendon.J_qposadr[k]]
            ten.J[w, k] = coef
        ten.length[w, t] = length
    sync()


@wp.func
def tendon_velocity_world(size: Size, tendon: Tendon, state: State, ten: TendonState, w: int, lane: int):
    """Velocity of each tendon of one world, J qvel; returns with a barrier."""
    for t in range(lane, size.ntendon, wp.block_dim()):
        adr = tendon.J_rowadr[t]
        velocity = wp.float32(0.0)
        for k in range(adr, adr + tendon.J_rownnz[t]):
            velocity += ten.J[w, k] * state.qvel[w, tendon.J_colind[k]]
        ten.velocity[w, t] = velocity
    sync()


@wp.kernel
def _tendon(size: Size, tendon: Tendon, state: State, ten: TendonState):
    w, lane = wp.tid()
    tendon_world(size, tendon, state, ten, w, lane)
    tendon_velocity_world(size, tendon, state, ten, w, lane)


def tendon(m: Any, d: Any) -> None:
    """Lengths, Jacobians and velocities of all tendons.

    Reads   m.tendon; d.state (qpos, qvel)
    Writes  d.ten_length, d.ten_J, d.ten_velocity
    MuJoCo  mj_tendon, and the tendon part of mj_fwdVelocity.
    """
    launch(_tendon, d, [m.size, m.tendon, d.state, d.ten])
