"""Tendons, weighted sums of joint coordinates or paths over sites and geoms, with what MuJoCo derives from them.

A tendon's entries become MuJoCo's wraps, one for each joint, site, geom or pulley, in the order in which they were
added; the Jacobian of all tendons is stored row by row with ascending dofs. Lengths at ``qpos0`` and ``qpos_spring`` are
plain sums for fixed tendons and those of ``paths`` for spatial ones; the inverse inertia ``J·M⁻¹·Jᵀ`` is left to ``const0``.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from newtonish.common.enums import GeomType, JointType, SleepPolicy, TrnType, WrapType
from newtonish.convert import gains, paths
from newtonish.convert.geoms import ShapeList
from newtonish.convert.joints import JointTable
from newtonish.convert.worlds import Worlds, tendon_spans
from newtonish.errors import NewtonishWarning, problem

__all__ = ["TendonList", "jacobian_weights", "limit_solref", "list_tendons", "tendon_tables", "tendon_trees"]

Table = dict[str, np.ndarray]
TABLE, ENTRIES, WRAPS = "mujoco:tendon", "mujoco:tendon_joint", "mujoco:tendon_wrap"
FIXED, SPATIAL = 0, 1
SITE, GEOM, PULLEY = range(3)
"""``tendon_wrap_type``."""
SLEEPING_TREES = 2
"""A tendon over more trees than these keeps them awake; over as many only if it pulls at rest."""
_FLOATS = {
    "tendon_solref_fri": "solref_friction", "tendon_solimp_fri": "solimp_friction",
    "tendon_range": "range", "tendon_actfrcrange": "actuator_force_range", "tendon_margin": "margin",
    "tendon_stiffness": "stiffness", "tendon_stiffnesspoly": "stiffnesspoly", "tendon_damping": "damping",
    "tendon_dampingpoly": "dampingpoly", "tendon_armature": "armature", "tendon_frictionloss": "frictionloss",
    "tendon_width": "width", "tendon_springyield": "springyield",
}  # fmt: skip


@dataclass
class TendonList:
    """The tendons in order.

    Attributes:
        row: Template position of each tendon in its table.
        num: Number of entries of each tendon.
        entry: Template position of each entry in its table (joints or wraps), tendon by tendon.
        wrap: MuJoCo's kind of each entry; a geom's is that of a sphere until ``tendon_tables`` knows the geom.
        joint: MuJoCo joint, site or geom of each entry; -1 for pulleys.
        side: Side site of each entry, -1 for none.
        name: Names.
    """

    row: np.ndarray
    num: np.ndarray
    entry: np.ndarray
    wrap: np.ndarray
    joint: np.ndarray
    side: np.ndarray
    name: list[str]

    @property
    def adr(self) -> np.ndarray:
        """First entry of each tendon."""
        return np.cumsum(self.num) - self.num

    @property
    def owner(self) -> np.ndarray:
        """Tendon of each entry."""
        return np.repeat(np.arange(len(self.num)), self.num)


def list_tendons(worlds: Worlds, joints: JointTable, shapes: ShapeList) -> TendonList:
    """List the tendons of the template world; what cannot be converted is named in a warning and left out as a whole."""
    source = worlds.source
    kinds = worlds.template(TABLE, source.custom("tendon_type"))
    labels = worlds.template(TABLE, source.custom("tendon_label"))
    number, outside = {}, {}
    for kind, name in ((FIXED, "joint"), (SPATIAL, "wrap")):
        _, numbers, beyond = tendon_spans(source, name)
        number[kind], outside[kind] = worlds.template(TABLE, numbers), worlds.template(TABLE, beyond)
    first = {kind: np.cumsum(count) - count for kind, count in number.items()}
    joint = _joint_of_entries(worlds, joints)
    wrap = _objects_of_wraps(worlds, shapes)
    kept, parts, nums = [], [], []
    for row, (kind, name) in enumerate(zip(kinds.tolist(), labels)):
        kind = kind if kind == SPATIAL else FIXED
        at = np.arange(first[kind][row], first[kind][row] + number[kind][row])
        if kind == FIXED:
            none = np.full(len(at), -1)
            part = np.stack([at, np.full(len(at), WrapType.JOINT), joint[at], none], axis=-1).reshape(-1, 4)
            given, allowed = _check_joints(part), "hinges and slides; of a joint with several dofs tendon_joint_dof says which"
        else:
            part = np.concatenate([at[:, None], wrap[at]], axis=-1)
            given, allowed = _check_path(part), "sites, geoms between two sites, and pulleys, of the same world"
        if outside[kind][row]:
            given = f"rows that are not in {WRAPS if kind == SPATIAL else ENTRIES}"
        if given:
            text = problem(f"tendon '{name}'", given, f"{allowed}; it is left out of the simulation", "correct its row")
            warnings.warn(text, NewtonishWarning, stacklevel=5)
            continue
        kept.append(row)
        parts.append(part)
        nums.append(len(part))
    entries = np.concatenate([*parts, np.zeros((0, 4), np.int64)]).astype(np.int64)
    names = [str(labels[row]) for row in kept]
    rows, counts = np.array(kept, dtype=np.int64), np.array(nums, dtype=np.int64)
    entry, wrap, joint, side = entries.T
    return TendonList(rows, counts, entry, wrap, joint, side, names)


def _check_joints(part: np.ndarray) -> str:
    """What is wrong with the entries of a fixed tendon; empty if nothing is."""
    missing = np.flatnonzero(part[:, 2] < 0)
    if len(missing):
        return f"entry {missing[0]} is no single hinge or slide of the same world"
    return "" if len(part) else "no joints"


def _check_path(part: np.ndarray) -> str:
    """What is wrong with the path of a spatial tendon; empty if nothing is."""
    kinds = [WrapType.PULLEY, *part[:, 1].tolist(), WrapType.PULLEY]
    if len(part) < 2:
        return f"a path of {len(part)} elements"
    for k, (kind, item) in enumerate(part[:, 1:3].tolist()):
        if kind != WrapType.PULLEY and item < 0:
            return f"element {k} is no site or geom of the same world"
        if kind == WrapType.SPHERE and (kinds[k] != WrapType.SITE or kinds[k + 2] != WrapType.SITE):
            return f"element {k} is a geom without a site on each side"
    return ""


def _objects_of_wraps(worlds: Worlds, shapes: ShapeList) -> np.ndarray:
    """MuJoCo's kind, site or geom, and side site of each of the template's wraps, (n, 3)."""
    source = worlds.source
    kind = worlds.template(WRAPS, source.custom("tendon_wrap_type"))
    count = worlds.index["shape"].shape[1]

    def ids(name: str, listed: np.ndarray) -> np.ndarray:
        lookup = np.full(count + 1, -1, dtype=np.int64)
        lookup[listed] = np.arange(len(listed))
        return lookup[worlds.local("shape", worlds.template(WRAPS, source.custom(name)))]

    site, geom = ids("tendon_wrap_shape", shapes.site), ids("tendon_wrap_shape", shapes.geom)
    item = np.select([kind == SITE, kind == GEOM], [site, geom], -1)
    side = np.where(kind == GEOM, ids("tendon_wrap_sidesite", shapes.site), -1)
    wrap = np.select([kind == SITE, kind == GEOM], [WrapType.SITE, WrapType.SPHERE], WrapType.PULLEY)
    return np.stack([wrap, item, side], axis=-1).reshape(-1, 3)


def _joint_of_entries(worlds: Worlds, joints: JointTable) -> np.ndarray:
    """MuJoCo hinge or slide of each of the template's entries, -1 where there is none."""
    dofs = worlds.local("joint_dof", worlds.template(ENTRIES, worlds.source.tendon_dofs))
    scalar = np.isin(joints.type, (JointType.SLIDE, JointType.HINGE))
    joint = np.full(worlds.index["joint_dof"].shape[1] + 1, -1, dtype=np.int64)
    joint[joints.dof[scalar]] = np.flatnonzero(scalar)
    return joint[dofs]


