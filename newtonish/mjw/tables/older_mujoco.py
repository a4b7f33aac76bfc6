"""MjModels of MuJoCo 3.2 to 3.17 as one of 4.0: fields that came later, and numbers of enumerations that have moved.

What an earlier MuJoCo does not know (actuator armature, adhesion, delays, plasticity ...) is zero. Enumerations are translated by
the names that they have in the package the model comes from. The physics is 4.0's, whichever made the model.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from enum import IntEnum
from typing import Any

import numpy as np

from newtonish.common.enums import (
    GEOM_WRAPS,
    BiasType,
    DisableBit,
    DynType,
    EnableBit,
    EqType,
    GainType,
    ObjType,
    SensorType,
    TrnType,
    WrapType,
)

__all__ = ["Once", "present_model"]

_EQ_DATA = 12
_NOTHING = object()
_UNKNOWN = 1 << 20  # number of a kind that 4.0 has no name for

# count, further axes, value
_ABSENT: dict[str, tuple[str, tuple[int, ...], float]] = {
    "actuator_ctrlnum": ("nu", (), 1), "actuator_ctrlspec": ("nu", (), 0), "actuator_outnum": ("nu", (), 1),
    "actuator_armature": ("nu", (), 0.0), "actuator_damping": ("nu", (), 0.0), "actuator_dampingpoly": ("nu", (2,), 0.0),
    "dof_dampingpoly": ("nv", (2,), 0.0), "jnt_stiffnesspoly": ("njnt", (2,), 0.0), "tendon_stiffnesspoly": ("ntendon", (2,), 0.0),
    "tendon_dampingpoly": ("ntendon", (2,), 0.0), "tendon_armature": ("ntendon", (), 0.0), "tendon_actfrclimited": ("ntendon", (), 0),
    "tendon_actfrcrange": ("ntendon", (2,), 0.0), "geom_adhesion": ("ngeom", (), 0.0), "geom_surfacevel": ("ngeom", (6,), 0.0),
    "pair_adhesion": ("npair", (), 0.0), "key_plastic": ("nkey", (0,), 0.0),
}  # fmt: skip
_KINDS: dict[str, tuple[str, type[IntEnum]]] = {
    "sensor_type": ("mjtSensor", SensorType),
    "eq_type": ("mjtEq", EqType),
    "actuator_trntype": ("mjtTrn", TrnType),
    "actuator_dyntype": ("mjtDyn", DynType),
    "actuator_gaintype": ("mjtGain", GainType),
    "actuator_biastype": ("mjtBias", BiasType),
}


class Once:
    """Another object, of which every attribute is read at most once, and of its options and statistics as well."""

    def __init__(self, base: Any) -> None:
        self._base: Any = base
        self._found: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        found = self.__dict__["_found"]
        if name not in found:
            value = getattr(self.__dict__["_base"], name, _NOTHING)
            found[name] = Once(value) if name in ("opt", "stat") and value is not _NOTHING else value
        if found[name] is _NOTHING:
            raise AttributeError(name)
        return found[name]


class _View:
    """Another object with some attributes of its own."""

    def __init__(self, base: Any, own: dict[str, Any]) -> None:
        self._base, self._own = base, own

    def __getattr__(self, name: str) -> Any:
        own = self.__dict__["_own"]
        return own[name] if name in own else getattr(self.__dict__["_base"], name)


def present_model(mjm: Any) -> Any:
    """``mjm`` itself if it has all fields of 4.0, else a view of it that has them."""
    if not _is_earlier(mjm):
        return mjm
    own: dict[str, Any] = {}
    model = _View(mjm, own)
    maker = type(mjm.__dict__["_base"] if isinstance(mjm, Once) else mjm)
    package = sys.modules.get(maker.__module__.split(".")[0])
    own.update(_kinds(mjm, package))
    own["opt"] = _View(mjm.opt, _flags(mjm, package))
    makers: dict[str, Callable[[Any], Any]] = {
        "nactuator": lambda m: int(m.nu),
        "nout": lambda m: int(m.nu),
        "actuator_ctrladr": lambda m: np.arange(int(m.nu)),
        "actuator_outadr": lambda m: np.arange(int(m.nu)),
        "cam_projection": lambda m: np.asarray(m.cam_orthographic).astype(np.int32),
        "sensor_intprm": lambda m: np.zeros((int(m.nsensor), 3), dtype=np.int32),
        "eq_objtype": _equality_objects,
        "tendon_type": _tendon_types,
        "tree_dofadr": lambda m: _trees(m)[0],
        "tree_dofnum": lambda m: _trees(m)[1],
    }
    for name, make in makers.items():
        if not hasattr(mjm, name):
            own[name] = make(model)
    for name, (count, shape, fill) in _ABSENT.items():
        if not hasattr(mjm, name):
            own[name] = np.full((int(getattr(mjm, count)), *shape), fill)
    own["body_weldid"] = _welded(mjm)
    own["eq_data"] = _widened(np.asarray(mjm.eq_data), _EQ_DATA)
    own["sensor_intprm"] = _with_distances(model)
    if not hasattr(mjm, "M_rownnz"):
        own.update(_sparsity(model))
    if not hasattr(mjm, "ten_J_rownnz"):
        own.update(_tendon_rows(model))
    return model


def _is_earlier(mjm: Any) -> bool:
    """Whether it is one of MuJoCo's models, which list their keyframes, without the fields that came last."""
    return not (hasattr(mjm, "key_plastic") and hasattr(mjm, "tendon_type"))


