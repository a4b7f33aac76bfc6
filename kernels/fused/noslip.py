"""Slip suppression after the solver."""

import warp as wp

from newtonish.kernels.solver.noslip import noslip_world
from newtonish.kernels.structs.data import Contact, Efc, Force, Mass, Solve, State, Status
from newtonish.kernels.structs.model import Dof, Option, Size


@wp.kernel
def noslip_kernel(
    size: Size, opt: Option, dof: Dof, state: State, mass: Mass, frc: Force, contact: Contact, efc: Efc, sol: Solve,
    status: Status,
):  # fmt: skip
    """Slip suppression after the solver."""
    w, lane = wp.tid()
    noslip_world(size, opt, dof, state, mass, frc, contact, efc, sol, status, w, lane)
