"""The equation of an integrator that takes bias forces at the end of the step: K acc = M a with K = M + h (dc/dv - dF/dv).

Bias forces c are quadratic in velocity, so that dc/dv acc = (c(q, v + acc) - c(q, v - acc)) / 2: its derivatives by position and velocity are the
differences of those that the inverse dynamics have at two other velocities (polarization). Integrator implicit takes all of dc/dv, implicitfast
that of trees which are one free body, and discrete the same where nothing is coupled with them. (Changes of dF/dv: ``held_slopes.py``.)
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.enums import DisableBit
from newtonish.kernels.derivative.algebra import real
from newtonish.kernels.derivative.integrator import IMPLICIT, are_coupled, subtract_medium
from newtonish.kernels.derivative.inverse_columns import dense_mass_world, inverse_columns_world
from newtonish.kernels.derivative.lu import lu_factor_world, lu_solve_columns
from newtonish.kernels.derivative.motion import body_motions_world, subtrees_world
from newtonish.kernels.derivative.polynomials import damper_bend
from newtonish.kernels.derivative.response import DISCRETE
from newtonish.kernels.derivative.solves import copy_matrix, multiply_columns
from newtonish.kernels.derivative.workspace import Linear, LinearMotion, Workspace
from newtonish.kernels.forces.actuation import controls_are_bad
from newtonish.kernels.integrate.derivative import actuator_slope
from newtonish.kernels.integrate.discrete.free import _is_apart
from newtonish.kernels.integrate.euler import damping_slope
from newtonish.kernels.integrate.free_body import is_free_body
from newtonish.kernels.math.world import lane_index, lanes, per_world, sync, world_index, worlds_per_thread
from newtonish.kernels.runtime.launch import launch, through_worlds
from newtonish.kernels.structs.data import Com, Drive, Efc, Force, Mass, Solve, State, Status, TendonState
from newtonish.kernels.structs.metric import Metric
from newtonish.kernels.structs.model import Actuator, Body, Dof, Joint, Option, Size, Tendon, Tree
from newtonish.kernels.tendon.derivative import tendon_damping_slope


@wp.func
def _mark_world(
    size: Size, opt: Option, jnt: Joint, dof: Dof, actuator: Actuator, tendon: Tendon, drive: Drive, efc: Efc, efm: Metric, status: Status,
    linear: Linear, w: int, lane: int,
):  # fmt: skip
    """Mark dofs of whose bias forces the matrix takes the derivative, in ``linear.spins``."""
    for i in range(lane, size.nv, lanes()):
        taken = opt.integrator == IMPLICIT
        if not taken:
            j = dof.jntid[i]
            taken = is_free_body(size, jnt, dof, j)
            if taken and opt.integrator == DISCRETE:
                taken = _is_apart(size, actuator, tendon, drive, efc, efm, status, w, jnt.dofadr[j])
        linear.spins[w, i] = wp.where(taken, 1, 0)


@wp.func
def _sweep(
    size: Size, opt: Option, tree: Tree, body: Body, jnt: Joint, dof: Dof, com: Com, linear: Linear, motion: LinearMotion, factor: wp.float64,
    w: int, lane: int,
):  # fmt: skip
    """Gq and Gv of bias forces at the velocity v + ``factor`` acc; begins and ends with a barrier."""
    sync()
    for i in range(lane, size.nv, lanes()):
        linear.rate[w, i] = linear.speed[w, i] + factor * linear.acc[w, i]
        linear.push[w, i] = real(0.0)
    sync()
    body_motions_world(size, opt, tree, body, jnt, com, linear, motion, w, lane)
    subtrees_world(size, tree, body, com, motion, w, lane)
    inverse_columns_world(size, jnt, dof, com, linear, motion, w, lane)
    sync()


@wp.func
def _add_square(
    size: Size, opt: Option, jnt: Joint, dof: Dof, linear: Linear, colind: wp.array(dtype=int), values: wp.array2d(dtype=float),
    factor: wp.float64, first: int, last: int, w: int,
):  # fmt: skip
    """Add ``factor`` times a row times itself to K, where it has entries."""
    for n in range(first, last):
        for k in range(first, last):
            i = colind[n]
            j = colind[k]
            if are_coupled(size, opt, jnt, dof, i, j):
                linear.K[w, i, j] = linear.K[w, i, j] + factor * real(values[w, n]) * real(values[w, k])


@wp.func
def _matrix(
    size: Size, opt: Option, jnt: Joint, dof: Dof, actuator: Actuator, tendon: Tendon, state: State, frc: Force, drive: Drive,
    ten: TendonState, linear: Linear, zero_controls: bool, dt: wp.float64, w: int, lane: int,
):  # fmt: skip
    """K, from M and from the Gv of bias forces at the present velocity."""
    copy_matrix(linear.K, linear.M, size.nv, w)
    sync()
    for i in range(lane, size.nv, lanes()):
        if linear.spins[w, i] != 0:
            for k in range(size.nv):
                linear.K[w, i, k] = linear.K[w, i, k] + dt * linear.Gv[w, i, k]
        if (opt.disableflags & DisableBit.DAMPER) == 0:
            linear.K[w, i, i] = linear.K[w, i, i] + dt * real(damping_slope(dof, state, w, i))
    sync()
    subtract_medium(linear, dt, w, lane)
    sync()
    if lane == 0:  # tendons and actuators may share dofs
        if (opt.disableflags & DisableBit.DAMPER) == 0:
            for t in range(size.ntendon):
                slope = dt * real(tendon_damping_slope(tendon, ten, w, t))
                if slope != real(0.0):
                    first = tendon.J_rowadr[t]
                    _add_square(size, opt, jnt, dof, linear, tendon.J_colind, ten.J, slope, first, first + tendon.J_rownnz[t], w)
        if (opt.disableflags & DisableBit.ACTUATION) == 0:
            for a in range(size.nactuator):
                slope = -dt * real(actuator_slope(opt, jnt, actuator, state, frc, drive, zero_controls, w, a))
                if slope != real(0.0):
                    for o in range(actuator.outadr[a], actuator.outadr[a] + actuator.outnum[a]):
                        first = drive.moment_rowadr[w, o]
                        last = first + drive.moment_rownnz[w, o]
                        _add_square(size, opt, jnt, dof, linear, drive.moment_colind[w], drive.actuator_moment, slope, first, last, w)


@wp.func
def _accelerate(size: Size, opt: Option, dof: Dof, state: State, sol: Solve, linear: Linear, dt: wp.float64, w: int, lane: int):
    """The integrator's acceleration, and the slope of the dampers in joints."""
    lu_factor_world(linear.K, size.nv, w)
    for i in range(lane, size.nv, lanes()):
        linear.another[w, i, 0] = real(sol.qacc[w, i])
    sync()
    multiply_columns(linear.M, linear.another, linear.one, size.nv, w)
    sync()
    lu_solve_columns(linear.K, linear.one, size.nv, w)
    sync()
    poly_w = per_world(dof.dampingpoly.shape[0], w)
    for i in range(lane, size.nv, lanes()):
        acc = linear.one[w, i, 0]
        bend = real(0.0)
        if (opt.disableflags & DisableBit.DAMPER) == 0:
            bend = damper_bend(dof.dampingpoly[poly_w, i], real(state.qvel[w, i]))
        linear.acc[w, i] = acc
        linear.kv[w, i] = dt * bend * acc


