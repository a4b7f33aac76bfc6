"""Transition matrices of a Runge-Kutta step: its four stages, each linearized where it was evaluated, joined by the chain rule.

What a stage does with a change of its state is told by its own residual (``linearize``); where the next stage is, by the rates of this one.
Rotations are moved from the start of the step by a rotation vector, whose rate is that of ``rates.py``.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.derivative.algebra import is_unit, real, straight_dofs, turned_back, turned_by
from newtonish.kernels.derivative.forces import add_force
from newtonish.kernels.derivative.linearize import linearize
from newtonish.kernels.derivative.rates import rate_change
from newtonish.kernels.derivative.solves import multiply_columns, solve_columns
from newtonish.kernels.derivative.stage_laws import add_law_forces, law_rates
from newtonish.kernels.derivative.stage_states import (
    end_of_activations_world,
    keep_stage,
    note_blind,
    restore_start,
    return_to_stage,
    vector_of,
)
from newtonish.kernels.derivative.stages import Stages
from newtonish.kernels.derivative.transition import UNKNOWN
from newtonish.kernels.derivative.workspace import Linear, Workspace
from newtonish.kernels.forward import dynamics, forward
from newtonish.kernels.integrate.rk4 import STAGE_FRACTIONS, STAGE_WEIGHTS, evaluate_stages
from newtonish.kernels.math.world import lane_index, lanes, per_world, sync, world_index, worlds_per_thread
from newtonish.kernels.runtime.launch import launch, through_worlds
from newtonish.kernels.structs.data import Drive
from newtonish.kernels.structs.model import Actuator, Joint, Option, Size


@wp.func
def _begin(size: Size, linear: Linear, stages: Stages, w: int, line: int):
    """The first stage is where the step starts."""
    nv = size.nv
    for i in range(nv):
        stages.Q[w, i, line] = is_unit(line, i)
        stages.V[w, i, line] = is_unit(line, nv + i)
        stages.sum_R[w, i, line] = real(0.0)
        stages.sum_A[w, i, line] = real(0.0)
    for i in range(size.na):
        stages.Z[w, i, line] = is_unit(line, 2 * nv + i)
        stages.sum_Z[w, i, line] = real(0.0)
    for i in range(stages.end_Z.shape[1]):
        stages.end_Z[w, i, line] = linear.Ez[w, i, line]


@wp.func
def _accelerations(size: Size, actuator: Actuator, drive: Drive, linear: Linear, stages: Stages, w: int, lane: int):
    """Changes of the stage's acceleration, into ``linear.column``."""
    multiply_columns(linear.Gq, stages.Q, linear.column, size.nv, w)
    multiply_columns(linear.Gv, stages.V, linear.product, size.nv, w)
    first_control = 2 * size.nv + size.na
    for line in range(lane, first_control + size.nu, lanes()):
        for i in range(size.nv):
            linear.column[w, i, line] = -linear.column[w, i, line] - linear.product[w, i, line]
        for a in range(size.nactuator):
            change = real(0.0)
            if actuator.actadr[a] >= 0:
                change = linear.force_act[w, a] * stages.Z[w, actuator.actadr[a] + actuator.actnum[a] - 1, line]
            if actuator.ctrlnum[a] > 0 and line == first_control + actuator.ctrladr[a]:
                change += linear.force_ctrl[w, a]
            if change != real(0.0):
                add_force(drive, linear, linear.column, change, w, actuator.outadr[a], line)
        add_law_forces(size, linear, stages, w, line)
        if line >= first_control:
            for i in range(linear.Gu.shape[1]):
                linear.column[w, i, line] = linear.column[w, i, line] + linear.Gu[w, i, line - 2 * size.nv]
    solve_columns(linear.H, linear.column, size.nv, w)


