"""Gradients by parameters of tendons and actuators, and of all else that acts on dofs alone (joints: ``field_springs.py``).

``linear.another`` holds the adjoint of the residual, ``linear.one`` that of the integrator's equation, whose matrix K has what is taken at the
end of the step: damping, and with implicitfast the slopes of tendons and actuators where the mass matrix has places for them. (With discrete: ``field_metric.py``.)
"""

import warp as wp

from newtonish.common.actuator_parameters import Affine, FilterDyn
from newtonish.common.enums import BiasType, DisableBit, DynType, GainType, JointType, TrnType
from newtonish.kernels.constants import MINVAL
from newtonish.kernels.derivative.algebra import real, rotation_vector
from newtonish.kernels.derivative.cotangent import Cotangent, FieldBars
from newtonish.kernels.derivative.field_metric import Owed, owed_to_moment, owed_to_row
from newtonish.kernels.derivative.field_springs import dof_bars, spring_bars
from newtonish.kernels.derivative.forces import is_free, work_of_output
from newtonish.kernels.derivative.integrator import are_coupled, is_implicit
from newtonish.kernels.derivative.polynomials import spring_bend
from newtonish.kernels.derivative.quaternions import wide4
from newtonish.kernels.derivative.response import DISCRETE
from newtonish.kernels.derivative.workspace import Linear
from newtonish.kernels.forces.actuation import (
    actuator_disabled,
    controls_are_bad,
    gain_term,
    nearest_turn,
    next_activation,
    wrap_period,
)
from newtonish.kernels.integrate.derivative import actuator_input, actuator_slope, holds_still
from newtonish.kernels.integrate.discrete.metric import PGS
from newtonish.kernels.integrate.discrete.slopes import actuator_stiffness
from newtonish.kernels.math.polynomial import poly_slope
from newtonish.kernels.math.quat import quat_normalize
from newtonish.kernels.math.world import lanes, per_world
from newtonish.kernels.structs.data import Drive, Force, State, TendonState
from newtonish.kernels.structs.field import vec10
from newtonish.kernels.structs.model import Actuator, Dof, Joint, Option, Size, Tendon


@wp.func
def _shares_place(dof: Dof, i: int, j: int) -> bool:
    """Whether the mass matrix has a place for dofs ``i`` and ``j``."""
    row = wp.max(i, j)
    column = wp.min(i, j)
    found = wp.bool(False)
    for k in range(dof.M_rowadr[row], dof.M_rowadr[row] + dof.M_rownnz[row]):
        if dof.M_colind[k] == column:
            found = True
    return found


