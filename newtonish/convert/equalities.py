"""Equality constraints: rows of ``mujoco:equality_constraint``, joints that close loops, mimic constraints and mimic joints.

A connect says where its anchor is on the first body, a weld without a relative pose (a zero quaternion) nothing but its
anchor on the second: the rest of ``eq_data`` is what holds at qpos0, as MuJoCo's compiler derives it. Mimic joints are
coupled coordinate by coordinate; both count from the reference pose, so that the coefficients stay what they are.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field

import numpy as np

from newtonish.common import frames
from newtonish.common.enums import EqType, JointType, ObjType
from newtonish.convert.bodies import BodyTree
from newtonish.convert.const0 import pose0
from newtonish.convert.geoms import ShapeList
from newtonish.convert.joints import JointTable
from newtonish.convert.loops import Closure, closure_data, list_closures
from newtonish.convert.source import Source
from newtonish.convert.tendons import TendonList
from newtonish.convert.worlds import Worlds
from newtonish.errors import NewtonishWarning, problem

__all__ = ["EqualityList", "active_by_world", "equality_tables", "list_equalities"]

Table = dict[str, np.ndarray]
TABLE = "mujoco:equality_constraint"
MIMIC = "constraint_mimic"
MIMIC_TARGET = 2
"""``equality_constraint_target_kind`` of a row that stands for a mimic constraint."""
NDATA = 12
SOLREF, SOLIMP = (0.02, 1.0), (0.9, 0.95, 0.001, 0.5, 2.0)

# length of the values of a row
NUMBERS = {"eq_solref": (2,), "eq_solimp": (5,), "equality_constraint_polycoef": (5,)}


@dataclass
class EqualityList:
    """The equality constraints in MuJoCo's order: rows of the table first, then closures of loops, then mimics.

    Attributes:
        type, objtype: MuJoCo's numbers (``objtype`` is 0 for joints and tendons).
        obj: Ids of the two objects, shape (n, 2); -1: none.
        row: Template position of each row in the table; fewer than ``type`` if there are closures or mimics.
        closure: Constraints of joints that close loops.
        mimic: Where the coefficients of the rest come from: (table, template position) of each.
        name: Names.
    """

    type: list[int] = field(default_factory=list)
    objtype: list[int] = field(default_factory=list)
    obj: list[tuple[int, int]] = field(default_factory=list)
    row: list[int] = field(default_factory=list)
    closure: list[Closure] = field(default_factory=list)
    mimic: list[tuple[str, int]] = field(default_factory=list)
    name: list[str] = field(default_factory=list)

    def add(self, kind: int, objtype: int, obj: tuple[int, int], name: str) -> None:
        """Add one constraint."""
        self.type.append(kind)
        self.objtype.append(objtype)
        self.obj.append(obj)
        self.name.append(name)


def list_equalities(worlds: Worlds, tree: BodyTree, joints: JointTable, shapes: ShapeList, tendons: TendonList) -> EqualityList:
    """List the constraints of the template world; what refers to nothing is named in a warning and left out."""
    source = worlds.source
    found = EqualityList()
    kinds, objtypes, labels, targets = (
        worlds.template(TABLE, source.custom(f"equality_constraint_{name}")) for name in ("type", "objtype", "label", "target_kind")
    )
    ends = {
        "body": _ids(worlds, "body", "body", np.append(tree.to_mjc, 0)),
        "site": _ids(worlds, "site", "shape", _position(shapes.site, worlds.index["shape"].shape[1])),
        "joint": _joint_ids(worlds, joints),
        "tendon": _ids(worlds, "tendon", "mujoco:tendon", _position(tendons.row, worlds.index["mujoco:tendon"].shape[1])),
    }
    for row, (kind, objtype, label) in enumerate(zip(kinds, objtypes, labels)):
        what, number = ("body", ObjType.BODY) if kind in (EqType.CONNECT, EqType.WELD) else ("joint" if kind == EqType.JOINT else "tendon", 0)
        if what == "body" and objtype == ObjType.SITE:
            what, number = "site", ObjType.SITE
        pair = (int(ends[what][row, 0]), int(ends[what][row, 1]))
        given = _fault(int(kind), what, pair, _wants_second(source, worlds, row, what))
        if given:
            allowed = "connect, weld, joint or tendon between two objects of one world; it is left out of the simulation"
            text = problem(f"equality constraint '{label or row}'", given, allowed, "correct its row")
            warnings.warn(text, NewtonishWarning, stacklevel=5)
            continue
        found.row.append(row)
        found.add(int(kind), number, pair, str(label))
    _add_closures(worlds, tree, found)
    done = worlds.template(TABLE, source.custom("equality_constraint_target"))[targets == MIMIC_TARGET]
    _add_mimics(worlds, joints, found, {int(i) for i in done})
    return found


def _add_closures(worlds: Worlds, tree: BodyTree, found: EqualityList) -> None:
    """Add the constraints of joints that close loops, from the parent body to the child."""
    source = worlds.source
    body = np.append(tree.to_mjc, 0)
    ends = [body[worlds.local("body", worlds.template("joint", source.array(f"joint_{end}")))] for end in ("parent", "child")]
    labels, rows = source.labels("joint"), worlds.index["joint"][0]
    found.closure = list_closures(worlds, tree.loops, tree.virtual)
    for closure in found.closure:
        pair = int(ends[0][closure.joint]), int(ends[1][closure.joint])
        suffix = {-1: "_near", 1: "_far"}.get(closure.side, "")
        found.add(closure.type, ObjType.BODY, pair, labels[rows[closure.joint]] + suffix)


def _position(rows: np.ndarray, count: int) -> np.ndarray:
    """Place of each template position in a list of them; -1 where it is not, and at the end for the index -1."""
    place = np.full(count + 1, -1, dtype=np.int64)
    place[rows] = np.arange(len(rows))
    return place


def _ids(worlds: Worlds, name: str, kind: str, ids: np.ndarray) -> np.ndarray:
    """MuJoCo ids (n, 2) of the two ends; ``ids`` has one for each template position, and the last for -1."""
    source = worlds.source
    columns = [worlds.template(TABLE, source.custom(f"equality_constraint_{name}{i}")) for i in (1, 2)]
    return np.stack([ids[worlds.local(kind, column)] for column in columns], axis=-1)


def _scalar_joints(worlds: Worlds, joints: JointTable) -> np.ndarray:
    """MuJoCo hinge or slide of each of the template's dofs; -1 where there is none, and at the end for the index -1."""
    scalar = np.isin(joints.type, (JointType.SLIDE, JointType.HINGE))
    result = np.full(worlds.index["joint_dof"].shape[1] + 1, -1, dtype=np.int64)
    result[joints.dof[scalar]] = np.flatnonzero(scalar)
    return result


