"""Rows of the integrator ``discrete`` with the flag diagexact: scaled by the inverse of the metric that they really meet.

R = (1 - d)/d A with A from the diagonal of J B^-1 J' in the present pose, where B is the part of the metric with a sparse
factor (couplings of tendons and actuators by their diagonals), then softened as ``rows`` does. Method: MuJoCo 4.0's
documentation, XML Reference, flag ``diagexact``, and chapter Computation, "Parameters".
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.constraint.exact_diagonal import exact_stiffness, fill_diagonal
from newtonish.kernels.constraint.material import row_adhesion
from newtonish.kernels.integrate.discrete.rows import CONTACT, softening, softness
from newtonish.kernels.math.world import lanes, per_world
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.structs.data import MASS, Contact, Efc, Mass, Solve, Status
from newtonish.kernels.structs.field import variant
from newtonish.kernels.structs.metric import Metric
from newtonish.kernels.structs.model import Dof, Equality, Joint, Option, Size, Tendon


@wp.kernel
def exact_rows_kernel(
    size: Size, opt: Option, jnt: Joint, dof: Dof, tendon: Tendon, eq: Equality, mass: Mass, contact: Contact, efc: Efc,
    efm: Metric, sol: Solve, status: Status,
):  # fmt: skip
    """``efc.D`` and ``efc.aref`` of one world; a row that nothing moves keeps what it had."""
    w, lane = wp.tid()
    h = opt.timestep[per_world(opt.timestep.shape[0], w)]
    fill_diagonal(size, dof, mass, efc, sol, status.nefc[w], w, lane)
    for r in range(lane, status.nefc[w], lanes()):
        D = exact_stiffness(opt, jnt, dof, tendon, eq, contact, efc, sol, w, r)
        if D > 0.0:
            kind = efc.type[w, r]
            first = wp.int32(r)
            if kind >= CONTACT:
                first = contact.efc_address[w, efc.id[w, r]]
            D = D / softening(opt, softness(jnt, dof, tendon, eq, contact, efc, status, w, first), kind, h)
            aref = efm.aref[w, r]
            if kind >= CONTACT and size.flg_adhesion != 0:
                aref += row_adhesion(opt, contact, w, efc.id[w, r], r - first) / D
            efc.D[w, r] = D
            efc.aref[w, r] = aref


def exact_rows(m: Any, d: Any) -> None:
    """The rows' D by the exact diagonal, after the metric and its factor are known.

    Reads   d.mass.qH, d.efc, d.contact, d.efm.aref. Writes d.efc: D, aref; d.sol.W, d.sol.A
    """
    mass = variant(MASS, d.mass, qLD=d.mass.qH, qLDiagInv=d.mass.qHDiagInv)
    groups = [m.size, m.opt, m.jnt, m.dof, m.tendon, m.eq, mass, d.contact, d.efc, d.efm, d.sol, d.status]
    launch(exact_rows_kernel, d, groups)
