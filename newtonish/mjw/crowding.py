"""How many contacts a model is likely to have, from its geoms and where they are in the reference pose."""

from __future__ import annotations

from typing import Any

import numpy as np

from newtonish.kernels.collision.filter import geom_pairs
from newtonish.kernels.enums import GeomType, JointType

_OF_A_LOOSE_BODY = 6  # with flat faces: in a heap or on the ground
_OF_A_BOX = 12  # most that a box among boxes counts for
_OF_A_PAIR = 4  # touching boxes
_NEAR = 0.01  # gap, as a share of the smallest half side, that closes when a model settles
_MOST_BOXES = 1000  # beyond, pairs are too many to look at


def likely_contacts(mjm: Any) -> int:
    """Contacts of flat faces: of bodies that turn freely, and of boxes that stand close together in the reference pose.

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
    """Pairs of boxes, one of which moves, whose bounding boxes nearly touch."""
    boxes = np.flatnonzero((np.asarray(mjm.geom_type) == GeomType.BOX) & _solid(mjm))
    if not 2 <= len(boxes) <= _MOST_BOXES:
        return 0
    centre, half = _bounds(mjm, boxes)
    reach = half + _NEAR * half.min(axis=1, keepdims=True)
    first, second, _, _ = geom_pairs(mjm)
    place = np.full(int(mjm.ngeom), -1)
    place[boxes] = np.arange(len(boxes))
    a, b = place[first], place[second]
    a, b = a[(a >= 0) & (b >= 0)], b[(a >= 0) & (b >= 0)]
    close = (np.abs(centre[a] - centre[b]) <= reach[a] + reach[b]).all(axis=1)
    number = len(np.unique(np.concatenate([a[close], b[close]])))
    return min(_OF_A_PAIR * int(close.sum()), _OF_A_BOX * number) + 2 * (int(mjm.ngeom) - number)


def _bounds(mjm: Any, geoms: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Centres and half sides of the boxes along the world's axes around boxes in the reference pose [m]."""
    from newtonish.convert import frames

    nbody = int(mjm.nbody)
    pos, rot = np.zeros((nbody, 3)), np.tile(np.eye(3), (nbody, 1, 1))
    own = frames.mat_from_quat(np.asarray(mjm.body_quat, dtype=np.float64))
    local, parent = np.asarray(mjm.body_pos, dtype=np.float64), np.asarray(mjm.body_parentid)
    for b in range(1, nbody):
        pos[b] = pos[parent[b]] + rot[parent[b]] @ local[b]
        rot[b] = rot[parent[b]] @ own[b]
    body = np.asarray(mjm.geom_bodyid)[geoms]
    turned = rot[body] @ frames.mat_from_quat(np.asarray(mjm.geom_quat, dtype=np.float64)[geoms])
    centre = pos[body] + np.einsum("gij,gj->gi", rot[body], np.asarray(mjm.geom_pos, dtype=np.float64)[geoms])
    return centre, np.einsum("gij,gj->gi", np.abs(turned), np.asarray(mjm.geom_size, dtype=np.float64)[geoms])

