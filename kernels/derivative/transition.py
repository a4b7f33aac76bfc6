"""Transition matrices of a linearized step.

The state is (position, velocity, activation), positions in the tangent space: rotations of ball and free joints in the frame of the body. Velocities
change first, positions follow with the new velocities; a rotation by the vector h w turns what it found, and a change of it by what the Jacobian of
the rotation group makes of it.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.derivative.algebra import is_unit, real, straight_dofs, turned_back, turned_by
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
def _add_input(drive: Drive, linear: Linear, slope: wp.float64, w: int, a: int, line: int, lane: int):
    """Add the force of actuator ``a`` by one of its inputs to the column of that; each lane has columns of its own."""
    if slope != real(0.0) and line % lanes() == lane:
        add_force(drive, linear, linear.column, slope, w, a, line)


@wp.func
def right_sides_world(size: Size, actuator: Actuator, drive: Drive, linear: Linear, w: int, lane: int):
    """Minus the derivatives of the residual by all inputs, into their columns."""
    nv = size.nv
    for i in range(nv):
        for line in range(lane, linear.column.shape[2], lanes()):
            value = real(0.0)
            if line < nv:
                value = -linear.Gq[w, i, line]
            elif line < 2 * nv:
                value = -linear.Gv[w, i, line - nv]
            elif linear.Gu.shape[1] > 0:
                value = linear.Gu[w, i, line - 2 * nv]
            linear.column[w, i, line] = value
    for a in range(size.nactuator):
        adr = actuator.actadr[a]
        if adr >= 0:
            _add_input(drive, linear, linear.force_act[w, a], w, actuator.outadr[a], 2 * nv + adr + actuator.actnum[a] - 1, lane)
        if actuator.ctrlnum[a] > 0:
            _add_input(drive, linear, linear.force_ctrl[w, a], w, actuator.outadr[a], 2 * nv + size.na + actuator.ctrladr[a], lane)


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
            linear.column[w, i, line] = dt * linear.product[w, i, line] + is_unit(line, nv + i)


@wp.func
def _turned(linear: Linear, dt: wp.float64, w: int, v: int, line: int):
    """Change of the new orientation at dof ``v``."""
    turn = dt * wp.vec3d(linear.speed[w, v], linear.speed[w, v + 1], linear.speed[w, v + 2])
    before = wp.vec3d(is_unit(line, v), is_unit(line, v + 1), is_unit(line, v + 2))
    change = dt * wp.vec3d(linear.column[w, v, line], linear.column[w, v + 1, line], linear.column[w, v + 2, line])
    after = turned_back(turn, before) + turned_by(turn, change)
    for i in range(3):
        linear.product[w, v + i, line] = after[i]


@wp.func
def _moved_world(size: Size, jnt: Joint, linear: Linear, dt: wp.float64, w: int, lane: int):
    """Changes of the new position, into ``linear.product``."""
    for j in range(size.njnt):
        v = jnt.dofadr[j]
        kind = jnt.type[j]
        straight = straight_dofs(kind)
        for i in range(v, v + straight):
            for line in range(lane, linear.column.shape[2], lanes()):
                linear.product[w, i, line] = is_unit(line, i) + dt * linear.column[w, i, line]
        if straight != 1:
            for line in range(lane, linear.column.shape[2], lanes()):
                _turned(linear, dt, w, v + straight, line)


@wp.func
def _store(linear: Linear, value: wp.float64, nx: int, w: int, row: int, line: int):
    """Entry of A, or, of an input beyond the state, of B."""
    if linear.blind[w] != 0:
        value = real(UNKNOWN)
    if line < nx:
        linear.A[w, row, line] = float(value)
    else:
        linear.B[w, row, line - nx] = float(value)


@wp.func
def _store_motions(size: Size, linear: Linear, w: int, lane: int):
    """Rows of position and velocity, and zeros in those of activations; a lane has columns of its own."""
    nx = 2 * size.nv + size.na
    for i in range(size.nv):
        for line in range(lane, linear.column.shape[2], lanes()):
            _store(linear, linear.product[w, i, line], nx, w, i, line)
            _store(linear, linear.column[w, i, line], nx, w, size.nv + i, line)
    for z in range(size.na):
        for line in range(lane, linear.column.shape[2], lanes()):
            _store(linear, real(0.0), nx, w, 2 * size.nv + z, line)


@wp.func
def _store_activations(size: Size, actuator: Actuator, linear: Linear, w: int, lane: int):
    """Rows of activations, which follow their own controls, or a law of their own."""
    nv = size.nv
    nx = 2 * nv + size.na
    for a in range(size.nactuator):
        if actuator.law[a] != 0:
            for z in range(actuator.actadr[a], actuator.actadr[a] + actuator.actnum[a]):
                for line in range(lane, linear.column.shape[2], lanes()):
                    _store(linear, linear.Az[w, z, line], nx, w, 2 * nv + z, line)
        elif actuator.actadr[a] >= 0:
            row = 2 * nv + actuator.actadr[a] + actuator.actnum[a] - 1
            if row % lanes() == lane:
                _store(linear, linear.act_act[w, a], nx, w, row, row)
            line = nx + actuator.ctrladr[a]
            if actuator.ctrlnum[a] > 0 and line % lanes() == lane:
                _store(linear, linear.act_ctrl[w, a], nx, w, row, line)


@wp.kernel
def _transition(
    size: Size, opt: Option, jnt: Joint, actuator: Actuator, drive: Drive, linear: Linear, nworld: int,
):  # fmt: skip
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        dt = real(opt.timestep[per_world(opt.timestep.shape[0], w)])
        right_sides_world(size, actuator, drive, linear, w, lane)
        _rates_world(size, opt, linear, w, lane, dt)
        _moved_world(size, jnt, linear, dt, w, lane)
        _store_motions(size, linear, w, lane)
        _store_activations(size, actuator, linear, w, lane)


through_worlds(_transition)


def transition(m: Any, d: Any, work: Workspace) -> None:
    """Transition matrices, after ``linearize``.

    Reads   m.opt, m.jnt, m.actuator; d.drive, work
    Writes  work.linear.A, B
    MuJoCo  mjd_transitionFD, by finite differences there.
    """
    launch(_transition, d, [m.size, m.opt, m.jnt, m.actuator, d.drive, work.linear])
