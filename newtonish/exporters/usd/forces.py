"""What ``newton:*`` has in newtons: stiffness and damping of joint limits and of contacts, and speeds that joints are rated for.

A limit that is imported from MJCF is as stiff as its ``solref`` says for the inertia that the joint moves; as Newton writes it, that is
``ke = 1 / ((timeconst dampratio)^2 f)``, ``kd = 2 / (timeconst f)`` with ``f = dof_invweight0 (1 - dmax)``, which undoes what the conversion does
with such gains (``newtonish.convert.gains``).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from newtonish.errors import problem
from newtonish.exporters.world import CompiledWorld

__all__ = ["Forces", "read_forces"]

USUAL = (0.02, 1.0)
FASTEST = 1e6
"""Speed from which on a joint has no limit of it, as in the builder."""
Pair = tuple[float, float]


@dataclass
class Forces:
    """Quantities of one world.

    Attributes:
        limits: (ke, kd) of the limits of joints by name, per radian or metre; those of MuJoCo's usual softness are left out.
        forced: Names of the joints among them whose limits were given in newtons.
        contacts: (ke, kd, kf) of geoms by name whose contacts were given in newtons, kf below zero for none.
        speeds: Largest speed of joints by name [rad/s, m/s].
        problems: Four-part lines, one for each thing that no schema holds.
    """

    limits: dict[str, Pair] = field(default_factory=dict)
    forced: set[str] = field(default_factory=set)
    contacts: dict[str, tuple[float, float, float]] = field(default_factory=dict)
    speeds: dict[str, float] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


def read_forces(one: CompiledWorld, model: Any, newton: bool) -> Forces:
    """Gather what one world of a model has in newtons.

    Args:
        one: The world.
        model: The finalized model that it was compiled of, or anything else.
        newton: Whether ``newton:*`` is written; where it is not, what only this can say is a problem.
    """
    found = Forces()
    _limits(one, found)
    gain, springs = np.asarray(one.geom_gain), np.asarray(one.geom_impedance)
    for geom in np.flatnonzero(np.any(gain, axis=-1)).tolist():
        name = one.names["geom"][geom]
        found.contacts[name] = (float(gain[geom, 0]), float(gain[geom, 1]), float(one.geom_kf[geom]))
        if springs[geom]:
            given = "contacts that are springs in motion"
            found.problems.append(problem(f"geom '{name}'", given, "stiffness and damping at rest, which are written", "set the mode again in Python"))
        if not newton:
            given, allowed = "contacts with stiffness and damping in newtons", "newton:contactStiffness and contactDamping"
            found.problems.append(problem(f"geom '{name}'", given, allowed, "write the schemas ('mjc', 'newton'); mjc:solref holds them for a unit mass"))
    speeds = getattr(model, "joint_velocity_limit", None)
    if speeds is not None and one.compiled.maps is not None:
        own = speeds.numpy()[one.compiled.maps.mjc_dof[one.index][one.jnt_dofadr]]
        found.speeds = {one.names["jnt"][j]: float(own[j]) for j in np.flatnonzero((own > 0.0) & (own < FASTEST)).tolist()}
    return found


def _limits(one: CompiledWorld, found: Forces) -> None:
    """Gains of limits that are not as usual, or that were given in newtons."""
    solref, solimp = np.asarray(one.jnt_solref), np.asarray(one.jnt_solimp)
    for joint in np.flatnonzero(one.jnt_limited).tolist():
        time, ratio = map(float, solref[joint])
        factor = float(one.dof_invweight0[one.jnt_dofadr[joint]]) * (1.0 - float(solimp[joint, 1]))
        forced = bool(one.compiled.jnt_forced[joint])
        if factor <= 0.0 or min(time, ratio) <= 0.0 or (not forced and np.allclose((time, ratio), USUAL, rtol=1e-6)):
            continue
        name = one.names["jnt"][joint]
        found.limits[name] = (1.0 / ((time * ratio) ** 2 * factor), 2.0 / (time * factor))
        if forced:
            found.forced.add(name)
