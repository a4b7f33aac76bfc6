"""Gradients by masses and inertias through a medium, which sees the box that has them (``forces/fluid_models.py``).

Along each axis of its box a body has the torque -(t + q |w|) w and the force -(m + p |v|) v, with t, m, q and p made of the box's sides. By the adjoint of the
residual that is felt directly; what an integrator takes of it at the end of the step, -(t + 2 q |w|) and the like, by products of two motions.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.constants import MINVAL
from newtonish.kernels.derivative.algebra import at_point, real, top, vec6d, wide, wide6, wide_matrix
from newtonish.kernels.derivative.cotangent import Cotangent, FieldBars
from newtonish.kernels.derivative.held_medium import is_alone
from newtonish.kernels.derivative.medium import is_off
from newtonish.kernels.derivative.response import DISCRETE
from newtonish.kernels.derivative.row_bars import narrow3
from newtonish.kernels.derivative.workspace import Linear, LinearMotion, Workspace
from newtonish.kernels.forces.fluid import INERTIA_BOX
from newtonish.kernels.math.world import lane_index, lanes, per_world, world_index, worlds_per_thread
from newtonish.kernels.runtime.launch import launch, through_worlds
from newtonish.kernels.structs.data import Com, Kinematics, Velocity
from newtonish.kernels.structs.model import Body, Dof, Joint, Option, Size, Tree


@wp.struct
class Sides:
    """Sides of a box, or a change of them."""

    a: wp.float64
    b: wp.float64
    c: wp.float64


@wp.struct
class Resistance:
    """Coefficients of the box: by angular velocity and its square, by linear velocity and its square."""

    turning: wp.float64
    moving: wp.float64
    turning_square: wp.vec3d
    moving_square: wp.vec3d


@wp.func
def _spread(inertia: wp.vec3d, i: int) -> wp.float64:
    """Of how much mass lies along axis ``i``, the sum of the other inertias less its own."""
    return inertia[0] + inertia[1] + inertia[2] - real(2.0) * inertia[i]


@wp.func
def _longer(inertia: wp.vec3d, side: wp.float64, mass: wp.float64, i: int, k: int) -> wp.float64:
    """Derivative of side ``i`` by inertia ``k``; none where the inertias are not those of a body, and the side is the least there is."""
    slope = real(0.0)
    if _spread(inertia, i) > real(MINVAL):
        slope = wp.where(i == k, real(-3.0), real(3.0)) / (mass * side)
    return slope


@wp.func
def _change(box: Sides, by: Sides, density: wp.float64, viscosity: wp.float64) -> Resistance:
    """Change of the coefficients with a change of the sides."""
    found = Resistance()
    diameter = (box.a + box.b + box.c) / real(3.0)
    wider = (by.a + by.b + by.c) / real(3.0)
    found.turning = real(3.0 * wp.pi) * viscosity * diameter * diameter * wider
    found.moving = real(3.0 * wp.pi) * viscosity * wider
    a3 = box.a * box.a * box.a
    b3 = box.b * box.b * box.b
    c3 = box.c * box.c * box.c
    da4 = real(4.0) * a3 * by.a
    db4 = real(4.0) * b3 * by.b
    dc4 = real(4.0) * c3 * by.c
    found.turning_square = density / real(64.0) * wp.vec3d(
        by.a * (b3 * box.b + c3 * box.c) + box.a * (db4 + dc4),
        by.b * (a3 * box.a + c3 * box.c) + box.b * (da4 + dc4),
        by.c * (a3 * box.a + b3 * box.b) + box.c * (da4 + db4),
    )  # fmt: skip
    found.moving_square = real(0.5) * density * wp.vec3d(
        by.b * box.c + box.b * by.c, by.a * box.c + box.a * by.c, by.a * box.b + box.a * by.b,
    )  # fmt: skip
    return found


@wp.func
def _seen(axes: wp.mat33d, offset: wp.vec3d, motion: vec6d) -> vec6d:
    """A motion along the axes of the box, at its centre."""
    turn = axes * top(motion)
    move = axes * at_point(motion, offset)
    return vec6d(turn[0], turn[1], turn[2], move[0], move[1], move[2])


@wp.func
def _held_products(
    size: Size, opt: Option, tree: Tree, jnt: Joint, dof: Dof, com: Com, linear: Linear, motion: LinearMotion, cotangent: Cotangent,
    axes: wp.mat33d, offset: wp.vec3d, dt: wp.float64, w: int, b: int,
) -> vec6d:  # fmt: skip
    """What the cost owes to the six slopes of the force on body ``b`` that the integrator takes at the end of the step."""
    total = vec6d()
    alone = wp.bool(False)
    discrete = opt.integrator == DISCRETE
    for at in range(tree.chain_adr[b], tree.chain_adr[b + 1]):
        i = tree.chain_dofid[at]
        bar = linear.one[w, i, 0]
        weight = real(0.0)
        if discrete:
            bar = linear.another[w, i, 0]
            weight = -cotangent.by_metric[w, i]
        if is_alone(size, opt, jnt, dof, i):
            alone = wp.bool(True)
            weight += bar * linear.acc[w, i]
        if weight != real(0.0):
            axis = _seen(axes, offset, wide6(com.cdof[w, i]))
            total += (dt * weight) * wp.cw_mul(axis, axis)
    if not alone:
        adjoint = _seen(axes, offset, cotangent.mu[w, b])
        if discrete:
            adjoint = _seen(axes, offset, cotangent.lam[w, b])
        total += dt * wp.cw_mul(adjoint, _seen(axes, offset, motion.L[w, b] - motion.X[w, b]))
    return total


@wp.func
def _owed(change: Resistance, felt: vec6d, held: vec6d, flow: vec6d) -> wp.float64:
    """What the cost owes to a change of the coefficients."""
    total = real(0.0)
    for i in range(3):
        turn = wp.abs(flow[i])
        move = wp.abs(flow[3 + i])
        total -= felt[i] * (change.turning + change.turning_square[i] * turn) * flow[i]
        total -= felt[3 + i] * (change.moving + change.moving_square[i] * move) * flow[3 + i]
        total -= held[i] * (change.turning + real(2.0) * change.turning_square[i] * turn)
        total -= held[3 + i] * (change.moving + real(2.0) * change.moving_square[i] * move)
    return total


@wp.func
def _body_bars(
    size: Size, opt: Option, tree: Tree, body: Body, jnt: Joint, dof: Dof, kin: Kinematics, com: Com, vel: Velocity, linear: Linear, motion: LinearMotion,
    cotangent: Cotangent, bars: FieldBars, w: int, b: int,
):  # fmt: skip
    """Mass and inertia of body ``b``."""
    dt = real(opt.timestep[per_world(opt.timestep.shape[0], w)])
    density = wp.max(real(opt.density[per_world(opt.density.shape[0], w)]), real(0.0))
    viscosity = wp.max(real(opt.viscosity[per_world(opt.viscosity.shape[0], w)]), real(0.0))
    mass = real(body.mass[per_world(body.mass.shape[0], w), b])
    inertia = wide(body.inertia[per_world(body.inertia.shape[0], w), b])
    axes = wp.transpose(wide_matrix(kin.ximat[w, b]))
    offset = wide(kin.xipos[w, b]) - wide(com.subtree_com[w, body.rootid[b]])
    flow = _seen(axes, offset, wide6(vel.cvel[w, b]))
    wind = axes * wide(opt.wind[per_world(opt.wind.shape[0], w)])
    for i in range(3):
        flow[3 + i] = flow[3 + i] - wind[i]
    felt = _seen(axes, offset, cotangent.lam[w, b])
    held = vec6d()
    if linear.medium.shape[1] > 0:
        held = _held_products(size, opt, tree, jnt, dof, com, linear, motion, cotangent, axes, offset, dt, w, b)
    squares = wp.vec3d()
    for i in range(3):
        squares[i] = wp.max(real(MINVAL), _spread(inertia, i)) * real(6.0) / mass
    box = Sides()
    box.a = wp.sqrt(squares[0])
    box.b = wp.sqrt(squares[1])
    box.c = wp.sqrt(squares[2])
    by = Sides()
    by.a = real(-0.5) * box.a / mass
    by.b = real(-0.5) * box.b / mass
    by.c = real(-0.5) * box.c / mass
    bars.body_mass[w, b] = bars.body_mass[w, b] + float(_owed(_change(box, by, density, viscosity), felt, held, flow))
    change = wp.vec3d()
    for i in range(3):
        by.a = _longer(inertia, box.a, mass, 0, i)
        by.b = _longer(inertia, box.b, mass, 1, i)
        by.c = _longer(inertia, box.c, mass, 2, i)
        change[i] = _owed(_change(box, by, density, viscosity), felt, held, flow)
    bars.body_inertia[w, b] = bars.body_inertia[w, b] + narrow3(change)


@wp.kernel
def _medium_fields(
    size: Size, opt: Option, tree: Tree, body: Body, jnt: Joint, dof: Dof, kin: Kinematics, com: Com, vel: Velocity, linear: Linear, motion: LinearMotion,
    cotangent: Cotangent, bars: FieldBars, nworld: int,
):  # fmt: skip
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        for b in range(1 + lane, size.nbody, lanes()):
            if body.fluid[b] == INERTIA_BOX and not is_off(opt):
                _body_bars(size, opt, tree, body, jnt, dof, kin, com, vel, linear, motion, cotangent, bars, w, b)


through_worlds(_medium_fields)


def medium_fields(m: Any, d: Any, work: Workspace, fields: Any) -> None:
    """Add what the medium's forces owe to masses and inertias, while motions of bodies are those of the step.

    Reads   m; d.kin, d.com, d.vel.cvel, work.linear (another, one, acc), work.motion (L, X), fields.cotangent (lam, mu, by_metric)
    Writes  fields.bars
    """
    groups = [m.size, m.opt, m.tree, m.body, m.jnt, m.dof, d.kin, d.com, d.vel]
    launch(_medium_fields, d, [*groups, work.linear, work.motion, fields.cotangent, fields.bars])
