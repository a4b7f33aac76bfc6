"""Sizes of the compiled model, counted from its tables."""

from __future__ import annotations

import numpy as np

from newtonish.convert.joints import MJ_BALL, MJ_FREE

__all__ = ["count_sizes"]


def count_sizes(t: dict[str, np.ndarray], nkey: int, nq: int) -> dict[str, int]:
    """Sizes under mjModel's names that follow from the shapes of the tables.

    Args:
        t: Structure arrays and float arrays with a leading axis of distinct worlds.
        nkey: Number of keyframes.
        nq: Number of coordinates.
    """
    nactuator = len(t["actuator_trntype"])
    driven = t["jnt_type"][t["actuator_trnid"][:, 0]]
    moments = np.select([driven == MJ_FREE, driven == MJ_BALL], [6, 3], 1)
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
        "ntendon": len(t["tendon_adr"]),
        "nwrap": len(t["wrap_type"]),
        "nJten": len(t["ten_J_colind"]),
        "nkey": nkey,
        "nmocap": int(np.sum(t["body_mocapid"] >= 0)),
        "nJmom": int(moments.sum()) if nactuator else 0,
        "ngravcomp": int(np.sum(t["body_gravcomp"][0] > 0)),
    }
