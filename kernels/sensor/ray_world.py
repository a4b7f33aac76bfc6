"""What a ray first meets in a world: the nearest hit over all geoms.

A geom's bounding sphere is asked before its surface is. The triangles of a mesh lie in a tree of boxes (``wp.Mesh``)
in the mesh's own frame, one for all worlds; the ray is brought there. MuJoCo: mj_ray; documentation, chapter
Programming, section on ray collisions.
"""

import warp as wp

from newtonish.kernels.constants import HFIELD, MESH
from newtonish.kernels.math.world import per_world
from newtonish.kernels.sensor.ray import ray_shape
from newtonish.kernels.sensor.ray_bounds import GEOMS_TOGETHER, lowest_bit, near_geoms, without_lowest_bit
from newtonish.kernels.sensor.ray_hfield import ray_hfield
from newtonish.kernels.structs.data import Kinematics
from newtonish.kernels.structs.geometric import Surface
from newtonish.kernels.structs.model import Body, Geom, HeightField, Size

FAR = wp.constant(1.0e10)  # beyond it nothing is hit; MuJoCo's largest number
NONE = wp.constant(wp.uint64(0))
ALL_GROUPS = wp.constant(63)


@wp.struct
class Hit:
    """A point on a surface."""

    dist: wp.float32  # in units of the ray's direction; -1: no hit
    geom: wp.int32  # -1: no hit
    normal: wp.vec3  # outward, world frame


@wp.func
def ray_mesh(surface: Surface, mesh: int, p: wp.vec3, v: wp.vec3, reach: float) -> wp.vec4:
    """Normal and distance of the nearest triangle that a ray meets, in the frame of the mesh."""
    if surface.mesh[mesh] != NONE:
        query = wp.mesh_query_ray(surface.mesh[mesh], p, v, reach)
        if query.result:
            n = query.normal
            return wp.vec4(n[0], n[1], n[2], query.t)
    return wp.vec4(0.0, 0.0, 0.0, -1.0)


@wp.func
def ray_geom(
    geom: Geom, surface: Surface, hfield: HeightField, kin: Kinematics, w: int, g: int, origin: wp.vec3,
    direction: wp.vec3, reach: float,
) -> Hit:  # fmt: skip
    """Where a ray meets geom ``g`` within ``reach``; its bounding sphere is not asked."""
    found = Hit()
    found.dist = -1.0
    found.geom = -1
    center = kin.geom_xpos[w, g]
    axes = kin.geom_xmat[w, g]
    p = wp.transpose(axes) * (origin - center)
    v = wp.transpose(axes) * direction
    kind = geom.type[g]
    hit = wp.vec4(0.0, 0.0, 0.0, -1.0)
    if kind == MESH:
        hit = ray_mesh(surface, geom.dataid[per_world(geom.dataid.shape[0], w), g], p, v, reach)
    elif kind == HFIELD:
        hit = ray_hfield(hfield, w, geom.dataid[per_world(geom.dataid.shape[0], w), g], p, v)
    else:
        hit = ray_shape(kind, geom.size[per_world(geom.size.shape[0], w), g], p, v)
    if hit[3] >= 0.0 and hit[3] <= reach:
        found.dist = hit[3]
        found.geom = g
        found.normal = axes * wp.vec3(hit[0], hit[1], hit[2])
    return found


@wp.func
def ray_world(
    size: Size, body: Body, geom: Geom, surface: Surface, hfield: HeightField, kin: Kinematics, w: int, groups: int,
    with_static: bool, exclude: int, origin: wp.vec3, direction: wp.vec3,
) -> Hit:  # fmt: skip
    """The first opaque geom that a ray meets.

    Args:
        groups: bit i: geoms of group i are tested.
        with_static: whether geoms of bodies that cannot move are tested.
        exclude: body whose geoms are passed over; -1: none.
    """
    best = Hit()
    best.dist = -1.0
    best.geom = -1
    reach = wp.float32(FAR)
    row = per_world(geom.rbound.shape[0], w)
    first = wp.int32(0)
    while first < size.ngeom:
        near = near_geoms(kin.geom_xpos, geom.rbound, w, row, first, wp.min(size.ngeom - first, GEOMS_TOGETHER), origin, direction)
        while near != 0:
            g = first + lowest_bit(near)
            near = without_lowest_bit(near)
            b = geom.bodyid[g]
            group = wp.clamp(geom.group[g], 0, 5)
            if geom.opaque[g] != 0 and b != exclude and (groups & (1 << group)) != 0 and (with_static or body.weldid[b] != 0):
                hit = ray_geom(geom, surface, hfield, kin, w, g, origin, direction, reach)
                if hit.geom >= 0 and (best.geom < 0 or hit.dist < best.dist):
                    best = hit
                    reach = hit.dist
        first += GEOMS_TOGETHER
    return best