@wp.func
def _tendon_bars(
    size: Size, opt: Option, jnt: Joint, dof: Dof, tendon: Tendon, ten: TendonState, sol_qacc: wp.array2d(dtype=float), linear: Linear,
    cotangent: Cotangent, bars: FieldBars, dt: wp.float64, w: int, t: int,
):  # fmt: skip
    """Spring, damper and armature of fixed tendon ``t``."""
    first = tendon.J_rowadr[t]
    last = first + tendon.J_rownnz[t]
    lam = real(0.0)
    moved = real(0.0)  # J' J where the mass matrix has places, between adjoints and accelerations
    held = real(0.0)
    for n in range(first, last):
        i = tendon.J_colind[n]
        lam += real(ten.J[w, n]) * linear.another[w, i, 0]
        for p in range(first, last):
            j = tendon.J_colind[p]
            entry = real(ten.J[w, n]) * real(ten.J[w, p])
            if _shares_place(dof, i, j):
                rate = real(sol_qacc[w, j])
                moved += entry * (linear.one[w, i, 0] * (rate - linear.acc[w, j]) - linear.another[w, i, 0] * rate)
            if are_coupled(size, opt, jnt, dof, i, j):
                held += entry * linear.one[w, i, 0] * linear.acc[w, j]
    owed = Owed()
    if opt.integrator == DISCRETE:
        for n in range(first, last):
            moved += real(ten.J[w, n]) * real(ten.J[w, n]) * cotangent.by_mass[w, tendon.J_colind[n]]
        if opt.solver != PGS:
            owed = owed_to_row(opt, linear, cotangent, tendon.J_colind, ten.J, dt, first, last, w)
    bars.tendon_armature[w, t] = bars.tendon_armature[w, t] + float(moved)
    if (opt.disableflags & DisableBit.SPRING) == 0:
        rest = tendon.lengthspring[per_world(tendon.lengthspring.shape[0], w), t]
        length = ten.length[w, t]
        away = length - wp.clamp(length, rest[0], rest[1])
        stiffness = tendon.stiffness[per_world(tendon.stiffness.shape[0], w), t]
        poly = tendon.stiffnesspoly[per_world(tendon.stiffnesspoly.shape[0], w), t]
        if away == 0.0 or poly_slope(stiffness, poly, away) < 0.0:
            owed.spring = real(0.0)
        x = real(away)
        by_spring = wp.vec2(float(x * (real(2.0) * owed.spring - lam * x)), float(x * x * (real(3.0) * owed.spring - lam * x)))
        bars.tendon_stiffness[w, t] = bars.tendon_stiffness[w, t] + float(owed.spring - lam * x)
        bars.tendon_stiffnesspoly[w, t] = bars.tendon_stiffnesspoly[w, t] + by_spring
        by_rest = float(lam * real(poly_slope(stiffness, poly, away)) - owed.spring * spring_bend(poly, x))
        change = wp.vec2()
        if away < 0.0:
            change[0] = by_rest
        elif away > 0.0:
            change[1] = by_rest
        bars.tendon_lengthspring[w, t] = bars.tendon_lengthspring[w, t] + change
    if (opt.disableflags & DisableBit.DAMPER) == 0:
        speed = real(ten.velocity[w, t])
        fast = wp.abs(speed)
        damping = tendon.damping[per_world(tendon.damping.shape[0], w), t]
        if poly_slope(damping, tendon.dampingpoly[per_world(tendon.dampingpoly.shape[0], w), t], float(fast)) < 0.0:
            owed.damper = real(0.0)
        held = wp.where(is_implicit(opt), dt * held, -owed.damper)
        bars.tendon_damping[w, t] = bars.tendon_damping[w, t] - float(lam * speed + held)
        by_poly = wp.vec2(float(-fast * (lam * speed + real(2.0) * held)), float(-fast * fast * (lam * speed + real(3.0) * held)))
        bars.tendon_dampingpoly[w, t] = bars.tendon_dampingpoly[w, t] + by_poly


@wp.func
def _held(size: Size, opt: Option, jnt: Joint, dof: Dof, drive: Drive, linear: Linear, w: int, o: int) -> wp.float64:
    """Moment of output ``o`` times its transpose, where the integrator's matrix has places, between the adjoint and its acceleration."""
    held = real(0.0)
    for n in range(drive.moment_rowadr[w, o], drive.moment_rowadr[w, o] + drive.moment_rownnz[w, o]):
        i = drive.moment_colind[w, n]
        for p in range(drive.moment_rowadr[w, o], drive.moment_rowadr[w, o] + drive.moment_rownnz[w, o]):
            j = drive.moment_colind[w, p]
            if are_coupled(size, opt, jnt, dof, i, j):
                held += real(drive.actuator_moment[w, n]) * real(drive.actuator_moment[w, p]) * linear.one[w, i, 0] * linear.acc[w, j]
    return held


