"""Colliding meshes of a file in convex parts, as importers are asked for by ``decompose``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from newtonish.arguments import shown
from newtonish.common.enums import ObjType
from newtonish.diagnostics import Diagnostics
from newtonish.errors import ModelError, problem

__all__ = ["check_threshold", "cut_meshes"]

_COARSEST = 1.0


def check_threshold(method: str, threshold: Any) -> None:
    """Raise :class:`ModelError` unless ``decompose`` is None or a concavity."""
    if threshold is None or (isinstance(threshold, (int, float)) and not isinstance(threshold, bool) and 0.0 < threshold <= _COARSEST):
        return
    remedy = "0.05 suits most; smaller numbers make more parts"
    raise ModelError(problem(f"{method}: decompose", shown(threshold), "None, or a number above 0, at most 1", remedy))


def cut_meshes(builder: Any, first: int, threshold: float | None, log: Diagnostics, but: Sequence[int] = ()) -> set[int]:
    """Let colliding meshes among the shapes from ``first`` on collide as convex parts, and note it in the import's report.

    Args:
        builder: Where the shapes are.
        first: The first shape of the import.
        threshold: CoACD's bound on concavity; None: nothing is cut.
        log: Of the import.
        but: Shapes that stay as they are.

    Returns:
        The shapes that were cut.

    Raises:
        UnsupportedError: a mesh cannot be cut, or ``coacd`` is not installed.
    """
    if threshold is None:
        return set()
    meshes = [shape for shape in builder.colliding_meshes() if shape >= first and shape not in but]
    cut: set[int] = builder.approximate_meshes("coacd", meshes, raise_on_failure=True, keep_visual_shapes=True, threshold=float(threshold))
    log.report.approximated += builder.import_reports.pop().approximated
    for sensor, shape in _sensors_of_geoms(builder):
        if shape in cut:
            label = builder.custom_attributes["mujoco:sensor_label"].values[sensor] or sensor
            log.approximated("sensor of a mesh in parts", None, f"sensor '{label}'", f"is of the largest part of '{builder.shape_label[shape]}' alone")
    return cut


def _sensors_of_geoms(builder: Any) -> Iterator[tuple[int, int]]:
    """Sensors and the shapes of geoms that they are of, or relative to."""
    for kinds, objects in (("sensor_objtype", "sensor_obj"), ("sensor_reftype", "sensor_ref")):
        if builder.has_custom_attribute(f"mujoco:{kinds}"):
            columns = (builder.custom_attributes[f"mujoco:{name}"].values for name in (kinds, objects))
            for sensor, (kind, shape) in enumerate(zip(*columns, strict=False)):
                if kind is not None and int(kind) == ObjType.GEOM and shape is not None:
                    yield sensor, int(shape)
