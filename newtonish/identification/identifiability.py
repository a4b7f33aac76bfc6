"""What logs cannot tell: directions of the parameters in which the prediction hardly changes, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from newtonish.identification.linearization import Linearization
from newtonish.identification.parameters import Parameter
from newtonish.identification.problem import Point, Problem

__all__ = ["WeakDirection", "weak_directions"]

_DOUBTFUL, _MOST = 0.02, 8
"""A direction is followed if its derivatives claim no better than this share of the tolerance; so many at most."""
_TURNS, _SETTLED = 3, 0.9
"""Times that directions are turned at most, and the share of an effect which shows that it hardly falls any more."""
_NEAR, _FAR = 0.05, 0.3
"""How far, in scales: near to tell directions apart, far to see that one has no effect."""
_LISTED = 5
"""Parameters that are named in words."""
_PART = 0.15
"""Share of the largest component from which on a parameter is named."""


@dataclass(frozen=True)
class WeakDirection:
    """A change of parameters that the logs do not notice.

    Attributes:
        text: in words.
        parameters: names of those that change, the largest part first.
        parts: their changes relative to what they are, the largest 1.
        spread: standard deviation of the change, in the parameters' scales.
        vector: the direction, in the parameters' scales.
    """

    text: str
    parameters: tuple[str, ...]
    parts: tuple[float, ...]
    spread: float
    vector: np.ndarray = field(repr=False)


def weak_directions(problem: Problem, point: Point, found: Linearization, held: np.ndarray, tolerance: float) -> list[WeakDirection]:
    """Directions known no better than ``tolerance`` times the parameters' scales: those of small singular values of the scaled Jacobian, followed to see.

    What their derivatives claimed of them is taken out of ``found.hessian``.

    Args:
        problem: what was solved.
        point: the solution.
        found: derivatives there.
        held: (parameters,) which are held at a bound.
        tolerance: relative standard deviation beyond which a direction counts as unknown.
    """
    free = np.flatnonzero(~held)
    value, part = np.linalg.eigh(found.hessian[np.ix_(free, free)])
    vector = np.zeros((len(held), len(free)))
    vector[free] = part
    floor = 1e-14 * max(float(value.max(initial=0.0)), 1e-300)
    doubtful = vector[:, : int(np.sum(value < 1.0 / (_DOUBTFUL * tolerance) ** 2))][:, :_MOST]
    if not doubtful.shape[1]:
        return []
    for count in (2, 4, _MOST):
        some, gram = _refined(problem, point, found, doubtful[:, :count], free)
        if gram[-1] > 1.0 / tolerance**2 or count >= doubtful.shape[1]:  # not all of them are weak: the next are not, either
            break
    doubtful = some
    found.hessian = _replaced(found.hessian, doubtful, np.maximum(gram, floor))
    weak = doubtful[:, gram < 1.0 / (_DOUBTFUL * tolerance) ** 2]
    far = np.linalg.norm(problem.effects(point, found, weak.T, _FAR), axis=1) if weak.shape[1] else np.zeros(0)
    weak, far = weak[:, far < 1.0 / tolerance], far[far < 1.0 / tolerance]
    found.hessian = _replaced(found.hessian, weak, np.maximum(far**2, floor))
    result = []
    size_of = np.where(point.values != 0.0, np.abs(point.values), problem.scale)
    for direction in _rotated(weak).T if weak.shape[1] else []:
        relative = direction * problem.scale / size_of
        order = np.argsort(-np.abs(relative))
        chosen = [i for i in order if abs(relative[i]) > _PART * abs(relative[order[0]])]
        parts = tuple(float(relative[i] / relative[chosen[0]]) for i in chosen)
        names = tuple(problem.parameters[i].name for i in chosen)
        size = float(1.0 / np.sqrt(max(float(direction @ found.hessian @ direction), floor)))
        result.append(WeakDirection(_words([problem.parameters[i] for i in chosen], parts), names, parts, size, direction))
    return sorted({each.text: each for each in result}.values(), key=lambda each: -each.spread)


def _refined(problem: Problem, point: Point, found: Linearization, directions: np.ndarray, free: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Directions turned so that they have least effect, and the squares of their effects.

    What a direction does is found by going there; what would undo it, by the derivatives, which are good enough for that. It is an inverse iteration.
    """
    near = problem.effects(point, found, directions.T, _NEAR, resolved=False)
    gram, turn = np.linalg.eigh(near @ near.T)
    for _ in range(_TURNS):
        across = np.zeros((len(directions), len(free) - directions.shape[1]))
        across[free] = np.linalg.svd(directions[free])[0][:, directions.shape[1] :]
        if across.shape[1]:
            by_near = np.stack([found.along(each.reshape(found.pieces, found.rows, found.columns)) for each in near], axis=1)
            remedy = np.linalg.lstsq(across.T @ found.hessian @ across, across.T @ by_near, rcond=None)[0]
            directions = np.linalg.qr(directions - across @ remedy)[0]
        near, before = problem.effects(point, found, directions.T, _NEAR, resolved=False), gram
        gram, turn = np.linalg.eigh(near @ near.T)
        if np.all(gram > _SETTLED * before):
            break
    return directions @ turn, gram


def _replaced(matrix: np.ndarray, vectors: np.ndarray, values: np.ndarray) -> np.ndarray:
    """A symmetric matrix that has these eigenvectors with these values, and is what it was across them."""
    across = np.eye(len(matrix)) - vectors @ vectors.T
    return across @ matrix @ across + (vectors * values) @ vectors.T


def _rotated(vectors: np.ndarray) -> np.ndarray:
    """The same space by vectors with few large components each (varimax, Kaiser 1958), which can be put into words."""
    loadings, rotation = vectors, np.eye(vectors.shape[1])
    for _ in range(100):
        turned = loadings @ rotation
        u, s, vt = np.linalg.svd(loadings.T @ (turned**3 - turned * np.mean(turned**2, axis=0)))
        new = u @ vt
        if np.allclose(np.abs(np.sum(new * rotation, axis=0)), 1.0, atol=1e-8):
            break
        rotation = new
    return loadings @ rotation


def _title(parameter: Parameter) -> str:
    owner = {"mass": "body", "inertia": "body", "armature": "joint", "damping": "joint", "frictionloss": "joint", "bias": "column"}.get(parameter.kind)
    owner = owner or ("geom" if parameter.kind.startswith(("contact", "friction")) else "actuator")
    return f"{parameter.kind} of {owner} {parameter.object}" if parameter.object else f"{parameter.kind} of all actuators"


def _words(parameters: Sequence[Parameter], parts: Sequence[float]) -> str:
    """What can be known of parameters that change together; parts are relative to what each of them is."""
    names = [_title(each) for each in parameters]
    if len(names) > _LISTED:
        names = [*names[: _LISTED - 1], f"{len(names) - _LISTED + 1} others"]
    listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    if len(parameters) == 1:
        return f"{listed} not at all"
    relative = all(each.kind not in ("delay", "bias") for each in parameters)
    even = relative and max(map(abs, parts)) < 1.5 * min(map(abs, parts))
    if even and min(parts) > 0.0:
        return f"{listed} only as their ratio" if len(parameters) == 2 else f"{listed} only up to a common factor"
    if even and len(parameters) == 2:
        return f"{listed} only as their product"
    return f"{listed} only in combination"
