"""Transition matrices of a linearized step.

The state is (position, velocity, activation), positions in the tangent space: rotations of ball and free joints in the frame of the body. Velocities
change first, positions follow with the new velocities; a rotation by the vector h w turns what it found, and a change of it by what the Jacobian of
the rotation group makes of it.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.enums import JointType
from newtonish.kernels.derivative.algebra import real, turned_back, turned_by
from newtonish.kernels.derivative.forces import add_force
from newtonish.kernels.derivative.integrator import (
    solve_hessian,
    solve_integrator,
)
from newtonish.kernels.derivative.solves import multiply_columns
from newtonish.kernels.derivative.workspace import Linear, Workspace
from newtonish.kernels.math.world import lane_index, lanes, per_world, world_index, worlds_per_thread
from newtonish.kernels.runtime.launch import launch, through_worlds
from newtonish.kernels.structs.data import Drive
from newtonish.kernels.structs.model import Actuator, Joint, Option, Size

UNKNOWN = wp.constant(float("nan"))


@wp.func
def right_side(size: Size, actuator: Actuator, drive: Drive, linear: Linear, w: int, line: int):
    """Minus the derivative of the residual by input ``line``, into its column."""
    nv = size.nv
    for i in range(nv):
        value = real(0.0)
        if line < nv:
            value = -linear.Gq[w, i, line]
        elif line < 2 * nv:
            value = -linear.Gv[w, i, line - nv]
        linear.column[w, i, line] = value
    if line >= 2 * nv:
        for a in range(size.nactuator):
            slope = real(0.0)
            if line < 2 * nv + size.na:
                adr = actuator.actadr[a]
                if adr >= 0 and adr + actuator.actnum[a] - 1 == line - 2 * nv:
                    slope = linear.force_act[w, a]
            elif actuator.ctrlnum[a] > 0 and actuator.ctrladr[a] == line - 2 * nv - size.na:
                slope = linear.force_ctrl[w, a]
            if slope != real(0.0):
                add_force(drive, linear, linear.column, slope, w, actuator.outadr[a], line)
        for i in range(linear.Gu.shape[1]):
            linear.column[w, i, line] = linear.column[w, i, line] + linear.Gu[w, i, line - 2 * nv]


@wp.func
def _is_unit(line: int, i: int) -> wp.float64:
    return wp.where(line == i, real(1.0), real(0.0))


@wp.func
def _rates_world(size: Size, opt: Option, linear: Linear, w: int, lane: int, dt: wp.float64):
    """Replace the columns by the changes of the new velocity."""
    nv = size.nv
    lines = linear.column.shape[2]
    solve_hessian(opt, linear, linear.column, nv, w)
    multiply_columns(linear.M, linear.column, linear.product, nv, w)
    for i in range(nv):
        for line in range(lane, nv, lanes()):
            linear.product[w, i, line] = linear.product[w, i, line] + linear.Xq[w, i, line]
    for line in range(lane, 2 * nv, lanes()):
        if line >= nv:
            linear.product[w, line - nv, line] = linear.product[w, line - nv, line] - linear.kv[w, line - nv]
    for i in range(linear.Xv.shape[1]):
        for line in range(lane, lines, lanes()):
            if line >= 2 * nv:
                linear.product[w, i, line] = linear.product[w, i, line] + linear.Xu[w, i, line - 2 * nv]
            elif line >= nv:
                linear.product[w, i, line] = linear.product[w, i, line] + linear.Xv[w, i, line - nv]
    solve_integrator(linear, linear.product, nv, w)
    for i in range(nv):
        for line in range(lane, lines, lanes()):
            linear.column[w, i, line] = dt * linear.product[w, i, line] + _is_unit(line, nv + i)


@wp.func
def _moved(size: Size, jnt: Joint, linear: Linear, w: int, line: int, dt: wp.float64):
    """Change of the new position, into ``linear.product``."""
    for j in range(size.njnt):
        v = jnt.dofadr[j]
        kind = jnt.type[j]
        if kind == JointType.SLIDE or kind == JointType.HINGE:
            linear.product[w, v, line] = _is_unit(line, v) + dt * linear.column[w, v, line]
        else:
            if kind == JointType.FREE:
                for i in range(v, v + 3):
                    linear.product[w, i, line] = _is_unit(line, i) + dt * linear.column[w, i, line]
                v += 3
            turn = dt * wp.vec3d(linear.speed[w, v], linear.speed[w, v + 1], linear.speed[w, v + 2])
            before = wp.vec3d(_is_unit(line, v), _is_unit(line, v + 1), _is_unit(line, v + 2))
            change = dt * wp.vec3d(linear.column[w, v, line], linear.column[w, v + 1, line], linear.column[w, v + 2, line])
            after = turned_back(turn, before) + turned_by(turn, change)
            for i in range(3):
                linear.product[w, v + i, line] = after[i]


@wp.func
def _store(target: wp.array3d(dtype=float), size: Size, actuator: Actuator, linear: Linear, w: int, line: int, column: int):
    """Column ``column`` of a matrix from line ``line``."""
    nv = size.nv
    for i in range(nv):
        target[w, i, column] = float(linear.product[w, i, line])
        target[w, nv + i, column] = float(linear.column[w, i, line])
    for i in range(size.na):
        target[w, 2 * nv + i, column] = 0.0
    for a in range(size.nactuator):
        adr = actuator.actadr[a]
        if adr >= 0:
            adr += actuator.actnum[a] - 1
            value = real(0.0)
            if line == 2 * nv + adr:
                value = linear.act_act[w, a]
            elif actuator.ctrlnum[a] > 0 and line == 2 * nv + size.na + actuator.ctrladr[a]:
                value = linear.act_ctrl[w, a]
            target[w, 2 * nv + adr, column] = float(value)
        if linear.Az.shape[1] > 0 and actuator.law[a] != 0:
            for z in range(actuator.actadr[a], actuator.actadr[a] + actuator.actnum[a]):
                target[w, 2 * nv + z, column] = float(linear.Az[w, z, line])
    if linear.blind[w] != 0:
        for i in range(2 * nv + size.na):
            target[w, i, column] = UNKNOWN


@wp.kernel
def _transition(
    size: Size, opt: Option, jnt: Joint, actuator: Actuator, drive: Drive, linear: Linear, nworld: int,
):  # fmt: skip
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        dt = real(opt.timestep[per_world(opt.timestep.shape[0], w)])
        nx = 2 * size.nv + size.na
        for line in range(lane, nx + size.nu, lanes()):
            right_side(size, actuator, drive, linear, w, line)
        _rates_world(size, opt, linear, w, lane, dt)
        for line in range(lane, nx + size.nu, lanes()):
            _moved(size, jnt, linear, w, line, dt)
            if line < nx:
                _store(linear.A, size, actuator, linear, w, line, line)
            else:
                _store(linear.B, size, actuator, linear, w, line, line - nx)


through_worlds(_transition)


def transition(m: Any, d: Any, work: Workspace) -> None:
    """Transition matrices, after ``linearize``.

    Reads   m.opt, m.jnt, m.actuator; d.drive, work
    Writes  work.linear.A, B
    MuJoCo  mjd_transitionFD, by finite differences there.
    """
    launch(_transition, d, [m.size, m.opt, m.jnt, m.actuator, d.drive, work.linear])
