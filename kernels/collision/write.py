"""Contacts into the slots of a world: first the points as they are found, then what follows from their geoms, then how many there are.

Two passes, because a narrowphase and the mixing of parameters each take many registers of a GPU, and because in the second each
pair of geoms, not each lane that found one, has a lane.
"""

import warp as wp

from newtonish.kernels.collision.frame import contact_frame
from newtonish.kernels.collision.manifold import MAX_POINTS, Manifold
from newtonish.kernels.collision.params import ContactParams, contact_params, pair_margin
from newtonish.kernels.constants import NARROWPHASE
from newtonish.kernels.math.world import fresh, lanes, sync
from newtonish.kernels.runtime.overflow import flag_overflow
from newtonish.kernels.structs.data import Contact, Status
from newtonish.kernels.structs.field import vec5
from newtonish.kernels.structs.model import Geom, Option, Pair


@wp.func
def write_point(contact: Contact, dist: float, pos: wp.vec3, normal: wp.vec3, tangent: wp.vec3, g1: int, g2: int, pairid: int, w: int, c: int):
    """Fill slot ``c`` of world ``w`` with a point; ``tangent`` is the wanted direction of the first tangent, zero: any."""
    contact.dist[w, c] = dist
    contact.pos[w, c] = pos
    contact.frame[w, c] = wp.matrix_from_rows(normal, tangent, wp.vec3())
    contact.geom[w, c] = wp.vec2i(g1, g2)
    contact.pairid[w, c] = pairid


@wp.func
def write_manifold(contact: Contact, found: Manifold, w: int, slot: int, g1: int, g2: int, pairid: int):
    """Write the points of ``found`` from ``slot`` on, as far as there is room."""
    number = wp.min(found.count, contact.dist.shape[1] - slot)
    for k in range(wp.static(MAX_POINTS)):
        if k < number:
            normal = found.normal
            if k > 0:
                normal = found.normal_second
            write_point(contact, found.dist[k], found.pos[k], normal, found.tangent, g1, g2, pairid, w, slot + k)


# by unsigned strides: a GPU would hold the upper half of each signed one in front of the loop over contacts
@wp.func_native(
    """
    const auto slot = [&](const auto& a) -> decltype(*a.data) {
        return *(decltype(a.data))((char*)a.data + (size_t)(unsigned)w * (unsigned)a.strides[0] + (size_t)(unsigned)c * (unsigned)a.strides[1]);
    };
    slot(to_friction) = friction;
    slot(to_solref) = solref;
    slot(to_solreffriction) = solreffriction;
    slot(to_solimp) = solimp;
    slot(to_dim) = dim;
"""
)
def _write_params(
    to_friction: wp.array2d(dtype=vec5), to_solref: wp.array2d(dtype=wp.vec2), to_solreffriction: wp.array2d(dtype=wp.vec2),
    to_solimp: wp.array2d(dtype=vec5), to_dim: wp.array2d(dtype=wp.int32), friction: vec5, solref: wp.vec2, solreffriction: wp.vec2, solimp: vec5,
    dim: int, w: int, c: int,
):  # fmt: skip
    """What all contacts of a pair share, into slot ``c`` of world ``w``, neither of which is negative."""
    ...


@wp.func
def finish_contact(contact: Contact, params: ContactParams, margin: float, w: int, c: int):
    """The frame, the margin and the parameters of the point in slot ``c``."""
    wanted = contact.frame[w, c]
    contact.frame[w, c] = contact_frame(wanted[0], wanted[1])
    contact.includemargin[w, c] = margin
    _write_params(
        contact.friction, contact.solref, contact.solreffriction, contact.solimp, contact.dim,
        params.friction, params.solref, params.solreffriction, params.solimp, params.dim, w, c,
    )  # fmt: skip
    contact.efc_address[w, c] = -1
    contact.mu[w, c] = 0.0


@wp.func
def _same_pair(contact: Contact, w: int, c: int, other: int) -> bool:
    one = contact.geom[w, c]
    two = contact.geom[w, other]
    return one[0] == two[0] and one[1] == two[1] and contact.pairid[w, c] == contact.pairid[w, other]


@wp.func
def finish_contacts(opt: Option, geom: Geom, pair: Pair, contact: Contact, begin: int, end: int, w: int, lane: int):
    """Finish the contacts ``begin`` to ``end - 1`` of a world, as far as there is room. Begins and ends with a barrier.

    The points of a pair follow one another; its first one's lane finishes them all.
    """
    sync()
    last = wp.min(end, contact.dist.shape[1])
    for first in range(begin + lane, last, lanes()):
        begins = bool(True)
        if first > begin:
            begins = not _same_pair(contact, w, first - 1, first)
        if begins:
            geoms = contact.geom[w, first]
            pairid = contact.pairid[w, first]
            params = contact_params(opt, geom, pair, fresh(w), geoms[0], geoms[1], pairid)
            margin = pair_margin(opt, geom, pair, fresh(w), geoms[0], geoms[1], pairid)[0]
            c = wp.int32(first)
            ends = bool(False)
            while not ends:
                finish_contact(contact, params, margin, fresh(w), c)
                c += 1
                ends = c >= last
                if not ends:
                    ends = not _same_pair(contact, w, first, c)
    sync()


@wp.func
def write_count(contact: Contact, status: Status, count: int, w: int, lane: int):
    """The number of contacts of a world that found ``count``, and a flag if there was not room for all."""
    if lane == 0:
        room = contact.dist.shape[1]
        status.ncon[w] = wp.min(count, room)
        status.ncon_needed[w] = wp.max(status.ncon_needed[w], count)
        if count > room:
            flag_overflow(status, w, NARROWPHASE)
