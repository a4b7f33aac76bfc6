"""Where the bodies of a compiled model are in given poses, on the host."""

from __future__ import annotations

import numpy as np

from newtonish.common.enums import JointType
from newtonish.common.frames import compose, quat_mul, rotate, unit
from newtonish.mjw.record import ModelRecord


def body_frames(record: ModelRecord, qpos: np.ndarray, mocap_pos: np.ndarray, mocap_quat: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Frames of all bodies in P poses.

    Args:
        record: ``mujoco.MjModel`` or a compiled model of ours.
        qpos: Poses (P, nq).
        mocap_pos: Positions of the mocap bodies (P, nmocap, 3) [m].
        mocap_quat: Their orientations (P, nmocap, 4), w first.

    Returns:
        Positions (P, nbody, 3) [m] and unit quaternions (P, nbody, 4), w first, in the world. Method: MuJoCo's documentation,
        chapter Computation, "Kinematics".
    """
    number, nbody = len(qpos), record.nbody
    pos, quat = np.zeros((number, nbody, 3)), np.tile([1.0, 0.0, 0.0, 0.0], (number, nbody, 1))
    local = [record.body_pos, record.body_quat]
    parent, mocap = record.body_parentid, record.body_mocapid
    adr = np.asarray(record.jnt_qposadr, dtype=np.int64)
    # what is in its reference pose moves nothing: most joints, of a model without keyframes all
    moves = np.add.reduceat((qpos != record.qpos0).any(axis=0), adr) > 0 if len(adr) else adr
    joints = [range(first, first + count) for first, count in zip(record.body_jntadr, record.body_jntnum, strict=True)]
    for b in range(1, nbody):
        if mocap[b] >= 0:
            pos[:, b], quat[:, b] = mocap_pos[:, mocap[b]], unit(mocap_quat[:, mocap[b]])
        elif parent[b] == 0:
            pos[:, b], quat[:, b] = local[0][b], local[1][b]
        else:
            pos[:, b], quat[:, b] = compose(pos[:, parent[b]], quat[:, parent[b]], local[0][b], local[1][b])
        for j in joints[b]:
            if moves[j]:
                pos[:, b], quat[:, b] = _moved(record, j, pos[:, b], quat[:, b], qpos)
    return pos, quat


def _moved(record: ModelRecord, j: int, pos: np.ndarray, quat: np.ndarray, qpos: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Frames of a body after its joint ``j``."""
    kind, adr = int(record.jnt_type[j]), int(record.jnt_qposadr[j])
    if kind == JointType.FREE:
        return qpos[:, adr : adr + 3], unit(qpos[:, adr + 3 : adr + 7])
    axis = record.jnt_axis[j]
    by = qpos[:, adr : adr + 1] - float(record.qpos0[adr])
    if kind == JointType.SLIDE:
        return pos + rotate(quat, axis * by), quat
    if kind == JointType.BALL:
        turn = unit(qpos[:, adr : adr + 4])
    else:
        turn = np.concatenate([np.cos(0.5 * by), axis * np.sin(0.5 * by)], axis=1)
    offset = record.jnt_pos[j]
    anchor = pos + rotate(quat, offset)
    quat = unit(quat_mul(quat, turn))
    return anchor - rotate(quat, offset), quat