@wp.func
def _time_constant_bar(
    opt: Option, jnt: Joint, actuator: Actuator, state: State, drive: Drive, linear: Linear, bars: FieldBars, by_next: wp.float64, w: int, a: int
):
    """Time constant of a filter, of which the next activation is made; ``by_next``: what the force does with it."""
    adr = actuator.actadr[a] + actuator.actnum[a] - 1
    tau = real(actuator.dynprm[per_world(actuator.dynprm.shape[0], w), a][FilterDyn.TIMECONST])
    moves = tau > real(MINVAL)
    if actuator.actlimited[a] != 0:
        after = next_activation(opt, actuator, state.act[w, adr], drive.act_dot[w, adr], w, a)
        within = actuator.actrange[per_world(actuator.actrange.shape[0], w), a]
        moves = moves and after > within[0] and after < within[1]
    if moves:
        dt = real(opt.timestep[per_world(opt.timestep.shape[0], w)])
        slope = -dt * real(drive.act_dot[w, adr]) / tau
        if actuator.dyntype[a] == DynType.FILTEREXACT:
            slope = slope * wp.exp(-dt / tau)
        change = vec10()
        given = by_next
        if not actuator_disabled(opt, actuator, a):
            given += real(linear.next_bar[w, 2 * linear.one.shape[1] + adr])
        change[FilterDyn.TIMECONST] = float(slope * given)
        bars.actuator_dynprm[w, a] = bars.actuator_dynprm[w, a] + change


@wp.func
def _by_moment(drive: Drive, linear: Linear, cotangent: Cotangent, firm: Owed, dt: wp.float64, w: int, o: int, i: int) -> wp.float64:
    """What the cost owes to the moment of output ``o`` on dof ``i`` through the metric of discrete."""
    found = real(0.0)
    if firm.spring != real(0.0) or firm.damper != real(0.0):
        first = drive.moment_rowadr[w, o]
        last = first + drive.moment_rownnz[w, o]
        found = owed_to_moment(linear, cotangent, drive.moment_colind[w], drive.actuator_moment, firm.spring, firm.damper, dt, first, last, w, i)
    return found


@wp.func
def _gear_bar(
    size: Size, opt: Option, jnt: Joint, dof: Dof, actuator: Actuator, tendon: Tendon, state: State, ten: TendonState, drive: Drive, linear: Linear,
    cotangent: Cotangent, work: wp.float64, force: wp.float64, held: wp.float64, firm: Owed, dt: wp.float64, w: int, a: int,
) -> wp.spatial_vector:  # fmt: skip
    """Gradient by the gear: of the force's own, its length and velocity, and of K; ``held``: h times the force's slope by velocity that K has,
    ``firm``: stiffness and damping in the metric of discrete."""
    bar = wp.spatial_vector()
    by_length = linear.force_length[w, a]
    by_velocity = linear.force_velocity[w, a]
    i = actuator.trnid[a][0]
    o = actuator.outadr[a]
    if actuator.trntype[a] == TrnType.TENDON:
        lam = real(0.0)
        mixed = real(0.0)
        metric = real(0.0)
        for n in range(tendon.J_rowadr[i], tendon.J_rowadr[i] + tendon.J_rownnz[i]):
            k = tendon.J_colind[n]
            entry = real(ten.J[w, n])
            metric += entry * _by_moment(drive, linear, cotangent, firm, dt, w, o, k)
            if linear.left[w, k] != 0:
                lam += entry * linear.another[w, k, 0]
            if held != real(0.0):
                for p in range(drive.moment_rowadr[w, o], drive.moment_rowadr[w, o] + drive.moment_rownnz[w, o]):
                    j = drive.moment_colind[w, p]
                    if are_coupled(size, opt, jnt, dof, k, j):
                        moment = entry * real(drive.actuator_moment[w, p])
                        mixed += moment * (linear.one[w, k, 0] * linear.acc[w, j] + linear.one[w, j, 0] * linear.acc[w, k])
        bar[0] = float(lam * force + work * (by_length * real(ten.length[w, i]) + by_velocity * real(ten.velocity[w, i])) + held * mixed + metric)
    else:
        kind = jnt.type[i]
        v = jnt.dofadr[i]
        q = jnt.qposadr[i]
        number = wp.int32(1)
        rotation = wp.vec3d()
        if kind == JointType.BALL:
            number = 3
            rotation = rotation_vector(wide4(quat_normalize(wp.vec4(state.qpos[w, q], state.qpos[w, q + 1], state.qpos[w, q + 2], state.qpos[w, q + 3]))))
        elif kind == JointType.FREE:
            number = 6
        else:
            rotation[0] = real(state.qpos[w, q])
        for k in range(number):
            lam = real(0.0)
            if linear.left[w, v + k] != 0:
                lam = linear.another[w, v + k, 0]
            mixed = real(0.0)
            if held != real(0.0):
                for p in range(drive.moment_rowadr[w, o], drive.moment_rowadr[w, o] + drive.moment_rownnz[w, o]):
                    j = drive.moment_colind[w, p]
                    if are_coupled(size, opt, jnt, dof, v + k, j):
                        moment = real(drive.actuator_moment[w, p])
                        mixed += moment * (linear.one[w, v + k, 0] * linear.acc[w, j] + linear.one[w, j, 0] * linear.acc[w, v + k])
            length = real(0.0)
            if kind != JointType.FREE:
                length = rotation[wp.min(k, 2)]
            bar[k] = float(lam * force + work * (by_length * length + by_velocity * real(state.qvel[w, v + k])) + held * mixed)
            bar[k] = bar[k] + float(_by_moment(drive, linear, cotangent, firm, dt, w, o, v + k))
    return bar


