"""The adjoint of a linearized step: from the gradient by the next state to those by the state and the inputs.

It is the transpose of ``transition.py``, one product or solve after the other from the last to the first, with no matrix of the step.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.derivative.algebra import at_point, real, straight_dofs, top, turned_back, turned_by, vec6d, wide, wide6
from newtonish.kernels.derivative.forces import work_of_output
from newtonish.kernels.derivative.integrator import (
    solve_hessian_transposed,
    solve_integrator_transposed,
)
from newtonish.kernels.derivative.solves import add_transposed, multiply_columns
from newtonish.kernels.derivative.sweep import sweep
from newtonish.kernels.derivative.transition import UNKNOWN
from newtonish.kernels.derivative.workspace import Linear, Workspace
from newtonish.kernels.math.world import lane_index, lanes, per_world, sync, world_index, worlds_per_thread
from newtonish.kernels.runtime.launch import launch, through_worlds
from newtonish.kernels.structs.data import Com, Drive, Kinematics
from newtonish.kernels.structs.model import Actuator, Body, Joint, Option, Size, Tree


@wp.func
def _turn_of(linear: Linear, dt: wp.float64, w: int, v: int) -> wp.vec3d:
    return dt * wp.vec3d(linear.speed[w, v], linear.speed[w, v + 1], linear.speed[w, v + 2])


@wp.func
def _position_adjoint(size: Size, jnt: Joint, linear: Linear, w: int, lane: int, dt: wp.float64):
    """From the adjoint of the next state to that of the position, and of h times the new acceleration in ``linear.one``; ends with a barrier."""
    nv = size.nv
    for j in range(lane, size.njnt, lanes()):
        v = jnt.dofadr[j]
        kind = jnt.type[j]
        straight = straight_dofs(kind)
        for i in range(v, v + straight):
            linear.state_bar[w, i] = linear.next_bar[w, i]
            linear.one[w, i, 0] = real(linear.next_bar[w, nv + i]) + dt * real(linear.next_bar[w, i])
        if straight != 1:
            v += straight
            turn = _turn_of(linear, dt, w, v)
            given = wp.vec3d(real(linear.next_bar[w, v]), real(linear.next_bar[w, v + 1]), real(linear.next_bar[w, v + 2]))
            before = turned_back(-turn, given)
            change = turned_by(-turn, given)
            for i in range(3):
                linear.state_bar[w, v + i] = float(before[i])
                linear.one[w, v + i, 0] = real(linear.next_bar[w, nv + v + i]) + dt * change[i]
    sync()


@wp.func
def _through_step(size: Size, opt: Option, linear: Linear, w: int, dt: wp.float64):
    """Adjoint of the residual into ``linear.another``, that of the integrator's equation into ``linear.one``; one lane calls it."""
    nv = size.nv
    for i in range(nv):
        linear.state_bar[w, nv + i] = float(linear.one[w, i, 0])
        linear.one[w, i, 0] = dt * linear.one[w, i, 0]
    solve_integrator_transposed(linear, linear.one, nv, w)
    multiply_columns(linear.M, linear.one, linear.another, nv, w)
    solve_hessian_transposed(opt, linear, linear.another, nv, w)


@wp.func
def _state_adjoint(size: Size, linear: Linear, w: int, lane: int):
    """Add what position and velocity do through the accelerations: what the sweep has found, and the matrices."""
    nv = size.nv
    add_transposed(linear.Xq, linear.one, linear.bar_q, real(1.0), nv, w)
    if linear.Xv.shape[1] > 0:
        add_transposed(linear.Xv, linear.one, linear.bar_v, real(1.0), nv, w)
    add_transposed(linear.Gq, linear.another, linear.bar_q, real(-1.0), nv, w)
    add_transposed(linear.Gv, linear.another, linear.bar_v, real(-1.0), nv, w)
    for k in range(lane, nv, lanes()):
        linear.state_bar[w, k] = linear.state_bar[w, k] + float(linear.bar_q[w, k, 0])
        linear.state_bar[w, nv + k] = linear.state_bar[w, nv + k] + float(linear.bar_v[w, k, 0])
        linear.qfrc_bar[w, k] = float(linear.another[w, k, 0])


@wp.func
def _through_matrices(linear: Linear, w: int, line: int) -> wp.float64:
    """What activation or control ``line`` does to the integrator's matrix, and to the residual but for a force of one input."""
    total = real(0.0)
    for i in range(linear.Xu.shape[1]):
        total += linear.Xu[w, i, line] * linear.one[w, i, 0]
    for i in range(linear.Gu.shape[1]):
        total += linear.Gu[w, i, line] * linear.another[w, i, 0]
    return total


@wp.func
def actuator_adjoint(size: Size, actuator: Actuator, drive: Drive, linear: Linear, act_bar: wp.array2d(dtype=float), first: int, w: int, lane: int):
    """Adjoints of activations and controls, from those of the next activations, in ``act_bar`` from ``first`` on; each actuator has its own."""
    nv = size.nv
    for a in range(lane, size.nactuator, lanes()):
        o = actuator.outadr[a]
        work = work_of_output(drive, linear, w, o)
        by_ctrl = linear.force_ctrl[w, a] * work
        if actuator.ctrlnum[a] > 0:
            by_ctrl += _through_matrices(linear, w, size.na + actuator.ctrladr[a])
        adr = actuator.actadr[a]
        if adr >= 0:
            adr += actuator.actnum[a] - 1
            given = real(act_bar[w, first + adr])
            through = linear.force_act[w, a] * work + _through_matrices(linear, w, adr)
            linear.state_bar[w, 2 * nv + adr] = float(linear.act_act[w, a] * given + through)
            by_ctrl += linear.act_ctrl[w, a] * given
        if actuator.law[a] != 0:
            for u in range(actuator.ctrladr[a], actuator.ctrladr[a] + actuator.ctrlnum[a]):
                linear.ctrl_bar[w, u] = float(_through_matrices(linear, w, size.na + u))
        elif actuator.ctrlnum[a] > 0:
            linear.ctrl_bar[w, actuator.ctrladr[a]] = float(by_ctrl)


