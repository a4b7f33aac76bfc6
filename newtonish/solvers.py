"""Solvers under the path that scripts written for Newton use: ``newtonish.solvers.SolverMuJoCo``."""

from newtonish.solver.base import SolverBase
from newtonish.solver.solver_mujoco import SolverMuJoCo

__all__ = ["SolverBase", "SolverMuJoCo"]
