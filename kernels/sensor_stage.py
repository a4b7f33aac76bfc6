"""The sensors of a step, and the energy: kernels are launched, and imported, for models that have such sensors."""

from __future__ import annotations

from typing import Any

from newtonish.kernels.discrete.options import variant
from newtonish.kernels.enums import Stage
from newtonish.kernels.later import fused, later
from newtonish.kernels.launch import launch
from newtonish.kernels.needs import has_sensors, measures, tendons_react
from newtonish.kernels.optional import camlight, delay_sensors, springs
from newtonish.kernels.structs.model import SENSOR

POSITION, VELOCITY, ACCELERATION = (1 << int(stage) for stage in (Stage.POS, Stage.VEL, Stage.ACC))

geom_distances = later("sensor.distance", "geom_distances")
inside_sites = later("sensor.inside", "inside_sites")
projections = later("sensor.projection", "projections")
rangefinders = later("sensor.rangefinder", "rangefinders")
taxels = later("sensor.tactile", "taxels")
tendon_reaction = later("tendon.reaction", "tendon_reaction")


def _sensors(m: Any, d: Any, stages: int, reactions: bool) -> None:
    jnt, tendon = springs(m, d)
    model = [m.size, m.opt, m.tree, m.body, jnt, m.dof, m.geom, m.site, m.cam]
    model += [m.actuator, tendon, m.eq, m.sensor if reactions else variant(SENSOR, m.sensor, accelerations=0)]
    data = [d.state, d.kin, d.camlight, d.com, d.mass, d.vel, d.frc, d.drive, d.ten, d.contact, d.efc, d.sol, d.status, d.sense]
    launch(fused("sensor"), d, [*model, *data, stages])


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
    if has_sensors(m) and stages & POSITION:
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
    if has_sensors(m) and stages & VELOCITY and m.tactile.number > 0:
        taxels(m, d)
    if measures(m):
        if tendons_react(m) and reactions and stages & ACCELERATION:
            tendon_reaction(m, d)
        _sensors(m, d, stages, reactions)
    if has_sensors(m):
        delay_sensors(m, d, stages)


def sensor_modules(m: Any) -> list[str]:
    """Names of the modules whose kernels ``sensor_stage`` launches for this model."""
    wanted = {
        "newtonish.kernels.fused.sensor": measures(m),
        "newtonish.kernels.smooth.camlight": has_sensors(m) and m.cam.needed > 0,
        "newtonish.kernels.sensor.projection": has_sensors(m) and m.sensor.projections > 0,
        "newtonish.kernels.sensor.rangefinder": has_sensors(m) and m.ranging.nray > 0,
        "newtonish.kernels.tendon.reaction": tendons_react(m),
        "newtonish.kernels.sensor.distance": has_sensors(m) and m.measure.number > 0,
        "newtonish.kernels.sensor.inside": has_sensors(m) and m.inside.number > 0,
        "newtonish.kernels.sensor.tactile": has_sensors(m) and m.tactile.number > 0,
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
