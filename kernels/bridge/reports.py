"""What a whole step of all worlds reports in Newton's terms: forces of contacts from outside, and buffers that were too small.

Newton's bits of an overflow are those of ``mujoco_warp.OverflowType`` and two of its own, for contacts from outside; unlike
those of Data, they are of one step. Islands whose Hessian had no room are solved another way, so nothing is lost by them.
"""

import warp as wp

from newtonish.common.enums import OverflowType
from newtonish.kernels.bridge.outside import OutsideContacts
from newtonish.kernels.constants import NARROWPHASE
from newtonish.kernels.constraint.contact_force import contact_wrench, to_world
from newtonish.kernels.math.sort_by_world import first_of_world
from newtonish.kernels.math.world import lanes
from newtonish.kernels.structs.data import Contact, Efc, Status
from newtonish.kernels.structs.model import Option

HESSIAN = wp.constant(int(OverflowType.HESSIAN))
CONTACT_PIPELINE = wp.constant(1 << 16)
SOLVER_NCONMAX = wp.constant(1 << 17)


@wp.kernel
def outside_forces_kernel(
    opt: Option, contact: Contact, efc: Efc, status: Status, number: wp.array(dtype=wp.int32), key: wp.array(dtype=wp.int32),
    order: wp.array(dtype=wp.int32), result: wp.array(dtype=wp.spatial_vector),
):  # fmt: skip
    """Force and torque on the first shape of the contacts that a world was given, at the places where they were given."""
    w, lane = wp.tid()
    begin = first_of_world(key, order, number[0], w)
    for c in range(lane, wp.min(status.ncon[w], contact.dist.shape[1]), lanes()):
        result[order[begin + c]] = -to_world(contact.frame[w, c], contact_wrench(opt, contact, efc, status, w, c))


@wp.kernel
def set_aside_kernel(status: Status, before: wp.array(dtype=wp.int32)):
    """Keep the bits of earlier steps, so that those of the next one can be told."""
    w, lane = wp.tid()
    if lane == 0:
        before[w] = status.overflow[w]
        status.overflow[w] = 0


@wp.kernel
def overflow_kernel(status: Status, before: wp.array(dtype=wp.int32), flat: OutsideContacts, from_outside: bool, result: wp.array(dtype=wp.int32)):
    """Newton's bits of the step that just ended; the Data's are since the last reset again."""
    w, lane = wp.tid()
    if lane == 0:
        bits = status.overflow[w]
        status.overflow[w] = bits | before[w]
        bits = bits & ~HESSIAN
        if from_outside:
            if (bits & NARROWPHASE) != 0:
                bits = (bits & ~NARROWPHASE) | SOLVER_NCONMAX
            if flat.count[0] > flat.shape0.shape[0]:
                bits = bits | CONTACT_PIPELINE
        result[w] = bits
