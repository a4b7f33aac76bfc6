"""Kinematic trees and simple bodies: what follows from the tree, the joints and the inertial frames.

A tree is what is attached to one root joint. A *simple* body has a diagonal block in the mass matrix at every pose: its
inertial frame is its body frame, it has no moving ancestors or descendants, and its joints are aligned with its
axes about its centre; level 2 has slides only. The flag is given only where it holds in every distinct world.
"""

from __future__ import annotations

import numpy as np

from newtonish.common import frames
from newtonish.common.enums import JointType, SleepPolicy, TrnType
from newtonish.convert.geoms import sameframe

__all__ = ["frame_flags", "simple_bodies", "tree_tables"]

Table = dict[str, np.ndarray]


def frame_flags(t: Table) -> Table:
    """``body_sameframe``, ``geom_sameframe`` and ``site_sameframe``."""
    flags = {}
    no_frame = np.full(4, 9.0)
    flags["body_sameframe"] = sameframe(t["body_ipos"], t["body_iquat"], np.full(3, np.inf), no_frame)
    for kind in ("geom", "site"):
        on = t[f"{kind}_bodyid"]
        pose = (t[f"{kind}_pos"], t[f"{kind}_quat"], t["body_ipos"][:, on], t["body_iquat"][:, on])
        flags[f"{kind}_sameframe"] = sameframe(*pose)
    return flags


def _bodies_with_tendon_inertia(t: Table) -> set[int]:
    """Bodies whose block of the mass matrix the armature of a tendon fills."""
    bodies: set[int] = set()
    for tendon in np.flatnonzero(np.any(t["tendon_armature"] != 0.0, axis=0)):
        first = int(t["ten_J_rowadr"][tendon])
        dofs = np.asarray(t["ten_J_colind"])[first : first + int(t["ten_J_rownnz"][tendon])]
        bodies |= set(np.asarray(t["dof_bodyid"])[dofs].tolist())
    return bodies


def simple_bodies(t: Table) -> Table:
    """``body_simple`` and ``dof_simplenum``."""
    parent, nbody = t["body_parentid"], len(t["body_parentid"])
    simple = np.zeros(nbody, dtype=np.uint8)
    centred = np.all(frames.is_identity(t["jnt_pos"], None), axis=0)
    aligned = np.all(np.sum(np.abs(t["jnt_axis"]) > 1e-14, axis=-1) == 1, axis=0)
    coupled = _bodies_with_tendon_inertia(t)
    for body in range(nbody):
        up = parent[body]
        near_root = t["body_rootid"][body] == body or (parent[up] == 0 and t["body_dofnum"][up] == 0)
        flag = t["body_sameframe"][body] == 1 and near_root
        if up > 0:
            simple[up] = 0
        rotation = False
        kinds = []
        for j in range(t["body_jntadr"][body], t["body_jntadr"][body] + t["body_jntnum"][body]):
            kind = t["jnt_type"][j]
            flag &= not rotation and centred[j] and (kind not in (JointType.HINGE, JointType.SLIDE) or aligned[j])
            rotation |= kind in (JointType.BALL, JointType.HINGE)
            kinds.append(kind)
        flag = flag and body not in coupled
        simple[body] = 0 if not flag else 2 if kinds and all(k == JointType.SLIDE for k in kinds) else 1
    number = np.zeros(len(t["dof_bodyid"]), dtype=np.int32)
    count = 0
    for dof in range(len(number) - 1, -1, -1):
        count = count + 1 if simple[t["dof_bodyid"][dof]] else 0
        number[dof] = count
    return {"body_simple": simple, "dof_simplenum": number}


def _driven_trees(t: Table, body_tree: np.ndarray, actuator: int) -> list[int]:
    """Trees that an actuator moves, -1 for static bodies; those of tendons follow in ``tendon_trees``."""
    kind, (first, second) = t["actuator_trntype"][actuator], t["actuator_trnid"][actuator]
    if kind <= TrnType.JOINTINPARENT:
        return [int(body_tree[t["jnt_bodyid"][first]])]
    if kind == TrnType.BODY:
        return [int(body_tree[first])]
    if kind in (TrnType.SLIDERCRANK, TrnType.SITE):
        return [int(body_tree[t["site_bodyid"][site]]) for site in (first, second) if site >= 0]
    return []


def tree_tables(t: Table, sleep_policy: np.ndarray) -> Table:
    """``dof_treeid``, ``body_treeid`` and the ``tree_*`` fields.

    Args:
        t: Body, joint, dof and actuator structure.
        sleep_policy: ``mujoco:sleep_policy`` by MuJoCo body, 0 for automatic.
    """
    dof_tree = np.cumsum(t["dof_parentid"] < 0).astype(np.int32) - 1
    weld = t["body_weldid"]
    has_dofs = t["body_dofnum"][weld] > 0
    first = np.where(has_dofs, t["body_dofadr"][weld], 0)
    body_tree = np.where(has_dofs, dof_tree[first], -1) if len(dof_tree) else np.full(len(weld), -1)
    ntree = int(dof_tree.max(initial=-1)) + 1
    bodynum = np.bincount(body_tree[body_tree >= 0], minlength=ntree)
    dofnum = np.bincount(dof_tree, minlength=ntree)
    policy = np.full(ntree, SleepPolicy.AUTO, dtype=np.int32)
    for body in np.flatnonzero((sleep_policy > 0) & (body_tree >= 0)):
        policy[body_tree[body]] = sleep_policy[body]
    for i in range(len(t["actuator_trntype"])):
        for tree in _driven_trees(t, body_tree, i):
            if tree >= 0 and policy[tree] == SleepPolicy.AUTO:
                policy[tree] = SleepPolicy.AUTO_NEVER
    policy[policy == SleepPolicy.AUTO] = SleepPolicy.AUTO_ALLOWED
    return {
        "dof_treeid": dof_tree,
        "body_treeid": body_tree,
        "tree_bodyadr": np.array([int(np.argmax(body_tree == k)) for k in range(ntree)], dtype=np.int32),
        "tree_bodynum": bodynum,
        "tree_dofadr": np.cumsum(dofnum) - dofnum,
        "tree_dofnum": dofnum,
        "tree_sleep_policy": policy,
    }
