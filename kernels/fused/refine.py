"""Last steps after conjugate gradients or Gauss-Seidel, where float32 ended them."""

import warp as wp

from newtonish.kernels.math.world import own_lane, own_world, worlds_of_thread
from newtonish.kernels.solver.refine import refine_world
from newtonish.kernels.structs.data import Contact, Efc, Force, Mass, Solve, State, Status
from newtonish.kernels.structs.model import Dof, Option, Size


@wp.kernel
def refine_kernel(
    size: Size, opt: Option, dof: Dof, state: State, mass: Mass, frc: Force, contact: Contact, efc: Efc, sol: Solve,
    status: Status, nworld: int,
):  # fmt: skip
    """Last steps after conjugate gradients or Gauss-Seidel, where float32 ended them."""
    thread, part = wp.tid()
    lane = own_lane(part)
    for further in range(worlds_of_thread(nworld)):
        w = own_world(thread + further)
        refine_world(size, opt, dof, state, mass, frc, contact, efc, sol, status, w, lane)
