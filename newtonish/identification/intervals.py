"""Confidence intervals of estimates, from the Jacobian and from residuals as they are, correlated in time or not.

With white noise the covariance of estimates is the inverse of the normal matrix. Residuals of a real robot follow each other: ten rows in which the model errs the same way tell as much as one. So
the covariance is the sandwich H^-1 M H^-1, whose M adds, for each column and lag, its autocovariance times the products of Jacobian rows that far apart (Newey and West, 1987), up to
the lag from which on nothing is significant. Columns count as independent of each other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from newtonish.identification.linearization import Linearization
from newtonish.identification.problem import Problem

__all__ = ["Spread", "spread_of"]

_LAGS = 200


class Spread(NamedTuple):
    """How far estimates may be off.

    Attributes:
        covariance: (parameters, parameters), in units of their scales; infinite where a parameter cannot be told from others.
        correlation_rows: (columns,) rows that count as one, 1 for white noise.
        freedom: rows less unknowns.
    """

    covariance: np.ndarray
    correlation_rows: np.ndarray
    freedom: float


def spread_of(problem: Problem, found: Linearization, active: np.ndarray) -> Spread:
    """Covariance of the estimates.

    Args:
        problem: what was solved.
        found: residuals and derivatives at the solution.
        active: (parameters,) which parameters are not held at a bound.
    """
    present = problem.segments.weight > 0.0
    total = int(present.sum())
    freedom = max(total - int(active.sum()) - found.pieces * found.starts_of_piece, 1)
    inverse = _pseudo_inverse(found.hessian[np.ix_(active, active)])
    middle, lengths = np.zeros_like(found.hessian), np.ones(found.columns)
    for block in found.blocks:
        rows = block.projected.reshape(found.pieces, found.rows, len(block.columns), -1)
        for k, j in enumerate(block.columns):
            if not present[..., j].any():
                continue
            covariances = _autocovariance(block.residual[..., k], present[..., j]) * (total / freedom)
            middle[np.ix_(block.parameters, block.parameters)] += _lagged(np.ascontiguousarray(rows[:, :, k]), covariances)
            lengths[j] = 1.0 + 2.0 * float(np.sum(covariances[1:])) / max(float(covariances[0]), 1e-300)
    middle = middle[np.ix_(active, active)]
    covariance = np.zeros_like(found.hessian)
    covariance[np.ix_(active, active)] = inverse @ middle @ inverse
    return Spread(covariance, lengths, float(freedom))


def _lagged(rows: np.ndarray, covariances: np.ndarray) -> np.ndarray:
    """Sum over lags of autocovariances times products of (pieces, rows, parameters) that far apart."""
    result = np.zeros((rows.shape[2],) * 2)
    for lag, value in enumerate(covariances):
        product = np.sum(np.swapaxes(rows[:, : rows.shape[1] - lag], 1, 2) @ rows[:, lag:], axis=0)
        result += value * (product if lag == 0 else product + product.T)
    return result


def _autocovariance(residual: np.ndarray, present: np.ndarray) -> np.ndarray:
    """From lag 0 to the first that is not significant, tapered as Bartlett's window, which keeps the sum positive."""
    count = max(int(present.sum()), 1)
    values = [float(np.sum(residual**2)) / count]
    for lag in range(1, min(_LAGS, residual.shape[1] // 2)):
        value = float(np.sum(residual[:, :-lag] * residual[:, lag:])) / count
        if value < 2.0 / np.sqrt(count) * values[0]:
            break
        values.append(value)
    last = len(values)
    return np.array(values) * (1.0 - np.arange(last) / last if last > 1 else 1.0)


def _pseudo_inverse(matrix: np.ndarray) -> np.ndarray:
    """The inverse, with directions of which nothing is known made as uncertain as numbers can say."""
    value, vector = np.linalg.eigh(matrix)
    floor = 1e-14 * max(float(value.max(initial=0.0)), 1e-300)
    return (vector / np.maximum(value, floor)) @ vector.T
