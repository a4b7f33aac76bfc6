"""Slip suppression after the solver."""

from typing import Any

import warp as wp

from newtonish.kernels.math.world import lane_index, world_index, worlds_per_thread
from newtonish.kernels.runtime.launch import launch, through_worlds
from newtonish.kernels.solver.noslip import noslip_world
from newtonish.kernels.structs.data import Contact, Efc, Force, Mass, Solve, State, Status
from newtonish.kernels.structs.model import Dof, Option, Size


@wp.kernel
def noslip_kernel(
    size: Size, opt: Option, dof: Dof, state: State, mass: Mass, frc: Force, contact: Contact, efc: Efc, sol: Solve,
    status: Status, nworld: int,
):  # fmt: skip
    """Slip suppression after the solver."""
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        noslip_world(size, opt, dof, state, mass, frc, contact, efc, sol, status, w, lane)


through_worlds(noslip_kernel)


def launch_noslip(m: Any, d: Any, mass: Any, frc: Any) -> None:
    """Run the kernel on all worlds; ``mass`` and ``frc`` are ``d.mass`` and ``d.frc``, or what stands for them."""
    launch(noslip_kernel, d, [m.size, m.opt, m.dof, d.state, mass, frc, d.contact, d.efc, d.sol, d.status])
