"""What actuators with a law of their own add to the linearized dynamics: PID servos and DC motors, which take several inputs and activations.

Forces go into Gq, Gv and Gu; the activations after the step into Az, which the transition takes as it is. With RK4 the rates of activations go there.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.enums import DisableBit, ForceLaw
from newtonish.kernels.derivative.algebra import real
from newtonish.kernels.derivative.dual import ACTIVATION, INPUT, LENGTH, VELOCITY, dual
from newtonish.kernels.derivative.forces import RK4, add_force
from newtonish.kernels.derivative.law_duals import Lawful, dc_motor, pid
from newtonish.kernels.derivative.workspace import Linear, Workspace
from newtonish.kernels.forces.actuation import actuator_disabled, controls_are_bad
from newtonish.kernels.math.world import lane_index, lanes, sync, world_index, worlds_per_thread
from newtonish.kernels.runtime.launch import launch, through_worlds
from newtonish.kernels.structs.data import Drive, State
from newtonish.kernels.structs.model import Actuator, Joint, Option, Size

DCMOTOR = wp.constant(int(ForceLaw.DCMOTOR))
PID = wp.constant(int(ForceLaw.PID))


@wp.func
def _write_row(
    size: Size, actuator: Actuator, drive: Drive, target: wp.array3d(dtype=wp.float64), value: dual, w: int, a: int, z: int,
):  # fmt: skip
    """Row ``z`` of Az or Ez."""
    nv = size.nv
    o = actuator.outadr[a]
    for n in range(drive.moment_rowadr[w, o], drive.moment_rowadr[w, o] + drive.moment_rownnz[w, o]):
        k = drive.moment_colind[w, n]
        target[w, z, k] = value[LENGTH] * real(drive.actuator_moment[w, n])
        target[w, z, nv + k] = value[VELOCITY] * real(drive.actuator_moment[w, n])
    for i in range(actuator.actnum[a]):
        target[w, z, 2 * nv + actuator.actadr[a] + i] = value[ACTIVATION + i]
    u = actuator.ctrladr[a]
    for i in range(4):
        if (actuator.ctrlspec[a] & (1 << i)) != 0:
            target[w, z, 2 * nv + size.na + u] = value[INPUT + i]
            u += 1


@wp.func
def _write_activation(size: Size, opt: Option, actuator: Actuator, drive: Drive, linear: Linear, found: Lawful, w: int, a: int, i: int):
    """Activation ``i`` of actuator ``a``: its row of Az, and with RK4 that of Ez if it does not follow from rates."""
    z = actuator.actadr[a] + i
    value = found.acts[i]
    if opt.integrator == RK4:
        value = found.rates[i]
        if i == found.leap:
            linear.end_velocity[w, z] = found.acts[i][VELOCITY]
            _write_row(size, actuator, drive, linear.Ez, found.acts[i], w, a, z)
    linear.act_length[w, z] = value[LENGTH]
    linear.act_velocity[w, z] = value[VELOCITY]
    _write_row(size, actuator, drive, linear.Az, value, w, a, z)


@wp.func
def _write_force(size: Size, actuator: Actuator, drive: Drive, linear: Linear, force: dual, w: int, a: int, lane: int):
    """The force of actuator ``a``, into Gq, Gv and Gu; each lane has columns of its own."""
    o = actuator.outadr[a]
    first = drive.moment_rowadr[w, o]
    for n in range(first + lane, first + drive.moment_rownnz[w, o], lanes()):
        k = drive.moment_colind[w, n]
        at = real(drive.actuator_moment[w, n])
        add_force(drive, linear, linear.Gq, -force[LENGTH] * at, w, o, k)
        add_force(drive, linear, linear.Gv, -force[VELOCITY] * at, w, o, k)
    for i in range(lane, actuator.actnum[a], lanes()):
        add_force(drive, linear, linear.Gu, force[ACTIVATION + i], w, o, actuator.actadr[a] + i)
    u = actuator.ctrladr[a]
    for i in range(4):
        if (actuator.ctrlspec[a] & (1 << i)) != 0:
            if lane == 0:
                add_force(drive, linear, linear.Gu, force[INPUT + i], w, o, size.na + u)
            u += 1


@wp.kernel
def _law_slopes(size: Size, opt: Option, jnt: Joint, actuator: Actuator, state: State, drive: Drive, linear: Linear, nworld: int):
    """Slopes of all forces and activations with a law of their own."""
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        for line in range(lane, size.na + size.nu, lanes()):
            for i in range(size.nv):
                linear.Gu[w, i, line] = real(0.0)
        for line in range(lane, 2 * size.nv + size.na + size.nu, lanes()):
            for i in range(size.na):
                linear.Az[w, i, line] = real(0.0)
            for i in range(linear.Ez.shape[1]):
                linear.Ez[w, i, line] = real(0.0)
        for i in range(lane, size.na, lanes()):
            linear.act_length[w, i] = real(0.0)
            linear.act_velocity[w, i] = real(0.0)
            if linear.Ez.shape[1] > 0:
                linear.end_velocity[w, i] = real(0.0)
        zero_controls = controls_are_bad(size, opt, actuator, state, w, lane)
        acts = (opt.disableflags & DisableBit.ACTUATION) == 0
        sync()
        for a in range(size.nactuator):
            law = actuator.law[a]
            if law == DCMOTOR or law == PID:
                off = actuator_disabled(opt, actuator, a)
                found = Lawful()
                if law == PID:
                    found = pid(opt, jnt, actuator, state, drive, linear, zero_controls, off, w, a)
                else:
                    found = dc_motor(opt, actuator, state, drive, linear, zero_controls, off, w, a)
                if acts:
                    if lane == 0:
                        linear.force_length[w, a] = found.force[LENGTH]
                        linear.force_velocity[w, a] = found.force[VELOCITY]
                    _write_force(size, actuator, drive, linear, found.force, w, a, lane)
                for i in range(lane, actuator.actnum[a], lanes()):
                    if acts:
                        _write_activation(size, opt, actuator, drive, linear, found, w, a, i)
                    elif opt.integrator != RK4:
                        linear.Az[w, actuator.actadr[a] + i, 2 * size.nv + actuator.actadr[a] + i] = real(1.0)
                sync()  # the next may have the same columns in other lanes


through_worlds(_law_slopes)


def law_slopes(m: Any, d: Any, state: State, work: Workspace) -> None:
    """Slopes of forces and activations of actuators with a law of their own, after those of the others.

    Reads   m; ``state`` (with the controls that act), d.drive, work.linear.left, share
    Writes  work.linear.Gq, Gv, Gu, Az, Ez, end_velocity, act_length, act_velocity, force_length, force_velocity
    """
    launch(_law_slopes, d, [m.size, m.opt, m.jnt, m.actuator, state, d.drive, work.linear])
