"""Force-space gains that a time step is too long for: MuJoCo lengthens their time constants to two time steps (refsafe)."""

from __future__ import annotations

from typing import Any

import numpy as np

from newtonish.common.enums import ConeType, DisableBit
from newtonish.errors import problem

__all__ = ["clamped"]


def clamped(compiled: Any, dt: float) -> list[str]:
    """One four-part line for each joint and shape whose gains are softened, with the world where it is worst.

    A shape is judged by its contacts with what cannot move; between two moving bodies the limit is lower.
    """
    if int(compiled.opt.disableflags) & DisableBit.REFSAFE:
        return []
    least = 2.0 * dt * (1.0 - 1e-6)
    lines = [_line("joint", compiled.jnt_names[j], worst, dt, "joint_limit_kd") for j, worst in _joints(compiled) if worst < least]
    return lines + [
        _line("shape", compiled.geom_names[g], worst, dt, "shape_material_kd") for g, worst in _geoms(compiled) if worst < least
    ]


def _all_worlds(compiled: Any, name: str) -> np.ndarray:
    batched = compiled.batched.get(name)
    return np.asarray(getattr(compiled, name))[None] if batched is None else np.asarray(batched)


def _joints(compiled: Any) -> list[tuple[int, float]]:
    """Joints with force-space limits and their shortest time constants."""
    shortest = _all_worlds(compiled, "jnt_solref")[..., 0].min(axis=0) if compiled.njnt else np.zeros(0)
    return [(int(j), float(shortest[j])) for j in np.flatnonzero(compiled.jnt_forced)]


def _geoms(compiled: Any) -> list[tuple[int, float]]:
    """Movable geoms with force-space gains and the shortest time constants of their contacts with what cannot move."""
    if not compiled.ngeom:
        return []
    gain = _all_worlds(compiled, "geom_gain")
    invweight = _all_worlds(compiled, "body_invweight0")[:, np.asarray(compiled.geom_bodyid), 0]
    factor = invweight * (1.0 - _all_worlds(compiled, "geom_solimp")[..., 1])
    condim = np.asarray(compiled.geom_condim)
    if int(compiled.opt.cone) != ConeType.ELLIPTIC:
        square = _all_worlds(compiled, "geom_friction")[..., 0] ** 2
        edges = square * (1.0 + square) / (float(compiled.opt.impratio) * np.maximum(condim - 1, 1))
        factor = factor * np.where(condim > 1, edges, 1.0)
    rate = (gain[..., 1] * factor).max(axis=0)
    return [(int(g), 2.0 / float(rate[g])) for g in np.flatnonzero(rate > 0.0)]


def _line(kind: str, name: str, timeconst: float, dt: float, gain: str) -> str:
    softer = (timeconst / (2.0 * dt)) ** 2
    given = f"force-space gains with a time constant of {timeconst:.3g} s, clamped to {2.0 * dt:.3g} s: {softer:.2g} of the stiffness is left"
    allowed = f"at least two time steps, {gain} at most {timeconst / (2.0 * dt):.2g} of what it is"
    return problem(f"{kind} '{name}'", given, allowed, "take a shorter time step or a smaller damping")
