"""Adjoint of a Runge-Kutta step: from its last stage to the first, each evaluated and linearized again where it was.

The adjoint of a stage's rates goes through the residual of that stage, and what it leaves at the stage's state goes to the start of the step
and to the rates of the stage before. While ``d`` holds a stage, ``linear.another`` is the adjoint of its residual: by it is told what the step
owes to all that enters the dynamics.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import warp as wp

from newtonish.kernels.derivative.algebra import real, straight_dofs, turned_back, turned_by, vec6d, wide6
from newtonish.kernels.derivative.linearize import linearize
from newtonish.kernels.derivative.rates import omega_adjoint, rotation_adjoint
from newtonish.kernels.derivative.solves import add_transposed, solve_columns
from newtonish.kernels.derivative.stage_laws import law_adjoint_world
from newtonish.kernels.derivative.stage_states import (
    end_of_activations_world,
    keep_stage,
    note_blind,
    restore_start,
    return_to_stage,
    vector_of,
)
from newtonish.kernels.derivative.stages import COUNT, Stages
from newtonish.kernels.derivative.step_adjoint import actuator_adjoint, applied_adjoint, unknown_adjoint
from newtonish.kernels.derivative.sweep import is_swept, sweep
from newtonish.kernels.derivative.workspace import Linear, Workspace
from newtonish.kernels.forward import dynamics, forward
from newtonish.kernels.integrate.rk4 import STAGE_FRACTIONS, STAGE_WEIGHTS, evaluate_stages
from newtonish.kernels.math.world import lane_index, lanes, per_world, sync, world_index, worlds_per_thread
from newtonish.kernels.runtime.launch import launch, through_worlds
from newtonish.kernels.structs.data import Com, Drive, Kinematics
from newtonish.kernels.structs.model import Actuator, Body, Joint, Option, Size, Tree

LAST = wp.constant(COUNT - 1)


@wp.func
def _joint_of_mean(jnt: Joint, linear: Linear, stages: Stages, dt: wp.float64, w: int, j: int):
    """From the adjoint of the next position of joint ``j`` to those of the first position and of the mean rates."""
    v = jnt.dofadr[j]
    kind = jnt.type[j]
    straight = straight_dofs(kind)
    for i in range(v, v + straight):
        stages.bar_q[w, i] = real(linear.next_bar[w, i])
        stages.mean_R[w, i] = dt * real(linear.next_bar[w, i])
    if straight != 1:
        v += straight
        turn = dt * wp.vec3d(stages.turn[w, v], stages.turn[w, v + 1], stages.turn[w, v + 2])
        given = wp.vec3d(real(linear.next_bar[w, v]), real(linear.next_bar[w, v + 1]), real(linear.next_bar[w, v + 2]))
        before = turned_back(-turn, given)
        change = dt * turned_by(-turn, given)
        for i in range(3):
            stages.bar_q[w, v + i] = before[i]
            stages.mean_R[w, v + i] = change[i]


@wp.func
def _begin(size: Size, opt: Option, jnt: Joint, actuator: Actuator, linear: Linear, stages: Stages, dt: wp.float64, w: int, lane: int):
    """From the adjoint of the next state to those of its start and of the mean rates; the sums begin. Returns with a barrier."""
    nv = size.nv
    for j in range(lane, size.njnt, lanes()):
        _joint_of_mean(jnt, linear, stages, dt, w, j)
    for i in range(lane, nv, lanes()):
        given = real(linear.next_bar[w, nv + i])
        stages.bar_v[w, i] = given
        stages.mean_A[w, i] = dt * given
        stages.bar_R[w, i] = real(0.0)
        stages.bar_A[w, i] = real(0.0)
        stages.qfrc_bar[w, i] = real(0.0)
    for i in range(lane, size.na, lanes()):
        stages.bar_Z[w, i] = 0.0
    for i in range(lane, size.nu, lanes()):
        stages.ctrl_bar[w, i] = real(0.0)
    for i in range(lane, size.nbody, lanes()):
        stages.xfrc_bar[w, i] = vec6d()
    end_of_activations_world(size, opt, actuator, stages, w, lane)
    for z in range(lane, size.na, lanes()):
        given = real(linear.next_bar[w, 2 * nv + z])
        stages.bar_act[w, z] = stages.end_act[w, z] * given
        stages.mean_Z[w, z] = stages.end_dot[w, z] * given
    sync()


@wp.func
def _rates_of_joint(jnt: Joint, linear: Linear, stages: Stages, w: int, k: int, h: wp.float64, j: int):
    """From the adjoint of the rates of joint ``j`` to those of its velocity, in ``linear.bar_v``, and of the way to the stage, in ``stages.bar_R``."""
    v = jnt.dofadr[j]
    kind = jnt.type[j]
    straight = straight_dofs(kind)
    for i in range(v, v + straight):
        linear.bar_v[w, i, 0] = stages.bar_R[w, i]
        stages.bar_R[w, i] = real(0.0)
    if straight != 1:
        v += straight
        given = wp.vec3d(stages.bar_R[w, v], stages.bar_R[w, v + 1], stages.bar_R[w, v + 2])
        by_omega = given
        by_way = wp.vec3d()
        if k > 0:
            way = h * vector_of(stages.rate, w, k - 1, v)
            by_omega = omega_adjoint(way, given)
            by_way = rotation_adjoint(way, vector_of(stages.qvel, w, k, v), given)
        for i in range(3):
            linear.bar_v[w, v + i, 0] = by_omega[i]
            stages.bar_R[w, v + i] = by_way[i]


@wp.func
def _way_of_joint(jnt: Joint, linear: Linear, stages: Stages, w: int, k: int, h: wp.float64, j: int):
    """From the adjoint of the stage's position to those of the first position and of the rates of the stage before."""
    v = jnt.dofadr[j]
    kind = jnt.type[j]
    straight = straight_dofs(kind)
    if k == 0 and straight != 1:
        straight += 3
    for i in range(v, v + straight):
        stages.bar_q[w, i] = stages.bar_q[w, i] + linear.bar_q[w, i, 0]
        stages.bar_R[w, i] = h * linear.bar_q[w, i, 0]
    if k > 0 and straight != 1:
        v += straight
        way = h * vector_of(stages.rate, w, k - 1, v)
        given = wp.vec3d(linear.bar_q[w, v, 0], linear.bar_q[w, v + 1, 0], linear.bar_q[w, v + 2, 0])
        before = turned_back(-way, given)
        change = turned_by(-way, given)
        for i in range(3):
            stages.bar_q[w, v + i] = stages.bar_q[w, v + i] + before[i]
            stages.bar_R[w, v + i] = h * (stages.bar_R[w, v + i] + change[i])


