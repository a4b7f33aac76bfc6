"""The step of the implicitfast integrator, and the automatic reset."""

from typing import Any

import warp as wp

from newtonish.kernels.integrate.implicit import implicitfast_world
from newtonish.kernels.math.world import fresh, lane_index, world_index, worlds_per_thread
from newtonish.kernels.reset import autoreset_world
from newtonish.kernels.runtime.launch import launch, through_worlds
from newtonish.kernels.structs import packed
from newtonish.kernels.structs.data import (
    Com,
    Drive,
    Force,
    Kinematics,
    Mass,
    Scratch,
    Solve,
    State,
    Status,
    TendonState,
)
from newtonish.kernels.structs.model import Actuator, Body, Dof, Joint, Option, Size, Tendon


@wp.kernel
def implicitfast_kernel(
    size: Size, opt: Option, body: Body, jnt: Joint, dof: Dof, actuator: Actuator, tendon: Tendon, state: State,
    kin: Kinematics, com: Com, mass: Mass, frc: Force, drive: Drive, ten: TendonState, sol: Solve, status: Status,
    scratch: Scratch, nworld: int,
):  # fmt: skip
    """Implicit-in-velocity step; a world that is no longer finite starts over."""
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
        implicitfast_world(size, opt, jnt, dof, actuator, tendon, state, kin, com, mass, frc, drive, ten, sol, scratch, w, lane)
        autoreset_world(size, opt, body, jnt, state, sol, status, fresh(w), fresh(lane))


through_worlds(implicitfast_kernel)


def launch_implicitfast(m: Any, d: Any, state: Any) -> None:
    """Run the kernel on all worlds; ``state`` has the controls."""
    model = [m.size, m.opt, m.body, m.jnt, m.dof, m.actuator, m.tendon]
    data = [state, d.kin, d.com, d.mass, d.frc, d.drive, d.ten, d.sol, d.status, d.scratch]
    launch(implicitfast_kernel, d, [*model, *data])
