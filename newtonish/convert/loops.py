"""Loop closures: joints outside the tree as constraints between their two bodies.

A body is attached to the world through one joint; every other joint that leads to it closes a loop. Joints of articulations come
first, then those outside any articulation, the world's before others. What a closing joint holds follows from its free
axes: none, a weld; one turning axis, two connects on that axis, half a span to either side of the anchor, which hold five
degrees of freedom; three turning axes, one connect. The frames of the joint say where, so that a loop that is open in the
reference pose is pulled together.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from newtonish.common import frames
from newtonish.common.enums import EqType
from newtonish.convert.worlds import Worlds
from newtonish.errors import ModelError, NewtonishWarning, problem, raise_all

__all__ = ["Closure", "closure_data", "list_closures", "split_joints"]

FIXED, D6 = 3, 6
JOINT_TARGET = 1
"""``equality_constraint_target_kind`` of a row that stands for a joint."""
HALF_SPAN = 0.05
"""Distance [m] of the two points of a hinge from its anchor; Newton's."""
UNLIMITED, EFFORT_UNLIMITED = 1e9, 1e6
NDATA = 12


@dataclass(frozen=True)
class Closure:
    """One constraint of a closing joint: MuJoCo's type, template position of the joint, place along the hinge in spans."""

    type: int
    joint: int
    side: int = 0


def split_joints(worlds: Worlds) -> tuple[np.ndarray, list[int]]:
    """The joint (template position) above each body, -1 for none, and the joints that close loops.

    Joints for which a row of ``mujoco:equality_constraint`` stands are neither.
    """
    source = worlds.source
    child = worlds.local("body", worlds.template("joint", source.array("joint_child")))
    parent = worlds.template("joint", source.array("joint_parent"))
    inside = worlds.template("joint", source.array("joint_articulation")) >= 0
    above = np.full(worlds.index["body"].shape[1], -1, dtype=np.int64)
    doubled = []
    for joint in np.flatnonzero(inside).tolist():
        if above[child[joint]] >= 0:
            doubled.append(_doubled(worlds, joint, child[joint]))
        above[child[joint]] = joint
    raise_all(ModelError, "conversion", doubled)
    table = "mujoco:equality_constraint"
    targets = worlds.template(table, source.custom("equality_constraint_target"))
    stands = worlds.template(table, source.custom("equality_constraint_target_kind")) == JOINT_TARGET
    replaced = set(worlds.local("joint", targets[stands]).tolist())
    outside = [j for j in np.flatnonzero(~inside).tolist() if j not in replaced]
    closing = []
    for joint in sorted(outside, key=lambda j: parent[j] >= 0):
        if above[child[joint]] < 0:
            above[child[joint]] = joint
        else:
            closing.append(joint)
    return above, sorted(closing)


def _doubled(worlds: Worlds, joint: int, body: int) -> str:
    source = worlds.source
    names = [source.labels(kind)[worlds.index[kind][0][row]] for kind, row in (("joint", joint), ("body", body))]
    given = f"a second joint of an articulation to body '{names[1]}'"
    allowed = "one joint of an articulation above each body"
    return problem(f"joint '{names[0]}'", given, allowed, "leave the joint that closes the loop out of add_articulation")


