"""Ordinary sensors, and the energy."""

from typing import Any

import warp as wp

from newtonish.kernels.math.world import lane_index, world_index, worlds_per_thread
from newtonish.kernels.runtime.launch import launch, through_worlds
from newtonish.kernels.sensor.evaluate import sensors_world
from newtonish.kernels.structs.data import (
    Com,
    Contact,
    Drive,
    Efc,
    Force,
    Kinematics,
    Mass,
    Sense,
    Solve,
    State,
    Status,
    TendonState,
    Velocity,
)  # fmt: skip
from newtonish.kernels.structs.model import (
    Actuator,
    Body,
    Dof,
    Equality,
    Geom,
    Joint,
    Option,
    Sensor,
    Site,
    Size,
    Tendon,
    Tree,
)  # fmt: skip
from newtonish.kernels.structs.optics import Camera, CamLight


@wp.kernel
def sensor_kernel(
    size: Size, opt: Option, tree: Tree, body: Body, jnt: Joint, dof: Dof, geom: Geom, site: Site, cam: Camera,
    actuator: Actuator, tendon: Tendon, eq: Equality, sensor: Sensor, state: State, kin: Kinematics, eyes: CamLight,
    com: Com, mass: Mass, vel: Velocity, frc: Force, drive: Drive, ten: TendonState, contact: Contact, efc: Efc,
    sol: Solve, status: Status, sense: Sense, stages: int, nworld: int,
):  # fmt: skip
    """Sensors of the given stages, and the energy."""
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        sensors_world(
            size, opt, tree, body, jnt, dof, geom, site, cam, actuator, tendon, eq, sensor, state, kin, eyes, com, mass,
            vel, frc, drive, ten, contact, efc, sol, status, sense, stages, w, lane,
        )  # fmt: skip


through_worlds(sensor_kernel)


def launch_sensor(m: Any, d: Any, jnt: Any, tendon: Any, sensor: Any, stages: int) -> None:
    """Run the kernel on all worlds; ``jnt`` and ``tendon`` have the rest positions, ``sensor`` may be a variant."""
    model = [m.size, m.opt, m.tree, m.body, jnt, m.dof, m.geom, m.site, m.cam, m.actuator, tendon, m.eq, sensor]
    data = [d.state, d.kin, d.camlight, d.com, d.mass, d.vel, d.frc, d.drive, d.ten, d.contact, d.efc, d.sol, d.status]
    launch(sensor_kernel, d, [*model, *data, d.sense, stages])
