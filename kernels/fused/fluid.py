"""Body velocities and the forces of the medium, ahead of the other smooth forces."""

from typing import Any

import warp as wp

from newtonish.kernels.forces.fluid import fluid_world
from newtonish.kernels.math.world import lane_index, world_index, worlds_per_thread
from newtonish.kernels.runtime.launch import launch, through_worlds
from newtonish.kernels.smooth.com_vel import com_vel_world
from newtonish.kernels.structs.data import Com, Force, Kinematics, Scratch, State, Velocity
from newtonish.kernels.structs.model import Body, Dof, Geom, Joint, Option, Size, Tree


@wp.kernel
def fluid_kernel(
    size: Size, opt: Option, tree: Tree, body: Body, jnt: Joint, dof: Dof, geom: Geom, state: State, kin: Kinematics,
    com: Com, vel: Velocity, frc: Force, scratch: Scratch, nworld: int,
):  # fmt: skip
    """Forces of the medium."""
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        com_vel_world(size, tree, body, jnt, state, com, vel, w, lane)
        fluid_world(size, opt, tree, body, dof, geom, kin, com, vel, frc, scratch, w, lane)


through_worlds(fluid_kernel)


def launch_fluid(m: Any, d: Any) -> None:
    """Run the kernel on all worlds."""
    model = [m.size, m.opt, m.tree, m.body, m.jnt, m.dof, m.geom]
    data = [d.state, d.kin, d.com, d.vel, d.frc, d.scratch]
    launch(fluid_kernel, d, [*model, *data])
