"""Force and torque of a contact, read from the forces of its rows.

Method: MuJoCo's documentation, chapter Computation, "Friction cones": the force of a pyramid is the sum of its edges,
``normal +- friction * axis``; an elliptic contact's rows are the components themselves. The pull of a contact with
adhesion is a passive force, which the rows hold up; what is left between the bodies is the difference.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.constants import ELLIPTIC
from newtonish.kernels.runtime.launch import launch_on
from newtonish.kernels.structs.data import Contact, Efc, Status
from newtonish.kernels.structs.model import Option


@wp.func
def contact_wrench(opt: Option, contact: Contact, efc: Efc, status: Status, w: int, c: int) -> wp.spatial_vector:
    """Force, then torque, of geom 1 on geom 2 at contact ``c``, in the contact frame; zero without rows [N, N m]."""
    wrench = wp.spatial_vector()
    if c < wp.min(status.ncon[w], contact.dist.shape[1]):
        r = contact.efc_address[w, c]
        dim = contact.dim[w, c]
        if r >= 0:
            if opt.cone == ELLIPTIC or dim == 1:
                for k in range(6):  # of a known length: on a GPU the wrench then stays in registers
                    if k < dim:
                        wrench[k] = efc.force[w, r + k]
            else:
                friction = contact.friction[w, c]
                normal = wp.float32(0.0)
                for k in range(5):
                    if k < dim - 1:
                        plus = efc.force[w, r + 2 * k]
                        minus = efc.force[w, r + 2 * k + 1]
                        normal += plus + minus
                        wrench[k + 1] = friction[k] * (plus - minus)
                wrench[0] = normal
            wrench[0] = wrench[0] - contact.adhesion[w, c]
    return wrench


@wp.func
def to_world(frame: wp.mat33, wrench: wp.spatial_vector) -> wp.spatial_vector:
    """Turn force and torque from the contact frame, whose axes are the rows of ``frame``, to the world frame."""
    turned = wp.transpose(frame)
    force = turned * wp.vec3(wrench[0], wrench[1], wrench[2])
    torque = turned * wp.vec3(wrench[3], wrench[4], wrench[5])
    return wp.spatial_vector(force, torque)


@wp.kernel
def _contact_force(
    opt: Option,
    contact: Contact,
    efc: Efc,
    status: Status,
    contact_ids: wp.array(dtype=int),
    to_world_frame: bool,
    force: wp.array(dtype=wp.spatial_vector),
):
    i = wp.tid()
    slots = contact.dist.shape[1]
    wrench = wp.spatial_vector()
    if contact_ids[i] >= 0 and contact_ids[i] < slots * contact.dist.shape[0]:
        w = contact_ids[i] // slots
        c = contact_ids[i] % slots
        wrench = contact_wrench(opt, contact, efc, status, w, c)
        if to_world_frame:
            wrench = to_world(contact.frame[w, c], wrench)
    force[i] = wrench


def contact_force(m: Any, d: Any, contact_ids: wp.array, to_world_frame: bool, force: wp.array) -> None:
    """Forces of contacts after ``solve``.

    Args:
        m: model.
        d: data.
        contact_ids: (n,) int; slot ``c`` of world ``w`` is ``w * d.nconmax + c``.
        to_world_frame: give the components along the world's axes instead of the contact's.
        force: (n,) spatial_vector that receives force, then torque [N, N m]; zero for a contact without rows.
    """
    inputs = [m.opt, d.contact, d.efc, d.status, contact_ids, bool(to_world_frame), force]
    launch_on(_contact_force, d.device, len(contact_ids), inputs)
