"""How the matrix of implicit integrators changes where forces do not follow velocity at a constant rate.

It takes from M h D, a sum of products s m m' of moments m and slopes s, of which the places are kept that the matrix has. Where a slope changes with
length, velocity or input, so does D times the integrator's acceleration. (Changes of the moments: ``tendon_bends.py`` and ``output_bends.py``.)
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.actuator_parameters import Affine
from newtonish.common.enums import DisableBit, ForceLaw, GainType
from newtonish.kernels.derivative.algebra import real, vec8d
from newtonish.kernels.derivative.bends import fill_arm, fill_arm_of_output
from newtonish.kernels.derivative.firmness import INPUT, TO_DAMPER, of_motor
from newtonish.kernels.derivative.integrator import are_coupled, is_implicit
from newtonish.kernels.derivative.muscle_slopes import muscle_gain_bends
from newtonish.kernels.derivative.polynomials import damper_bend
from newtonish.kernels.derivative.workspace import Linear, Workspace
from newtonish.kernels.forces.actuation import controls_are_bad
from newtonish.kernels.forces.dcmotor import motor_slots
from newtonish.kernels.forces.muscle import muscle_gain_slope
from newtonish.kernels.integrate.derivative import actuator_input, actuator_slope, holds_still
from newtonish.kernels.math.world import lane_index, lanes, per_world, sync, world_index, worlds_per_thread
from newtonish.kernels.runtime.launch import launch, through_worlds
from newtonish.kernels.structs.data import Drive, Force, State, TendonState
from newtonish.kernels.structs.model import Actuator, Dof, Joint, Option, Size, Tendon
from newtonish.kernels.tendon.derivative import tendon_damping_slope


@wp.struct
class Slope:
    """Derivative of a force by its velocity, as the integrator takes it, and the derivatives of that."""

    value: wp.float64
    by_length: wp.float64
    by_velocity: wp.float64
    by_input: wp.float64


@wp.func
def slope_of_actuator(
    opt: Option, jnt: Joint, actuator: Actuator, state: State, frc: Force, drive: Drive, zero_controls: bool, w: int, a: int,
) -> Slope:  # fmt: skip
    """Slope of actuator ``a``."""
    found = Slope()
    if is_implicit(opt) and (opt.disableflags & DisableBit.ACTUATION) == 0:
        found.value = real(actuator_slope(opt, jnt, actuator, state, frc, drive, zero_controls, w, a))
        moving = not holds_still(opt, jnt, actuator, frc, drive, w, a)
        if moving and actuator.law[a] == ForceLaw.DCMOTOR:  # whose resistance grows with its temperature
            found.by_input = -of_motor(opt, actuator, state, drive, zero_controls, vec8d(), w, a)[INPUT + TO_DAMPER]
        elif moving and actuator.law[a] == 0 and actuator.gaintype[a] != GainType.FIXED:
            o = actuator.outadr[a]
            prm = actuator.gainprm[per_world(actuator.gainprm.shape[0], w), a]
            if actuator.gaintype[a] == GainType.AFFINE:
                found.by_input = real(prm[Affine.VELOCITY])
            elif actuator.gaintype[a] == GainType.MUSCLE:
                value = real(actuator_input(opt, actuator, state, drive, zero_controls, w, a))
                span = actuator.lengthrange[per_world(actuator.lengthrange.shape[0], w), o]
                acc0 = actuator.acc0[per_world(actuator.acc0.shape[0], w), o]
                bends = muscle_gain_bends(prm, drive.actuator_length[w, o], drive.actuator_velocity[w, o], span, acc0)
                found.by_length = value * real(bends[0])
                found.by_velocity = value * real(bends[1])
                found.by_input = real(muscle_gain_slope(prm, drive.actuator_length[w, o], drive.actuator_velocity[w, o], span, acc0))
    return found


@wp.func
def slope_of_tendon(opt: Option, tendon: Tendon, ten: TendonState, w: int, t: int) -> Slope:
    """Slope of the damper of tendon ``t``."""
    found = Slope()
    if is_implicit(opt) and (opt.disableflags & DisableBit.DAMPER) == 0:
        poly = tendon.dampingpoly[per_world(tendon.dampingpoly.shape[0], w), t]
        found.value = -real(tendon_damping_slope(tendon, ten, w, t))
        found.by_velocity = -damper_bend(poly, real(ten.velocity[w, t]))
    return found


@wp.func
def is_curved(slope: Slope) -> bool:
    """Whether a slope changes."""
    return slope.by_length != real(0.0) or slope.by_velocity != real(0.0) or slope.by_input != real(0.0)


@wp.func
def _product_world(size: Size, opt: Option, jnt: Joint, dof: Dof, linear: Linear, w: int, lane: int):
    """m m' times the acceleration, into ``linear.held``, for the moment m in ``linear.arm``; begins and ends with a barrier."""
    sync()
    for i in range(lane, size.nv, lanes()):
        pull = real(0.0)
        if linear.arm[w, i] != real(0.0):
            for j in range(size.nv):
                if linear.arm[w, j] != real(0.0) and are_coupled(size, opt, jnt, dof, i, j):
                    pull += linear.arm[w, j] * linear.acc[w, j]
        linear.held[w, i] = linear.arm[w, i] * pull
    sync()


