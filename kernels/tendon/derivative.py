"""Derivative of the tendons' dampers by velocity, in the sparsity of the mass matrix (implicitfast)."""

import warp as wp

from newtonish.common.enums import DisableBit
from newtonish.kernels.math.polynomial import poly_slope
from newtonish.kernels.math.world import per_world, sync
from newtonish.kernels.structs.data import Mass, TendonState
from newtonish.kernels.structs.model import Dof, Option, Size, Tendon
from newtonish.kernels.tendon.tendon import add_tendon_product


@wp.func
def tendon_damping_slope(tendon: Tendon, ten: TendonState, w: int, t: int) -> float:
    """Derivative of the damping force of tendon ``t`` by its velocity, with opposite sign."""
    linear = tendon.damping[per_world(tendon.damping.shape[0], w), t]
    poly = tendon.dampingpoly[per_world(tendon.dampingpoly.shape[0], w), t]
    return poly_slope(linear, poly, wp.abs(ten.velocity[w, t]))


@wp.func
def tendon_damping_world(size: Size, opt: Option, dof: Dof, tendon: Tendon, ten: TendonState, mass: Mass, w: int, lane: int):
    """Add the slopes of the tendons' dampers to ``mass.qDeriv`` of one world; returns with a barrier."""
    if size.ntendon > 0 and (opt.disableflags & DisableBit.DAMPER) == 0:
        if lane == 0:  # tendons may share dofs: one lane adds them, so that the order of the sum is fixed
            for t in range(size.ntendon):
                slope = tendon_damping_slope(tendon, ten, w, t)
                if slope != 0.0:
                    add_tendon_product(dof, tendon, ten, mass.qDeriv, -slope, w, t)
        sync()
