"""Gradients by the parameters of rows that are not contacts: references, impedances, ranges, friction loss, polynomials.

A row's share of the cost is ``y f(s)``, y = J lam. Its force f = -D s, s = J a + b J v + k d x, follows what D, k, b, d and x are made of.
"""

import warp as wp

from newtonish.common.enums import EqType, JointType
from newtonish.kernels.constants import CONNECT, EQUALITY, FRICTION_DOF, FRICTION_TENDON, LIMIT_JOINT, LIMIT_TENDON, WELD
from newtonish.kernels.constraint.row import impedance, jacobian_entry, reference
from newtonish.kernels.derivative.algebra import real
from newtonish.kernels.derivative.cotangent import FieldBars
from newtonish.kernels.derivative.response import response
from newtonish.kernels.derivative.row_bars import RowBar, narrow2, narrow5, parameter_bar
from newtonish.kernels.derivative.scalar_rows import QUADRATIC, work_of_row
from newtonish.kernels.derivative.workspace import Linear
from newtonish.kernels.math.world import lanes, per_world
from newtonish.kernels.structs.data import Efc, Solve, State, Status, TendonState
from newtonish.kernels.structs.field import vec5, vec12
from newtonish.kernels.structs.model import Dof, Equality, Joint, Option, Size, Tendon

EQ_JOINT = wp.constant(int(EqType.JOINT))
JOINT_BALL = wp.constant(int(JointType.BALL))


@wp.struct
class RowParameters:
    """What a row was made with."""

    solref: wp.vec2
    solimp: vec5


@wp.func
def parameters_of_row(jnt: Joint, dof: Dof, tendon: Tendon, eq: Equality, kind: int, w: int, i: int) -> RowParameters:
    """What row of type ``kind`` of object ``i`` was made with."""
    found = RowParameters()
    if kind == EQUALITY:
        found.solref = eq.solref[per_world(eq.solref.shape[0], w), i]
        found.solimp = eq.solimp[per_world(eq.solimp.shape[0], w), i]
    elif kind == FRICTION_DOF:
        found.solref = dof.solref[per_world(dof.solref.shape[0], w), i]
        found.solimp = dof.solimp[per_world(dof.solimp.shape[0], w), i]
    elif kind == FRICTION_TENDON:
        found.solref = tendon.solref_fri[per_world(tendon.solref_fri.shape[0], w), i]
        found.solimp = tendon.solimp_fri[per_world(tendon.solimp_fri.shape[0], w), i]
    elif kind == LIMIT_JOINT:
        found.solref = jnt.solref[per_world(jnt.solref.shape[0], w), i]
        found.solimp = jnt.solimp[per_world(jnt.solimp.shape[0], w), i]
    else:
        found.solref = tendon.solref_lim[per_world(tendon.solref_lim.shape[0], w), i]
        found.solimp = tendon.solimp_lim[per_world(tendon.solimp_lim.shape[0], w), i]
    return found


@wp.func
def _store(bars: FieldBars, solref: wp.vec2, solimp: vec5, kind: int, w: int, i: int):
    """Add the gradients by a row's parameters to those of its object."""
    if kind == EQUALITY:
        bars.eq_solref[w, i] = bars.eq_solref[w, i] + solref
        bars.eq_solimp[w, i] = bars.eq_solimp[w, i] + solimp
    elif kind == FRICTION_DOF:
        bars.dof_solref[w, i] = bars.dof_solref[w, i] + solref
        bars.dof_solimp[w, i] = bars.dof_solimp[w, i] + solimp
    elif kind == FRICTION_TENDON:
        bars.tendon_solref_fri[w, i] = bars.tendon_solref_fri[w, i] + solref
        bars.tendon_solimp_fri[w, i] = bars.tendon_solimp_fri[w, i] + solimp
    elif kind == LIMIT_JOINT:
        bars.jnt_solref[w, i] = bars.jnt_solref[w, i] + solref
        bars.jnt_solimp[w, i] = bars.jnt_solimp[w, i] + solimp
    else:
        bars.tendon_solref_lim[w, i] = bars.tendon_solref_lim[w, i] + solref
        bars.tendon_solimp_lim[w, i] = bars.tendon_solimp_lim[w, i] + solimp


