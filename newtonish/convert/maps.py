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

import numpy as np

__all__ = ["CTRL_DIRECT", "TARGET_POSITION", "TARGET_VELOCITY", "IndexMaps"]

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
        mjc_mocap: (nworld, nmocap) Newton joint that fixes the mocap body to the world.
        actuator_source: (nactuator,) where ctrl comes from: TARGET_POSITION (``control.joint_target_q`` at a coordinate,
            plus ``qpos0``), TARGET_VELOCITY (``control.joint_target_qd`` at a dof) or CTRL_DIRECT
            (``control.mujoco.ctrl`` at a row).
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
    mjc_site: np.ndarray
    mjc_mocap: np.ndarray
    actuator_source: np.ndarray
    actuator_index: np.ndarray
    actuator_axis: np.ndarray
