"""The library of triangles: the built-in shapes and whatever a model's meshes and height fields add."""

from __future__ import annotations

from typing import Any

from newtonish.viewer.scene import primitives
from newtonish.viewer.scene.arrays import Triangles
from newtonish.viewer.scene.meshes import heightfield_triangles, hull_triangles, mesh_triangles

__all__ = ["BUILT_IN", "Library"]

_MAKERS = (
    primitives.plane, primitives.sphere, primitives.capsule, primitives.cylinder, primitives.box, primitives.cone, primitives.arrow,
    primitives.arrow_plain, primitives.arrow_both, primitives.ground,
)  # fmt: skip

_NAMES = ("plane", "sphere", "capsule", "cylinder", "box", "cone", "arrow", "arrow1", "arrow2", "ground")

BUILT_IN = {name: at for at, name in enumerate(_NAMES)}
"""Where the built-in shapes stand."""


class Library:
    """Triangles by number; one entry for each source, however many shapes refer to it.

    Attributes:
        entries: All triangles; only grows.
    """

    def __init__(self) -> None:
        self.entries: list[Triangles] = [make() for make in _MAKERS]
        self._of_source: dict[tuple[int, str], tuple[int, Any]] = {}

    def mesh(self, source: Any) -> int:
        """Entry of a mesh, in its own coordinates."""
        return self._entry(source, "mesh", mesh_triangles)

    def hull(self, source: Any) -> int:
        """Entry of a mesh's convex hull."""
        return self._entry(source, "hull", hull_triangles)

    def heightfield(self, source: Any, base: float) -> int:
        """Entry of a height field, with walls down to ``base`` below its lowest sample [m]."""
        return self._entry(source, f"heightfield {base}", lambda given: heightfield_triangles(given, base))

    def add(self, triangles: Triangles) -> int:
        """Add an entry of one's own."""
        self.entries.append(triangles)
        return len(self.entries) - 1

    def _entry(self, source: Any, form: str, make: Any) -> int:
        key = (id(source), form)
        if key not in self._of_source:
            self._of_source[key] = (self.add(make(source)), source)  # the source is kept, so that its id stays its own
        return self._of_source[key][0]
