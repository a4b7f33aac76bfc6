"""Which broadphase a model gets, and what the sweep has to know of it in place of the list of all pairs."""

from __future__ import annotations

from typing import Any

import numpy as np

from newtonish.common.enums import BroadphaseType, GeomType
from newtonish.common.geoms import geom_types
from newtonish.errors import ModelError, problem
from newtonish.kernels.collision.filter import SUPPORTED_TYPES, general_convex, geom_pairs
from newtonish.kernels.structs.collision import FACES_KEPT
from newtonish.mjw.record import ModelRecord

MANY_GEOMS = 200
"""Geoms that can collide from which on the sweep is taken; see docs/decisions/009.md."""
HFIELD_CONTACTS = 50  # most contacts of a heightfield and a geom, as in MuJoCo
_MOST_BODIES, _MOST_GEOMS_OF_BODY, _MOST_PAIRS = 1 << 15, 0xFFFE, 1 << 16  # what the keys of near pairs have bits for


def choose(record: ModelRecord, wanted: int | None) -> BroadphaseType:
    """The broadphase asked for, or by the number of geoms that can collide."""
    if wanted is not None and wanted not in list(BroadphaseType):
        allowed = ", ".join(f"{kind.name} ({int(kind)})" for kind in BroadphaseType)
        raise ModelError(problem("put_model: broadphase", repr(wanted), f"{allowed} or None", "choose one of these"))
    fits = _keys_fit(record)
    fields = bool(
        (record.geom_type[_active(record)] == GeomType.SDF).any() or (record.geom_type[[*record.pair_geom1, *record.pair_geom2]] == GeomType.SDF).any()
    )
    if wanted is not None and wanted != BroadphaseType.NXN and fits and fields:
        raise ModelError(problem(f"put_model: broadphase {BroadphaseType(wanted).name}", "geoms of type sdf", "NXN with these", "take NXN, or None"))
    if wanted is not None and wanted != BroadphaseType.NXN and not fits:
        given = f"{record.nbody} bodies and {record.npair} explicit pairs"
        allowed = f"less than {_MOST_BODIES} and {_MOST_PAIRS}, and {_MOST_GEOMS_OF_BODY} geoms a body"
        raise ModelError(problem(f"put_model: broadphase {BroadphaseType(wanted).name}", given, allowed, "take NXN"))
    if wanted is not None:
        return BroadphaseType(wanted)
    return BroadphaseType.SAP_TILE if fits and not fields and len(_active(record)) >= MANY_GEOMS else BroadphaseType.NXN


def _active(record: ModelRecord) -> np.ndarray:
    """Geoms that can collide by themselves."""
    ngeom = record.ngeom
    return np.flatnonzero((record.geom_contype[:ngeom] != 0) | (record.geom_conaffinity[:ngeom] != 0))


def _keys_fit(record: ModelRecord) -> bool:
    body = record.geom_bodyid
    most = int(np.bincount(body).max(initial=0)) if len(body) else 0
    sorted_by_body = bool(np.all(np.diff(body) >= 0))
    return sorted_by_body and record.nbody < _MOST_BODIES and most < _MOST_GEOMS_OF_BODY and record.npair < _MOST_PAIRS


