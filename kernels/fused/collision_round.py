"""Contacts of models whose geoms collide as planes, spheres and capsules only."""

from typing import Any

import warp as wp

from newtonish.kernels.collision.driver import walk
from newtonish.kernels.collision.narrow_round import round_narrowphase
from newtonish.kernels.math.world import lane_index, world_index, worlds_per_thread
from newtonish.kernels.runtime.launch import launch, through_worlds
from newtonish.kernels.structs import packed
from newtonish.kernels.structs.data import Contact, Kinematics, Status
from newtonish.kernels.structs.model import Body, Collide, Geom, Option, Pair, Size

collision_round_world = walk(round_narrowphase)


@wp.kernel
def collision_round_kernel(
    size: Size, opt: Option, body: Body, geom: Geom, pair: Pair, collide: Collide, kin: Kinematics, contact: Contact,
    status: Status, nworld: int,
):  # fmt: skip
    """Contacts of the world's geoms."""
    thread, part = wp.tid()
    lane = lane_index(part)
    packed.body(body)
    packed.geom(geom)
    packed.kin(kin)
    packed.contact(contact)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        collision_round_world(size, opt, body, geom, pair, collide, kin, contact, status, w, lane)


through_worlds(collision_round_kernel)


def launch_collision_round(m: Any, d: Any) -> None:
    """Run the kernel on all worlds."""
    launch(collision_round_kernel, d, [m.size, m.opt, m.body, m.geom, m.pair, m.collide, d.kin, d.contact, d.status])
