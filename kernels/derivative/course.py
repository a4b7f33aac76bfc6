"""Arrays of a trajectory: inputs, states and adjoints of all its steps, and rows from which steps are taken again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import warp as wp

from newtonish.kernels.structs.field import Field, group, value

f32, i32 = wp.float32, wp.int32


def _of_steps(name: str, dtype: Any, steps: str, width: str, doc: str) -> Field:
    """An array with an axis of steps in front of that of worlds."""
    return Field(name, dtype, (steps, "nworld", width), doc, per_world=False)


TRACK = group(
    "Track",
    "track",
    "",
    [
        value("clock", i32, doc="number of the next step"),
        value("resets", i32, doc="automatic resets of the world before the first step"),
        value("lost", i32, doc="1: the world was reset on the way, where no derivative leads through"),
        value("blind", i32, doc="1 + step with a contact whose geometry has no derivative; 0: none"),
        value("pair", wp.vec2i, doc="the geoms of that contact"),
        value("row", f32, "nkept", "nrow", doc="time, position, velocity, activation and warm start before a step"),
        _of_steps("ctrl", f32, "nstep", "nu", doc="controls of each step"),
        _of_steps("qfrc", f32, "nqfrc", "nv", doc="applied generalized forces of each step; no steps: those of the state"),
        _of_steps("xfrc", wp.spatial_vector, "nxfrc", "nbody", doc="the same of forces on bodies"),
        _of_steps("qpos", f32, "nstep", "nq", doc="position after each step"),
        _of_steps("qvel", f32, "nstep", "nv", doc="velocity"),
        _of_steps("act", f32, "nstep", "na", doc="activation"),
        _of_steps("sensordata", f32, "nstep", "nsensordata", doc="sensors, of the state in which the step begins"),
        value("total", f32, "nfield", doc="gradients by all fields of the model, steps summed so far; none: not wanted"),
        _of_steps("next_bar", f32, "nstep", "nx", doc="adjoint of the state after each step, as given"),
        _of_steps("sensor_bar", f32, "nsensorbar", "nsensordata", doc="adjoint of the sensors of each step, as given; no steps: none"),
        value("bar", f32, "nx", doc="adjoint of the state that the next step back leads to"),
        _of_steps("ctrl_bar", f32, "nstep", "nu", doc="adjoint of the controls of each step"),
        _of_steps("qfrc_bar", f32, "nqfrcbar", "nv", doc="of applied generalized forces; no steps: not wanted"),
        _of_steps("xfrc_bar", wp.spatial_vector, "nxfrcbar", "nbody", doc="of forces on bodies"),
        Field("kinks", i32, ("nkinks", "nworld"), "why the step has no derivative at the state in which it begins; no steps: not wanted", per_world=False),
    ],
)
Track = TRACK.struct


@dataclass
class Course:
    """A track and how it is kept.

    Attributes:
        track: arrays of all worlds.
        every: steps from one row that stays to the next.
        kept: number of rows that stay; ``every - 1`` further ones are of the steps between two of them.
    """

    track: Any
    every: int
    kept: int
    _views: dict[tuple[int, int], Any] = field(default_factory=dict)

    def view(self, d: Any) -> Any:
        """The arrays of the worlds of a view."""
        key = d.first_world, d.nworld
        if key not in self._views:
            struct, worlds = TRACK.struct(), slice(d.first_world, d.first_world + d.nworld)
            for f in TRACK.fields:
                array = getattr(self.track, f.name)
                part = array if not array.size else array[worlds] if f.per_world else array[:, worlds]
                setattr(struct, f.name, part)
            self._views[key] = struct
        return self._views[key]

    def replace(self, name: str, array: wp.array) -> None:
        """Another array for a field."""
        setattr(self.track, name, array)
        self._views.clear()
