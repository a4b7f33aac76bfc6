"""The step of the implicit integrator, and the automatic reset."""

from typing import Any

import warp as wp

from newtonish.kernels.integrate.implicit_full import implicit_world
from newtonish.kernels.math.world import fresh, lane_index, world_index, worlds_per_thread
from newtonish.kernels.reset import autoreset_world
from newtonish.kernels.runtime.launch import launch, through_worlds
from newtonish.kernels.structs.data import (
    Com,
    Drive,
    Force,
    ImplicitState,
    Kinematics,
    Mass,
    Scratch,
    Solve,
    State,
    Status,
    TendonState,
    Velocity,
)
from newtonish.kernels.structs.model import (
    Actuator,
    Body,
    Dof,
    Geom,
    Implicit,
    Joint,
    Option,
    Size,
    Tendon,
    Tree,
)


@wp.kernel
def implicit_kernel(
    size: Size, opt: Option, tree: Tree, body: Body, jnt: Joint, dof: Dof, geom: Geom, actuator: Actuator,
    tendon: Tendon, impl: Implicit, state: State, kin: Kinematics, com: Com, mass: Mass, vel: Velocity, frc: Force,
    drive: Drive, ten: TendonState, sol: Solve, scratch: Scratch, imp: ImplicitState, status: Status, nworld: int,
):  # fmt: skip
    """Implicit-in-velocity step with Coriolis terms; a world that is no longer finite starts over."""
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        implicit_world(
            size, opt, tree, body, jnt, dof, geom, actuator, tendon, impl, state, kin, com, mass, vel, frc, drive, ten,
            sol, scratch, imp, w, lane
        )  # fmt: skip
        autoreset_world(size, opt, body, jnt, state, sol, status, fresh(w), fresh(lane))


through_worlds(implicit_kernel)


def launch_implicit(m: Any, d: Any, state: Any) -> None:
    """Run the kernel on all worlds; ``state`` has the controls."""
    model = [m.size, m.opt, m.tree, m.body, m.jnt, m.dof, m.geom, m.actuator, m.tendon, m.impl]
    data = [state, d.kin, d.com, d.mass, d.vel, d.frc, d.drive, d.ten, d.sol, d.scratch, d.imp, d.status]
    launch(implicit_kernel, d, [*model, *data])
