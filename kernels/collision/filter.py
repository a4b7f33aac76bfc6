"""Which pairs of geoms can collide: MuJoCo's rules, applied once when a model is made.

A pair of geoms collides if one of them accepts the other (``contype & conaffinity``), unless both are on the same welded
group of bodies, on two groups without dofs, on parent and child (but for children of the world; switched off by the flag
``filterparent``) or on two bodies that are excluded. Explicit pairs collide in any case and replace the automatic pair.
Method: MuJoCo's documentation, chapter Computation, "Selection". Plain numpy; runs on the host.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from newtonish.common.enums import DisableBit, GeomType
from newtonish.common.geoms import geom_types

_CHUNK = 1 << 21  # geom pairs handled together

_NEVER = {  # MuJoCo has no collision function for these
    (GeomType.PLANE, GeomType.PLANE),
    (GeomType.PLANE, GeomType.HFIELD),
    (GeomType.HFIELD, GeomType.HFIELD),
}
_PLANE_WITH = geom_types(solid=True)
_ROUND_WITH = (GeomType.SPHERE, GeomType.CAPSULE, GeomType.CYLINDER, GeomType.BOX)
_CONVEX = geom_types(convex=True)
SIMPLE_TYPES = frozenset(
    {(GeomType.PLANE, t) for t in _PLANE_WITH}
    | {(GeomType.SPHERE, t) for t in _ROUND_WITH}
    | {(GeomType.CAPSULE, t) for t in _ROUND_WITH if t != GeomType.SPHERE}
)
CONVEX_TYPES = frozenset(  # the kernel for general convex shapes; the same rule as ``sift.is_convex_pair``
    {(a, b) for a in _CONVEX for b in _CONVEX if a <= b and (a, b) not in SIMPLE_TYPES} | {(GeomType.PLANE, GeomType.MESH)}
)
ROUND_OR_MESH = (GeomType.ELLIPSOID, GeomType.CYLINDER, GeomType.MESH)
HFIELD_TYPES = frozenset((GeomType.HFIELD, t) for t in _CONVEX)
_WITH_FIELD = (GeomType.PLANE, GeomType.SPHERE, GeomType.CAPSULE, GeomType.ELLIPSOID, GeomType.CYLINDER, GeomType.BOX, GeomType.MESH, GeomType.SDF)
SDF_TYPES = frozenset((t, GeomType.SDF) for t in _WITH_FIELD)
SUPPORTED_TYPES = SIMPLE_TYPES | CONVEX_TYPES | HFIELD_TYPES | SDF_TYPES


@dataclass(frozen=True)
class UnsupportedPair:
    """Two types of geoms whose contacts are not simulated, and an example of them in the model."""

    name1: str
    name2: str
    type1: str
    type2: str
    count: int  # pairs of these types
    allowed: str = "planes, heightfields, spheres, capsules, ellipsoids, cylinders, boxes and meshes (their convex hulls); sdf with all but heightfields"
    remedy: str = "replace the geom by one of these, or take the pair out by contype and conaffinity"


def geom_pairs(mjm: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Pairs of geoms that may collide, in the order of MuJoCo's contacts: by bodies, then by geoms.

    Within two bodies the explicit pairs come first. ``geom_filter_pairs`` (n, 2) of ``mjm``, if it has that, are taken out
    in addition to MuJoCo's rules.

    Args:
        mjm: compiled model, read by MuJoCo's field names.

    Returns:
        geom1, geom2 (ncollide,) int32: the geom of the lower type first; pairid (ncollide,) int32: explicit pair, or -1;
        unsupported (n, 2) int32: pairs that could collide but have no narrowphase function here, not among the others.
    """
    geom1, geom2, pairid = _ordered(mjm, *_all_pairs(mjm))
    types = np.asarray(mjm.geom_type, dtype=np.int64)
    swap = types[geom1] > types[geom2]
    geom1, geom2 = np.where(swap, geom2, geom1), np.where(swap, geom1, geom2)
    table = np.zeros((len(GeomType), len(GeomType)), dtype=bool)
    for a, b in SUPPORTED_TYPES:
        table[a, b] = True
    known = table[types[geom1], types[geom2]]
    blank = list(getattr(mjm, "without_field", ()))
    if blank:
        known &= ~(np.isin(geom1, blank) | np.isin(geom2, blank))
    unsupported = np.stack([geom1[~known], geom2[~known]], axis=1)
    return (*(a[known].astype(np.int32) for a in (geom1, geom2, pairid)), unsupported.astype(np.int32))


