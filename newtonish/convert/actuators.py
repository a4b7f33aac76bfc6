"""Actuators: joint targets as affine actuators, then the rows of the MuJoCo actuator table.

A dof with a position target has ``force = ke·(target - q) - kd·qd``, with a velocity target ``kd·(target - qd)``,
with both one actuator for each half, so that the two targets are two controls. For every actuator the table records
where its control comes from. Rows of nothing that is simulated are named in a warning and left out.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from newtonish.common.actuator_parameters import Affine
from newtonish.common.enums import GainType, JointType, TrnType
from newtonish.convert.bodies import BodyTree
from newtonish.convert.geoms import ShapeList
from newtonish.convert.joint_targets import target_tables
from newtonish.convert.joints import JointTable
from newtonish.convert.maps import CTRL_DIRECT, TARGET_POSITION, TARGET_VELOCITY
from newtonish.convert.tendons import TendonList
from newtonish.convert.worlds import Worlds
from newtonish.errors import NewtonishWarning, problem
from newtonish.namespaces.mujoco_actuators import INPUTS, SO3_JOINT, SO3_SITE, activations, controls, outputs, signature

__all__ = ["ActuatorList", "actuator_tables", "apply_damping_ratio", "joint_actuators", "list_actuators", "tendon_actuators"]

POSITION, VELOCITY, POSITION_VELOCITY = 1, 2, 3
JOINT_TARGET = 0
JOINT_TRANSMISSIONS = (0, 1, SO3_JOINT)
TENDON, SITE, BODY, SLIDERCRANK = 2, 3, 4, 5
"""Newton's numbers of the other transmissions."""
MJ_TRN = {TENDON: TrnType.TENDON, SITE: 4, BODY: 5, SLIDERCRANK: 2, SO3_JOINT: TrnType.SO3, SO3_SITE: TrnType.SO3}
Table = dict[str, np.ndarray]


@dataclass
class ActuatorList:
    """The actuators in order: joint targets first, then rows of the table.

    Attributes:
        source: TARGET_POSITION, TARGET_VELOCITY or CTRL_DIRECT.
        joint: MuJoCo joint; -1 for other transmissions.
        axis: Component of a ball joint's rotation a target acts on, 0 otherwise.
        row: Template position in the dofs (targets) or in the actuator table (CTRL_DIRECT).
        target: MuJoCo ids of what it acts on, (n, 2), -1 where there is none.
        split: Whether a position target's damping is a separate velocity actuator.
    """

    source: np.ndarray
    joint: np.ndarray
    axis: np.ndarray
    row: np.ndarray
    target: np.ndarray
    split: np.ndarray


def list_actuators(worlds: Worlds, joints: JointTable, tree: BodyTree, shapes: ShapeList, tendons: TendonList) -> ActuatorList:
    """List joint targets in the joints' order, then the direct rows of the table."""
    source = worlds.source
    mode = worlds.template("joint_dof", source.array("joint_target_mode"))
    rows: list[tuple[int, int, int, int, bool]] = []
    for joint, (kind, dof) in enumerate(zip(joints.type, joints.dof)):
        for axis in range(0 if kind == JointType.FREE else 3 if kind == JointType.BALL else 1):
            wanted, at = int(mode[dof + axis]), int(dof) + axis
            both = wanted == POSITION_VELOCITY
            if wanted in (POSITION, POSITION_VELOCITY):
                rows.append((TARGET_POSITION, joint, axis, at, both))
            if wanted in (VELOCITY, POSITION_VELOCITY):
                rows.append((TARGET_VELOCITY, joint, axis, at, both))
    jnt_of_dof = np.full(len(mode) + 1, -1, dtype=np.int64)
    jnt_of_dof[joints.newton_dof] = np.repeat(np.arange(len(joints.type)), joints.width)
    table = "mujoco:actuator"
    target = worlds.template(table, source.custom("actuator_trnid"))[:, 0]
    kinds = worlds.template(table, source.custom("actuator_trntype"))
    origin = worlds.template(table, source.custom("ctrl_source"))
    names = worlds.template(table, source.custom("actuator_label"))
    on_joint = np.isin(kinds, JOINT_TRANSMISSIONS)
    joint_of_row = jnt_of_dof[worlds.local("joint_dof", np.where(on_joint, target, -1))]
    others = _other_targets(worlds, tree, shapes, tendons)
    targets = {}
    for row in np.flatnonzero(origin != JOINT_TARGET):
        if joint_of_row[row] >= 0 or others[row, 0] >= 0:
            targets[len(rows)] = others[row]
            rows.append((CTRL_DIRECT, int(joint_of_row[row]), 0, int(row), False))
            continue
        given = f"transmission type {kinds[row]} on {target[row]}"
        allowed = "a dof, tendon, site or body of the same world; this actuator is left out of the simulation"
        text = problem(f"actuator '{names[row]}'", given, allowed, "correct its row")
        warnings.warn(text, NewtonishWarning, stacklevel=5)
    sources, mjc_joints, axes, places, split = np.array(rows, dtype=np.int64).reshape(-1, 5).T
    ids = np.stack([mjc_joints, np.full(len(mjc_joints), -1)], axis=-1)
    for place, pair in targets.items():
        ids[place] = pair if mjc_joints[place] < 0 else ids[place]
    return ActuatorList(sources, mjc_joints, axes, places, ids, split.astype(bool))