@wp.func
def _add_inputs(size: Size, linear: Linear, stages: Stages, h: wp.float64, w: int, lane: int):
    """Sum what the stage owes to activations, controls and applied forces."""
    for i in range(lane, size.na, lanes()):
        found = linear.state_bar[w, 2 * size.nv + i]
        stages.bar_act[w, i] = stages.bar_act[w, i] + real(found)
        stages.bar_Z[w, i] = float(h) * found
    for i in range(lane, size.nu, lanes()):
        stages.ctrl_bar[w, i] = stages.ctrl_bar[w, i] + real(linear.ctrl_bar[w, i])
    for i in range(lane, size.nv, lanes()):
        stages.qfrc_bar[w, i] = stages.qfrc_bar[w, i] + linear.another[w, i, 0]
    for i in range(lane, size.nbody, lanes()):
        stages.xfrc_bar[w, i] = stages.xfrc_bar[w, i] + wide6(linear.xfrc_bar[w, i])


@wp.func
def _end(size: Size, linear: Linear, stages: Stages, w: int, lane: int):
    """The sums are the adjoints of the step."""
    nv = size.nv
    for i in range(lane, nv, lanes()):
        linear.state_bar[w, i] = float(stages.bar_q[w, i])
        linear.state_bar[w, nv + i] = float(stages.bar_v[w, i])
        linear.qfrc_bar[w, i] = float(stages.qfrc_bar[w, i])
    for i in range(lane, size.na, lanes()):
        linear.state_bar[w, 2 * nv + i] = float(stages.bar_act[w, i])
    for i in range(lane, size.nu, lanes()):
        linear.ctrl_bar[w, i] = float(stages.ctrl_bar[w, i])
    for b in range(lane, size.nbody, lanes()):
        sums = stages.xfrc_bar[w, b]
        linear.xfrc_bar[w, b] = wp.spatial_vector(float(sums[0]), float(sums[1]), float(sums[2]), float(sums[3]), float(sums[4]), float(sums[5]))
    sync()
    if stages.blind[w] != 0:
        unknown_adjoint(size, linear, w, lane)


