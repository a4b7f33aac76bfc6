"""How many contacts a model is likely to have, from its geoms and where they are in the reference pose and in keyframes."""

from __future__ import annotations

from typing import Any

import numpy as np

from newtonish.kernels.collision.filter import geom_pairs
from newtonish.kernels.enums import GeomType, JointType
from newtonish.mjw.tables.poses import body_frames

_OF_A_LOOSE_BODY = 6  # with flat faces: in a heap or on the ground
_OF_A_BOX = 12  # most that a box among boxes counts for
_OF_A_PAIR = 4  # touching boxes
_NEAR = 0.01  # gap, as a share of the smallest half side, that closes when a model settles
_MOST_BOXES = 1000  # beyond, pairs are too many to look at
_MOST_KEYS = 32  # keyframes of a recorded motion are alike


def likely_contacts(mjm: Any) -> int:
    """Contacts of flat faces: of bodies that turn freely, and of boxes that stand close together in a pose that is given.

    ``capacity.estimate`` takes no less. What a fall or a grasp brings about later, the growth of capacities covers.
    """
    return max(_of_loose_bodies(mjm), _of_close_boxes(mjm))


def _solid(mjm: Any) -> np.ndarray:
    ngeom = int(mjm.ngeom)
    return (np.asarray(mjm.geom_contype)[:ngeom] != 0) | (np.asarray(mjm.geom_conaffinity)[:ngeom] != 0)


def _of_loose_bodies(mjm: Any) -> int:
    """Geoms count twice, as everywhere, but more those with faces on a body that nothing guides: free, or at a ball's end."""
    body, kind = np.asarray(mjm.geom_bodyid), np.asarray(mjm.geom_type)
    free = np.asarray(mjm.jnt_bodyid)[np.isin(mjm.jnt_type, (JointType.FREE, JointType.BALL))]
    loose = free[~np.isin(free, np.asarray(mjm.body_parentid)[1:])]
    flat = np.isin(kind, (GeomType.BOX, GeomType.MESH, GeomType.CYLINDER)) & _solid(mjm)
    number = len(np.unique(body[flat & np.isin(body, loose)]))
    return 2 * int(mjm.ngeom) + (_OF_A_LOOSE_BODY - 2) * number


def _of_close_boxes(mjm: Any) -> int:
    """Pairs of boxes, one of which moves, whose bounding boxes nearly touch: in the most crowded of the given poses."""
    boxes = np.flatnonzero((np.asarray(mjm.geom_type) == GeomType.BOX) & _solid(mjm))
    if not 2 <= len(boxes) <= _MOST_BOXES:
        return 0
    first, second, _, _ = geom_pairs(mjm)
    place = np.full(int(mjm.ngeom), -1)
    place[boxes] = np.arange(len(boxes))
    a, b = place[first], place[second]
    a, b = a[(a >= 0) & (b >= 0)], b[(a >= 0) & (b >= 0)]
    return max(_contacts_in_pose(*bounds, a, b, int(mjm.ngeom)) for bounds in zip(*_bounds(mjm, boxes), strict=True))


def _contacts_in_pose(centre: np.ndarray, half: np.ndarray, a: np.ndarray, b: np.ndarray, ngeom: int) -> int:
    reach = half + _NEAR * half.min(axis=1, keepdims=True)
    close = (np.abs(centre[a] - centre[b]) <= reach[a] + reach[b]).all(axis=1)
    number = len(np.unique(np.concatenate([a[close], b[close]])))
    return min(_OF_A_PAIR * int(close.sum()), _OF_A_BOX * number) + 2 * (ngeom - number)


def _poses(mjm: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The reference pose and those of keyframes: qpos (P, nq), and of mocap bodies positions (P, nmocap, 3) and quaternions."""
    mocap, nkey = np.asarray(mjm.body_mocapid), min(int(mjm.nkey), _MOST_KEYS)
    bodies = np.argsort(mocap, kind="stable")[np.count_nonzero(mocap < 0) :]
    poses = []
    for start, keys, shape in (("qpos0", "key_qpos", (-1,)), ("body_pos", "key_mpos", (-1, 3)), ("body_quat", "key_mquat", (-1, 4))):
        reference = np.asarray(getattr(mjm, start), dtype=np.float64)
        reference = (reference if start == "qpos0" else reference[bodies]).reshape(1, *shape)
        given = np.asarray(getattr(mjm, keys), dtype=np.float64)[:nkey].reshape(nkey, *reference.shape[1:])
        poses.append(np.concatenate([reference, given]))
    return poses[0], poses[1], poses[2]


def _bounds(mjm: Any, geoms: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Centres and half sides (P, n, 3) of the boxes along the world's axes around boxes [m], in the given poses."""
    from newtonish.convert import frames

    pos, quat = body_frames(mjm, *_poses(mjm))
    body = np.asarray(mjm.geom_bodyid)[geoms]
    local = [np.asarray(getattr(mjm, name), dtype=np.float64)[geoms] for name in ("geom_pos", "geom_quat")]
    centre, turned = frames.compose(pos[:, body], quat[:, body], *local)
    axes = np.abs(frames.mat_from_quat(turned))
    return centre, np.einsum("pgij,gj->pgi", axes, np.asarray(mjm.geom_size, dtype=np.float64)[geoms])
