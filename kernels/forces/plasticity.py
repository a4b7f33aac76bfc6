"""Elasto-plasticity of springs: beyond a displacement the rest position follows, and stays where it was left.

The rest positions are state (``d.plastic``): one coordinate of a slide or hinge, a quaternion of a ball, the two ends of the
dead band of a tendon. After each step those displaced by more than ``springyield`` move by the excess, the return mapping
of ideal plasticity. MuJoCo: documentation, chapter XML Reference, attribute springyield; mj_advance. Method: Simo and
Hughes, Computational Inelasticity, section 1.2.

What computes spring forces reads rest positions from ``jnt.qpos_spring`` and ``tendon.lengthspring``: ``springs`` puts the
plastic ones there.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.enums import DisableBit, IntegratorType, JointType
from newtonish.kernels.history.delay import reset_history_world
from newtonish.kernels.math.quat import quat_conj, quat_integrate, quat_mul, quat_normalize, quat_to_rotation_vector
from newtonish.kernels.math.world import lanes, per_world, sync
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.structs.data import State, Status, TendonState
from newtonish.kernels.structs.field import variant
from newtonish.kernels.structs.history import History, HistoryState
from newtonish.kernels.structs.model import JOINT, TENDON, Actuator, Joint, Option, Sensor, Size, Tendon

SPATIAL = wp.constant(1)  # TendonType


@wp.func
def _coordinates(jnt: Joint, j: int) -> int:
    """Number of entries of a plastic joint."""
    return wp.where(jnt.type[j] == JointType.BALL, 4, 1)


@wp.kernel
def _rest(size: Size, jnt: Joint, tendon: Tendon, hist: History, seen: HistoryState):
    """Rest positions of all springs, from the plastic state where there is one."""
    w, lane = wp.tid()
    for i in range(lane, size.nq, lanes()):
        seen.qpos_spring[w, i] = jnt.qpos_spring[per_world(jnt.qpos_spring.shape[0], w), i]
    sync()
    for j in range(lane, size.njnt, lanes()):
        adr = hist.jnt_plasticadr[j]
        if adr >= 0:
            for k in range(_coordinates(jnt, j)):
                seen.qpos_spring[w, jnt.qposadr[j] + k] = seen.plastic[w, adr + k]
    for t in range(lane, size.ntendon, lanes()):
        adr = hist.tendon_plasticadr[t]
        band = tendon.lengthspring[per_world(tendon.lengthspring.shape[0], w), t]
        if adr >= 0:
            band = wp.vec2(seen.plastic[w, adr], seen.plastic[w, adr + 1])
        seen.lengthspring[w, t] = band


@wp.kernel
def _remember(size: Size, tendon: Tendon, ten: TendonState, seen: HistoryState):
    """Lengths and Jacobians of tendons at the start of the step, which the stages of an integrator may write over."""
    w, lane = wp.tid()
    for t in range(lane, size.ntendon, lanes()):
        seen.ten_length[w, t] = ten.length[w, t]
        for k in range(tendon.J_rowadr[t], tendon.J_rowadr[t] + tendon.J_rownnz[t]):
            seen.ten_J[w, k] = ten.J[w, k]


@wp.kernel
def _recall(size: Size, tendon: Tendon, ten: TendonState, seen: HistoryState):
    """The inverse of ``_remember``."""
    w, lane = wp.tid()
    for t in range(lane, size.ntendon, lanes()):
        ten.length[w, t] = seen.ten_length[w, t]
        for k in range(tendon.J_rowadr[t], tendon.J_rowadr[t] + tendon.J_rownnz[t]):
            ten.J[w, k] = seen.ten_J[w, k]


@wp.func
def _yield_joint(jnt: Joint, hist: History, state: State, seen: HistoryState, w: int, j: int):
    """Move the rest position of plastic joint ``j`` after its coordinates."""
    adr = hist.jnt_plasticadr[j]
    q = jnt.qposadr[j]
    limit = wp.max(hist.jnt_springyield[per_world(hist.jnt_springyield.shape[0], w), j], 0.0)
    if jnt.type[j] == JointType.BALL:
        quat = quat_normalize(wp.vec4(state.qpos[w, q], state.qpos[w, q + 1], state.qpos[w, q + 2], state.qpos[w, q + 3]))
        rest = wp.vec4(seen.plastic[w, adr], seen.plastic[w, adr + 1], seen.plastic[w, adr + 2], seen.plastic[w, adr + 3])
        turned = quat_to_rotation_vector(quat_mul(quat_conj(rest), quat))
        angle = wp.length(turned)
        if angle > limit:
            rest = quat_integrate(rest, turned, (angle - limit) / angle)
            for k in range(4):
                seen.plastic[w, adr + k] = rest[k]
    else:
        away = state.qpos[w, q] - seen.plastic[w, adr]
        if wp.abs(away) > limit:
            seen.plastic[w, adr] = state.qpos[w, q] - wp.sign(away) * limit


@wp.func
def _length_after(tendon: Tendon, state: State, seen: HistoryState, velocity: wp.array2d(dtype=float), dt: float, w: int, t: int) -> float:
    """Length of tendon ``t`` at the end of the step: exact if it is fixed, else by its rate at the start."""
    fixed = tendon.type[t] != SPATIAL
    length = wp.where(fixed, 0.0, seen.ten_length[w, t])
    for k in range(tendon.J_rowadr[t], tendon.J_rowadr[t] + tendon.J_rownnz[t]):
        if fixed:
            coef = tendon.coef[per_world(tendon.coef.shape[0], w), k]
            length += coef * state.qpos[w, tendon.J_qposadr[k]]
        else:
            length += dt * seen.ten_J[w, k] * velocity[w, tendon.J_colind[k]]
    return length


@wp.func
def _yield_tendon(hist: History, seen: HistoryState, length: float, w: int, t: int):
    """Move the dead band of plastic tendon ``t``; the lower end of a slack one, zero, stays when it is stretched."""
    adr = hist.tendon_plasticadr[t]
    limit = wp.max(hist.tendon_springyield[per_world(hist.tendon_springyield.shape[0], w), t], 0.0)
    low = seen.plastic[w, adr]
    high = seen.plastic[w, adr + 1]
    away = length - wp.clamp(length, low, high)
    if wp.abs(away) > limit:
        excess = away - wp.sign(away) * limit
        slack = low == 0.0 and high > 0.0 and away > 0.0
        if not slack:
            seen.plastic[w, adr] = low + excess
        seen.plastic[w, adr + 1] = high + excess


@wp.func
def reset_plastic_world(size: Size, jnt: Joint, tendon: Tendon, hist: History, seen: HistoryState, w: int, lane: int):
    """Plastic springs of one world rest where the model says; returns with a barrier."""
    if hist.nplastic > 0:
        for i in range(lane, hist.nplastic, lanes()):
            seen.plastic[w, i] = 0.0
        sync()
        for j in range(lane, size.njnt, lanes()):
            adr = hist.jnt_plasticadr[j]
            if adr >= 0:
                for k in range(_coordinates(jnt, j)):
                    spring_w = per_world(jnt.qpos_spring.shape[0], w)
                    seen.plastic[w, adr + k] = jnt.qpos_spring[spring_w, jnt.qposadr[j] + k]
        for t in range(lane, size.ntendon, lanes()):
            adr = hist.tendon_plasticadr[t]
            if adr >= 0:
                band = tendon.lengthspring[per_world(tendon.lengthspring.shape[0], w), t]
                seen.plastic[w, adr] = band[0]
                seen.plastic[w, adr + 1] = band[1]
        sync()


@wp.kernel
def _settle(
    size: Size, opt: Option, jnt: Joint, actuator: Actuator, tendon: Tendon, sensor: Sensor, hist: History, state: State,
    status: Status, seen: HistoryState, velocity: wp.array2d(dtype=float),
):  # fmt: skip
    """The end of a step: springs yield; a world that was reset forgets its past."""
    w, lane = wp.tid()
    forgets = status.nonfinite[w] != seen.resets[w]
    sync()
    if forgets:
        reset_history_world(size, opt, actuator, sensor, hist, seen, w, lane)
        reset_plastic_world(size, jnt, tendon, hist, seen, w, lane)
        if lane == 0:
            seen.resets[w] = status.nonfinite[w]
    elif hist.nplastic > 0 and (opt.disableflags & DisableBit.SPRING) == 0:
        dt = opt.timestep[per_world(opt.timestep.shape[0], w)]
        for j in range(lane, size.njnt, lanes()):
            if hist.jnt_plasticadr[j] >= 0:
                _yield_joint(jnt, hist, state, seen, w, j)
        for t in range(lane, size.ntendon, lanes()):
            if hist.tendon_plasticadr[t] >= 0:
                length = _length_after(tendon, state, seen, velocity, dt, w, t)
                _yield_tendon(hist, seen, length, w, t)


@wp.kernel
def _forget(
    size: Size, opt: Option, jnt: Joint, actuator: Actuator, tendon: Tendon, sensor: Sensor, hist: History,
    seen: HistoryState, mask: wp.array(dtype=bool), which: int,
):  # fmt: skip
    """Reset the buffers (bit 1 of ``which``) and the plastic springs (bit 2) of the worlds in ``mask``."""
    w, lane = wp.tid()
    if mask[w]:
        if (which & 1) != 0:
            reset_history_world(size, opt, actuator, sensor, hist, seen, w, lane)
        if (which & 2) != 0:
            reset_plastic_world(size, jnt, tendon, hist, seen, w, lane)
            if lane == 0:
                seen.resets[w] = 0


def springs(m: Any, d: Any) -> tuple[Any, Any]:
    """``m.jnt`` and ``m.tendon`` with the rest positions of their springs as they are now.

    Reads   m.hist, m.jnt.qpos_spring, m.tendon.lengthspring, d.hist.plastic. Writes d.hist.qpos_spring, lengthspring
    """
    launch(_rest, d, [m.size, m.jnt, m.tendon, m.hist, d.hist])
    jnt = variant(JOINT, m.jnt, qpos_spring=d.hist.qpos_spring)
    return jnt, variant(TENDON, m.tendon, lengthspring=d.hist.lengthspring)


def remember_tendons(m: Any, d: Any) -> None:
    """Keep what the yielding of tendons needs of the start of the step."""
    launch(_remember, d, [m.size, m.tendon, d.ten, d.hist])


def settle(m: Any, d: Any) -> None:
    """After the state advanced: let springs yield, and worlds that were reset forget.

    Reads   m.hist, d.state, d.hist, d.status.nonfinite. Writes d.hist (plastic, history of reset worlds); after RK4 d.ten_length and
            d.ten_J, which are those of the step's start in models with plastic springs
    MuJoCo  part of mj_advance, and of mj_resetData.
    """
    # the velocity that moved the coordinates
    velocity = d.scratch.dqvel if m.opt.integrator == IntegratorType.RK4 else d.state.qvel
    groups = [m.size, m.opt, m.jnt, m.actuator, m.tendon, m.sensor, m.hist, d.state, d.status, d.hist]
    launch(_settle, d, [*groups, velocity])
    if m.opt.integrator == IntegratorType.RK4 and m.hist.nplastic > 0 and m.size.ntendon > 0:
        launch(_recall, d, [m.size, m.tendon, d.ten, d.hist])


def forget(m: Any, d: Any, mask: wp.array, which: int) -> None:
    """Reset the past of the worlds that ``mask`` (nworld,) names; ``which``: 1 delays, 2 springs, 3 both."""
    launch(_forget, d, [m.size, m.opt, m.jnt, m.actuator, m.tendon, m.sensor, m.hist, d.hist, mask, which])