@wp.kernel
def _to_residual(
    size: Size, opt: Option, jnt: Joint, actuator: Actuator, linear: Linear, stages: Stages, k: int, fraction: float, weight: float, nworld: int,
):  # fmt: skip
    """From the adjoint of the rates of stage ``k``, ``fraction`` of the step after its start, to that of its residual."""
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        nv = size.nv
        dt = real(opt.timestep[per_world(opt.timestep.shape[0], w)])
        h = real(fraction) * dt
        note_blind(linear, stages, w, k == LAST, lane)
        if k == LAST:
            _begin(size, opt, jnt, actuator, linear, stages, dt, w, lane)
        for i in range(lane, nv, lanes()):
            stages.bar_R[w, i] = stages.bar_R[w, i] + real(weight) * stages.mean_R[w, i]
            linear.another[w, i, 0] = stages.bar_A[w, i] + real(weight) * stages.mean_A[w, i]
            linear.bar_q[w, i, 0] = real(0.0)
            linear.one[w, i, 0] = real(0.0)  # no equation of an integrator is between
        for i in range(lane, size.na, lanes()):
            stages.bar_Z[w, i] = stages.bar_Z[w, i] + float(real(weight) * stages.mean_Z[w, i])
        sync()
        for j in range(lane, size.njnt, lanes()):
            _rates_of_joint(jnt, linear, stages, w, k, h, j)
        if lane == 0:
            solve_columns(linear.H, linear.another, nv, w)


through_worlds(_to_residual)


@wp.kernel
def _to_start(
    size: Size, opt: Option, tree: Tree, body: Body, jnt: Joint, actuator: Actuator, kin: Kinematics, com: Com, drive: Drive,
    linear: Linear, stages: Stages, k: int, fraction: float, nworld: int,
):  # fmt: skip
    """From there to those of the step's start, of the rates of the stage before, and of the inputs."""
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        nv = size.nv
        h = real(fraction) * real(opt.timestep[per_world(opt.timestep.shape[0], w)])
        add_transposed(linear.Gq, linear.another, linear.bar_q, real(-1.0), nv, w)
        add_transposed(linear.Gv, linear.another, linear.bar_v, real(-1.0), nv, w)
        actuator_adjoint(size, actuator, drive, linear, stages.bar_Z, 0, w, lane)
        if size.nlaw > 0:
            law_adjoint_world(size, actuator, linear, stages, k == 0, w, lane)
        applied_adjoint(size, tree, body, kin, com, linear, w, lane)
        sync()
        for j in range(lane, size.njnt, lanes()):
            _way_of_joint(jnt, linear, stages, w, k, h, j)
        for i in range(lane, nv, lanes()):
            stages.bar_v[w, i] = stages.bar_v[w, i] + linear.bar_v[w, i, 0]
            stages.bar_A[w, i] = h * linear.bar_v[w, i, 0]
        _add_inputs(size, linear, stages, h, w, lane)
        sync()
        if k == 0:
            _end(size, linear, stages, w, lane)


through_worlds(_to_start)


def adjoint(m: Any, d: Any, work: Workspace, after_stage: Callable[[], None] | None = None, whole: bool = False) -> None:
    """Adjoint of a step, after ``remember_start`` and ``forward``; results are those of ``forward`` again in the end.

    Reads   m; d, as ``forward`` left it, work.linear.next_bar
    Writes  work; all that ``forward`` writes
    MuJoCo  no equivalent.

    Args:
        m: model.
        d: data.
        work: workspace with stages.
        after_stage: called after each stage, while ``d`` is there and ``work.linear.another`` is the adjoint of its residual.
        whole: whether all matrices of the first stage are wanted, which sensors take.
    """
    fractions = (0.0, *STAGE_FRACTIONS)
    evaluate_stages(m, d, dynamics, lambda k: keep_stage(m, d, work.stages, k))
    for k in reversed(range(COUNT)):
        if k < COUNT - 1:
            return_to_stage(m, d, work.stages, k)
            if k > 0:
                dynamics(m, d, fractions[k])
            else:
                restore_start(m, d, work)
                forward(m, d)
        swept = is_swept(m, work) and not (whole and k == 0)
        linearize(m, d, work, swept)
        launch(_to_residual, d, [m.size, m.opt, m.jnt, m.actuator, work.linear, work.stages, k, fractions[k], STAGE_WEIGHTS[k]])
        if swept:
            sweep(m, d, work)
        groups = [m.size, m.opt, m.tree, m.body, m.jnt, m.actuator, d.kin, d.com, d.drive, work.linear, work.stages]
        launch(_to_start, d, [*groups, k, fractions[k]])
        if after_stage is not None:
            after_stage()