@wp.func
def _actuator_bars(
    size: Size, opt: Option, jnt: Joint, dof: Dof, actuator: Actuator, tendon: Tendon, state: State, frc: Force, ten: TendonState, drive: Drive,
    linear: Linear, cotangent: Cotangent, bars: FieldBars, zero_controls: bool, dt: wp.float64, w: int, a: int,
):  # fmt: skip
    """Gain, bias, dynamics and gear of actuator ``a``."""
    o = actuator.outadr[a]
    length = real(drive.actuator_length[w, o])
    velocity = real(drive.actuator_velocity[w, o])
    work = work_of_output(drive, linear, w, o)
    free = is_free(opt, actuator, tendon, drive, w, a)
    moves = (opt.disableflags & DisableBit.ACTUATION) == 0 and not holds_still(opt, jnt, actuator, frc, drive, w, a)
    implicit = is_implicit(opt) and moves
    held = real(0.0)  # derivative of the cost by the slope of the force by velocity that K has
    if implicit:
        held = dt * _held(size, opt, jnt, dof, drive, linear, w, o)
    firm = Owed()  # stiffness and damping in the metric of discrete
    stretched = real(0.0)  # what the cost owes to the slope of the force by length that it has
    if opt.integrator == DISCRETE and opt.solver != PGS and moves and actuator.law[a] == 0:
        spring = -real(actuator_stiffness(opt, jnt, actuator, state, frc, drive, zero_controls, w, a))
        damper = -real(actuator_slope(opt, jnt, actuator, state, frc, drive, zero_controls, w, a))
        firm.spring = wp.max(real(0.0), spring)
        firm.damper = wp.max(real(0.0), damper)
        first = drive.moment_rowadr[w, o]
        owed = owed_to_row(opt, linear, cotangent, drive.moment_colind[w], drive.actuator_moment, dt, first, first + drive.moment_rownnz[w, o], w)
        if spring >= real(0.0):
            stretched = -owed.spring
        if damper >= real(0.0):
            held = -owed.damper
    given = actuator_input(opt, actuator, state, drive, zero_controls, w, a)
    period = wrap_period(jnt, actuator, w, a)
    if period > 0.0:
        given = float(length) + nearest_turn(given - float(length), period)
    value = real(given)
    gain = vec10()
    bias = vec10()
    if free:
        gain[Affine.CONSTANT] = float(work * value)
        bias[Affine.CONSTANT] = float(work)
        gain[Affine.LENGTH] = float(work * value * length)
        bias[Affine.LENGTH] = float(work * length)
        gain[Affine.VELOCITY] = float(work * value * velocity)
        bias[Affine.VELOCITY] = float(work * velocity)
    gain[Affine.LENGTH] = gain[Affine.LENGTH] + float(stretched * value)
    bias[Affine.LENGTH] = bias[Affine.LENGTH] + float(stretched)
    gain[Affine.VELOCITY] = gain[Affine.VELOCITY] + float(held * value)
    bias[Affine.VELOCITY] = bias[Affine.VELOCITY] + float(held)
    if actuator.gaintype[a] != GainType.AFFINE:
        gain[Affine.LENGTH] = 0.0
        gain[Affine.VELOCITY] = 0.0
    if actuator.biastype[a] != BiasType.AFFINE:
        bias = vec10()
    bars.actuator_gainprm[w, a] = bars.actuator_gainprm[w, a] + gain
    bars.actuator_biasprm[w, a] = bars.actuator_biasprm[w, a] + bias
    kind = actuator.dyntype[a]
    if (kind == DynType.FILTER or kind == DynType.FILTEREXACT) and (opt.disableflags & DisableBit.ACTUATION) == 0:
        by_next = real(0.0)
        if actuator.actearly[a] != 0:
            if free:
                by_next = real(gain_term(actuator, drive, w, a)) * work
            if actuator.gaintype[a] == GainType.AFFINE:
                by_slope = actuator.gainprm[per_world(actuator.gainprm.shape[0], w), a]
                by_next += held * real(by_slope[Affine.VELOCITY]) + stretched * real(by_slope[Affine.LENGTH])
        _time_constant_bar(opt, jnt, actuator, state, drive, linear, bars, by_next, w, a)
    force = real(drive.actuator_force[w, o])
    slope = real(0.0)
    if implicit:
        slope = dt * linear.force_velocity[w, a]
    bar = _gear_bar(size, opt, jnt, dof, actuator, tendon, state, ten, drive, linear, cotangent, work, force, slope, firm, dt, w, a)
    if (opt.disableflags & DisableBit.ACTUATION) == 0:
        bars.actuator_gear[w, o] = bars.actuator_gear[w, o] + bar


