"""Derivatives of springs, dampers and actuators.

What enters the residual with a minus sign is added to its derivatives with one. Moments of actuators count as constant here; ``tendon_bends.py`` and ``output_bends.py`` add
how others change.
"""

import warp as wp

from newtonish.common.actuator_parameters import Affine, FilterDyn
from newtonish.common.enums import BiasType, DisableBit, DynType, GainType, IntegratorType, JointType
from newtonish.kernels.constants import MINVAL
from newtonish.kernels.derivative.algebra import (
    real,
    rotation_change,
    rotation_vector,
)
from newtonish.kernels.derivative.muscle_slopes import muscle_rate_slopes, muscle_slopes
from newtonish.kernels.derivative.shared_limits import scale_slopes, waits_for_tendon
from newtonish.kernels.derivative.workspace import Linear
from newtonish.kernels.forces.actuation import actuator_disabled, clamped_control, controls_are_bad, gain_term, next_activation
from newtonish.kernels.integrate.derivative import actuator_input
from newtonish.kernels.integrate.euler import damping_slope
from newtonish.kernels.math.polynomial import poly_coefficient, poly_slope
from newtonish.kernels.math.quat import quat_conj, quat_mul, quat_normalize
from newtonish.kernels.math.world import lanes, per_world, sync
from newtonish.kernels.structs.data import Drive, Force, State, TendonState
from newtonish.kernels.structs.model import Actuator, Dof, Joint, Option, Size, Tendon

RK4 = wp.constant(int(IntegratorType.RK4))


@wp.func
def _spring_matrix(stiffness: float, poly: wp.vec2, away: wp.vec3d, change: wp.vec3d) -> wp.vec3d:
    """Change of the force of a spring in three directions, with opposite sign."""
    length = wp.length(away)
    coefficient = real(poly_coefficient(stiffness, poly, float(length)))
    result = coefficient * change
    if length > real(0.0):
        rise = real(poly[0]) + real(2.0) * length * real(poly[1])
        result += away * (rise * wp.dot(away, change) / length)
    return result


@wp.func
def _spring_column(jnt: Joint, dof: Dof, state: State, linear: Linear, w: int, k: int):
    """Spring of the joint of dof ``k``."""
    j = dof.jntid[k]
    kind = jnt.type[j]
    stiffness = jnt.stiffness[per_world(jnt.stiffness.shape[0], w), j]
    poly = jnt.stiffnesspoly[per_world(jnt.stiffnesspoly.shape[0], w), j]
    if stiffness == 0.0 and poly[0] == 0.0 and poly[1] == 0.0:
        return
    rest_w = per_world(jnt.qpos_spring.shape[0], w)
    q = jnt.qposadr[j]
    first = jnt.dofadr[j]
    if kind == JointType.SLIDE or kind == JointType.HINGE:
        away = state.qpos[w, q] - jnt.qpos_spring[rest_w, q]
        linear.Gq[w, k, k] = linear.Gq[w, k, k] + real(poly_slope(stiffness, poly, away))
        return
    unit = wp.vec3d()
    change = wp.vec3d()
    if kind == JointType.FREE and k < first + 3:
        unit[k - first] = real(1.0)
        offset = wp.vec3d()
        for i in range(3):
            offset[i] = real(state.qpos[w, q + i]) - real(jnt.qpos_spring[rest_w, q + i])
        change = _spring_matrix(stiffness, poly, offset, unit)
    else:
        if kind == JointType.FREE:
            first += 3
            q += 3
        unit[k - first] = real(1.0)
        now = wp.vec4(state.qpos[w, q], state.qpos[w, q + 1], state.qpos[w, q + 2], state.qpos[w, q + 3])
        rest = wp.vec4(jnt.qpos_spring[rest_w, q], jnt.qpos_spring[rest_w, q + 1], jnt.qpos_spring[rest_w, q + 2], jnt.qpos_spring[rest_w, q + 3])
        turned = quat_mul(quat_conj(rest), quat_normalize(now))
        rotation = rotation_vector(wp.vec4d(real(turned[0]), real(turned[1]), real(turned[2]), real(turned[3])))
        change = _spring_matrix(stiffness, poly, rotation, rotation_change(rotation, unit))
    for i in range(3):
        linear.Gq[w, first + i, k] = linear.Gq[w, first + i, k] + change[i]


