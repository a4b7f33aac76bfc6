"""Telling, once for each Data, that worlds lacked room, without holding up the device to find out.

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

from newtonish.errors import NewtonishWarning, problem
from newtonish.kernels.enums import OverflowType
from newtonish.kernels.structs.container import Data
from newtonish.mjw.capacity import SPARE

__all__ = ["Room", "RoomWatch", "rooms"]

class Room(NamedTuple):
    """What worlds wanted of something, (nworld,), and how much of it each of them has room for."""

    name: str
    wanted: wp.array
    capacity: int

    def most(self) -> int:
        """The most that a world wanted; waits for the device."""
        return int(self.wanted.numpy().max(initial=0))


def rooms(d: Data) -> list[Room]:
    """Everything that results lack if a world has no room for it."""
    found = [Room("contacts", d.status.ncon_needed, d.nconmax), Room("constraint rows", d.status.nefc_needed, d.njmax)]
    pairs = d.near.key.shape[1]
    return found + [Room("near pairs of geoms", d.near.needed, pairs)] * (pairs > 0)


class RoomWatch:
    """Looks whether worlds of a Data lacked room.

    Attributes:
        told: Whether it was said already.
    """

    def __init__(self, d: Data) -> None:
        self._status, self._device, self._nworld = d.status, d.device, d.nworld
        self._signal = ctypes.c_int32.from_address(d.status.any_overflow.ptr)
        self.told = False
        self.follow(d)
        weakref.finalize(d, self.look)  # also at the end of the program

    def follow(self, d: Data) -> None:
        """Take over capacities that have changed."""
        self._rooms, self._grows = rooms(d), d.grow_contacts or d.grow_rows or d.pool is not None

    def is_raised(self) -> bool:
        """Whether the device has signalled so far that a world lacked room, since the last ``lower``."""
        return self._signal.value != 0

    def lower(self) -> None:
        """Take the signal back: what it told of was attended to."""
        self._signal.value = 0

    def look(self) -> None:
        """Warn if a world lacked room and nobody has said so; costs nothing else."""
        if not self.told and self._signal.value and not self._device.is_capturing:
            self.tell(self._advice())

    def tell(self, remedy: str) -> None:
        """Warn, unless that was done before, which world lacked room and how much it wanted; waits for the device.

        Args:
            remedy: what was done about it, or what to do.
        """
        if self.told:
            return
        self.told = True
        given = "up to " + " and ".join(f"{room.most()} {room.name}" for room in self._rooms)
        lacking = [room.name for room in self._rooms if room.most() > room.capacity]
        given += f" wanted, {' and '.join(lacking)} left out" if lacking else " wanted since their reset, and more before it"
        allowed = " and ".join(f"{_ARGUMENTS[room.name]}{room.capacity}" for room in self._rooms)
        warnings.warn(problem(self._subject(), given, allowed, remedy), NewtonishWarning, stacklevel=4)

    def _subject(self) -> str:
        """The world that wanted most, and how many lacked room."""
        flagged = np.flatnonzero(self._status.overflow.numpy() & _LOSSES)
        if not len(flagged):
            return f"some of {self._nworld} worlds, reset since"
        shares = [room.wanted.numpy() / max(room.capacity, 1) for room in self._rooms]
        worst = flagged[np.argmax(np.max(shares, axis=0)[flagged])]
        return f"world {worst}" + (f" and {len(flagged) - 1} more of {self._nworld}" if len(flagged) > 1 else f" of {self._nworld}")

    def _advice(self) -> str:
        """What to do where capacities did not grow by themselves."""
        contacts, rows = self._rooms[:2]
        look = "call mjw.check_capacity(m, d) where results are read, which lets them grow"
        if not any(room.most() > room.capacity for room in (contacts, rows)):
            return f"{look}, or pass a larger headroom to make_data"  # near pairs have no argument, what was reset no number
        nconmax = max(contacts.capacity, int(SPARE * contacts.most()))
        per_contact = nconmax / max(contacts.capacity, 1)  # of contacts that were left out, no rows were counted
        njmax = int(max(SPARE * rows.most(), rows.capacity * max(1.0, per_contact)))
        numbers = f"pass nconmax={nconmax} and njmax={njmax} to make_data"
        if self._grows:
            return f"{numbers}, or {look}"
        return f"{numbers}, or None to let them grow"


# without the room for a Hessian, for want of which an island is solved by conjugate gradients
_LOSSES = int(OverflowType.NARROWPHASE | OverflowType.BROADPHASE | OverflowType.NEFC)
_ARGUMENTS = {"contacts": "nconmax=", "constraint rows": "njmax=", "near pairs of geoms": "near pairs="}