def tendon_tables(worlds: Worlds, tendons: TendonList, t: Table) -> Table:
    """Every ``tendon_*``, ``wrap_*`` and ``ten_J_*`` field but ``tendon_invweight0`` and ``tendon_solref_lim``.

    Args:
        worlds: The worlds.
        tendons: The tendons.
        t: ``qpos0``, ``qpos_spring``, the bodies' frames, joints, geoms and sites.
    """
    source, count = worlds.source, len(tendons.row)

    def template(name: str) -> np.ndarray:
        return worlds.template(TABLE, source.custom(f"tendon_{name}"))[tendons.row]

    def pick(name: str) -> np.ndarray:
        return worlds.pick(TABLE, source.custom(f"tendon_{name}"))[:, tendons.row]

    def limited(flag: str, span: str) -> np.ndarray:
        rising = np.any(pick(span)[..., 0] < pick(span)[..., 1], axis=0)
        return np.where(template(flag) == 2, rising & bool(source.custom("autolimits")[0]), template(flag) == 1)

    wraps = _wrap_tables(worlds, tendons, t)
    length0, spring = (_lengths(t, wraps, tendons, t[name]) for name in ("qpos0", "qpos_spring"))
    none = np.full(count, -1, dtype=np.int32)
    return {
        "tendon_type": (template("type") == SPATIAL).astype(np.int32),
        "tendon_actuatorid": none,
        "tendon_group": template("group"),
        "tendon_rgba": template("rgba"),
        "tendon_limited": limited("limited", "range"),
        "tendon_actfrclimited": limited("actuator_force_limited", "actuator_force_range"),
        **{name: pick(own) for name, own in _FLOATS.items()},
        "tendon_range": _ranges(pick("solref_limit_mode"), pick("limit_ke"), pick("range")),
        "tendon_solimp_lim": gains.limit_solimp(pick("solref_limit_mode"), pick("solimp_limit")),
        "tendon_length0": length0,
        "tendon_lengthspring": _rest_lengths(pick("springlength"), spring),
        **wraps,
        **_jacobian_structure(t, wraps),
    }


