"""Contact of a sphere with a cylinder: side, cap or rim, whichever is closest to the centre.

Method: the regions of the cylinder's axial section, as in MuJoCo. If the centre is inside, the nearer of side and cap
gives the way out, the side on a tie.
"""

import warp as wp

from newtonish.kernels.collision.manifold import Manifold, single_point
from newtonish.kernels.collision.sphere_capsule import touch_spheres
from newtonish.kernels.constants import MINVAL


@wp.func(inline=False)
def sphere_cylinder(
    center: wp.vec3, radius: float, sphere_axis: wp.vec3, cylinder: wp.vec3, axis: wp.vec3, cylinder_radius: float, half: float, reach: float
) -> Manifold:
    offset = center - cylinder
    along = wp.dot(offset, axis)
    outward = offset - along * axis
    apart = wp.length(outward)
    beside = wp.abs(along) < half
    above = apart < cylinder_radius
    if beside and above:
        above = half - wp.abs(along) < cylinder_radius - apart
        beside = not above
    if beside:
        dist, pos, normal = touch_spheres(center, radius, sphere_axis, cylinder + along * axis, cylinder_radius, axis)
        return single_point(dist, pos, normal, reach)
    side = wp.where(along > 0.0, 1.0, -1.0)
    if above:
        dist = wp.abs(along) - half - radius
        return single_point(dist, center - (side * (radius + 0.5 * dist)) * axis, -side * axis, reach)
    rim = cylinder + (side * half) * axis + (cylinder_radius / wp.max(apart, MINVAL)) * outward
    dist, pos, normal = touch_spheres(center, radius, sphere_axis, rim, 0.0, axis)
    return single_point(dist, pos, normal, reach)
