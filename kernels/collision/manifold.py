"""The contact points of one geom pair, as every narrowphase function returns them.

Normals point from the first geom to the second. Points that are farther than the detection distance are left out by the
function that finds them, so that ``count`` is what the driver needs room for.
"""

import warp as wp

MAX_POINTS = 4  # most contacts of a pair: a box or cylinder on a plane
points_dist = wp.types.vector(length=MAX_POINTS, dtype=wp.float32)
points_pos = wp.types.matrix(shape=(MAX_POINTS, 3), dtype=wp.float32)


@wp.struct
class Manifold:
    """Contact points of a pair of geoms."""

    count: wp.int32  # points that are filled
    dist: points_dist  # signed distance; negative: penetration [m]
    pos: points_pos  # midpoint between the surfaces, world frame [m]
    normal: wp.vec3  # of all points, or of the first one
    normal_second: wp.vec3  # of all points but the first one
    tangent: wp.vec3  # wanted direction of the first tangent; zero: any


@wp.func
def single_point(dist: float, pos: wp.vec3, normal: wp.vec3, reach: float) -> Manifold:
    """At most one point: kept if it lies within the detection distance ``reach``."""
    found = Manifold()
    if dist <= reach:
        found.count = 1
        found.dist[0] = dist
        found.pos[0] = pos
        found.normal = normal
    return found


@wp.func
def two_points(dist1: float, pos1: wp.vec3, normal1: wp.vec3, dist2: float, pos2: wp.vec3, normal2: wp.vec3, reach: float) -> Manifold:
    """At most two points with normals of their own; those within ``reach`` are kept, in this order."""
    found = single_point(dist1, pos1, normal1, reach)
    if dist2 <= reach:
        if found.count == 0:
            found = single_point(dist2, pos2, normal2, reach)
        else:
            found.count = 2
            found.dist[1] = dist2
            found.pos[1] = pos2
            found.normal_second = normal2
    return found
