"""Gradients by masses and inertias through the bias forces that the matrix of an implicit integrator has.

The derivative of bias forces times the integrator's acceleration is half the difference of bias forces at two other velocities (``implicit_system.py``), and
so is what it owes to inertias: that of the inverse dynamics there, without accelerations.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.derivative.algebra import at_point, real, top, vec6d, wide, wide6, wide_matrix
from newtonish.kernels.derivative.cotangent import FieldBars
from newtonish.kernels.derivative.motion import body_motions_world
from newtonish.kernels.derivative.quaternions import quaternion_bar
from newtonish.kernels.derivative.response import DISCRETE
from newtonish.kernels.derivative.row_bars import narrow3
from newtonish.kernels.derivative.workspace import Linear, LinearMotion, Workspace
from newtonish.kernels.math.world import lane_index, lanes, per_world, sync, world_index, worlds_per_thread
from newtonish.kernels.runtime.launch import launch, through_worlds
from newtonish.kernels.structs.data import Com, Kinematics, State
from newtonish.kernels.structs.model import Body, Joint, Option, Size, Tree


@wp.func
def _adjoint_motion(opt: Option, tree: Tree, com: Com, linear: Linear, w: int, b: int) -> vec6d:
    """Motion of body ``b`` that the adjoint of the equation with bias forces in its matrix is, of dofs that have them: the integrator's, or with discrete the residual."""
    total = vec6d()
    for at in range(tree.chain_adr[b], tree.chain_adr[b + 1]):
        j = tree.chain_dofid[at]
        if linear.spins[w, j] != 0:
            bar = linear.one[w, j, 0]
            if opt.integrator == DISCRETE:
                bar = linear.another[w, j, 0]
            total += wide6(com.cdof[w, j]) * bar
    return total


@wp.func
def _bias_bars(
    opt: Option, tree: Tree, body: Body, kin: Kinematics, com: Com, linear: Linear, motion: LinearMotion, bars: FieldBars, factor: wp.float64,
    w: int, b: int,
):  # fmt: skip
    """Add ``factor`` times the gradients by mass, inertia and inertial frame of body ``b`` at the motions of the sweep."""
    lam = _adjoint_motion(opt, tree, com, linear, w, b)
    arm = wide(kin.xipos[w, b]) - wide(com.subtree_com[w, body.rootid[b]])
    mass = real(body.mass[per_world(body.mass.shape[0], w), b])
    moments = wide(body.inertia[per_world(body.inertia.shape[0], w), b])
    omega = top(motion.V[w, b])
    alpha = top(motion.A[w, b])
    push = at_point(motion.A[w, b], arm) + wp.cross(omega, at_point(motion.V[w, b], arm))
    moved = at_point(lam, arm)
    bars.body_mass[w, b] = bars.body_mass[w, b] - float(factor * wp.dot(moved, push))
    # along the principal axes
    axes = wp.transpose(wide_matrix(kin.ximat[w, b]))
    l = axes * top(lam)
    o = axes * omega
    a = axes * alpha
    by_inertia = -wp.cw_mul(l, a) - wp.cw_mul(wp.cross(l, o), o)
    bars.body_inertia[w, b] = bars.body_inertia[w, b] + narrow3(factor * by_inertia)
    spin = wp.cw_mul(moments, o)
    by_l = -wp.cw_mul(moments, a) - wp.cross(o, spin)
    by_o = -wp.cross(spin, l) - wp.cw_mul(moments, wp.cross(l, o))
    turn = wp.cross(by_l, l) + wp.cross(a, wp.cw_mul(moments, l)) + wp.cross(by_o, o)
    iquat = body.iquat[per_world(body.iquat.shape[0], w), b]
    bars.body_iquat[w, b] = bars.body_iquat[w, b] + quaternion_bar(iquat, factor * turn)
    # a shift of the centre of mass changes the motion there
    shift = wp.cross(push, top(lam)) + wp.cross(moved, alpha) + wp.cross(wp.cross(moved, omega), omega)
    bars.body_ipos[w, b] = bars.body_ipos[w, b] - narrow3(factor * mass * (wp.transpose(wide_matrix(kin.xmat[w, b])) * shift))


@wp.kernel
def _bias_fields(
    size: Size, opt: Option, tree: Tree, body: Body, jnt: Joint, state: State, kin: Kinematics, com: Com, linear: Linear, motion: LinearMotion,
    bars: FieldBars, nworld: int,
):  # fmt: skip
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        dt = real(opt.timestep[per_world(opt.timestep.shape[0], w)])
        turn = wp.int32(0)
        while turn < 2:  # at v + acc and v - acc, where gravity makes no difference
            sign = wp.where(turn == 0, real(1.0), real(-1.0))
            sync()
            for i in range(lane, size.nv, lanes()):
                linear.rate[w, i] = real(state.qvel[w, i]) + sign * linear.acc[w, i]
                linear.push[w, i] = real(0.0)
            sync()
            body_motions_world(size, opt, tree, body, jnt, com, linear, motion, w, lane)
            for b in range(lane, size.nbody, lanes()):
                if b > 0:
                    _bias_bars(opt, tree, body, kin, com, linear, motion, bars, real(0.5) * sign * dt, w, b)
            turn += 1
        sync()


through_worlds(_bias_fields)


def bias_fields(m: Any, d: Any, work: Workspace, bars: Any) -> None:
    """Add what bias forces in the integrator's matrix owe to masses and inertias, after all else that reads the motions of bodies.

    Reads   m; d.state.qvel, d.kin, d.com, work.linear (one, another, acc, spins)
    Writes  bars; work.motion, work.linear (rate, push)
    """
    groups = [m.size, m.opt, m.tree, m.body, m.jnt, d.state, d.kin, d.com]
    launch(_bias_fields, d, [*groups, work.linear, work.motion, bars])
