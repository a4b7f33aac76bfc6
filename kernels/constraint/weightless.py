"""How stiff equality rows are whose bodies or tendons have no inverse weight.

A body hinged at its centre of mass has none, though the hinge lets every other point of it move; a tendon
has none if the reference pose is a dead centre. MuJoCo makes such rows 1e15 times as stiff as others (mjMINVAL), in effect
rigid. Float32 holds an acceleration to 6e-8, and the force of a row is what is left of ``aref - J qacc`` over R: where R is far
below the inverse inertia A that the row meets, that is rounding. So R is at least a share of A, estimated by the diagonal
of the inverse mass matrix in the reference pose; by that share the row yields. A row that meets nothing but the rounding
of its Jacobian is as soft as the others of its constraint, or as a row that meets the mean inertia.
"""

import warp as wp

from newtonish.kernels.constants import MINVAL
from newtonish.kernels.constraint.row import LIGHTEST, is_sparse, regularization
from newtonish.kernels.math.world import per_world
from newtonish.kernels.structs.data import Efc
from newtonish.kernels.structs.model import Dof, Option

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
