"""Sizes of the compiled model, counted from its tables."""

from __future__ import annotations

import numpy as np

from newtonish.common.enums import JointType, TrnType
from newtonish.convert import paths

__all__ = ["count_sizes"]


def _moment_length(t: dict[str, np.ndarray], actuator: int) -> int:
    """Number of dofs that may move an actuator."""
    kind, (first, second) = t["actuator_trntype"][actuator], t["actuator_trnid"][actuator]
    if kind == TrnType.TENDON:
        return int(t["ten_J_rownnz"][first])
    if kind == TrnType.SO3:  # a dof each of a ball joint; of sites an upper bound
        return 3 * (len(t["dof_bodyid"]) if second >= 0 else 1)
    if kind == TrnType.BODY:
        return len(t["dof_bodyid"])
    if kind in (TrnType.SITE, TrnType.SLIDERCRANK):
        sites = (set(paths.chain_dofs(t, int(t["site_bodyid"][s]))) if s >= 0 else set() for s in (first, second))
        one, other = sites
        return len(one | other) if kind == TrnType.SLIDERCRANK else len(one ^ other)
    dofs: dict[int, int] = {JointType.FREE: 6, JointType.BALL: 3}
    return dofs.get(int(t["jnt_type"][first]), 1)


def count_sizes(t: dict[str, np.ndarray], nkey: int, nq: int) -> dict[str, int]:
    """Sizes under mjModel's names that follow from the shapes of the tables.

    Args:
        t: Structure arrays and float arrays with a leading axis of distinct worlds.
        nkey: Number of keyframes.
        nq: Number of coordinates.
    """
    nactuator = len(t["actuator_trntype"])
    return {
        "nq": nq,
        "nv": len(t["dof_bodyid"]),
        "nu": int(t["actuator_ctrlnum"].sum()),
        "nactuator": nactuator,
        "nout": int(t["actuator_outnum"].sum()),
        "na": int(t["actuator_actnum"].sum()),
        "nbody": len(t["body_parentid"]),
        "njnt": len(t["jnt_type"]),
        "ntree": len(t["tree_bodyadr"]),
        "ngeom": len(t["geom_type"]),
        "nsite": len(t["site_type"]),
        "npair": len(t["pair_dim"]),
        "nexclude": len(t["exclude_signature"]),
        "neq": len(t["eq_type"]),
        "ntendon": len(t["tendon_adr"]),
        "nwrap": len(t["wrap_type"]),
        "nJten": len(t["ten_J_colind"]),
        "ncam": len(t["cam_bodyid"]),
        "nlight": len(t["light_bodyid"]),
        "nsensor": len(t["sensor_type"]),
        "nsensordata": int(t["sensor_dim"].sum()),
        "nkey": nkey,
        "nmocap": int(np.sum(t["body_mocapid"] >= 0)),
        "nJmom": sum(_moment_length(t, i) for i in range(nactuator)),
        "ngravcomp": int(np.sum(t["body_gravcomp"][0] > 0)),
    }
