"""Parameters of one constraint row: impedance, reference acceleration, regularisation; and the one row writer.

A row asks for the acceleration ``aref = -b (J qvel) - k d(r) (pos - margin)`` and gets it softly: R = (1 - d)/d times
the inverse inertia that the row sees, D = 1/R. d(r) is the impedance, a sigmoid of five numbers (solimp); k and b
come from solref. Method: MuJoCo's documentation, chapter Modeling, "Solver parameters"; constants as in MuJoCo.
"""

import warp as wp

from newtonish.common.enums import DisableBit
from newtonish.kernels.constants import MINVAL
from newtonish.kernels.linalg.dense import clear_rows
from newtonish.kernels.math.finite import at_least, nothing
from newtonish.kernels.structs.data import Efc
from newtonish.kernels.structs.field import vec5

MINIMP = wp.constant(0.0001)  # smallest impedance
MAXIMP = wp.constant(0.9999)  # largest impedance
REFSAFE = wp.constant(int(DisableBit.REFSAFE))


@wp.func(inline=False)
def impedance(solimp: vec5, pos: float) -> float:
    """d(r) of the distance ``pos`` from the constraint [m or rad], between dmin and dmax."""
    dmin = wp.clamp(solimp[0], MINIMP, MAXIMP)
    dmax = wp.clamp(solimp[1], MINIMP, MAXIMP)
    width = solimp[2]
    midpoint = wp.clamp(solimp[3], MINIMP, MAXIMP)
    power = wp.max(1.0, solimp[4])
    x = wp.abs(pos) / wp.max(MINVAL, width)
    y = wp.float32(0.0)
    if dmin == dmax or width <= MINVAL:
        y = 0.5
    elif x >= 1.0:
        y = 1.0
    elif power == 1.0 or x == 0.0:
        y = x
    elif power == 2.0:  # the default, without the cost of a power
        if x <= midpoint:
            y = x * x / midpoint
        else:
            y = 1.0 - (1.0 - x) * (1.0 - x) / (1.0 - midpoint)
    elif x <= midpoint:
        y = midpoint * wp.pow(x / midpoint, power)
    else:
        y = 1.0 - (1.0 - midpoint) * wp.pow((1.0 - x) / (1.0 - midpoint), power)
    return dmin + y * (dmax - dmin) + nothing(solimp[0] + solimp[1] + solimp[2] + solimp[3] + solimp[4])


@wp.func(inline=False)
def reference(solref: wp.vec2, solimp: vec5, timestep: float, disableflags: int) -> wp.vec2:
    """Stiffness k [1/s^2] and damping b [1/s] of the reference acceleration; k is still to be multiplied by d(r).

    A positive ``solref`` is (time constant, damping ratio), a non-positive one (-stiffness, -damping), and one of mixed
    signs counts as the default.
    """
    timeconst = solref[0]
    dampratio = solref[1]
    if (timeconst > 0.0) != (dampratio > 0.0):
        timeconst = 0.02
        dampratio = 1.0
    direct = timeconst <= 0.0
    if (disableflags & REFSAFE) == 0:
        timeconst = wp.max(timeconst, 2.0 * timestep)
    dmax = wp.clamp(solimp[1], MINIMP, MAXIMP)
    decay = dmax * timeconst
    k = 1.0 / wp.max(MINVAL, decay * decay * dampratio * dampratio)
    b = 2.0 / wp.max(MINVAL, decay)
    if direct:
        k = -solref[0] / (dmax * dmax)
        b = -solref[1] / dmax
    unknown = nothing(solref[0] + solref[1] + solimp[1] + timestep)
    return wp.vec2(k + unknown, b + unknown)


@wp.func
def regularization(invweight: float, imp: float) -> float:
    """R of a row that sees the inverse inertia ``invweight`` [1/kg, or in the row's units]."""
    return at_least(invweight * (1.0 - imp) / imp, MINVAL)


@wp.func
def is_sparse(efc: Efc) -> bool:
    """Whether J is stored as one line of entries; a dense one has eight rows at least."""
    return efc.J.shape[1] == 1


@wp.func
def row_room(efc: Efc) -> int:
    """Entries that each row of a sparse J has room for."""
    return efc.J_colind.shape[1] // efc.J_rownnz.shape[1]


@wp.func
def clear_jacobian(efc: Efc, w: int, first: int, count: int):
    """Make ``count`` rows of J zero; one lane does it alone."""
    if is_sparse(efc):
        for r in range(first, first + count):
            efc.J_rownnz[w, r] = 0
            efc.J_rowadr[w, r] = r * row_room(efc)
    else:
        clear_rows(efc.J, first, count, w)


@wp.func
def append_entry(efc: Efc, w: int, r: int, i: int, value: float):
    """Set the entry of dof ``i`` in a row of J that has none there yet."""
    if is_sparse(efc):
        k = efc.J_rowadr[w, r] + efc.J_rownnz[w, r]
        efc.J[w, 0, k] = value
        efc.J_colind[w, k] = i
        efc.J_rownnz[w, r] = efc.J_rownnz[w, r] + 1
    else:
        efc.J[w, r, i] = value


@wp.func
def add_entry(efc: Efc, w: int, r: int, i: int, value: float):
    """Add to the entry of dof ``i`` in a row of J, which there may be or not."""
    if is_sparse(efc):
        k = efc.J_rowadr[w, r]
        end = k + efc.J_rownnz[w, r]
        while k < end:
            if efc.J_colind[w, k] == i:
                break
            k += 1
        if k < end:
            efc.J[w, 0, k] = efc.J[w, 0, k] + value
        else:
            append_entry(efc, w, r, i, value)
    else:
        efc.J[w, r, i] = efc.J[w, r, i] + value


@wp.func
def jacobian_entry(efc: Efc, w: int, r: int, i: int) -> float:
    """The entry of dof ``i`` in row ``r`` of J."""
    value = wp.float32(0.0)
    if is_sparse(efc):
        for k in range(efc.J_rowadr[w, r], efc.J_rowadr[w, r] + efc.J_rownnz[w, r]):
            if efc.J_colind[w, k] == i:
                value = efc.J[w, 0, k]
    else:
        value = efc.J[w, r, i]
    return value


@wp.func
def write_row(
    efc: Efc,
    w: int,
    r: int,
    kind: int,
    owner: int,
    pos: float,
    margin: float,
    D: float,
    vel: float,
    aref: float,
    frictionloss: float,
):
    """Everything of row ``r`` but its Jacobian."""
    efc.type[w, r] = kind
    efc.id[w, r] = owner
    efc.pos[w, r] = pos
    efc.margin[w, r] = margin
    efc.D[w, r] = D
    efc.vel[w, r] = vel
    efc.aref[w, r] = aref
    efc.frictionloss[w, r] = frictionloss
