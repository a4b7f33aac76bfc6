"""Joint targets as actuators: gains of the dofs, and what rows of the actuator table add to them.

A row whose control comes from the joint target (``ctrl_source`` 0) makes no actuator of its own: it lends its control and
force ranges, damping and armature to the target's actuator of its kind (``ctrl_type`` position or velocity; both for other
kinds). A position row with a positive third bias number gives a damping ratio, which counts where ``joint_target_kd`` is 0.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from newtonish.common.actuator_parameters import Affine
from newtonish.common.enums import BiasType, JointType, TrnType
from newtonish.convert.joints import EFFORT_UNLIMITED, JointTable
from newtonish.convert.maps import TARGET_POSITION, TARGET_VELOCITY
from newtonish.convert.worlds import Worlds
from newtonish.errors import NewtonishWarning, problem

if TYPE_CHECKING:
    from newtonish.convert.actuators import ActuatorList

__all__ = ["target_tables"]

TABLE = "mujoco:actuator"
JOINT_TARGET = 0
KINDS = {0: (TARGET_POSITION,), 1: (TARGET_VELOCITY,)}
"""Kinds of targets that a row of each ``ctrl_type`` lends to; others lend to both."""
Table = dict[str, np.ndarray]


def target_tables(worlds: Worlds, joints: JointTable, actuators: ActuatorList, which: np.ndarray) -> Table:
    """Fields of joint-target actuators that are not zero."""
    source = worlds.source
    rows, kind, joint = actuators.row[which], actuators.source[which], actuators.joint[which]
    ke = worlds.pick("joint_dof", source.array("joint_target_ke"))[:, rows]
    kd = worlds.pick("joint_dof", source.array("joint_target_kd"))[:, rows]
    effort = worlds.pick("joint_dof", source.array("joint_effort_limit"))[:, rows]
    gain, bias = np.zeros((*ke.shape, 10)), np.zeros((*ke.shape, 10))
    position, split = kind == TARGET_POSITION, actuators.split[which]
    gain[..., Affine.CONSTANT] = np.where(position, ke, kd)
    bias[..., Affine.LENGTH] = np.where(position, -ke, 0.0)
    bias[..., Affine.VELOCITY] = np.where(position & split, 0.0, -kd)
    limited = (joints.type[joint] == JointType.BALL) & np.any((effort > 0) & (effort < EFFORT_UNLIMITED), axis=0)
    tables = {
        "actuator_gainprm": gain,
        "actuator_biasprm": bias,
        "actuator_biastype": np.full(len(rows), BiasType.AFFINE),
        "actuator_ctrlspec": np.where(position, 1, 2),
        "actuator_gear": np.broadcast_to(np.eye(6)[actuators.axis[which]], (*ke.shape, 6)),
        "actuator_forcelimited": limited,
        "actuator_forcerange": np.where(limited[:, None], np.stack([-effort, effort], axis=-1), 0.0),
    }
    lent = _rows_of(worlds, joints.dof[joint], kind)
    if np.any(lent >= 0):
        tables |= _lent(worlds, lent, tables, position & ~split)
    return tables


def _rows_of(worlds: Worlds, dofs: np.ndarray, kinds: np.ndarray) -> np.ndarray:
    """Template position of the row that lends to each target, -1 for none; ``dofs`` are the joints' first ones."""
    source = worlds.source
    found: dict[tuple[int, int], int] = {}
    columns = [worlds.template(TABLE, source.custom(name)) for name in ("ctrl_source", "actuator_trntype", "ctrl_type")]
    given = worlds.template(TABLE, source.custom("actuator_trnid"))[:, 0]
    target = worlds.local("joint_dof", np.where(columns[1] == TrnType.JOINT, given, -1))  # others number other things
    for row, (origin, transmission, kind) in enumerate(zip(*(column.tolist() for column in columns))):
        if origin == JOINT_TARGET and transmission == TrnType.JOINT:
            found |= {(int(target[row]), k): row for k in KINDS.get(kind, (TARGET_POSITION, TARGET_VELOCITY))}
    rows = np.array([found.get((int(d), int(k)), -1) for d, k in zip(dofs, kinds)], dtype=np.int64)
    for row in sorted(set(np.flatnonzero(columns[0] == JOINT_TARGET).tolist()) - set(rows.tolist())):
        labels = worlds.template(TABLE, source.custom("actuator_label"))
        what = "a control from a joint target that its dof does not have"
        allowed = "a dof with a joint_target_mode of its kind; it is left out of the simulation"
        text = problem(f"actuator '{labels[row]}'", what, allowed, "set joint_target_mode, or ctrl_source to CTRL_DIRECT")
        warnings.warn(text, NewtonishWarning, stacklevel=6)
    return rows


def _lent(worlds: Worlds, lent: np.ndarray, own: Table, damped: np.ndarray) -> Table:
    """What the rows say, where a target has one; ``damped``: position targets that damp as well."""
    source, has = worlds.source, lent >= 0
    at = np.maximum(lent, 0)

    def pick(name: str) -> np.ndarray:
        return worlds.pick(TABLE, source.custom(f"actuator_{name}"))[:, at]

    def template(name: str) -> np.ndarray:
        return worlds.template(TABLE, source.custom(f"actuator_{name}"))[at]

    result, automatic = {}, bool(source.custom("autolimits")[0])
    for name in ("ctrl", "force"):
        span = pick(f"{name}range")
        written = has & np.any(span[..., 0] < span[..., 1], axis=0)
        flag = template(f"{name}limited")
        before = own.get(f"actuator_{name}range", np.zeros_like(span))
        switched = np.where(flag == 2, automatic & written, flag == 1)
        kept = own.get(f"actuator_{name}limited", np.zeros(len(lent), dtype=bool))
        result[f"actuator_{name}range"] = np.where(written[:, None], span, before)
        result[f"actuator_{name}limited"] = np.where(written | (has & (flag != 2)), switched, kept)
    for name in ("damping", "dampingpoly", "armature"):
        value = pick(name)
        result[f"actuator_{name}"] = np.where(has.reshape(1, -1, *(1,) * (value.ndim - 2)), value, 0.0)
    bias, ratio = own["actuator_biasprm"].copy(), pick("biasprm")[..., Affine.VELOCITY]
    damping = bias[..., Affine.VELOCITY]
    bias[..., Affine.VELOCITY] = np.where(has & damped & (damping == 0.0) & (ratio > 0.0), ratio, damping)
    return result | {"actuator_biasprm": bias}
