"""Velocities, forces and the acceleration without constraints."""

from typing import Any

import warp as wp

from newtonish.kernels.forces.acceleration import acceleration_world
from newtonish.kernels.forces.actuation import actuation_world
from newtonish.kernels.forces.adhesion import adhesion_world
from newtonish.kernels.forces.passive import passive_world
from newtonish.kernels.math.world import lane_index, world_index, worlds_per_thread
from newtonish.kernels.runtime.launch import launch, through_worlds
from newtonish.kernels.smooth.com_vel import com_vel_world
from newtonish.kernels.smooth.rne import rne_world
from newtonish.kernels.structs import packed
from newtonish.kernels.structs.data import (
    Com,
    Contact,
    Drive,
    Force,
    Kinematics,
    Mass,
    Scratch,
    State,
    Status,
    TendonState,
    Velocity,
)
from newtonish.kernels.structs.model import Actuator, Body, Dof, Geom, Joint, Option, Site, Size, Tendon, Tree
from newtonish.kernels.tendon.bias import tendon_bias_world


@wp.kernel
def smooth_kernel(
    size: Size, opt: Option, tree: Tree, body: Body, jnt: Joint, dof: Dof, geom: Geom, site: Site,
    actuator: Actuator, tendon: Tendon, state: State, kin: Kinematics, com: Com, mass: Mass, vel: Velocity, frc: Force,
    drive: Drive, ten: TendonState, contact: Contact, status: Status, scratch: Scratch, nworld: int,
):  # fmt: skip
    """Velocities, passive, bias and actuator forces, unconstrained acceleration."""
    thread, part = wp.tid()
    lane = lane_index(part)
    packed.tree(tree)
    packed.body(body)
    packed.jnt(jnt)
    packed.dof(dof)
    packed.actuator(actuator)
    packed.tendon(tendon)
    packed.state(state)
    packed.com(com)
    packed.mass(mass)
    packed.vel(vel)
    packed.frc(frc)
    packed.drive(drive)
    packed.ten(ten)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        com_vel_world(size, tree, body, jnt, state, com, vel, w, lane)
        passive_world(size, opt, tree, body, jnt, dof, tendon, state, kin, com, frc, ten, scratch, w, lane)
        rne_world(size, opt, tree, body, dof, state, com, vel, frc, w, lane)
        tendon_bias_world(size, body, site, tendon, kin, com, vel, ten, frc, w, lane)
        adhesion_world(size, tree, body, geom, actuator, com, contact, status, drive, w, lane)
        actuation_world(size, opt, jnt, dof, actuator, tendon, state, frc, drive, w, lane)
        acceleration_world(size, tree, body, dof, state, kin, com, mass, frc, scratch, w, lane)


through_worlds(smooth_kernel)


def launch_smooth(m: Any, d: Any, jnt: Any, tendon: Any, state: Any) -> None:
    """Run the kernel on all worlds; ``jnt`` and ``tendon`` have the rest positions, ``state`` the controls."""
    model = [m.size, m.opt, m.tree, m.body, jnt, m.dof, m.geom, m.site, m.actuator, tendon]
    data = [state, d.kin, d.com, d.mass, d.vel, d.frc, d.drive, d.ten, d.contact, d.status, d.scratch]
    launch(smooth_kernel, d, [*model, *data])
