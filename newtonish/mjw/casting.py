"""Casting rays into all worlds, under mujoco_warp's names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import warp as wp

from newtonish.errors import ModelError, UnsupportedError, problem
from newtonish.kernels.runtime.launch import gathered, is_gpu
from newtonish.kernels.sensor.cast import cast
from newtonish.kernels.sensor.ray_world import ALL_GROUPS
from newtonish.kernels.structs.container import Data, Model
from newtonish.mjw.arguments import array_of
from newtonish.mjw.matching import check_pair, integer
from newtonish.mjw.recording import side_by_side
from newtonish.mjw.replay import get_num_threads

__all__ = ["make_surfaces", "ray", "rays"]

GROUPS = 6
LEAST_RAYS_A_THREAD = 64  # a ray takes 1 to 20 us, waking a thread 50 us


def ray(
    m: Model,
    d: Data,
    pnt: wp.array,
    vec: wp.array,
    geomgroup: Sequence[float] | None = None,
    flg_static: bool = True,
    bodyexclude: int = -1,
    rc: Any = None,
) -> tuple[wp.array, wp.array, wp.array]:
    """First geom that one ray in each world meets.

    Args:
        m: model.
        d: data with geom poses of the present ``qpos``, as after ``kinematics`` or ``forward``.
        pnt: (1 or nworld, 1) vec3, start of the ray, world frame [m].
        vec: the same shape, its direction; distances are in units of its length.
        geomgroup: six numbers, zero for groups of geoms that are passed over; None or all -1: every group counts.
        flg_static: whether geoms of bodies that cannot move are met.
        bodyexclude: body whose geoms are passed over; -1: none.
        rc: for mujoco_warp's scripts; the trees of boxes of meshes belong to the model here, so it changes nothing.

    Returns:
        Distance (nworld, 1), -1 without a hit; id of the geom, -1 without; outward normal of its surface, world frame.

    Raises:
        ModelError: arrays of another shape, type or device.
        UnsupportedError: an opaque geom is a signed distance field, through which rays would pass.

    Transparent geoms (alpha 0) are passed over; a ray that starts inside a geom meets its surface from within. Meshes
    are met triangle by triangle, not as their hulls. Allocates the results: inside a capture use ``rays``.
    MuJoCo: mj_ray.
    """
    check_pair("ray", m, d)
    if not isinstance(pnt, wp.array) or pnt.ndim != 2 or pnt.shape[1] != 1:
        given = f"an array of shape {pnt.shape}" if isinstance(pnt, wp.array) else f"a {type(pnt).__name__}"
        raise ModelError(problem("ray: pnt", given, f"a wp.array of shape (1, 1) or ({d.nworld}, 1)", "use rays for several"))
    exclude = wp.full(1, integer("ray: bodyexclude", bodyexclude, -1), dtype=wp.int32, device=d.device)
    dist = wp.empty((d.nworld, 1), dtype=wp.float32, device=d.device)
    geomid = wp.empty((d.nworld, 1), dtype=wp.int32, device=d.device)
    normal = wp.empty((d.nworld, 1), dtype=wp.vec3, device=d.device)
    rays(m, d, pnt, vec, (-1,) * GROUPS if geomgroup is None else geomgroup, flg_static, exclude, dist, geomid, normal, rc)
    return dist, geomid, normal


def rays(
    m: Model,
    d: Data,
    pnt: wp.array,
    vec: wp.array,
    geomgroup: Sequence[float],
    flg_static: bool,
    bodyexclude: wp.array,
    dist: wp.array,
    geomid: wp.array,
    normal: wp.array,
    rc: Any = None,
) -> None:
    """First geoms that many rays in each world meet; as ``ray``, into arrays of the caller's.

    Args:
        m: model.
        d: data.
        pnt: (1 or nworld, nray) vec3, starts of the rays; one row counts for all worlds.
        vec: the same shape, directions.
        geomgroup: six numbers, zero for groups of geoms that are passed over; all -1: every group counts.
        flg_static: whether geoms of bodies that cannot move are met.
        bodyexclude: (nray,) int32, body whose geoms each ray passes over; -1: none.
        dist: (nworld, nray) float32, receives distances; -1 without a hit.
        geomid: (nworld, nray) int32, receives ids of geoms; -1 without a hit.
        normal: (nworld, nray) vec3, receives outward normals of the surfaces.
        rc: as in ``ray``.

    Many rays are shared out to the threads of a CPU; the results do not depend on how many there are. Can be captured after a first
    call outside, which makes the trees of boxes of the meshes. MuJoCo: mj_multiRay.
    """
    check_pair("rays", m, d)
    _refuse_fields(m)
    count = pnt.shape[1] if isinstance(pnt, wp.array) and pnt.ndim == 2 else 0
    rows = pnt.shape[0] if isinstance(pnt, wp.array) and pnt.shape[0] == 1 else d.nworld
    array_of("rays: pnt", d, pnt, wp.vec3, (rows, count))
    array_of("rays: vec", d, vec, wp.vec3, (rows, count))
    array_of("rays: bodyexclude", d, bodyexclude, wp.int32, (count,))
    for name, array, dtype in (("dist", dist, wp.float32), ("geomid", geomid, wp.int32), ("normal", normal, wp.vec3)):
        array_of(f"rays: {name}", d, array, dtype, (d.nworld, count))
    make_surfaces(m, d)
    given = m, d, _group_bits(geomgroup), bool(flg_static), bodyexclude, pnt, vec, dist, geomid, normal
    threads = 1 if is_gpu(d.device) or d.device.is_capturing else min(get_num_threads(), dist.size // LEAST_RAYS_A_THREAD)
    if threads < 2:
        cast(*given)
        return
    with gathered() as commands:
        for first, number in _parts(int(dist.shape[0]), int(dist.shape[1]), threads):
            cast(*given, first, number)
    side_by_side([command.launch for command in commands])


def _refuse_fields(m: Model) -> None:
    """Raise where a ray would pass through a distance field unnoticed."""
    if m.surfaces.fields:
        first, *more = m.surfaces.fields
        given = f"type sdf, as have {len(more)} more" if more else "type sdf"
        raise UnsupportedError(problem(f"rays: {first}", given, "geoms of other types, and transparent ones", "give it an rgba with alpha 0 in the model"))


def _parts(nworld: int, count: int, threads: int) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """First world and ray of each thread, and how many: shared out by worlds where there are enough of them, else by rays."""
    by_worlds = nworld >= threads
    for i in range(threads):
        a, b = ((nworld if by_worlds else count) * k // threads for k in (i, i + 1))
        yield ((a, 0), (b - a, count)) if by_worlds else ((0, a), (nworld, b - a))


def make_surfaces(m: Model, d: Data) -> None:
    """Put the triangles of meshes on the device at the first call."""
    if m.surfaces.ready:
        return
    if d.device.is_capturing:
        text = problem("rays", "a first call inside a capture", "one call before it", "call rays or ray once before capturing")
        raise ModelError(text)
    m.surfaces.put(m)


def _group_bits(geomgroup: Sequence[float]) -> int:
    """Groups of geoms that rays can hit, as bits."""
    numbers = [float(x) for x in geomgroup]
    if len(numbers) != GROUPS:
        text = problem("rays: geomgroup", f"{len(numbers)} numbers", "six, one for each group", "pass -1 six times for all groups")
        raise ModelError(text)
    if all(x == -1.0 for x in numbers):
        return int(ALL_GROUPS)
    return sum(1 << i for i, x in enumerate(numbers) if x != 0.0)
