"""How stiff rows are whose bodies or tendons have no inverse weight.

A body hinged at its centre of mass has none, though the hinge lets every other point of it move; a tendon
has none if the reference pose is a dead centre. MuJoCo makes such rows 1e15 times as stiff as others (mjMINVAL), in effect
rigid. Float32 holds an acceleration to 6e-8, and the force of a row is what is left of ``aref - J qacc`` over R: where R is far
below the inverse inertia A that the row meets, that is rounding. So R is at least a share of A, estimated by the diagonal
of the inverse mass matrix in the reference pose; by that share the row yields. A row that meets nothing but the rounding
of its Jacobian is as soft as the others of its constraint, or as a row that meets the mean inertia.

Equality rows take their share whole. Contacts and limits, which may contradict each other, are at most as soft as ``limited_invweight`` makes them:
that bound is the same for all rows of a world, as MuJoCo's is, but it is a ten-millionth of the mean inertia, and in mechanisms of
millimetres, where a force at the surface moves little, that would be soft.
"""

import warp as wp

from newtonish.kernels.constants import MINVAL
from newtonish.kernels.constraint.row import is_sparse, regularization
from newtonish.kernels.math.finite import at_least
from newtonish.kernels.math.world import per_world
from newtonish.kernels.structs.data import Efc
from newtonish.kernels.structs.model import Dof, Option, Tendon

LIGHTEST = wp.constant(1.0e-7)  # least inverse weight, in units of the inverse mean inertia
SHARE = wp.constant(1.0e-5)  # of A: of 3e-6 to 2.5e-4 the one with forces nearest to those of MuJoCo
NOTHING = wp.constant(1.0e-10)  # A, in units of the inverse mean inertia, below which a Jacobian is rounding and moves nothing


@wp.func
def _met_inertia(dof: Dof, efc: Efc, w: int, r: int) -> float:
    """Estimate of A of row ``r``, whose Jacobian has been written: the sum of J_i^2 over the dofs' inertias."""
    nth = per_world(dof.invweight0.shape[0], w)
    total = wp.float32(0.0)
    if is_sparse(efc):
        for k in range(efc.J_rowadr[w, r], efc.J_rowadr[w, r] + efc.J_rownnz[w, r]):
            value = efc.J[w, 0, k]
            total += value * value * dof.invweight0[nth, efc.J_colind[w, k]]
    else:
        for i in range(dof.invweight0.shape[1]):
            value = efc.J[w, r, i]
            total += value * value * dof.invweight0[nth, i]
    return total


@wp.func
def limited_invweight(invweight: float, meaninertia: float) -> float:
    """``invweight``, but no less than that of ten million mean inertias."""
    return at_least(invweight, LIGHTEST / wp.max(MINVAL, meaninertia))


@wp.func
def share_of(met: float, limit: float) -> float:
    """The inverse weight that a row sees which has none: a share of the inverse inertia ``met`` that it meets, ``limit`` at most."""
    return wp.where(met > 0.0, wp.min(limit, SHARE * met), limit)


@wp.func(inline=False)
def tendon_invweight(opt: Option, tendon: Tendon, dof: Dof, efc: Efc, w: int, t: int, r: int) -> float:
    """Inverse weight of tendon ``t``, whose Jacobian has been written to row ``r``."""
    given = tendon.invweight0[per_world(tendon.invweight0.shape[0], w), t]
    limit = limited_invweight(0.0, opt.meaninertia[per_world(opt.meaninertia.shape[0], w)])
    if given >= limit:
        return given
    return at_least(given, share_of(_met_inertia(dof, efc, w, r), limit))


@wp.func(inline=False)
def regularization_of(opt: Option, dof: Dof, efc: Efc, w: int, first: int, count: int, invweight: float, imp: float) -> wp.vec3:
    """R of up to three rows from ``first`` on that share an inverse weight and have their Jacobians."""
    R = regularization(invweight, imp)
    result = wp.vec3(R, R, R)
    unit = 1.0 / wp.max(MINVAL, opt.meaninertia[per_world(opt.meaninertia.shape[0], w)])
    if invweight < LIGHTEST * unit:
        met = wp.vec3()
        for k in range(count):
            met[k] = _met_inertia(dof, efc, w, first + k)
        most = wp.max(met)
        for k in range(3):
            result[k] = wp.max(R, SHARE * wp.where(met[k] > NOTHING * unit, met[k], wp.where(most > NOTHING * unit, most, unit)))
    return result
