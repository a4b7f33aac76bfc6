"""Residuals and derivatives at a point, with the starts of pieces eliminated.

Unknowns are the parameters p, the same for all, and the start z of each piece, which only its own rows see. So the normal equations are bordered by blocks, and each start goes by a Schur complement:

    H = sum of A'A - A'K (K'K)^-1 K'A,    g = sum of A'r - A'K (K'K)^-1 K'r

with A and K the derivatives of a piece's rows r by p and z. Parts of a model that move apart have blocks of their own: four legs take a sixteenth of the work of one part as large.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

__all__ = ["Block", "Linearization"]

_FLOOR = 1e-9
"""Added to K'K, relative to its mean diagonal."""


class Block:
    """Rows of one part of the model, in units of the noise and of the parameters' scales.

    Args:
        columns: measured columns that it has.
        parameters: those that act on it, of all.
        starts: numbers of a start that act on it, of 2 nv.
        residual: (pieces, rows, columns).
        by_parameter: (pieces, rows times columns, parameters).
        by_start: (pieces, rows times columns, starts).
    """

    def __init__(
        self, columns: np.ndarray, parameters: np.ndarray, starts: np.ndarray, residual: np.ndarray, by_parameter: np.ndarray, by_start: np.ndarray
    ) -> None:
        self.columns, self.parameters, self.starts = columns, parameters, starts
        self.residual, self.by_parameter, self.by_start = residual, by_parameter, by_start
        self._transposed = np.ascontiguousarray(np.swapaxes(by_start, 1, 2))
        square = self._transposed @ by_start
        diagonal = np.einsum("szz->sz", square)
        diagonal += _FLOOR * np.maximum(diagonal.mean(axis=1, keepdims=True) if starts.size else diagonal, 1e-200)
        self._square = square

    @cached_property
    def start_step(self) -> np.ndarray:
        """(pieces, starts): what residuals ask of them."""
        return self._asked(self.residual)

    @cached_property
    def start_gain(self) -> np.ndarray:
        """(pieces, starts, parameters): starts that undo a change of the parameters, negative."""
        return np.linalg.solve(self._square, self._transposed @ self.by_parameter)

    @cached_property
    def projected(self) -> np.ndarray:
        """(pieces, rows times columns, parameters): derivatives by parameters less what starts would make good."""
        return self.by_parameter - self.by_start @ self.start_gain

    def without_starts(self, change: np.ndarray) -> np.ndarray:
        """Changes of residuals (pieces, rows, columns) less what other starts would make good."""
        return change - (self.by_start @ self._asked(change)[..., None]).reshape(change.shape)

    def weighed(self, residual: np.ndarray, factor: np.ndarray) -> Block:
        """The same derivatives with other residuals, after the noise of each column has changed by a factor."""
        rows = np.tile(1.0 / factor, residual.shape[1])[:, None]
        return Block(self.columns, self.parameters, self.starts, residual, self.by_parameter * rows, self.by_start * rows)

    def piece(self, number: int) -> Block:
        """The same of one piece."""
        one = slice(number, number + 1)
        return Block(self.columns, self.parameters, self.starts, self.residual[one], self.by_parameter[one], self.by_start[one])

    def _asked(self, rows: np.ndarray) -> np.ndarray:
        return np.linalg.solve(self._square, self._transposed @ rows.reshape(len(rows), -1, 1))[..., 0]


class Linearization:
    """Residuals and derivatives at a point, in units of the noise and of the parameters' scales.

    Args:
        blocks: of the parts; each column of the logs is in one of them.
        parameters: how many there are.
        starts: numbers of a piece's start: 2 nv, or 0 where it is given.

    Attributes:
        hessian: (parameters, parameters) of half the sum of squares, starts eliminated.
        gradient: (parameters,).
    """

    def __init__(self, blocks: Sequence[Block], parameters: int, starts: int) -> None:
        self.blocks, self.parameters, self.starts_of_piece = list(blocks), parameters, starts
        self.pieces, self.rows = blocks[0].residual.shape[:2]
        self.columns = sum(len(block.columns) for block in blocks)
        self.hessian, self.gradient = np.zeros((parameters, parameters)), np.zeros(parameters)
        for block in blocks:
            turned = np.swapaxes(block.projected, 1, 2)
            self.hessian[np.ix_(block.parameters, block.parameters)] += np.sum(turned @ block.projected, axis=0)
            self.gradient[block.parameters] += np.sum(turned @ block.residual.reshape(self.pieces, -1, 1), axis=0)[:, 0]

    @property
    def cost(self) -> float:
        """Sum of squared residuals."""
        return float(sum(np.sum(block.residual**2) for block in self.blocks))

    @property
    def residual(self) -> np.ndarray:
        """(pieces, rows, columns)."""
        return self._joined([block.residual for block in self.blocks])

    def weighed(self, residual: np.ndarray, factor: np.ndarray) -> Linearization:
        """The same derivatives with other residuals (pieces, rows, columns), after the noise of each column has changed by a factor (columns,)."""
        blocks = [block.weighed(residual[..., block.columns], factor[block.columns]) for block in self.blocks]
        return Linearization(blocks, self.parameters, self.starts_of_piece)

    def piece(self, number: int) -> Linearization:
        """The same of one piece."""
        return Linearization([block.piece(number) for block in self.blocks], self.parameters, self.starts_of_piece)

    def without_starts(self, change: np.ndarray) -> np.ndarray:
        """Changes of residuals (pieces, rows, columns) less what other starts would make good."""
        return self._joined([block.without_starts(change[..., block.columns]) for block in self.blocks])

    def along(self, change: np.ndarray) -> np.ndarray:
        """Products (parameters,) of the derivatives, less what starts would make good, with changes of residuals (pieces, rows, columns)."""
        result = np.zeros(self.parameters)
        for block in self.blocks:
            result[block.parameters] += np.einsum("srp,sr->p", block.projected, change[..., block.columns].reshape(self.pieces, -1))
        return result

    def starts(self, step: np.ndarray) -> np.ndarray:
        """Changes of the starts (pieces, 2 nv) that go with a change of the parameters."""
        result = np.zeros((self.pieces, self.starts_of_piece))
        for block in self.blocks:
            result[:, block.starts] = -block.start_step - block.start_gain @ step[block.parameters]
        return result

    def _joined(self, parts: Sequence[np.ndarray]) -> np.ndarray:
        result = np.zeros((self.pieces, self.rows, self.columns))
        for block, part in zip(self.blocks, parts, strict=True):
            result[..., block.columns] = part
        return result
