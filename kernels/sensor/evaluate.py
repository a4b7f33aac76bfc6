"""Evaluating the sensors of some stages of a step, and the energy.

MuJoCo: mj_sensorPos, mj_sensorVel, mj_sensorAcc. A sensor belongs to the first stage after which all it reads is known.
"""

import warp as wp

from newtonish.common.enums import DisableBit, EnableBit, SensorType, Stage
from newtonish.kernels.math.world import lanes, sync
from newtonish.kernels.sensor.acceleration import acceleration_sensor
from newtonish.kernels.sensor.contact import contact_sensor
from newtonish.kernels.sensor.energy import energy_pos_world, energy_vel_world
from newtonish.kernels.sensor.position import position_sensor
from newtonish.kernels.sensor.velocity import velocity_sensor
from newtonish.kernels.smooth.rne_postconstraint import rne_postconstraint_world
from newtonish.kernels.smooth.subtree_vel import subtree_vel_world
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

POSITION = wp.constant(1 << int(Stage.POS))
VELOCITY = wp.constant(1 << int(Stage.VEL))
ACCELERATION = wp.constant(1 << int(Stage.ACC))
ENERGY = wp.constant(int(EnableBit.ENERGY))
DISABLED = wp.constant(int(DisableBit.SENSOR))


@wp.func
def sensors_world(
    size: Size, opt: Option, tree: Tree, body: Body, jnt: Joint, dof: Dof, geom: Geom, site: Site, cam: Camera,
    actuator: Actuator, tendon: Tendon, eq: Equality, sensor: Sensor, state: State, kin: Kinematics, eyes: CamLight,
    com: Com, mass: Mass, vel: Velocity, frc: Force, drive: Drive, ten: TendonState, contact: Contact, efc: Efc,
    sol: Solve, status: Status, sense: Sense, stages: int, w: int, lane: int,
):  # fmt: skip
    """Sensors of one world whose stage is in ``stages`` (bits), and what they need; returns with a barrier."""
    enabled = (opt.disableflags & DISABLED) == 0
    energy = (opt.enableflags & ENERGY) != 0 or (enabled and sensor.energies != 0)
    if energy and (stages & (POSITION | VELOCITY)) != 0:
        energy_pos_world(size, opt, body, jnt, tendon, state, kin, ten, sense, w, lane)
        energy_vel_world(size, dof, state, mass, sense, w, lane)
    if enabled and sensor.momenta != 0 and (stages & VELOCITY) != 0:
        subtree_vel_world(size, tree, body, kin, com, vel, sense, w, lane)
    if enabled and sensor.accelerations != 0 and (stages & ACCELERATION) != 0:
        rne_postconstraint_world(size, opt, tree, body, geom, site, eq, state, kin, com, vel, contact, efc, sol, status, sense, w, lane)
    count = wp.where(enabled, size.nsensor, 0)
    for s in range(lane, count, lanes()):
        stage = 1 << sensor.needstage[s]
        if (stages & stage) != 0:
            if sensor.type[s] == SensorType.CONTACT:
                contact_sensor(opt, body, geom, site, sensor, kin, com, vel, contact, efc, status, sense, w, s)
            elif stage == POSITION:
                position_sensor(
                    opt, body, jnt, geom, site, cam, actuator, sensor, state, kin, eyes, com, drive, ten, efc, status,
                    sense, w, s,
                )  # fmt: skip
            elif stage == VELOCITY:
                velocity_sensor(body, jnt, site, actuator, sensor, state, kin, eyes, com, vel, drive, ten, efc, status, sense, w, s)
            else:
                acceleration_sensor(
                    size, opt, body, jnt, geom, site, actuator, sensor, kin, eyes, com, vel, frc, drive, contact, efc,
                    status, sense, w, s,
                )  # fmt: skip
    sync()
