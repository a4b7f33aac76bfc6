"""Bounded Levenberg-Marquardt search (Marquardt, 1963) over worlds, with several dampings tried at once, and CMA-ES for rough problems."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from newtonish.errors import UnsupportedError, problem
from newtonish.identification.linearization import Linearization
from newtonish.identification.problem import TRIALS, Point, Problem

__all__ = ["CLOSE", "Course", "begin_with_part", "evolve", "levenberg_marquardt"]

CLOSE = 0.05
"""A step is small if the whole of it is less than this many standard deviations for each parameter: the data cannot tell the two apart."""
_NEAR, _NEAR_OF_PART = 0.05, 0.15
"""How far parameters may go, in scales, before derivatives are taken anew; while a part of the pieces is used."""
_DAMPINGS = 4
"""Sets of dampings that are tried."""
_AGAIN = 10
"""Generations after which the derivatives by starts are taken anew."""
_STRIDE, _PIECES = 4, 6
"""A search begins with every fourth piece, if these are six or more."""
_STEADY = 0.02
"""Relative change of the noise from one iteration to the next below which it is known."""


@dataclass
class Course:
    """A search as it goes; what a resumed one goes on from.

    Attributes:
        point: the best so far.
        damping: of the next step.
        iterations: done.
        costs: after each, in units of the noise then.
        converged: whether it ended because nothing more is to be found.
        noise: of each column.
        derived_at: where the derivatives in use were taken; None: take them where the search is.
    """

    point: Point
    damping: float = 1e-2
    iterations: int = 0
    costs: list[float] = field(default_factory=list)
    converged: bool = False
    noise: np.ndarray | None = None
    derived_at: Point | None = None


Watch = Callable[[Course, float], None]


def levenberg_marquardt(problem_: Problem, course: Course, most: int, watch: Watch, close: float = CLOSE, near: float = _NEAR) -> Linearization | None:
    """Seek the least sum of squares; an interrupt leaves ``course`` as it was after the last whole iteration.

    Derivatives are kept while no parameter has moved far: what they are off by costs iterations, which cost little beside derivatives.

    Args:
        problem_: residuals.
        course: where to begin; changed in place.
        most: iterations at most.
        watch: called after each iteration with the course and the seconds that it took.
        close: a search ends with a step of fewer standard deviations than this for each parameter.
        near: how far parameters may go, in scales, before derivatives are taken anew.

    Returns:
        Derivatives near the solution, if there are any.
    """
    found = _derivatives_of(problem_, course)
    while course.iterations < most and not course.converged:
        begin = time.perf_counter()
        if found is None or _distance(problem_, course) > near:
            found, course.derived_at = problem_.linearize(course.point), course.point
        here = found.cost
        best = _best_step(problem_, course, found, here)
        if best is None and course.derived_at is course.point:
            course.converged = True
        elif best is None:
            found = course.derived_at = None
        else:
            course.point, cost, residual, decrement = best
            factor = problem_.update_noise(residual)
            found = problem_.weighed(found, residual, factor)
            steady = float(np.max(np.abs(np.log(factor)), initial=0.0)) < _STEADY
            course.converged = steady and decrement < close**2 * len(problem_.parameters)
            course.costs.append(cost)
        course.noise = problem_.noise.copy()
        course.iterations += 1
        watch(course, time.perf_counter() - begin)
    return found


def begin_with_part(problem_: Problem, course: Course, most: int, watch: Watch) -> None:
    """Come near the solution with a part of the pieces, from all over the logs, if there are many: derivatives there cost a quarter.

    Args:
        problem_: residuals of all pieces.
        course: where to begin; changed in place.
        most: iterations at most.
        watch: as above; told of ``course``.
    """
    if len(problem_.segments) < _STRIDE * _PIECES:
        return
    few = problem_.part(_STRIDE)
    part = Course(few.begin())

    def take(_: Course, seconds: float) -> None:
        problem_.noise, point = few.noise.copy(), course.point
        qpos, qvel = point.qpos.copy(), point.qvel.copy()
        qpos[::_STRIDE], qvel[::_STRIDE] = part.point.qpos, part.point.qvel
        course.point, course.noise, course.iterations = Point(part.point.values, qpos, qvel), few.noise.copy(), part.iterations
        watch(course, seconds)

    levenberg_marquardt(few, part, most - 1, take, close=1.0, near=_NEAR_OF_PART)
    course.damping = part.damping


def _derivatives_of(problem_: Problem, course: Course) -> Linearization | None:
    """Those that a search was using when it was kept in a file."""
    if course.derived_at is None or course.converged:
        return None
    found = problem_.linearize(course.derived_at)
    return problem_.weighed(found, problem_.residuals([course.point])[0], np.ones_like(problem_.noise))


def _distance(problem_: Problem, course: Course) -> float:
    """How far the search is from where its derivatives were taken, in scales."""
    return np.inf if course.derived_at is None else float(np.max(np.abs(course.point.values - course.derived_at.values) / problem_.scale, initial=0.0))


def _best_step(problem_: Problem, course: Course, found: Linearization, here: float) -> tuple[Point, float, np.ndarray, float] | None:
    """The best of some steps with different damping: point, cost, residuals, and decrement in units of the noise; None if none is better."""
    for _ in range(_DAMPINGS):
        dampings = course.damping * 10.0 ** (2.0 * np.arange(1 - TRIALS, 1))
        steps = [bounded_step(problem_, course.point, found, damping) for damping in dampings]
        points = [problem_.moved(course.point, found, step) for step in steps]
        costs, residuals = problem_.costs(points)
        k = int(np.argmin(costs))
        if costs[k] < here:
            course.damping = float(np.clip(dampings[k], 1e-9, 1e6))
            whole = bounded_step(problem_, course.point, found, 1e-9)
            return points[k], float(costs[k]), residuals[k], float(whole @ found.hessian @ whole)
        course.damping *= 100.0**TRIALS
    course.damping = 1e-2
    return None


def bounded_step(problem_: Problem, point: Point, found: Linearization, damping: float) -> np.ndarray:
    """The damped step, in units of scales, with parameters held at bounds that it would cross (projected active set)."""
    low, high = (problem_.low - point.values) / problem_.scale, (problem_.high - point.values) / problem_.scale
    matrix = found.hessian.copy()
    diagonal = np.diag(matrix).copy()
    matrix[np.diag_indices_from(matrix)] += damping * diagonal + 1e-9 * max(float(diagonal.max(initial=0.0)), 1e-300)
    step, free = np.zeros(len(low)), np.ones(len(low), dtype=bool)
    for _ in range(len(low) + 1):
        rest = -found.gradient - matrix[:, ~free] @ step[~free]
        step[free] = np.linalg.solve(matrix[np.ix_(free, free)], rest[free])
        crossing = free & ((step < low) | (step > high))
        if not crossing.any():
            break
        step[crossing] = np.clip(step, low, high)[crossing]
        free &= ~crossing
    return step


def evolve(problem_: Problem, course: Course, generations: int, seed: int, watch: Watch) -> Course:
    """CMA-ES (Hansen) over the bounds, for costs too rough for derivatives by parameters; starts of pieces are eliminated by theirs, as above.

    Args:
        problem_: residuals.
        course: where to begin; changed in place.
        generations: at most.
        seed: of the random numbers.
        watch: as above.
    """
    cma = _library()
    low, high = problem_.low, problem_.high
    unit = (np.clip(course.point.values, low, high) - low) / (high - low)
    search = cma.CMA(mean=unit, sigma=0.2, bounds=np.repeat([[0.0, 1.0]], len(unit), axis=0), seed=seed)
    found, best = problem_.linearize(course.point), np.inf
    for generation in range(generations):
        begin = time.perf_counter()
        if generation % _AGAIN == _AGAIN - 1:
            found, best = problem_.linearize(course.point), np.inf
        asked = [search.ask() for _ in range(search.population_size)]
        points = [course.point, *(Point(low + x * (high - low), course.point.qpos, course.point.qvel) for x in asked)]
        costs = np.concatenate([_costs_of_best_starts(problem_, found, points[i : i + TRIALS]) for i in range(0, len(points), TRIALS)])
        search.tell([(x, float(min(cost, 1e30))) for x, cost in zip(asked, costs[1:])])
        best, k = min(best, float(costs[0])), int(np.argmin(costs))
        if costs[k] < best or k == 0:
            best, course.point = float(costs[k]), points[k]
        course.costs.append(best)
        course.iterations += 1
        watch(course, time.perf_counter() - begin)
        if search.should_stop():
            course.converged = True
            break
    for _ in range(2):
        course.point = problem_.moved(course.point, problem_.linearize(course.point), np.zeros(len(unit)))
    problem_.update_noise(problem_.residuals([course.point])[0])
    course.noise = problem_.noise.copy()
    return course


def _costs_of_best_starts(problem_: Problem, found: Linearization, points: list[Point]) -> np.ndarray:
    """Sums of squared residuals less what other starts would make good."""
    with np.errstate(over="ignore", invalid="ignore"):
        residuals = np.clip(problem_.residuals(points) * problem_.segments.weight / problem_.noise, -1e6, 1e6)
    whole = np.isfinite(residuals).all(axis=(1, 2, 3))
    residuals = np.where(whole[:, None, None, None], residuals, 0.0)
    return np.array([float(np.sum(found.without_starts(one) ** 2)) if good else np.inf for one, good in zip(residuals, whole, strict=True)])


def _library() -> Any:
    try:
        import cmaes
    except ImportError:
        raise UnsupportedError(problem("method 'cma'", "no library cmaes", "cmaes 0.11 or later", "pip install newtonish[tune]")) from None
    return cmaes
