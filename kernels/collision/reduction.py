"""Contact reduction: of the many contacts of a pair, the deepest and those farthest apart."""

import warp as wp

from newtonish.kernels.collision.triangles import FAR

MOST = wp.constant(8)  # contacts of a pair
SAME = wp.constant(0.995)  # cosine of normals that count as equal
few = wp.types.vector(length=8, dtype=wp.float32)
few3 = wp.types.matrix(shape=(8, 3), dtype=wp.float32)


@wp.struct
class ReducedContacts:
    """Contacts of a pair in the world frame."""

    count: wp.int32
    dist: few
    pos: few3
    normal: few3  # from the first geom to the second


@wp.func
def distance_to_nearest(found: ReducedContacts, k: int, pos: wp.vec3) -> float:
    """Distance from ``pos`` to the nearest spot but ``k``."""
    least = wp.float32(FAR)
    for i in range(found.count):
        if i != k:
            least = wp.min(least, wp.length(found.pos[i] - pos))
    return least


@wp.func
def depth_of(found: ReducedContacts) -> float:
    """Depth of the deepest; 0 where none is inside."""
    least = wp.float32(0.0)
    for i in range(found.count):
        least = wp.min(least, found.dist[i])
    return -least


@wp.func(inline=False)
def add_contact(given: ReducedContacts, dist: float, pos: wp.vec3, normal: wp.vec3, apart: float) -> ReducedContacts:
    """One spot more; one that is there already, within ``apart``, is kept once, and of too many the most crowded goes."""
    found = given
    deepest = wp.int32(0)
    for i in range(found.count):
        if wp.length(found.pos[i] - pos) < apart and wp.dot(found.normal[i], normal) > SAME:
            if dist < found.dist[i]:
                found.dist[i] = dist
                found.pos[i] = pos
                found.normal[i] = normal
            return found
        if found.dist[i] < found.dist[deepest]:
            deepest = i
    at = wp.int32(found.count)
    if at == MOST:
        at = wp.int32(-1)
        least = distance_to_nearest(found, -1, pos)
        if dist < found.dist[deepest]:
            least = FAR  # the new one is the deepest and stays
            deepest = -1
        for i in range(found.count):
            room = wp.min(distance_to_nearest(found, i, found.pos[i]), wp.length(found.pos[i] - pos))
            if i != deepest and room < least:
                least = room
                at = i
    else:
        found.count = at + 1
    if at >= 0:
        found.dist[at] = dist
        found.pos[at] = pos
        found.normal[at] = normal
    return found
