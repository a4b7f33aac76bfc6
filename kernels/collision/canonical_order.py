"""A canonical order of two geoms of one type, independent of which one the model names first.

Searches for contacts are not the same both ways: their rounding, and which of several equal answers they find, depend on the
order of the shapes. What is searched in an order of the geoms' own, and turned round afterwards, is the same to the bit
when geoms change places.
"""

import warp as wp

from newtonish.kernels.math.world import per_world
from newtonish.kernels.structs.data import Kinematics
from newtonish.kernels.structs.model import Geom

ALIKE = wp.constant(1.0e-6)  # difference of two cosines that is rounding: faces within 0.1 degrees of each other
ASLANT = wp.constant(wp.vec3(0.26, 0.53, 0.81))  # across none of the directions along which geoms are stacked or lined up


@wp.func
def comes_second(to2: wp.vec3, mat1: wp.mat33, mat2: wp.mat33, size1: wp.vec3, size2: wp.vec3) -> bool:
    """Whether the first of two geoms of one type is the second in the order of their poses and sizes.

    Args:
        to2: from the first to the second [m].
    """
    decides = wp.float32(0.0)
    for i in range(3):
        if decides == 0.0:
            decides = to2[i]
    for k in range(9):
        if decides == 0.0:
            decides = mat2[k // 3, k % 3] - mat1[k // 3, k % 3]
    for i in range(3):
        if decides == 0.0:
            decides = size2[i] - size1[i]
    return decides < 0.0


@wp.func
def is_exchanged(geom: wp.ref[Geom], kin: wp.ref[Kinematics], w: int, g1: int, g2: int) -> bool:
    """Whether two geoms are of one type and not in the order of their poses and sizes; other pairs are ordered by type."""
    size_w = per_world(geom.size.shape[0], w)
    to2 = kin.geom_xpos[w, g2] - kin.geom_xpos[w, g1]
    later = comes_second(to2, kin.geom_xmat[w, g1], kin.geom_xmat[w, g2], geom.size[size_w, g1], geom.size[size_w, g2])
    return later and geom.type[g1] == geom.type[g2]


@wp.func
def leads(alike1: float, alike2: float, normal: wp.vec3) -> bool:
    """Whether of two faces that touch the first shape's gives the contacts their normal: that which looks more along the way out.

    Of faces that look alike it is the upper shape's, along a direction to which contacts are seldom across: of a stack always
    the same one, whereas the order of the poses changes with every rounding.

    Args:
        alike1: cosine between the first shape's face and ``normal``.
        alike2: cosine between the second shape's face and ``-normal``.
        normal: of the deepest point, from the first shape to the second.
    """
    more = alike1 - alike2
    return more > ALIKE or (more >= -ALIKE and wp.dot(normal, ASLANT) < 0.0)
