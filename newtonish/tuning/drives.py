"""Rows of position, velocity and PD actuators: forces with a bias ``-kp length - kv velocity`` on one output."""

from __future__ import annotations

from typing import Any

import numpy as np

from newtonish.common.constants import MINVAL
from newtonish.common.enums import BiasType, DisableBit, IntegratorType, JointType, TrnType
from newtonish.tuning.mechanics import Mechanics
from newtonish.tuning.rows import LEAST_OF_DRIVE, Row, damping_ratio, natural_frequency, oscillation

__all__ = ["drive_rows"]


def drive_rows(compiled: Any, mechanics: Mechanics) -> list[Row]:
    """A row for each joint, tendon or site with such actuators; those of one joint, as Newton's targets make them, act together."""
    prm = np.asarray(compiled.actuator_biasprm)
    groups: dict[tuple[int, int], list[int]] = {}
    for i in range(compiled.nactuator):
        affine = compiled.actuator_biastype[i] == BiasType.AFFINE and compiled.actuator_outnum[i] == 1
        if affine and (prm[i, 1] < 0.0 or prm[i, 2] < 0.0):
            kind = int(compiled.actuator_trntype[i])
            kind = TrnType.JOINT if kind == TrnType.JOINTINPARENT else kind
            groups.setdefault((kind, int(compiled.actuator_trnid[i, 0])), []).append(i)
    return [_row(compiled, mechanics, kind, target, actuators) for (kind, target), actuators in groups.items()]


def _row(compiled: Any, mechanics: Mechanics, kind: int, target: int, actuators: list[int]) -> Row:
    """Actuators of one transmission, with the springs and dampers that its joint or tendon has besides."""
    outputs = [int(compiled.actuator_outadr[i]) for i in actuators]
    geared = kind in (TrnType.JOINT, TrnType.TENDON)
    gears = [float(compiled.actuator_gear[out, 0]) if geared else 1.0 for out in outputs]
    moment = mechanics.moment(outputs[0]) / (gears[0] or 1.0)
    prm = np.asarray(compiled.actuator_biasprm)[actuators]
    square = np.square(gears)
    kp, kv = float(-square @ prm[:, 1]), float(-square @ prm[:, 2])
    stiffness, damping = _passive(compiled, kind, target)
    stiffness, damping = kp + stiffness, kv + damping
    inertia = 1.0 / max(float(mechanics.inverse_inertia(0, moment[None])[0, 0]), MINVAL)
    dofs = np.flatnonzero(moment)
    held = mechanics.held_inertia(0, int(dofs[0])) / float(moment[dofs[0]]) ** 2 if len(dofs) == 1 else inertia
    load = abs(float(moment @ mechanics.gravity[0])) / max(float(moment @ moment), MINVAL)
    omega = natural_frequency(stiffness, inertia)
    ratio = min(damping_ratio(stiffness, damping, inertia), damping_ratio(stiffness, damping, held))
    h = float(compiled.opt.timestep)
    unit = _unit(compiled, kind, target, outputs[0])
    rate = _implicit_damping(compiled, kv, damping - kv) / inertia
    remedies = oscillation(unit, stiffness, damping, held, ratio, omega * h, h, LEAST_OF_DRIVE, rate)
    remedies += _too_damped(compiled, kv, inertia, h) + _too_weak(compiled, actuators, gears, load)
    return Row(
        "drive", _name(compiled, kind, target, actuators[0]), unit, {"kp": tuple(-prm[:, 1]), "kv": tuple(-prm[:, 2]), "gear": tuple(gears)},
        stiffness, damping, stiffness, damping, inertia, held, omega, ratio, omega * h, load,
        load / stiffness if stiffness > 0.0 else (np.inf if load > 0.0 else 0.0), 1, (), tuple(remedies),
    )  # fmt: skip


def _passive(compiled: Any, kind: int, target: int) -> tuple[float, float]:
    """Stiffness and damping of the joint or tendon itself."""
    if kind == TrnType.JOINT:
        return float(compiled.jnt_stiffness[target]), float(compiled.dof_damping[compiled.jnt_dofadr[target]])
    if kind == TrnType.TENDON:
        return float(compiled.tendon_stiffness[target]), float(compiled.tendon_damping[target])
    return 0.0, 0.0


def _unit(compiled: Any, kind: int, target: int, output: int) -> str:
    """Unit of the coordinate: that of the joint, of a tendon metres, of a site what its gear acts along."""
    if kind == TrnType.JOINT:
        return "m" if compiled.jnt_type[target] == JointType.SLIDE else "rad"
    turns = kind == TrnType.SITE and not np.any(compiled.actuator_gear[output, :3])
    return "rad" if turns else "m"


def _name(compiled: Any, kind: int, target: int, actuator: int) -> str:
    names = {TrnType.JOINT: compiled.jnt_names, TrnType.TENDON: compiled.tendon_names, TrnType.SITE: compiled.site_names}.get(TrnType(kind))
    return (names[target] if names and 0 <= target < len(names) else "") or compiled.actuator_names[actuator] or f"actuator {actuator}"


def _implicit_damping(compiled: Any, of_drive: float, passive: float) -> float:
    """Damping that the integrator takes at the end of a step: all, that of the joint with Euler, or none with RK4."""
    if compiled.opt.integrator == IntegratorType.RK4:
        return 0.0
    if compiled.opt.integrator == IntegratorType.EULER:
        return 0.0 if int(compiled.opt.disableflags) & DisableBit.EULERDAMP else passive
    return of_drive + passive


def _too_damped(compiled: Any, damping: float, inertia: float, timestep: float) -> list[str]:
    """Euler and RK4 take an actuator's damping at the start of a step: from 2 on, velocities grow from step to step."""
    rate = damping * timestep / inertia
    if compiled.opt.integrator not in (IntegratorType.EULER, IntegratorType.RK4) or rate < 1.0:
        return []
    return [f"damping times time step is {rate:.2g} of the inertia: take the integrator implicitfast, or a time step of {0.5 * timestep / rate:.2g} s"]


def _too_weak(compiled: Any, actuators: list[int], gears: list[float], load: float) -> list[str]:
    """What gravity asks for and the force range does not give."""
    if not all(compiled.actuator_forcelimited[i] for i in actuators):
        return []
    most = sum(abs(gear) * float(np.abs(compiled.actuator_forcerange[i]).max()) for gear, i in zip(gears, actuators, strict=True))
    return [f"gravity takes {load:.3g}, forcerange gives {most:.3g}: no gain holds this pose"] if load > most else []
