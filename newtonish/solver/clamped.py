"""Gains that a time step is too long for.

MuJoCo lengthens the time constants of force-space gains to two time steps (refsafe). Springs are not softened: their force is that of the
beginning of a step, and a mass on a spring and damper then keeps its energy or gains some if (h w)^2 + 2 h c/m > 4, with w the natural
frequency. What moves is taken to be the inverse weight; a mass on several contacts sees the sum of them. Source: Hairer, Lubich
and Wanner 2006, ch. I, symplectic Euler.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from newtonish.common.enums import ConeType, DisableBit, IntegratorType
from newtonish.errors import problem

__all__ = ["clamped", "creeping"]

UNSTABLE = 4.0
"""(h w)^2 + 2 h c/m beyond which a spring gains energy."""


def clamped(compiled: Any, dt: float) -> list[str]:
    """One four-part line for each joint and shape whose gains are softened or leave the step unstable, with the world where it is worst.

    A shape is judged by its contacts with what cannot move; between two moving bodies the limit is lower.
    """
    return (_softened(compiled, dt) if not int(compiled.opt.disableflags) & DisableBit.REFSAFE else []) + _unstable(compiled, dt)


def _softened(compiled: Any, dt: float) -> list[str]:
    """Lines of joints and shapes whose time constants refsafe lengthens."""
    least = 2.0 * dt * (1.0 - 1e-6)
    lines = [_line("joint", compiled.jnt_names[j], worst, dt, "joint_limit_kd") for j, worst in _joints(compiled) if worst < least]
    return lines + [_line("shape", compiled.geom_names[g], worst, dt, "shape_material_kd") for g, worst in _geoms(compiled) if worst < least]


def _unstable(compiled: Any, dt: float) -> list[str]:
    """Lines of springs that the time step is too long for; ``discrete`` takes them at the end of the step."""
    if int(compiled.opt.integrator) == IntegratorType.DISCRETE:
        return []
    lines = []
    for kind, names, k, b, gains in (
        ("joint", compiled.jnt_names, *_spring_joints(compiled), "joint_limit_ke and joint_limit_kd"),
        ("shape", compiled.geom_names, *_spring_geoms(compiled), "shape_material_ke and shape_material_kd"),
    ):
        worst = (dt * dt * k + 2.0 * dt * b).max(axis=0) if k.size else np.zeros(0)
        for i in np.flatnonzero(worst > UNSTABLE):
            given = f"a spring of {np.sqrt(k[:, i].max()):.3g} rad/s, damped by {b[:, i].max():.3g} 1/s, at a time step of {dt:.3g} s, which it makes unstable"
            allowed = f"(w h)^2 + 2 c h/m of at most {UNSTABLE:g}, here {worst[i]:.3g}"
            lines.append(problem(f"{kind} '{names[i]}'", given, allowed, f"take a shorter time step, smaller {gains}, or integrator='discrete'"))
    return lines


def creeping(compiled: Any) -> list[str]:
    """One four-part line if friction of springs creeps: edges of a pyramid share one regularisation, which a spring's is large."""
    if not compiled.flg_spring or int(compiled.opt.cone) == ConeType.ELLIPTIC or not compiled.ngeom:
        return []
    found = np.flatnonzero((_all_worlds(compiled, "geom_impedance") > 0.0).any(axis=0) & (np.asarray(compiled.geom_condim) > 1))
    if not len(found):
        return []
    name = f"shape '{compiled.geom_names[found[0]]}'" + (f" and {len(found) - 1} more" if len(found) > 1 else "")
    allowed = "elliptic cones, or condim=1: what stands on a pyramid with springs slides slowly"
    return [problem(name, "contacts in mode SPRING with friction and pyramidal cones", allowed, "pass cone='elliptic' to the solver")]


def _all_worlds(compiled: Any, name: str) -> np.ndarray:
    batched = compiled.batched.get(name)
    return np.asarray(getattr(compiled, name))[None] if batched is None else np.asarray(batched)


def _joints(compiled: Any) -> list[tuple[int, float]]:
    """Joints with force-space limits and their shortest time constants; springs have none."""
    timed = _all_worlds(compiled, "jnt_solref")[..., 0]
    shortest = np.where(timed > 0.0, timed, np.inf).min(axis=0) if compiled.njnt else np.zeros(0)
    return [(int(j), float(shortest[j])) for j in np.flatnonzero(compiled.jnt_forced)]


def _spring_joints(compiled: Any) -> tuple[np.ndarray, np.ndarray]:
    """Squared frequencies [1/s^2] and dampings [1/s] of the limits of joints that are springs, (worlds, njnt); zero for others."""
    if not compiled.flg_spring or not compiled.njnt:
        return np.zeros((1, 0)), np.zeros((1, 0))
    direct = np.minimum(_all_worlds(compiled, "jnt_solref"), 0.0) * np.asarray(compiled.jnt_forced)[:, None]
    return -direct[..., 0], -direct[..., 1]


def _factor(compiled: Any) -> np.ndarray:
    """What turns gains of each geom's contacts with what cannot move into those of a unit mass [1/kg], but for 1 - dmax."""
    factor = _all_worlds(compiled, "body_invweight0")[:, np.asarray(compiled.geom_bodyid), 0]
    condim = np.asarray(compiled.geom_condim)
    if int(compiled.opt.cone) == ConeType.ELLIPTIC:
        return factor
    square = _all_worlds(compiled, "geom_friction")[..., 0] ** 2
    edges = square * (1.0 + square) / (float(compiled.opt.impratio) * np.maximum(condim - 1, 1))
    return factor * np.where(condim > 1, edges, 1.0)


def _geoms(compiled: Any) -> list[tuple[int, float]]:
    """Movable geoms with force-space gains and the shortest time constants of their contacts with what cannot move."""
    if not compiled.ngeom:
        return []
    softens = (1.0 - _all_worlds(compiled, "geom_solimp")[..., 1]) * (_all_worlds(compiled, "geom_impedance") == 0.0)
    rate = (_all_worlds(compiled, "geom_gain")[..., 1] * _factor(compiled) * softens).max(axis=0)
    return [(int(g), 2.0 / float(rate[g])) for g in np.flatnonzero(rate > 0.0)]


def _spring_geoms(compiled: Any) -> tuple[np.ndarray, np.ndarray]:
    """Squared frequencies [1/s^2] and dampings [1/s] of springs of geoms against what cannot move, (worlds, ngeom); zero for others."""
    if not compiled.flg_spring or not compiled.ngeom:
        return np.zeros((1, 0)), np.zeros((1, 0))
    invweight = _all_worlds(compiled, "body_invweight0")[:, np.asarray(compiled.geom_bodyid), 0] * (_all_worlds(compiled, "geom_impedance") > 0.0)
    gain = _all_worlds(compiled, "geom_gain")
    return gain[..., 0] * invweight, gain[..., 1] * invweight


def _line(kind: str, name: str, timeconst: float, dt: float, gain: str) -> str:
    softer = (timeconst / (2.0 * dt)) ** 2
    given = f"force-space gains with a time constant of {timeconst:.3g} s, clamped to {2.0 * dt:.3g} s: {softer:.2g} of the stiffness is left"
    allowed = f"at least two time steps, {gain} at most {timeconst / (2.0 * dt):.2g} of what it is"
    return problem(f"{kind} '{name}'", given, allowed, "take a shorter time step or a smaller damping")
