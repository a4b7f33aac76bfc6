"""Functions of (m, d) for one step of a trajectory: the first time, once more, and back. All hold its arrays and not the Trajectory, which may go before them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from newtonish.kernels.derivative import trajectory as stages
from newtonish.kernels.derivative.course import Course
from newtonish.kernels.forward import step
from newtonish.kernels.structs.container import Data, Model
from newtonish.mjw.gradients import find_kinks_of, sweep_of

__all__ = ["backwards", "forget", "forwards"]

Step = Callable[[Model, Data], None]


def forwards(course: Course, again: bool) -> Step:
    """A step that is recorded; ``again``: one that was taken before, of which the adjoint needs the start."""

    def rollout(m: Model, d: Data) -> None:
        stages.before(m, d, course)
        step(m, d)
        stages.after(m, d, course, again)

    rollout.__dict__["overwrites"] = course.track.clock, course.track.lost
    return rollout


def backwards(course: Course, by_fields: bool, by_sensors: bool, with_kinks: bool) -> Step:
    """A step back, with gradients by fields, by sensors and with kinks as wanted."""
    adjoint = sweep_of(by_fields, by_sensors)

    def vjp(m: Model, d: Data) -> None:
        work = d.gradients.view(d.first_world, d.first_world + d.nworld, d.first_slot)
        stages.back(m, d, course, work, by_sensors)
        if with_kinks:
            find_kinks_of(m, d)
        adjoint(m, d)
        stages.gather(m, d, course, work, by_fields, with_kinks)

    track = course.track
    vjp.__dict__["works_on"] = adjoint.__dict__["works_on"]
    vjp.__dict__["overwrites"] = (track.clock, track.blind, track.pair, track.bar) + ((track.total,) if by_fields else ())
    return vjp


def forget(d: Data, functions: Iterable[Any]) -> None:
    """Let go of what was recorded of these functions."""
    gone = set(functions)
    for key in [key for key in d.recordings if key[0] in gone]:
        del d.recordings[key]
