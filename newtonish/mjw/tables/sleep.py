"""What sleep needs of a compiled model: its trees, and which of them equalities, actuators and sensors depend on."""

from __future__ import annotations

from typing import Any

import numpy as np

from newtonish.common.enums import EqType, ObjType, SensorType, TrnType

__all__ = ["sleep_tables"]

_STATIC, _MOVED = -1, -2
_ALWAYS = frozenset({SensorType.RANGEFINDER, SensorType.USER, SensorType.PLUGIN})
"""Sensors that are evaluated whatever sleeps."""


def sleep_tables(mjm: Any) -> dict[str, Any]:
    """Fields of the group ``SLEEP`` (see ``newtonish.kernels.structs.sleep``)."""
    ntree, nv = int(mjm.ntree), int(mjm.nv)
    body_tree = np.asarray(mjm.body_treeid)[: int(mjm.nbody)]
    sides = [_equality_trees(mjm, e) for e in range(int(mjm.neq))]
    actuators = [_actuator_trees(mjm, a) for a in range(int(mjm.nactuator))]
    sensors = [_sensor_trees(mjm, s) for s in range(int(mjm.nsensor))]
    return {
        "sleep_tolerance": np.array(mjm.opt.sleep_tolerance),
        "sleep_dof_length": mjm.dof_length if np.any(mjm.dof_length) else np.ones(nv),
        "sleep_tree_bodyadr": np.array([int(np.argmax(body_tree == t)) for t in range(ntree)], dtype=np.int32),
        "sleep_tree_bodynum": np.array([int(np.sum(body_tree == t)) for t in range(ntree)], dtype=np.int32),
        "eq_tree1": np.array([one for one, _ in sides], dtype=np.int32),
        "eq_tree2": np.array([two for _, two in sides], dtype=np.int32),
        **_lists("actuator", actuators),
        **_lists("sensor", sensors),
    }


def _lists(kind: str, trees: list[list[int]]) -> dict[str, np.ndarray]:
    """Trees of all objects of a kind in one array, with the address of each object's first."""
    adr = np.concatenate([[0], np.cumsum([len(found) for found in trees])])
    flat = [t for found in trees for t in found]
    return {f"{kind}_treeadr": adr.astype(np.int32), f"{kind}_treeid": np.array(flat, dtype=np.int32)}


def _tree(mjm: Any, body: int) -> int:
    """Tree of a body; ``_STATIC`` without one, ``_MOVED`` where the user moves it."""
    tree = int(mjm.body_treeid[body])
    if tree < 0 and int(mjm.body_mocapid[int(mjm.body_rootid[body])]) >= 0:
        return _MOVED
    return tree if tree >= 0 else _STATIC


def _equality_trees(mjm: Any, e: int) -> tuple[int, int]:
    """Trees of the two objects of an equality constraint; of tendons none, see ``supported``."""
    kind, found = int(mjm.eq_type[e]), []
    for i in (int(mjm.eq_obj1id[e]), int(mjm.eq_obj2id[e])):
        if i < 0 or kind not in (EqType.CONNECT, EqType.WELD, EqType.JOINT):
            found.append(_STATIC)
        elif kind == EqType.JOINT:
            found.append(_tree(mjm, int(mjm.jnt_bodyid[i])))
        else:
            of_site = int(mjm.eq_objtype[e]) == ObjType.SITE
            found.append(_tree(mjm, int(mjm.site_bodyid[i]) if of_site else i))
    return found[0], found[1]


def _tendon_trees(mjm: Any, t: int) -> list[int]:
    adr = int(mjm.ten_J_rowadr[t])
    dofs = np.asarray(mjm.ten_J_colind)[adr : adr + int(mjm.ten_J_rownnz[t])]
    return sorted({int(mjm.dof_treeid[i]) for i in dofs})


def _actuator_trees(mjm: Any, a: int) -> list[int]:
    """Trees that an actuator moves; none where something else than trees takes part."""
    kind, (first, second) = int(mjm.actuator_trntype[a]), (int(i) for i in mjm.actuator_trnid[a])
    if kind in (TrnType.JOINT, TrnType.JOINTINPARENT):
        bodies = [int(mjm.jnt_bodyid[first])]
    elif kind == TrnType.TENDON:
        return _tendon_trees(mjm, first)
    elif kind in (TrnType.SITE, TrnType.SLIDERCRANK):
        bodies = [int(mjm.site_bodyid[i]) for i in (first, second) if i >= 0]
    elif kind == TrnType.BODY:
        bodies = [first]
    else:
        return []
    trees = {_tree(mjm, body) for body in bodies}
    return [] if _MOVED in trees else sorted(trees - {_STATIC})


def _sensor_trees(mjm: Any, s: int) -> list[int]:
    """Trees that the value of a sensor follows; none where it is to be evaluated whatever sleeps."""
    kind = int(mjm.sensor_type[s])
    objects = [(int(mjm.sensor_objtype[s]), int(mjm.sensor_objid[s])), (int(mjm.sensor_reftype[s]), int(mjm.sensor_refid[s]))]
    volume = kind == SensorType.CONTACT and any(of == ObjType.SITE for of, _ in objects)
    if kind in _ALWAYS or volume:
        return []
    trees: set[int] = set()
    for of, i in objects:
        trees |= _object_trees(mjm, of, i)
    return [] if _MOVED in trees else sorted(trees - {_STATIC})


def _object_trees(mjm: Any, kind: int, i: int) -> set[int]:
    """Trees of an object; ``_MOVED`` of what is always awake."""
    if kind == ObjType.UNKNOWN or i < 0:
        return set()
    if kind in (ObjType.BODY, ObjType.XBODY):
        return {_tree(mjm, i)}
    if kind == ObjType.TENDON:
        trees = _tendon_trees(mjm, i)
        return set(trees) if len(trees) <= 2 else {_MOVED}
    if kind == ObjType.ACTUATOR:
        return set(_actuator_trees(mjm, i)) or {_MOVED}
    carriers = {ObjType.JOINT: "jnt", ObjType.DOF: "dof", ObjType.GEOM: "geom", ObjType.SITE: "site", ObjType.CAMERA: "cam"}
    if kind in carriers:
        return {_tree(mjm, int(getattr(mjm, f"{carriers[ObjType(kind)]}_bodyid")[i]))}
    return {_MOVED}