def collision_tables(record: ModelRecord, kind: BroadphaseType) -> tuple[dict[str, Any], np.ndarray, np.ndarray]:
    """Derived fields of the groups collide, sweep and hfield, the most contacts of a world, and the geoms that collide.

    Returns:
        Fields by flat name with ``contact_bound`` and ``nconvex``, and the geoms of pairs, once as first and once as second.
    """
    types = np.asarray(record.geom_type, dtype=np.int64)
    if kind == BroadphaseType.NXN:
        geom1, geom2, pairid, _ = geom_pairs(record)
        pairs = {"collide_geom1": geom1, "collide_geom2": geom2, "collide_pairid": pairid, "ncollide": len(geom1)}
        fields = int((types[geom1] == GeomType.HFIELD).sum())
        bound = int(_contacts_of(types[geom1], types[geom2]).sum())
        nfield = int((types[geom2] == GeomType.SDF).sum())
        searched = (types[geom2] == GeomType.SDF) & (types[geom1] != GeomType.PLANE)
        bound += int(np.where(types[geom1] == GeomType.MESH, FACES_KEPT, record.opt.sdf_initpoints)[searched].sum())
        nconvex = int(general_convex(record, geom1, geom2).sum())
    else:
        none = np.zeros(0, dtype=np.int32)
        pairs = {"collide_geom1": none, "collide_geom2": none, "collide_pairid": none, "ncollide": 0}
        geom1, geom2 = _active(record), np.concatenate([record.pair_geom1, record.pair_geom2])[: 2 * record.npair]
        number = np.bincount(types[geom1], minlength=len(GeomType))
        fields = int(number[GeomType.HFIELD] * (number.sum() - number[GeomType.PLANE] - number[GeomType.HFIELD]))
        nfield = 0
        bound, nconvex = _bound_by_types(number) + HFIELD_CONTACTS * record.npair, 1
    tables = {**pairs, **_sweep_tables(record), "hfield_ncollide": fields, "contact_bound": bound, "broadphase": int(kind)}
    return tables | {"nconvex": nconvex, "nfield": nfield}, geom1, geom2


def _contacts_of(type1: np.ndarray, type2: np.ndarray) -> np.ndarray:
    """Most contacts of pairs of types, the lower one first; of distance fields the options say."""
    flat = [GeomType.PLANE, *geom_types(flat=True), GeomType.SDF]
    boxes = (type1 == GeomType.BOX) & (type2 == GeomType.BOX)
    faces = np.isin(type1, flat) & np.isin(type2, flat)
    round_type = (GeomType.SPHERE, GeomType.ELLIPSOID)
    single = np.isin(type1, round_type) | np.isin(type2, round_type)
    return np.select([(type2 == GeomType.SDF) & (type1 != GeomType.PLANE), type1 == GeomType.HFIELD, boxes, faces, single], [0, HFIELD_CONTACTS, 8, 4, 1], 2)


def _bound_by_types(number: np.ndarray) -> int:
    """Contacts if every geom met every other one, from the number of geoms of each type."""
    total = 0
    for a, b in SUPPORTED_TYPES:
        pairs = int(number[a]) * (int(number[b]) - (a == b)) // (1 + (a == b))
        total += pairs * int(_contacts_of(np.array([a]), np.array([b]))[0])
    return total


def _sweep_tables(record: ModelRecord) -> dict[str, np.ndarray]:
    """Rows by the lower number: bodies that are excluded, geoms that do not collide by themselves."""
    signature = np.asarray(record.exclude_signature, dtype=np.int64)
    dropped = [record.geom_filter_pairs.astype(np.int64).reshape(-1, 2)]
    count = record.npair
    dropped.append(np.stack([record.pair_geom1[:count], record.pair_geom2[:count]], axis=1).astype(np.int64))
    exclude = _rows(np.stack([signature >> 16, signature & 0xFFFF], axis=1), record.nbody)
    drop = _rows(np.concatenate(dropped), record.ngeom)
    return {"sweep_exclude_adr": exclude[0], "sweep_exclude": exclude[1], "sweep_drop_adr": drop[0], "sweep_drop": drop[1]}


def _rows(pairs: np.ndarray, number: int) -> tuple[np.ndarray, np.ndarray]:
    """Addresses (number + 1,) and partners, sorted, of unordered pairs."""
    pairs = np.unique(np.sort(pairs, axis=1), axis=0)
    adr = np.searchsorted(pairs[:, 0], np.arange(number + 1))
    return adr.astype(np.int32), pairs[:, 1].astype(np.int32)
