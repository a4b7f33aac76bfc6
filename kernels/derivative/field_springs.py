"""Gradients by springs, dampers and armature of joints.

``linear.another`` holds the adjoint of the residual, ``linear.one`` that of the integrator's equation, as in ``field_forces.py``. The metric of discrete takes
no slopes below zero; at zero, as of springs and dampers that are not there, the gradient is that of slopes which begin.
"""

import warp as wp

from newtonish.common.enums import DisableBit, JointType
from newtonish.kernels.derivative.algebra import real, rotation_change, rotation_vector
from newtonish.kernels.derivative.cotangent import Cotangent, FieldBars
from newtonish.kernels.derivative.field_metric import owed_to_dof
from newtonish.kernels.derivative.polynomials import spring_bend
from newtonish.kernels.derivative.quaternions import quaternion_bar, wide4
from newtonish.kernels.derivative.response import DISCRETE
from newtonish.kernels.derivative.workspace import Linear
from newtonish.kernels.integrate.euler import damping_slope
from newtonish.kernels.math.polynomial import poly_coefficient, poly_slope
from newtonish.kernels.math.quat import quat_conj, quat_mul, quat_normalize
from newtonish.kernels.math.world import per_world
from newtonish.kernels.structs.data import State
from newtonish.kernels.structs.model import Dof, Joint, Option


@wp.func
def dof_bars(
    opt: Option, dof: Dof, state: State, sol_qacc: wp.float64, linear: Linear, cotangent: Cotangent, bars: FieldBars, implicit: bool, dt: wp.float64,
    w: int, i: int,
):  # fmt: skip
    """Armature and damping of dof ``i``."""
    lam = linear.another[w, i, 0]
    mu = linear.one[w, i, 0]
    acc = linear.acc[w, i]
    bars.dof_armature[w, i] = bars.dof_armature[w, i] + float(mu * (sol_qacc - acc) - lam * sol_qacc)
    if (opt.disableflags & DisableBit.DAMPER) == 0:
        speed = real(state.qvel[w, i])
        size = wp.abs(speed)
        held = real(0.0)  # minus what the cost owes to the damper's slope, where it is taken at the end of the step
        if opt.integrator == DISCRETE:
            if damping_slope(dof, state, w, i) >= 0.0:
                held = -owed_to_dof(opt, linear, cotangent, dt, w, i).damper
        elif implicit:
            held = dt * mu * acc
        by_poly = wp.vec2(float(-size * (lam * speed + real(2.0) * held)), float(-size * size * (lam * speed + real(3.0) * held)))
        bars.dof_damping[w, i] = bars.dof_damping[w, i] - float(lam * speed + held)
        bars.dof_dampingpoly[w, i] = bars.dof_dampingpoly[w, i] + by_poly


@wp.func
def _spring3(
    opt: Option, linear: Linear, cotangent: Cotangent, bars: FieldBars, stiffness: float, poly: wp.vec2, away: wp.vec3d, dt: wp.float64,
    w: int, j: int, v: int,
) -> wp.vec3d:  # fmt: skip
    """Stiffness of a spring in three directions from dof ``v`` on; returns the gradient by the displacement of its rest."""
    lam = wp.vec3d(linear.another[w, v, 0], linear.another[w, v + 1, 0], linear.another[w, v + 2, 0])
    length = wp.length(away)
    work = wp.dot(lam, away)
    slope = real(0.0)  # what the cost owes to the spring's slope
    if poly_slope(stiffness, poly, float(length)) >= 0.0:
        for i in range(3):
            slope += owed_to_dof(opt, linear, cotangent, dt, w, v + i).spring
    by_poly = wp.vec2(float(length * (real(2.0) * slope - work)), float(length * length * (real(3.0) * slope - work)))
    bars.jnt_stiffness[w, j] = bars.jnt_stiffness[w, j] + float(slope - work)
    bars.jnt_stiffnesspoly[w, j] = bars.jnt_stiffnesspoly[w, j] + by_poly
    bar = real(poly_coefficient(stiffness, poly, float(length))) * lam
    if length > real(0.0):
        bar += away * ((real(poly[0]) + real(2.0) * length * real(poly[1])) * work / length)
        bar -= away * (spring_bend(poly, length) * slope / length)
    return bar


@wp.func
def spring_bars(opt: Option, jnt: Joint, state: State, linear: Linear, cotangent: Cotangent, bars: FieldBars, dt: wp.float64, w: int, j: int):
    """Stiffness and rest of the spring of joint ``j``."""
    kind = jnt.type[j]
    q = jnt.qposadr[j]
    v = jnt.dofadr[j]
    rest_w = per_world(jnt.qpos_spring.shape[0], w)
    stiffness = jnt.stiffness[per_world(jnt.stiffness.shape[0], w), j]
    poly = jnt.stiffnesspoly[per_world(jnt.stiffnesspoly.shape[0], w), j]
    if kind == JointType.SLIDE or kind == JointType.HINGE:
        lam = linear.another[w, v, 0]
        away = real(state.qpos[w, q]) - real(jnt.qpos_spring[rest_w, q])
        slope = real(0.0)  # what the cost owes to the spring's slope
        if poly_slope(stiffness, poly, float(away)) >= 0.0:
            slope = owed_to_dof(opt, linear, cotangent, dt, w, v).spring
        by_poly = wp.vec2(float(away * (real(2.0) * slope - lam * away)), float(away * away * (real(3.0) * slope - lam * away)))
        bars.jnt_stiffness[w, j] = bars.jnt_stiffness[w, j] + float(slope - lam * away)
        bars.jnt_stiffnesspoly[w, j] = bars.jnt_stiffnesspoly[w, j] + by_poly
        pull = lam * real(poly_slope(stiffness, poly, float(away))) - slope * spring_bend(poly, away)
        bars.qpos_spring[w, q] = bars.qpos_spring[w, q] + float(pull)
    else:
        if kind == JointType.FREE:
            offset = wp.vec3d()
            for i in range(3):
                offset[i] = real(state.qpos[w, q + i]) - real(jnt.qpos_spring[rest_w, q + i])
            bar = _spring3(opt, linear, cotangent, bars, stiffness, poly, offset, dt, w, j, v)
            for i in range(3):
                bars.qpos_spring[w, q + i] = bars.qpos_spring[w, q + i] + float(bar[i])
            q += 3
            v += 3
        now = wp.vec4(state.qpos[w, q], state.qpos[w, q + 1], state.qpos[w, q + 2], state.qpos[w, q + 3])
        rest = wp.vec4(jnt.qpos_spring[rest_w, q], jnt.qpos_spring[rest_w, q + 1], jnt.qpos_spring[rest_w, q + 2], jnt.qpos_spring[rest_w, q + 3])
        rotation = rotation_vector(wide4(quat_mul(quat_conj(rest), quat_normalize(now))))
        bar = _spring3(opt, linear, cotangent, bars, stiffness, poly, rotation, dt, w, j, v)
        by_rest = quaternion_bar(rest, rotation_change(rotation, bar))
        for i in range(4):
            bars.qpos_spring[w, q + i] = bars.qpos_spring[w, q + i] + by_rest[i]
