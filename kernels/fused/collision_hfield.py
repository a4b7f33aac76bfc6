"""Contacts of models with heightfields."""

from typing import Any

import warp as wp

from newtonish.kernels.collision.hfield_driver import collision_hfield_world
from newtonish.kernels.math.world import lane_index, world_index, worlds_per_thread
from newtonish.kernels.runtime.launch import launch, through_worlds
from newtonish.kernels.structs.data import Contact, Kinematics, Status
from newtonish.kernels.structs.model import Body, Collide, Geom, HeightField, Hull, Option, Pair, Size


@wp.kernel
def collision_hfield_kernel(
    size: Size, opt: Option, body: Body, geom: Geom, pair: Pair, collide: Collide, hull: Hull, hfield: HeightField,
    kin: Kinematics, contact: Contact, status: Status, nworld: int,
):  # fmt: skip
    """Contacts of the world's geoms, heightfields among them."""
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        collision_hfield_world(size, opt, body, geom, pair, collide, hull, hfield, kin, contact, status, w, lane)


through_worlds(collision_hfield_kernel)


def launch_collision_hfield(m: Any, d: Any) -> None:
    """Run the kernel on all worlds."""
    model = [m.size, m.opt, m.body, m.geom, m.pair, m.collide, m.hull, m.hfield]
    data = [d.kin, d.contact, d.status]
    launch(collision_hfield_kernel, d, [*model, *data])
