"""Forces of motors and of position and velocity servos on joints: actuators without activation, memory or period.

The gain is fixed and the bias nothing or affine, so ``force = gain * control + bias``. It is what
``newtonish.kernels.forces.actuation`` computes for them, to the bit, with a third of its code: the models that have
nothing else take this. Method: MuJoCo documentation, chapter Computation (actuation model).
"""

import warp as wp

from newtonish.common.actuator_parameters import Affine
from newtonish.common.enums import BiasType, DisableBit
from newtonish.kernels.forces.actuation import (
    actuator_disabled,
    actuator_velocity_world,
    affine,
    clamped_control,
    controls_are_bad,
    limited_force,
)
from newtonish.kernels.forces.generalized_force import generalized_force_world
from newtonish.kernels.math.world import assume_nonnegative, lanes, per_world, sync
from newtonish.kernels.structs.data import Drive, Force, State
from newtonish.kernels.structs.model import Actuator, Dof, Joint, Option, Size


@wp.func
def _motor_force(opt: Option, actuator: Actuator, state: State, drive: Drive, zero_controls: bool, w: int, a: int) -> float:
    """Force of actuator ``a`` before its limits."""
    ctrl = wp.float32(0.0)
    if actuator.ctrlnum[a] > 0 and not zero_controls:
        ctrl = clamped_control(opt, actuator, state, w, assume_nonnegative(actuator.ctrladr[a]))
    o = assume_nonnegative(actuator.outadr[a])
    bias = wp.float32(0.0)
    if actuator.biastype[a] == BiasType.AFFINE:
        prm = actuator.biasprm[per_world(actuator.biasprm.shape[0], w), a]
        bias = affine(prm, drive.actuator_length[w, o], drive.actuator_velocity[w, o])
    force = actuator.gainprm[per_world(actuator.gainprm.shape[0], w), a][Affine.CONSTANT] * ctrl + bias
    if actuator_disabled(opt, actuator, a):
        force = 0.0
    return force


@wp.func
def motors_world(
    size: Size, opt: Option, jnt: Joint, dof: Dof, actuator: Actuator, state: State, frc: Force, drive: Drive, w: int,
    lane: int,
):  # fmt: skip
    """Actuator velocities and forces of one world, and the generalized force; returns with a barrier."""
    if size.nactuator == 0 or (opt.disableflags & DisableBit.ACTUATION) != 0:
        for o in range(lane, size.nout, lanes()):
            drive.actuator_velocity[w, o] = 0.0
            drive.actuator_force[w, o] = 0.0
        for i in range(lane, size.nv, lanes()):
            frc.qfrc_actuator[w, i] = 0.0
    else:
        actuator_velocity_world(size, state, drive, w, lane)
        zero_controls = controls_are_bad(size, opt, actuator, state, w, lane)
        for a in range(lane, size.nactuator, lanes()):
            force = _motor_force(opt, actuator, state, drive, zero_controls, w, a)
            drive.actuator_force[w, assume_nonnegative(actuator.outadr[a])] = limited_force(actuator, force, w, a)
        generalized_force_world(size, opt, jnt, dof, frc, drive, w, lane)
    sync()
