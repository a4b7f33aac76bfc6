"""Rays that the caller gives, each in a thread of its own of a GPU. MuJoCo: mj_ray, mj_multiRay."""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.math.world import per_world, worlds_per_thread
from newtonish.kernels.runtime.launch import block_dim, is_gpu, launch_on
from newtonish.kernels.sensor.ray_world import ray_world
from newtonish.kernels.structs.data import Kinematics
from newtonish.kernels.structs.geometric import Surface
from newtonish.kernels.structs.model import Body, Geom, HeightField, Size


@wp.kernel
def _cast(
    size: Size, body: Body, geom: Geom, surface: Surface, hfield: HeightField, kin: Kinematics, groups: int,
    with_static: bool, exclude: wp.array(dtype=wp.int32), pnt: wp.array2d(dtype=wp.vec3), vec: wp.array2d(dtype=wp.vec3),
    dist: wp.array2d(dtype=wp.float32), geomid: wp.array2d(dtype=wp.int32), normal: wp.array2d(dtype=wp.vec3),
    first_world: int, first_ray: int, nworld: int, nray: int,
):  # fmt: skip
    """A ray on a GPU; on a CPU ``nray`` rays of ``nworld`` worlds, with arguments read once."""
    world, ray = wp.tid()
    for i in range(worlds_per_thread(nworld)):
        w = first_world + world + i
        row = per_world(pnt.shape[0], w)
        for k in range(worlds_per_thread(nray)):
            r = first_ray + ray + k
            hit = ray_world(size, body, geom, surface, hfield, kin, w, groups, with_static, exclude[r], pnt[row, r], vec[row, r])
            dist[w, r] = hit.dist
            geomid[w, r] = hit.geom
            normal[w, r] = hit.normal


def cast(
    m: Any, d: Any, groups: int, with_static: bool, exclude: Any, pnt: Any, vec: Any, dist: Any, geomid: Any, normal: Any,
    first: tuple[int, int] = (0, 0), number: tuple[int, int] | None = None,
) -> None:  # fmt: skip
    """First hits of rays (1 or nworld, nray): of all, or of ``number`` worlds and rays from ``first`` on. Reads d.kin; writes dist, geomid, normal."""
    part = number or (dist.shape[0], dist.shape[1])
    inputs = [m.size, m.body, m.geom, m.surface, m.hfield, d.kin, groups, with_static, exclude, pnt, vec, dist, geomid, normal, *first, *part]
    launch_on(_cast, d.device, part if is_gpu(d.device) else (1, 1), inputs, block_dim=block_dim(d.device))