@wp.func
def tendon_slopes(opt: Option, tendon: Tendon, ten: TendonState, w: int, t: int) -> wp.vec2:
    """Slopes of the forces of spring and damper of tendon ``t`` by length and velocity, with opposite sign."""
    spring = wp.float32(0.0)
    damper = wp.float32(0.0)
    if (opt.disableflags & DisableBit.SPRING) == 0:
        rest = tendon.lengthspring[per_world(tendon.lengthspring.shape[0], w), t]
        away = ten.length[w, t] - wp.clamp(ten.length[w, t], rest[0], rest[1])
        stiffness = tendon.stiffness[per_world(tendon.stiffness.shape[0], w), t]
        # within the dead band there is no force; at rest on its end, as outside
        if away != 0.0 or rest[0] == rest[1]:
            spring = poly_slope(stiffness, tendon.stiffnesspoly[per_world(tendon.stiffnesspoly.shape[0], w), t], away)
    if (opt.disableflags & DisableBit.DAMPER) == 0:
        damping = tendon.damping[per_world(tendon.damping.shape[0], w), t]
        damper = poly_slope(damping, tendon.dampingpoly[per_world(tendon.dampingpoly.shape[0], w), t], wp.abs(ten.velocity[w, t]))
    return wp.vec2(spring, damper)


@wp.func
def tendon_columns_world(size: Size, opt: Option, tendon: Tendon, ten: TendonState, linear: Linear, w: int, lane: int):
    """Springs and dampers of tendons, as if their Jacobian were constant, into Gq and Gv."""
    for t in range(size.ntendon):
        slopes = tendon_slopes(opt, tendon, ten, w, t)
        if slopes[0] != 0.0 or slopes[1] != 0.0:
            first = tendon.J_rowadr[t]
            last = first + tendon.J_rownnz[t]
            for c in range(first, last):
                k = tendon.J_colind[c]
                if k % lanes() == lane:
                    spring = real(slopes[0]) * real(ten.J[w, c])
                    damper = real(slopes[1]) * real(ten.J[w, c])
                    for n in range(first, last):
                        j = tendon.J_colind[n]
                        linear.Gq[w, j, k] = linear.Gq[w, j, k] + real(ten.J[w, n]) * spring
                        linear.Gv[w, j, k] = linear.Gv[w, j, k] + real(ten.J[w, n]) * damper


@wp.func
def joint_columns_world(size: Size, opt: Option, jnt: Joint, dof: Dof, state: State, linear: Linear, w: int, lane: int):
    """Springs and dampers of joints, into Gq and Gv."""
    for k in range(lane, size.nv, lanes()):
        if (opt.disableflags & DisableBit.SPRING) == 0:
            _spring_column(jnt, dof, state, linear, w, k)
        if (opt.disableflags & DisableBit.DAMPER) == 0:
            linear.Gv[w, k, k] = linear.Gv[w, k, k] + real(damping_slope(dof, state, w, k))


@wp.func
def is_free(opt: Option, actuator: Actuator, tendon: Tendon, drive: Drive, w: int, a: int) -> bool:
    """Whether the force of actuator ``a`` may change: it is switched on, and at no limit of its own."""
    free = (opt.disableflags & DisableBit.ACTUATION) == 0 and not actuator_disabled(opt, actuator, a)
    if free and actuator.forcelimited[a] != 0 and not waits_for_tendon(actuator, tendon, a):
        force = drive.actuator_force[w, actuator.outadr[a]]
        limits = actuator.forcerange[per_world(actuator.forcerange.shape[0], w), a]
        free = force > limits[0] and force < limits[1]
    return free


@wp.func
def _motion_slopes(opt: Option, actuator: Actuator, state: State, drive: Drive, linear: Linear, zero_controls: bool, free: bool, w: int, a: int):
    """Slopes of the force by length and velocity."""
    by_length = wp.float32(0.0)
    by_velocity = wp.float32(0.0)
    value = actuator_input(opt, actuator, state, drive, zero_controls, w, a)
    if free and actuator.gaintype[a] == GainType.AFFINE:
        gain = actuator.gainprm[per_world(actuator.gainprm.shape[0], w), a]
        by_length = gain[Affine.LENGTH] * value
        by_velocity = gain[Affine.VELOCITY] * value
    if free and actuator.biastype[a] == BiasType.AFFINE:
        bias = actuator.biasprm[per_world(actuator.biasprm.shape[0], w), a]
        by_length += bias[Affine.LENGTH]
        by_velocity += bias[Affine.VELOCITY]
    if free and (actuator.gaintype[a] == GainType.MUSCLE or actuator.biastype[a] == BiasType.MUSCLE):
        slopes = muscle_slopes(actuator, drive, value, w, a)
        by_length += slopes[0]
        by_velocity += slopes[1]
    linear.force_length[w, a] = real(by_length)
    linear.force_velocity[w, a] = real(by_velocity)


