"""Contact frames: a right-handed orthonormal basis whose first axis is the contact normal.

Method: MuJoCo's ``mju_makeFrame``: the first tangent is a wanted direction freed of its normal part; without one it is
the y axis, or the z axis if the normal is closer than 60 degrees to y.
"""

import warp as wp

PARALLEL = wp.constant(1.0e-6)  # sine below which a direction counts as parallel to the normal


@wp.func
def contact_frame(normal: wp.vec3, tangent: wp.vec3) -> wp.mat33:
    """Rows: normal, first and second tangent.

    Args:
        normal: unit vector from the first geom to the second.
        tangent: wanted direction of the first tangent, not necessarily orthogonal; zero or parallel: any.
    """
    side = tangent - wp.dot(tangent, normal) * normal
    if wp.length_sq(side) < PARALLEL * PARALLEL:
        side = wp.vec3(0.0, 1.0, 0.0)
        if wp.abs(normal[1]) >= 0.5:
            side = wp.vec3(0.0, 0.0, 1.0)
        side = side - wp.dot(side, normal) * normal
    first = wp.normalize(side)
    second = wp.cross(normal, first)
    return wp.matrix_from_rows(normal, first, second)
