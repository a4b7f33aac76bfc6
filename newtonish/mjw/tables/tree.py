"""Tables of the kinematic tree and of actuator moments that kernels loop over, from an ``MjModel``'s fields."""

from __future__ import annotations

from typing import Any

import numpy as np

from newtonish.common.enums import GEOM_WRAPS, JointType, TrnType, WrapType
from newtonish.mjw.record import ModelRecord


def tree_tables(record: ModelRecord) -> dict[str, Any]:
    """Levels, children and dof chains of all bodies (see ``TREE`` in ``newtonish.kernels.structs.model``)."""
    nbody = record.nbody
    parent = record.body_parentid
    depth = np.zeros(nbody, dtype=np.int32)
    chains: list[list[int]] = [[]]
    for i in range(1, nbody):
        depth[i] = depth[parent[i]] + 1
        own = range(int(record.body_dofadr[i]), int(record.body_dofadr[i]) + int(record.body_dofnum[i]))
        chains.append(chains[parent[i]] + list(own))
    level_bodyid = np.argsort(depth, kind="stable").astype(np.int32)
    level_adr = np.searchsorted(depth[level_bodyid], np.arange(depth.max() + 2)).astype(np.int32)
    is_child = np.arange(nbody) > 0
    child_bodyid = np.flatnonzero(is_child)[np.argsort(parent[is_child], kind="stable")]
    child_adr = np.searchsorted(parent[child_bodyid], np.arange(nbody + 1))
    chain_adr = np.concatenate([[0], np.cumsum([len(c) for c in chains])])
    return {
        "nlevel": int(depth.max()) + 1,
        "tree_level_adr": level_adr,
        "tree_level_bodyid": level_bodyid,
        "tree_child_adr": child_adr,
        "tree_child_bodyid": np.append(child_bodyid, -1),
        "tree_chain_adr": chain_adr,
        "tree_chain_dofid": np.array([dof for chain in chains for dof in chain], dtype=np.int32),
    }


def fixed_tendon_rows(record: ModelRecord) -> dict[str, Any]:
    """Weight and coordinate of each non-zero of the Jacobians of fixed tendons, in the order of ``ten_J_colind``."""
    count = int(record.ten_J_colind.size) if record.ntendon else 0
    coef, qposadr = np.zeros(count), np.zeros(count, dtype=np.int32)
    for t in range(record.ntendon):
        first = int(record.ten_J_rowadr[t])
        row = record.ten_J_colind[first : first + int(record.ten_J_rownnz[t])].tolist()
        for k in range(int(record.tendon_adr[t]), int(record.tendon_adr[t]) + int(record.tendon_num[t])):
            if record.wrap_type[k] == WrapType.JOINT:
                joint = int(record.wrap_objid[k])
                entry = first + row.index(int(record.jnt_dofadr[joint]))
                coef[entry] += float(record.wrap_prm[k])
                qposadr[entry] = int(record.jnt_qposadr[joint])
    return {"tendon_coef": coef, "ten_J_qposadr": qposadr, "nJten": count}


def moment_rows(record: ModelRecord) -> dict[str, Any]:
    """Length, first entry and dofs of the sparse moment row of each force output, whatever the pose."""
    rows: list[list[int]] = [[] for _ in range(record.nout)]
    for i in range(record.nactuator):
        outputs = range(int(record.actuator_outnum[i]))
        for k, dofs in zip(outputs, _so3_dofs(record, i) if len(outputs) > 1 else [_moment_dofs(record, i)], strict=True):
            rows[int(record.actuator_outadr[i]) + k] = dofs
    count = np.array([len(row) for row in rows], dtype=np.int32)
    return {
        "actuator_moment_rownnz0": count,
        "actuator_moment_rowadr0": np.cumsum(count) - count,
        "actuator_moment_colind0": np.array([dof for row in rows for dof in row], dtype=np.int32),
        "nJmom": int(count.sum()),
    }


def _so3_dofs(record: ModelRecord, actuator: int) -> list[list[int]]:
    """Dofs that may move each of the three outputs of an actuator of an orientation, ascending."""
    first, second = (int(i) for i in record.actuator_trnid[actuator])
    if second < 0:
        adr = int(record.jnt_dofadr[first])
        return [[adr], [adr + 1], [adr + 2]]
    return [sorted(_site_dofs(record, first) ^ _site_dofs(record, second))] * 3


def _moment_dofs(record: ModelRecord, actuator: int) -> list[int]:
    """Dofs that may move an actuator, ascending."""
    kind = int(record.actuator_trntype[actuator])
    first, second = (int(i) for i in record.actuator_trnid[actuator])
    if kind in (TrnType.JOINT, TrnType.JOINTINPARENT):
        adr = int(record.jnt_dofadr[first])
        return list(range(adr, adr + {JointType.FREE: 6, JointType.BALL: 3}.get(JointType(int(record.jnt_type[first])), 1)))
    if kind == TrnType.TENDON:
        adr = int(record.ten_J_rowadr[first])
        return record.ten_J_colind[adr : adr + int(record.ten_J_rownnz[first])].tolist()
    if kind == TrnType.SLIDERCRANK:
        return sorted(_site_dofs(record, first) | _site_dofs(record, second))
    if kind == TrnType.SITE:
        # what moves both sites does not count
        return sorted(_site_dofs(record, first) ^ (_site_dofs(record, second) if second >= 0 else set()))
    return list(range(record.nv)) if kind == TrnType.BODY else []


def _site_dofs(record: ModelRecord, site: int) -> set[int]:
    """Dofs that move a site."""
    body, dofs = int(record.site_bodyid[site]), set()
    while body > 0:
        dofs |= set(range(int(record.body_dofadr[body]), int(record.body_dofadr[body]) + int(record.body_dofnum[body])))
        body = int(record.body_parentid[body])
    return dofs


def branch_scale(record: ModelRecord, prm: np.ndarray) -> np.ndarray:
    """1/divisor of the pulley branch of each wrap; ``prm`` is ``wrap_prm``, worlds in front if there are several."""
    scale = np.ones(prm.shape)
    for adr, num in zip(record.tendon_adr, record.tendon_num):
        for k in range(int(adr), int(adr) + int(num)):
            if record.wrap_type[k] == WrapType.PULLEY:
                scale[..., k] = 1.0 / prm[..., k]
            elif k > adr:
                scale[..., k] = scale[..., k - 1]
    return scale


def wrap_rows(record: ModelRecord) -> dict[str, Any]:
    """Side site of each wrap and the factor of its pulley branch, and how many tendons and actuators need extra work."""
    number = record.nwrap
    on_geom = np.isin(record.wrap_type, GEOM_WRAPS)
    side = np.where(on_geom, record.wrap_prm.round(), -1.0).astype(np.int32)

    def some(name: str) -> int:
        return int((getattr(record, name) != 0).sum()) if record.ntendon else 0

    return {
        "tendon_wrap_sideid": side,
        "tendon_wrap_scale": branch_scale(record, record.wrap_prm),
        "nwrap2": 2 * number,
        "ntenfrc": some("tendon_actfrclimited"),
        "nadhesion": int((record.actuator_trntype == TrnType.BODY).sum()) if record.nactuator else 0,
    }
