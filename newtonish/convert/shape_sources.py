"""What geometry lies behind each shape: what of it all worlds must share, and what may be another in every world.

Shapes that are meshes may show another mesh in each world, heightfields another grid; signed distance fields are the same in all worlds. What a site shows, and sources that are
neither, are the same in all worlds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from newtonish.model.enums import GeoType, ShapeFlags
from newtonish.model.fields import field_of

if TYPE_CHECKING:
    from newtonish.convert.source import Source

__all__ = ["source_contents", "source_kinds"]

_MESHES = (GeoType.MESH, GeoType.CONVEX_MESH)


def source_kinds(source: Source) -> np.ndarray:
    """A number for each shape that must be equal in all worlds, (shapes,); -1: nothing lies behind it."""
    mesh = np.isin(source.array("shape_type"), _MESHES) & ((source.array("shape_flags") & ShapeFlags.SITE) == 0)
    numbers: dict[bytes, int] = {}
    kinds = np.full(source.rows("shape"), -1, dtype=np.int64)
    for i, (shown, content) in enumerate(zip(source.model.shape_source, source.geometry.tolist(), strict=True)):
        if shown is not None:
            free = b"mesh" if mesh[i] and field_of(shown) is None else b"grid" if _is_grid(shown) else b"%d" % content
            kinds[i] = numbers.setdefault(free, len(numbers))
    return kinds


def source_contents(model: Any, count: int) -> np.ndarray:
    """A number for what lies behind each of ``count`` shapes; equal numbers mean equal vertices and triangles, or samples and extents."""
    by_object: dict[int, int] = {}
    by_content: dict[bytes, int] = {}
    ids = np.full(count, -1, dtype=np.int64)
    for i, shown in enumerate(model.shape_source):
        if shown is not None:
            if id(shown) not in by_object:
                by_object[id(shown)] = by_content.setdefault(_content(shown), len(by_content))
            ids[i] = by_object[id(shown)]
    return ids


def _is_grid(shown: Any) -> bool:
    return getattr(shown, "nrow", None) is not None


def _content(shown: Any) -> bytes:
    """Everything about a source that the conversion reads."""
    if _is_grid(shown):
        extents = np.array([shown.nrow, shown.ncol, shown.hx, shown.hy, shown.min_z, shown.max_z], dtype=np.float64)
        return b"grid" + extents.tobytes() + np.asarray(shown.data).tobytes()
    if getattr(shown, "vertices", None) is None:
        return b"%d" % id(shown)
    bound = getattr(shown, "maxhullvert", None)
    field = field_of(shown)
    kind = b"mesh %d" % (-1 if bound is None else int(bound)) + (b"" if field is None else repr(field).encode())
    return kind + np.asarray(shown.vertices).tobytes() + np.asarray(shown.indices).tobytes()
