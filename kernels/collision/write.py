"""Writing the contacts of a pair into the slots of a world."""

import warp as wp

from newtonish.kernels.collision.frame import contact_frame
from newtonish.kernels.collision.manifold import Manifold
from newtonish.kernels.collision.params import contact_params
from newtonish.kernels.structs.data import Contact
from newtonish.kernels.structs.model import Geom, Option, Pair


@wp.func
def write_contacts(
    opt: Option, geom: Geom, pair: Pair, contact: Contact, found: Manifold, w: int, slot: int, g1: int, g2: int, pairid: int,
    margin: float,
):  # fmt: skip
    """Write the points of ``found`` from ``slot`` on, as far as there is room."""
    params = contact_params(opt, geom, pair, w, g1, g2, pairid)
    for k in range(wp.min(found.count, contact.dist.shape[1] - slot)):
        c = slot + k
        normal = found.normal
        if k > 0:
            normal = found.normal_second
        contact.dist[w, c] = found.dist[k]
        contact.pos[w, c] = found.pos[k]
        contact.frame[w, c] = contact_frame(normal, found.tangent)
        contact.includemargin[w, c] = margin
        contact.friction[w, c] = params.friction
        contact.solref[w, c] = params.solref
        contact.solreffriction[w, c] = params.solreffriction
        contact.solimp[w, c] = params.solimp
        contact.dim[w, c] = params.dim
        contact.geom[w, c] = wp.vec2i(g1, g2)
        contact.efc_address[w, c] = -1
        contact.mu[w, c] = 0.0
