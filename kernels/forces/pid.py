"""PID servo with set points of position and velocity, feedforward, integral action and a limited set-point rate.

force = kp (u_pos - l) + kv (u_vel - v) + ki x + u_ff. Activations, where enabled: the set point in force, the integral x.
Method: MuJoCo documentation, XML Reference, actuator/pid.
"""

import warp as wp

from newtonish.common.actuator_parameters import Affine, PIDDyn, PIDGain
from newtonish.common.enums import DynType
from newtonish.kernels.forces.actuation import nearest_turn, next_activation, turn_period
from newtonish.kernels.forces.servo_inputs import servo_inputs, towards, wound
from newtonish.kernels.math.world import per_world
from newtonish.kernels.structs.data import Drive, State
from newtonish.kernels.structs.model import Actuator, Joint, Option


@wp.func
def pid_force(opt: Option, jnt: Joint, actuator: Actuator, state: State, drive: Drive, zero_controls: bool, w: int, a: int) -> float:
    """Force of actuator ``a`` before its limits; also writes the rates of its activations."""
    o = actuator.outadr[a]
    length = drive.actuator_length[w, o]
    gain = actuator.gainprm[per_world(actuator.gainprm.shape[0], w), a][PIDGain.KI]
    bias = actuator.biasprm[per_world(actuator.biasprm.shape[0], w), a]
    inputs = servo_inputs(opt, actuator, state, zero_controls, w, a)
    period = turn_period(jnt, actuator, w, a)  # set points of angles lie on a circle
    goal = inputs[0]
    integral = wp.float32(0.0)
    if actuator.dyntype[a] == DynType.PID:
        dt = opt.timestep[per_world(opt.timestep.shape[0], w)]
        prm = actuator.dynprm[per_world(actuator.dynprm.shape[0], w), a]
        k = actuator.actadr[a]
        if prm[PIDDyn.SLEWMAX] > 0.0:
            held = state.act[w, k]
            goal = towards(held + nearest_turn(goal - held, period), held, prm[PIDDyn.SLEWMAX], dt)
            drive.act_dot[w, k] = (goal - held) / dt
            k += 1
        if gain != 0.0:
            integral = state.act[w, k]
            rate = wound(nearest_turn(goal - length, period), integral, prm[PIDDyn.IMAX])
            drive.act_dot[w, k] = rate
            if actuator.actearly[a] != 0:
                integral = next_activation(opt, actuator, integral, rate, w, a)
    error = nearest_turn(goal - length, period)
    velocity_error = inputs[1] - drive.actuator_velocity[w, o]
    return bias[Affine.CONSTANT] - bias[Affine.LENGTH] * error - bias[Affine.VELOCITY] * velocity_error + gain * integral + inputs[2]
