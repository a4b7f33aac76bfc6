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
            src: An array of Warp's, or anything numpy understands, of the shape of this one.

        Raises:
            ValueError: The shape is another one.
        """
        of_warp = isinstance(src, wp.array)
        given = _shape(src) if of_warp else np.shape(src)
        if given != _shape(self):
            raise ValueError(f"{self.label}.assign: got shape {given}; allowed: shape {_shape(self)}; reshape it, or broadcast it with numpy.")
        super().assign(src)


def _shape(array: wp.array) -> tuple[int, ...]:
    """The shape with the components of vectors and matrices, as ``numpy()`` has it."""
    return (*array.shape, *getattr(array.dtype, "_shape_", ()))


def checked(array: wp.array, label: str) -> CheckedArray:
    """The same array, which checks from now on what is assigned to it."""
    array.__class__ = CheckedArray
    array.label = label
    return array