@wp.func
def _rates(size: Size, jnt: Joint, stages: Stages, w: int, k: int, h: wp.float64, line: int):
    """Changes of the stage's rates, from those of the stage before, which moved it here in the time ``h``."""
    for j in range(size.njnt):
        v = jnt.dofadr[j]
        kind = jnt.type[j]
        straight = straight_dofs(kind)
        if k == 0 and straight != 1:
            straight += 3
        for i in range(v, v + straight):
            stages.R[w, i, line] = stages.V[w, i, line]
        if k > 0 and straight != 1:
            v += straight
            rotated = h * wp.vec3d(stages.R[w, v, line], stages.R[w, v + 1, line], stages.R[w, v + 2, line])
            turned = wp.vec3d(stages.V[w, v, line], stages.V[w, v + 1, line], stages.V[w, v + 2, line])
            change = rate_change(h * vector_of(stages.rate, w, k - 1, v), vector_of(stages.qvel, w, k, v), rotated, turned)
            for i in range(3):
                stages.R[w, v + i, line] = change[i]


@wp.func
def _sum(size: Size, actuator: Actuator, linear: Linear, stages: Stages, weight: wp.float64, w: int, line: int):
    """Add the stage's changes to the weighted sums; those of activations' rates replace ``stages.Z``."""
    for i in range(size.nv):
        stages.sum_R[w, i, line] = stages.sum_R[w, i, line] + weight * stages.R[w, i, line]
        stages.sum_A[w, i, line] = stages.sum_A[w, i, line] + weight * linear.column[w, i, line]
    for a in range(size.nactuator):
        if actuator.law[a] != 0:
            rates = law_rates(size, actuator, linear, stages, w, a, line)
            for n in range(actuator.actnum[a]):
                z = actuator.actadr[a] + n
                stages.Z[w, z, line] = rates[n]
                stages.sum_Z[w, z, line] = stages.sum_Z[w, z, line] + weight * rates[n]
        elif actuator.actadr[a] >= 0:
            adr = actuator.actadr[a] + actuator.actnum[a] - 1
            change = linear.act_act[w, a] * stages.Z[w, adr, line]
            if actuator.ctrlnum[a] > 0 and line == 2 * size.nv + size.na + actuator.ctrladr[a]:
                change += linear.act_ctrl[w, a]
            stages.Z[w, adr, line] = change
            stages.sum_Z[w, adr, line] = stages.sum_Z[w, adr, line] + weight * change


@wp.func
def _moved(size: Size, jnt: Joint, stages: Stages, moves: wp.array3d(dtype=wp.float64), w: int, k: int, h: wp.float64, line: int):
    """Change of the position that the step's start reaches in the time ``h`` with rates that change by ``moves``: those of stage ``k``, or
    the mean of all (``k`` = -1)."""
    for j in range(size.njnt):
        v = jnt.dofadr[j]
        kind = jnt.type[j]
        straight = straight_dofs(kind)
        for i in range(v, v + straight):
            stages.Q[w, i, line] = is_unit(line, i) + h * moves[w, i, line]
        if straight != 1:
            v += straight
            turn = h * wp.vec3d(stages.turn[w, v], stages.turn[w, v + 1], stages.turn[w, v + 2])
            if k >= 0:
                turn = h * vector_of(stages.rate, w, k, v)
            before = wp.vec3d(is_unit(line, v), is_unit(line, v + 1), is_unit(line, v + 2))
            change = h * wp.vec3d(moves[w, v, line], moves[w, v + 1, line], moves[w, v + 2, line])
            after = turned_back(turn, before) + turned_by(turn, change)
            for i in range(3):
                stages.Q[w, v + i, line] = after[i]


@wp.func
def _next_stage(size: Size, jnt: Joint, linear: Linear, stages: Stages, w: int, k: int, h: wp.float64, line: int):
    """Change of the state of the stage after ``k``, the time ``h`` after the start of the step."""
    _moved(size, jnt, stages, stages.R, w, k, h, line)
    for i in range(size.nv):
        stages.V[w, i, line] = is_unit(line, size.nv + i) + h * linear.column[w, i, line]
    for i in range(size.na):
        stages.Z[w, i, line] = is_unit(line, 2 * size.nv + i) + h * stages.Z[w, i, line]


