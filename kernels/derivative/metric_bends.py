"""What a spring or damper in the metric of integrator discrete adds to the residual, and its changes.

With stiffness k, damping b and moment m it pulls along m by h k (m'v + h m'a) + h b m'a: the velocity at the end of the step, and the acceleration. It changes with k
and b, and with a moment that turns. So does what it adds to the diagonal of the metric, (h^2 k + h b) m_i^2, of which the weights of rows are made.
"""

import warp as wp

from newtonish.kernels.constants import LIMIT_JOINT, LIMIT_TENDON, MINVAL
from newtonish.kernels.constraint.row import jacobian_entry
from newtonish.kernels.derivative.algebra import real, vec8d
from newtonish.kernels.derivative.firmness import DAMPER, INPUT, LENGTH, SPRING, TO_DAMPER, VELOCITY
from newtonish.kernels.derivative.workspace import Linear
from newtonish.kernels.structs.data import Efc
from newtonish.kernels.structs.metric import Metric
from newtonish.kernels.structs.model import Size


@wp.struct
class Hold:
    """A pull along a moment, what it makes of the diagonal, and the changes of both by length, velocity and input."""

    pull: wp.float64
    pull_slopes: wp.vec3d
    weight: wp.float64
    weight_slopes: wp.vec3d


@wp.func
def hold_of(size: Size, linear: Linear, firm: vec8d, h: wp.float64, w: int) -> Hold:
    """Of a force with the eight numbers of ``firmness.py`` along the moment in ``linear.arm``."""
    speed = real(0.0)
    acceleration = real(0.0)
    for i in range(size.nv):
        speed += linear.arm[w, i] * linear.speed[w, i]  # at the end of the step
        acceleration += linear.arm[w, i] * linear.acc[w, i]
    by_stiffness = wp.vec3d(firm[LENGTH], firm[VELOCITY], firm[INPUT])
    by_damping = wp.vec3d(firm[LENGTH + TO_DAMPER], firm[VELOCITY + TO_DAMPER], firm[INPUT + TO_DAMPER])
    found = Hold()
    found.pull = h * (firm[SPRING] * speed + firm[DAMPER] * acceleration)
    found.pull_slopes = h * (speed * by_stiffness + acceleration * by_damping)
    found.weight = h * (h * firm[SPRING] + firm[DAMPER])
    found.weight_slopes = h * (h * by_stiffness + by_damping)
    return found


@wp.func
def add_hold(
    size: Size, linear: Linear, hold: Hold, target: wp.array3d(dtype=wp.float64), change: wp.vec3d, w: int, column: int, line: int,
):  # fmt: skip
    """Add what a ``change`` of length, velocity and input does, at the moment in ``linear.arm``, to a column of G and to a line of the diagonal's changes."""
    pull = wp.dot(hold.pull_slopes, change)
    weight = wp.dot(hold.weight_slopes, change)
    if pull != real(0.0) or weight != real(0.0):
        for i in range(size.nv):
            at = linear.arm[w, i]
            if at != real(0.0):
                target[w, i, column] = target[w, i, column] + pull * at
                linear.stiffer[w, i, line] = linear.stiffer[w, i, line] + weight * at * at


@wp.func
def add_bent_hold(size: Size, linear: Linear, firm: vec8d, h: wp.float64, farther: wp.float64, faster: wp.float64, w: int, k: int):
    """Add what the change of a moment with dof ``k``, in that column of ``linear.bend``, does to Gq and to the diagonal.

    Args:
        firm: the force's eight numbers, of no others than those along ``linear.arm``.
        farther: change of its length beyond that of a constant moment.
        faster: change of its velocity with the moment.
    """
    if firm[SPRING] != real(0.0) or firm[DAMPER] != real(0.0):
        hold = hold_of(size, linear, firm, h, w)
        speed = real(0.0)
        acceleration = real(0.0)
        for i in range(size.nv):
            speed += linear.bend[w, i, k] * linear.speed[w, i]
            acceleration += linear.bend[w, i, k] * linear.acc[w, i]
        along = h * (firm[SPRING] * speed + firm[DAMPER] * acceleration)
        for i in range(size.nv):
            at = linear.arm[w, i]
            bend = linear.bend[w, i, k]
            linear.Gq[w, i, k] = linear.Gq[w, i, k] + hold.pull * bend + along * at
            linear.stiffer[w, i, k] = linear.stiffer[w, i, k] + real(2.0) * hold.weight * at * bend
        add_hold(size, linear, hold, linear.Gq, wp.vec3d(farther, faster, real(0.0)), w, k, k)


@wp.func
def geared(firm: vec8d, gear: wp.float64) -> vec8d:
    """The eight numbers of a force along a moment, as seen along the moment without its ``gear``."""
    result = firm * (gear * gear)
    for i in range(2):
        for n in range(2):
            at = LENGTH + i + n * TO_DAMPER
            result[at] = result[at] * gear
    return result


@wp.func
def rescaled_by_bend(size: Size, efc: Efc, efm: Metric, linear: Linear, share: wp.float64, w: int, r: int, k: int) -> wp.float64:
    """Change of the logarithm of the weight of row ``r`` (``row_scales.py``) with its Jacobian, by ``share`` times column ``k`` of ``linear.bend``."""
    bare = real(0.0)
    stiff = real(0.0)
    by_bare = real(0.0)
    by_stiff = real(0.0)
    for i in range(size.nv):
        at = real(jacobian_entry(efc, w, r, i))
        mass = linear.M[w, i, i]
        whole = mass + real(efm.sdiag[w, i])
        change = real(2.0) * at * share * linear.bend[w, i, k]
        bare += at * at / mass
        stiff += at * at / whole
        by_bare += change / mass
        by_stiff += change / whole
    result = real(0.0)
    if bare > real(MINVAL):
        result = by_bare / bare - by_stiff / stiff
    return result


@wp.func
def note_rescaling(size: Size, efc: Efc, linear: Linear, change: wp.float64, w: int, r: int, line: int):
    """Keep the change of the logarithm of the weight of row ``r``, if it is the first of a limit whose force a sensor may measure."""
    if linear.rescaled.shape[1] > 0:
        kind = efc.type[w, r]
        first = wp.bool(True)
        if r > 0:
            first = efc.type[w, r - 1] != kind or efc.id[w, r - 1] != efc.id[w, r]
        if first and (kind == LIMIT_JOINT or kind == LIMIT_TENDON):
            slot = efc.id[w, r] + wp.where(kind == LIMIT_TENDON, size.njnt, 0)
            linear.rescaled[w, slot, line] = linear.rescaled[w, slot, line] + change


@wp.func
def rescaling(size: Size, efc: Efc, linear: Linear, w: int, r: int, line: int) -> wp.float64:
    """What ``note_rescaling`` has kept of a limit's row."""
    change = real(0.0)
    if linear.rescaled.shape[1] > 0:
        change = linear.rescaled[w, efc.id[w, r] + wp.where(efc.type[w, r] == LIMIT_TENDON, size.njnt, 0), line]
    return change


@wp.func
def add_bent_inertia(size: Size, linear: Linear, inertia: wp.float64, w: int, k: int):
    """Change of the diagonal of the mass matrix with the moment of a tendon that has ``inertia``."""
    if inertia != real(0.0):
        for i in range(size.nv):
            linear.heavier[w, i, k] = linear.heavier[w, i, k] + real(2.0) * inertia * linear.arm[w, i] * linear.bend[w, i, k]
