"""What a step changes of what the next one reads, kept beside it until it is known that every world had room.

A step in which a world lacked room is taken again once there is more, from the state in which it began. On a CPU only, and only where
capacities may grow: a copy of about as many numbers as a world has coordinates, made by the thread that steps the world, just before.
"""

from __future__ import annotations

import ctypes
from typing import Any

import warp as wp

from newtonish.kernels.structs.container import Data, Model

__all__ = ["Snapshot", "may_grow", "persistent"]

GROUPS = ("state", "hist", "sleep")
"""Groups that a step reads as the last one left them."""
FURTHER = ("userdata", "qacc", "qfrc_constraint", "efc_Ma", "sensordata", "nonfinite", "nonfinite_origin", "overflow", "overflow_time")
"""Besides: a solver may start from its last solution, sensors are held between evaluations, and a history follows the number of automatic resets."""
_COUNTS = ("ncon_needed", "nefc_needed", "nhessian_needed", "near_needed")  # what worlds wanted, the largest since their reset
_SOLUTION = frozenset({"qacc", "qfrc_constraint", "efc_Ma"})  # which a solver writes before anything reads them
_INPUTS = frozenset({"ctrl", "qfrc_applied", "xfrc_applied"})  # which only functions of the user's change


def persistent() -> list[str]:
    """Flat names of all that a step reads of what came before it."""
    return [flat for flat, (g, f) in Data.FLAT.items() if (g.name in GROUPS and not f.scratch) or flat in FURTHER]


def may_grow(d: Data) -> bool:
    """Whether a Data is on a CPU and has a capacity that was left open, as those of near pairs and of Hessians of islands always are."""
    return not d.device.is_cuda and (d.grow_contacts or d.grow_rows or d.pool is not None or d.sparse or d.near.key.shape[1] > 0)


class Snapshot:
    """Copies of arrays of a Data on a CPU, one world after another.

    Args:
        m: model.
        d: data.
        more: further arrays that the function changes and reads; they have no axis of worlds, and are copied by ``take``.
        solved: whether the function begins with a solution, and does not come to one before it reads it.

    Attributes:
        pairs: Address of the copy and of the array, and bytes of a world.
        has_more: Whether there are further arrays.
    """

    def __init__(self, m: Model, d: Data, more: tuple[wp.array, ...] = (), solved: bool = False) -> None:
        names = [*(name for name in persistent() if solved or name not in _SOLUTION), *_COUNTS] + ["warning"] * m.watching
        if not any(m.callback.key()):
            names = [name for name in names if name not in _INPUTS]
        if not d.tree_asleep.size:  # nobody may sleep
            names = [name for name in names if name in _COUNTS or Data.FLAT[name][0].name != "sleep"]
        found = [_array(d, name) for name in names]
        self._arrays = [array for array in found if array.size] + ([] if d.recorder is None else d.recorder.arrays())
        self._copies = [_room(array) for array in self._arrays]
        worlds = d.nworld
        self.pairs = [(_address(copy), array.ptr, copy._length_ // worlds) for copy, array in zip(self._copies, self._arrays, strict=True)]
        self._more = [(_room(array), array) for array in more]
        self.has_more = bool(self._more)

    def take(self, whole: bool = False) -> None:
        """Keep the further arrays as they are now; ``whole``: and all others, of all worlds."""
        for copy, array in self._more:
            ctypes.memmove(copy, array.ptr, ctypes.sizeof(copy))
        if whole:
            for copy, array in zip(self._copies, self._arrays, strict=True):
                ctypes.memmove(copy, array.ptr, ctypes.sizeof(copy))

    def restore(self) -> None:
        """Put all arrays back as they were."""
        for copy, array in [*zip(self._copies, self._arrays, strict=True), *self._more]:
            ctypes.memmove(array.ptr, copy, ctypes.sizeof(copy))


def _array(d: Data, flat: str) -> wp.array:
    g, f = Data.FLAT[flat]
    array: wp.array = getattr(getattr(d, g.name), f.name)
    return array


def _room(array: wp.array) -> Any:
    return (ctypes.c_char * (array.size * wp.types.type_size_in_bytes(array.dtype)))()


def _address(copy: Any) -> int:
    return ctypes.addressof(copy)
