"""Last steps after conjugate gradients in the effective metric of the integrator ``discrete``, where float32 ended them.

The steps are those of ``newtonish.kernels.solver.refine``; only the matrix and the smooth force are others.
"""

import warp as wp

from newtonish.kernels.integrate.discrete.metric import load_metric
from newtonish.kernels.solver.refine_world import refine_loaded
from newtonish.kernels.structs.data import Contact, Drive, Efc, Force, Mass, Solve, State, Status, TendonState
from newtonish.kernels.structs.metric import Metric
from newtonish.kernels.structs.model import Actuator, Dof, Option, Size, Tendon


@wp.kernel
def refine_discrete_kernel(
    size: Size, opt: Option, dof: Dof, actuator: Actuator, tendon: Tendon, state: State, mass: Mass, frc: Force, drive: Drive,
    ten: TendonState, contact: Contact, efc: Efc, efm: Metric, sol: Solve, status: Status,
):  # fmt: skip
    """Constraint forces and acceleration; ``frc`` holds the force and the smooth acceleration of the metric."""
    w, lane = wp.tid()
    if status.nefc[w] > 0 and status.rounded[w] != 0:
        load_metric(size, dof, actuator, tendon, drive, ten, efm, sol, w, lane)
        refine_loaded(size, opt, dof, state, mass, frc, contact, efc, sol, status, w, lane)
