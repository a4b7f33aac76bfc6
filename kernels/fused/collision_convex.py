"""Contacts of models with pairs of general convex shapes."""

from typing import Any

import warp as wp

from newtonish.kernels.collision.convex_driver import collision_convex_world
from newtonish.kernels.math.world import lane_index, world_index, worlds_per_thread
from newtonish.kernels.runtime.launch import launch, through_worlds
from newtonish.kernels.structs.data import Contact, Kinematics, Status
from newtonish.kernels.structs.model import Body, Collide, Geom, Hull, Option, Pair, Size


@wp.kernel
def collision_convex_kernel(
    size: Size, opt: Option, body: Body, geom: Geom, pair: Pair, collide: Collide, hull: Hull, kin: Kinematics,
    contact: Contact, status: Status, nworld: int,
):  # fmt: skip
    """Contacts of the world's geoms, whatever their types."""
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        collision_convex_world(size, opt, body, geom, pair, collide, hull, kin, contact, status, w, lane)


through_worlds(collision_convex_kernel)


def launch_collision_convex(m: Any, d: Any) -> None:
    """Run the kernel on all worlds."""
    model = [m.size, m.opt, m.body, m.geom, m.pair, m.collide, m.hull]
    launch(collision_convex_kernel, d, [*model, d.kin, d.contact, d.status])
