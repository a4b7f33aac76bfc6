"""Components of a vector by an index that is known at run time only.

A GPU cannot index registers: a vector that is indexed so lies in memory. Choosing among its components keeps it in registers.
"""

import warp as wp


@wp.func
def component(v: wp.vec3, i: int) -> float:
    """``v[i]``."""
    return wp.where(i == 0, v[0], wp.where(i == 1, v[1], v[2]))


@wp.func
def along_axis(x: float, i: int) -> wp.vec3:
    """``x`` on axis ``i``, zero on the others."""
    return wp.vec3(wp.where(i == 0, x, 0.0), wp.where(i == 1, x, 0.0), wp.where(i == 2, x, 0.0))