@wp.func
def _through_activations(size: Size, linear: Linear, w: int, line: int) -> wp.float64:
    total = real(0.0)
    for z in range(linear.Az.shape[1]):
        total += linear.Az[w, z, line] * real(linear.next_bar[w, 2 * size.nv + z])
    return total


@wp.func
def _law_adjoint(size: Size, actuator: Actuator, linear: Linear, w: int, lane: int):
    """Adjoints through the activations of actuators with a law of their own, which motion and controls move."""
    nv = size.nv
    for line in range(lane, 2 * nv, lanes()):
        linear.state_bar[w, line] = linear.state_bar[w, line] + float(_through_activations(size, linear, w, line))
    for a in range(lane, size.nactuator, lanes()):
        if actuator.law[a] != 0:
            for z in range(actuator.actadr[a], actuator.actadr[a] + actuator.actnum[a]):
                linear.state_bar[w, 2 * nv + z] = float(_through_activations(size, linear, w, 2 * nv + z) + _through_matrices(linear, w, z))
            for u in range(actuator.ctrladr[a], actuator.ctrladr[a] + actuator.ctrlnum[a]):
                linear.ctrl_bar[w, u] = linear.ctrl_bar[w, u] + float(_through_activations(size, linear, w, 2 * nv + size.na + u))


@wp.func
def applied_adjoint(size: Size, tree: Tree, body: Body, kin: Kinematics, com: Com, linear: Linear, w: int, lane: int):
    """Adjoint of forces on bodies: the motion of their centres of mass that the adjoint of generalized forces is."""
    for b in range(lane, size.nbody, lanes()):
        motion = vec6d()
        for at in range(tree.chain_adr[b], tree.chain_adr[b + 1]):
            j = tree.chain_dofid[at]
            motion += wide6(com.cdof[w, j]) * linear.another[w, j, 0]
        moved = at_point(motion, wide(kin.xipos[w, b]) - wide(com.subtree_com[w, body.rootid[b]]))
        turned = top(motion)
        linear.xfrc_bar[w, b] = wp.spatial_vector(float(moved[0]), float(moved[1]), float(moved[2]), float(turned[0]), float(turned[1]), float(turned[2]))


@wp.func
def unknown_adjoint(size: Size, linear: Linear, w: int, lane: int):
    """NaN in all adjoints of a world with a contact whose geometry has no derivative."""
    for i in range(lane, 2 * size.nv + size.na, lanes()):
        linear.state_bar[w, i] = UNKNOWN
    for i in range(lane, size.nu, lanes()):
        linear.ctrl_bar[w, i] = UNKNOWN
    for i in range(lane, size.nv, lanes()):
        linear.qfrc_bar[w, i] = UNKNOWN
    for i in range(lane, size.nbody, lanes()):
        linear.xfrc_bar[w, i] = wp.spatial_vector(UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN)


@wp.kernel
def _back_to_rates(size: Size, opt: Option, jnt: Joint, linear: Linear, nworld: int):
    """From the adjoint of the next state to those of the residual and of the integrator's equation."""
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        dt = real(opt.timestep[per_world(opt.timestep.shape[0], w)])
        _position_adjoint(size, jnt, linear, w, lane, dt)
        if lane == 0:
            _through_step(size, opt, linear, w, dt)
        sync()
        for k in range(lane, size.nv, lanes()):
            linear.bar_q[w, k, 0] = real(0.0)
            linear.bar_v[w, k, 0] = -linear.kv[w, k] * linear.one[w, k, 0]


through_worlds(_back_to_rates)


@wp.kernel
def _back_to_inputs(size: Size, tree: Tree, body: Body, actuator: Actuator, kin: Kinematics, com: Com, drive: Drive, linear: Linear, nworld: int):
    """From those to the adjoints of state and inputs."""
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        _state_adjoint(size, linear, w, lane)
        actuator_adjoint(size, actuator, drive, linear, linear.next_bar, 2 * size.nv, w, lane)
        if size.nlaw > 0:
            sync()
            _law_adjoint(size, actuator, linear, w, lane)
        applied_adjoint(size, tree, body, kin, com, linear, w, lane)
        sync()
        if linear.blind[w] != 0:
            unknown_adjoint(size, linear, w, lane)


through_worlds(_back_to_inputs)


def adjoint(m: Any, d: Any, work: Workspace, swept: bool = False) -> None:
    """Adjoint of a step, after ``linearize``.

    Reads   m; d.state, d.kin, d.com, d.drive, d.contact, d.efc, work (next_bar and what was linearized)
    Writes  work.linear.state_bar, ctrl_bar, qfrc_bar, xfrc_bar; work.cotangent
    MuJoCo  no equivalent.

    Args:
        m: model.
        d: data.
        work: workspace.
        swept: as given to ``linearize``.
    """
    launch(_back_to_rates, d, [m.size, m.opt, m.jnt, work.linear])
    if swept:
        sweep(m, d, work)
    launch(_back_to_inputs, d, [m.size, m.tree, m.body, m.actuator, d.kin, d.com, d.drive, work.linear])
