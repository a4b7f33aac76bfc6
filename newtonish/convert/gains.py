"""Solver reference parameters from gains: Newton's force-space stiffness and damping as MuJoCo's ``solref``.

A constraint with ``solref = (timeconst, dampratio)`` pushes back with stiffness and damping per unit of effective
mass. For a joint limit the effective mass is 1/dof_invweight0, so that ``factor = dof_invweight0·(1 - dmax)`` turns
a stiffness in N·m/rad (N/m) into that of the constraint; ``timeconst = 2/b`` and ``dampratio = b/(2·sqrt(k))``
write the pair (k, b) in the positive form, which MuJoCo's refsafe rule still softens when the time step is too long
for it.
"""

from __future__ import annotations

import numpy as np

from newtonish.common.constants import SPRING_IMPEDANCE
from newtonish.convert.source import Source

__all__ = [
    "FORCE_SPACE",
    "MJCF_DEFAULT",
    "RAW",
    "SOLREF",
    "SPRING",
    "SPRING_SOLIMP",
    "contact_gain",
    "contact_impedance",
    "contact_solref",
    "has_springs",
    "limit_solimp",
    "limit_solref",
    "positive_solref",
    "resolved_mode",
    "spring_solref",
]

FORCE_SPACE, RAW, MJCF_DEFAULT, SPRING = 0, 1, 2, 3
SOLREF = (0.02, 1.0)
SPRING_SOLIMP = (SPRING_IMPEDANCE, SPRING_IMPEDANCE, 0.001, 0.5, 2.0)
"""Impedance of springs: in motion a constraint answers with 1 - dmax of its stiffness, and a flat one is as stiff at any depth."""
MODES = ("solref_mode", "solreflimit_mode", "tendon_solref_limit_mode", "equality_constraint_solref_mode")
"""Attributes that say what gains of contacts, limits and equality constraints mean."""


def positive_solref(stiffness: np.ndarray, damping: np.ndarray) -> np.ndarray:
    """(timeconst, dampratio) of a stiffness and damping per unit mass; (0.02, 1) where either is not positive."""
    good = (stiffness > 0.0) & (damping > 0.0)
    k, b = np.where(good, stiffness, 1.0), np.where(good, damping, 1.0)
    pair = np.stack([2.0 / b, b / (2.0 * np.sqrt(k))], axis=-1)
    return np.where(good[..., None], pair, np.array(SOLREF))


def contact_solref(mode: np.ndarray, authored: np.ndarray, ke: np.ndarray, kd: np.ndarray) -> np.ndarray:
    """``geom_solref`` of shapes.

    Raw values are kept to the digit, and so is a value under the default mode that is not MuJoCo's default; without one the
    shape's gains count for a unit mass, which gives (0.02, 1) for Newton's default gains. MuJoCo mixes the solref of two
    geoms before it knows their masses, so this is also what force-space gains mean against a shape that has none.
    """
    written = np.any(authored != 0.0, axis=-1) & np.any(authored != np.asarray(SOLREF, dtype=np.float32), axis=-1)
    keep = (mode == RAW) | ((mode == MJCF_DEFAULT) & written)
    return np.where(keep[..., None], authored, positive_solref(ke, kd))


def contact_gain(mode: np.ndarray, ke: np.ndarray, kd: np.ndarray) -> np.ndarray:
    """``geom_gain``: (ke, kd) of force-space shapes with positive gains and of springs, which need no damping; zero otherwise."""
    forced = (ke > 0.0) & (((mode == FORCE_SPACE) & (kd > 0.0)) | ((mode == SPRING) & (kd >= 0.0)))
    return np.where(forced[..., None], np.stack([ke, kd], axis=-1), 0.0)


def contact_impedance(mode: np.ndarray) -> np.ndarray:
    """``geom_impedance``: the flat impedance of springs, zero for shapes whose ``solimp`` counts."""
    return np.where(mode == SPRING, SPRING_IMPEDANCE, 0.0)


def has_springs(source: Source) -> bool:
    """Whether constraints of some world are springs in motion too."""
    return any(bool(np.any(source.custom(name) == SPRING)) for name in MODES)


def resolved_mode(mode: np.ndarray, gain: np.ndarray, baseline: np.ndarray) -> np.ndarray:
    """Modes of joint limits, with force space where gains were edited under the default mode; see ``limit_solref``."""
    edited = np.all(np.isfinite(baseline), axis=-1) & np.any(gain != baseline, axis=-1)
    return np.where((mode == MJCF_DEFAULT) & edited, FORCE_SPACE, mode)


def limit_solimp(mode: np.ndarray, authored: np.ndarray) -> np.ndarray:
    """``jnt_solimp`` or ``tendon_solimp_lim`` of limits: the authored one, but for springs."""
    return np.where((mode == SPRING)[..., None], np.array(SPRING_SOLIMP), authored)


def spring_solref(stiffness: np.ndarray, damping: np.ndarray) -> np.ndarray:
    """The direct form, (-stiffness, -damping): it needs no damping, and the square of a time constant may be too small for float32."""
    return -np.stack([np.maximum(stiffness, 0.0), np.maximum(damping, 0.0)], axis=-1)


def limit_solref(
    mode: np.ndarray,
    authored: np.ndarray,
    gain: np.ndarray,
    baseline: np.ndarray,
    invweight: np.ndarray,
    dmax: np.ndarray,
) -> np.ndarray:
    """``jnt_solref`` of joint limits.

    Args:
        mode: FORCE_SPACE, RAW, MJCF_DEFAULT or SPRING.
        authored: ``mujoco:solreflimit``.
        gain: (ke, kd) in the last axis.
        baseline: (ke, kd) for which the default mode stands; gains edited since then are force-space gains.
        invweight: ``dof_invweight0`` of the joint's first dof.
        dmax: Second number of the limit's solimp.
    """
    mode = resolved_mode(mode, gain, baseline)
    factor = invweight * (1.0 - dmax)
    forced = positive_solref(gain[..., 0] * factor, gain[..., 1] * factor)
    kept = np.where((mode == RAW)[..., None], authored, np.array(SOLREF))
    spring = spring_solref(gain[..., 0] * factor, gain[..., 1] * factor)
    return np.where((mode == SPRING)[..., None], spring, np.where((mode == FORCE_SPACE)[..., None], forced, kept))
