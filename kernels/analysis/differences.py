"""Finite differences of a step and of the inverse dynamics: every perturbation of every world is a world of its own.

Of ``count`` worlds that stand for one, the first is unperturbed, the next ``n`` have one input each moved up, and the last
``n``, if differences are centred, moved down. What an input was moved by is read back after rounding, so that this
rounding does not enter the quotient. Orientations move, and differ, in the tangent space.
Method: MuJoCo's documentation, APIreference, mjd_transitionFD and mjd_inverseFD; Nocedal and Wright 2006, ch. 8.1.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.enums import JointType
from newtonish.kernels.math.quat import quat_conj, quat_integrate, quat_mul, quat_to_rotation_vector
from newtonish.kernels.math.world import per_world
from newtonish.kernels.runtime.launch import launch, launch_on
from newtonish.kernels.structs.data import Force, Mass, Sense, Solve, State
from newtonish.kernels.structs.model import Actuator, Dof, Joint, Size

Matrices = wp.array3d(dtype=float)  # one matrix a world, or empty: not wanted


@wp.kernel
def _spread(source: wp.array2d(dtype=wp.int32), target: wp.array2d(dtype=wp.int32), count: int):
    v, i = wp.tid()
    target[v, i] = source[v // count, i]


def spread(source: wp.array, target: wp.array, count: int) -> None:
    """Copy each world of ``source`` to ``count`` worlds of ``target``; elements of four bytes or several."""
    words = wp.types.type_size_in_bytes(source.dtype) // 4
    for length in source.shape[1:]:
        words *= length
    views = [wp.array(ptr=array.ptr, shape=(array.shape[0], words), dtype=wp.int32, device=array.device) for array in (source, target)]
    launch_on(_spread, source.device, views[1].shape, [*views, count])


@wp.func
def _orientation(qpos: wp.array2d(dtype=float), v: int, q: int) -> wp.vec4:
    return wp.vec4(qpos[v, q], qpos[v, q + 1], qpos[v, q + 2], qpos[v, q + 3])


@wp.func
def _moved(x: wp.array2d(dtype=float), v: int, i: int, eps: float) -> float:
    """Move a number; returns by how much it moved in float32."""
    before = x[v, i]
    x[v, i] = before + eps
    return x[v, i] - before


@wp.func
def _move_position(jnt: Joint, dof: Dof, state: State, v: int, i: int, eps: float) -> float:
    """Move the coordinates along dof ``i``; returns by how much."""
    j = dof.jntid[i]
    k = i - jnt.dofadr[j]
    q = jnt.qposadr[j]
    kind = jnt.type[j]
    if kind == JointType.FREE and k >= 3:
        k = k - 3
        q = q + 3
        kind = int(JointType.BALL)
    if kind != JointType.BALL:
        return _moved(state.qpos, v, q + k, eps)
    axis = wp.vec3()
    axis[k] = 1.0
    before = _orientation(state.qpos, v, q)
    after = quat_integrate(before, axis, eps)
    for c in range(4):
        state.qpos[v, q + c] = after[c]
    turned = quat_to_rotation_vector(quat_mul(quat_conj(before), after))
    return turned[k]


@wp.func
def _allowed(actuator: Actuator, state: State, v: int, u: int, eps: float) -> bool:
    """Whether control ``u`` is, and stays, within its range."""
    limits = actuator.ctrlrange[per_world(actuator.ctrlrange.shape[0], v), u]
    x = state.ctrl[v, u]
    inside = x >= limits[0] and x <= limits[1] and x + eps >= limits[0] and x + eps <= limits[1]
    return actuator.ctrllimited[u] == 0 or inside


@wp.kernel
def _perturb(
    size: Size, jnt: Joint, dof: Dof, actuator: Actuator, state: State, sol: Solve, applied: wp.array(dtype=float),
    count: int, n: int, eps: float, inverse: bool,
):  # fmt: skip
    """Move the input that a world is there for. Inputs: qpos, qvel, then act, ctrl or, of the inverse dynamics, qacc."""
    v, lane = wp.tid()
    p = v % count
    if lane == 0:
        by = wp.float32(0.0)
        if p > 0:
            k = (p - 1) % n
            move = wp.where(p > n, -eps, eps)
            if k < size.nv:
                by = _move_position(jnt, dof, state, v, k, move)
            elif k < 2 * size.nv:
                by = _moved(state.qvel, v, k - size.nv, move)
            elif inverse:
                by = _moved(sol.qacc, v, k - 2 * size.nv, move)
            elif k < 2 * size.nv + size.na:
                by = _moved(state.act, v, k - 2 * size.nv, move)
            else:
                u = k - 2 * size.nv - size.na
                free = _allowed(actuator, state, v, u, move)
                if not free and count == n + 1:  # one-sided: the other side serves as well
                    move = -move
                    free = _allowed(actuator, state, v, u, move)
                if free:
                    by = _moved(state.ctrl, v, u, move)
        applied[v] = by


@wp.func
def _ends(applied: wp.array(dtype=float), count: int, n: int, w: int, k: int) -> wp.vec2i:
    """Worlds in which input ``k`` of world ``w`` is larger, and smaller; the unperturbed one where it was not moved."""
    base = w * count
    upper = base + 1 + k
    lower = wp.int32(base)
    if count > n + 1:
        lower = base + 1 + n + k
    if applied[upper] == 0.0:
        upper = base
    if applied[lower] == 0.0:
        lower = base
    return wp.vec2i(upper, lower)


@wp.func
def _over(applied: wp.array(dtype=float), upper: int, lower: int) -> float:
    """One over the difference of an input between two worlds; 0 where it could not be moved."""
    h = applied[upper] - applied[lower]
    over = wp.float32(0.0)
    if h != 0.0:
        over = 1.0 / h
    return over


@wp.func
def _write(out: Matrices, w: int, row: int, column: int, x: float):
    if out.shape[0] > 0:
        out[w, row, column] = x


@wp.kernel
def _transition(
    size: Size, jnt: Joint, state: State, sense: Sense, applied: wp.array(dtype=float), count: int, n: int, a: Matrices,
    b: Matrices, c: Matrices, d: Matrices,
):  # fmt: skip
    w, k = wp.tid()
    ends = _ends(applied, count, n, w, k)
    upper = ends[0]
    lower = ends[1]
    over = _over(applied, upper, lower)
    nx = 2 * size.nv + size.na
    for j in range(size.njnt):
        q = jnt.qposadr[j]
        row = jnt.dofadr[j]
        kind = jnt.type[j]
        if kind == JointType.FREE or kind == JointType.SLIDE or kind == JointType.HINGE:
            for i in range(wp.where(kind == JointType.FREE, 3, 1)):
                x = over * (state.qpos[upper, q + i] - state.qpos[lower, q + i])
                _write_column(a, b, w, row + i, k, nx, x)
        if kind == JointType.FREE:
            q = q + 3
            row = row + 3
        if kind == JointType.FREE or kind == JointType.BALL:
            turn = quat_mul(quat_conj(_orientation(state.qpos, lower, q)), _orientation(state.qpos, upper, q))
            turned = over * quat_to_rotation_vector(turn)
            for i in range(3):
                _write_column(a, b, w, row + i, k, nx, turned[i])
    for i in range(size.nv):
        _write_column(a, b, w, size.nv + i, k, nx, over * (state.qvel[upper, i] - state.qvel[lower, i]))
    for i in range(size.na):
        _write_column(a, b, w, 2 * size.nv + i, k, nx, over * (state.act[upper, i] - state.act[lower, i]))
    for i in range(size.nsensordata):
        _write_column(c, d, w, i, k, nx, over * (sense.sensordata[upper, i] - sense.sensordata[lower, i]))


@wp.func
def _write_column(by_state: Matrices, by_control: Matrices, w: int, row: int, k: int, nx: int, x: float):
    if k < nx:
        _write(by_state, w, row, k, x)
    else:
        _write(by_control, w, row, k - nx, x)


@wp.func
def _write_row(by_q: Matrices, by_v: Matrices, by_a: Matrices, nv: int, w: int, k: int, column: int, x: float):
    if k < nv:
        _write(by_q, w, k, column, x)
    elif k < 2 * nv:
        _write(by_v, w, k - nv, column, x)
    else:
        _write(by_a, w, k - 2 * nv, column, x)


@wp.kernel
def _inverse(
    size: Size, mass: Mass, frc: Force, sense: Sense, applied: wp.array(dtype=float), count: int, n: int, actuation: bool,
    fq: Matrices, fv: Matrices, fa: Matrices, sq: Matrices, sv: Matrices, sa: Matrices, mq: Matrices,
):  # fmt: skip
    w, k = wp.tid()
    ends = _ends(applied, count, n, w, k)
    upper = ends[0]
    lower = ends[1]
    over = _over(applied, upper, lower)
    for i in range(size.nv):
        change = frc.qfrc_inverse[upper, i] - frc.qfrc_inverse[lower, i]
        if actuation:
            change = change - (frc.qfrc_actuator[upper, i] - frc.qfrc_actuator[lower, i])
        _write_row(fq, fv, fa, size.nv, w, k, i, over * change)
    for i in range(size.nsensordata):
        change = sense.sensordata[upper, i] - sense.sensordata[lower, i]
        _write_row(sq, sv, sa, size.nv, w, k, i, over * change)
    if k < size.nv and mq.shape[0] > 0:
        for i in range(size.nC):
            mq[w, k, i] = over * (mass.M[upper, i] - mass.M[lower, i])


def perturb(m: Any, d: Any, applied: wp.array, count: int, n: int, eps: float, inverse: bool) -> None:
    """Move one input of each world of ``d``, of which ``count`` each stand for one; ``applied`` (worlds,) receives by how much."""
    groups = [m.size, m.jnt, m.dof, m.actuator, d.state, d.sol]
    launch(_perturb, d, [*groups, applied, count, n, eps, inverse])


def transition_quotients(m: Any, d: Any, applied: wp.array, count: int, n: int, outputs: list[wp.array]) -> None:
    """Matrices A, B, C, D from the states and sensors of ``d`` after a step."""
    inputs = [m.size, m.jnt, d.state, d.sense, applied, count, n, *outputs]
    launch_on(_transition, d.device, (d.nworld // count, n), inputs)


def inverse_quotients(m: Any, d: Any, applied: wp.array, count: int, n: int, actuation: bool, outputs: list[wp.array]) -> None:
    """Matrices DfDq, DfDv, DfDa, DsDq, DsDv, DsDa, DmDq from the results of ``d`` after the inverse dynamics."""
    inputs = [m.size, d.mass, d.frc, d.sense, applied, count, n, actuation, *outputs]
    launch_on(_inverse, d.device, (d.nworld // count, n), inputs)
