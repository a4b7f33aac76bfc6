"""Equality constraints that are springs and dampers: gains in newtons per metre as ``solref``, an impedance and a weld's torquescale.

A row with inverse weight A pushes with k d^2 r/((1 - d) A), so that the direct form k = ke (1 - d) A of ``solref`` is a stiffness
ke; with d = 0.001 it holds in motion as well. A weld's rotation has inverse weight A' and the coordinate s sin(angle/2), s its torquescale: its
stiffness is ke A s^2/(4 A'), from which s follows. In motion it answers with 1 - d s^2/4. Method: MuJoCo's documentation, chapter Computation, "Equality" and "Constraint
model", and chapter Modeling, "Solver parameters".
"""

from __future__ import annotations

import warnings

import numpy as np

from newtonish.common.enums import EqType, ObjType
from newtonish.convert.equalities import TABLE, EqualityList
from newtonish.convert.gains import RAW, SPRING, SPRING_SOLIMP, spring_solref
from newtonish.convert.worlds import Worlds
from newtonish.errors import ModelError, NewtonishWarning, problem, raise_all

__all__ = ["equality_springs"]

Table = dict[str, np.ndarray]
TORQUESCALE = 10
"""Its place in ``eq_data``."""


def equality_springs(worlds: Worlds, equalities: EqualityList, t: Table) -> Table:
    """``eq_solref``, ``eq_solimp`` and ``eq_data`` with the constraints whose mode is SPRING.

    Args:
        worlds: The worlds.
        equalities: The constraints; those of joints that close loops and of mimics have no gains.
        t: Every ``eq_*`` field, and the inverse weights of bodies, dofs and tendons.

    Raises:
        ModelError: A mode that equality constraints do not have, or a negative gain.
    """
    rows = len(equalities.row)
    if not rows:
        return {}
    mode, ke, kd, ke_angular = (
        worlds.pick(TABLE, worlds.source.custom(f"equality_constraint_{name}"))[:, equalities.row] for name in ("solref_mode", "ke", "kd", "ke_angular")
    )
    _check(equalities, mode, {"ke": ke, "kd": kd, "ke_angular": ke_angular})
    if not np.any(mode == SPRING):
        return {}
    weight, angular = _inverse_weights(t, rows)
    on = (mode == SPRING) & (weight > 0.0)
    _warn_of_weightless(equalities, (mode == SPRING) & ~on)
    factor = weight * (1.0 - SPRING_SOLIMP[1])
    solref, solimp, data = t["eq_solref"].copy(), t["eq_solimp"].copy(), t["eq_data"].copy()
    solref[:, :rows] = np.where(on[..., None], spring_solref(ke * factor, kd * factor), solref[:, :rows])
    solimp[:, :rows] = np.where(on[..., None], np.array(SPRING_SOLIMP), solimp[:, :rows])
    turned = on & (t["eq_type"][:rows] == EqType.WELD) & (ke_angular > 0.0) & (ke > 0.0)
    scale = 2.0 * np.sqrt(np.where(turned, ke_angular * angular, 0.0) / np.where(turned, ke * weight, 1.0))
    data[:, :rows, TORQUESCALE] = np.where(turned, scale, data[:, :rows, TORQUESCALE])
    return {"eq_solref": solref, "eq_solimp": solimp, "eq_data": data}


def _inverse_weights(t: Table, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Inverse weight of each constraint, and of a weld's rotation, (worlds, rows)."""
    shape = len(t["body_invweight0"]), rows
    weight, angular = np.zeros(shape), np.zeros(shape)
    for e in range(rows):
        kind = t["eq_type"][e]
        for end in (int(t["eq_obj1id"][e]), int(t["eq_obj2id"][e])):
            if end < 0:
                continue
            if kind == EqType.JOINT:
                weight[:, e] += t["dof_invweight0"][:, t["jnt_dofadr"][end]]
            elif kind == EqType.TENDON:
                weight[:, e] += t["tendon_invweight0"][:, end]
            else:
                body = t["site_bodyid"][end] if t["eq_objtype"][e] == ObjType.SITE else end
                weight[:, e] += t["body_invweight0"][:, body, 0]
                angular[:, e] += t["body_invweight0"][:, body, 1]
    return weight, angular


def _label(equalities: EqualityList, e: int | np.integer) -> str:
    return f"equality constraint '{equalities.name[int(e)] or e}'"


def _check(equalities: EqualityList, mode: np.ndarray, gains: dict[str, np.ndarray]) -> None:
    """Raise a ModelError that lists modes and gains which mean nothing."""
    problems = []
    for e in np.flatnonzero(~np.isin(mode, (RAW, SPRING)).all(axis=0)):
        given = f"mode {sorted(set(mode[:, e].tolist()) - {RAW, SPRING})[0]}"
        problems.append(problem(_label(equalities, e), given, f"{RAW} (its solref) or {SPRING} (spring)", "set equality_constraint_solref_mode"))
    for name, values in gains.items():
        for e in np.flatnonzero(((mode == SPRING) & ~(values >= 0.0)).any(axis=0)):
            worst = float(values[:, e].min())
            problems.append(problem(_label(equalities, e), f"{name} of {worst:g}", "0 or more", f"correct equality_constraint_{name}"))
    raise_all(ModelError, "conversion", problems)


def _warn_of_weightless(equalities: EqualityList, found: np.ndarray) -> None:
    """Name springs between parts that do not move in the reference pose: their rows have no scale."""
    for e in np.flatnonzero(found.any(axis=0)):
        allowed = "ends of which one moves in the reference pose; its solref counts instead"
        warnings.warn(
            problem(_label(equalities, e), "a spring between ends without inverse weight", allowed, "choose other ends"), NewtonishWarning, stacklevel=6
        )
