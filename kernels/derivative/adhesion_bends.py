"""What actuators add to the linearized dynamics that act on bodies, along the normals of all contacts that they have.

The moment is the mean of the normals' Jacobians: normals turn and points shift as the geometry of each contact says (``witness.py``), with a force or without.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.enums import TrnType
from newtonish.kernels.derivative.algebra import real
from newtonish.kernels.derivative.bends import add_bend, add_bent_product, anchored, bend_by, clear_bend, fill_arm_of_output, rate_of
from newtonish.kernels.derivative.forces import add_force
from newtonish.kernels.derivative.held_slopes import Slope, slope_of_actuator
from newtonish.kernels.derivative.metric_bends import add_bent_hold
from newtonish.kernels.derivative.response import DISCRETE
from newtonish.kernels.derivative.witness import Witness, displaced, is_known
from newtonish.kernels.derivative.witnesses import contact_count
from newtonish.kernels.derivative.workspace import Linear, LinearMotion, Workspace
from newtonish.kernels.forces.actuation import controls_are_bad
from newtonish.kernels.math.world import lane_index, lanes, per_world, sync, world_index, worlds_per_thread
from newtonish.kernels.runtime.launch import launch, through_worlds
from newtonish.kernels.structs.data import Com, Contact, Drive, Force, Kinematics, State, Status
from newtonish.kernels.structs.model import Actuator, Body, Dof, Geom, Joint, Option, Size, Tree

ON_BODY = wp.constant(int(TrnType.BODY))


@wp.func
def _concerns(geom: Geom, contact: Contact, w: int, c: int, b: int) -> bool:
    """Whether contact ``c`` is one of body ``b``."""
    pair = contact.geom[w, c]
    return geom.bodyid[pair[0]] == b or geom.bodyid[pair[1]] == b


@wp.func
def _contact_bend(
    size: Size, tree: Tree, body: Body, jnt: Joint, dof: Dof, com: Com, linear: Linear, found: Witness, share: wp.float64, w: int, b1: int, b2: int, k: int,
):  # fmt: skip
    """Change of what one contact adds to the moment as dof ``k`` moves, into column ``k``."""
    clear_bend(size, linear, w, k)
    one = anchored(tree, body, dof, com, found.pos, w, b1, k)
    two = anchored(tree, body, dof, com, found.pos, w, b2, k)
    moved = displaced(found, one.moved, one.turn, two.moved, two.turn)
    one.moved = moved.pos
    two.moved = moved.pos
    pull = share * found.normal
    turned = wp.cross(moved.turn, pull)
    bend_by(tree, jnt, dof, com, linear, one, pull, wp.vec3d(), turned, wp.vec3d(), 0, w, k)
    bend_by(tree, jnt, dof, com, linear, two, -pull, wp.vec3d(), -turned, wp.vec3d(), 0, w, k)


@wp.func
def _add_changes(
    size: Size, opt: Option, jnt: Joint, dof: Dof, state: State, drive: Drive, linear: Linear, slope: Slope, dt: wp.float64, w: int, a: int, o: int, k: int,
):  # fmt: skip
    """What a change of the moment does to force and velocity."""
    add_bend(size, linear, linear.Gq, real(0.0), -real(drive.actuator_force[w, o]), w, k)
    faster = rate_of(size, linear, state.qvel, w, k)
    add_force(drive, linear, linear.Gq, -linear.force_velocity[w, a] * faster, w, o, k)
    if opt.integrator == DISCRETE:
        add_bent_hold(size, linear, linear.act_firm[w, a], dt, real(0.0), faster, w, k)
    if slope.value != real(0.0) or slope.by_velocity != real(0.0):
        add_bent_product(size, opt, jnt, dof, linear, linear.Xq, linear.acc, dt * slope.value, dt * slope.by_velocity * faster, w, k)


@wp.kernel
def _adhesion_bends(
    size: Size, opt: Option, tree: Tree, body: Body, jnt: Joint, dof: Dof, geom: Geom, actuator: Actuator,
    state: State, kin: Kinematics, com: Com, frc: Force, drive: Drive, contact: Contact, status: Status, linear: Linear, motion: LinearMotion, nworld: int,
):  # fmt: skip
    """Add the changing moments of actuators on bodies to Gq; each lane has columns of its own."""
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        dt = real(opt.timestep[per_world(opt.timestep.shape[0], w)])
        zero_controls = controls_are_bad(size, opt, actuator, state, w, lane)
        last = contact_count(motion, status, w)
        for a in range(size.nactuator):
            if actuator.trntype[a] == ON_BODY:
                o = actuator.outadr[a]
                b = actuator.trnid[a][0]
                slope = slope_of_actuator(opt, jnt, actuator, state, frc, drive, zero_controls, w, a)
                fill_arm_of_output(size, linear, drive, w, o, lane)
                for k in range(lane, size.nv, lanes()):  # its length is always zero, not what the moment is the gradient of
                    add_force(drive, linear, linear.Gq, linear.force_length[w, a] * linear.arm[w, k], w, o, k)
                    if opt.integrator == DISCRETE:
                        clear_bend(size, linear, w, k)
                        add_bent_hold(size, linear, linear.act_firm[w, a], dt, -linear.arm[w, k], real(0.0), w, k)
                touching = wp.int32(0)
                for c in range(last):
                    if _concerns(geom, contact, w, c, b):
                        touching += 1
                for c in range(last):
                    if _concerns(geom, contact, w, c, b):
                        found = motion.witness[w, c]
                        pair = contact.geom[w, c]
                        if lane == 0 and not is_known(found) and linear.blind[w] == 0 and drive.actuator_force[w, o] != 0.0:
                            linear.blind[w] = 1 + c
                        for k in range(lane, size.nv, lanes()):
                            share = real(1.0) / real(touching)
                            _contact_bend(size, tree, body, jnt, dof, com, linear, found, share, w, geom.bodyid[pair[0]], geom.bodyid[pair[1]], k)
                            _add_changes(size, opt, jnt, dof, state, drive, linear, slope, dt, w, a, o, k)
        sync()


through_worlds(_adhesion_bends)


def adhesion_bends(m: Any, d: Any, state: State, work: Workspace) -> None:
    """Add the changing moments of actuators on bodies to the derivatives of the residual, after all slopes of forces are known.

    Reads   m; ``state`` (with the controls that act), d.kin, d.com, d.frc, d.drive, d.contact, work.motion.witness, work.linear (left, force_length, force_velocity, acc, speed, act_firm)
    Writes  work.linear.Gq, Xq, blind, bend, arm, stiffer
    """
    groups = [m.size, m.opt, m.tree, m.body, m.jnt, m.dof, m.geom, m.actuator, state, d.kin, d.com, d.frc, d.drive]
    launch(_adhesion_bends, d, [*groups, d.contact, d.status, work.linear, work.motion])
