"""Searches of one joint's two numbers: CMA-ES by the library ``cmaes``, or a grid. Numbers are factors on a start, in logarithms."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from newtonish.errors import UnsupportedError, problem

__all__ = ["CovarianceSearch", "GridSearch", "Search", "make_search"]

REACH = 4.0
"""Bound of the logarithm of a factor: a factor of 55."""

SPREAD = 0.4
"""First standard deviation of the logarithm."""


class Search(Protocol):
    """Asked for candidates and told what they cost, in turn."""

    def ask(self) -> np.ndarray:
        """Logarithms of factors (candidates, 2)."""

    def tell(self, costs: np.ndarray) -> None:
        """What the candidates asked for last cost (candidates,)."""


class CovarianceSearch:
    """CMA-ES: Hansen, "The CMA Evolution Strategy: A Tutorial", arXiv:1604.00772.

    Args:
        candidates: Population.
        seed: Of its random numbers.

    Raises:
        UnsupportedError: The library is not installed.
    """

    def __init__(self, candidates: int, seed: int) -> None:
        try:
            from cmaes import CMA
        except ImportError as error:
            text = problem("optimizer 'cma'", "no cmaes", "an installed cmaes, or the optimizer 'grid'", "install it with pip install 'newtonish[tune]'")
            raise UnsupportedError(text) from error
        bounds = np.array([[-REACH, REACH]] * 2)
        self._strategy: Any = CMA(np.zeros(2), SPREAD, bounds=bounds, seed=seed, population_size=candidates)
        self._candidates, self._asked = candidates, np.zeros((0, 2))

    def ask(self) -> np.ndarray:
        self._asked = np.array([self._strategy.ask() for _ in range(self._candidates)])
        return self._asked

    def tell(self, costs: np.ndarray) -> None:
        self._strategy.tell([(point, float(cost)) for point, cost in zip(self._asked, costs, strict=True)])


class GridSearch:
    """A square grid around the best point, finer by half each time; its number of points is a square."""

    def __init__(self, candidates: int, seed: int) -> None:
        side = max(2, int(candidates**0.5))
        ends = np.linspace(-1.0, 1.0, side)
        self._pattern = np.stack(np.meshgrid(ends, ends, indexing="ij"), axis=-1).reshape(-1, 2)
        self._candidates, self._centre, self._best, self._width = candidates, np.zeros(2), np.inf, 1.5
        self._asked = np.zeros((0, 2))

    def ask(self) -> np.ndarray:
        points = np.clip(self._centre + self._width * self._pattern, -REACH, REACH)
        self._asked = np.concatenate([points, np.repeat(self._centre[None], self._candidates - len(points), axis=0)])
        return self._asked

    def tell(self, costs: np.ndarray) -> None:
        best = int(np.argmin(costs))
        if costs[best] < self._best:
            self._best, self._centre = float(costs[best]), self._asked[best].copy()
        self._width *= 0.6


def make_search(optimizer: str, candidates: int, seed: int) -> Search:
    """A search by name: ``cma`` or ``grid``."""
    return CovarianceSearch(candidates, seed) if optimizer == "cma" else GridSearch(candidates, seed)
