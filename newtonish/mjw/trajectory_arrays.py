"""Arrays of a Trajectory: how large they are, and room for what is wanted for the first time."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import warp as wp

from newtonish.errors import ModelError, problem
from newtonish.kernels.derivative.course import TRACK, Course
from newtonish.kernels.structs.container import Data, Model
from newtonish.memory import check_memory, lent
from newtonish.mjw.arguments import array_of
from newtonish.mjw.matching import integer

__all__ = ["TrajectoryArrays"]

_REMEDY = "take fewer steps or worlds, or a larger every"
_FIELDS = {f.name: f for f in TRACK.fields}
_LATER = {"nqfrc": 0, "nxfrc": 0, "nqfrcbar": 0, "nxfrcbar": 0, "nsensorbar": 0, "nkinks": 0, "nfield": 0}
"""Sizes that are 0 until somebody wants what has them."""


class TrajectoryArrays:
    """Arrays of ``nstep`` steps of the worlds of ``d``.

    Args:
        m: model.
        d: data.
        nstep: number of steps.
        every: steps from one kept state to the next; None: 1 where that takes no more memory than ``d`` itself, else the square root of ``nstep``.
        replaced: called after an array was replaced by another one.

    Attributes:
        every: As given, or chosen.
        course: The arrays, and how they are kept.
    """

    def __init__(self, m: Model, d: Data, nstep: int, every: int | None, replaced: Callable[[], None]) -> None:
        self._m, self._d, self._nstep, self._replaced = m, d, nstep, replaced
        if every is None:
            every = 1 if self._bytes(1) <= d.nbytes() else math.isqrt(nstep - 1) + 1
        self.every = min(integer("Trajectory: every", every, 1), nstep)
        check_memory("Trajectory: nstep", nstep, self._bytes(self.every), d.device, _REMEDY)
        self.course = Course(TRACK.struct(), self.every, self._kept(self.every))
        with lent("Trajectory: nstep", str(nstep), _REMEDY):
            for f in TRACK.fields:
                shape = self._dims(f)
                setattr(self.course.track, f.name, wp.zeros((d.nworld, *shape) if f.per_world else shape, dtype=f.dtype, device=d.device))

    def take(self, call: str, name: str, given: Any, label: str) -> None:
        """Copy numbers of all steps to where the steps find them; None: of none, and what was there is let go.

        Args:
            call: method of Trajectory, and
            label: its argument, for errors.
            name: field of the track.
            given: what the caller passed.
        """
        field, track = _FIELDS[name], self.course.track
        if given is not None:
            array_of(f"Trajectory.{call}: {label}", self._d, given, field.dtype, self.shape(name))
            self.want(call, name)
            if given.size:
                wp.copy(getattr(track, name), given)
        elif field.dims and field.dims[0] in _LATER and getattr(track, name).shape[0]:
            self._replace(call, name, 0)

    def want(self, call: str, name: str) -> None:
        """Make an array that is there from now on, if it is not."""
        if not _FIELDS[name].per_world and not getattr(self.course.track, name).shape[0]:
            self._replace(call, name, self._nstep)

    def want_total(self, width: int) -> None:
        """Make room for sums of gradients by fields, so many numbers of each world."""
        if self.course.track.total.shape[1] != width:
            self._check_capture("vjp", "fields")
            self._put("total", (self._d.nworld, width))

    def shape(self, name: str) -> tuple[int, ...]:
        """Of an array with steps, once it is there."""
        return (self._nstep, *self._dims(_FIELDS[name])[1:])

    def _replace(self, call: str, name: str, nstep: int) -> None:
        self._check_capture(call, name)
        self._put(name, (nstep, *self.shape(name)[1:]))

    def _check_capture(self, call: str, name: str) -> None:
        """Raise where arrays cannot be made."""
        if self._d.device.is_capturing:
            remedy = f"call {call} once with the same arguments before the capture"
            raise ModelError(problem(f"Trajectory.{call}: {name}", "other arguments than in the call before", "the same in a capture", remedy))

    def _put(self, name: str, shape: tuple[int, ...]) -> None:
        with lent("Trajectory: nstep", str(self._nstep), _REMEDY):
            self.course.replace(name, wp.zeros(shape, dtype=_FIELDS[name].dtype, device=self._d.device))
        self._replaced()

    def _kept(self, every: int) -> int:
        return (self._nstep - 1) // every + 1

    def _bytes(self, every: int) -> int:
        """Memory of the states that are kept [bytes]."""
        m = self._m
        return 4 * self._d.nworld * (self._kept(every) + every - 1) * (2 + m.nq + 2 * m.nv + m.size.na)

    def _dims(self, field: Any) -> tuple[int, ...]:
        size = self._m.size
        own = {
            "nworld": self._d.nworld,
            "nstep": self._nstep,
            "nkept": self._kept(self.every) + self.every - 1,
            "nrow": 2 + size.nq + 2 * size.nv + size.na,
            "nx": 2 * size.nv + size.na,
        } | _LATER
        return tuple(own[dim] if dim in own else int(getattr(size, dim)) for dim in field.dims)