def general_convex(mjm: Any, geom1: np.ndarray, geom2: np.ndarray) -> np.ndarray:
    """Which pairs, the lower type first, the kernel for general convex shapes treats."""
    types = np.asarray(mjm.geom_type, dtype=np.int64)
    table = np.zeros((len(GeomType), len(GeomType)), dtype=bool)
    for a, b in CONVEX_TYPES:
        table[a, b] = True
    return table[types[geom1], types[geom2]]


def searched_pairs(mjm: Any) -> int:
    """Number of pairs whose contacts MuJoCo finds by a search for closest points or depths."""
    if not np.isin(np.asarray(mjm.geom_type), [*ROUND_OR_MESH, GeomType.HFIELD]).any():
        return 0
    geom1, geom2 = geom_pairs(mjm)[:2]
    types = np.asarray(mjm.geom_type, dtype=np.int64)
    one, two = types[geom1], types[geom2]
    simple = (one == GeomType.PLANE) | ((one == GeomType.SPHERE) & (two == GeomType.CYLINDER))
    searched = np.isin(one, ROUND_OR_MESH) | np.isin(two, ROUND_OR_MESH) | (one == GeomType.HFIELD)
    return int((searched & ~simple).sum())


def unsupported_pairs(mjm: Any) -> list[UnsupportedPair]:
    """The types of geoms that could collide but are not simulated, one entry for each two types."""
    alone = [t for t in GeomType if not any(t in pair for pair in SUPPORTED_TYPES)]
    if not np.isin(np.asarray(mjm.geom_type), [*alone, GeomType.SDF]).any():
        return []  # other types, of which each collides with something, collide with each other
    pairs = geom_pairs(mjm)[3]
    pairs = pairs[~np.isin(pairs, list(getattr(mjm, "without_field", ()))).any(axis=1)]
    types = np.asarray(mjm.geom_type, dtype=np.int64)[pairs]
    kinds, first, count = np.unique(types, axis=0, return_index=True, return_counts=True)
    result = []
    for (type1, type2), row, number in zip(kinds, first, count):
        names = [_geom_name(mjm, int(g)) for g in pairs[row]]
        if number > 1:
            names[1] += f" (and {number - 1} more pairs)"
        result.append(UnsupportedPair(*names, GeomType(type1).name.lower(), GeomType(type2).name.lower(), int(number)))
    return result


