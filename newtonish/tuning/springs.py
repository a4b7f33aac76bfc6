"""What a constraint row is as a spring and damper, at rest and in motion.

A row whose inverse inertia is A asks for the acceleration ``aref = -b v - k d(r) r`` and gets it softly: ``J qacc - aref = -R f``
with ``R = (1 - d)/d Ahat``, where Ahat is MuJoCo's estimate of A. So the force is

    f = (k d r + b v) / R                at rest and in slow motion, where J qacc is zero
    f = (k d r + b v + a0) / (A + R)     in motion; a0: acceleration of the row without its force

Both are springs: of stiffness ``k d/R`` and of ``k d/(A + R)``, which is 1 - d of the former where Ahat is A. Method: MuJoCo's documentation,
chapter Computation, "Constraint model", and chapter Modeling, "Solver parameters".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from newtonish.common.constants import MINVAL

__all__ = ["Answer", "Reference", "answer", "impedance", "reference", "rest_depth"]

MINIMP, MAXIMP = 0.0001, 0.9999
"""MuJoCo's bounds of impedances."""

SOLREF = (0.02, 1.0)
"""What a solref of mixed signs counts as."""

HALVINGS = 200
"""Of the interval in which the depth is sought: more than float64 has bits."""


@dataclass(frozen=True)
class Reference:
    """Reference acceleration of a row.

    Attributes:
        k: Stiffness for unit inertia [1/s^2], to be multiplied by the impedance.
        b: Damping for unit inertia [1/s].
        clamps: What MuJoCo did not take as written: ``refsafe``, ``dmin``, ``dmax``, ``mixed signs``.
        stretched: Time constant that acts over the one written; 1 where refsafe does not act.
    """

    k: float
    b: float
    clamps: tuple[str, ...]
    stretched: float


@dataclass(frozen=True)
class Answer:
    """Stiffness and damping [N/m, N s/m or N m/rad, N m s/rad] at rest and in motion."""

    stiffness: float
    damping: float
    dynamic_stiffness: float
    dynamic_damping: float


def _bounded(value: float) -> float:
    return min(max(value, MINIMP), MAXIMP)


def impedance(solimp: Sequence[float], pos: float) -> float:
    """d(r) at the distance ``pos`` [m or rad] from the constraint."""
    dmin, dmax, midpoint = (_bounded(float(solimp[i])) for i in (0, 1, 3))
    width, power = float(solimp[2]), max(1.0, float(solimp[4]))
    if dmin == dmax or width <= MINVAL:
        return 0.5 * (dmin + dmax)
    x = min(abs(pos) / width, 1.0)
    y = midpoint * (x / midpoint) ** power if x <= midpoint else 1.0 - (1.0 - midpoint) * ((1.0 - x) / (1.0 - midpoint)) ** power
    return dmin + y * (dmax - dmin)


def reference(solref: Sequence[float], solimp: Sequence[float], timestep: float, refsafe: bool) -> Reference:
    """Stiffness and damping of the reference acceleration, and what of the authored numbers was clamped.

    Args:
        solref: (time constant [s], damping ratio), or (-stiffness, -damping) of unit inertia.
        solimp: MuJoCo's five numbers.
        timestep: [s].
        refsafe: Whether time constants are at least two time steps.
    """
    clamps = [name for name, value in zip(("dmin", "dmax"), solimp[:2], strict=True) if not MINIMP <= value <= MAXIMP]
    timeconst, dampratio = float(solref[0]), float(solref[1])
    if (timeconst > 0.0) != (dampratio > 0.0):
        clamps.append("mixed signs")
        timeconst, dampratio = SOLREF
    dmax = _bounded(float(solimp[1]))
    if timeconst <= 0.0:
        return Reference(-timeconst / dmax**2, -dampratio / dmax, tuple(clamps), 1.0)
    acting = max(timeconst, 2.0 * timestep) if refsafe else timeconst
    if acting > timeconst * (1.0 + 1e-6):
        clamps.append("refsafe")
    decay = dmax * acting
    return Reference(1.0 / max(MINVAL, (decay * dampratio) ** 2), 2.0 / max(MINVAL, decay), tuple(clamps), acting / timeconst)


def answer(law: Reference, imp: float, estimate: float, inverse_inertia: float) -> Answer:
    """The row as springs.

    Args:
        law: Its reference acceleration.
        imp: Its impedance.
        estimate: Inverse inertia that its regularisation is made of, MuJoCo's ``diagApprox`` [1/kg or 1/(kg m^2)].
        inverse_inertia: The one that it meets, J M^-1 J'.
    """
    soft = max(MINVAL, estimate * (1.0 - imp) / imp)
    both = soft + inverse_inertia
    return Answer(law.k * imp / soft, law.b / soft, law.k * imp / both, law.b / both)


def rest_depth(load: float, law: Reference, solimp: Sequence[float], estimate: float) -> float:
    """Depth [m or rad] at which the row carries a load [N or N m] at rest; infinite where it has no stiffness."""

    def carried(depth: float) -> float:
        imp = impedance(solimp, depth)
        return law.k * imp * imp / ((1.0 - imp) * max(MINVAL, estimate)) * depth

    if load <= 0.0:
        return 0.0
    if law.k <= 0.0:
        return math.inf
    low, high = 0.0, 1.0
    while carried(high) < load and high < 1e12:
        high *= 2.0
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if carried(middle) < load else (low, middle)
    return high
