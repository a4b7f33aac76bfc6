"""The tuner: gains that meet a specification in every pose and under every payload."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from newtonish.errors import ModelError, problem
from newtonish.tuning.diagnose import compile_source, keyframe_of
from newtonish.tuning.result import Outcome, TargetResult
from newtonish.tuning.rig import Motion, Rig
from newtonish.tuning.scenarios import make_scenarios
from newtonish.tuning.search import make_search
from newtonish.tuning.specification import Specification
from newtonish.tuning.starts import start_values
from newtonish.tuning.targets import find_targets

__all__ = ["tune"]

ENOUGH = 0.95
"""Cost at which a search ends: all bounds met, with a little to spare."""


def tune(
    source: Any,
    joints: str | Sequence[str],
    spec: str | Specification,
    *,
    test: str = "step",
    pose: str | int | None = None,
    poses: int = 3,
    payloads: Sequence[float] = (0.0,),
    payload_body: str | None = None,
    quantile: float = 1.0,
    candidates: int = 8,
    generations: int = 15,
    optimizer: str = "cma",
    step: float = 0.1,
    frequency: float = 1.0,
    speed: float = 1.0,
    seconds: float | None = None,
    seed: int = 0,
    device: Any = "cpu",
    resume: dict[str, Any] | None = None,
    progress: Callable[[int, int, Outcome], None] | None = None,
) -> Outcome:
    """Find gains of position drives, or ``solref`` of joint limits, that meet a specification.

    Each joint has a search of its own, and all of them run side by side: a world is a candidate of one joint in one scenario, a pose with a
    payload, while the other joints have the best gains found so far. What counts is the worst scenario, or a quantile of them. Free bases
    are held and contacts are off.

    Args:
        source: What ``diagnose`` takes.
        joints: Names of joints, patterns with ``*`` and ``?``, or ``"all"``; as a text, separated by commas.
        spec: Upper bounds, such as ``"settle=0.2,overshoot=0.05,force=40"``; SI units, those of the joint.
        test: ``step``, ``sine`` or ``impact``; an impact tunes the joint's limit, the others its drive.
        pose: Keyframe of the first pose, by name or number.
        poses: Number of poses; the others are drawn from the joints' ranges.
        payloads: Masses that the end of each joint's chain carries, one after another [kg].
        payload_body: Body that carries them instead.
        quantile: 1: the worst scenario counts; 0.5: the median.
        candidates: Gains of each joint that are tried at once.
        generations: How often, at most.
        optimizer: ``cma`` or ``grid``.
        step: Size of a step or amplitude of a sine [rad or m]; a fifth of a joint's range at most.
        frequency: Of a sine [Hz].
        speed: Of an impact [rad/s or m/s].
        seconds: Length of a test; None: 2.5 times the settling time asked for, else 1 s.
        seed: Of poses and searches.
        device: Warp device.
        resume: ``state`` of an outcome of the same call, to go on from.
        progress: Called with generation, generations and what was found so far.

    Returns:
        The outcome; after a keyboard interrupt what was found so far, with ``interrupted`` set.

    Raises:
        ModelError: An argument out of range, or a name that the model does not have.
        UnsupportedError: ``cmaes`` is not installed.
    """
    specification = spec if isinstance(spec, Specification) else Specification.parse(spec, test)
    _check(test, poses, payloads, quantile, candidates, generations, optimizer, step, frequency, speed, seconds)
    compiled = compile_source(source)
    names = [part.strip() for part in joints.split(",") if part.strip()] if isinstance(joints, str) else list(joints)
    targets = find_targets(compiled, names, "limit" if test == "impact" else "drive")
    length = seconds if seconds is not None else _length(specification, test, frequency)
    scenarios = make_scenarios(compiled, keyframe_of(compiled, pose), poses, payloads, seed)
    rig = Rig(compiled, targets, scenarios, candidates + 1, Motion(test, length, step, frequency, speed), _body(compiled, payload_body), device)
    settings = {
        "joints": [target.name for target in targets], "spec": dict(specification.bounds), "test": test, "poses": poses, "payloads": [float(p) for p in payloads],
        "payload_body": payload_body, "quantile": quantile, "candidates": candidates, "optimizer": optimizer, "step": step, "frequency": frequency,
        "speed": speed, "seconds": length, "seed": seed, "pose": pose,
    }  # fmt: skip
    return _Run(rig, specification, settings, quantile, optimizer, candidates, seed).go(generations, resume, progress)


def _check(
    test: str, poses: int, payloads: Sequence[float], quantile: float, candidates: int, generations: int, optimizer: str, step: float, frequency: float,
    speed: float, seconds: float | None,
) -> None:  # fmt: skip
    def positive(value: Any) -> bool:
        return isinstance(value, (int, float)) and 0.0 < value < np.inf

    wrong = [
        (not isinstance(poses, int) or poses < 1, "poses", poses, "a whole number of at least 1"),
        (not len(payloads) or not all(isinstance(p, (int, float)) and 0.0 <= p < np.inf for p in payloads), "payloads", payloads, "masses [kg], 0 or more"),
        (not 0.0 < quantile <= 1.0, "quantile", quantile, "more than 0, at most 1"),
        (not isinstance(candidates, int) or candidates < 4, "candidates", candidates, "a whole number of at least 4"),
        (not isinstance(generations, int) or generations < 1, "generations", generations, "a whole number of at least 1"),
        (optimizer not in ("cma", "grid"), "optimizer", optimizer, "cma, grid"),
        (not positive(step), "step", step, "a positive size [rad or m]"),
        (not positive(frequency), "frequency", frequency, "a positive number [Hz]"),
        (not positive(speed), "speed", speed, "a positive speed [rad/s or m/s]"),
        (seconds is not None and not positive(seconds), "seconds", seconds, "a positive time [s]"),
    ]
    for bad, name, given, allowed in wrong:
        if bad:
            raise ModelError(problem(f"tune: {name}", repr(given), allowed, "correct it"))


def _length(specification: Specification, test: str, frequency: float) -> float:
    if test == "sine":
        return 3.0 / frequency
    if test == "impact":
        return max(0.2, 3.0 * specification.bounds.get("settle", 0.0))
    bounds = specification.bounds
    return max(2.5 * bounds["settle"], 0.1) if "settle" in bounds else 6.0 * bounds["rise"] if "rise" in bounds else 1.0


def _body(compiled: Any, name: str | None) -> int | None:
    if name is None:
        return None
    names = list(compiled.body_names)
    if name not in names:
        import difflib

        near = difflib.get_close_matches(name, names, n=2)
        listed = ", ".join(filter(None, names[:12]))
        raise ModelError(problem("payload_body", repr(name), listed, f"did you mean {' or '.join(near)}?" if near else "name a body of the model"))
    return names.index(name)


class _Run:
    """The course of a search."""

    def __init__(self, rig: Rig, specification: Specification, settings: dict[str, Any], quantile: float, optimizer: str, candidates: int, seed: int) -> None:
        self.rig, self.specification, self.settings, self.quantile = rig, specification, settings, quantile
        self.authored = np.array([target.authored for target in rig.targets])
        self.authored = np.where(self.authored > 0.0, self.authored, 1e-9)  # a drive without damping of its own
        self.start = start_values(rig, specification)
        self.searches = [make_search(optimizer, candidates, seed + 1 + number) for number in range(len(rig.targets))]
        self.best = self.start.copy()
        self.state: list[dict[str, Any]] = []
        self.before: dict[str, np.ndarray] = {}
        self.after: dict[str, np.ndarray] = {}
        self.courses: dict[str, Any] = {}
        self.seconds = 0.0

    def go(self, generations: int, resume: dict[str, Any] | None, progress: Callable[[int, int, Outcome], None] | None) -> Outcome:
        started, interrupted = time.perf_counter(), False
        earlier = self._replay(resume) if resume else 0.0
        try:
            if "before" not in self.courses:
                self._first()
            while len(self.state) < generations and not self._enough():
                self._generation()
                self.seconds = earlier + time.perf_counter() - started
                if progress is not None:
                    progress(len(self.state), generations, self.outcome(False))
            self._last()
        except KeyboardInterrupt:
            interrupted = True
            self._settle()
        self.seconds = earlier + time.perf_counter() - started
        return self.outcome(interrupted)

    def _reduced(self, figures: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """The worst scenario's figures, or a quantile of them: (targets, candidates)."""
        if self.quantile >= 1.0:
            return {name: values.max(axis=-1) for name, values in figures.items()}
        return {name: np.quantile(values, self.quantile, axis=-1, method="higher") for name, values in figures.items()}

    def _first(self) -> None:
        """The authored gains of all joints, and beside them what the start would do to one at a time."""
        candidates = np.repeat(self.start[:, None], self.rig.shape[1], axis=1)
        candidates[:, 0] = self.authored
        figures, self.courses["before"] = self._tested(candidates, self.authored)
        self.before = {name: values[:, 0] for name, values in figures.items()}
        costs = self.specification.cost(figures)
        self.after = {name: values[:, 1] for name, values in figures.items()}
        keep = costs[:, 0] <= 1.0  # what meets everything stays as it is
        self.best = np.where(keep[:, None], self.authored, self.start)
        self.fixed = keep

    def _tested(self, candidates: np.ndarray, others: np.ndarray) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        figures, courses = self.rig.run(candidates, others)
        kept = {name: values if name == "times" else values[:, :, 0] for name, values in courses.items()}
        return self._reduced(figures), kept

    def _generation(self) -> None:
        """Ask, test, tell; the best so far is tested again beside the new ones, as the other joints have changed."""
        factors = np.stack([search.ask() for search in self.searches])
        candidates = np.concatenate([self.best[:, None], self.start[:, None] * np.exp(factors)], axis=1)
        figures, courses = self._tested(candidates, self.best)
        costs = self.specification.cost(figures)
        self._take(candidates, costs, {name: values for name, values in figures.items()}, courses)
        bounded = {name: np.minimum(values, 1e9) for name, values in figures.items()}
        self.state.append({
            "candidates": candidates.tolist(), "costs": costs.tolist(), "figures": {name: values.tolist() for name, values in bounded.items()},
        })  # fmt: skip

    def _take(self, candidates: np.ndarray, costs: np.ndarray, figures: dict[str, np.ndarray], courses: dict[str, Any] | None) -> None:
        for search, cost in zip(self.searches, costs, strict=True):
            search.tell(cost[1:])
        self.verified = costs[:, 0]
        self.after = {name: values[:, 0] for name, values in figures.items()}
        if courses is not None:
            self.courses["after"] = courses
        self.tested = candidates[:, 0].copy()
        enough = np.where(self.fixed, 1.0, ENOUGH)
        gentle = np.where(costs <= ENOUGH, figures["force"], np.inf).argmin(axis=1)  # of those that meet everything the one of least force
        choice = np.where(costs.min(axis=1) <= ENOUGH, gentle, costs.argmin(axis=1))
        choice = np.where(costs[:, 0] <= enough, 0, choice)  # what is good stays, so that the others have something to rely on
        self.best = candidates[np.arange(len(choice)), choice]

    def _enough(self) -> bool:
        """Whether all joints meet everything at once, with the gains that were tested together."""
        return bool(self.state) and bool(np.all((self.verified <= ENOUGH) | (self.fixed & (self.verified <= 1.0))))

    def _last(self) -> None:
        """Test the best together, unless the last generation has."""
        if self._enough():
            self.best = self.tested
            return
        candidates = np.repeat(self.best[:, None], self.rig.shape[1], axis=1)
        figures, self.courses["after"] = self._tested(candidates, self.best)
        after = {name: values[:, 0] for name, values in figures.items()}
        if self.state and self.specification.cost(after).max() > self.verified.max():
            self.best = self.tested  # the last ones tested together did better
            return
        self.after = after

    def _settle(self) -> None:
        """After an interrupt: test the best together, unless another one comes, and else leave what was tested together last."""
        if self.before:
            try:
                self._last()
                return
            except KeyboardInterrupt:
                pass
        if self.state:
            self.best = self.tested
        else:
            self.best, self.after = self.authored, self.before

    def _replay(self, resume: dict[str, Any]) -> float:
        """Tell the searches what they were told before; they then ask for what they would have asked for."""
        given = {name: value for name, value in resume.get("settings", {}).items() if self.settings.get(name) != value}
        if given or set(resume.get("settings", {})) != set(self.settings):
            name, value = next(iter(given.items()), ("settings", "none"))
            raise ModelError(
                problem(
                    "resume",
                    f"a search with {name} = {value!r}",
                    f"{name} = {self.settings.get(name)!r}, as of this call",
                    "repeat the call that began it, or begin anew",
                )
            )
        self._first()
        for generation in resume.get("generations", ()):
            candidates, costs = np.array(generation["candidates"]), np.array(generation["costs"])
            for search in self.searches:
                search.ask()
            self._take(candidates, costs, {name: np.array(values) for name, values in generation["figures"].items()}, None)
            self.state.append(generation)
        return float(resume.get("seconds", 0.0))

    def outcome(self, interrupted: bool) -> Outcome:
        own = np.array([target.authored for target in self.rig.targets])
        best = np.where(self.best == self.authored, own, self.best)
        results = []
        for t, target in enumerate(self.rig.targets):
            before = {name: float(values[t]) for name, values in self.before.items()}
            after = {name: float(values[t]) for name, values in self.after.items()}
            trials = [
                {"values": values, "figures": {name: generation["figures"][name][t][c] for name in generation["figures"]}}
                for generation in self.state
                for c, values in enumerate(generation["candidates"][t])
            ]
            results.append(
                TargetResult(
                    target,
                    tuple(map(float, target.authored)),
                    tuple(map(float, best[t])),
                    before,
                    after,
                    self.specification.met(after) if after else {},
                    trials,
                )
            )
        state = {"settings": self.settings, "generations": self.state, "seconds": self.seconds}
        return Outcome(self.specification, self.rig.scenarios, results, len(self.state), self.rig.worlds, self.seconds, interrupted, state, self.courses)
