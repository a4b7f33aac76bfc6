"""TEMPORARY stand-in: no contacts."""
import warp as wp

from newtonish.kernels.launch import launch
from newtonish.kernels.math.world import sync
from newtonish.kernels.structs.data import Contact, Kinematics, Status
from newtonish.kernels.structs.model import Body, Collide, Geom, Option, Pair, Size


@wp.func
def collision_world(
    size: Size, opt: Option, body: Body, geom: Geom, pair: Pair, collide: Collide, kin: Kinematics, contact: Contact,
    status: Status, w: int, lane: int,
):
    if lane == 0:
        status.ncon[w] = 0
    sync()


@wp.kernel
def _collision(
    size: Size, opt: Option, body: Body, geom: Geom, pair: Pair, collide: Collide, kin: Kinematics, contact: Contact,
    status: Status,
):
    w, lane = wp.tid()
    collision_world(size, opt, body, geom, pair, collide, kin, contact, status, w, lane)


def collision(m, d):
    launch(_collision, d, [m.size, m.opt, m.body, m.geom, m.pair, m.collide, d.kin, d.contact, d.status])
