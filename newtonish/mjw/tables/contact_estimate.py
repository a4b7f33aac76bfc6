"""How many contacts a model is likely to have, from its geoms and where they are in the reference pose and in keyframes."""

from __future__ import annotations

import numpy as np

from newtonish.common import frames
from newtonish.common.enums import GeomType, JointType
from newtonish.common.geoms import geom_types
from newtonish.kernels.collision.filter import geom_pairs
from newtonish.mjw.record import ModelRecord
from newtonish.mjw.tables.poses import body_frames

_OF_A_LOOSE_BODY = 6  # with flat faces: in a heap or on the ground
_OF_A_ROUND_BODY = 4  # in a heap: a grain of a random packing touches six to eight others, and a contact is of two
_OF_A_BOX = 12  # most that a box among boxes counts for
_OF_A_PAIR = 4  # touching boxes
_OF_BOXES_IN_EACH_OTHER = 8  # whose middles nearly coincide: all corners of a face on either side, at any angle but exactly none
_ROUND, _FLAT = geom_types(round=True), geom_types(flat=True)
_NEAR = 0.01  # gap, as a share of the smallest half side, that closes when a model settles
_MOST_BOXES = 1000  # beyond, there are too many pairs to test
_MOST_GRAINS = 3000  # likewise
_MOST_KEYS = 32  # keyframes of a recorded motion are alike


def likely_contacts(record: ModelRecord) -> int:
    """Contacts of bodies that turn freely, and of boxes, meshes and grains that stand close together in a pose that is given.

    ``capacity.estimate`` takes no less. What a fall or a grasp brings about later, the growth of capacities covers.
    """
    return max(_of_loose_bodies(record), _of_close_boxes(record), _of_packed_grains(record))


def _solid(record: ModelRecord) -> np.ndarray:
    ngeom = record.ngeom
    return (record.geom_contype[:ngeom] != 0) | (record.geom_conaffinity[:ngeom] != 0)


def loose_geoms(record: ModelRecord, kinds: tuple[GeomType, ...] = _ROUND + _FLAT) -> np.ndarray:
    """Geoms of these types that collide and are on a body that nothing guides: free, or at a ball's end, and without children."""
    free = record.jnt_bodyid[np.isin(record.jnt_type, (JointType.FREE, JointType.BALL))]
    loose = free[~np.isin(free, record.body_parentid[1:])]
    return np.flatnonzero(np.isin(record.geom_type, kinds) & _solid(record) & np.isin(record.geom_bodyid, loose))


def _of_loose_bodies(record: ModelRecord) -> int:
    """Geoms count twice, as everywhere, but more those on loose bodies, and most those with faces."""
    body = record.geom_bodyid
    flat = np.unique(body[loose_geoms(record, _FLAT)])
    round_ = np.setdiff1d(body[loose_geoms(record, _ROUND)], flat)
    return 2 * record.ngeom + (_OF_A_LOOSE_BODY - 2) * len(flat) + (_OF_A_ROUND_BODY - 2) * len(round_)


def _of_close_boxes(record: ModelRecord) -> int:
    """Pairs of boxes or loose meshes, one of which moves, whose bounding boxes nearly touch: in the most crowded of the given poses."""
    boxes = np.flatnonzero((record.geom_type == GeomType.BOX) & _solid(record))
    boxes = np.union1d(boxes, loose_geoms(record, (GeomType.MESH,)))
    if not 2 <= len(boxes) <= _MOST_BOXES:
        return 0
    first, second, _, _ = geom_pairs(record)
    place = np.full(record.ngeom, -1)
    place[boxes] = np.arange(len(boxes))
    a, b = place[first], place[second]
    a, b = a[(a >= 0) & (b >= 0)], b[(a >= 0) & (b >= 0)]
    return max(_contacts_in_pose(*bounds, a, b, record.ngeom) for bounds in zip(*_bounds(record, boxes), strict=True))


def _of_packed_grains(record: ModelRecord) -> int:
    """Loose spheres that nearly touch in the reference pose: a packing in rows has up to six contacts a grain, and stays so."""
    grains = loose_geoms(record, (GeomType.SPHERE,))
    if not 2 <= len(grains) <= _MOST_GRAINS:
        return 0
    place, _ = geom_frames(record, grains)
    centre, radius = place[0], record.geom_size[grains, 0]
    reach = record.geom_margin[grains] + record.geom_gap[grains]
    reach = reach + (1.0 + _NEAR) * radius
    pairs = 0
    for i in range(len(grains) - 1):
        pairs += int((np.sum((centre[i + 1 :] - centre[i]) ** 2, axis=1) <= (reach[i + 1 :] + reach[i]) ** 2).sum())
    return pairs + 2 * record.ngeom if pairs > len(grains) else 0


def _contacts_in_pose(centre: np.ndarray, half: np.ndarray, a: np.ndarray, b: np.ndarray, ngeom: int) -> int:
    reach = half + _NEAR * half.min(axis=1, keepdims=True)
    apart = np.abs(centre[a] - centre[b])
    close = (apart <= reach[a] + reach[b]).all(axis=1)
    inside = (apart <= _NEAR * np.minimum(half[a], half[b])).all(axis=1)
    number = len(np.unique(np.concatenate([a[close], b[close]])))
    beside = min(_OF_A_PAIR * int((close & ~inside).sum()), _OF_A_BOX * number)
    return beside + _OF_BOXES_IN_EACH_OTHER * int(inside.sum()) + 2 * (ngeom - number)


def _poses(record: ModelRecord) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The reference pose and those of keyframes: qpos (P, nq), and of mocap bodies positions (P, nmocap, 3) and quaternions."""
    mocap, nkey = record.body_mocapid, min(record.nkey, _MOST_KEYS)
    bodies = np.argsort(mocap, kind="stable")[np.count_nonzero(mocap < 0) :]
    poses = []
    for start, keys, shape in (("qpos0", "key_qpos", (-1,)), ("body_pos", "key_mpos", (-1, 3)), ("body_quat", "key_mquat", (-1, 4))):
        reference = getattr(record, start)
        reference = (reference if start == "qpos0" else reference[bodies]).reshape(1, *shape)
        given = getattr(record, keys)[:nkey].reshape(nkey, *reference.shape[1:])
        poses.append(np.concatenate([reference, given]))
    return poses[0], poses[1], poses[2]


def geom_frames(record: ModelRecord, geoms: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positions (P, n, 3) [m] and quaternions (P, n, 4) of geoms in the world, in the given poses."""
    pos, quat = body_frames(record, *_poses(record))
    body = record.geom_bodyid[geoms]
    return frames.compose(pos[:, body], quat[:, body], record.geom_pos[geoms], record.geom_quat[geoms])


def _bounds(record: ModelRecord, geoms: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Centres and half sides (P, n, 3) of the boxes along the world's axes around geoms [m], in the given poses."""
    place, turned = geom_frames(record, geoms)
    axes = frames.mat_from_quat(turned)
    box = record.geom_aabb.reshape(-1, 6)[geoms]
    return place + np.einsum("pgij,gj->pgi", axes, box[:, :3]), np.einsum("pgij,gj->pgi", np.abs(axes), box[:, 3:])