def _all_pairs(mjm: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Automatic and explicit pairs, the smaller geom first in the automatic ones; any order."""
    types = np.asarray(mjm.geom_type, dtype=np.int64)
    first, second = _automatic_pairs(mjm)
    count = int(mjm.npair)
    given1 = np.asarray(mjm.pair_geom1, dtype=np.int64)[:count]
    given2 = np.asarray(mjm.pair_geom2, dtype=np.int64)[:count]
    gone = _pair_keys(mjm, given1, given2)
    dropped = np.asarray(getattr(mjm, "geom_filter_pairs", np.zeros((0, 2))), dtype=np.int64).reshape(-1, 2)
    gone = np.concatenate([gone, _pair_keys(mjm, dropped[:, 0], dropped[:, 1])])
    keep = ~np.isin(_pair_keys(mjm, first, second), gone)
    body = np.asarray(mjm.geom_bodyid, dtype=np.int64)
    real = (body[given1] != 0) | (body[given2] != 0)  # MuJoCo does not look at pairs within the world body
    geom1 = np.concatenate([given1[real], first[keep]])
    geom2 = np.concatenate([given2[real], second[keep]])
    pairid = np.concatenate([np.flatnonzero(real), np.full(int(keep.sum()), -1, dtype=np.int64)])
    never = np.zeros((len(GeomType), len(GeomType)), dtype=bool)
    for a, b in _NEVER:
        never[a, b] = never[b, a] = True
    possible = ~never[types[geom1], types[geom2]]
    return geom1[possible], geom2[possible], pairid[possible]


def _automatic_pairs(mjm: Any) -> tuple[np.ndarray, np.ndarray]:
    """Pairs that masks and bodies let collide; geoms in blocks of rows, so that memory stays bounded."""
    ngeom = int(mjm.ngeom)
    contype = np.asarray(mjm.geom_contype)[:ngeom]
    conaffinity = np.asarray(mjm.geom_conaffinity)[:ngeom]
    body = np.asarray(mjm.geom_bodyid, dtype=np.int64)[:ngeom]
    active = np.flatnonzero((contype != 0) | (conaffinity != 0))
    rows = max(1, _CHUNK // max(1, len(active)))
    found = [(np.zeros(0, dtype=np.int64),) * 2]
    for begin in range(0, len(active), rows):
        i, j = np.meshgrid(np.arange(begin, min(begin + rows, len(active))), np.arange(len(active)), indexing="ij")
        upper = i < j
        first, second = active[i[upper]], active[j[upper]]
        meet = ((contype[first] & conaffinity[second]) | (contype[second] & conaffinity[first])) != 0
        first, second = first[meet], second[meet]
        meet = _bodies_meet(mjm, body[first], body[second])
        found.append((first[meet], second[meet]))
    return np.concatenate([f[0] for f in found]), np.concatenate([f[1] for f in found])


def _bodies_meet(mjm: Any, body1: np.ndarray, body2: np.ndarray) -> np.ndarray:
    """Whether two bodies may have contacts."""
    weld = np.asarray(mjm.body_weldid, dtype=np.int64)
    dofs = np.asarray(mjm.body_dofnum)
    weld1, weld2 = weld[body1], weld[body2]
    meet = (weld1 != weld2) & ((dofs[weld1] != 0) | (dofs[weld2] != 0))
    if not int(mjm.opt.disableflags) & DisableBit.FILTERPARENT:
        parent = weld[np.asarray(mjm.body_parentid)[weld]]  # welded group that each welded group is attached to
        related = (weld1 == parent[body2]) | (weld2 == parent[body1])
        meet &= ~(related & (weld1 != 0) & (weld2 != 0))
    signature = (np.minimum(body1, body2) << 16) + np.maximum(body1, body2)
    return meet & ~np.isin(signature, np.asarray(mjm.exclude_signature, dtype=np.int64))


def _pair_keys(mjm: Any, geom1: np.ndarray, geom2: np.ndarray) -> np.ndarray:
    """One number for each unordered pair of geoms."""
    return np.minimum(geom1, geom2) * int(mjm.ngeom) + np.maximum(geom1, geom2)


def _ordered(mjm: Any, geom1: np.ndarray, geom2: np.ndarray, pairid: np.ndarray) -> tuple[np.ndarray, ...]:
    """Sort by the two bodies, the smaller first; then explicit pairs as they come, then automatic ones by geoms."""
    body = np.asarray(mjm.geom_bodyid, dtype=np.int64)
    swap = body[geom1] > body[geom2]
    low, high = np.where(swap, geom2, geom1), np.where(swap, geom1, geom2)
    automatic = pairid < 0
    order = np.lexsort((np.where(automatic, high, 0), np.where(automatic, low, pairid), automatic, body[high], body[low]))
    return geom1[order], geom2[order], pairid[order]


def _geom_name(mjm: Any, g: int) -> str:
    """``geom 'name'`` or ``geom 7``; a compiled model lists names, MuJoCo's keeps them in one text."""
    names = getattr(mjm, "geom_names", None)
    if names is not None:
        name = names[g]
    else:
        begin = int(mjm.name_geomadr[g])
        name = mjm.names[begin : mjm.names.index(b"\0", begin)].decode()
    return f"geom '{name}'" if name else f"geom {g}"
