"""Features of all contacts of a linearized step, found once for everything that is made of them."""

import warp as wp

from newtonish.kernels.derivative.witness import witness_of
from newtonish.kernels.derivative.workspace import LinearMotion
from newtonish.kernels.math.world import lanes, sync
from newtonish.kernels.structs.data import Contact, Kinematics, Status
from newtonish.kernels.structs.model import Geom, HeightField, Hull, Option


@wp.func
def contact_count(motion: LinearMotion, status: Status, w: int) -> int:
    """Number of contacts of a world whose features there is room for."""
    return wp.min(status.ncon[w], motion.witness.shape[1])


@wp.func
def find_witnesses_world(
    opt: Option, geom: Geom, hull: Hull, hfield: HeightField, kin: Kinematics, contact: Contact, status: Status, motion: LinearMotion, w: int, lane: int
):  # fmt: skip
    """Find the features of contacts with rows; the lanes share them. Ends with a barrier."""
    for c in range(lane, contact_count(motion, status, w), lanes()):
        if contact.efc_address[w, c] >= 0:
            motion.witness[w, c] = witness_of(opt, geom, hull, hfield, kin, contact, w, c)
    sync()
