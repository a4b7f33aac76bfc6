"""Solvers of Newton models."""

from newtonish.solver.base import SolverBase
from newtonish.solver.solver_mujoco import SolverMuJoCo

__all__ = ["SolverBase", "SolverMuJoCo"]
