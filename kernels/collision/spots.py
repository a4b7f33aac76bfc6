"""The few contacts of a pair that is met at many places: the deepest, and those farthest from one another."""

import warp as wp

from newtonish.kernels.collision.triangles import FAR

MOST = wp.constant(8)  # contacts of a pair
SAME = wp.constant(0.995)  # cosine of normals that count as equal
few = wp.types.vector(length=8, dtype=wp.float32)
few3 = wp.types.matrix(shape=(8, 3), dtype=wp.float32)


@wp.struct
class Spots:
    """Contacts of a pair in the world frame."""

    count: wp.int32
    dist: few
    pos: few3
    normal: few3  # from the first geom to the second


@wp.func
def crowding(spots: Spots, k: int, pos: wp.vec3) -> float:
    """Distance from ``pos`` to the nearest spot but ``k``."""
    least = wp.float32(FAR)
    for i in range(spots.count):
        if i != k:
            least = wp.min(least, wp.length(spots.pos[i] - pos))
    return least


@wp.func
def depth_of(spots: Spots) -> float:
    """Depth of the deepest; 0 where none is inside."""
    least = wp.float32(0.0)
    for i in range(spots.count):
        least = wp.min(least, spots.dist[i])
    return -least


@wp.func(inline=False)
def with_spot(given: Spots, dist: float, pos: wp.vec3, normal: wp.vec3, apart: float) -> Spots:
    """One spot more; one that is there already, within ``apart``, is kept once, and of too many the most crowded goes."""
    spots = given
    deepest = wp.int32(0)
    for i in range(spots.count):
        if wp.length(spots.pos[i] - pos) < apart and wp.dot(spots.normal[i], normal) > SAME:
            if dist < spots.dist[i]:
                spots.dist[i] = dist
                spots.pos[i] = pos
                spots.normal[i] = normal
            return spots
        if spots.dist[i] < spots.dist[deepest]:
            deepest = i
    at = wp.int32(spots.count)
    if at == MOST:
        at = wp.int32(-1)
        least = crowding(spots, -1, pos)
        if dist < spots.dist[deepest]:
            least = FAR  # the new one is the deepest and stays
            deepest = -1
        for i in range(spots.count):
            room = wp.min(crowding(spots, i, spots.pos[i]), wp.length(spots.pos[i] - pos))
            if i != deepest and room < least:
                least = room
                at = i
    else:
        spots.count = at + 1
    if at >= 0:
        spots.dist[at] = dist
        spots.pos[at] = pos
        spots.normal[at] = normal
    return spots
