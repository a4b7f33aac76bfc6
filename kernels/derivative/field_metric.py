"""What a cost owes to springs, dampers and inertia that the metric of integrator discrete has.

With stiffness k, damping b and moment m the residual has m (h k m'(v + h a) + h b m'a) of them (``metric_bends.py``). The weights of rows follow the diagonals of
the mass matrix and of what the metric adds to it, (h^2 k + h b) m_i^2: how the cost follows those is summed over all constraints first.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.constants import EQUALITY, MINVAL
from newtonish.kernels.constraint.row import jacobian_entry
from newtonish.kernels.derivative.algebra import at_point, real, top, wide, wide6, wide_matrix
from newtonish.kernels.derivative.cotangent import Cotangent, FieldBars
from newtonish.kernels.derivative.quaternions import quaternion_bar
from newtonish.kernels.derivative.response import DISCRETE
from newtonish.kernels.derivative.row_bars import narrow3
from newtonish.kernels.derivative.row_scales import QUADRATIC, answering_force
from newtonish.kernels.derivative.workspace import Linear, Workspace
from newtonish.kernels.integrate.discrete.rows import CONTACT
from newtonish.kernels.math.world import lane_index, lanes, per_world, sync, world_index, worlds_per_thread
from newtonish.kernels.runtime.launch import launch, through_worlds
from newtonish.kernels.structs.data import Com, Contact, Efc, Kinematics, Status
from newtonish.kernels.structs.metric import Metric
from newtonish.kernels.structs.model import Body, Option, Size, Tree


@wp.struct
class Owed:
    """What the cost owes to a stiffness and a damping that the metric has."""

    spring: wp.float64
    damper: wp.float64


@wp.func
def owed_to_dof(opt: Option, linear: Linear, cotangent: Cotangent, dt: wp.float64, w: int, i: int) -> Owed:
    """On dof ``i`` alone; nothing with other integrators."""
    found = Owed()
    if opt.integrator == DISCRETE:
        lam = linear.another[w, i, 0]
        weight = cotangent.by_metric[w, i]
        found.spring = dt * (dt * weight - lam * linear.speed[w, i])
        found.damper = dt * (weight - lam * linear.acc[w, i])
    return found


@wp.func
def owed_to_row(
    opt: Option, linear: Linear, cotangent: Cotangent, colind: wp.array(dtype=int), values: wp.array2d(dtype=float), dt: wp.float64,
    first: int, last: int, w: int,
) -> Owed:  # fmt: skip
    """Along a sparse moment."""
    lam = real(0.0)
    speed = real(0.0)  # at the end of the step
    acc = real(0.0)
    weight = real(0.0)
    for n in range(first, last):
        i = colind[n]
        m = real(values[w, n])
        lam += m * linear.another[w, i, 0]
        speed += m * linear.speed[w, i]
        acc += m * linear.acc[w, i]
        weight += m * m * cotangent.by_metric[w, i]
    found = Owed()
    if opt.integrator == DISCRETE:
        found.spring = dt * (dt * weight - lam * speed)
        found.damper = dt * (weight - lam * acc)
    return found


@wp.func
def owed_to_moment(
    linear: Linear, cotangent: Cotangent, colind: wp.array(dtype=int), values: wp.array2d(dtype=float), spring: wp.float64, damper: wp.float64,
    dt: wp.float64, first: int, last: int, w: int, i: int,
) -> wp.float64:  # fmt: skip
    """Of a spring and a damper, to entry ``i`` of their moment."""
    lam = real(0.0)
    pull = real(0.0)
    own = real(0.0)
    for n in range(first, last):
        k = colind[n]
        m = real(values[w, n])
        lam += m * linear.another[w, k, 0]
        pull += m * (spring * linear.speed[w, k] + damper * linear.acc[w, k])
        if k == i:
            own = m
    held = spring * linear.speed[w, i] + damper * linear.acc[w, i]
    return dt * (real(2.0) * (dt * spring + damper) * own * cotangent.by_metric[w, i] - linear.another[w, i, 0] * pull - lam * held)


@wp.func
def _weigh_world(
    size: Size, opt: Option, contact: Contact, efc: Efc, efm: Metric, status: Status, linear: Linear, cotangent: Cotangent, w: int, lane: int,
):  # fmt: skip
    """Fill ``cotangent.by_mass`` and ``by_metric``; each lane has dofs of its own."""
    for i in range(lane, size.nv, lanes()):
        cotangent.by_mass[w, i] = real(0.0)
        cotangent.by_metric[w, i] = real(0.0)
    last = wp.min(status.nefc[w], efc.type.shape[1])
    first = wp.int32(0)
    while first < last:
        end = first + 1
        acts = efc.type[w, first] == EQUALITY or efc.state[w, first] == QUADRATIC
        if efc.type[w, first] >= CONTACT:  # all rows of a contact have the weight of its first
            acts = wp.bool(True)
            while end < last:
                if efc.type[w, end] < CONTACT or efc.id[w, end] != efc.id[w, first]:
                    break
                end += 1
        bare = real(0.0)
        stiff = real(0.0)
        pushed = real(0.0)  # what the cost owes to the logarithm of the weight
        if acts:
            for i in range(size.nv):
                at = real(jacobian_entry(efc, w, first, i))
                bare += at * at / linear.M[w, i, i]
                stiff += at * at / (linear.M[w, i, i] + real(efm.sdiag[w, i]))
            for r in range(first, end):
                along = real(0.0)
                for i in range(size.nv):
                    along += real(jacobian_entry(efc, w, r, i)) * linear.another[w, i, 0]
                pushed += along * answering_force(opt, contact, efc, w, first, r)
        if bare > real(MINVAL) and pushed != real(0.0):
            for i in range(lane, size.nv, lanes()):
                at = real(jacobian_entry(efc, w, first, i))
                mass = linear.M[w, i, i]
                whole = mass + real(efm.sdiag[w, i])
                by_whole = at * at / (whole * whole * stiff)
                cotangent.by_metric[w, i] = cotangent.by_metric[w, i] + pushed * by_whole
                cotangent.by_mass[w, i] = cotangent.by_mass[w, i] + pushed * (by_whole - at * at / (mass * mass * bare))
        first = end


@wp.func
def _add_inertia(tree: Tree, body: Body, kin: Kinematics, com: Com, cotangent: Cotangent, bars: FieldBars, w: int, b: int):
    """What the diagonal of the mass matrix owes to mass, inertia and inertial frame of body ``b``: a square of each axis that moves it."""
    arm = wide(kin.xipos[w, b]) - wide(com.subtree_com[w, body.rootid[b]])
    mass = real(body.mass[per_world(body.mass.shape[0], w), b])
    moments = wide(body.inertia[per_world(body.inertia.shape[0], w), b])
    axes = wp.transpose(wide_matrix(kin.ximat[w, b]))
    by_mass = real(0.0)
    by_inertia = wp.vec3d()
    turn = wp.vec3d()
    shift = wp.vec3d()
    for at in range(tree.chain_adr[b], tree.chain_adr[b + 1]):
        i = tree.chain_dofid[at]
        weight = cotangent.by_mass[w, i]
        if weight != real(0.0):
            axis = wide6(com.cdof[w, i])
            moved = at_point(axis, arm)
            s = axes * top(axis)
            by_mass += weight * wp.dot(moved, moved)
            by_inertia += weight * wp.cw_mul(s, s)
            turn -= (real(2.0) * weight) * wp.cross(s, wp.cw_mul(moments, s))
            shift += (real(2.0) * weight * mass) * wp.cross(moved, top(axis))
    bars.body_mass[w, b] = bars.body_mass[w, b] + float(by_mass)
    bars.body_inertia[w, b] = bars.body_inertia[w, b] + narrow3(by_inertia)
    bars.body_iquat[w, b] = bars.body_iquat[w, b] + quaternion_bar(body.iquat[per_world(body.iquat.shape[0], w), b], turn)
    bars.body_ipos[w, b] = bars.body_ipos[w, b] + narrow3(wp.transpose(wide_matrix(kin.xmat[w, b])) * shift)


@wp.kernel
def _metric_fields(
    size: Size, opt: Option, tree: Tree, body: Body, kin: Kinematics, com: Com, contact: Contact, efc: Efc, efm: Metric, status: Status,
    linear: Linear, cotangent: Cotangent, bars: FieldBars, nworld: int,
):  # fmt: skip
    """Sums over constraints, and inertia's share in them."""
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        _weigh_world(size, opt, contact, efc, efm, status, linear, cotangent, w, lane)
        sync()
        for i in range(lane, size.nv, lanes()):
            bars.dof_armature[w, i] = bars.dof_armature[w, i] + float(cotangent.by_mass[w, i])
        for b in range(1 + lane, size.nbody, lanes()):
            _add_inertia(tree, body, kin, com, cotangent, bars, w, b)


through_worlds(_metric_fields)


def metric_fields(m: Any, d: Any, work: Workspace, fields: Any) -> None:
    """How the cost follows the diagonals that weights of rows are made of, before ``force_field_bars``; and what it thereby owes to inertia.

    Reads   m; d.kin, d.com, d.contact, d.efc, d.efm, work.linear (another, M)
    Writes  fields.cotangent.by_mass, by_metric; fields.bars
    """
    groups = [m.size, m.opt, m.tree, m.body, d.kin, d.com, d.contact, d.efc, d.efm, d.status]
    launch(_metric_fields, d, [*groups, work.linear, fields.cotangent, fields.bars])
