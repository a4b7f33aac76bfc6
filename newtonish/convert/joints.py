"""Joints and dofs: one MuJoCo joint per active dof of a Newton joint (free and ball joints stay whole).

Numbers are given in ``joint_q`` space by Newton and in ``qpos`` space to MuJoCo, ``qpos = joint_q + ref``: limits
and spring references are shifted by ``mujoco:dof_ref``. Anchors and axes are turned from the joint's child frame
into the body frame; a joint above a virtual link is carried down to the real link it belongs to. Limit ``solref``
is left to ``gains``, because force-space gains need the constants of qpos0.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from newtonish.common import frames
from newtonish.common.constants import KINEMATIC_ARMATURE
from newtonish.common.enums import JointType
from newtonish.convert import gains
from newtonish.convert.bodies import DISTANCE, FIXED, FREE, BodyTree, joint_offsets
from newtonish.convert.worlds import Worlds
from newtonish.errors import NewtonishWarning, UnsupportedError, problem, raise_all

__all__ = ["JointTable", "joint_names", "joint_tables", "limit_solref", "list_joints"]

PRISMATIC, REVOLUTE, BALL, D6 = 0, 1, 2, 6
_TYPE_NAMES = {7: "ROD, a cable"}
_NQ, _NV = np.array([7, 4, 1, 1]), np.array([6, 3, 1, 1])
UNLIMITED = 1e9
"""A limit beyond this is none (Newton writes 1e10)."""
EFFORT_UNLIMITED = 1e6
"""An effort limit from here on is none (Newton's default)."""
KINEMATIC = 2
"""BodyFlags.KINEMATIC."""


@dataclass
class JointTable:
    """MuJoCo's joints in order, each with the Newton joint, dof and coordinate (template positions) it comes from.

    ``type, body, qposadr, dofadr`` are MuJoCo's; ``joint, dof, coord`` index the template world's Newton rows.
    """

    type: np.ndarray
    body: np.ndarray
    joint: np.ndarray
    dof: np.ndarray
    coord: np.ndarray
    qposadr: np.ndarray
    dofadr: np.ndarray
    nq: int
    nv: int

    @property
    def width(self) -> np.ndarray:
        """Number of dofs of each joint."""
        return _NV[self.type]

    def per_dof(self, values: np.ndarray) -> np.ndarray:
        """Repeat values by joint (axis 0) for each of its dofs."""
        return np.repeat(values, self.width, axis=0)

    @property
    def newton_dof(self) -> np.ndarray:
        """(nv,) Newton dof (template position) of each MuJoCo dof."""
        return np.concatenate([self.dof[j] + np.arange(w) for j, w in enumerate(self.width)] or [np.zeros(0, int)])


def _warn_distance(names: list[str]) -> None:
    """Say that distance joints bind nothing."""
    if names:
        given = f"type DISTANCE ({len(names)} of them)" if len(names) > 1 else "type DISTANCE"
        remedy = "its body moves freely; connect the bodies by another joint"
        warnings.warn(problem(f"joint '{names[0]}'", given, "every type but DISTANCE", remedy), NewtonishWarning, stacklevel=5)


def list_joints(worlds: Worlds, tree: BodyTree) -> JointTable:
    """List MuJoCo's joints body by body, each body's chain from the parent down, slides before hinges."""
    source = worlds.source
    kind = worlds.template("joint", source.array("joint_type"))
    dims = worlds.template("joint", source.array("joint_dof_dim"))
    first_dof = worlds.local("joint_dof", worlds.template("joint", source.array("joint_qd_start")))
    first_coord = worlds.local("joint_coord", worlds.template("joint", source.array("joint_q_start")))
    names = source.labels("joint")
    rows: list[tuple[int, int, int, int, int]] = []
    problems: list[str] = []
    _warn_distance([names[worlds.index["joint"][0][j]] for chain in tree.chain for j in chain if kind[j] == DISTANCE])
    for body, chain in enumerate(tree.chain):
        for joint in chain:
            k, dof, coord = int(kind[joint]), int(first_dof[joint]), int(first_coord[joint])
            if k in (FREE, DISTANCE, BALL):
                rows.append((JointType.BALL if k == BALL else JointType.FREE, body, joint, dof, coord))
                if k != BALL and (tree.parent[body] != 0 or len(chain) > 1):
                    name = names[worlds.index["joint"][0][joint]]
                    problems.append(
                        problem(
                            f"joint '{name}'",
                            "a free joint below another link",
                            "free joints between a link and the world",
                            "set parent=-1",
                        )
                    )
            elif k in (PRISMATIC, REVOLUTE, D6):
                linear, angular = (int(d) for d in dims[joint])
                types = [JointType.SLIDE] * linear + [JointType.HINGE] * angular
                rows += [(t, body, joint, dof + i, coord + i) for i, t in enumerate(types)]
            elif k != FIXED:
                name = names[worlds.index["joint"][0][joint]]
                problems.append(
                    problem(
                        f"joint '{name}'",
                        f"joint type {_TYPE_NAMES.get(k, k)}",
                        "prismatic, revolute, ball, fixed, free, distance and D6",
                        "replace it by one of these",
                    )
                )
    raise_all(UnsupportedError, "conversion", problems)
    kinds, bodies, joints, dofs, coords = np.array(rows, dtype=np.int64).reshape(-1, 5).T
    nq, nv = _NQ[kinds], _NV[kinds]
    qposadr, dofadr = np.cumsum(nq) - nq, np.cumsum(nv) - nv
    return JointTable(kinds, bodies, joints, dofs, coords, qposadr, dofadr, nq=int(nq.sum()), nv=int(nv.sum()))


def joint_names(worlds: Worlds, joints: JointTable) -> list[str]:
    """Names: the MJCF joint's where known, else the Newton joint's with its axis where it has several."""
    source = worlds.source
    labels = source.labels("joint")
    authored = source.custom("joint_dof_label")
    dims = worlds.template("joint", source.array("joint_dof_dim"))
    names = []
    for k, joint, dof in zip(joints.type, joints.joint, joints.dof):
        label = labels[worlds.index["joint"][0][joint]]
        own = str(authored[worlds.index["joint_dof"][0][dof]])
        if k in (JointType.SLIDE, JointType.HINGE) and dims[joint].sum() > 1:
            group = dims[joint][0] if k == JointType.SLIDE else dims[joint][1]
            first = joints.dof[joints.joint == joint].min() + (0 if k == JointType.SLIDE else dims[joint][0])
            label += ("_lin" if k == JointType.SLIDE else "_ang") + (str(dof - first) if group > 1 else "")
        names.append(own or label)
    return names


def joint_tables(worlds: Worlds, tree: BodyTree, joints: JointTable, body: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Every ``jnt_*``, ``dof_*``, ``qpos*`` and ``body_*adr/num`` field but those derived at qpos0 and the limits'
    solref.

    Args:
        worlds: The worlds.
        tree: The body tree.
        joints: The joints in MuJoCo's order.
        body: ``body_pos`` and ``body_quat`` per distinct world.
    """
    scalar = np.isin(joints.type, (JointType.SLIDE, JointType.HINGE))
    return {
        **_structure(tree, joints),
        **_geometry(worlds, tree, joints, scalar),
        **_limits(worlds, joints, scalar),
        **_passive(worlds, tree, joints),
        **_reference(worlds, joints, scalar, body),
    }


def _structure(tree: BodyTree, joints: JointTable) -> dict[str, np.ndarray]:
    """Addresses and parents of joints and dofs."""
    nbody, njnt = tree.nbody, len(joints.type)
    jntnum = np.bincount(joints.body, minlength=nbody)
    dofnum = np.bincount(joints.per_dof(joints.body), minlength=nbody)
    jntadr = np.where(jntnum > 0, np.cumsum(jntnum) - jntnum, -1)
    dofadr = np.where(dofnum > 0, np.cumsum(dofnum) - dofnum, -1)
    parent = np.full(joints.nv, -1, dtype=np.int32)
    last = np.full(nbody, -1, dtype=np.int64)
    for body in range(1, nbody):
        last[body] = last[tree.parent[body]]
        for dof in range(dofadr[body], dofadr[body] + dofnum[body]):
            parent[dof], last[body] = last[body], dof
    return {
        "body_jntnum": jntnum,
        "body_jntadr": jntadr,
        "body_dofnum": dofnum,
        "body_dofadr": dofadr,
        "jnt_type": joints.type,
        "jnt_bodyid": joints.body,
        "jnt_qposadr": joints.qposadr,
        "jnt_dofadr": joints.dofadr,
        "dof_bodyid": joints.per_dof(joints.body),
        "dof_jntid": joints.per_dof(np.arange(njnt)),
        "dof_parentid": parent,
    }


def _geometry(worlds: Worlds, tree: BodyTree, joints: JointTable, scalar: np.ndarray) -> dict[str, np.ndarray]:
    """Anchors and axes in the body frame at qpos0."""
    source = worlds.source
    child_pos, child_quat = frames.from_newton(worlds.pick("joint", source.array("joint_X_c")))
    offset = joint_offsets(worlds)
    anchor_of_dof = worlds.pick("joint_dof", source.custom("joint_anchor"))[:, joints.dof]
    axis_of_dof = worlds.pick("joint_dof", source.array("joint_axis"))[:, joints.dof]
    own = child_pos[:, joints.joint]
    anchor = np.where(np.isnan(anchor_of_dof), own, anchor_of_dof)
    axis = frames.unit(frames.rotate(child_quat[:, joints.joint], frames.unit(axis_of_dof)))
    for i, (body, joint) in enumerate(zip(joints.body, joints.joint)):
        below = tree.chain[body][tree.chain[body].index(joint) + 1 :]
        for lower in reversed(below):
            pos, quat = frames.invert(offset[0][:, lower], offset[1][:, lower])
            anchor[:, i] = pos + frames.rotate(quat, anchor[:, i])
            axis[:, i] = frames.rotate(quat, axis[:, i])
    anchor[:, joints.type == JointType.FREE] = 0.0
    axis[:, ~scalar] = (0.0, 0.0, 1.0)
    return {"jnt_pos": anchor, "jnt_axis": axis}


def _limits(worlds: Worlds, joints: JointTable, scalar: np.ndarray) -> dict[str, np.ndarray]:
    """Position limits, actuator force limits and what belongs to the limit constraint but its solref."""
    source = worlds.source

    def template(name: str) -> np.ndarray:
        values = source.custom(name) if not name.startswith("joint_effort") else source.array(name)
        return worlds.template("joint_dof", values)[joints.dof]

    def pick(values: np.ndarray) -> np.ndarray:
        return worlds.pick("joint_dof", values)[:, joints.dof]

    ref = pick(source.custom("dof_ref"))
    lower, upper = pick(source.array("joint_limit_lower")), pick(source.array("joint_limit_upper"))
    bounded = (lower > -UNLIMITED) | (upper < UNLIMITED)
    mode = template("joint_limited")
    limited = np.where(mode == 2, scalar & np.any(bounded, axis=0), mode == 1)
    authored = pick(source.custom("joint_range"))
    shifted = np.stack([lower + ref, upper + ref], axis=-1)
    use = scalar & limited & bounded
    effort = pick(source.array("joint_effort_limit"))
    force_mode = template("joint_actfrclimited")
    finite = scalar & np.any((effort > 0.0) & (effort < EFFORT_UNLIMITED), axis=0)
    force_range = pick(source.custom("joint_actfrcrange"))
    automatic = (force_mode == 2) & finite
    symmetric = np.stack([-effort, effort], axis=-1)
    return {
        "jnt_limited": limited,
        "jnt_range": np.where(use[..., None], shifted, authored),
        "jnt_solimp": gains.limit_solimp(pick(source.custom("solreflimit_mode")), pick(source.custom("solimplimit"))),
        "jnt_margin": pick(source.custom("limit_margin")),
        "jnt_actfrclimited": np.where(force_mode == 2, finite, force_mode == 1),
        "jnt_actfrcrange": np.where(automatic[:, None], symmetric, force_range),
        "jnt_actgravcomp": template("jnt_actgravcomp"),
        "jnt_group": template("joint_group"),
    }


def _passive(worlds: Worlds, tree: BodyTree, joints: JointTable) -> dict[str, np.ndarray]:
    """Springs, dampers, armature and friction loss; dofs of kinematic links get an armature that nothing moves."""
    source = worlds.source
    dofs = joints.newton_dof

    def pick(values: np.ndarray, at: np.ndarray) -> np.ndarray:
        return worlds.pick("joint_dof", values)[:, at]

    armature, kinematic = pick(source.array("joint_armature"), dofs), np.zeros((len(worlds.distinct), len(dofs)), dtype=bool)
    if source.has("body_flags"):
        flags = worlds.pick("body", source.array("body_flags"))[:, tree.body[joints.body]]
        kinematic = np.stack([joints.per_dof(of_joints) for of_joints in (flags & KINEMATIC) > 0])
        armature[kinematic] = KINEMATIC_ARMATURE
    return {
        "_kinematic_dof": kinematic,
        "jnt_stiffness": pick(source.array("joint_stiffness"), joints.dof),
        "jnt_stiffnesspoly": pick(source.custom("joint_stiffnesspoly"), joints.dof),
        "jnt_springyield": pick(source.custom("joint_springyield"), joints.dof),
        "dof_armature": armature,
        "dof_damping": pick(source.array("joint_damping"), dofs),
        "dof_dampingpoly": pick(source.custom("joint_dampingpoly"), dofs),
        "dof_frictionloss": pick(source.array("joint_friction"), dofs),
        "dof_solref": pick(source.custom("solreffriction"), dofs),
        "dof_solimp": pick(source.custom("solimpfriction"), dofs),
    }


def _reference(worlds: Worlds, joints: JointTable, scalar: np.ndarray, body: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """``qpos0`` and ``qpos_spring``: references of scalar joints, initial poses of free ones, identity of balls."""
    source = worlds.source
    qpos0 = np.zeros((len(worlds.distinct), joints.nq))
    ref = worlds.pick("joint_dof", source.custom("dof_ref"))[:, joints.dof]
    rest = worlds.pick("joint_coord", source.array("joint_rest_q"))[:, joints.coord]
    at = joints.qposadr[scalar]
    qpos0[:, at] = ref[:, scalar]
    spring = qpos0.copy()
    spring[:, at] += rest[:, scalar]
    for joint in np.flatnonzero(~scalar):
        adr, link = joints.qposadr[joint], joints.body[joint]
        if joints.type[joint] == JointType.FREE:
            pose = np.concatenate([body["body_pos"][:, link], body["body_quat"][:, link]], axis=-1)
        else:
            pose = np.array([1.0, 0.0, 0.0, 0.0])
        qpos0[:, adr : adr + _NQ[joints.type[joint]]] = pose
        spring[:, adr : adr + _NQ[joints.type[joint]]] = pose
    return {"qpos0": qpos0, "qpos_spring": spring}


def limit_solref(worlds: Worlds, joints: JointTable, t: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """``jnt_solref`` per distinct world, and whether it stands for force-space gains, which need ``dof_invweight0``."""
    source = worlds.source

    def pick(values: np.ndarray) -> np.ndarray:
        return worlds.pick("joint_dof", values)[:, joints.dof]

    gain = np.stack([pick(source.array("joint_limit_ke")), pick(source.array("joint_limit_kd"))], axis=-1)
    mode, baseline = pick(source.custom("solreflimit_mode")), pick(source.custom("solreflimit_gain_baseline"))
    mode = np.where(t["jnt_limited"] | (mode != gains.FORCE_SPACE), mode, gains.MJCF_DEFAULT)
    forced = t["jnt_limited"] & np.isin(gains.resolved_mode(mode, gain, baseline), (gains.FORCE_SPACE, gains.SPRING)) & np.all(gain > 0.0, axis=-1)
    authored, invweight = pick(source.solref("solreflimit")), t["dof_invweight0"][:, joints.dofadr]
    return gains.limit_solref(mode, authored, gain, baseline, invweight, t["jnt_solimp"][..., 1]), forced
