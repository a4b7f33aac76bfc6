"""What actuators with a law of their own add to the linearized dynamics: PID servos and DC motors, which take several inputs and activations.

Forces go into Gq, Gv and Gu; the activations after the step into Az, which the transition takes as it is.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.enums import DisableBit, ForceLaw
from newtonish.kernels.derivative.algebra import real
from newtonish.kernels.derivative.dual import ACTIVATION, INPUT, LENGTH, VELOCITY, dual
from newtonish.kernels.derivative.forces import add_force
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
def _write_activation(size: Size, actuator: Actuator, drive: Drive, linear: Linear, after: dual, w: int, a: int, z: int):
    """Row ``z`` of Az."""
    nv = size.nv
    o = actuator.outadr[a]
    linear.act_length[w, z] = after[LENGTH]
    linear.act_velocity[w, z] = after[VELOCITY]
    for n in range(drive.moment_rowadr[w, o], drive.moment_rowadr[w, o] + drive.moment_rownnz[w, o]):
        k = drive.moment_colind[w, n]
        linear.Az[w, z, k] = after[LENGTH] * real(drive.actuator_moment[w, n])
        linear.Az[w, z, nv + k] = after[VELOCITY] * real(drive.actuator_moment[w, n])
    for i in range(actuator.actnum[a]):
        linear.Az[w, z, 2 * nv + actuator.actadr[a] + i] = after[ACTIVATION + i]
    u = actuator.ctrladr[a]
    for i in range(4):
        if (actuator.ctrlspec[a] & (1 << i)) != 0:
            linear.Az[w, z, 2 * nv + size.na + u] = after[INPUT + i]
            u += 1


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
        for i in range(lane, size.na, lanes()):
            linear.act_length[w, i] = real(0.0)
            linear.act_velocity[w, i] = real(0.0)
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
                        _write_activation(size, actuator, drive, linear, found.acts[i], w, a, actuator.actadr[a] + i)
                    else:
                        linear.Az[w, actuator.actadr[a] + i, 2 * size.nv + actuator.actadr[a] + i] = real(1.0)
                sync()  # the next may have the same columns in other lanes


through_worlds(_law_slopes)


def law_slopes(m: Any, d: Any, state: State, work: Workspace) -> None:
    """Slopes of forces and activations of actuators with a law of their own, after those of the others.

    Reads   m; ``state`` (with the controls that act), d.drive, work.linear.left, share
    Writes  work.linear.Gq, Gv, Gu, Az, act_length, act_velocity, force_length, force_velocity
    """
    launch(_law_slopes, d, [m.size, m.opt, m.jnt, m.actuator, state, d.drive, work.linear])
