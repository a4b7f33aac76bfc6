"""Overflow warnings, once for each Data and again when worlds want more than the last one advised, without synchronising with the device.

Kernels that leave something out set ``d.any_overflow``, which lies in memory of the host. So the host can look at any time, also
after graphs of the caller's: when an array is read by its flat name, when a step begins, before worlds are reset, and when the Data
goes. Only what the warning says of worlds is read from the device.
"""

from __future__ import annotations

import ctypes
import warnings
import weakref
from typing import NamedTuple

import numpy as np
import warp as wp

from newtonish.common.enums import OverflowType
from newtonish.errors import CapacityError, NewtonishWarning, problem
from newtonish.kernels.structs.container import Data
from newtonish.mjw.capacity import SPARE

__all__ = ["Demand", "OverflowWatch", "demands"]


class Demand(NamedTuple):
    """What worlds wanted of something, (nworld,), and how much of it each of them has room for."""

    name: str
    wanted: wp.array
    capacity: int

    def most(self) -> int:
        """The most that a world wanted; waits for the device."""
        return int(self.wanted.numpy().max(initial=0))


def demands(d: Data) -> list[Demand]:
    """Everything that results lack if a world has no room for it."""
    found = [Demand("contacts", d.status.ncon_needed, d.nconmax), Demand("constraint rows", d.status.nefc_needed, d.njmax)]
    pairs = d.near.key.shape[1]
    return found + [Demand("near pairs of geoms", d.near.needed, pairs)] * (pairs > 0)