def list_closures(worlds: Worlds, loops: list[int], virtual: np.ndarray) -> list[Closure]:
    """Constraints of closing joints; what cannot be closed, and what of them is not simulated, is said in warnings.

    Args:
        worlds: The worlds.
        loops: Template positions of the joints.
        virtual: Whether each of the template's bodies is a link that is merged into another.
    """
    source = worlds.source
    virtual = np.append(virtual, False)
    ends = [worlds.local("body", worlds.template("joint", source.array(f"joint_{end}"))) for end in ("parent", "child")]
    kinds = worlds.template("joint", source.array("joint_type"))
    dims = worlds.template("joint", source.array("joint_dof_dim"))
    result: list[Closure] = []
    for joint in loops:
        linear, angular = (int(n) for n in dims[joint])
        if virtual[ends[0][joint]] or virtual[ends[1][joint]]:
            _warn_open(worlds, joint, "an end on a virtual link", "two real links", "connect the links below them")
        elif kinds[joint] == FIXED or (kinds[joint] == D6 and linear + angular == 0):
            result.append(Closure(EqType.WELD, joint))
        elif linear == 0 and angular == 1:
            result += [Closure(EqType.CONNECT, joint, side) for side in (-1, 1)]
        elif linear == 0 and angular == 3:
            result.append(Closure(EqType.CONNECT, joint))
        else:
            given = f"a joint that closes a loop with {linear} sliding and {angular} turning axes"
            _warn_open(worlds, joint, given, "no axis, one turning axis or three", "cut the loop at another joint")
    _warn_of_drives(worlds, sorted({closure.joint for closure in result}))
    return result


def _warn_open(worlds: Worlds, joint: int, given: str, allowed: str, remedy: str) -> None:
    text = problem(f"joint '{_name(worlds, joint)}'", given, f"{allowed}; the loop stays open", remedy)
    warnings.warn(text, NewtonishWarning, stacklevel=7)


def _name(worlds: Worlds, joint: int) -> str:
    return worlds.source.labels("joint")[worlds.index["joint"][0][joint]]


def _warn_of_drives(worlds: Worlds, loops: list[int]) -> None:
    """Name the closing joints that have more than their geometry."""
    source = worlds.source
    mode = source.array("joint_target_mode")
    has = (mode > 0) & (mode < 4)
    for name in ("joint_armature", "joint_friction", "joint_damping", "joint_stiffness"):
        has |= source.array(name) != 0.0
    has |= (source.array("joint_limit_lower") > -UNLIMITED) | (source.array("joint_limit_upper") < UNLIMITED)
    has |= source.array("joint_effort_limit") < EFFORT_UNLIMITED
    start = np.append(source.array("joint_qd_start")[: source.rows("joint")], source.rows("joint_dof"))
    rows = worlds.index["joint"][0]
    named = [_name(worlds, j) for j in loops if np.any(has[start[rows[j]] : start[rows[j] + 1]])]
    if named:
        given = f"a drive, limits, armature, friction or the like on joints that close loops ({', '.join(named)})"
        allowed = "the geometry of such joints only; the rest is left out"
        text = problem(f"joint '{named[0]}'", given, allowed, "cut the loop at a joint that has none of it")
        warnings.warn(text, NewtonishWarning, stacklevel=7)


def closure_data(worlds: Worlds, closures: list[Closure]) -> np.ndarray:
    """``eq_data`` of closures, parent first, per distinct world: (W, n, 12)."""
    source = worlds.source
    parent = frames.from_newton(worlds.pick("joint", source.array("joint_X_p")))
    child = frames.from_newton(worlds.pick("joint", source.array("joint_X_c")))
    axes = worlds.pick("joint_dof", source.array("joint_axis"))
    first = worlds.local("joint_dof", worlds.template("joint", source.array("joint_qd_start")))
    data = np.zeros((len(worlds.distinct), len(closures), NDATA))
    data[..., 10] = 1.0
    for e, closure in enumerate(closures):
        j = closure.joint
        ends = [(pos[:, j], quat[:, j]) for pos, quat in (parent, child)]
        if closure.type == EqType.WELD:
            data[:, e, :3], data[:, e, 3:6] = ends[1][0], ends[0][0]
            back = ends[1][1] * np.array([1.0, -1.0, -1.0, -1.0])
            data[:, e, 6:10] = frames.unit(frames.quat_mul(ends[0][1], back))
            continue
        offset = HALF_SPAN * closure.side * frames.unit(axes[:, first[j]]) if closure.side else np.zeros(3)
        for at, (pos, quat) in zip((0, 3), ends):
            data[:, e, at : at + 3] = pos + frames.rotate(quat, np.broadcast_to(offset, pos.shape))
    return data
