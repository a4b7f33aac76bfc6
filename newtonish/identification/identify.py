"""``identify``: parameters of a model from recorded motions."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import stdtrit

from newtonish.errors import ModelError, problem
from newtonish.identification.columns import Columns
from newtonish.identification.controls import HeldControls
from newtonish.identification.excitation import propose
from newtonish.identification.identifiability import weak_directions
from newtonish.identification.intervals import Spread, spread_of
from newtonish.identification.linearization import Linearization
from newtonish.identification.logs import read_log
from newtonish.identification.parameters import DEFAULT, find_parameters
from newtonish.identification.problem import Point, Problem
from newtonish.identification.result import Estimate, Fit, Identification
from newtonish.identification.search import Course, begin_with_part, evolve, levenberg_marquardt
from newtonish.identification.segments import cut
from newtonish.identification.states import load_course, save_course
from newtonish.mjw.from_file import read_compiled

__all__ = ["identify"]

_METHODS = ("lm", "cma")


def identify(
    source: Any,
    logs: Sequence[Any],
    fit: Sequence[str] = DEFAULT,
    *,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    initial: Mapping[str, float] | None = None,
    weights: Mapping[str, float] | None = None,
    log_weights: Sequence[float] | None = None,
    ignore: Sequence[str] = (),
    start: Sequence[float] | None = None,
    segment: float | None = None,
    method: str = "lm",
    iterations: int = 30,
    confidence: float = 0.95,
    tolerance: float = 0.5,
    seed: int = 0,
    device: Any = "cpu",
    apart: bool = True,
    excitation: float = 0.0,
    state: str | Path | None = None,
    progress: Callable[[int, int, float, float], None] | None = None,
) -> Identification:
    """Find parameters with which a model moves as its logs say.

    Args:
        source: MJCF, URDF or USD file or text, a model of ``newtonish.mjcf``, or an archive of compiled arrays.
        logs: recorded motions: paths of .csv or .npz files, or mappings of arrays; see the guide on identification.
        fit: kinds of parameters (``KINDS``), each for all objects, or ``kind:pattern``.
        bounds: least and largest value of parameters, by name or pattern.
        initial: where to begin instead of the model's values, by name or pattern.
        weights: factors on columns, by name or by ``qpos``, ``qvel``, ``sensor``; 0 leaves a column out.
        log_weights: factors on logs.
        ignore: columns of the logs that are not looked at.
        start: (nq,) pose in which every log begins, at rest, where positions are not logged; logs are not cut then.
        segment: length of the pieces into which logs are cut [s]; None: 0.5 s.
        method: ``"lm"``, or ``"cma"``, which needs no derivatives, and begins where derivatives mislead; intervals follow in both cases.
        iterations: at most; of ``cma`` generations.
        confidence: of the intervals, between 0 and 1.
        tolerance: standard deviation, relative to what a parameter is, from which on it counts as unknown.
        seed: of ``cma``.
        device: Warp device.
        apart: try changes in parts of the model that do not touch in the same world.
        excitation: length of a motion to propose for the next log [s]; 0: none.
        state: file in which the search is kept after each iteration, and from which it goes on if it is there.
        progress: called after each iteration with its number, the most there may be, the cost, and the seconds left at most. An interrupt
            (KeyboardInterrupt) ends the search; what was found until then is returned.

    Raises:
        ModelError: logs that are none, names that the model has not, or numbers out of range.
    """
    begin = time.perf_counter()
    _check(method, iterations, confidence, logs, log_weights)
    compiled = copy.copy(read_compiled(source)[0])
    columns = Columns(compiled)
    read = [read_log(log, columns, ignore) for log in logs]
    measured = sorted({name for log in read for name in log.columns if not name.startswith(("ctrl:", "act:"))}, key=list(columns.places).index)
    parameters = find_parameters(compiled, columns, measured, fit, bounds, initial)
    late = max([each.high for each in parameters if each.kind == "delay"], default=float(np.max(compiled.actuator_delay, initial=0.0)))
    compiled.actuator_history = np.zeros_like(compiled.actuator_history)  # delays are ours here: a buffer would begin empty in each piece
    segments = cut(compiled, columns, read, segment, late, weights, None if start is None else np.asarray(start, float), log_weights)
    controls = HeldControls(read, columns.by_array.get("ctrl", []))
    found = Problem(compiled, parameters, segments, controls, device, apart)
    course = _begun(found, state, source)
    seconds: list[float] = []

    def watch(course: Course, spent: float) -> None:
        seconds.append(spent)
        if state is not None:
            save_course(state, course, found)
        if progress is not None:
            done = max(course.iterations, len(seconds))
            left = float(np.mean(seconds[-3:])) * max(iterations - done, 0)
            progress(done, iterations, course.costs[-1] if course.costs else float("nan"), left)

    near, interrupted = None, False
    try:
        if method == "cma":
            evolve(found, course, iterations, seed, watch)
        else:
            if not course.iterations:
                begin_with_part(found, course, iterations, watch)
            near = levenberg_marquardt(found, course, iterations, watch)
    except KeyboardInterrupt:
        course.converged, interrupted = False, True
    result = replace(_result(found, course, near, confidence, tolerance, time.perf_counter() - begin), interrupted=interrupted)
    if excitation <= 0.0 or interrupted:
        return result
    proposal = propose(found, course.point, columns.by_array.get("ctrl", []), result.unknown, excitation, seed=seed, tolerance=tolerance)
    return replace(result, excitation=proposal)


def _check(method: str, iterations: int, confidence: float, logs: Sequence[Any], log_weights: Sequence[float] | None) -> None:
    if method not in _METHODS:
        raise ModelError(problem("identify: method", repr(method), " or ".join(map(repr, _METHODS)), "choose one of these"))
    if not 0.0 < confidence < 1.0:
        raise ModelError(problem("identify: confidence", repr(confidence), "a number between 0 and 1", "0.95 is usual"))
    if iterations < 1:
        raise ModelError(problem("identify: iterations", repr(iterations), "at least 1", "leave it out"))
    if not len(logs) or isinstance(logs, (str, Path, Mapping)):
        raise ModelError(problem("identify: logs", f"{type(logs).__name__}", "a list with at least one log", "put it into a list"))
    if log_weights is not None and (len(log_weights) != len(logs) or min(log_weights) < 0.0):
        raise ModelError(problem("identify: log_weights", f"{list(log_weights)}", f"{len(logs)} numbers of at least 0", "give each log one"))


def _begun(found: Problem, state: Any, source: Any) -> Course:
    course = load_course(state, found) if state is not None and Path(state).exists() else None
    if course is None:
        return Course(found.begin())
    if course.noise is not None:
        found.noise = course.noise.copy()
    return course


def _result(found: Problem, course: Course, near: Linearization | None, confidence: float, tolerance: float, seconds: float) -> Identification:
    if course.noise is None:
        found.update_noise(found.residuals([course.point])[0])
    at = near if near is not None and course.converged else found.linearize(course.point)
    span = found.high - found.low
    held = (course.point.values <= found.low + 1e-9 * span) | (course.point.values >= found.high - 1e-9 * span)
    unknown = weak_directions(found, course.point, at, held, tolerance)
    if unknown:  # to say what they are takes better derivatives
        at = found.linearize(course.point, central=True)
        unknown = weak_directions(found, course.point, at, held, tolerance)
    spread = spread_of(found, at, ~held)
    estimates = _estimates(found, course.point, spread, held, {name for each in unknown for name in each.parameters}, confidence, tolerance)
    deviation = np.sqrt(np.maximum(np.diag(spread.covariance), 1e-300))
    s = found.segments
    difference = found.unweighted(at)
    times = [s.begin[k] + s.rows[k][s.weight[k].any(axis=1)] * s.step for k in range(len(s))]
    measured = [s.measured[k][s.weight[k].any(axis=1)] for k in range(len(s))]
    predicted = [(s.measured + difference)[k][s.weight[k].any(axis=1)] for k in range(len(s))]
    return Identification(
        estimates, _fits(found, difference, spread), unknown, spread.covariance / np.outer(deviation, deviation), confidence, course.iterations,
        course.converged, list(course.costs), len(s), found.candidates * len(s), seconds, times, measured, predicted,
    )  # fmt: skip


def _estimates(found: Problem, point: Point, spread: Spread, held: np.ndarray, unknown: set[str], confidence: float, tolerance: float) -> list[Estimate]:
    count = len(found.parameters)
    deviation = np.sqrt(np.maximum(np.diag(spread.covariance), 0.0)) * found.scale
    one = float(stdtrit(spread.freedom, 0.5 + 0.5 * confidence))
    every = float(stdtrit(spread.freedom, 1.0 - 0.5 * (1.0 - confidence) / max(count, 1)))
    result = []
    for p, each in enumerate(found.parameters):
        value, d = float(point.values[p]), float(deviation[p])
        ends: list[tuple[float, float]] = [(found.low[p], found.high[p])] * 2 if held[p] else [(value - t * d, value + t * d) for t in (one, every)]
        (low, high), (low_of_all, high_of_all) = ends
        known = each.name not in unknown and d <= tolerance * each.scale
        result.append(
            Estimate(
                each.name,
                each.kind,
                each.object,
                each.unit,
                each.initial,
                value,
                d,
                float(low),
                float(high),
                float(low_of_all),
                float(high_of_all),
                known,
                bool(held[p]),
            )
        )
    return result


def _fits(found: Problem, difference: np.ndarray, spread: Spread) -> list[Fit]:
    s, result = found.segments, []
    for j, name in enumerate(s.names):
        present = s.weight[..., j] > 0.0
        rows = int(present.sum())
        if rows:
            residual = float(np.sqrt(np.sum(difference[..., j] ** 2 * present) / rows))
            result.append(Fit(name, residual, float(np.std(s.measured[..., j][present])), rows, float(spread.correlation_rows[j])))
    return result
