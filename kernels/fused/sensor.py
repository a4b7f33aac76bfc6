"""Sensors and energy: launched for models that have any."""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.discrete.options import variant
from newtonish.kernels.enums import DisableBit, EnableBit
from newtonish.kernels.launch import launch
from newtonish.kernels.past.delay import delay_sensors
from newtonish.kernels.past.plastic import springs
from newtonish.kernels.sensor.distance import geom_distances
from newtonish.kernels.sensor.inside import inside_sites
from newtonish.kernels.sensor.projection import projections
from newtonish.kernels.sensor.rangefinder import rangefinders
from newtonish.kernels.sensor.stages import ACCELERATION, POSITION, VELOCITY, sensors_world
from newtonish.kernels.sensor.tactile import taxels
from newtonish.kernels.smooth.camlight import camlight
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
    SENSOR,
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
from newtonish.kernels.tendon.reaction import tendon_reaction


@wp.kernel
def sensor_kernel(
    size: Size, opt: Option, tree: Tree, body: Body, jnt: Joint, dof: Dof, geom: Geom, site: Site, cam: Camera,
    actuator: Actuator, tendon: Tendon, eq: Equality, sensor: Sensor, state: State, kin: Kinematics, eyes: CamLight,
    com: Com, mass: Mass, vel: Velocity, frc: Force, drive: Drive, ten: TendonState, contact: Contact, efc: Efc,
    sol: Solve, status: Status, sense: Sense, stages: int,
):  # fmt: skip
    """Sensors of the given stages, and the energy."""
    w, lane = wp.tid()
    sensors_world(
        size, opt, tree, body, jnt, dof, geom, site, cam, actuator, tendon, eq, sensor, state, kin, eyes, com, mass,
        vel, frc, drive, ten, contact, efc, sol, status, sense, stages, w, lane,
    )  # fmt: skip


def measures(m: Any) -> bool:
    """Whether a step of this model has anything to measure by this kernel: ordinary sensors, or the energy."""
    return bool((m.sensor.ordinary > 0 and enabled(m)) or m.opt.enableflags & EnableBit.ENERGY)


def enabled(m: Any) -> bool:
    """Whether sensors are evaluated at all."""
    return m.size.nsensor > 0 and not m.opt.disableflags & DisableBit.SENSOR


def _sensors(m: Any, d: Any, stages: int, reactions: bool) -> None:
    jnt, tendon = springs(m, d)
    model = [m.size, m.opt, m.tree, m.body, jnt, m.dof, m.geom, m.site, m.cam]
    model += [m.actuator, tendon, m.eq, m.sensor if reactions else variant(SENSOR, m.sensor, accelerations=0)]
    data = [d.state, d.kin, d.camlight, d.com, d.mass, d.vel, d.frc, d.drive, d.ten, d.contact, d.efc, d.sol, d.status, d.sense]
    launch(sensor_kernel, d, [*model, *data, stages])


def sensor_stage(m: Any, d: Any, stages: int = POSITION | VELOCITY | ACCELERATION, reactions: bool = True) -> None:
    """Sensors of some stages (bits of ``1 << Stage``), after their delays, and the energy, if the model has them.

    Args:
        m: model.
        d: data.
        stages: bits of the stages.
        reactions: compute the forces between bodies for sensors that need them; otherwise they are there.

    Reads   d.state and the results of the stages. Writes d.sense, and d.vel.cacc for sensors of accelerations.
    MuJoCo  mj_sensorPos, mj_sensorVel, mj_sensorAcc, mj_energyPos, mj_energyVel.
    """
    if enabled(m) and stages & POSITION:
        if m.cam.needed > 0:
            camlight(m, d)
        if m.sensor.projections > 0:
            projections(m, d)
        if m.ranging.nray > 0:
            rangefinders(m, d)
        if m.measure.number > 0:
            geom_distances(m, d)
        if m.inside.number > 0:
            inside_sites(m, d)
    if enabled(m) and stages & VELOCITY and m.tactile.number > 0:
        taxels(m, d)
    if measures(m):
        if _tendons_react(m) and reactions and stages & ACCELERATION:
            tendon_reaction(m, d)
        _sensors(m, d, stages, reactions)
    if enabled(m):
        delay_sensors(m, d, stages)


def _tendons_react(m: Any) -> bool:
    """Whether forces of spatial tendons are part of what sensors measure."""
    return bool(enabled(m) and m.ntenspatial > 0 and m.sensor.accelerations)


def sensor_modules(m: Any) -> list[str]:
    """Names of the modules whose kernels ``sensor_stage`` launches for this model."""
    wanted = {
        "newtonish.kernels.fused.sensor": measures(m),
        "newtonish.kernels.smooth.camlight": enabled(m) and m.cam.needed > 0,
        "newtonish.kernels.sensor.projection": enabled(m) and m.sensor.projections > 0,
        "newtonish.kernels.sensor.rangefinder": enabled(m) and m.ranging.nray > 0,
        "newtonish.kernels.tendon.reaction": _tendons_react(m),
        "newtonish.kernels.sensor.distance": enabled(m) and m.measure.number > 0,
        "newtonish.kernels.sensor.inside": enabled(m) and m.inside.number > 0,
        "newtonish.kernels.sensor.tactile": enabled(m) and m.tactile.number > 0,
    }
    return [name for name, needed in wanted.items() if needed]


def sensor_pos(m: Any, d: Any) -> None:
    """Sensors of positions, after ``make_constraint``. Writes d.sensordata. MuJoCo: mj_sensorPos."""
    sensor_stage(m, d, POSITION)


def sensor_vel(m: Any, d: Any) -> None:
    """Sensors of velocities, after ``com_vel``. Writes d.sensordata. MuJoCo: mj_sensorVel."""
    sensor_stage(m, d, VELOCITY)


def sensor_acc(m: Any, d: Any, skip_rne_postconstraint: bool = False) -> None:
    """Sensors of accelerations and forces, after ``solve``. Writes d.sensordata, d.cacc, d.cfrc_int, d.cfrc_ext.

    MuJoCo  mj_sensorAcc.
    """
    sensor_stage(m, d, ACCELERATION, not skip_rne_postconstraint)
