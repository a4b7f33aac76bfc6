"""The step of the Euler integrator, and the automatic reset."""

from typing import Any

import warp as wp

from newtonish.kernels.integrate.euler import euler_world
from newtonish.kernels.math.world import lane_index, world_index, worlds_per_thread
from newtonish.kernels.reset import autoreset_world
from newtonish.kernels.runtime.launch import launch, through_worlds
from newtonish.kernels.structs import packed
from newtonish.kernels.structs.data import Drive, Force, Mass, Scratch, Solve, State, Status
from newtonish.kernels.structs.model import Actuator, Body, Dof, Joint, Option, Size


@wp.kernel
def euler_kernel(
    size: Size, opt: Option, body: Body, jnt: Joint, dof: Dof, actuator: Actuator, state: State, mass: Mass, frc: Force,
    drive: Drive, sol: Solve, status: Status, scratch: Scratch, nworld: int,
):  # fmt: skip
    """Semi-implicit Euler step; a world that is no longer finite starts over."""
    thread, part = wp.tid()
    lane = lane_index(part)
    packed.jnt(jnt)
    packed.dof(dof)
    packed.actuator(actuator)
    packed.state(state)
    packed.mass(mass)
    packed.frc(frc)
    packed.drive(drive)
    packed.sol(sol)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        euler_world(size, opt, jnt, dof, actuator, state, mass, frc, drive, sol, scratch, w, lane)
        autoreset_world(size, opt, body, jnt, state, sol, status, w, lane)


through_worlds(euler_kernel)


def launch_euler(m: Any, d: Any, opt: Any, state: Any) -> None:
    """Run the kernel on all worlds under the options ``opt``; ``state`` has the controls."""
    model = [m.size, opt, m.body, m.jnt, m.dof, m.actuator]
    data = [state, d.mass, d.frc, d.drive, d.sol, d.status, d.scratch]
    launch(euler_kernel, d, [*model, *data])