@wp.func
def force_field_bars(
    size: Size, opt: Option, jnt: Joint, dof: Dof, actuator: Actuator, tendon: Tendon, state: State, frc: Force, drive: Drive, ten: TendonState,
    sol_qacc: wp.array2d(dtype=float), linear: Linear, cotangent: Cotangent, bars: FieldBars, w: int, lane: int,
):  # fmt: skip
    """Add what joints, dofs, tendons and actuators do; each lane has objects of its own."""
    dt = real(opt.timestep[per_world(opt.timestep.shape[0], w)])
    explicit = DisableBit.DAMPER | DisableBit.EULERDAMP
    if is_implicit(opt):
        explicit = DisableBit.DAMPER
    implicit = (opt.disableflags & explicit) == 0
    for i in range(lane, size.nv, lanes()):
        dof_bars(opt, dof, state, real(sol_qacc[w, i]), linear, cotangent, bars, implicit, dt, w, i)
    if (opt.disableflags & DisableBit.SPRING) == 0:
        for j in range(lane, size.njnt, lanes()):
            spring_bars(opt, jnt, state, linear, cotangent, bars, dt, w, j)
    for t in range(lane, size.ntendon, lanes()):
        _tendon_bars(size, opt, jnt, dof, tendon, ten, sol_qacc, linear, cotangent, bars, dt, w, t)
    zero_controls = controls_are_bad(size, opt, actuator, state, w, lane)
    for a in range(lane, size.nactuator, lanes()):
        _actuator_bars(size, opt, jnt, dof, actuator, tendon, state, frc, ten, drive, linear, cotangent, bars, zero_controls, dt, w, a)
