"""IndexMaps: where each Newton joint, dof, coordinate, body and shape is in the compiled model, and back.

All worlds share one compiled model, so an id of MuJoCo's (body, joint, dof, qpos address, geom, site) means the same
in every world; Newton's arrays are flat over all worlds. Hence two families of arrays:

* ``mjc_*``: MuJoCo id -> Newton index, shape (nworld, n); -1 where there is no counterpart.
* all others: Newton index -> MuJoCo id, flat over all worlds, -1 where there is none; ``*_world`` says the world
  (-1 for shapes that all worlds share).

Coordinates. A hinge or slide holds ``qpos = joint_q + qpos0`` at the mapped address (``qpos0`` is the joint's reference
value). A free joint's seven and a ball joint's four coordinates map element by element, the quaternion's w to w
(Newton keeps w last, MuJoCo first), but are expressed in different frames: MuJoCo's free pose is the body frame in the
world, Newton's is the joint's child frame in its parent frame; a ball's rotation is in the body frame against the
joint's child frame.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from newtonish.common.enums import JointType

if TYPE_CHECKING:
    from newtonish.convert.actuators import ActuatorList
    from newtonish.convert.bodies import BodyTree
    from newtonish.convert.equalities import EqualityList
    from newtonish.convert.geoms import ShapeList
    from newtonish.convert.joints import JointTable
    from newtonish.convert.tendons import TendonList
    from newtonish.convert.worlds import Worlds

__all__ = ["CTRL_DIRECT", "TARGET_POSITION", "TARGET_VELOCITY", "IndexMaps", "build_maps"]

TARGET_POSITION = 0
TARGET_VELOCITY = 1
CTRL_DIRECT = 2


@dataclass
class IndexMaps:
    """Index maps between a Newton model and the compiled model; int32 throughout.

    Attributes:
        body_world, joint_world, shape_world: World of each Newton body, joint, shape.
        body_to_mjc: MuJoCo body of each Newton body (a virtual link has its real link's).
        body_is_virtual: Whether a Newton body is a massless carrier that has been merged away.
        joint_type: Newton's joint type, kept for the push and pull.
        joint_to_jnt: First MuJoCo joint of a Newton joint, -1 for fixed joints.
        joint_qposadr, joint_dofadr: Its first address in qpos and qvel, -1 for fixed joints.
        joint_mocapid: Mocap id of a fixed joint to the world, -1 otherwise.
        coord_to_qpos: Address in qpos of each Newton coordinate.
        dof_to_mjc: Address in qvel of each Newton dof.
        dof_to_jnt: MuJoCo joint of each Newton dof.
        shape_to_geom, shape_to_site: Geom or site of each Newton shape.
        mjc_body: (nworld, nbody) Newton body of each MuJoCo body, -1 for the world.
        mjc_joint: (nworld, njnt) Newton joint of each MuJoCo joint.
        mjc_dof: (nworld, nv) Newton dof of each MuJoCo dof.
        mjc_coord: (nworld, nq) Newton coordinate of each qpos element.
        mjc_geom, mjc_site: (nworld, ngeom), (nworld, nsite) Newton shape.
        geom_empty: (nworld, ngeom) whether a world has no such geom; ``mjc_geom`` has another world's shape there.
        mjc_mocap: (nworld, nmocap) Newton joint that fixes the mocap body to the world.
        actuator_source: (nactuator,) where ctrl comes from: TARGET_POSITION (``control.joint_target_q`` at a
            coordinate, plus ``qpos0``), TARGET_VELOCITY (``control.joint_target_qd`` at a dof) or CTRL_DIRECT
            (``control.mujoco.ctrl`` at a row).
        mjc_equality: (nworld, neq) row of ``mujoco:equality_constraint`` of each constraint, -1 for closed loops and mimic joints.
        mjc_loop: (nworld, neq) Newton joint that each constraint closes a loop for, welds included.
        mjc_mimic, mjc_joint_mimic: (nworld, neq) mimic constraint of each; joint that follows by its own mimic data.
        mjc_tendon: (nworld, ntendon) row of ``mujoco:tendon``.
        several_controls: An actuator has more than one control (``control.mujoco.ctrl_more``).
        actuator_index: (nworld, nactuator) that coordinate, dof or row.
        actuator_axis: (nactuator,) for a ball joint's position target the component of the rotation vector (the
            index is then the joint's first coordinate), -1 otherwise.
    """

    body_world: np.ndarray
    joint_world: np.ndarray
    shape_world: np.ndarray
    body_to_mjc: np.ndarray
    body_is_virtual: np.ndarray
    joint_type: np.ndarray
    joint_to_jnt: np.ndarray
    joint_qposadr: np.ndarray
    joint_dofadr: np.ndarray
    joint_mocapid: np.ndarray
    coord_to_qpos: np.ndarray
    dof_to_mjc: np.ndarray
    dof_to_jnt: np.ndarray
    shape_to_geom: np.ndarray
    shape_to_site: np.ndarray
    mjc_body: np.ndarray
    mjc_joint: np.ndarray
    mjc_dof: np.ndarray
    mjc_coord: np.ndarray
    mjc_geom: np.ndarray
    geom_empty: np.ndarray
    mjc_site: np.ndarray
    mjc_mocap: np.ndarray
    actuator_source: np.ndarray
    actuator_index: np.ndarray
    actuator_axis: np.ndarray
    mjc_equality: np.ndarray
    mjc_loop: np.ndarray
    mjc_mimic: np.ndarray
    mjc_joint_mimic: np.ndarray
    mjc_tendon: np.ndarray
    several_controls: bool = False


def build_maps(
    worlds: Worlds, tree: BodyTree, joints: JointTable, shapes: ShapeList, tendons: TendonList, actuators: ActuatorList, equalities: EqualityList
) -> IndexMaps:
    """Index maps of all worlds from the template's lists."""
    source = worlds.source
    index = worlds.index
    kind = worlds.template("joint", source.array("joint_type"))
    width = joints.width
    coords = np.concatenate([_coords(t, a) for t, a in zip(joints.type, joints.coord)] or [np.zeros(0, np.int64)])
    first = np.full(len(kind), -1, dtype=np.int64)
    first[joints.joint[::-1]] = np.arange(len(joints.type))[::-1]
    has = first >= 0
    mocapid = np.full(len(kind), -1, dtype=np.int64)
    mocaps = np.flatnonzero(tree.mocapid >= 0)
    top = np.array([tree.chain[b][0] for b in mocaps], dtype=np.int64)
    mocapid[top] = tree.mocapid[mocaps]
    turns = np.append(joints.type, -1)[actuators.joint] == JointType.BALL  # -1: an actuator on no joint
    rows = _equality_rows(worlds, equalities)
    return IndexMaps(
        body_world=_world_of(worlds, "body"),
        joint_world=_world_of(worlds, "joint"),
        shape_world=np.asarray(source.array("shape_world"), dtype=np.int32).copy(),
        body_to_mjc=_scatter(worlds, "body", tree.to_mjc),
        body_is_virtual=_scatter(worlds, "body", tree.virtual.astype(np.int64)).astype(bool),
        joint_type=np.asarray(source.array("joint_type"), dtype=np.int32).copy(),
        joint_to_jnt=_scatter(worlds, "joint", first),
        joint_qposadr=_scatter(worlds, "joint", _take(joints.qposadr, first, has)),
        joint_dofadr=_scatter(worlds, "joint", _take(joints.dofadr, first, has)),
        joint_mocapid=_scatter(worlds, "joint", mocapid),
        coord_to_qpos=_scatter(worlds, "joint_coord", _inverse(coords, index["joint_coord"].shape[1])),
        dof_to_mjc=_scatter(worlds, "joint_dof", _inverse(joints.newton_dof, index["joint_dof"].shape[1])),
        dof_to_jnt=_scatter(
            worlds,
            "joint_dof",
            _inverse(joints.newton_dof, index["joint_dof"].shape[1], np.repeat(np.arange(len(width)), width)),
        ),
        shape_to_geom=_scatter(worlds, "shape", _inverse(shapes.geom, index["shape"].shape[1])),
        shape_to_site=_scatter(worlds, "shape", _inverse(shapes.site, index["shape"].shape[1])),
        mjc_body=_int(np.concatenate([np.full((worlds.count, 1), -1), index["body"][:, tree.body[1:]]], axis=1)),
        mjc_joint=_int(index["joint"][:, joints.joint]),
        mjc_dof=_int(index["joint_dof"][:, joints.newton_dof]),
        mjc_coord=_int(index["joint_coord"][:, coords]),
        mjc_geom=_int(index["shape"][:, shapes.geom]),
        geom_empty=worlds.empty[:, shapes.geom],
        mjc_site=_int(index["shape"][:, shapes.site]),
        mjc_mocap=_int(index["joint"][:, top]),
        actuator_source=_int(actuators.source),
        actuator_index=_actuator_index(worlds, joints, actuators),
        actuator_axis=_int(np.where(turns & (actuators.source == TARGET_POSITION), actuators.axis, -1)),
        mjc_tendon=_int(index["mujoco:tendon"][:, tendons.row]),
        mjc_equality=rows["equality"],
        mjc_loop=rows["loop"],
        mjc_mimic=rows["mimic"],
        mjc_joint_mimic=rows["joint_mimic"],
    )


def _equality_rows(worlds: Worlds, equalities: EqualityList) -> dict[str, np.ndarray]:
    """What each equality constraint comes from, (nworld, neq): rows of the table first, then closures of loops, then mimics."""
    sources = [("equality", "mujoco:equality_constraint", row) for row in equalities.row]
    sources += [("loop", "joint", closure.joint) for closure in equalities.closure]
    sources += [("joint_mimic" if table == "joint" else "mimic", table, row) for table, row in equalities.mimic]
    names = ("equality", "loop", "mimic", "joint_mimic")
    maps = {name: np.full((worlds.count, len(equalities.type)), -1, dtype=np.int32) for name in names}
    for equality, (name, kind, row) in enumerate(sources):
        maps[name][:, equality] = worlds.index[kind][:, row]
    return maps


def _int(values: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(values, dtype=np.int32)


def _coords(kind: int, first: int) -> np.ndarray:
    """Newton coordinates of a joint in qpos' order: quaternions are xyzw there and wxyz here."""
    order = {0: (0, 1, 2, 6, 3, 4, 5), 1: (3, 0, 1, 2)}.get(int(kind), (0,))
    return int(first) + np.array(order, dtype=np.int64)


def _take(values: np.ndarray, at: np.ndarray, has: np.ndarray) -> np.ndarray:
    """Values at positions, -1 where there is none."""
    if not len(values):
        return np.full(len(at), -1, dtype=np.int64)
    return np.where(has, values[np.where(has, at, 0)], -1)


def _inverse(order: np.ndarray, count: int, values: np.ndarray | None = None) -> np.ndarray:
    """Position (or value) of each template row in an ordering, -1 where it is not listed."""
    result = np.full(count, -1, dtype=np.int64)
    result[order] = np.arange(len(order)) if values is None else values
    return result


def _scatter(worlds: Worlds, kind: str, template: np.ndarray) -> np.ndarray:
    """Give every row of every world what its counterpart in the template has."""
    flat = np.full(worlds.source.rows(kind), -1, dtype=np.int32)
    flat[worlds.index[kind]] = template
    return flat


def _world_of(worlds: Worlds, kind: str) -> np.ndarray:
    """World of each row of a kind that every world has its own of."""
    flat = np.full(worlds.source.rows(kind), -1, dtype=np.int32)
    flat[worlds.index[kind]] = np.arange(worlds.count)[:, None]
    return flat


def _actuator_index(worlds: Worlds, joints: JointTable, actuators: ActuatorList) -> np.ndarray:
    """Coordinate, dof or row that each actuator takes its control from, (nworld, nactuator)."""
    index = worlds.index
    result = np.zeros((worlds.count, len(actuators.source)), dtype=np.int32)
    for i, (kind, joint, row) in enumerate(zip(actuators.source, actuators.joint, actuators.row)):
        if kind == TARGET_POSITION:
            result[:, i] = index["joint_coord"][:, joints.coord[joint]]
        elif kind == TARGET_VELOCITY:
            result[:, i] = index["joint_dof"][:, row]
        else:
            result[:, i] = index["mujoco:actuator"][:, row]
    return result
