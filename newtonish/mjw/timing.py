"""Time of each stage of a step: all at once for a table, or sampled repeatedly for a live plot."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import warp as wp

from newtonish.kernels import forward as stages
from newtonish.kernels.sensor.stage import has_sensors, measures
from newtonish.kernels.structs.container import Data, Model
from newtonish.mjw.matching import check_pair, integer
from newtonish.mjw.recording import Recording
from newtonish.mjw.replay import record, threads_for
from newtonish.mjw.states import PARTS

__all__ = ["StageTimer", "stage_times"]


class StageTimer:
    """Measures the stages of a step on the present state, which is what it was afterwards.

    Each stage is recorded by itself, so that one look costs about as much as a step. The results that a step leaves (contacts,
    rows, accelerations, sensors) are then those of the present state.

    Args:
        m: model.
        d: data.
    """

    def __init__(self, m: Model, d: Data) -> None:
        check_pair("StageTimer", m, d)
        self._m, self._d = m, d
        self._recordings: dict[str, Recording] = {}
        self._threads = 0  # that they are for

    def measure(self, repeats: int = 1) -> dict[str, float]:
        """Seconds for all worlds together by the name of the stage, in the order of a step.

        Args:
            repeats: replays of each stage, of which the median counts.
        """
        integer("StageTimer.measure: repeats", repeats, 1)
        d = self._d
        kept = {name: wp.clone(array) for name, array in _state(d).items()}
        recordings = self._recorded()
        taken = {}
        for name, recording in recordings.items():
            seconds = []
            for _ in range(repeats):
                _restore(d, kept)
                wp.synchronize_device(d.device)
                start = time.perf_counter()
                recording.replay()
                wp.synchronize_device(d.device)
                seconds.append(time.perf_counter() - start)
            taken[name] = float(np.median(seconds))
        _restore(d, kept)
        return taken

    def _recorded(self) -> dict[str, Recording]:
        """A recording of each stage, made again where the model, the data or an option changed."""
        m, d = self._m, self._d
        threads = threads_for(d)
        if threads != self._threads or not all(recording.serves(m, d) for recording in self._recordings.values()):
            self._recordings.clear()
            self._threads = threads
        if not self._recordings:
            record(stages.forward, m, d).replay()  # every stage finds the results of those before it
            self._recordings = {name: record(function, m, d) for name, function in _stages(m).items()}
        return self._recordings


def stage_times(m: Model, d: Data, repeats: int = 20) -> dict[str, float]:
    """Time of each stage of a step alone, on all cores or on the GPU.

    Each stage is recorded by itself and replayed ``repeats`` times on the present state; the median counts. The state is
    what it was afterwards. A step takes less than their sum on small models, where the start of a replay counts.

    Args:
        m: model.
        d: data.
        repeats: replays of each stage.

    Returns:
        Seconds for all worlds together by the name of the stage, in the order of a step.
    """
    check_pair("stage_times", m, d)
    integer("stage_times: repeats", repeats, 1)
    return StageTimer(m, d).measure(repeats)


def _state(d: Data) -> dict[str, wp.array]:
    """Arrays that an integration may change and the next step reads."""
    found = {name: getattr(d, name) for name in PARTS.values() if name in type(d).FLAT}
    return {name: array for name, array in found.items() if array.size}


def _restore(d: Data, kept: dict[str, wp.array]) -> None:
    for name, array in kept.items():
        wp.copy(getattr(d, name), array)


def _stages(m: Model) -> dict[str, Callable[[Any, Any], None]]:
    """The stages that a step of this model has."""
    found: dict[str, Callable[[Any, Any], None]] = {
        "position": stages.position_stage,
        "collision": stages.collision,
        "velocity and forces": stages.velocity_stage,
        "constraint rows": stages.make_constraint,
        "solver": stages.solver_stage,
    }
    if has_sensors(m) or measures(m):
        found["sensors"] = stages.sensor_stage
    return {**found, "integration": stages.integrate}
