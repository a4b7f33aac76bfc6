"""Contacts."""

from typing import Any

import warp as wp

from newtonish.kernels.collision.driver import walk
from newtonish.kernels.collision.narrow import narrowphase
from newtonish.kernels.math.world import lane_index, world_index, worlds_per_thread
from newtonish.kernels.runtime.launch import launch, through_worlds
from newtonish.kernels.structs.data import Contact, Kinematics, Status
from newtonish.kernels.structs.model import Body, Collide, Geom, Option, Pair, Size

collision_world = walk(narrowphase)


@wp.kernel
def collision_kernel(
    size: Size, opt: Option, body: Body, geom: Geom, pair: Pair, collide: Collide, kin: Kinematics, contact: Contact,
    status: Status, nworld: int,
):  # fmt: skip
    """Contacts of the world's geoms."""
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        collision_world(size, opt, body, geom, pair, collide, kin, contact, status, w, lane)


through_worlds(collision_kernel)


def launch_collision(m: Any, d: Any) -> None:
    """Run the kernel on all worlds."""
    launch(collision_kernel, d, [m.size, m.opt, m.body, m.geom, m.pair, m.collide, d.kin, d.contact, d.status])
