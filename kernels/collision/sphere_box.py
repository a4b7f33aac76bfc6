"""Contact of a sphere with a box: the closest point of the box to the centre, or the nearest face if the centre is inside.

Method: clamping in the box's frame (Ericson, Real-Time Collision Detection, 5.1.3). Inside, the normal is that of the
nearest face and the contact lies midway between that face and the sphere's far side, as in MuJoCo.
"""

import warp as wp

from newtonish.kernels.collision.manifold import Manifold, single_point


@wp.func
def touch_sphere_box(center: wp.vec3, radius: float, size: wp.vec3) -> tuple[float, wp.vec3, wp.vec3]:
    """Distance, midpoint and normal (sphere to box), all in the frame of the box."""
    closest = wp.max(-size, wp.min(size, center))
    inward = closest - center
    apart = wp.length(inward)
    if apart > 0.0:
        normal = inward / apart
        dist = apart - radius
        return dist, closest - (0.5 * dist) * normal, normal
    # the centre is inside: leave by the nearest face, in the order -x +x -y +y -z +z
    depth = size[0] + center[0]
    normal = wp.vec3(1.0, 0.0, 0.0)
    if size[0] - center[0] < depth:
        depth = size[0] - center[0]
        normal = wp.vec3(-1.0, 0.0, 0.0)
    if size[1] + center[1] < depth:
        depth = size[1] + center[1]
        normal = wp.vec3(0.0, 1.0, 0.0)
    if size[1] - center[1] < depth:
        depth = size[1] - center[1]
        normal = wp.vec3(0.0, -1.0, 0.0)
    if size[2] + center[2] < depth:
        depth = size[2] + center[2]
        normal = wp.vec3(0.0, 0.0, 1.0)
    if size[2] - center[2] < depth:
        depth = size[2] - center[2]
        normal = wp.vec3(0.0, 0.0, -1.0)
    return -depth - radius, center + (0.5 * (radius - depth)) * normal, normal


@wp.func(inline=False)
def sphere_box(center: wp.vec3, radius: float, box: wp.vec3, mat: wp.mat33, size: wp.vec3, reach: float) -> Manifold:
    dist, pos, normal = touch_sphere_box((center - box) * mat, radius, size)
    return single_point(dist, box + mat * pos, mat * normal, reach)
