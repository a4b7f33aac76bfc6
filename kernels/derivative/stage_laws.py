"""Activations of actuators with a law of their own through the stages of a Runge-Kutta step.

``linear.Az`` has the derivatives of their rates by all inputs of a stage, ``linear.Gu`` those of forces. What the step ends with is made of the start and of
the mean rates, but for the deflection of bristles and for orientations: of them ``linear.Ez`` tells, at the first stage, how they follow from the start alone.
"""

import warp as wp

from newtonish.common.actuator_parameters import DCMotorDyn as Dyn
from newtonish.common.enums import ForceLaw
from newtonish.kernels.derivative.algebra import real
from newtonish.kernels.derivative.stages import Stages
from newtonish.kernels.derivative.workspace import Linear
from newtonish.kernels.forces.actuation import next_activation
from newtonish.kernels.forces.dcmotor import motor_slots, share_of_step
from newtonish.kernels.math.world import lanes, per_world, sync
from newtonish.kernels.structs.model import Actuator, Option, Size

vec5d = wp.types.vector(length=5, dtype=wp.float64)


@wp.func
def add_law_forces(size: Size, linear: Linear, stages: Stages, w: int, line: int):
    """Add what activations do to the residual, in a column of ``linear.column``."""
    for z in range(linear.Az.shape[1]):
        change = stages.Z[w, z, line]
        if change != real(0.0):
            for i in range(size.nv):
                linear.column[w, i, line] = linear.column[w, i, line] + linear.Gu[w, i, z] * change


@wp.func
def law_rates(size: Size, actuator: Actuator, linear: Linear, stages: Stages, w: int, a: int, line: int) -> vec5d:
    """Changes of the rates of all activations of actuator ``a``."""
    nv = size.nv
    adr = actuator.actadr[a]
    found = vec5d()
    for n in range(actuator.actnum[a]):
        total = real(0.0)
        for k in range(nv):
            total += linear.Az[w, adr + n, k] * stages.Q[w, k, line] + linear.Az[w, adr + n, nv + k] * stages.V[w, k, line]
        for z in range(adr, adr + actuator.actnum[a]):
            total += linear.Az[w, adr + n, 2 * nv + z] * stages.Z[w, z, line]
        if line >= 2 * nv + size.na:
            total += linear.Az[w, adr + n, line]
        found[n] = total
    return found


@wp.func
def end_of_law(opt: Option, actuator: Actuator, stages: Stages, off: bool, w: int, a: int):
    """``stages.end_act`` and ``end_dot`` of the activations of actuator ``a``, while actuators act."""
    step = opt.timestep[per_world(opt.timestep.shape[0], w)]
    law = actuator.law[a]
    dyn = actuator.dynprm[per_world(actuator.dynprm.shape[0], w), a]
    slots = motor_slots(dyn, actuator.gainprm[per_world(actuator.gainprm.shape[0], w), a], actuator.actadr[a])
    for z in range(actuator.actadr[a], actuator.actadr[a] + actuator.actnum[a]):
        rate = wp.where(off, 0.0, stages.dot[w, z])
        by_act = real(1.0)
        by_dot = real(wp.where(off, 0.0, step))
        held = wp.bool(False)
        if law == ForceLaw.PID and actuator.actlimited[a] != 0:
            after = next_activation(opt, actuator, stages.act[w, 0, z], rate, w, a)
            limits = actuator.actrange[per_world(actuator.actrange.shape[0], w), a]
            held = after <= limits[0] or after >= limits[1]
        if law == ForceLaw.DCMOTOR:
            if z == slots.current and not off:
                by_dot = real(share_of_step(step, dyn[Dyn.TIMECONST]))
            if z == slots.integral and dyn[Dyn.IMAX] > 0.0:
                held = wp.abs(stages.act[w, 0, z] + rate * step) >= dyn[Dyn.IMAX]
        if law == ForceLaw.SO3 or (law == ForceLaw.DCMOTOR and z == slots.bristle):
            held = wp.bool(True)  # as ``linear.Ez`` tells
        stages.end_act[w, z] = wp.where(held, real(0.0), by_act)
        stages.end_dot[w, z] = wp.where(held, real(0.0), by_dot)


@wp.func
def _owed(size: Size, linear: Linear, stages: Stages, at_start: bool, w: int, line: int) -> wp.float64:
    """Adjoint of input ``line`` of a stage through the rates of activations, at the start also through what follows from it alone."""
    total = real(0.0)
    for z in range(linear.Az.shape[1]):
        total += linear.Az[w, z, line] * real(stages.bar_Z[w, z])
        if at_start:
            total += linear.Ez[w, z, line] * real(linear.next_bar[w, 2 * size.nv + z])
    return total


@wp.func
def law_adjoint_world(size: Size, actuator: Actuator, linear: Linear, stages: Stages, at_start: bool, w: int, lane: int):
    """Add to the adjoints of a stage's position, velocity, activations and controls; begins and ends with a barrier."""
    sync()
    nv = size.nv
    for k in range(lane, nv, lanes()):
        linear.bar_q[w, k, 0] = linear.bar_q[w, k, 0] + _owed(size, linear, stages, at_start, w, k)
        linear.bar_v[w, k, 0] = linear.bar_v[w, k, 0] + _owed(size, linear, stages, at_start, w, nv + k)
    for a in range(lane, size.nactuator, lanes()):
        if actuator.law[a] != 0:
            for z in range(actuator.actadr[a], actuator.actadr[a] + actuator.actnum[a]):
                total = _owed(size, linear, stages, at_start, w, 2 * nv + z)
                for i in range(nv):
                    total += linear.Gu[w, i, z] * linear.another[w, i, 0]
                linear.state_bar[w, 2 * nv + z] = float(total)
            for u in range(actuator.ctrladr[a], actuator.ctrladr[a] + actuator.ctrlnum[a]):
                linear.ctrl_bar[w, u] = linear.ctrl_bar[w, u] + float(_owed(size, linear, stages, at_start, w, 2 * nv + size.na + u))
    sync()
