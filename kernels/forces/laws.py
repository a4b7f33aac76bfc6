"""Actuators whose force is no gain times an input: DC motors, PID servos, servos of orientations, functions of the user's.

What not every model has gets kernels of its own (decision 008): these are launched only when ``m.size.nlaw`` is positive.
``actuation.py`` then leaves its work after the forces of all other actuators; limits, generalized forces and the
acceleration follow here. Functions of the user's have been called before (``user.py``).
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.enums import DisableBit, ForceLaw
from newtonish.kernels.forces.acceleration import acceleration_world
from newtonish.kernels.forces.actuation import (
    actuator_disabled,
    controls_are_bad,
    limit_tendon_force_world,
    limited_force,
    limits_wait,
    next_activation,
)
from newtonish.kernels.forces.dcmotor import add_mechanical_force, advance_motor, electrical_force
from newtonish.kernels.forces.generalized_force import generalized_force_world
from newtonish.kernels.forces.pid import pid_force
from newtonish.kernels.forces.so3 import advance_so3, so3_force, so3_transmission
from newtonish.kernels.history.stage import with_controls
from newtonish.kernels.math.world import lanes, per_world, sync
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.structs.data import Com, Drive, Force, Kinematics, Mass, Scratch, State
from newtonish.kernels.structs.model import Actuator, Body, Dof, Joint, Option, Site, Size, Tendon, Tree


@wp.func
def _law_forces_world(
    size: Size, opt: Option, jnt: Joint, site: Site, actuator: Actuator, state: State, kin: Kinematics, drive: Drive,
    w: int, lane: int,
):  # fmt: skip
    """Forces, but for limits that wait, and rates of activations."""
    zero_controls = controls_are_bad(size, opt, actuator, state, w, lane)
    for a in range(lane, size.nactuator, lanes()):
        law = actuator.law[a]
        off = actuator_disabled(opt, actuator, a)
        if law == ForceLaw.SO3:
            so3_force(opt, jnt, site, actuator, state, kin, drive, zero_controls, off, w, a)
        elif law == ForceLaw.DCMOTOR or law == ForceLaw.PID:
            force = wp.float32(0.0)
            if law == ForceLaw.DCMOTOR:
                found = electrical_force(opt, actuator, state, drive, zero_controls, w, a)
                force = found.force
                drive.law_slope[w, a] = found.slope
            else:
                force = pid_force(opt, jnt, actuator, state, drive, zero_controls, w, a)
            if not limits_wait(size, actuator, a):
                force = limited_force(actuator, force, w, a)
            drive.actuator_force[w, actuator.outadr[a]] = wp.where(off, 0.0, force)
    sync()


@wp.func
def _mechanical_forces_world(size: Size, opt: Option, actuator: Actuator, tendon: Tendon, state: State, drive: Drive, w: int, lane: int):
    """Cogging and friction of motors, which no limit holds."""
    for a in range(lane, size.nactuator, lanes()):
        if actuator.law[a] == ForceLaw.DCMOTOR and not actuator_disabled(opt, actuator, a):
            if limits_wait(size, actuator, a):
                if tendon.actfrclimited[actuator.trnid[a][0]] != 0 and drive.held[w, actuator.outadr[a]] != 0:
                    drive.law_slope[w, a] = 0.0
            add_mechanical_force(actuator, state, drive, w, a)
    sync()


@wp.func
def laws_world(
    size: Size, opt: Option, jnt: Joint, dof: Dof, site: Site, actuator: Actuator, tendon: Tendon, state: State,
    kin: Kinematics, frc: Force, drive: Drive, w: int, lane: int,
):  # fmt: skip
    """Forces of the remaining actuators, limits, generalized forces of all; returns with a barrier."""
    if (opt.disableflags & DisableBit.ACTUATION) == 0:
        _law_forces_world(size, opt, jnt, site, actuator, state, kin, drive, w, lane)
        if size.ntenfrc > 0:
            limit_tendon_force_world(size, actuator, tendon, drive, w, lane)
        _mechanical_forces_world(size, opt, actuator, tendon, state, drive, w, lane)
        generalized_force_world(size, opt, jnt, dof, frc, drive, w, lane)
        sync()


@wp.kernel
def _laws(
    size: Size, opt: Option, jnt: Joint, dof: Dof, site: Site, actuator: Actuator, tendon: Tendon, state: State,
    kin: Kinematics, frc: Force, drive: Drive,
):  # fmt: skip
    w, lane = wp.tid()
    laws_world(size, opt, jnt, dof, site, actuator, tendon, state, kin, frc, drive, w, lane)


@wp.kernel
def _laws_and_acceleration(
    size: Size, opt: Option, tree: Tree, body: Body, jnt: Joint, dof: Dof, site: Site, actuator: Actuator,
    tendon: Tendon, state: State, kin: Kinematics, com: Com, mass: Mass, frc: Force, drive: Drive, scratch: Scratch,
):  # fmt: skip
    w, lane = wp.tid()
    laws_world(size, opt, jnt, dof, site, actuator, tendon, state, kin, frc, drive, w, lane)
    acceleration_world(size, tree, body, dof, state, kin, com, mass, frc, scratch, w, lane)


@wp.kernel
def _so3_transmission(
    size: Size, tree: Tree, body: Body, jnt: Joint, site: Site, actuator: Actuator, state: State, kin: Kinematics,
    com: Com, drive: Drive,
):  # fmt: skip
    w, lane = wp.tid()
    for a in range(lane, size.nactuator, lanes()):
        if actuator.law[a] == ForceLaw.SO3:
            so3_transmission(tree, body, jnt, site, actuator, state, kin, com, drive, w, a)


@wp.kernel
def _advance(size: Size, opt: Option, actuator: Actuator, state: State, drive: Drive):
    """Activations one time step later; without rates where the actuator is switched off, as in MuJoCo."""
    w, lane = wp.tid()
    dt = opt.timestep[per_world(opt.timestep.shape[0], w)]
    if (opt.disableflags & DisableBit.ACTUATION) == 0:
        for a in range(lane, size.nactuator, lanes()):
            law = actuator.law[a]
            off = actuator_disabled(opt, actuator, a)
            if law == ForceLaw.DCMOTOR:
                advance_motor(actuator, state, drive, off, dt, w, a)
            elif law == ForceLaw.SO3:
                advance_so3(actuator, state, drive, off, dt, w, a)
            elif law != ForceLaw.GAIN_BIAS:
                for k in range(actuator.actadr[a], actuator.actadr[a] + actuator.actnum[a]):
                    act_dot = wp.where(off, 0.0, drive.act_dot[w, k])
                    state.act[w, k] = next_activation(opt, actuator, state.act[w, k], act_dot, w, a)


def law_transmission(m: Any, d: Any) -> None:
    """Lengths and moments of servos of orientations, after ``transmission``. MuJoCo: part of mj_transmission.

    Reads   m.jnt, m.site, m.actuator; d.state.qpos, d.kin, d.com
    Writes  d.drive.actuator_length, moment_colind, actuator_moment of their outputs
    """
    groups = [m.size, m.tree, m.body, m.jnt, m.site, m.actuator, d.state, d.kin, d.com, d.drive]
    launch(_so3_transmission, d, groups)


def fwd_laws(m: Any, d: Any) -> None:
    """Forces of DC motors, PID servos, servos of orientations and user functions, after ``fwd_actuation``, which has read delayed controls.

    Reads   m.opt, m.actuator; d.state (ctrl, act), d.kin, d.drive, d.frc.qfrc_gravcomp
    Writes  d.drive.actuator_force, act_dot, law_slope; d.frc.qfrc_actuator [N, N m]
    MuJoCo  part of mj_fwdActuation.
    """
    groups = [m.size, m.opt, m.jnt, m.dof, m.site, m.actuator, m.tendon, with_controls(m, d), d.kin, d.frc, d.drive]
    launch(_laws, d, groups)


def laws_and_acceleration(m: Any, d: Any, state: Any) -> None:
    """``fwd_laws`` and the acceleration without constraints, within a step; ``state`` may have delayed controls."""
    groups = [m.size, m.opt, m.tree, m.body, m.jnt, m.dof, m.site, m.actuator, m.tendon, state, d.kin, d.com]
    launch(_laws_and_acceleration, d, [*groups, d.mass, d.frc, d.drive, d.scratch])


def advance_laws(m: Any, d: Any) -> None:
    """Advance the activations of actuators with a law of their own by one time step.

    Reads   m.opt, m.actuator; d.state.act, d.drive (act_dot, actuator_velocity)
    Writes  d.state.act
    MuJoCo  part of mj_advance.
    """
    launch(_advance, d, [m.size, m.opt, m.actuator, d.state, d.drive])