def _joint_ids(worlds: Worlds, joints: JointTable) -> np.ndarray:
    """MuJoCo joints (n, 2) of joint equalities: of the named dof, or of the joint's only one."""
    source = worlds.source
    scalar = _scalar_joints(worlds, joints)
    columns = [scalar[worlds.local("joint_dof", worlds.template(TABLE, source.equality_dofs[:, i]))] for i in (0, 1)]
    return np.stack(columns, axis=-1)


def _wants_second(source: Source, worlds: Worlds, row: int, what: str) -> bool:
    """Whether the row names a second joint or tendon."""
    if what not in ("joint", "tendon"):
        return True
    return bool(worlds.template(TABLE, source.custom(f"equality_constraint_{what}2"))[row] >= 0)


def _fault(kind: int, what: str, pair: tuple[int, int], second: bool) -> str:
    """What is wrong with a row, or nothing."""
    if kind not in (EqType.CONNECT, EqType.WELD, EqType.JOINT, EqType.TENDON):
        return f"type {kind}"
    if pair[0] < 0 or (second and pair[1] < 0):
        return "no single hinge or slide" if what == "joint" else f"no {what}"
    return f"the same {what} twice" if pair[0] == pair[1] else ""


def _add_mimics(worlds: Worlds, joints: JointTable, found: EqualityList, done: set[int]) -> None:
    """Add mimic constraints but for those that rows stand for already, and mimic joints."""
    source = worlds.source
    labels = source.labels("joint")
    pairs: list[tuple[str, int, int, int]] = []
    followers = set()
    if source.rows(MIMIC):
        for position, row in enumerate(worlds.index[MIMIC][0]):
            follower, leader = (int(source.array(f"constraint_mimic_joint{i}")[row]) for i in (0, 1))
            followers.add(follower)
            if row not in done:
                pairs.append((MIMIC, position, follower, leader))
    if source.has("joint_mimic_joint"):
        for position, follower in enumerate(worlds.index["joint"][0]):
            leader = int(source.array("joint_mimic_joint")[follower])
            if leader >= 0 and follower not in followers:
                pairs.append(("joint", position, int(follower), leader))
    scalar = _scalar_joints(worlds, joints)
    start = np.append(source.array("joint_qd_start")[: source.rows("joint")], source.rows("joint_dof"))
    for table, position, follower, leader in pairs:
        dofs = [np.arange(start[j], start[j + 1]) for j in (follower, leader)]
        ids = [scalar[worlds.local("joint_dof", d)] for d in dofs]
        name = f"mimic joint '{labels[follower]}' of '{labels[leader]}'"
        if len(ids[0]) != len(ids[1]) or not len(ids[0]) or min(ids[0].min(), ids[1].min()) < 0:
            allowed = "hinges and slides, as many on both sides; it is left out of the simulation"
            warnings.warn(problem(name, "other joints", allowed, "couple others"), NewtonishWarning, stacklevel=6)
            continue
        for one, two in zip(*ids):
            found.mimic.append((table, position))
            found.add(EqType.JOINT, 0, (int(one), int(two)), "")