def _other_targets(worlds: Worlds, tree: BodyTree, shapes: ShapeList, tendons: TendonList) -> np.ndarray:
    """MuJoCo ids (n, 2) of what the template's rows act on that do not act on a joint; -1 where there is none."""
    source, table = worlds.source, "mujoco:actuator"
    given = worlds.template(table, source.custom("actuator_trnid"))
    kinds = worlds.template(table, source.custom("actuator_trntype"))
    site = np.full(worlds.index["shape"].shape[1] + 1, -1, dtype=np.int64)
    site[shapes.site] = np.arange(len(shapes.site))
    tendon = np.full(worlds.index["mujoco:tendon"].shape[1] + 1, -1, dtype=np.int64)
    tendon[tendons.row] = np.arange(len(tendons.row))
    body = np.append(tree.to_mjc, -1)
    result = np.full((len(kinds), 2), -1, dtype=np.int64)
    for k, kind in enumerate(kinds):
        first, second = (int(i) for i in given[k])
        if kind == TENDON:
            result[k, 0] = tendon[worlds.local("mujoco:tendon", np.array([first]))[0]]
        elif kind == BODY:
            result[k, 0] = body[worlds.local("body", np.array([first]))[0]]
        elif kind in (SITE, SLIDERCRANK, SO3_SITE):
            result[k] = site[worlds.local("shape", np.array([first, second]))]
            if (kind != SITE or second >= 0) and result[k, 1] < 0:
                result[k] = -1
    return result


def actuator_tables(worlds: Worlds, joints: JointTable, actuators: ActuatorList) -> Table:
    """Every ``actuator_*`` field but those derived at qpos0; floats per distinct world."""
    direct = actuators.source == CTRL_DIRECT
    tables = _direct_tables(worlds, actuators.row[direct])
    targets = target_tables(worlds, joints, actuators, ~direct)
    result = {name: _join(targets.get(name), value, int(np.sum(~direct)), name) for name, value in tables.items()}
    result["actuator_trnid"] = actuators.target
    gain, spec = result["actuator_gaintype"], result["actuator_ctrlspec"]
    controlled = np.array([controls(int(g), int(s)) for g, s in zip(gain, spec)], dtype=np.int32)
    outs = np.where(result["actuator_trntype"] == TrnType.SO3, outputs(SO3_JOINT), 1).astype(np.int32)
    result |= {"actuator_ctrlnum": controlled, "actuator_outnum": outs}
    result |= {"actuator_ctrladr": np.cumsum(controlled) - controlled, "actuator_outadr": np.cumsum(outs) - outs}
    result |= _spread(result, controlled, outs)
    number = result["actuator_actnum"]
    result["actuator_actadr"] = np.where(number > 0, np.cumsum(number) - number, -1)
    return result


def _spread(t: Table, controlled: np.ndarray, outs: np.ndarray) -> Table:
    """Gears and length ranges of each output, ranges of each control."""
    of_control = np.repeat(np.arange(len(controlled)), controlled)
    ranges, limited = t["actuator_ctrlrange"][:, of_control], t["actuator_ctrllimited"][of_control].copy()
    at = 0
    for i, number in enumerate(controlled):
        if t["actuator_gaintype"][i] == GainType.PID:
            spec = signature(GainType.PID, int(t["actuator_ctrlspec"][i]))
            for k, bit in enumerate(b for b in INPUTS if spec & b):
                if bit > 1:  # the position has the range of the actuator itself
                    own = t["_actuator_velrange" if bit == INPUTS[1] else "_actuator_ffrange"][:, i]
                    ranges[:, at + k] = own
                    limited[at + k] = bool(np.all(own[:, 0] < own[:, 1]))
        at += int(number)
    of_output = np.repeat(np.arange(len(outs)), outs)
    spread = {name: t[name][:, of_output] for name in ("actuator_gear", "actuator_lengthrange")}
    return spread | {"actuator_ctrlrange": ranges, "actuator_ctrllimited": limited}


_TARGET_DEFAULTS = {"actuator_gear": (1.0, 0, 0, 0, 0, 0), "actuator_dynprm": (1.0, *(0.0,) * 9)}


def _join(targets: np.ndarray | None, direct: np.ndarray, count: int, name: str) -> np.ndarray:
    """Put the values of the joint targets (or a default) before those of the table's rows."""
    axis = 1 if direct.dtype.kind == "f" else 0
    if targets is None:
        shape = (*direct.shape[:axis], count, *direct.shape[axis + 1 :])
        targets = np.broadcast_to(np.asarray(_TARGET_DEFAULTS.get(name, 0), dtype=direct.dtype), shape)
    return np.concatenate([targets.astype(direct.dtype), direct], axis=axis)


