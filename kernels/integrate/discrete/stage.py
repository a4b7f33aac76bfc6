"""The stages of the integrator ``discrete``, which stand in for those of the others in ``newtonish.kernels.forward``.

Kernels that every integrator uses are launched on structs in which the metric's arrays stand for the mass matrix's.
"""

from __future__ import annotations

from typing import Any

from newtonish.common.enums import SolverType
from newtonish.kernels.constraint.stage import is_exact
from newtonish.kernels.runtime.launch import is_gpu, launch
from newtonish.kernels.structs.data import FORCE, MASS
from newtonish.kernels.structs.field import variant


def solve_in_metric(m: Any, d: Any) -> None:
    """Constraint forces, and the acceleration (qvel after - qvel before) / h, in ``d.sol``.

    MuJoCo  mj_fwdConstraint.
    """
    from newtonish.kernels.integrate.discrete.free import free_bodies_kernel

    metric_stage(m, d)
    frc = variant(FORCE, d.frc, qfrc_smooth=d.efm.force)
    mass = variant(MASS, d.mass, M=d.efm.M, qLD=d.mass.qH, qLDiagInv=d.mass.qHDiagInv)
    if m.opt.solver == SolverType.PGS:  # its metric has no couplings
        _solve_uncoupled(m, d, mass, frc)
    else:
        _solve_coupled(m, d, mass, frc)
    groups = [m.size, m.opt, m.jnt, m.dof, m.actuator, m.tendon, d.state, d.kin, d.com, d.mass, d.drive]
    launch(free_bodies_kernel, d, [*groups, d.efc, d.efm, d.sol, d.status])


def metric_stage(m: Any, d: Any) -> None:
    """The metric of the step, and the rows in it."""
    from newtonish.kernels.integrate.discrete.metric import metric

    metric(m, d)
    if is_exact(m):
        from newtonish.kernels.integrate.discrete.exact import exact_rows

        exact_rows(m, d)


def _solve_uncoupled(m: Any, d: Any, mass: Any, frc: Any) -> None:
    """Gauss-Seidel, as for the other integrators."""
    from newtonish.kernels.fused.refine import launch_refine
    from newtonish.kernels.fused.solve_pgs import launch_solve_pgs

    launch_solve_pgs(m, d, mass, frc)
    launch_refine(m, d, mass, frc)
    if m.opt.noslip_iterations > 0:
        from newtonish.kernels.fused.noslip import launch_noslip

        launch_noslip(m, d, mass, frc)


def _solve_coupled(m: Any, d: Any, mass: Any, frc: Any) -> None:
    """Newton's method, which has the factor of the metric's own matrix, or conjugate gradients."""
    first, between = [m.size, m.opt, m.dof, m.actuator, m.tendon, d.state], [frc, d.drive, d.ten, d.contact]
    last = [d.efc, d.efm, d.sol, d.status]
    if m.opt.solver == SolverType.CG:
        from newtonish.kernels.integrate.discrete.solve_cg import solve_discrete_cg_kernel

        launch(solve_discrete_cg_kernel, d, [*first, mass, *between, *last])
    else:
        from newtonish.kernels.integrate.discrete.solve import solve_discrete_kernel

        launch(solve_discrete_kernel, d, [*first, d.mass, *between, *last])
    if m.opt.solver == SolverType.CG or is_gpu(d.device):
        from newtonish.kernels.integrate.discrete.refine import refine_discrete_kernel

        launch(refine_discrete_kernel, d, [*first, d.mass, *between, *last])
    if m.opt.noslip_iterations > 0:
        from newtonish.kernels.integrate.discrete.noslip import noslip_in_metric

        noslip_in_metric(m, d, mass, frc)


def inverse_in_metric(m: Any, d: Any) -> None:
    """Applied force that gives the acceleration ``d.qacc`` of a whole step, after the stages before the solver."""
    from newtonish.kernels.integrate.discrete.free import inverse_discrete_kernel

    metric_stage(m, d)
    groups = [m.size, m.opt, m.jnt, m.dof, m.actuator, m.tendon, d.state, d.kin, d.com, d.mass, d.frc, d.drive, d.ten]
    launch(inverse_discrete_kernel, d, [*groups, d.contact, d.efc, d.efm, d.sol, d.status])
