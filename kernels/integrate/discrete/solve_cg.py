"""Conjugate gradients in the effective metric of the integrator ``discrete``.

The iteration is that of ``newtonish.kernels.solver.cg``, preconditioned by the sparse part of the metric.
"""

import warp as wp

from newtonish.kernels.integrate.discrete.metric import load_metric
from newtonish.kernels.solver.unconstrained import unconstrained_world
from newtonish.kernels.solver.world import STRICT_CG
from newtonish.kernels.structs.data import Contact, Drive, Efc, Force, Mass, Solve, State, Status, TendonState
from newtonish.kernels.structs.metric import Metric
from newtonish.kernels.structs.model import Actuator, Dof, Option, Size, Tendon


@wp.kernel
def solve_discrete_cg_kernel(
    size: Size, opt: Option, dof: Dof, actuator: Actuator, tendon: Tendon, state: State, mass: Mass, frc: Force, drive: Drive,
    ten: TendonState, contact: Contact, efc: Efc, efm: Metric, sol: Solve, status: Status,
):  # fmt: skip
    """Constraint forces and acceleration; ``mass`` and ``frc`` are those of the metric."""
    w, lane = wp.tid()
    if status.nefc[w] == 0:
        unconstrained_world(size, state, frc, sol, status, w, lane)
    else:
        load_metric(size, dof, actuator, tendon, drive, ten, efm, sol, w, lane)
        STRICT_CG.loaded(size, opt, dof, state, mass, frc, contact, efc, sol, status, w, lane)
