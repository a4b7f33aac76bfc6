"""Types of geoms, a row each: MuJoCo's number and MJCF's word, Newton's types, what ``size`` means, how it bounds, and how it collides.

The importer, the exporter, the words of MJCF, the conversion, estimates and the choice of collision kernels all read this one table. What a
type is made of is in ``kernels/collision/`` (contacts and bounds) and ``kernels/sensor/`` (rays and distances).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from newtonish.common.enums import GeomType

__all__ = ["GEOMS", "GeomKind", "bounding_radii", "geom_types", "half_extents"]

_A, _B, _C = (1, 0, 0), (0, 1, 0), (0, 0, 1)
_A_AND_B = (1, 1, 0)


class GeomKind(NamedTuple):
    """One type of geom.

    Attributes:
        type: MuJoCo's number.
        newton: Names of Newton's types that become it (``GeoType``); the first is what the importer makes.
        sizes: How many numbers of ``size`` it uses.
        half: Half extents along its own axes, each as sums of the three numbers of ``size``; None: they come from its data, or it has none.
        radius: How ``size`` makes the radius of the sphere around it: its "first" number, the "sum" or the "norm" of the first two, the "most"
            or the "norm3" of all three; "" where data say, or for planes, which have none.
        solid: Whether it is a body of its own, neither a plane nor made of data.
        fromto: Whether two ends may be given in place of size and pose.
        convex: Whether it has a support function.
        round: Whether it rests on a single point or line.
        flat: Whether it has faces to rest on.
    """

    type: GeomType
    newton: tuple[str, ...]
    sizes: int
    half: tuple[tuple[int, int, int], ...] | None = None
    radius: str = ""
    solid: bool = False
    fromto: bool = False
    convex: bool = False
    round: bool = False
    flat: bool = False


GEOMS: dict[str, GeomKind] = {
    "plane": GeomKind(GeomType.PLANE, ("PLANE",), 2),
    "hfield": GeomKind(GeomType.HFIELD, ("HFIELD",), 0),
    "sphere": GeomKind(GeomType.SPHERE, ("SPHERE",), 1, (_A, _A, _A), "first", solid=True, convex=True, round=True),
    "capsule": GeomKind(GeomType.CAPSULE, ("CAPSULE",), 2, (_A, _A, _A_AND_B), "sum", solid=True, fromto=True, convex=True, round=True),
    "ellipsoid": GeomKind(GeomType.ELLIPSOID, ("ELLIPSOID",), 3, (_A, _B, _C), "most", solid=True, fromto=True, convex=True, round=True),
    "cylinder": GeomKind(GeomType.CYLINDER, ("CYLINDER",), 2, (_A, _A, _B), "norm", solid=True, fromto=True, convex=True, flat=True),
    "box": GeomKind(GeomType.BOX, ("BOX",), 3, (_A, _B, _C), "norm3", solid=True, fromto=True, convex=True, flat=True),
    "mesh": GeomKind(GeomType.MESH, ("MESH", "CONE", "CONVEX_MESH"), 0, convex=True, flat=True),
}
"""Types by MJCF's word, by rising number; ``sdf`` has no row: such geoms come with compiled models of MuJoCo's alone, and have pairs of their own."""


def geom_types(**wanted: bool) -> tuple[GeomType, ...]:
    """Types whose columns are as given: ``geom_types(convex=True, flat=False)``."""
    return tuple(kind.type for kind in GEOMS.values() if all(getattr(kind, column) == value for column, value in wanted.items()))


def half_extents(kind: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Half extents (W, n, 3) along their own axes of geoms of types ``kind`` (n,) and ``size`` (W, n, 3) [m]; ``size`` where data say."""
    extents = size.copy()
    for row in GEOMS.values():
        if row.half is not None:
            sides = [_sum([size[..., i] for i in range(3) if part[i]]) for part in row.half]
            extents = np.where((kind == row.type)[:, None], np.stack(sides, axis=-1), extents)
    return extents


def bounding_radii(kind: np.ndarray, size: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Radii (W, n) of the spheres around geoms of types ``kind`` and ``size`` (W, n, 3) [m]; ``others`` (W, n) for types whose size says nothing."""
    first, second = size[..., 0], size[..., 1]
    formulas = {
        "first": first,
        "sum": first + second,
        "norm": np.hypot(first, second),
        "most": size.max(axis=-1, initial=0.0),
        "norm3": np.linalg.norm(size, axis=-1),
    }
    sized = [row for row in GEOMS.values() if row.radius]
    return np.select([np.broadcast_to(kind == row.type, others.shape) for row in sized], [formulas[row.radius] for row in sized], others)


def _sum(parts: list[np.ndarray]) -> np.ndarray:
    return parts[0] if len(parts) == 1 else parts[0] + parts[1]
