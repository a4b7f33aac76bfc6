"""Contacts of models with signed distance fields, MuJoCo's and the caller's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import warp as wp

from newtonish.kernels.math.world import lane_index, world_index, worlds_per_thread
from newtonish.kernels.runtime.launch import launch, through_worlds
from newtonish.kernels.sdf.driver import driver
from newtonish.kernels.sdf.fields import FIELDS, FieldKind, named
from newtonish.kernels.sdf.search import Search
from newtonish.kernels.structs.data import Contact, Kinematics, SdfState, Status
from newtonish.kernels.structs.model import Body, Collide, Geom, HeightField, Hull, Option, Pair, Sdf, Size


def field_kernel(fields: Sequence[FieldKind], name: str, module: Any = None) -> wp.Kernel:
    """The kernel for models whose fields are among ``fields``, by their numbers.

    Args:
        fields: distances and gradients.
        name: suffix of the names of its functions.
        module: "unique": a Warp module of its own; None: this file's.
    """
    collision_world = driver(Search(fields, name), name)

    def contacts(
        size: Size, opt: Option, body: Body, geom: Geom, pair: Pair, collide: Collide, hull: Hull, hfield: HeightField, sdf: Sdf,
        kin: Kinematics, contact: Contact, state: SdfState, status: Status, nworld: int,
    ):  # fmt: skip
        thread, part = wp.tid()
        lane = lane_index(part)
        for offset in range(worlds_per_thread(nworld)):
            w = world_index(thread + offset)
            collision_world(size, opt, body, geom, pair, collide, hull, hfield, sdf, kin, contact, state, status, w, lane)

    # by the name that lanes are chosen by
    kernel = wp.kernel(named(contacts, "collision_sdf_kernel"), module=module, enable_backward=False)
    through_worlds(kernel)
    return kernel


collision_sdf_kernel = field_kernel(tuple(FIELDS.values()), "mujoco")


def launch_collision_sdf(m: Any, d: Any) -> None:
    """Run the kernel on all worlds."""
    model = [m.size, m.opt, m.body, m.geom, m.pair, m.collide, m.hull, m.hfield, m.sdf]
    data = [d.kin, d.contact, d.overlap, d.status]
    launch(m.field_kernel or collision_sdf_kernel, d, [*model, *data])
