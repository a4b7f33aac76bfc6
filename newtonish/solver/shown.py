"""A solver's Model as scripts read it: every field that may differ between worlds has a value of each, as in Newton's solver."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp

from newtonish.kernels.structs.container import Model

__all__ = ["ShownModel", "shown_model"]


def shown_model(m: Model, worlds: int) -> Model:
    """The same Model, for scripts; there is no second copy of anything.

    Args:
        m: The Model that a solver steps.
        worlds: Number of its worlds.
    """
    if worlds == 1:
        return m
    m.__dict__["shown_worlds"] = worlds
    shown: ShownModel = object.__new__(ShownModel)
    object.__setattr__(shown, "__dict__", m.__dict__)
    return shown


class ShownModel(Model):
    """A Model whose fields get a world axis of full length when they are first read by their flat names.

    What is never read keeps one value for all worlds, which is the cheaper form. A graph that was captured before goes on
    reading the short array, as after an edit by which worlds begin to differ.
    """

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            found = super().__getattr__(name)
            if isinstance(found, wp.array) and name in self.FLAT and self.FLAT[name][1].per_world and len(found) == 1:
                return self._widen(name, found)
            return found

    def _widen(self, name: str, array: wp.array) -> wp.array:
        """Give a field a row for each world."""
        worlds = self.__dict__["shown_worlds"]
        if array.size == 0 or wp.get_device(array.device).is_capturing:
            return array
        group, field = self.FLAT[name]
        self.set_field(group, field, np.repeat(array.numpy(), worlds, axis=0))
        self.__dict__["shown_before"] = [*self.__dict__.get("shown_before", ()), array]  # captured graphs read it
        return getattr(getattr(self, group.name), field.name)

    def view(self, first: int, last: int, slot: int | None = None) -> Any:
        other = super().view(first, last, slot)
        other.__dict__.pop("shown_before", None)
        object.__setattr__(other, "__class__", Model)
        return other
