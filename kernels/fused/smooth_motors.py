"""Velocities, forces and the acceleration without constraints, for models of fixed tendons and motors.

Motors and servos on joints, to be exact; see ``newtonish.kernels.forces.motors``.
"""

from typing import Any

import warp as wp

from newtonish.kernels.forces.acceleration import acceleration_world
from newtonish.kernels.forces.motors import motors_world
from newtonish.kernels.forces.passive import passive_world
from newtonish.kernels.math.world import lane_index, world_index, worlds_per_thread
from newtonish.kernels.runtime.launch import launch, through_worlds
from newtonish.kernels.smooth.com_vel import com_vel_world
from newtonish.kernels.smooth.rne import rne_world
from newtonish.kernels.structs import packed
from newtonish.kernels.structs.data import Com, Drive, Force, Kinematics, Mass, Scratch, State, TendonState, Velocity
from newtonish.kernels.structs.model import Actuator, Body, Dof, Joint, Option, Size, Tendon, Tree


@wp.kernel
def smooth_motors_kernel(
    size: Size, opt: Option, tree: Tree, body: Body, jnt: Joint, dof: Dof, actuator: Actuator, tendon: Tendon,
    state: State, kin: Kinematics, com: Com, mass: Mass, vel: Velocity, frc: Force, drive: Drive, ten: TendonState,
    scratch: Scratch, nworld: int,
):  # fmt: skip
    """Velocities, passive, bias and motor forces, unconstrained acceleration."""
    thread, part = wp.tid()
    lane = lane_index(part)
    packed.tree(tree)
    packed.body(body)
    packed.jnt(jnt)
    packed.dof(dof)
    packed.actuator(actuator)
    packed.state(state)
    packed.com(com)
    packed.mass(mass)
    packed.vel(vel)
    packed.frc(frc)
    packed.drive(drive)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        com_vel_world(size, tree, body, jnt, state, com, vel, w, lane)
        passive_world(size, opt, tree, body, jnt, dof, tendon, state, kin, com, frc, ten, scratch, w, lane)
        rne_world(size, opt, tree, body, dof, state, com, vel, frc, w, lane)
        motors_world(size, opt, jnt, dof, actuator, state, frc, drive, w, lane)
        acceleration_world(size, tree, body, dof, state, kin, com, mass, frc, scratch, w, lane)


through_worlds(smooth_motors_kernel)


def launch_smooth_motors(m: Any, d: Any, jnt: Any, tendon: Any, state: Any) -> None:
    """Run the kernel on all worlds; ``jnt`` and ``tendon`` have the rest positions, ``state`` the controls."""
    model = [m.size, m.opt, m.tree, m.body, jnt, m.dof, m.actuator, tendon]
    data = [state, d.kin, d.com, d.mass, d.vel, d.frc, d.drive, d.ten, d.scratch]
    launch(smooth_motors_kernel, d, [*model, *data])