@wp.func
def _range_bar(jnt: Joint, tendon: Tendon, ten: TendonState, efc: Efc, bars: FieldBars, bar_x: wp.float64, kind: int, w: int, r: int, i: int):
    """Add what the distance of limit ``i`` does to its range and margin: it grows with the upper end, and shrinks with the lower one."""
    lower = wp.bool(False)
    side = wp.int32(1)
    if kind == LIMIT_TENDON:
        for k in range(tendon.J_rowadr[i], tendon.J_rowadr[i] + tendon.J_rownnz[i]):
            if ten.J[w, k] != 0.0:
                lower = jacobian_entry(efc, w, r, tendon.J_colind[k]) * ten.J[w, k] > 0.0
    elif jnt.type[i] == JOINT_BALL:  # the larger of both ends
        span = jnt.range[per_world(jnt.range.shape[0], w), i]
        side = wp.where(span[0] > span[1], 0, 1)
    else:
        lower = jacobian_entry(efc, w, r, jnt.dofadr[i]) > 0.0
    change = wp.vec2()
    if lower:
        change[0] = float(-bar_x)
    else:
        change[side] = float(bar_x)
    if kind == LIMIT_TENDON:
        bars.tendon_range[w, i] = bars.tendon_range[w, i] + change
        bars.tendon_margin[w, i] = bars.tendon_margin[w, i] - float(bar_x)
    else:
        bars.jnt_range[w, i] = bars.jnt_range[w, i] + change
        bars.jnt_margin[w, i] = bars.jnt_margin[w, i] - float(bar_x)


@wp.func
def _polynomial_bars(
    jnt: Joint, tendon: Tendon, eq: Equality, state: State, ten: TendonState, sol: Solve, linear: Linear, bars: FieldBars,
    weight: wp.float64, force: wp.float64, y: wp.float64, bar_x: wp.float64, damper: wp.float64, w: int, e: int,
):  # fmt: skip
    """Add the gradients by the coefficients of a joint or tendon equality."""
    leader = eq.obj2id[e]
    change = vec12()
    change[0] = float(-bar_x)
    if leader >= 0:
        z = real(0.0)
        speed = real(0.0)  # of the leader, and its acceleration and adjoint
        rate = real(0.0)
        lam = real(0.0)
        if eq.type[e] == EQ_JOINT:
            q = jnt.qposadr[leader]
            k = jnt.dofadr[leader]
            z = real(state.qpos[w, q]) - real(jnt.qpos0[per_world(jnt.qpos0.shape[0], w), q])
            speed = real(state.qvel[w, k])
            rate = real(sol.qacc[w, k])
            lam = linear.another[w, k, 0]
        else:
            z = real(ten.length[w, leader]) - real(tendon.length0[per_world(tendon.length0.shape[0], w), leader])
            for at in range(tendon.J_rowadr[leader], tendon.J_rowadr[leader] + tendon.J_rownnz[leader]):
                k = tendon.J_colind[at]
                speed += real(ten.J[w, at]) * real(state.qvel[w, k])
                rate += real(ten.J[w, at]) * real(sol.qacc[w, k])
                lam += real(ten.J[w, at]) * linear.another[w, k, 0]
        by_slope = lam * force - weight * y * (rate + damper * speed)
        below = real(1.0)  # z to the power below
        for n in range(1, 5):
            change[n] = float(-bar_x * below * z - by_slope * real(n) * below)
            below = below * z
    bars.eq_data[w, e] = bars.eq_data[w, e] + change


