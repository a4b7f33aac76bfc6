"""The sensors of a step, and the energy: kernels are imported, and launched, for models that have such sensors."""

from __future__ import annotations

from typing import Any

from newtonish.common.enums import DisableBit, EnableBit, Stage
from newtonish.kernels.history.stage import delay_sensors, springs
from newtonish.kernels.sleep.stage import hold_sensors
from newtonish.kernels.structs.field import variant
from newtonish.kernels.structs.model import SENSOR

POSITION, VELOCITY, ACCELERATION = (1 << int(stage) for stage in (Stage.POS, Stage.VEL, Stage.ACC))


def has_sensors(m: Any) -> bool:
    """Whether there are sensors, and they are evaluated."""
    return m.size.nsensor > 0 and not m.opt.disableflags & DisableBit.SENSOR


def measures(m: Any) -> bool:
    """Whether a step has anything to measure by the common kernel: ordinary sensors, or the energy."""
    return bool((m.sensor.ordinary > 0 and has_sensors(m)) or m.opt.enableflags & EnableBit.ENERGY)


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
        _geometric_sensors(m, d)
    if has_sensors(m) and stages & VELOCITY and m.tactile.number > 0:
        from newtonish.kernels.sensor.tactile import taxels

        taxels(m, d)
    if measures(m):
        _ordinary_sensors(m, d, stages, reactions)
    if has_sensors(m):
        hold_sensors(m, d, stages)
        delay_sensors(m, d, stages)


def _geometric_sensors(m: Any, d: Any) -> None:
    """Sensors that look at the scene: cameras, rangefinders, distances, contents of sites."""
    if m.cam.needed > 0:
        from newtonish.kernels.smooth.camlight import camlight

        camlight(m, d)
    if m.sensor.projections > 0:
        from newtonish.kernels.sensor.projection import projections

        projections(m, d)
    if m.ranging.nray > 0:
        from newtonish.kernels.sensor.rangefinder import rangefinders

        rangefinders(m, d)
    if m.measure.number > 0:
        from newtonish.kernels.sensor.distance import geom_distances

        geom_distances(m, d)
    if m.inside.number > 0:
        from newtonish.kernels.sensor.inside import inside_sites

        inside_sites(m, d)


def _ordinary_sensors(m: Any, d: Any, stages: int, reactions: bool) -> None:
    """All other sensors, and the energy, by one kernel."""
    from newtonish.kernels.fused.sensor import launch_sensor

    forces = has_sensors(m) and m.sensor.accelerations and stages & ACCELERATION
    if forces and reactions and m.ntenspatial > 0:
        from newtonish.kernels.tendon.reaction import tendon_reaction

        tendon_reaction(m, d)
    jnt, tendon = springs(m, d)
    launch_sensor(m, d, jnt, tendon, m.sensor if reactions else variant(SENSOR, m.sensor, accelerations=0), stages)


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
