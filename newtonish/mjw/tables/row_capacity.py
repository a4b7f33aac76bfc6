"""How many entries a sparse row of the Jacobian, and of M^-1 J', can have: what the model's joints, tendons and pairs need.

Every row gets the room of the longest (see ``docs/decisions/010.md``), so that rows have their places without counting.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from newtonish.common.enums import EqType, JointType, ObjType
from newtonish.mjw.record import ModelRecord

LONGEST_JOINT: dict[int, int] = {JointType.BALL: 3}


def row_capacity(record: ModelRecord, geom1: np.ndarray, geom2: np.ndarray, paired: bool, chain_adr: np.ndarray) -> dict[str, Any]:
    """Sizes ``njrow``, ``nwrow``, ``npos``, ``ntreerow`` and the table ``dof_lastid``.

    Args:
        record: compiled model, read by MuJoCo's field names.
        geom1: first geoms of the pairs that may collide.
        geom2: their second geoms.
        paired: whether the two are pairs; else any geom of the two lists may meet any other.
        chain_adr: (nbody + 1,) first entry of each body's chain of dofs.
    """
    nv = record.nv
    treenum = record.tree_dofnum.reshape(-1)
    rows = [*_joint_rows(record, treenum), *_tendon_rows(record, treenum), *_equality_rows(record, treenum, chain_adr)]
    if not paired:
        geom1, geom2 = _longest(record, np.union1d(geom1, geom2), treenum, chain_adr)
    rows += _contact_rows(record, geom1, geom2, treenum, chain_adr)
    entries, dofs, trees = np.array(rows).max(axis=0)
    return {
        "njrow": int(min(entries, max(nv, 1))),
        "nwrow": int(min(dofs, max(nv, 1))),
        "ntreerow": int(trees),
        "npos": int(((treenum + 7) // 8 * 8).sum()),
        "dof_lastid": _last_dofs(record),
    }


Row = tuple[int, int, int]  # entries, dofs of the trees they are in, trees


def _joint_rows(record: ModelRecord, treenum: np.ndarray) -> list[Row]:
    longest = max([1, *(LONGEST_JOINT.get(int(kind), 1) for kind in record.jnt_type)])
    return [(longest, int(treenum.max(initial=1)), 1)]


def _tendon_dofs(record: ModelRecord, t: int) -> np.ndarray:
    first = int(record.ten_J_rowadr[t])
    return record.ten_J_colind[first : first + int(record.ten_J_rownnz[t])]


def _of_dofs(record: ModelRecord, dofs: np.ndarray, treenum: np.ndarray) -> Row:
    trees = np.unique(record.dof_treeid[dofs])
    return len(dofs), int(treenum[trees].sum()), max(1, len(trees))


def _tendon_rows(record: ModelRecord, treenum: np.ndarray) -> list[Row]:
    return [_of_dofs(record, _tendon_dofs(record, t), treenum) for t in range(record.ntendon)]


def _of_bodies(record: ModelRecord, bodies: tuple[int, int], treenum: np.ndarray, chain_adr: np.ndarray) -> Row:
    trees = {int(record.body_treeid[b]) for b in bodies} - {-1}
    entries = sum(int(chain_adr[b + 1] - chain_adr[b]) for b in bodies)
    return entries, sum(int(treenum[k]) for k in trees), max(1, len(trees))


def _equality_rows(record: ModelRecord, treenum: np.ndarray, chain_adr: np.ndarray) -> list[Row]:
    rows: list[Row] = []
    for e in range(record.neq):
        kind, one, two = (int(table[e]) for table in (record.eq_type, record.eq_obj1id, record.eq_obj2id))
        if kind in (EqType.CONNECT, EqType.WELD):
            ends = (one, max(two, 0))
            if int(record.eq_objtype[e]) == ObjType.SITE:
                ends = (int(record.site_bodyid[one]), int(record.site_bodyid[two]))
            rows.append(_of_bodies(record, ends, treenum, chain_adr))
        elif kind == EqType.JOINT:
            rows.append(_of_dofs(record, np.array([int(record.jnt_dofadr[j]) for j in (one, two) if j >= 0]), treenum))
        elif kind == EqType.TENDON:
            dofs = np.concatenate([_tendon_dofs(record, t) for t in (one, two) if t >= 0])
            rows.append(_of_dofs(record, np.unique(dofs), treenum))
    return rows


def _contact_rows(record: ModelRecord, geom1: np.ndarray, geom2: np.ndarray, treenum: np.ndarray, chain_adr: np.ndarray) -> list[Row]:
    if not len(geom1):
        return [(1, 1, 1)]
    bodies = record.geom_bodyid
    one, two = bodies[geom1], bodies[geom2]
    entries = int((np.diff(chain_adr)[one] + np.diff(chain_adr)[two]).max())
    number = np.append(treenum, 0)  # a static body is in tree -1
    tree1, tree2 = record.body_treeid[one], record.body_treeid[two]
    dofs = number[tree1] + np.where(tree1 == tree2, 0, number[tree2])
    return [(entries, int(dofs.max()), 2)]


def _longest(record: ModelRecord, geoms: np.ndarray, treenum: np.ndarray, chain_adr: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pairs among which those with the longest rows are: of the two geoms with the longest chains, or largest trees, each."""
    geoms = geoms.astype(np.int64)
    bodies = record.geom_bodyid[geoms]
    trees = record.body_treeid[bodies]
    _, first = np.unique(bodies, return_index=True)  # one geom of each body
    chains = first[np.argsort(-np.diff(chain_adr)[bodies[first]], kind="stable")][:2]
    _, first = np.unique(trees, return_index=True)  # one geom of each tree
    sizes = first[np.argsort(-np.append(treenum, 0)[trees[first]], kind="stable")][:2]
    kept = [geoms[which] for which in (chains, sizes) if len(which)]
    return np.array([two[0] for two in kept], dtype=np.int64), np.array([two[-1] for two in kept], dtype=np.int64)


def _last_dofs(record: ModelRecord) -> np.ndarray:
    """For each dof the last of those that M couples with it: itself or a descendant."""
    last = np.arange(record.nv, dtype=np.int32)
    parent = record.dof_parentid
    for i in range(record.nv - 1, -1, -1):
        if parent[i] >= 0:
            last[parent[i]] = max(last[parent[i]], last[i])
    return last
