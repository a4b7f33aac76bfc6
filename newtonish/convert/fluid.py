"""Fluid coefficients of geoms: what the ellipsoid model takes from fluidshape, fluidcoef and the geom's size.

Virtual mass and inertia are those of the medium that an ellipsoid carries along, for density one. They come from three
integrals over the half axes (a, b, c), kappa_i = abc * integral of dl / ((a_i^2 + l) sqrt((a^2 + l)(b^2 + l)(c^2 + l))), taken by
the Gauss-Kronrod rule of 15 nodes after the substitution l = (a_i^2 abc)^(2/5) u^3 / (1 - u)^2. Rule, substitution and the eight
digits of the nodes are MuJoCo's: for plates thinner than a hundredth of their width the rule leaves the integral (by 0.7 % at
1:300, 6 % at 1:2000), and models shall swim here as they do there. Method: Lamb, Hydrodynamics, 1932, articles 114 and 115;
MuJoCo's documentation, chapter Computation, "Fluid forces".
"""

from __future__ import annotations

import numpy as np

from newtonish.common.constants import MINVAL
from newtonish.common.geoms import half_extents

__all__ = ["fluid_table"]

# Gauss-Kronrod rule on [0, 1]: nodes below the middle and theirs, then the middle's own weight
_NODES = (0.00427231, 0.02544604, 0.06756779, 0.12923441, 0.20695638, 0.29707742, 0.39610752)
_WEIGHTS = (0.01146766, 0.03154605, 0.05239501, 0.07032663, 0.08450236, 0.09517529, 0.10221647)
_MIDDLE = 0.10474107


def semiaxes(kind: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Half axes (W, n, 3) of the ellipsoids that stand for geoms."""
    return half_extents(kind, size)


def _kappas(axes: np.ndarray) -> np.ndarray:
    """The three integrals for each row of half axes (..., 3)."""
    below, sides = np.array(_NODES), np.array(_WEIGHTS)
    u = np.concatenate([below, [0.5], 1.0 - below])
    weights = np.concatenate([sides, [_MIDDLE], sides])
    mixed = (axes**2 * np.prod(axes, axis=-1, keepdims=True)) ** 0.4  # the scale of l
    outer = u**3 / (1.0 - u) ** 2
    spread = u**2 * (3.0 - u) / (1.0 - u) ** 3  # derivative of ``outer``
    grown = 1.0 + outer * (mixed[..., :, None] / axes[..., None, :] ** 2)[..., None]  # (..., integral, axis, node)
    own = np.stack([grown[..., i, i, :] for i in range(3)], axis=-2)
    integrand = spread / (own * np.sqrt(np.prod(grown, axis=-2)))
    return (integrand * weights).sum(axis=-1) * mixed / axes**2


def fluid_table(kind: np.ndarray, size: np.ndarray, on: np.ndarray, coef: np.ndarray) -> np.ndarray:
    """``geom_fluid`` (W, n, 12): on, five coefficients, virtual mass and virtual inertia; zero where it is off.

    Args:
        kind: mjtGeom of each geom (n).
        size: geom sizes (W, n, 3).
        on: whether the ellipsoid model is asked for (W, n).
        coef: blunt and slender drag, angular drag, Kutta and Magnus lift (W, n, 5).
    """
    table = np.zeros((*size.shape[:-1], 12))
    on = on.astype(bool)
    if not on.any():
        return table
    axes = semiaxes(kind, size)[on]
    kappa = _kappas(axes)
    volume = 4.0 / 3.0 * np.pi * np.prod(axes, axis=-1, keepdims=True)
    square = axes**2
    table[on, 0] = 1.0
    table[on, 1:6] = coef[on]
    table[on, 6:9] = volume * kappa / np.maximum(MINVAL, 2.0 - kappa)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        difference, total = square[:, j] - square[:, k], square[:, j] + square[:, k]
        step = kappa[:, k] - kappa[:, j]
        below = np.abs(2.0 * difference + total * (kappa[:, j] - kappa[:, k]))
        inertia = volume[:, 0] / 5.0 * np.abs(difference**2 * step) / np.maximum(MINVAL, below)
        table[on, 9 + i] = inertia
    return table
