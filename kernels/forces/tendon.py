"""Springs and dampers of tendons.

A tendon's spring rests within a range of lengths, its dead band. Both forces may have quadratic and cubic terms, as those
of joints. Method: MuJoCo documentation, chapter XML Reference, tendon attributes springlength, stiffness and damping.
"""

import warp as wp

from newtonish.common.enums import DisableBit
from newtonish.kernels.math.polynomial import poly_coefficient
from newtonish.kernels.math.world import per_world, sync
from newtonish.kernels.structs.data import Force, TendonState
from newtonish.kernels.structs.model import Option, Size, Tendon


@wp.func
def tendon_spring(tendon: Tendon, ten: TendonState, w: int, t: int) -> float:
    """Force along tendon ``t``; positive pulls it longer."""
    rest = tendon.lengthspring[per_world(tendon.lengthspring.shape[0], w), t]
    away = ten.length[w, t] - wp.clamp(ten.length[w, t], rest[0], rest[1])
    stiffness = tendon.stiffness[per_world(tendon.stiffness.shape[0], w), t]
    poly = tendon.stiffnesspoly[per_world(tendon.stiffnesspoly.shape[0], w), t]
    return -away * poly_coefficient(stiffness, poly, away)


@wp.func
def tendon_damper(tendon: Tendon, ten: TendonState, w: int, t: int) -> float:
    """The same of the damper."""
    speed = ten.velocity[w, t]
    damping = tendon.damping[per_world(tendon.damping.shape[0], w), t]
    poly = tendon.dampingpoly[per_world(tendon.dampingpoly.shape[0], w), t]
    return -speed * poly_coefficient(damping, poly, wp.abs(speed))


@wp.func
def tendon_passive_world(size: Size, opt: Option, tendon: Tendon, ten: TendonState, frc: Force, w: int, lane: int):
    """Add the tendons' springs and dampers to the passive forces of one world; returns with a barrier."""
    if lane == 0:  # tendons may share dofs: one lane adds them, so that the order of the sum is fixed
        for t in range(size.ntendon):
            spring = wp.float32(0.0)
            damper = wp.float32(0.0)
            if (opt.disableflags & DisableBit.SPRING) == 0:
                spring = tendon_spring(tendon, ten, w, t)
            if (opt.disableflags & DisableBit.DAMPER) == 0:
                damper = tendon_damper(tendon, ten, w, t)
            if spring != 0.0 or damper != 0.0:
                for k in range(tendon.J_rowadr[t], tendon.J_rowadr[t] + tendon.J_rownnz[t]):
                    i = tendon.J_colind[k]
                    coef = ten.J[w, k]
                    frc.qfrc_spring[w, i] = frc.qfrc_spring[w, i] + coef * spring
                    frc.qfrc_damper[w, i] = frc.qfrc_damper[w, i] + coef * damper
                    frc.qfrc_passive[w, i] = frc.qfrc_passive[w, i] + coef * (spring + damper)
    sync()
