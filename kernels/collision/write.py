"""Writing the contacts of a pair into the slots of a world, and how many there are in the end."""

import warp as wp

from newtonish.kernels.collision.frame import contact_frame
from newtonish.kernels.collision.manifold import Manifold
from newtonish.kernels.collision.params import ContactParams, contact_params
from newtonish.kernels.constants import NARROWPHASE
from newtonish.kernels.structs.data import Contact, Status
from newtonish.kernels.structs.model import Geom, Option, Pair
from newtonish.kernels.support.overflow import flag_overflow


@wp.func
def write_contact(
    contact: Contact, params: ContactParams, dist: float, pos: wp.vec3, frame: wp.mat33, margin: float, g1: int, g2: int,
    w: int, c: int,
):  # fmt: skip
    """Fill slot ``c`` of world ``w``."""
    contact.dist[w, c] = dist
    contact.pos[w, c] = pos
    contact.frame[w, c] = frame
    contact.includemargin[w, c] = margin
    contact.friction[w, c] = params.friction
    contact.solref[w, c] = params.solref
    contact.solreffriction[w, c] = params.solreffriction
    contact.solimp[w, c] = params.solimp
    contact.dim[w, c] = params.dim
    contact.geom[w, c] = wp.vec2i(g1, g2)
    contact.pairid[w, c] = params.pairid
    contact.efc_address[w, c] = -1
    contact.mu[w, c] = 0.0


@wp.func
def write_contacts(
    opt: Option, geom: Geom, pair: Pair, contact: Contact, found: Manifold, w: int, slot: int, g1: int, g2: int, pairid: int,
    margin: float,
):  # fmt: skip
    """Write the points of ``found`` from ``slot`` on, as far as there is room."""
    params = contact_params(opt, geom, pair, w, g1, g2, pairid)
    for k in range(wp.min(found.count, contact.dist.shape[1] - slot)):
        normal = found.normal
        if k > 0:
            normal = found.normal_second
        frame = contact_frame(normal, found.tangent)
        write_contact(contact, params, found.dist[k], found.pos[k], frame, margin, g1, g2, w, slot + k)


@wp.func
def write_count(contact: Contact, status: Status, count: int, w: int, lane: int):
    """The number of contacts of a world that found ``count``, and a flag if there was not room for all."""
    if lane == 0:
        room = contact.dist.shape[1]
        status.ncon[w] = wp.min(count, room)
        status.ncon_needed[w] = wp.max(status.ncon_needed[w], count)
        if count > room:
            flag_overflow(status, w, NARROWPHASE)