@wp.func
def _share_of_metric(size: Size, sol: Solve, linear: Linear, dt: wp.float64, w: int, lane: int):
    """What bias forces are in the metric of discrete, in K; the acceleration is the solver's."""
    for i in range(lane, size.nv, lanes()):
        for k in range(size.nv):
            linear.K[w, i, k] = wp.where(linear.spins[w, i] != 0, dt * linear.Gv[w, i, k], real(0.0))
        linear.acc[w, i] = real(sol.qacc[w, i])
        linear.kv[w, i] = real(0.0)


@wp.func
def _bend(size: Size, linear: Linear, factor: wp.float64, fresh: bool, w: int, lane: int):
    """Add ``factor`` times the derivatives of bias forces to those of K acc; ``fresh``: they replace what there was."""
    for i in range(lane, size.nv, lanes()):
        taken = linear.spins[w, i] != 0
        for k in range(size.nv):
            by_position = real(0.0)
            by_velocity = real(0.0)
            if taken:
                by_position = factor * linear.Gq[w, i, k]
                by_velocity = factor * linear.Gv[w, i, k]
            if not fresh:
                by_position += linear.Kq[w, i, k]
                by_velocity += linear.Kv[w, i, k]
            linear.Kq[w, i, k] = by_position
            linear.Kv[w, i, k] = by_velocity
    sync()


