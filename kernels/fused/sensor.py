"""Sensors and energy: launched for models that have any."""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.enums import DisableBit, EnableBit
from newtonish.kernels.launch import launch
from newtonish.kernels.past.delay import delay_sensors
from newtonish.kernels.past.plastic import springs
from newtonish.kernels.sensor.stages import ACCELERATION, POSITION, VELOCITY, sensors_world
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


@wp.kernel
def sensor_kernel(
    size: Size, opt: Option, tree: Tree, body: Body, jnt: Joint, dof: Dof, geom: Geom, site: Site, actuator: Actuator,
    tendon: Tendon, eq: Equality, sensor: Sensor, state: State, kin: Kinematics, com: Com, mass: Mass, vel: Velocity,
    frc: Force, drive: Drive, ten: TendonState, contact: Contact, efc: Efc, sol: Solve, status: Status, sense: Sense, stages: int,
):  # fmt: skip
    """Sensors of the given stages, and the energy."""
    w, lane = wp.tid()
    sensors_world(
        size, opt, tree, body, jnt, dof, geom, site, actuator, tendon, eq, sensor, state, kin, com, mass, vel, frc,
        drive, ten, contact, efc, sol, status, sense, stages, w, lane,
    )  # fmt: skip


def measures(m: Any) -> bool:
    """Whether a step of this model has anything to measure: enabled sensors, or the energy."""
    sensors = m.size.nsensor > 0 and not m.opt.disableflags & DisableBit.SENSOR
    return bool(sensors or m.opt.enableflags & EnableBit.ENERGY)


def _sensors(m: Any, d: Any, stages: int) -> None:
    jnt, tendon = springs(m, d)
    model = [m.size, m.opt, m.tree, m.body, jnt, m.dof, m.geom, m.site, m.actuator, tendon, m.eq, m.sensor]
    data = [d.state, d.kin, d.com, d.mass, d.vel, d.frc, d.drive, d.ten, d.contact, d.efc, d.sol, d.status, d.sense]
    launch(sensor_kernel, d, [*model, *data, stages])


def sensor_stage(m: Any, d: Any, stages: int = POSITION | VELOCITY | ACCELERATION) -> None:
    """Sensors of some stages (bits of ``1 << Stage``), after their delays, and the energy, if the model has them.

    Reads   d.state and the results of the stages. Writes d.sense, and d.vel.cacc for sensors of accelerations.
    MuJoCo  mj_sensorPos, mj_sensorVel, mj_sensorAcc, mj_energyPos, mj_energyVel.
    """
    if measures(m):
        _sensors(m, d, stages)
        if not m.opt.disableflags & DisableBit.SENSOR:
            delay_sensors(m, d, stages)


def sensor_pos(m: Any, d: Any) -> None:
    """Sensors of positions, after ``make_constraint``. Writes d.sensordata. MuJoCo: mj_sensorPos."""
    sensor_stage(m, d, POSITION)


def sensor_vel(m: Any, d: Any) -> None:
    """Sensors of velocities, after ``com_vel``. Writes d.sensordata. MuJoCo: mj_sensorVel."""
    sensor_stage(m, d, VELOCITY)


def sensor_acc(m: Any, d: Any) -> None:
    """Sensors of accelerations and forces, after ``solve``. Writes d.sensordata, d.cacc, d.cfrc_int, d.cfrc_ext.

    MuJoCo  mj_sensorAcc.
    """
    sensor_stage(m, d, ACCELERATION)