class OverflowWatch:
    """Looks whether worlds of a Data lacked room.

    Attributes:
        strict: Raise CapacityError where a warning that results lack something would be due, and every time.
        told: Whether it was said already that results lack something.
        told_of_islands: Whether it was said already that the Hessian of an island had no room.
    """

    def __init__(self, d: Data, rows_of_contact: int) -> None:
        self._rows_of_contact = rows_of_contact
        self._state, self._status, self._device, self._nworld = d.state, d.status, d.device, d.nworld
        self._signal = ctypes.c_int32.from_address(d.status.any_overflow.ptr)
        self._seen, self.strict = False, False
        self._advised: dict[str, int] = {}  # what was said to be enough
        self.told, self.told_of_islands = False, False
        self.follow(d)
        weakref.finalize(d, self._look_last)  # also at the end of the program

    def follow(self, d: Data) -> None:
        """Take over capacities that have changed."""
        self._rooms, self._hessian = demands(d), d.nhessian
        self._grows = d.grow_contacts or d.grow_rows or d.pool is not None

    def is_raised(self) -> bool:
        """Whether the device has signalled so far that a world lacked room, since the last ``lower``."""
        return self._seen or self._signal.value != 0

    def capacities(self) -> dict[str, int]:
        """What worlds have room for, by name."""
        return {room.name: room.capacity for room in self._rooms}

    def lacks(self) -> bool:
        """Whether some world wanted more of something than there is room for; waits for the device."""
        return any(room.most() > room.capacity for room in self._rooms)

    def lower(self) -> None:
        """Take the signal back: what it told of was attended to."""
        self._signal.value, self._seen = 0, False

    def _look_last(self) -> None:
        """Warn as the Data goes, where nobody could catch an error."""
        self.strict = False
        self.look()

    def look(self) -> None:
        """Warn if a world lacked room and nobody has said so; costs nothing else."""
        if not self._signal.value or self._device.is_capturing:
            return
        if self.told and self._device.is_cuda and not self.strict:  # whether more is wanted would have to be waited for in every step
            return
        self._signal.value, self._seen = 0, True  # before bits are read: whatever comes later raises it again
        bits = np.bitwise_or.reduce(self._status.overflow.numpy(), initial=0)
        if bits & OverflowType.HESSIAN:
            self.tell_of_islands("call mjw.check_capacity(m, d) where results are read, which lets it grow")
        if bits & _LOSSES or not bits:  # none: the worlds were reset since
            self.tell(self._advice())

    def tell(self, remedy: str) -> None:
        """Warn which world lacked room when and how much it wanted, unless a warning has said so that covers it; waits for the device.

        Args:
            remedy: what was done about it, or what to do.

        Raises:
            CapacityError: in the place of the warning, if ``strict``.
        """
        lacking = {room.name: room.most() for room in self._rooms if room.most() > room.capacity}
        if self.told and not self.strict and all(most <= self._advised.get(name, 0) for name, most in lacking.items()):
            return
        self.told = True
        self._advised |= {name: int(SPARE * most) for name, most in lacking.items()}
        fewer = self._rooms[0].most() > self._rooms[0].capacity  # rows are counted for contacts that had room
        given = "up to " + " and ".join(f"{'at least ' * (fewer and room.name == 'constraint rows')}{room.most()} {room.name}" for room in self._rooms)
        given += f" wanted, {' and '.join(lacking)} left out" if lacking else " wanted since their reset, and more before it"
        allowed = " and ".join(f"{_ARGUMENTS[room.name]}{room.capacity}" for room in self._rooms)
        shares = [room.wanted.numpy() / max(room.capacity, 1) for room in self._rooms]
        subject = self._subject(_LOSSES, np.max(shares, axis=0)) + self._when(_LOSSES)
        if self.strict:
            raise CapacityError(problem(subject, given, allowed, remedy))
        warnings.warn(problem(subject, given, allowed, remedy), NewtonishWarning, stacklevel=4)

    def tell_of_growth(self, before: dict[str, int]) -> None:
        """Warn that a step was taken again with more room than ``before``, if contacts or rows have some that the caller could have given."""
        grown = [room for room in self._rooms if room.capacity > before[room.name] and room.name in ("contacts", "constraint rows")]
        if not grown:
            return
        wanted = np.max([room.wanted.numpy() / max(before[room.name], 1) for room in grown], axis=0)
        given = " and ".join(f"{room.most()} {room.name}" for room in self._rooms[:2]) + " wanted"
        allowed = " and ".join(f"{_ARGUMENTS[room.name]}{before[room.name]}" for room in self._rooms[:2]) + ", as estimated"
        now = " and ".join(f"{_ARGUMENTS[room.name]}{room.capacity}" for room in self._rooms[:2])
        remedy = f"the step was taken again with {now}, and lacks nothing; pass these to make_data to spare that"
        warnings.warn(problem(f"world {np.argmax(wanted)} of {self._nworld}", given, allowed, remedy), NewtonishWarning, stacklevel=5)

    def tell_of_islands(self, remedy: str) -> None:
        """Warn, unless that was done before, that islands were solved by conjugate gradients for want of room; waits for the device."""
        if self.told_of_islands:
            return
        self.told_of_islands = True
        wanted = self._status.nhessian_needed.numpy()
        given = f"an island whose Hessian takes {wanted.max(initial=0)} floats, solved by conjugate gradients in place of Newton's method"
        subject = self._subject(_ISLANDS, wanted) + self._when(_ISLANDS)
        warnings.warn(problem(subject, given, f"{self._hessian}", remedy), NewtonishWarning, stacklevel=4)

    def _subject(self, kinds: int, wanted: np.ndarray) -> str:
        """The world that wanted most, and how many lacked room of these kinds."""
        flagged = np.flatnonzero(self._status.overflow.numpy() & kinds)
        if not len(flagged):
            return f"some of {self._nworld} worlds, reset since"
        worst = flagged[np.argmax(wanted[flagged])]
        return f"world {worst}" + (f" and {len(flagged) - 1} more of {self._nworld}" if len(flagged) > 1 else f" of {self._nworld}")

    def _when(self, kinds: int) -> str:
        """When the first of the steps that lacked room of these kinds began."""
        flagged = self._status.overflow.numpy() & kinds != 0
        if not flagged.any():
            return ""
        times = self._status.overflow_time.numpy()[:, int(kinds == _ISLANDS)]
        times = np.where(times < 0.0, self._state.time.numpy(), times)  # found by a forward, which ends no step
        return f", first in the step from time {times[flagged].min():.6g}"

    def _advice(self) -> str:
        """What to do where capacities did not grow by themselves."""
        contacts, rows = self._rooms[:2]
        look = "call mjw.check_capacity(m, d) where results are read, which lets them grow"
        if not any(room.most() > room.capacity for room in (contacts, rows)):
            return f"{look}, or pass a larger headroom to make_data"  # near pairs have no argument, what was reset no number
        nconmax = max(contacts.capacity, int(SPARE * contacts.most()))
        uncounted = max(0, contacts.most() - contacts.capacity)  # contacts that were left out, whose rows are not among those wanted
        njmax = max(rows.capacity, int(SPARE * (rows.most() + self._rows_of_contact * uncounted)))
        numbers = f"pass nconmax={nconmax} and njmax={njmax} to make_data"
        if self._grows:
            return f"{numbers}, or {look}"
        return f"{numbers}, or None to let them grow"


_ISLANDS = int(OverflowType.HESSIAN)
_LOSSES = int(OverflowType.NARROWPHASE | OverflowType.BROADPHASE | OverflowType.NEFC)
_ARGUMENTS = {"contacts": "nconmax=", "constraint rows": "njmax=", "near pairs of geoms": "near pairs="}