@wp.func
def _add_curvature(size: Size, linear: Linear, slope: Slope, dt: wp.float64, w: int, lane: int):
    """What a slope's change with length and velocity does, column by column."""
    for k in range(lane, size.nv, lanes()):
        at = dt * linear.arm[w, k]
        if at != real(0.0):
            for i in range(size.nv):
                linear.Xq[w, i, k] = linear.Xq[w, i, k] + slope.by_length * at * linear.held[w, i]
                linear.Xv[w, i, k] = linear.Xv[w, i, k] + slope.by_velocity * at * linear.held[w, i]


@wp.kernel
def _held_slopes(
    size: Size, opt: Option, jnt: Joint, dof: Dof, actuator: Actuator, tendon: Tendon, state: State, frc: Force, drive: Drive,
    ten: TendonState, linear: Linear, nworld: int,
):  # fmt: skip
    """Add bias forces and changing slopes of tendons and actuators to Xq, and fill Xv and Xu."""
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        dt = real(opt.timestep[per_world(opt.timestep.shape[0], w)])
        for i in range(size.nv):
            for k in range(lane, size.nv, lanes()):
                linear.Xv[w, i, k] = real(0.0)
                if linear.Kv.shape[1] > 0:
                    linear.Xv[w, i, k] = -linear.Kv[w, i, k]
                    linear.Xq[w, i, k] = linear.Xq[w, i, k] - linear.Kq[w, i, k]
            for k in range(lane, size.na + size.nu, lanes()):
                linear.Xu[w, i, k] = real(0.0)
        for t in range(size.ntendon):
            slope = slope_of_tendon(opt, tendon, ten, w, t)
            if is_curved(slope):
                fill_arm(size, linear, tendon.J_colind, ten.J, tendon.J_rowadr[t], tendon.J_rowadr[t] + tendon.J_rownnz[t], w, lane)
                _product_world(size, opt, jnt, dof, linear, w, lane)
                _add_curvature(size, linear, slope, dt, w, lane)
        zero_controls = controls_are_bad(size, opt, actuator, state, w, lane)
        for a in range(size.nactuator):
            slope = slope_of_actuator(opt, jnt, actuator, state, frc, drive, zero_controls, w, a)
            if is_curved(slope):
                fill_arm_of_output(size, linear, drive, w, actuator.outadr[a], lane)
                _product_world(size, opt, jnt, dof, linear, w, lane)
                _add_curvature(size, linear, slope, dt, w, lane)
                for i in range(lane, size.nv, lanes()):
                    held = dt * slope.by_input * linear.held[w, i]
                    if actuator.law[a] == ForceLaw.DCMOTOR:
                        dyn = actuator.dynprm[per_world(actuator.dynprm.shape[0], w), a]
                        gain = actuator.gainprm[per_world(actuator.gainprm.shape[0], w), a]
                        warm = motor_slots(dyn, gain, actuator.actadr[a]).temperature
                        linear.Xu[w, i, warm] = linear.Xu[w, i, warm] + held
                    elif actuator.actadr[a] >= 0:
                        act = actuator.actadr[a] + actuator.actnum[a] - 1
                        linear.Xu[w, i, act] = linear.Xu[w, i, act] + held * linear.input_act[w, a]
                    if actuator.law[a] == 0 and actuator.ctrlnum[a] > 0:
                        ctrl = size.na + actuator.ctrladr[a]
                        linear.Xu[w, i, ctrl] = linear.Xu[w, i, ctrl] + held * linear.input_ctrl[w, a]


through_worlds(_held_slopes)


def held_slopes(m: Any, d: Any, state: State, work: Workspace) -> None:
    """Changes of what implicit integrators take of forces by velocity, after the slopes of actuators.

    Reads   m; ``state`` (with the controls that act), d.frc, d.drive, d.ten, work.linear (acc, Kq, Kv, input_act, input_ctrl)
    Writes  work.linear.Xq, Xv, Xu, arm, held
    """
    groups = [m.size, m.opt, m.jnt, m.dof, m.actuator, m.tendon, state, d.frc, d.drive, d.ten]
    launch(_held_slopes, d, [*groups, work.linear])
