"""Rows and dofs of the islands of large worlds, copied together side by side."""

from typing import Any

import warp as wp

from newtonish.kernels.math.world import lane_index, world_index
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.sparse.side_by_side import enter_islands
from newtonish.kernels.structs.data import Contact, Efc, Island, Mass, Status
from newtonish.kernels.structs.model import Dof, Option, Tree


@wp.kernel
def enter_islands_kernel(opt: Option, tree: Tree, dof: Dof, mass: Mass, contact: Contact, efc: Efc, isl: Island, status: Status):
    """Copy the rows of each island together and give its dofs their places."""
    thread, part = wp.tid()
    enter_islands(opt, tree, dof, mass, contact, efc, isl, status, world_index(thread), lane_index(part))


def launch_enter_islands(m: Any, d: Any) -> None:
    """Run the kernel on all worlds."""
    launch(enter_islands_kernel, d, [m.opt, m.tree, m.dof, d.mass, d.contact, d.efc, d.isl, d.status])