def _direct_tables(worlds: Worlds, rows: np.ndarray) -> Table:
    """Fields of the rows of the actuator table."""
    source, table = worlds.source, "mujoco:actuator"

    def template(name: str) -> np.ndarray:
        return worlds.template(table, source.custom(name))[rows]

    def pick(name: str) -> np.ndarray:
        return worlds.pick(table, source.custom(name))[:, rows]

    automatic = bool(source.custom("autolimits")[0])

    def limited(name: str) -> np.ndarray:
        flag, span = template(f"actuator_{name}limited"), pick(f"actuator_{name}range")
        return np.where(flag == 2, automatic & np.any(span[..., 0] < span[..., 1], axis=0), flag == 1)

    dyntype, actdim = template("actuator_dyntype"), template("actuator_actdim")
    gaintype = template("actuator_gaintype")
    first = pick("actuator_dynprm")[0], pick("actuator_gainprm")[0]
    number = [activations(*kinds) for kinds in zip(dyntype.tolist(), gaintype.tolist(), *first)]
    spec = [signature(*kinds) for kinds in zip(gaintype.tolist(), template("actuator_ctrlspec").tolist())]
    floats = (
        "cranklength", "dynprm", "gainprm", "biasprm", "actrange", "damping", "dampingpoly", "armature", "forcerange",
        "ctrlrange", "gear", "lengthrange", "delay",
    )  # fmt: skip
    return {
        "actuator_trntype": np.array([MJ_TRN.get(int(k), int(k)) for k in template("actuator_trntype")], dtype=np.int32),
        "actuator_dyntype": dyntype,
        "actuator_gaintype": gaintype,
        "actuator_biastype": template("actuator_biastype"),
        "actuator_ctrlspec": np.array(spec, dtype=np.int32),
        "actuator_actnum": np.where(actdim > 0, actdim, number).astype(np.int32),
        "_actuator_velrange": pick("actuator_velrange"),
        "_actuator_ffrange": pick("actuator_ffrange"),
        "actuator_actearly": template("actuator_actearly"),
        "actuator_group": template("actuator_group"),
        "actuator_history": np.stack([template("actuator_nsample"), template("actuator_interp")], axis=-1).astype(np.int32),
        "actuator_ctrllimited": limited("ctrl"),
        "actuator_forcelimited": limited("force"),
        "actuator_actlimited": limited("act"),
        **{f"actuator_{name}": pick(f"actuator_{name}") for name in floats},
    }


def joint_actuators(t: Table) -> Table:
    """``jnt_actuatorid``: the actuator that adds damping or armature to a joint, -2 for several, -1 for none."""
    return {"jnt_actuatorid": _adding(t, len(t["jnt_type"]), t["actuator_trntype"] <= TrnType.JOINTINPARENT)}


def tendon_actuators(t: Table) -> Table:
    """``tendon_actuatorid``, the same of tendons."""
    return {"tendon_actuatorid": _adding(t, len(t["tendon_adr"]), t["actuator_trntype"] == TrnType.TENDON)}


def _adding(t: Table, count: int, which: np.ndarray) -> np.ndarray:
    """The one actuator that adds damping or armature to each of ``count`` objects, -2 for several, -1 for none."""
    ids = np.full(count, -1, dtype=np.int32)
    adds = np.any((t["actuator_damping"] != 0) | (t["actuator_armature"] != 0), axis=0)
    adds |= np.any(t["actuator_dampingpoly"] != 0, axis=(0, 2))
    for actuator in np.flatnonzero(adds & which):
        target = t["actuator_trnid"][actuator, 0]
        ids[target] = actuator if ids[target] == -1 else -2
    return ids


def apply_damping_ratio(t: Table) -> Table:
    """``actuator_biasprm`` with a positive third number of a position servo read as a damping ratio.

    The damping is ``2·ratio·sqrt(kp·m)`` with the inertia m that the actuator's force meets at qpos0, as in MuJoCo.
    """
    bias, kinds = t["actuator_biasprm"].copy(), t["actuator_gaintype"]
    stiffness, ratio = -bias[..., Affine.LENGTH], bias[..., Affine.VELOCITY]
    gain = np.where(kinds == GainType.PID, stiffness, t["actuator_gainprm"][..., Affine.CONSTANT])
    servo = (gain == stiffness) & (ratio > 0) & (kinds != GainType.DCMOTOR)
    mass = t["_actuator_mass"]
    if len(kinds):
        first = t["actuator_outadr"]
        three = np.minimum(first[:, None] + np.arange(3), mass.shape[1] - 1)  # of an orientation the mean mobility counts
        mass = np.where(kinds == GainType.SO3, 1.0 / np.mean(1.0 / mass[:, three], axis=-1), mass[:, first])
    damping = 2.0 * ratio * np.sqrt(np.maximum(gain * mass, 0.0))
    bias[..., Affine.VELOCITY] = np.where(servo, -damping, ratio)
    return {"actuator_biasprm": bias}