@wp.func
def _row_bars(
    size: Size, opt: Option, jnt: Joint, dof: Dof, tendon: Tendon, eq: Equality, state: State, ten: TendonState, efc: Efc, sol: Solve,
    linear: Linear, bars: FieldBars, x: wp.float64, bends: bool, w: int, r: int,
):  # fmt: skip
    """What row ``r`` adds; ``x``: the distance that its impedance is that of; ``bends``: it has a geometry of one number."""
    kind = efc.type[w, r]
    i = efc.id[w, r]
    timestep = opt.timestep[per_world(opt.timestep.shape[0], w)]
    made = parameters_of_row(jnt, dof, tendon, eq, kind, w, i)
    weight = real(0.0)
    if kind == EQUALITY or efc.state[w, r] == QUADRATIC:
        weight = real(efc.D[w, r])
    force = real(efc.force[w, r])
    y = work_of_row(size, efc, linear, w, r)
    own = real(efc.pos[w, r]) - real(efc.margin[w, r])
    if weight > real(0.0):
        k = real(reference(made.solref, made.solimp, timestep, opt.disableflags)[0])
        d = real(impedance(made.solimp, float(x)))
        bar = RowBar()
        bar.k = -y * weight * d * own
        bar.b = -y * weight * real(efc.vel[w, r])
        bar.d = y * force / (d * (real(1.0) - d)) - y * weight * k * own
        found = parameter_bar(bar, made.solref, made.solimp, x, timestep, opt.disableflags)
        _store(bars, narrow2(found.solref), narrow5(found.solimp), kind, w, i)
        if bends:
            slopes = response(made.solref, made.solimp, float(x), timestep, opt.disableflags)
            bar_x = slopes.growth * force * y - weight * slopes.spring * y
            if kind == EQUALITY:
                _polynomial_bars(jnt, tendon, eq, state, ten, sol, linear, bars, weight, force, y, bar_x, slopes.damper, w, i)
            elif kind == LIMIT_JOINT or kind == LIMIT_TENDON:
                _range_bar(jnt, tendon, ten, efc, bars, bar_x, kind, w, r, i)
    elif kind == FRICTION_DOF:
        bars.dof_frictionloss[w, i] = bars.dof_frictionloss[w, i] + float(y * wp.sign(force))
    elif kind == FRICTION_TENDON:
        bars.tendon_frictionloss[w, i] = bars.tendon_frictionloss[w, i] + float(y * wp.sign(force))


@wp.func
def _begins_object(efc: Efc, w: int, r: int) -> bool:
    """Whether row ``r`` is the first of its object, whose rows follow each other."""
    first = wp.bool(True)
    if r > 0:
        first = efc.type[w, r - 1] != efc.type[w, r] or efc.id[w, r - 1] != efc.id[w, r]
    return first


@wp.func
def row_field_bars(
    size: Size, opt: Option, jnt: Joint, dof: Dof, tendon: Tendon, eq: Equality, state: State, ten: TendonState, efc: Efc, sol: Solve,
    status: Status, linear: Linear, bars: FieldBars, w: int, lane: int,
):  # fmt: skip
    """Add what all rows but contacts do; each lane has objects of its own."""
    last = wp.min(status.nefc[w], efc.type.shape[1])
    for start in range(lane, last, lanes()):
        kind = efc.type[w, start]
        scalar = kind == FRICTION_DOF or kind == FRICTION_TENDON or kind == LIMIT_JOINT or kind == LIMIT_TENDON
        if (kind == EQUALITY or scalar) and _begins_object(efc, w, start):
            i = efc.id[w, start]
            end = start + 1
            while end < last:
                if efc.type[w, end] != kind or efc.id[w, end] != i:
                    break
                end += 1
            whole = real(0.0)
            for r in range(start, end):
                away = real(efc.pos[w, r])
                whole += away * away
            whole = wp.sqrt(whole)
            bond = wp.bool(False)
            if kind == EQUALITY:
                bond = eq.type[i] == CONNECT or eq.type[i] == WELD
            for r in range(start, end):
                x = real(efc.pos[w, r]) - real(efc.margin[w, r])
                if bond:
                    x = whole
                _row_bars(size, opt, jnt, dof, tendon, eq, state, ten, efc, sol, linear, bars, x, not bond, w, r)
