"""The stage of constraint forces: the solver of the model, for a dense or a sparse Jacobian, and what follows it."""

from __future__ import annotations

from typing import Any

from newtonish.common.enums import SolverType
from newtonish.kernels.integrate.discrete.options import is_discrete
from newtonish.kernels.runtime.lanes import mapping_of
from newtonish.kernels.runtime.launch import is_gpu


def solver_stage(m: Any, d: Any) -> None:
    """Constraint forces and acceleration.

    Reads   d.mass, d.frc, d.efc, d.contact, d.state.qacc_warmstart. Writes d.sol, d.efc.force, d.efc.state.
    MuJoCo  mj_fwdConstraint.
    """
    if is_discrete(m):
        from newtonish.kernels.integrate.discrete.stage import solve_in_metric

        solve_in_metric(m, d)
        return
    solver = SolverType(m.opt.solver)
    solve(m, d, solver)
    refine(m, d, solver)
    noslip(m, d)


def solve(m: Any, d: Any, solver: SolverType) -> None:
    """Newton's method or conjugate gradients, island by island if the Jacobian is sparse, or Gauss-Seidel."""
    if solver == SolverType.PGS:
        from newtonish.kernels.fused.solve_pgs import launch_solve_pgs

        launch_solve_pgs(m, d, d.mass, d.frc)
    elif d.sparse and _side_by_side(d):
        from newtonish.kernels.fused.solve_each_island import launch_solve_each_island

        launch_solve_each_island(m, d, solver)
    elif d.sparse:
        from newtonish.kernels.fused.solve_islands import launch_solve_islands

        launch_solve_islands(m, d, solver)
    elif solver == SolverType.CG:
        from newtonish.kernels.fused.solve_cg import launch_solve_cg

        launch_solve_cg(m, d, d.mass, d.frc)
    else:
        from newtonish.kernels.fused.solve import launch_solve

        launch_solve(m, d, d.mass, d.frc)


def refine(m: Any, d: Any, solver: SolverType) -> None:
    """Last steps in worlds where float32 ended the iteration; on a CPU, Newton's method has taken its own.

    Method: ``newtonish.kernels.solver.refine``.
    """
    if solver == SolverType.NEWTON and not is_gpu(d.device):
        return
    if d.sparse and solver != SolverType.PGS and _side_by_side(d):
        from newtonish.kernels.fused.refine_each_island import launch_refine_each_island

        launch_refine_each_island(m, d)
    elif d.sparse:
        from newtonish.kernels.fused.refine_islands import launch_refine_islands

        launch_refine_islands(m, d, solver)
    else:
        from newtonish.kernels.fused.refine import launch_refine

        launch_refine(m, d, d.mass, d.frc)


def _side_by_side(d: Any) -> bool:
    """Whether the islands of a world have lanes of their own."""
    return is_gpu(d.device) and mapping_of(d).islands > 1


def noslip(m: Any, d: Any) -> None:
    """Suppress slip, in models that ask for it."""
    if m.opt.noslip_iterations > 0:
        from newtonish.kernels.fused.noslip import launch_noslip

        launch_noslip(m, d, d.mass, d.frc)
