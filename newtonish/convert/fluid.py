"""Fluid coefficients of geoms: what the ellipsoid model takes from fluidshape, fluidcoef and the geom's size.

Virtual mass and inertia are those of the medium that an ellipsoid carries along, for density one. They come from three
integrals over the half axes, kappa_i = a_i^2 * integral of dl / ((a_i^2 + l) sqrt((a^2 + l)(b^2 + l)(c^2 + l))) times
abc, taken by Gauss-Legendre quadrature after the substitution l = size^2 * (u / (1 - u))^2, which makes the integrand
smooth. Method: Lamb, Hydrodynamics, 1932, articles 114 and 115; MuJoCo's documentation, chapter Computation,
"Fluid forces".
"""

from __future__ import annotations

import numpy as np

__all__ = ["fluid_table"]

SPHERE, CAPSULE, CYLINDER = 2, 3, 5
_MINIMUM = 1e-15
_POINTS = 64


def semiaxes(kind: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Half axes (W, n, 3) of the ellipsoids that stand for geoms."""
    radius, half = size[..., 0], size[..., 1]
    axes = size.copy()
    for t, values in (
        (SPHERE, (radius, radius, radius)),
        (CAPSULE, (radius, radius, radius + half)),
        (CYLINDER, (radius, radius, half)),
    ):
        axes = np.where((kind == t)[:, None], np.stack(values, axis=-1), axes)
    return axes


def _kappas(axes: np.ndarray) -> np.ndarray:
    """The three integrals for each row of half axes (..., 3)."""
    nodes, weights = np.polynomial.legendre.leggauss(_POINTS)
    u, weights = 0.5 * (nodes + 1.0), 0.5 * weights
    scale = np.cbrt(np.prod(axes, axis=-1, keepdims=True))
    unit = axes / scale
    square = unit[..., None] ** 2 + (u / (1.0 - u)) ** 2
    spread = 2.0 * u / (1.0 - u) ** 3
    integrand = spread / (square * np.sqrt(np.prod(square, axis=-2, keepdims=True)))
    return (integrand * weights).sum(axis=-1) * np.prod(unit, axis=-1, keepdims=True)


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
    table[on, 6:9] = volume * kappa / np.maximum(_MINIMUM, 2.0 - kappa)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        difference, total = square[:, j] - square[:, k], square[:, j] + square[:, k]
        step = kappa[:, k] - kappa[:, j]
        below = np.abs(2.0 * difference + total * (kappa[:, j] - kappa[:, k]))
        inertia = volume[:, 0] / 5.0 * np.abs(difference**2 * step) / np.maximum(_MINIMUM, below)
        table[on, 9 + i] = inertia
    return table
