"""``newtonish profile MODEL``: where the time of a step goes, how the solver converges, and how much there is to do.

The model runs under random controls. At even distances the stages of the present state are timed one by one, and its constraints are
solved again with 0, 1, 2, ... iterations to see the course of the solver. Timing does not change what is simulated.
"""

from __future__ import annotations

import time
from argparse import Namespace
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from newtonish.cli import tables
from newtonish.cli.arguments import output_path
from newtonish.cli.controls import HOLD
from newtonish.cli.output import findings
from newtonish.cli.record import driver, open_simulation
from newtonish.cli.statistics import COUNTERS, Tally
from newtonish.errors import UnsupportedError

__all__ = ["Profile", "measure", "run"]

COURSES = 5
"""Moments at which the course of the solver is sampled."""

REPEATS = 5
"""Replays of each stage at a moment, of which the median counts: other programs interrupt single ones."""


WARM_UP = 2
"""Measurements before those that count."""


@dataclass
class Profile:
    """What was measured.

    Attributes:
        name: Of the model.
        worlds: Number of worlds.
        timestep: [s].
        times: (steps,) time after each step [s].
        counts: Contacts, rows and iterations after each step, (steps, 2): mean and maximum over the worlds.
        tallies: The same numbers of all steps and worlds.
        step: Seconds of the whole steps around the samples, all worlds together.
        stage_times: (samples,) when the stages were timed [s].
        stages: (samples,) seconds of each stage by its name, all worlds together.
        courses: For some moments: time, iterations, and by number of iterations what the last one improved and the gradient left, of the
            world that took most.
        tolerance: At which the solver stops.
        untold: Why there are no courses.
    """

    name: str
    worlds: int
    timestep: float
    times: np.ndarray
    counts: dict[str, np.ndarray]
    tallies: dict[str, Tally]
    step: list[float] = field(default_factory=list)
    stage_times: list[float] = field(default_factory=list)
    stages: dict[str, list[float]] = field(default_factory=dict)
    courses: list[dict[str, Any]] = field(default_factory=list)
    tolerance: float = 0.0
    untold: str = ""

    def median(self, stage: str) -> float:
        """Median seconds of a stage."""
        return float(np.median(self.stages[stage]))


def measure(simulation: Any, steps: int, samples: int, control: str, seed: int, say: Any = lambda text: None) -> Profile:
    """Run a simulation and look at it.

    Args:
        simulation: A Simulation in the state to begin with.
        steps: Number of steps.
        samples: How often the stages are timed, at most once a step.
        control: ``zero`` or ``random``.
        seed: Of the controls.
        say: Called with what is being done.
    """
    import warp as wp

    from newtonish import mjw

    m, d = simulation.solver.mjw_model, simulation.solver.mjw_data
    drive = driver(simulation, control, seed)
    looks = set(np.linspace(0, steps - 1, min(samples, steps)).round().astype(int).tolist())
    courses = set(np.linspace(0, steps - 1, min(COURSES + 1, steps)).round().astype(int).tolist()[-COURSES:])
    found = Profile(
        simulation.name, simulation.worlds, simulation.dt, np.zeros(steps), {name: np.zeros((steps, 2)) for name in COUNTERS},
        {name: Tally() for name in COUNTERS}, tolerance=float(m.opt.tolerance.numpy().ravel()[0]),
    )  # fmt: skip
    timer = mjw.StageTimer(m, d)
    say("compiling")
    simulation.evaluate()
    for _ in range(WARM_UP):  # the first records the stages, those after it bring code and arrays into the caches
        timer.measure(REPEATS)
    for i in range(steps):
        if i % HOLD == 0:
            say(f"step {i} of {steps}")
        if drive is not None:
            drive(simulation)
            if i % HOLD == 0:
                d.ctrl.assign(simulation.ctrl.astype(np.float32))
        if i in courses and not found.untold:
            _look_at_solver(mjw, m, d, found)
        if i in looks:
            found.stage_times.append(float(d.time.numpy()[0]))
            for name, seconds in timer.measure(REPEATS).items():
                found.stages.setdefault(name, []).append(seconds)
        wp.synchronize_device(d.device)
        start = time.perf_counter()
        mjw.step(m, d)
        wp.synchronize_device(d.device)
        if i:  # the first one records
            found.step.append(time.perf_counter() - start)
        found.times[i] = d.time.numpy()[0]
        for name, array in COUNTERS.items():
            values = getattr(d, array).numpy()
            found.tallies[name].add(values)
            found.counts[name][i] = values.mean(), values.max()
    return found