@wp.kernel
def _compose(
    size: Size, opt: Option, jnt: Joint, actuator: Actuator, drive: Drive, linear: Linear, stages: Stages,
    k: int, fraction: float, weight: float, next_fraction: float, nworld: int,
):  # fmt: skip
    """Join stage ``k``, ``fraction`` of the step after its start, to those before it, and go on to the next."""
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        dt = real(opt.timestep[per_world(opt.timestep.shape[0], w)])
        lines = 2 * size.nv + size.na + size.nu
        note_blind(linear, stages, w, k == 0, lane)
        if k == 0:
            for line in range(lane, lines, lanes()):
                _begin(size, linear, stages, w, line)
        sync()
        _accelerations(size, actuator, drive, linear, stages, w, lane)
        for line in range(lane, lines, lanes()):
            _rates(size, jnt, stages, w, k, real(fraction) * dt, line)
            _sum(size, actuator, linear, stages, real(weight), w, line)
            if next_fraction > 0.0:
                _next_stage(size, jnt, linear, stages, w, k, real(next_fraction) * dt, line)
        sync()


through_worlds(_compose)


@wp.func
def _store(target: wp.array3d(dtype=float), size: Size, stages: Stages, dt: wp.float64, w: int, line: int, column: int):
    """Column ``column`` of a matrix from line ``line``."""
    nv = size.nv
    for i in range(nv):
        target[w, i, column] = float(stages.Q[w, i, line])
        target[w, nv + i, column] = float(is_unit(line, nv + i) + dt * stages.sum_A[w, i, line])
    for z in range(size.na):
        change = stages.end_act[w, z] * is_unit(line, 2 * nv + z) + stages.end_dot[w, z] * stages.sum_Z[w, z, line]
        if stages.end_Z.shape[1] > 0:
            change += stages.end_Z[w, z, line]
        target[w, 2 * nv + z, column] = float(change)
    if stages.blind[w] != 0:
        for i in range(2 * nv + size.na):
            target[w, i, column] = UNKNOWN


@wp.kernel
def _matrices(size: Size, opt: Option, jnt: Joint, actuator: Actuator, linear: Linear, stages: Stages, nworld: int):
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        dt = real(opt.timestep[per_world(opt.timestep.shape[0], w)])
        nx = 2 * size.nv + size.na
        end_of_activations_world(size, opt, actuator, stages, w, lane)
        for line in range(lane, nx + size.nu, lanes()):
            _moved(size, jnt, stages, stages.sum_R, w, -1, dt, line)
            if line < nx:
                _store(linear.A, size, stages, dt, w, line, line)
            else:
                _store(linear.B, size, stages, dt, w, line, line - nx)
        sync()


through_worlds(_matrices)


def transition(m: Any, d: Any, work: Workspace) -> None:
    """Transition matrices, after ``remember_start`` and ``forward``; results are those of ``forward`` again in the end.

    Reads   m; d, as ``forward`` left it
    Writes  work; all that ``forward`` writes
    MuJoCo  mjd_transitionFD, by finite differences there.
    """
    fractions = (0.0, *STAGE_FRACTIONS, 0.0)

    def join(k: int) -> None:
        keep_stage(m, d, work.stages, k)
        linearize(m, d, work)
        groups = [m.size, m.opt, m.jnt, m.actuator, d.drive, work.linear, work.stages]
        launch(_compose, d, [*groups, k, fractions[k], STAGE_WEIGHTS[k], fractions[k + 1]])

    evaluate_stages(m, d, dynamics, join)
    return_to_stage(m, d, work.stages, 0)
    launch(_matrices, d, [m.size, m.opt, m.jnt, m.actuator, work.linear, work.stages])
    restore_start(m, d, work)
    forward(m, d)
    restore_start(m, d, work)
