"""Bodies that can come to lie in one heap, whose contacts then couple them all."""

from __future__ import annotations

import numpy as np

from newtonish.mjw.record import ModelRecord
from newtonish.mjw.tables.contact_estimate import geom_frames, loose_geoms

_LEAST = 8  # bodies; fewer need no estimate of their own


def likely_heap(record: ModelRecord) -> int:
    """Number of loose bodies, if there are more of them than can lie beside each other where they fall to, else 0.

    Each body covers the face of a cube of the volume of its bounding boxes; the floor is the rectangle that the bodies stand above
    in the reference pose, grown by the size of a body. Bodies that are scattered, as leaves or particles, make small islands.
    """
    geoms = loose_geoms(record)
    if len(geoms) < _LEAST:
        return 0
    bodies, owner = np.unique(record.geom_bodyid[geoms], return_inverse=True)
    half = record.geom_aabb.reshape(-1, 6)[geoms, 3:]
    side = np.cbrt(np.bincount(owner, 8.0 * half.prod(axis=1)))
    gravity = np.abs(record.opt.gravity.reshape(-1, 3)[0])
    across = np.flatnonzero(np.arange(3) != np.argmax(gravity))
    span = np.ptp(geom_frames(record, geoms)[0][0][:, across], axis=0) + side.mean()
    return len(bodies) if len(bodies) >= _LEAST and np.sum(side**2) > span.prod() else 0
