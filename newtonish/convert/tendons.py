"""Fixed tendons: weighted sums of hinge and slide coordinates, with what MuJoCo derives from them.

A tendon's entries become MuJoCo's wraps, one for each joint, in the order in which they were added; the Jacobian of all
tendons is stored row by row with ascending dofs. Its elements are the weights, which no pose changes, so that lengths at
``qpos0`` and ``qpos_spring`` are plain sums; the inverse inertia ``J·M⁻¹·Jᵀ`` is left to ``const0``.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from newtonish.convert import gains
from newtonish.convert.joints import MJ_HINGE, MJ_SLIDE, JointTable
from newtonish.convert.worlds import Worlds
from newtonish.errors import NewtonishWarning, problem

__all__ = ["TendonList", "jacobian_weights", "limit_solref", "list_tendons", "tendon_tables", "tendon_trees"]

Table = dict[str, np.ndarray]
TABLE, ENTRIES = "mujoco:tendon", "mujoco:tendon_joint"
FIXED = 0
WRAP_JOINT = 1
"""mjWRAP_JOINT."""
AUTO_NEVER, AUTO_ALLOWED = 1, 2
SLEEPING_TREES = 2
"""A tendon over more trees than these keeps them awake; over as many only if it pulls at rest."""
_FLOATS = {
    "tendon_solimp_lim": "solimp_limit", "tendon_solref_fri": "solref_friction", "tendon_solimp_fri": "solimp_friction",
    "tendon_range": "range", "tendon_actfrcrange": "actuator_force_range", "tendon_margin": "margin",
    "tendon_stiffness": "stiffness", "tendon_stiffnesspoly": "stiffnesspoly", "tendon_damping": "damping",
    "tendon_dampingpoly": "dampingpoly", "tendon_armature": "armature", "tendon_frictionloss": "frictionloss",
    "tendon_width": "width",
}  # fmt: skip


@dataclass
class TendonList:
    """The fixed tendons in order.

    Attributes:
        row: Template position of each tendon in its table.
        num: Number of entries of each tendon.
        entry: Template position of each entry, tendon by tendon.
        joint: MuJoCo joint of each entry.
        name: Names.
    """

    row: np.ndarray
    num: np.ndarray
    entry: np.ndarray
    joint: np.ndarray
    name: list[str]

    @property
    def adr(self) -> np.ndarray:
        """First entry of each tendon."""
        return np.cumsum(self.num) - self.num

    @property
    def owner(self) -> np.ndarray:
        """Tendon of each entry."""
        return np.repeat(np.arange(len(self.num)), self.num)


def list_tendons(worlds: Worlds, joints: JointTable) -> TendonList:
    """List the fixed tendons of the template world; others are named in a warning and left out as a whole."""
    source = worlds.source
    kinds = worlds.template(TABLE, source.custom("tendon_type"))
    number = worlds.template(TABLE, source.custom("tendon_joint_num")).astype(np.int64)
    labels = worlds.template(TABLE, source.custom("tendon_label"))
    first = np.cumsum(number) - number
    joint = _joint_of_entries(worlds, joints)
    kept = []
    for row, (kind, name, adr, num) in enumerate(zip(kinds, labels, first, number)):
        missing = np.flatnonzero(joint[adr : adr + num] < 0)
        given, allowed = "", "fixed tendons over at least one joint"
        if kind != FIXED:
            given = "a spatial tendon"
        elif num <= 0:
            given = "no joints"
        elif len(missing):
            given = f"entry {missing[0]} is no single hinge or slide of the same world"
            allowed = "hinges and slides; of a joint with several dofs tendon_joint_dof says which"
        if given:
            text = problem(f"tendon '{name}'", given, f"{allowed}; it is left out of the simulation", "correct its row")
            warnings.warn(text, NewtonishWarning, stacklevel=4)
        else:
            kept.append(row)
    rows = np.array(kept, dtype=np.int64)
    entry = np.concatenate([np.arange(first[r], first[r] + number[r]) for r in rows] or [np.zeros(0, np.int64)])
    return TendonList(rows, number[rows], entry, joint[entry], [str(label) for label in labels[rows]])


def _joint_of_entries(worlds: Worlds, joints: JointTable) -> np.ndarray:
    """MuJoCo hinge or slide of each of the template's entries, -1 where there is none."""
    dofs = worlds.local("joint_dof", worlds.template(ENTRIES, worlds.source.tendon_dofs))
    scalar = np.isin(joints.type, (MJ_SLIDE, MJ_HINGE))
    joint = np.full(worlds.index["joint_dof"].shape[1] + 1, -1, dtype=np.int64)
    joint[joints.dof[scalar]] = np.flatnonzero(scalar)
    return joint[dofs]