def _wrap_tables(worlds: Worlds, tendons: TendonList, t: Table) -> Table:
    """``wrap_*``, ``tendon_adr`` and ``tendon_num``."""
    source = worlds.source
    kind = tendons.wrap.copy()
    on_geom = kind == WrapType.SPHERE
    kind[on_geom & (t["geom_type"][np.where(on_geom, tendons.joint, 0)] == GeomType.CYLINDER if np.any(on_geom) else on_geom)] = WrapType.CYLINDER
    prm = np.zeros((len(worlds.distinct), len(kind)))
    for wrap, table, name in ((WrapType.JOINT, ENTRIES, "tendon_coef"), (WrapType.PULLEY, WRAPS, "tendon_wrap_prm")):
        rows = kind == wrap
        prm[:, rows] = worlds.pick(table, source.custom(name))[:, tendons.entry[rows]]
    prm[:, on_geom] = tendons.side[on_geom]
    return {
        "tendon_adr": tendons.adr,
        "tendon_num": tendons.num,
        "wrap_type": kind.astype(np.int32),
        "wrap_objid": tendons.joint,
        "wrap_prm": prm,
    }


def _lengths(t: Table, wraps: Table, tendons: TendonList, qpos: np.ndarray) -> np.ndarray:
    """Lengths (W, tendons) at coordinates ``qpos``."""
    terms = np.zeros(wraps["wrap_prm"].shape)
    fixed = wraps["wrap_type"] == WrapType.JOINT
    terms[:, fixed] = wraps["wrap_prm"][:, fixed] * qpos[:, t["jnt_qposadr"][tendons.joint[fixed]]]
    length = _sums(tendons, terms)
    if np.all(fixed):
        return length
    return paths.spatial_lengths(paths.Motion({**t, **wraps}, paths.pose_at(t, qpos)), length)


def _rest_lengths(given: np.ndarray, derived: np.ndarray) -> np.ndarray:
    """Ends of the range (W, tendons, 2) within which springs rest: as given, or the derived lengths for (-1, -1).

    A single length is both ends. Newton's importer keeps it as (length, -1), so numbers that fall mean the first.
    """
    first, second = given[..., 0], given[..., 1]
    ends = np.stack([first, np.maximum(first, second)], axis=-1)
    return np.where(np.all(given == -1.0, axis=-1, keepdims=True), derived[..., None], ends)


def _sums(tendons: TendonList, terms: np.ndarray) -> np.ndarray:
    """Sums of entries' values (W, entries) by tendon."""
    result = np.zeros((len(terms), len(tendons.num)))
    np.add.at(result, (slice(None), tendons.owner), terms)
    return result


