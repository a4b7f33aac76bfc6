"""The least-squares problem of an identification: residuals and Jacobian by worlds.

Rows are (prediction - measurement) / noise. Unknowns are the parameters, the same for all, and the start of each piece, which only its own rows see. Differences are forward ones of two hundredths of a parameter's scale: float32 does not show in them. Estimates do
not depend on how exact they are: any A' with A'r = 0 is a fair condition, and the cost is that of simulations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from newtonish.identification.columns import quaternions
from newtonish.identification.controls import HeldControls
from newtonish.identification.coupling import Parts, colours
from newtonish.identification.linearization import Block, Linearization
from newtonish.identification.parameters import Parameter
from newtonish.identification.rollouts import Constants, Rollouts
from newtonish.identification.segments import Segments, displaced

__all__ = ["TRIALS", "Point", "Problem"]

_CHANGE = 0.02
_CHANGE_OF_POSITION, _CHANGE_OF_VELOCITY = 1e-3, 1e-2
_LEAST = 0.01
"""How far directions are followed at least, in scales, even across a bound."""
_ROUNDING = 3e-5
"""Change of a prediction, relative to its motion, that float32 does not resolve over a piece."""
TRIALS = 2
"""Candidates of a trial."""


@dataclass
class Point:
    """Where a search is.

    Attributes:
        values: (parameters,).
        qpos, qvel: (pieces, ...) states in which pieces begin.
    """

    values: np.ndarray
    qpos: np.ndarray
    qvel: np.ndarray


class Problem:
    """Residuals of a model and logs.

    Args:
        compiled: compiled arrays.
        parameters: what is sought.
        segments: pieces of logs.
        controls: of the logs.
        device: Warp device.
        apart: let parts of the model that do not touch share worlds.
        constants: of another problem with the same parameters.
    """

    def __init__(
        self,
        compiled: Any,
        parameters: Sequence[Parameter],
        segments: Segments,
        controls: HeldControls,
        device: Any = "cpu",
        apart: bool = True,
        constants: Constants | None = None,
    ) -> None:
        self.compiled, self.parameters, self.segments, self._controls = compiled, list(parameters), segments, controls
        self.device, self._apart = device, apart
        self._parts = Parts(compiled, segments.places, apart)
        self.scale = np.array([each.scale for each in parameters])
        self.low, self.high = (np.array([getattr(each, name) for each in parameters]) for name in ("low", "high"))
        self._quaternions = self._quaternion_columns()
        self._lay_out()
        self._constants = constants or Constants(compiled, max(self.candidates, TRIALS))
        self._trials, self._changes = (
            Rollouts(compiled, parameters, segments, controls, count, self._constants, device) for count in (TRIALS, self.candidates)
        )
        self.noise = self._first_noise()

    def _lay_out(self) -> None:
        """Which candidate tries which changes: 0 none, the others one of each part."""
        free = np.tile(self._parts.of_dof, 2) if self.segments.free else np.zeros(0, dtype=int)
        self._moving = [p for p, each in enumerate(self.parameters) if each.kind != "bias"]
        parts = [self._parts.of_parameter(self.parameters[p]) for p in self._moving] + list(free)
        colour = 1 + colours(parts)
        self._colour_of_parameter = dict(zip(self._moving, colour))
        self._colour_of_start = colour[len(self._moving) :]
        self.candidates = int(colour.max(initial=0)) + 1
        of_column = np.where(self._parts.of_column < 0, max(self._parts.of_column.max(initial=0), 0), self._parts.of_column)  # what nothing moves: anywhere
        self._columns_of_parts = {int(part): np.flatnonzero(of_column == part) for part in np.unique(of_column)}

    def part(self, stride: int) -> Problem:
        """The same of every so many pieces."""
        return Problem(self.compiled, self.parameters, self.segments.every(stride), self._controls, self.device, self._apart, self._constants)

    def begin(self) -> Point:
        """The model's own parameters, and starts as the logs have them."""
        return Point(np.array([each.initial for each in self.parameters]), self.segments.qpos.copy(), self.segments.qvel.copy())

    def unweighted(self, found: Linearization) -> np.ndarray:
        """Residuals (pieces, rows, columns) in the columns' units; 0 where nothing was measured."""
        weight = self.segments.weight
        return np.divide(found.residual * self.noise, weight, out=np.zeros_like(weight), where=weight > 0.0)

    def residuals(self, points: Sequence[Point]) -> np.ndarray:
        """Prediction less measurement of up to ``TRIALS`` points, (points, pieces, rows, columns) in the columns' units; 0 where nothing was measured."""
        predicted = self._trials.run(np.stack([p.values for p in points]), np.stack([p.qpos for p in points]), np.stack([p.qvel for p in points]))
        return self._difference(predicted)

    def costs(self, points: Sequence[Point]) -> tuple[np.ndarray, np.ndarray]:
        """Sums of squared residuals in units of the noise, infinite where a simulation went wrong, and the residuals."""
        residuals = self.residuals(points)
        with np.errstate(over="ignore", invalid="ignore"):
            costs = np.sum((residuals * self._factor()) ** 2, axis=(1, 2, 3))
        return np.where(np.isfinite(costs), costs, np.inf), residuals

    def update_noise(self, residual: np.ndarray) -> np.ndarray:
        """Take the noise of each column from residuals (pieces, rows, columns); by how much it changed, as a factor."""
        old = self.noise.copy()
        count = np.maximum((self.segments.weight > 0.0).sum(axis=(0, 1)), 1)
        self.noise = np.maximum(np.sqrt(np.sum(residual**2, axis=(0, 1)) / count), self._least)
        return self.noise / old

    def weighed(self, found: Linearization, residual: np.ndarray, factor: np.ndarray) -> Linearization:
        """The same derivatives with other residuals (pieces, rows, columns), after the noise has changed by a factor for each column."""
        return found.weighed(residual * self._factor(), factor)

    def linearize(self, point: Point, central: bool = False) -> Linearization:
        """Residuals and derivatives at a point, by forward differences, or by central ones where directions of which nothing is known must not hide in their error."""
        up = self._direction(point)
        nv = point.qvel.shape[1]
        sizes = np.repeat([_CHANGE_OF_POSITION, _CHANGE_OF_VELOCITY], nv)
        above = self._changed(point, up, sizes)
        if not central:
            return self._assemble(above[0], above[1:] - above[:1], up, sizes)
        down = np.clip(point.values - up, self.low, self.high) - point.values
        below = self._changed(point, down, -sizes)
        return self._assemble(above[0], above[1:] - below[1:], up - down, 2.0 * sizes)

    def _changed(self, point: Point, changes: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """Residuals of the point itself and of each colour's changes, in the columns' units."""
        values = np.repeat(point.values[None], self.candidates, axis=0)
        for p in self._moving:
            values[self._colour_of_parameter[p], p] += changes[p]
        pieces, nv = point.qvel.shape
        moved = np.zeros((self.candidates, pieces, 2 * nv))
        for k, colour in enumerate(self._colour_of_start):
            moved[colour, :, k] = sizes[k]
        qpos, qvel = displaced(self.compiled, point.qpos[None], moved[..., :nv]), point.qvel[None] + moved[..., nv:]
        return self._difference(self._changes.run(values, qpos, qvel))

    def _assemble(self, here: np.ndarray, change: np.ndarray, changes: np.ndarray, sizes: np.ndarray) -> Linearization:
        factor = self._factor()
        of_start = np.tile(self._parts.of_dof, 2)[: len(self._colour_of_start)]
        of_parameter = np.array([self._parts.of_parameter(each) for each in self.parameters])
        blocks = []
        for part, columns in self._columns_of_parts.items():
            parameters, starts = np.flatnonzero((of_parameter == part) | (of_parameter < 0)), np.flatnonzero(of_start == part)
            mine = factor[..., columns]
            by_parameter = [self._column(int(p), change, changes, mine, columns) for p in parameters]
            by_start = [change[self._colour_of_start[k] - 1][..., columns] * (mine / sizes[k]) for k in starts]
            blocks.append(Block(columns, parameters, starts, here[..., columns] * mine, _as_columns(by_parameter, mine), _as_columns(by_start, mine)))
        return Linearization(blocks, len(self.parameters), len(of_start))

    def _column(self, p: int, change: np.ndarray, changes: np.ndarray, factor: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """Derivatives of some columns by a parameter, (pieces, rows, columns)."""
        each = self.parameters[p]
        if each.kind == "bias":
            return factor * (columns == self.segments.names.index(each.object)) * self.scale[p]
        return change[self._colour_of_parameter[p] - 1][..., columns] * (factor * (self.scale[p] / changes[p]))

    def effects(self, point: Point, found: Linearization, directions: np.ndarray, far: float, piece: int | None = None, resolved: bool = True) -> np.ndarray:
        """Changes of the residuals along directions, by going there, per unit of the way and in units of the noise; what other starts would make good is taken off.

        Derivatives by single parameters have an error of a hundredth or so, behind which a direction without any effect looks like one with a little. What a whole direction does has not.

        Args:
            point: where to begin.
            found: derivatives there.
            directions: (directions, parameters), unit vectors in the parameters' scales.
            far: how far to go, in scales, as far as bounds allow.
            piece: whose residuals count; None: all.
            resolved: leave out columns in which nothing changes that float32 resolves.

        Returns:
            (directions, rows).
        """
        s, result = self.segments, []
        room = np.maximum(self.high - point.values, 1e-12) / self.scale, np.maximum(point.values - self.low, 1e-12) / self.scale
        before = self.unweighted(found)
        least = _ROUNDING * np.maximum(np.std(s.measured, axis=(0, 1)), np.std(before + s.measured, axis=(0, 1)))
        for first in range(0, len(directions), TRIALS):
            some = directions[first : first + TRIALS]
            lengths = []
            for v in some:
                ways = [float(np.min(np.where(sign * v > 0.0, room[0], room[1]) / np.maximum(np.abs(v), 1e-12))) for sign in (1.0, -1.0)]
                length = max(min(far, max(ways)), _LEAST)
                lengths.append(length if ways[0] >= ways[1] else -length)
            after = self.residuals([Point(point.values + length * v * self.scale, point.qpos, point.qvel) for length, v in zip(lengths, some, strict=True)])
            for there, length in zip(after, lengths, strict=True):
                change = there - before
                change *= (np.sqrt(np.mean(change**2, axis=(0, 1))) > least) | (not resolved)
                left = found.without_starts(change * self._factor()) / length
                result.append((left if piece is None else left[piece]).reshape(-1))
        return np.stack(result)

    def moved(self, point: Point, found: Linearization, step: np.ndarray) -> Point:
        """The point after a change of the parameters, in units of their scales, and of the starts that goes with it."""
        values = np.clip(point.values + step * self.scale, self.low, self.high)
        if not self.segments.free:
            return Point(values, point.qpos, point.qvel)
        nv = point.qvel.shape[1]
        starts = found.starts(step)
        return Point(values, displaced(self.compiled, point.qpos, starts[:, :nv]), point.qvel + starts[:, nv:])

    def _direction(self, point: Point) -> np.ndarray:
        """Changes of parameters for differences, away from the nearer bound."""
        size = np.array([0.5 * self.segments.step if each.kind == "delay" else _CHANGE * each.scale for each in self.parameters])
        size = np.minimum(size, 0.4 * (self.high - self.low))
        return np.where(point.values + size <= self.high, size, -size)

    def _factor(self) -> np.ndarray:
        return self.segments.weight / self.noise

    def _difference(self, predicted: np.ndarray) -> np.ndarray:
        s = self.segments
        for four in self._quaternions:  # q and -q are the same
            same = np.sum(predicted[..., four] * s.measured[..., four], axis=-1, keepdims=True) >= 0.0
            predicted[..., four] *= np.where(same, 1.0, -1.0)
        return (predicted - s.measured) * (s.weight > 0.0)

    def _quaternion_columns(self) -> list[np.ndarray]:
        where = {place.number: k for k, place in enumerate(self.segments.places) if place.array == "qpos"}
        return [np.array([where[i] for i in four]) for four in quaternions(self.compiled) if all(int(i) in where for i in four)]

    def _first_noise(self) -> np.ndarray:
        """A tenth of each column's spread, so that none outweighs the others before anything is known of their noise."""
        s, spread = self.segments, []
        for j in range(len(s.names)):
            value = s.measured[..., j][s.weight[..., j] > 0.0]
            spread.append(float(np.std(value)) if len(value) else 1.0)
        spread_of = np.array(spread)
        largest = max(float(spread_of.max(initial=0.0)), 1e-6)
        self._least = np.maximum(1e-5 * spread_of, 1e-7)
        return np.maximum(0.1 * spread_of, 1e-3 * largest)


def _as_columns(derivatives: Sequence[np.ndarray], like: np.ndarray) -> np.ndarray:
    """(pieces, rows times columns, derivatives), of each (pieces, rows, columns)."""
    result = np.empty((len(like), like[0].size, len(derivatives)))
    for k, each in enumerate(derivatives):
        result[..., k] = each.reshape(len(like), -1)
    return result
