"""The stages of the integrator ``discrete``, which stand in for those of the others in ``newtonish.kernels.forward``.

Kernels that every integrator uses are launched on structs in which the metric's arrays stand for the mass matrix's.
"""

from __future__ import annotations

from typing import Any

from newtonish.kernels.discrete.free import free_bodies_kernel, inverse_discrete_kernel
from newtonish.kernels.discrete.metric import metric
from newtonish.kernels.discrete.noslip import noslip_in_metric
from newtonish.kernels.discrete.options import variant
from newtonish.kernels.discrete.refine import refine_discrete_kernel
from newtonish.kernels.discrete.solve import solve_discrete_kernel
from newtonish.kernels.discrete.solve_cg import solve_discrete_cg_kernel
from newtonish.kernels.enums import SolverType
from newtonish.kernels.later import fused
from newtonish.kernels.launch import launch
from newtonish.kernels.optional import exact_rows
from newtonish.kernels.structs.data import FORCE, MASS


def solve_in_metric(m: Any, d: Any) -> None:
    """Constraint forces, and the acceleration (qvel after - qvel before) / h, in ``d.sol``. MuJoCo: mj_fwdConstraint."""
    metric(m, d)
    exact_rows(m, d)
    solver = SolverType(m.opt.solver)
    frc = variant(FORCE, d.frc, qfrc_smooth=d.efm.force)
    mass = variant(MASS, d.mass, M=d.efm.M, qLD=d.mass.qH, qLDiagInv=d.mass.qHDiagInv)
    sparse = [m.size, m.opt, m.dof, d.state, mass, frc, d.contact, d.efc, d.sol, d.status]
    if solver == SolverType.PGS:  # its metric has no couplings
        launch(fused("solve_pgs"), d, sparse)
        launch(fused("refine"), d, sparse)
        if m.opt.noslip_iterations > 0:
            launch(fused("noslip"), d, sparse)
    else:
        kernel = solve_discrete_kernel if solver == SolverType.NEWTON else solve_discrete_cg_kernel
        inner = d.mass if solver == SolverType.NEWTON else mass
        first, last = [m.size, m.opt, m.dof, m.actuator, m.tendon, d.state], [d.efc, d.efm, d.sol, d.status]
        launch(kernel, d, [*first, inner, frc, d.drive, d.ten, d.contact, *last])
        if solver == SolverType.CG:
            launch(refine_discrete_kernel, d, [*first, d.mass, frc, d.drive, d.ten, d.contact, *last])
        if m.opt.noslip_iterations > 0:
            noslip_in_metric(m, d, mass, frc)
    groups = [m.size, m.opt, m.jnt, m.dof, m.actuator, m.tendon, d.state, d.kin, d.com, d.mass, d.drive]
    launch(free_bodies_kernel, d, [*groups, d.efc, d.efm, d.sol, d.status])


def inverse_in_metric(m: Any, d: Any) -> None:
    """Applied force that gives the acceleration ``d.qacc`` of a whole step, after the stages before the solver."""
    metric(m, d)
    exact_rows(m, d)
    groups = [m.size, m.opt, m.jnt, m.dof, m.actuator, m.tendon, d.state, d.kin, d.com, d.mass, d.frc, d.drive, d.ten]
    launch(inverse_discrete_kernel, d, [*groups, d.contact, d.efc, d.efm, d.sol, d.status])
