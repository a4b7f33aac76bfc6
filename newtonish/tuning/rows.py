"""A row of the diagnosis, and what is wrong with it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from newtonish.tuning.springs import Answer

__all__ = ["Row", "damping_ratio", "natural_frequency", "overshoot"]

LEAST_DAMPING_RATIO, LEAST_OF_DRIVE = 0.2, 0.4
"""Below them a step response overshoots by more than half, that of a drive by more than a quarter."""

LARGEST_PHASE = 1.0
"""Natural frequency times time step [rad] above which a period has fewer than about six steps."""

LEAST_DYNAMIC_SHARE = 0.5
"""Share of a stiffness asked for in N/m that should be left in motion."""


@dataclass(frozen=True)
class Row:
    """A drive, joint limit, equality or pair of geoms in contact as a spring and damper.

    Units follow ``unit``: of a row in ``m``, N, N/m, N s/m and kg; of a row in ``rad``, N m, N m/rad, N m s/rad and kg m^2.

    Attributes:
        kind: ``drive``, ``limit``, ``equality`` or ``contact``.
        name: Name of the joint, tendon, site, equality or pair of geoms.
        unit: ``m`` or ``rad``.
        authored: Numbers of the model by MuJoCo's names.
        stiffness, damping: At rest, once the depth exceeds the width of the impedance.
        dynamic_stiffness, dynamic_damping: As it answers in motion.
        inertia: 1/(J M^-1 J'), with all other joints free to follow.
        held_inertia: Of a drive J M J', with all other joints held; None for constraints.
        natural_frequency: In motion, with ``inertia`` [rad/s].
        damping_ratio: The same of damping; infinite without stiffness. The less of a drive's two, as more inertia lowers it.
        omega_h: Natural frequency times time step [rad].
        load: Force of gravity that it carries.
        depth: How far it gives way under it at rest [m or rad]; infinite without stiffness.
        points: Contact points of a pair, springs side by side; 1 otherwise.
        clamps: What of the authored numbers did not count as written.
        remedies: What is wrong and what to do, one sentence each; empty for a good row.
    """

    kind: str
    name: str
    unit: str
    authored: dict[str, tuple[float, ...]]
    stiffness: float
    damping: float
    dynamic_stiffness: float
    dynamic_damping: float
    inertia: float
    held_inertia: float | None
    natural_frequency: float
    damping_ratio: float
    omega_h: float
    load: float
    depth: float
    points: int
    clamps: tuple[str, ...]
    remedies: tuple[str, ...]

    @property
    def bad(self) -> bool:
        """Whether something should be done about it."""
        return bool(self.remedies)


def natural_frequency(stiffness: float, inertia: float) -> float:
    """Of an undamped oscillator [rad/s]."""
    return math.sqrt(max(stiffness, 0.0) / inertia) if inertia > 0.0 else 0.0


def damping_ratio(stiffness: float, damping: float, inertia: float) -> float:
    """Damping over critical damping; infinite without stiffness."""
    return damping / (2.0 * math.sqrt(stiffness * inertia)) if stiffness > 0.0 and inertia > 0.0 else math.inf


def overshoot(ratio: float) -> float:
    """First overshoot of a step response, as a share of the step."""
    return math.exp(-math.pi * ratio / math.sqrt(1.0 - ratio * ratio)) if ratio < 1.0 else 0.0


def _units(unit: str) -> tuple[str, str]:
    return ("N/m", "N s/m") if unit == "m" else ("N m/rad", "N m s/rad")


def oscillation(
    unit: str, stiffness: float, damping: float, inertia: float, ratio: float, omega_h: float, timestep: float, least: float = LEAST_DAMPING_RATIO,
    rate: float = 0.0,
) -> list[str]:  # fmt: skip
    """Remedies of a spring that rings, or that is too fast for the time step.

    Args:
        unit: ``m`` or ``rad``.
        stiffness, damping, inertia: Of the oscillator.
        ratio: Its damping ratio.
        omega_h: Natural frequency times time step.
        timestep: [s].
        least: Damping ratio below which it rings.
        rate: Damping over inertia that the integrator takes at the end of a step [1/s]: it slows the motion, so that larger steps do.
    """
    found = []
    if ratio < least:
        critical = 2.0 * math.sqrt(stiffness * inertia)
        found.append(f"a step overshoots by {overshoot(max(ratio, 0.0)):.0%}: its damping is {damping:.3g} {_units(unit)[1]}, {critical:.3g} would be critical")
    phase = omega_h / math.sqrt(1.0 + rate * timestep)
    if phase > LARGEST_PHASE:
        omega = omega_h / timestep
        shorter = (0.25 * rate + math.hypot(0.25 * rate, omega)) / (2.0 * omega * omega)  # where the phase is a half
        found.append(f"{2.0 * math.pi / phase:.2g} time steps in a period: take a time step of {shorter:.2g} s, or less stiffness")
    return found


def constraint_remedies(
    unit: str, spring: Answer, inertia: float, ratio: float, omega_h: float, timestep: float, stretched: float, force_space: bool
) -> list[str]:
    """What is wrong with a limit, equality or contact.

    Args:
        unit: ``m`` or ``rad``.
        spring: Its stiffness and damping.
        inertia: What it moves.
        ratio: Its damping ratio.
        omega_h: Its natural frequency times the time step.
        timestep: [s].
        stretched: Factor by which refsafe lengthened its time constant.
        force_space: Whether its stiffness was asked for in N/m or N m/rad.
    """
    found = oscillation(unit, spring.dynamic_stiffness, spring.dynamic_damping, inertia, ratio, omega_h, timestep)
    if stretched > 1.0:
        found.append(
            f"refsafe leaves {stretched**-2.0:.2g} of the stiffness: take a time step of {timestep / stretched:.2g} s, or a time constant "
            f"of {2.0 * timestep:.2g} s"
        )
    share = spring.dynamic_stiffness / spring.stiffness if spring.stiffness > 0.0 else 1.0
    if force_space and share < LEAST_DYNAMIC_SHARE:
        found.append(
            f"{spring.stiffness:.3g} {_units(unit)[0]} at rest answer as {spring.dynamic_stiffness:.3g} in motion: lower dmin and dmax of solimp "
            "together, to 0.01 for a spring that is one"
        )
    return found