@wp.func
def _control_slope(opt: Option, actuator: Actuator, state: State, zero_controls: bool, w: int, a: int) -> wp.float64:
    """1 where the control counts as it is, 0 where it is outside its range or there is none."""
    slope = real(0.0)
    if actuator.ctrlnum[a] > 0 and not zero_controls:
        u = actuator.ctrladr[a]
        slope = real(1.0)
        if actuator.ctrllimited[u] != 0 and (opt.disableflags & DisableBit.CLAMPCTRL) == 0:
            span = actuator.ctrlrange[per_world(actuator.ctrlrange.shape[0], w), u]
            if state.ctrl[w, u] < span[0] or state.ctrl[w, u] > span[1]:
                slope = real(0.0)
    return slope


@wp.func
def _activation_slopes(
    opt: Option, actuator: Actuator, state: State, drive: Drive, linear: Linear, by_ctrl: wp.float64, zero_controls: bool,
    w: int, a: int,
):  # fmt: skip
    """Slopes of the next activation, and of what the gain is multiplied by, by activation and control; an activation that would leave its range stays."""
    adr = actuator.actadr[a] + actuator.actnum[a] - 1
    dt = real(opt.timestep[per_world(opt.timestep.shape[0], w)])
    rate_act = real(0.0)
    rate_ctrl = by_ctrl
    ctrl = wp.float32(0.0)
    if actuator.ctrlnum[a] > 0 and not zero_controls:
        ctrl = clamped_control(opt, actuator, state, w, actuator.ctrladr[a])
    kind = actuator.dyntype[a]
    if kind == DynType.FILTER or kind == DynType.FILTEREXACT:
        tau = real(wp.max(actuator.dynprm[per_world(actuator.dynprm.shape[0], w), a][FilterDyn.TIMECONST], MINVAL))
        rate_act = real(-1.0) / tau
        rate_ctrl = by_ctrl / tau
        if kind == DynType.FILTEREXACT:
            dt = tau * (real(1.0) - wp.exp(-dt / tau))
    elif kind == DynType.MUSCLE:
        rates = muscle_rate_slopes(actuator.dynprm[per_world(actuator.dynprm.shape[0], w), a], ctrl, state.act[w, adr])
        rate_act = rates[0]
        rate_ctrl = by_ctrl * rates[1]
    stays = wp.bool(False)
    if actuator.actlimited[a] != 0:
        after = next_activation(opt, actuator, state.act[w, adr], drive.act_dot[w, adr], w, a)
        within = actuator.actrange[per_world(actuator.actrange.shape[0], w), a]
        stays = after <= within[0] or after >= within[1]
    next_by_act = wp.where(stays, real(0.0), real(1.0) + dt * rate_act)
    next_by_ctrl = wp.where(stays, real(0.0), dt * rate_ctrl)
    linear.input_act[w, a] = wp.where(actuator.actearly[a] != 0, next_by_act, real(1.0))
    linear.input_ctrl[w, a] = wp.where(actuator.actearly[a] != 0, next_by_ctrl, real(0.0))
    if (opt.disableflags & DisableBit.ACTUATION) != 0:
        next_by_act = real(1.0)
        next_by_ctrl = real(0.0)
    elif actuator_disabled(opt, actuator, a):
        next_by_act = wp.where(stays, real(0.0), real(1.0))
        next_by_ctrl = real(0.0)
    if opt.integrator == RK4:  # whose stages take the rate
        next_by_act = rate_act
        next_by_ctrl = rate_ctrl
    linear.act_act[w, a] = next_by_act
    linear.act_ctrl[w, a] = next_by_ctrl


@wp.func
def actuator_slopes_world(
    size: Size, opt: Option, jnt: Joint, dof: Dof, actuator: Actuator, tendon: Tendon, state: State, frc: Force, drive: Drive, linear: Linear,
    w: int, lane: int,
):  # fmt: skip
    """Slopes of forces and of next activations; returns with a barrier."""
    zero_controls = controls_are_bad(size, opt, actuator, state, w, lane)
    for a in range(lane, size.nactuator, lanes()):
        own_law = actuator.law[a] != 0  # law_slopes.py
        free = not own_law and is_free(opt, actuator, tendon, drive, w, a)
        _motion_slopes(opt, actuator, state, drive, linear, zero_controls, free, w, a)
        by_input = real(0.0)
        if free:
            by_input = real(gain_term(actuator, drive, w, a))
        by_ctrl = _control_slope(opt, actuator, state, zero_controls, w, a)
        linear.act_act[w, a] = real(0.0)
        linear.act_ctrl[w, a] = real(0.0)
        linear.input_act[w, a] = real(0.0)
        linear.input_ctrl[w, a] = by_ctrl
        if actuator.actadr[a] >= 0 and not own_law:
            _activation_slopes(opt, actuator, state, drive, linear, by_ctrl, zero_controls, w, a)
        linear.force_act[w, a] = by_input * linear.input_act[w, a]
        linear.force_ctrl[w, a] = by_input * linear.input_ctrl[w, a]
        scale_slopes(linear, w, a)
    for i in range(lane, size.nv, lanes()):
        j = dof.jntid[i]
        linear.left[w, i] = 1
        if jnt.actfrclimited[j] != 0:
            total = frc.qfrc_actuator[w, i]
            span = jnt.actfrcrange[per_world(jnt.actfrcrange.shape[0], w), j]
            linear.left[w, i] = wp.where(total > span[0] and total < span[1], 1, 0)
    sync()