def _dofs_of_wraps(t: Table, adr: int, num: int) -> list[int]:
    """Dofs that change a tendon, in the order of its wraps, each once."""
    dofs: list[int] = []
    for kind, item in zip(t["wrap_type"][adr : adr + num], t["wrap_objid"][adr : adr + num]):
        if kind == WrapType.JOINT:
            dofs.append(int(t["jnt_dofadr"][item]))
        elif kind != WrapType.PULLEY:
            dofs += paths.chain_dofs(t, int(t["site_bodyid" if kind == WrapType.SITE else "geom_bodyid"][item]))
    return list(dict.fromkeys(dofs))


def _jacobian_structure(t: Table, wraps: Table) -> Table:
    """Rows of the sparse Jacobian: each tendon's dofs, ascending, each once."""
    both = {**t, **wraps}
    rows = [np.unique(_dofs_of_wraps(both, adr, num)) for adr, num in zip(wraps["tendon_adr"], wraps["tendon_num"])]
    lengths = np.array([len(row) for row in rows], dtype=np.int32).reshape(len(rows))
    return {
        "ten_J_rownnz": lengths,
        "ten_J_rowadr": (np.cumsum(lengths) - lengths).astype(np.int32),
        "ten_J_colind": np.concatenate([*rows, np.zeros(0, np.int64)]).astype(np.int32),
    }


def tendon_trees(t: Table) -> Table:
    """``tendon_treenum``, ``tendon_treeid`` (the first two trees), and the trees' sleep policies that follow."""
    count = len(t["tendon_adr"])
    driven = set(t["actuator_trnid"][t["actuator_trntype"] == TrnType.TENDON, 0].tolist())
    number, first = np.zeros(count, dtype=np.int32), np.full((count, 2), -1, dtype=np.int32)
    policy = t["tree_sleep_policy"].copy()
    pulls = np.any((t["tendon_stiffness"] != 0) | (t["tendon_damping"] != 0), axis=0)
    pulls |= np.any((t["tendon_stiffnesspoly"] != 0) | (t["tendon_dampingpoly"] != 0), axis=(0, 2))
    for i, (adr, num) in enumerate(zip(t["tendon_adr"], t["tendon_num"])):
        dofs = np.array(_dofs_of_wraps(t, adr, num), dtype=np.int64)
        trees = list(dict.fromkeys(t["dof_treeid"][dofs].tolist()))
        number[i] = len(trees)
        first[i, : len(trees)] = trees[:2]
        if i in driven or len(trees) > SLEEPING_TREES or (len(trees) == SLEEPING_TREES and pulls[i]):
            policy[[tree for tree in trees if policy[tree] == SleepPolicy.AUTO_ALLOWED]] = SleepPolicy.AUTO_NEVER
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
    found = gains.limit_solref(mode, authored, gain, never_edited, t["tendon_invweight0"], dmax)
    undamped = (mode == gains.FORCE_SPACE) & (gain[..., 0] > 0.0) & (gain[..., 1] <= 0.0)
    elastic = gains.spring_solref(gain[..., 0] * t["tendon_invweight0"] * (1.0 - dmax), np.zeros_like(dmax))
    return np.where(undamped[..., None], elastic, found)


def _ranges(mode: np.ndarray, stiffness: np.ndarray, authored: np.ndarray) -> np.ndarray:
    """``tendon_range``: none where force-space gains of a limit have no stiffness, which is then no limit."""
    off = (mode == gains.FORCE_SPACE) & (stiffness <= 0.0)
    return np.where(off[..., None], np.array([-np.inf, np.inf]), authored)


def jacobian_weights(compiled: Any) -> np.ndarray | None:
    """``wrap_prm`` summed by element of the Jacobian (nworld, nJten); None where all worlds have the same."""
    if "wrap_prm" not in compiled.batched:
        return None
    weight = compiled.batched["wrap_prm"]
    result = np.zeros((len(weight), compiled.nJten))
    for adr, num, row, width in zip(compiled.tendon_adr, compiled.tendon_num, compiled.ten_J_rowadr, compiled.ten_J_rownnz):
        columns = compiled.ten_J_colind[row : row + width]
        for k in range(adr, adr + num):
            if compiled.wrap_type[k] == WrapType.JOINT:
                dof = compiled.jnt_dofadr[compiled.wrap_objid[k]]
                result[:, row + np.searchsorted(columns, dof)] += weight[:, k]
    return result