def _look_at_solver(mjw: Any, m: Any, d: Any, found: Profile) -> None:
    """Add the course of the solver from the present state, where the integrator has one."""
    try:
        course = mjw.solver_course(m, d)
    except UnsupportedError as error:
        found.untold = str(error)
        return
    world = int(course.niter.argmax())
    count = int(course.niter[world])
    row = {"time": float(d.time.numpy()[0]), "world": world, "iterations": count}
    for name in ("improvement", "gradient", "cost"):
        row[name] = getattr(course, name)[world, : count + 1].astype(float).tolist()
    found.courses.append(row)


def _show(found: Profile) -> None:
    """Print all of it as tables."""
    total = sum(found.median(name) for name in found.stages)
    step = float(np.median(found.step)) if found.step else float("nan")
    rows = [
        (
            name,
            f"{1e6 * found.median(name):,.1f}",
            f"{1e6 * np.percentile(values, 95):,.1f}",
            f"{found.median(name) / total:.0%}",
            f"{1e6 * found.median(name) / found.worlds:,.2f}",
        )
        for name, values in found.stages.items()
    ]
    rows.append(("all stages", f"{1e6 * total:,.1f}", "", "100%", f"{1e6 * total / found.worlds:,.2f}"))
    if found.step:
        rows.append(
            ("a whole step", f"{1e6 * step:,.1f}", f"{1e6 * np.percentile(found.step, 95):,.1f}", f"{step / total:.0%}", f"{1e6 * step / found.worlds:,.2f}")
        )
    title = f"{found.name}, {tables.count(found.worlds)} worlds: stages of a step [us]"
    tables.grid(title, ("stage", "median", "95th percentile", "share", "a world"), rows)
    counts = [(name, f"{tally.mean:.2f}", str(tally.percentile(0.95)), str(tally.maximum)) for name, tally in found.tallies.items()]
    tables.grid("Contacts, rows and iterations per world and step", ("what", "mean", "95th percentile", "most"), counts)
    if found.untold:
        print(f"\nno convergence of the solver to show: {found.untold}")
    elif any(course["iterations"] for course in found.courses):
        _show_courses(found)
    else:
        print("\nno convergence of the solver to show: there was nothing to iterate at the moments sampled")


def _show_courses(found: Profile) -> None:
    """Print how the solver came to its solutions."""
    most = max(course["iterations"] for course in found.courses)
    rows = []
    for k in range(1, min(most, 10) + 1):
        reached = [course for course in found.courses if course["iterations"] >= k]
        cells = (f"{np.median([course[name][k] for course in reached]):.1e}" for name in ("improvement", "gradient"))
        rows.append((str(k), f"{len(reached)} of {len(found.courses)}", *cells))
    title = f"The solver at {len(found.courses)} moments, in the world that took most (it stops at {found.tolerance:.0e})"
    tables.grid(title, ("iteration", "reached", "improvement", "gradient left"), rows, left=0)


def report(found: Profile) -> dict[str, Any]:
    """All of it for JSON."""
    return {
        "model": found.name,
        "worlds": found.worlds,
        "timestep": found.timestep,
        "steps": len(found.times),
        "step_seconds": found.step,
        "stage_seconds": {"time": found.stage_times, **found.stages},
        "medians": {name: found.median(name) for name in found.stages},
        "counts": {"time": found.times.tolist(), **{name: {"mean": v[:, 0].tolist(), "max": v[:, 1].tolist()} for name, v in found.counts.items()}},
        "summary": {name: tally.summary() for name, tally in found.tallies.items()},
        "solver": {"tolerance": found.tolerance, "courses": found.courses, "missing": found.untold},
    }


def run(arguments: Namespace) -> int:
    """Carry out the command."""
    picture = output_path("--plot", arguments.plot)
    if picture is not None:
        from newtonish.cli.figures import check_matplotlib

        check_matplotlib()
    arguments.push = None
    with tables.working("loading") as say:
        simulation = open_simulation(arguments)
        found = measure(simulation, arguments.steps, arguments.samples, arguments.control, arguments.seed, say)
    _show(found)
    findings(arguments, report(found))
    if picture is not None:
        from newtonish.cli.profile_plot import plot

        plot(found, picture)
        print(f"picture written to {picture}")
    return 0