def tendon_tables(worlds: Worlds, tendons: TendonList, t: Table) -> Table:
    """Every ``tendon_*``, ``wrap_*`` and ``ten_J_*`` field but ``tendon_invweight0`` and ``tendon_solref_lim``.

    Args:
        worlds: The worlds.
        tendons: The fixed tendons.
        t: ``qpos0``, ``qpos_spring`` and the joints' addresses.
    """
    source, count = worlds.source, len(tendons.row)

    def template(name: str) -> np.ndarray:
        return worlds.template(TABLE, source.custom(f"tendon_{name}"))[tendons.row]

    def pick(name: str) -> np.ndarray:
        return worlds.pick(TABLE, source.custom(f"tendon_{name}"))[:, tendons.row]

    def limited(flag: str, span: str) -> np.ndarray:
        rising = np.any(pick(span)[..., 0] < pick(span)[..., 1], axis=0)
        return np.where(template(flag) == 2, rising, template(flag) == 1)

    weight = worlds.pick(ENTRIES, source.custom("tendon_coef"))[:, tendons.entry]
    address = t["jnt_qposadr"][tendons.joint]
    length0, spring = (_sums(tendons, weight * t[name][:, address]) for name in ("qpos0", "qpos_spring"))
    rest = pick("springlength")
    derive = np.all(rest == -1.0, axis=-1, keepdims=True)
    none = np.full(count, -1, dtype=np.int32)
    return {
        "tendon_type": np.full(count, FIXED, dtype=np.int32),
        "tendon_adr": tendons.adr,
        "tendon_num": tendons.num,
        "tendon_matid": none,
        "tendon_actuatorid": none,
        "tendon_plasticadr": none,
        "tendon_group": template("group"),
        "tendon_rgba": template("rgba"),
        "tendon_limited": limited("limited", "range"),
        "tendon_actfrclimited": limited("actuator_force_limited", "actuator_force_range"),
        **{name: pick(own) for name, own in _FLOATS.items()},
        "tendon_length0": length0,
        "tendon_lengthspring": np.where(derive, spring[..., None], rest),
        "wrap_type": np.full(len(tendons.entry), WRAP_JOINT, dtype=np.int32),
        "wrap_objid": tendons.joint,
        "wrap_prm": weight,
        **_jacobian_structure(tendons, t["jnt_dofadr"][tendons.joint]),
    }


def _sums(tendons: TendonList, terms: np.ndarray) -> np.ndarray:
    """Sums of entries' values (W, entries) by tendon."""
    result = np.zeros((len(terms), len(tendons.num)))
    np.add.at(result, (slice(None), tendons.owner), terms)
    return result


def _jacobian_structure(tendons: TendonList, dofs: np.ndarray) -> Table:
    """Rows of the sparse Jacobian: each tendon's dofs, ascending, each once."""
    rows = [np.unique(dofs[adr : adr + num]) for adr, num in zip(tendons.adr, tendons.num)]
    lengths = np.array([len(row) for row in rows], dtype=np.int32).reshape(len(rows))
    return {
        "ten_J_rownnz": lengths,
        "ten_J_rowadr": (np.cumsum(lengths) - lengths).astype(np.int32),
        "ten_J_colind": np.concatenate([*rows, np.zeros(0, np.int64)]).astype(np.int32),
    }


def tendon_trees(t: Table) -> Table:
    """``tendon_treenum``, ``tendon_treeid`` (the first two trees), and the trees' sleep policies that follow."""
    count = len(t["tendon_adr"])
    number, first = np.zeros(count, dtype=np.int32), np.full((count, 2), -1, dtype=np.int32)
    policy = t["tree_sleep_policy"].copy()
    pulls = np.any((t["tendon_stiffness"] != 0) | (t["tendon_damping"] != 0), axis=0)
    pulls |= np.any((t["tendon_stiffnesspoly"] != 0) | (t["tendon_dampingpoly"] != 0), axis=(0, 2))
    for i, (adr, num) in enumerate(zip(t["tendon_adr"], t["tendon_num"])):
        dofs = t["jnt_dofadr"][t["wrap_objid"][adr : adr + num]]
        trees = list(dict.fromkeys(t["dof_treeid"][dofs].tolist()))
        number[i] = len(trees)
        first[i, : len(trees)] = trees[:2]
        if len(trees) > SLEEPING_TREES or (len(trees) == SLEEPING_TREES and pulls[i]):
            policy[[tree for tree in trees if policy[tree] == AUTO_ALLOWED]] = AUTO_NEVER
    return {"tendon_treenum": number, "tendon_treeid": first, "tree_sleep_policy": policy}


def limit_solref(worlds: Worlds, tendons: TendonList, t: Table) -> np.ndarray:
    """``tendon_solref_lim`` per distinct world; force-space gains need ``tendon_invweight0``."""
    source = worlds.source

    def pick(name: str) -> np.ndarray:
        return worlds.pick(TABLE, source.custom(f"tendon_{name}"))[:, tendons.row]

    gain = np.stack([pick("limit_ke"), pick("limit_kd")], axis=-1)
    never_edited = np.full(gain.shape, -np.inf)
    dmax = t["tendon_solimp_lim"][..., 1]
    mode, authored = pick("solref_limit_mode"), pick("solref_limit")
    return gains.limit_solref(mode, authored, gain, never_edited, t["tendon_invweight0"], dmax)


def jacobian_weights(compiled: Any) -> np.ndarray | None:
    """``wrap_prm`` summed by element of the Jacobian (nworld, nJten); None where all worlds have the same."""
    if "wrap_prm" not in compiled.batched:
        return None
    weight = compiled.batched["wrap_prm"]
    result = np.zeros((len(weight), compiled.nJten))
    dofs = compiled.jnt_dofadr[compiled.wrap_objid]
    for adr, num, row, width in zip(
        compiled.tendon_adr, compiled.tendon_num, compiled.ten_J_rowadr, compiled.ten_J_rownnz
    ):
        columns = compiled.ten_J_colind[row : row + width]
        for k in range(adr, adr + num):
            result[:, row + np.searchsorted(columns, dofs[k])] += weight[:, k]
    return result
