"""Newton's method in the effective metric of the integrator ``discrete``.

The iteration is that of ``newtonish.kernels.solver.newton``; only the matrix and the smooth force are others.
"""

import warp as wp

from newtonish.kernels.integrate.discrete.metric import load_metric
from newtonish.kernels.solver.unconstrained import unconstrained_world
from newtonish.kernels.solver.world import NEWTON
from newtonish.kernels.structs.data import Contact, Drive, Efc, Force, Mass, Solve, State, Status, TendonState
from newtonish.kernels.structs.metric import Metric
from newtonish.kernels.structs.model import Actuator, Dof, Option, Size, Tendon


@wp.kernel
def solve_discrete_kernel(
    size: Size, opt: Option, dof: Dof, actuator: Actuator, tendon: Tendon, state: State, mass: Mass, frc: Force, drive: Drive,
    ten: TendonState, contact: Contact, efc: Efc, efm: Metric, sol: Solve, status: Status,
):  # fmt: skip
    """Constraint forces and acceleration; ``frc`` holds the force and the smooth acceleration of the metric."""
    w, lane = wp.tid()
    if status.nefc[w] == 0:
        unconstrained_world(size, state, frc, sol, status, w, lane)
    else:
        load_metric(size, dof, actuator, tendon, drive, ten, efm, sol, w, lane)
        NEWTON.loaded(size, opt, dof, state, mass, frc, contact, efc, sol, status, w, lane)
