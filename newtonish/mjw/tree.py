"""Tables of the kinematic tree and of actuator moments that kernels loop over, from an ``MjModel``'s fields."""

from __future__ import annotations

from typing import Any

import numpy as np

from newtonish.kernels.enums import JointType, TrnType

JOINT_WRAP = 1  # mjWRAP_JOINT


def tree_tables(mjm: Any) -> dict[str, Any]:
    """Levels, children and dof chains of all bodies (see ``TREE`` in ``newtonish.kernels.structs.model``)."""
    nbody = int(mjm.nbody)
    parent = np.asarray(mjm.body_parentid)
    depth = np.zeros(nbody, dtype=np.int32)
    chains: list[list[int]] = [[]]
    for i in range(1, nbody):
        depth[i] = depth[parent[i]] + 1
        own = range(int(mjm.body_dofadr[i]), int(mjm.body_dofadr[i]) + int(mjm.body_dofnum[i]))
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


def fixed_tendon_rows(mjm: Any) -> dict[str, Any]:
    """Weight and coordinate of each non-zero of the Jacobians of fixed tendons, in the order of ``ten_J_colind``."""
    count = int(np.asarray(mjm.ten_J_colind).size) if mjm.ntendon else 0
    coef, qposadr = np.zeros(count), np.zeros(count, dtype=np.int32)
    for t in range(int(mjm.ntendon)):
        first = int(mjm.ten_J_rowadr[t])
        row = np.asarray(mjm.ten_J_colind)[first : first + int(mjm.ten_J_rownnz[t])].tolist()
        for k in range(int(mjm.tendon_adr[t]), int(mjm.tendon_adr[t]) + int(mjm.tendon_num[t])):
            if mjm.wrap_type[k] == JOINT_WRAP:
                joint = int(mjm.wrap_objid[k])
                entry = first + row.index(int(mjm.jnt_dofadr[joint]))
                coef[entry] += float(mjm.wrap_prm[k])
                qposadr[entry] = int(mjm.jnt_qposadr[joint])
    return {"tendon_coef": coef, "ten_J_qposadr": qposadr, "nJten": count}


def moment_rows(mjm: Any) -> dict[str, Any]:
    """Length and first entry of the sparse moment row of each force output; joint transmissions only."""
    dofs = {JointType.FREE: 6, JointType.BALL: 3, JointType.SLIDE: 1, JointType.HINGE: 1}
    count = np.zeros(int(mjm.nout), dtype=np.int32)
    for i in range(int(mjm.nactuator)):
        if mjm.actuator_trntype[i] in (TrnType.JOINT, TrnType.JOINTINPARENT):
            joint = int(mjm.actuator_trnid[i][0])
            count[int(mjm.actuator_outadr[i])] = dofs[JointType(int(mjm.jnt_type[joint]))]
    address = np.concatenate([[0], np.cumsum(count)[:-1]]) if len(count) else count
    return {
        "actuator_moment_rownnz0": count,
        "actuator_moment_rowadr0": address,
        "nJmom": int(count.sum()),
    }