def equality_tables(worlds: Worlds, equalities: EqualityList, t: Table) -> Table:
    """Every ``eq_*`` field.

    Args:
        worlds: The worlds.
        equalities: The constraints.
        t: Frames, joints and ``qpos0`` of all bodies.
    """
    source, count = worlds.source, len(equalities.type)
    obj = np.array(equalities.obj, dtype=np.int64).reshape(-1, 2)
    rows, closures = len(equalities.row), len(equalities.closure)
    shape = (len(worlds.distinct), count - rows)

    def pick(name: str) -> np.ndarray:
        values = source.custom(name)
        if not rows:  # a model without the table has no shape for its values either
            return np.zeros((len(worlds.distinct), 0, *NUMBERS.get(name, ())))
        return worlds.pick(TABLE, values)[:, equalities.row]

    solref, solimp = (
        np.concatenate([pick(name), np.broadcast_to(default, (*shape, len(default)))], axis=1)
        for name, default in (("eq_solref", SOLREF), ("eq_solimp", SOLIMP))
    )
    data = np.zeros((len(worlds.distinct), count, NDATA))
    data[..., 10] = 1.0
    kind, objtype = np.array(equalities.type, dtype=np.int64), np.array(equalities.objtype, dtype=np.int64)
    scalar = np.flatnonzero(kind[:rows] >= EqType.JOINT)
    data[:, scalar, :5] = pick("equality_constraint_polycoef")[:, scalar]
    data[:, rows : rows + closures] = closure_data(worlds, equalities.closure)
    for i, (table, position) in enumerate(equalities.mimic, start=rows + closures):
        data[:, i, :2] = _mimic_coefficients(worlds, table, position)
    _body_data(data, kind[:rows], objtype[:rows], obj, pick, t)
    return {
        "eq_type": kind,
        "eq_obj1id": obj[:, 0],
        "eq_obj2id": obj[:, 1],
        "eq_objtype": objtype,
        "eq_active0": active_by_world(worlds, equalities)[0],
        "eq_solref": solref,
        "eq_solimp": solimp,
        "eq_data": data,
    }


def _mimic_coefficients(worlds: Worlds, table: str, position: int) -> np.ndarray:
    """Offset and factor of a mimic in every distinct world, (distinct, 2)."""
    source = worlds.source
    if table == "joint":
        return worlds.pick("joint", source.array("joint_mimic_coeffs"))[:, position]
    columns = [worlds.pick(MIMIC, source.array(f"constraint_mimic_coef{i}"))[:, position] for i in (0, 1)]
    return np.stack(columns, axis=-1)


def _body_data(data: np.ndarray, kind: np.ndarray, objtype: np.ndarray, obj: np.ndarray, pick, t: Table) -> None:
    """Fill ``eq_data`` of connects and welds."""
    if not np.any(kind < EqType.JOINT):
        return
    anchor, scale = pick("equality_constraint_anchor"), pick("equality_constraint_torquescale")
    written_pos, written_quat = frames.from_newton(pick("equality_constraint_relpose"))
    zero = np.all(pick("equality_constraint_relpose")[..., 3:] == 0.0, axis=-1)
    pose = pose0(t)
    for e in np.flatnonzero(kind < EqType.JOINT):
        if objtype[e] == ObjType.SITE:  # the sites say it all; what stands here are MuJoCo's left-overs
            data[:, e] = 0.0
            if kind[e] == EqType.WELD:
                data[:, e, 1], data[:, e, 10] = 1.0, scale[:, e]
            continue
        here, there = obj[e] if kind[e] == EqType.CONNECT else obj[e][::-1]
        point = pose["xpos"][:, here] + frames.rotate(pose["xquat"][:, here], anchor[:, e])
        back = frames.invert(pose["xpos"][:, there], pose["xquat"][:, there])
        data[:, e, :3] = anchor[:, e]
        data[:, e, 3:6] = back[0] + frames.rotate(back[1], point)
        if kind[e] == EqType.CONNECT:
            continue
        relative = frames.unit(frames.quat_mul(back[1], pose["xquat"][:, here]))
        derived = zero[:, e, None]
        data[:, e, 3:6] = np.where(derived, data[:, e, 3:6], written_pos[:, e])
        data[:, e, 6:10] = np.where(derived, relative, written_quat[:, e])
        data[:, e, 10], data[:, e, 11] = scale[:, e], zero[:, e]


def active_by_world(worlds: Worlds, equalities: EqualityList) -> np.ndarray:
    """``eq_active0`` of every world, (nworld, n)."""
    source = worlds.source
    active = [source.custom("equality_constraint_enabled")[worlds.index[TABLE]][:, equalities.row]]
    joints = [closure.joint for closure in equalities.closure]
    active.append(source.array("joint_enabled")[worlds.index["joint"][:, joints]].reshape(worlds.count, -1))
    for table, position in equalities.mimic:
        if table == MIMIC:
            rows = worlds.index[MIMIC][:, position]
            active.append(source.array("constraint_mimic_enabled")[rows][:, None])
        else:
            active.append(np.ones((worlds.count, 1), dtype=bool))
    return np.concatenate(active, axis=1).astype(bool)
