"""Arrays that refuse what does not fit them: Warp's own ``assign`` copies numbers one after another, whatever shape they came in."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

__all__ = ["CheckedArray", "checked"]


class CheckedArray(wp.array):
    """An array of a Model or a Data.

    Attributes:
        label: What messages call it, such as ``Data.ctrl``.
    """

    label: str

    def assign(self, src: Any) -> None:
        """Copy values into the array.

        Args:
            src: An array of Warp's of the shape of this one, or anything numpy understands of that shape, axes of length 1 aside:
                MuJoCo's own arrays, which have no axis of worlds, fit a single world.

        Raises:
            ValueError: The shape is another one.
        """
        of_warp = isinstance(src, wp.array)
        given, own = _shape(src) if of_warp else np.shape(src), _shape(self)
        if given != own:
            if of_warp or _longer(given) != _longer(own):
                raise ValueError(f"{self.label}.assign: got shape {given}; allowed: shape {own}; reshape it, or broadcast it with numpy.")
            src = np.reshape(src, own)
        super().assign(src)


def _longer(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The lengths of the axes that are longer than 1, or empty; what is left out does not change the order of the numbers."""
    return tuple(length for length in shape if length != 1)


def _shape(array: wp.array) -> tuple[int, ...]:
    """The shape with the components of vectors and matrices, as ``numpy()`` has it."""
    return (*array.shape, *getattr(array.dtype, "_shape_", ()))


def checked(array: wp.array, label: str) -> CheckedArray:
    """The same array, which checks from now on what is assigned to it."""
    array.__class__ = CheckedArray
    array.label = label
    return array