@wp.kernel
def _implicit_system(
    size: Size, opt: Option, tree: Tree, body: Body, jnt: Joint, dof: Dof, actuator: Actuator, tendon: Tendon, state: State,
    com: Com, mass: Mass, frc: Force, drive: Drive, ten: TendonState, efc: Efc, efm: Metric, sol: Solve, status: Status, linear: Linear,
    motion: LinearMotion, nworld: int,
):  # fmt: skip
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        dt = real(opt.timestep[per_world(opt.timestep.shape[0], w)])
        zero_controls = controls_are_bad(size, opt, actuator, state, w, lane)
        for i in range(lane, size.nv, lanes()):
            state.qacc_warmstart[w, i] = linear.warm[w, i]
            linear.speed[w, i] = real(state.qvel[w, i])
            linear.acc[w, i] = real(0.0)
        _mark_world(size, opt, jnt, dof, actuator, tendon, drive, efc, efm, status, linear, w, lane)
        dense_mass_world(size, dof, mass, linear, w, lane)
        turn = wp.int32(0)
        while turn < 3:  # at v, v + acc and v - acc
            factor = wp.where(turn == 2, real(-1.0), real(1.0))
            _sweep(size, opt, tree, body, jnt, dof, com, linear, motion, factor, w, lane)
            if turn == 0 and opt.integrator == DISCRETE:
                _share_of_metric(size, sol, linear, dt, w, lane)
            elif turn == 0:
                _matrix(size, opt, jnt, dof, actuator, tendon, state, frc, drive, ten, linear, zero_controls, dt, w, lane)
                _accelerate(size, opt, dof, state, sol, linear, dt, w, lane)
            else:
                _bend(size, linear, real(0.5) * factor * dt, turn == 1, w, lane)
            turn += 1
        for i in range(lane, size.nv, lanes()):
            linear.speed[w, i] = real(state.qvel[w, i]) + dt * linear.acc[w, i]
            linear.rate[w, i] = real(state.qvel[w, i])
            linear.push[w, i] = real(sol.qacc[w, i])
        sync()


through_worlds(_implicit_system)


def implicit_system(m: Any, d: Any, tendon: Tendon, state: State, work: Workspace) -> None:
    """Factor of K, the integrator's acceleration, and the derivatives of bias forces in K times it, after ``forward``.

    Reads   m; ``tendon``, ``state`` (with the controls that act), d.com, d.mass, d.frc, d.drive, d.ten, d.efc, d.efm, d.sol, work.linear.warm
    Writes  work; d.state.qacc_warmstart (as it was)
    MuJoCo  no equivalent.
    """
    groups = [m.size, m.opt, m.tree, m.body, m.jnt, m.dof, m.actuator, tendon, state, d.com, d.mass, d.frc, d.drive, d.ten]
    launch(_implicit_system, d, [*groups, d.efc, d.efm, d.sol, d.status, work.linear, work.motion])