def _names(package: Any, kind: str) -> dict[str, int]:
    """Numbers of an enumeration in the package, by name without its prefix; empty where the object is no package's."""
    members = getattr(getattr(package, kind, None), "__members__", {})
    return {name.split("_", 1)[1]: int(value) for name, value in members.items() if "_" in name}


def _kinds(mjm: Any, package: Any) -> dict[str, np.ndarray]:
    """Fields whose numbers have moved."""
    found = {}
    for field, (kind, ours) in _KINDS.items():
        numbers = {number: int(ours[name]) if name in ours.__members__ else _UNKNOWN for name, number in _names(package, kind).items()}
        given = np.asarray(getattr(mjm, field))
        found[field] = np.array([numbers.get(int(i), int(i)) for i in given], dtype=np.int32)
    return found


def _flags(mjm: Any, package: Any) -> dict[str, int]:
    """Option flags under their present numbers; what was switched on apart and is on by default now is off where it was off."""
    off, on = _names(package, "mjtDisableBit"), _names(package, "mjtEnableBit")
    if not off:
        return {}
    given_off, given_on = int(mjm.opt.disableflags), int(mjm.opt.enableflags)
    disable = sum(int(DisableBit[name]) for name, bit in off.items() if name in DisableBit.__members__ and given_off & bit)
    if given_off & off.get("PASSIVE", 0):
        disable |= DisableBit.SPRING | DisableBit.DAMPER
    if "MULTICCD" in on and not given_on & on["MULTICCD"]:
        disable |= DisableBit.MULTICCD
    enable = sum(int(EnableBit[name]) for name, bit in on.items() if name in EnableBit.__members__ and given_on & bit)
    return {"disableflags": int(disable), "enableflags": int(enable)}


def _welded(m: Any) -> np.ndarray:
    """The body each is fixed to: mocap bodies stand for themselves, which earlier versions took for parts of the world."""
    weld = np.array(m.body_weldid)
    for b, (parent, joints, mocap) in enumerate(zip(m.body_parentid, m.body_jntnum, m.body_mocapid)):
        if mocap >= 0:
            weld[b] = b
        elif joints == 0 and 0 < parent < b:
            weld[b] = weld[parent]
    return weld


def _widened(array: np.ndarray, width: int) -> np.ndarray:
    """Rows with zeros behind."""
    return np.pad(array, ((0, 0), (0, max(0, width - array.shape[1]))))


def _with_distances(m: Any) -> np.ndarray:
    """``sensor_intprm`` with the bit for distances, which rangefinders have measured without being told."""
    prm = np.array(m.sensor_intprm)
    prm[(np.asarray(m.sensor_type) == SensorType.RANGEFINDER) & (prm[:, 0] == 0), 0] = 1
    return prm


