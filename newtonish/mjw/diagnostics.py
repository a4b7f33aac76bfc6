"""Diagnostics of a step: warnings by kind, and the course of the solver's iterations."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import warp as wp

from newtonish.arguments import checked
from newtonish.common.enums import IntegratorType, WarningType
from newtonish.errors import ModelError, UnsupportedError, problem
from newtonish.kernels import forward as stages
from newtonish.kernels.analysis.solver_course import measure_solution
from newtonish.kernels.runtime.modules import load_modules, planned_modules
from newtonish.kernels.structs.container import Data, Model
from newtonish.mjw.matching import check_pair

__all__ = ["SolverCourse", "solver_course", "warnings", "watch"]


@checked
def watch(m: Model, on: bool = True) -> None:
    """Let steps of this model count warnings by kind in ``d.warning``, read by ``warnings``; off by default.

    It costs a launch a step.
    """
    m.watching = bool(on)


def warnings(m: Model, d: Data) -> dict[WarningType, np.ndarray]:
    """How often each world triggered each kind of warning since its last reset.

    Args:
        m: model, watched since before the steps in question (``watch(m)``).
        d: data.

    Returns:
        (nworld,) number of steps of each kind that any world triggered: no room for all contacts or rows; a state,
        acceleration or control that is not finite or absurdly large; a mass matrix that is (nearly) singular.

    Raises:
        ModelError: nobody counts.

    MuJoCo: ``mjData.warning``.
    """
    check_pair("warnings", m, d)
    if not m.watching:
        text = problem("warnings: m", "a model that is not watched", "a watched one", "call mjw.watch(m) before stepping")
        raise ModelError(text)
    counts = d.warning.numpy()
    return {kind: counts[:, kind].copy() for kind in WarningType if counts[:, kind].any()}


@dataclass
class SolverCourse:
    """How the constraint solver came to its solution, of every world; column ``k`` is what it had after ``k`` iterations.

    Attributes:
        niter: (nworld,) iterations until the solver stopped.
        cost: (nworld, most + 1) cost of the primal problem, over the trace of the mass matrix.
        improvement: (nworld, most + 1) decrease of that cost by this iteration.
        gradient: (nworld, most + 1) norm of its gradient, in the same scale.
        nactive: (nworld, most + 1) rows that push.
        nchange: (nworld, most + 1) rows that changed their state in this iteration.
    """

    niter: np.ndarray
    cost: np.ndarray
    improvement: np.ndarray
    gradient: np.ndarray
    nactive: np.ndarray
    nchange: np.ndarray


def solver_course(m: Model, d: Data) -> SolverCourse:
    """Solve the constraints of the present state again, with 0, 1, 2, ... iterations, and look at each result.

    It starts from ``d.qacc_warmstart``; after ``forward`` or ``step`` that is a solution already, so call this before. The
    solver runs once for each number of iterations: nothing is added to a step, and this is slow. State and warm start stay.

    Args:
        m: model.
        d: data.

    Raises:
        UnsupportedError: integrator ``discrete``.

    MuJoCo: ``mjData.solver`` (``mjSolverStat``).
    """
    check_pair("solver_course", m, d)
    if m.opt.integrator == IntegratorType.DISCRETE:
        allowed, remedy = "the other integrators, whose cost has the mass matrix for its metric", "look at one of these"
        raise UnsupportedError(problem("solver_course: m.opt.integrator", "DISCRETE", allowed, remedy))
    most, start = int(m.opt.iterations), wp.clone(d.qacc_warmstart)
    run_plainly(m, d, stages.dynamics)
    niter = d.solver_niter.numpy().copy()
    found: list[tuple[np.ndarray, ...]] = []
    states: list[np.ndarray] = []
    try:
        for k in range(int(niter.max(initial=0)) + 1):
            m.opt.iterations = k
            wp.copy(d.qacc_warmstart, start)
            stages.solver_stage(m, d)
            states.append(d.efc.state.numpy().copy())
            found.append(measure_solution(m, d))
    finally:
        m.opt.iterations = most
        wp.copy(d.qacc_warmstart, start)
        stages.solver_stage(m, d)
        wp.copy(d.qacc_warmstart, start)
    cost, gradient, nactive = (np.stack(column, axis=1) for column in zip(*found, strict=True))
    used = np.arange(d.njmax)[None] < d.nefc.numpy()[:, None]
    changes = [np.zeros(d.nworld, dtype=int)]
    changes += [((a != b)[:, : d.njmax] & used).sum(axis=1) for a, b in itertools.pairwise(states)]
    improvement = np.concatenate([np.zeros_like(cost[:, :1]), cost[:, :-1] - cost[:, 1:]], axis=1)
    return SolverCourse(niter, cost, improvement, gradient, nactive, np.stack(changes, axis=1))


def run_plainly(m: Model, d: Data, function: Callable[[Model, Data], None]) -> None:
    """Launch without recording."""
    load_modules(d.device, planned_modules(function, m, d))
    function(m, d)