@wp.func
def moment_of(drive: Drive, w: int, a: int, o: int, k: int) -> wp.float64:
    """Moment of output ``o`` on dof ``k``."""
    found = real(0.0)
    for n in range(drive.moment_rowadr[w, o], drive.moment_rowadr[w, o] + drive.moment_rownnz[w, o]):
        if drive.moment_colind[w, n] == k:
            found = real(drive.actuator_moment[w, n])
    return found


@wp.func
def work_of_output(drive: Drive, linear: Linear, w: int, o: int) -> wp.float64:
    """What the adjoint of the residual is of a unit force of output ``o``, where joints leave it free."""
    work = real(0.0)
    for n in range(drive.moment_rowadr[w, o], drive.moment_rowadr[w, o] + drive.moment_rownnz[w, o]):
        j = drive.moment_colind[w, n]
        if linear.left[w, j] != 0:
            work += real(drive.actuator_moment[w, n]) * linear.another[w, j, 0]
    return work


@wp.func
def add_force(drive: Drive, linear: Linear, target: wp.array3d(dtype=wp.float64), factor: wp.float64, w: int, o: int, k: int):
    """Add ``factor`` times the moment of output ``o``, where joints leave its force free to change, to column ``k``."""
    for n in range(drive.moment_rowadr[w, o], drive.moment_rowadr[w, o] + drive.moment_rownnz[w, o]):
        j = drive.moment_colind[w, n]
        if linear.left[w, j] != 0:
            target[w, j, k] = target[w, j, k] + factor * real(drive.actuator_moment[w, n])


@wp.func_native("""
    double* gq = (double*)((char*)Gq.data + (size_t)w * Gq.strides[0]) + k;
    double* gv = (double*)((char*)Gv.data + (size_t)w * Gv.strides[0]) + k;
    const float* m = (const float*)((const char*)moment.data + (size_t)w * moment.strides[0]);
    const int* dofs = (const int*)((const char*)colind.data + (size_t)w * colind.strides[0]);
    const int* free = (const int*)((const char*)left.data + (size_t)w * left.strides[0]);
    const int n = Gq.shape[2];
    for (int at = first; at < last; at++) {
        const int j = dofs[at];
        if (free[j] != 0) {
            gq[j * n] -= by_length * m[at];
            gv[j * n] -= by_velocity * m[at];
        }
    }
""")
def _add_slopes(
    Gq: wp.array3d(dtype=wp.float64), Gv: wp.array3d(dtype=wp.float64), moment: wp.array2d(dtype=float), colind: wp.array2d(dtype=int),
    left: wp.array2d(dtype=int), first: int, last: int, by_length: wp.float64, by_velocity: wp.float64, w: int, k: int,
):  # fmt: skip
    """Subtract a moment times two numbers, where joints leave its force free to change, from column ``k`` of both matrices."""
    ...


@wp.func
def actuator_columns_world(size: Size, actuator: Actuator, drive: Drive, linear: Linear, w: int, lane: int):
    """Actuators whose force follows length or velocity, into Gq and Gv."""
    for a in range(size.nactuator):
        by_length = linear.force_length[w, a]
        by_velocity = linear.force_velocity[w, a]
        if by_length != real(0.0) or by_velocity != real(0.0):
            o = actuator.outadr[a]
            first = drive.moment_rowadr[w, o]
            for n in range(first, first + drive.moment_rownnz[w, o]):
                k = drive.moment_colind[w, n]
                at = real(drive.actuator_moment[w, n])
                if k % lanes() == lane and at != real(0.0):
                    _add_slopes(
                        linear.Gq, linear.Gv, drive.actuator_moment, drive.moment_colind, linear.left, first, first + drive.moment_rownnz[w, o],
                        by_length * at, by_velocity * at, w, k,
                    )  # fmt: skip