def _equality_objects(m: Any) -> np.ndarray:
    kinds: dict[int, ObjType] = {EqType.CONNECT: ObjType.BODY, EqType.WELD: ObjType.BODY, EqType.JOINT: ObjType.JOINT, EqType.TENDON: ObjType.TENDON}
    return np.array([int(kinds.get(int(i), ObjType.UNKNOWN)) for i in m.eq_type], dtype=np.int32)


def _tendon_types(m: Any) -> np.ndarray:
    """0: fixed, 1: spatial."""
    first = np.asarray(m.wrap_type)[np.asarray(m.tendon_adr)] if int(m.ntendon) else np.zeros(0)
    return (first != WrapType.JOINT).astype(np.int32)


def _trees(m: Any) -> tuple[np.ndarray, np.ndarray]:
    """First dof and number of dofs of each kinematic tree."""
    tree = np.asarray(m.dof_treeid)
    number = np.bincount(tree, minlength=int(m.ntree)).astype(np.int32)
    return np.searchsorted(tree, np.arange(int(m.ntree))).astype(np.int32), number


def _ancestors(m: Any, dof: int) -> list[int]:
    """A dof and those before it on the way to the root, ascending."""
    found = []
    while dof >= 0:
        found.append(dof)
        dof = int(m.dof_parentid[dof])
    return found[::-1]


def _sparsity(m: Any) -> dict[str, Any]:
    """Rows of the mass matrix, in which dofs of a body with a diagonal inertia stand alone, and of matrices that couple all of a chain."""
    nv = int(m.nv)
    chains = [_ancestors(m, i) for i in range(nv)]
    rows = [[i] if m.dof_simplenum[i] else chain for i, chain in enumerate(chains)]
    both = [[*chain, *(j for j in range(i + 1, nv) if i in chains[j])] for i, chain in enumerate(chains)]
    adr = _starts(rows)
    place = {(i, j): int(adr[i]) + k for i, row in enumerate(rows) for k, j in enumerate(row)}
    return {
        "nC": sum(map(len, rows)), "M_rownnz": _lengths(rows), "M_rowadr": adr, "M_colind": _flat(rows),
        "nD": sum(map(len, both)), "D_rownnz": _lengths(both), "D_rowadr": _starts(both), "D_colind": _flat(both),
        "D_diag": _lengths(chains) - 1,
        "mapM2D": np.array([place.get((max(i, j), min(i, j)), -1) for i, row in enumerate(both) for j in row], dtype=np.int32),
    }  # fmt: skip


def _tendon_rows(m: Any) -> dict[str, Any]:
    """Dofs that can change the length of each tendon."""
    rows = []
    for t in range(int(m.ntendon)):
        dofs: set[int] = set()
        for k in range(int(m.tendon_adr[t]), int(m.tendon_adr[t]) + int(m.tendon_num[t])):
            kind, item = int(m.wrap_type[k]), int(m.wrap_objid[k])
            if kind == WrapType.JOINT:
                dofs.add(int(m.jnt_dofadr[item]))
            elif kind == WrapType.SITE or kind in GEOM_WRAPS:
                dofs.update(_dofs_of_body(m, int((m.site_bodyid if kind == WrapType.SITE else m.geom_bodyid)[item])))
        rows.append(sorted(dofs))
    return {"ten_J_rownnz": _lengths(rows), "ten_J_rowadr": _starts(rows), "ten_J_colind": _flat(rows), "nJten": sum(map(len, rows))}


def _dofs_of_body(m: Any, body: int) -> list[int]:
    """Dofs that move a body."""
    while body > 0 and int(m.body_dofnum[body]) == 0:
        body = int(m.body_parentid[body])
    return _ancestors(m, int(m.body_dofadr[body]) + int(m.body_dofnum[body]) - 1) if body > 0 else []


def _lengths(rows: list[list[int]]) -> np.ndarray:
    return np.array([len(row) for row in rows], dtype=np.int32)


def _starts(rows: list[list[int]]) -> np.ndarray:
    lengths = _lengths(rows)
    return (np.cumsum(lengths) - lengths).astype(np.int32)


def _flat(rows: list[list[int]]) -> np.ndarray:
    return np.array([i for row in rows for i in row], dtype=np.int32)
