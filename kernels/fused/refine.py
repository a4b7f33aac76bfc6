"""Last steps after conjugate gradients or Gauss-Seidel, where float32 ended them."""

import warp as wp

from newtonish.kernels.solver.refine import refine_world
from newtonish.kernels.structs.data import Contact, Efc, Force, Mass, Solve, State, Status
from newtonish.kernels.structs.model import Dof, Option, Size


@wp.kernel
def refine_kernel(
    size: Size, opt: Option, dof: Dof, state: State, mass: Mass, frc: Force, contact: Contact, efc: Efc, sol: Solve,
    status: Status,
):  # fmt: skip
    """Last steps after conjugate gradients or Gauss-Seidel, where float32 ended them."""
    w, lane = wp.tid()
    refine_world(size, opt, dof, state, mass, frc, contact, efc, sol, status, w, lane)
