"""Worlds: opening and closing them, and copying whole builders into a builder.

Copies are made column by column for all worlds at once. Which column holds row numbers of what is declared in the tables
and in the custom attributes; those numbers are shifted by where each copy's rows begin.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp

from newtonish.errors import ModelError, problem
from newtonish.model.enums import AttributeFrequency
from newtonish.model.merge import merge_copies
from newtonish.model.transforms import IDENTITY, Transform, Vec3, as_transform, as_vector, world_grid

if TYPE_CHECKING:
    from newtonish.model.builder import ModelBuilder


class WorldMethods:
    """Part of :class:`~newtonish.ModelBuilder` that handles worlds and copies."""

    def begin_world(
        self: ModelBuilder,
        label: str | None = None,
        attributes: dict[str, Any] | None = None,
        gravity: Vec3 | None = None,
    ) -> None:
        """Open a new world; entities added from now on belong to it, until :meth:`end_world`.

        Args:
            label: Its name; by default ``world_<index>``.
            attributes: Values of custom attributes of WORLD frequency.
            gravity: Its gravity [m/s^2]; the builder's if not given.
        """
        world = self.world_count
        name = label or f"world_{world}"
        if self._current_world != -1:
            given = f"a world inside world {self._current_world}"
            raise ModelError(problem(f"begin_world '{name}'", given, "worlds one after another", "call end_world first"))
        what = f"world '{name}'"
        values = self._checked_custom_values(attributes, AttributeFrequency.WORLD, world, what)
        chosen = self.gravity if gravity is None else wp.vec3(*as_vector(gravity, 3, f"gravity of {what}").tolist())
        self._current_world = world
        self.world_count += 1
        self.world_gravity.append(chosen)
        self.world_label.append(name)
        self._store_custom_values(values)

    def end_world(self: ModelBuilder) -> None:
        """Close the world that is open; entities added from now on belong to all worlds."""
        if self._current_world == -1:
            raise ModelError(problem("end_world", "no open world", "one call for each begin_world", "open one first"))
        self._current_world = -1

    def add_world(self: ModelBuilder, builder: ModelBuilder, xform: Transform | None = None, label_prefix: str | None = None) -> None:
        """Copy a builder into a new world of its own.

        Args:
            builder: What to copy.
            xform: Moves everything that is attached to the world.
            label_prefix: Put before all labels, with a slash.
        """
        self.replicate(builder, 1, xforms=[xform], label_prefixes=[label_prefix])

    def add_builder(self: ModelBuilder, builder: ModelBuilder, xform: Transform | None = None, label_prefix: str | None = None) -> None:
        """Copy a builder into the current world; worlds inside it are lost, and its gravity is taken over.

        Args:
            builder: What to copy.
            xform: Moves everything that is attached to the world.
            label_prefix: Put before all labels, with a slash.
        """
        self.replicate(builder, 1, separate_worlds=False, xforms=[xform], label_prefixes=[label_prefix])

    def replicate(
        self: ModelBuilder,
        builder: ModelBuilder,
        copy_count: int | None = None,
        spacing: tuple[float, float, float] = (0.0, 0.0, 0.0),
        *,
        separate_worlds: bool = True,
        xforms: Sequence[Transform | None] | None = None,
        label_prefixes: Sequence[str | None] | None = None,
        world_count: int | None = None,
    ) -> None:
        """Copy a builder many times, all copies at once.

        Args:
            builder: What to copy.
            copy_count: Number of copies.
            spacing: Distances of a grid of copies [m]; worlds do not touch each other, so zero is best.
            separate_worlds: Whether each copy gets a new world; otherwise all go to the current world.
            xforms: One placement for each copy, instead of ``spacing``.
            label_prefixes: One text for each copy, put before its labels with a slash.
            world_count: Older name of ``copy_count``.
        """
        count = self._copy_count(copy_count, world_count)
        if separate_worlds and self._current_world != -1:
            given = f"new worlds inside world {self._current_world}"
            remedy = "call end_world first, or pass separate_worlds=False"
            raise ModelError(problem("replicate", given, "new worlds outside any world", remedy))
        for name, values in (("xforms", xforms), ("label_prefixes", label_prefixes)):
            if values is not None and len(values) != count:
                given = f"{len(values)} {name} for {count} copies"
                raise ModelError(problem("replicate", given, "one for each copy", "pass as many, or none"))
        if builder.up_axis != self.up_axis:
            given = f"a builder with up axis {builder.up_axis.name}"
            allowed = f"up axis {self.up_axis.name}, as here"
            raise ModelError(problem("replicate", given, allowed, "give both builders the same up_axis"))
        if count == 0:
            return
        places = np.tile(IDENTITY, (count, 1))
        if xforms is not None:
            places[:] = [as_transform(xform, f"xforms[{i}]") for i, xform in enumerate(xforms)]
        else:
            try:
                places[:, :3] = world_grid(count, spacing, self.up_axis)
            except (TypeError, ValueError, LookupError):
                places[:] = np.nan
            if not np.isfinite(places).all():
                raise ModelError(problem("replicate: spacing", repr(spacing)[:100], "three distances [m]", "pass (0, 0, 0) for none"))
        gravity = builder.gravity
        if separate_worlds:
            worlds = np.arange(self.world_count, self.world_count + count)
        else:
            worlds = np.full(count, self._current_world)
        merge_copies(self, builder, worlds, places, list(label_prefixes or [None] * count))
        if separate_worlds:
            self.world_gravity.extend([gravity] * count)
            self.world_label.extend(f"world_{world}" for world in worlds.tolist())
            self.world_count += count
        elif self._current_world >= 0:
            self.world_gravity[self._current_world] = gravity
        else:
            self.gravity = gravity

    def _copy_count(self: ModelBuilder, copy_count: int | None, world_count: int | None) -> int:
        """Return the number of copies from either spelling."""
        if (copy_count is None) == (world_count is None):
            given = "neither copy_count nor world_count" if copy_count is None else "copy_count and world_count"
            raise ModelError(problem("replicate", given, "copy_count", "pass the number of copies once"))
        count = int(world_count if copy_count is None else copy_count)
        if count < 0:
            raise ModelError(problem("replicate", f"{count} copies", "0 or more", "correct the count"))
        return count
