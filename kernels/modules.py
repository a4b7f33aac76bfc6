"""The Warp modules that a step needs, compiled side by side and loaded before anything is captured."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Any

import warp as wp

from newtonish.kernels.enums import IntegratorType, SolverType
from newtonish.kernels.header import load_side_by_side
from newtonish.kernels.launch import CUDA_BLOCK_DIM, block_dim, with_cpu_flags

# the longest to compile come first
FORWARD_MODULES = ("collision", "constraint", "smooth", "position")
SIMPLE_MODULES = {
    "position": "position_joints", "smooth": "smooth_motors", "collision": "collision_round", "constraint": "constraint_joints",
}  # fmt: skip
SOLVER_MODULES = {SolverType.NEWTON: "solve", SolverType.CG: "solve_cg", SolverType.PGS: "solve_pgs"}
INTEGRATOR_MODULES = {
    IntegratorType.EULER: ("newtonish.kernels.fused.euler",),
    IntegratorType.IMPLICITFAST: ("newtonish.kernels.fused.implicitfast",),
    IntegratorType.IMPLICIT: ("newtonish.kernels.fused.implicit",),
    IntegratorType.RK4: ("newtonish.kernels.integrate.rk4",),
    IntegratorType.DISCRETE: (
        "newtonish.kernels.discrete.metric",
        "newtonish.kernels.discrete.free",
        "newtonish.kernels.discrete.rows",
        "newtonish.kernels.fused.euler",
    ),
}
DISCRETE_SOLVERS = {SolverType.NEWTON: "newtonish.kernels.discrete.solve", SolverType.CG: "newtonish.kernels.discrete.solve_cg"}
_loaded: set[tuple[str, str]] = set()


def step_modules(
    integrator: int, solver: int = SolverType.NEWTON, *, noslip: bool = False, fluid: bool = False, convex: bool = False,
    hfield: bool = False, sweep: bool = False, equality: bool = False, past: bool = False, material: bool = False,
    exact: bool = False, laws: bool = False, sparse: bool = False, gains: bool = False, contacts: bool = True,
    simple: frozenset[str] = frozenset(),
) -> list[str]:
    """Names of the modules that a step with these options, or a reset, launches kernels of.

    ``simple`` names the stages whose simple kernels the model takes (``newtonish.mjw.tables.simple``).
    """
    islands = sparse and solver != SolverType.PGS
    names = ["solve_islands" if islands else SOLVER_MODULES[SolverType(solver)], *FORWARD_MODULES]
    if solver != SolverType.NEWTON:
        names.insert(1, "refine_islands" if sparse else "refine")
    if not contacts:
        names.remove("collision")
    elif sweep:
        names[names.index("collision")] = "collision_sweep"
    elif hfield:
        names[names.index("collision")] = "collision_hfield"
    elif convex:
        names[names.index("collision")] = "collision_convex"
    names = [SIMPLE_MODULES[name] if name in simple else name for name in names]
    names += ["noslip"] * noslip + ["fluid"] * fluid
    if fluid and integrator == IntegratorType.IMPLICITFAST:
        names.append("implicitfast_fluid")
    fused = [f"newtonish.kernels.fused.{name}" for name in names]
    if integrator == IntegratorType.DISCRETE:
        fused[0] = DISCRETE_SOLVERS.get(SolverType(solver), fused[0])
        if solver == SolverType.CG:
            fused[1] = "newtonish.kernels.discrete.refine"
        fused += ["newtonish.kernels.discrete.noslip"] * noslip
    fused += ["newtonish.kernels.constraint.equality_stage"] * equality
    fused += ["newtonish.kernels.past.delay", "newtonish.kernels.past.plastic"] * past
    fused += ["newtonish.kernels.constraint.material"] * material
    fused += ["newtonish.kernels.collision.gains"] * gains
    if exact:
        discrete = integrator == IntegratorType.DISCRETE
        fused.append("newtonish.kernels.discrete.exact" if discrete else "newtonish.kernels.constraint.exact_diagonal")
    fused += ["newtonish.kernels.forces.laws"] * laws
    return [*fused, *INTEGRATOR_MODULES[IntegratorType(integrator)], "newtonish.kernels.reset"]


def find_module(name: str) -> wp.Module:
    """The Warp module of that name, with its kernels, which its import registers."""
    import_module(name)
    return with_cpu_flags(wp.get_module(name))


def load_modules(device: Any, names: Sequence[str]) -> None:
    """Compile (in parallel) and load the named modules on ``device``; those loaded before cost nothing."""
    place = str(wp.get_device(device))
    missing = [name for name in names if (place, name) not in _loaded]
    if not missing:
        return
    modules = [find_module(name) for name in missing]
    if wp.get_device(device).is_cpu:
        load_side_by_side(modules)
    else:
        workers = min(len(missing), os.cpu_count() or 1)
        wp.force_load(device, modules=modules, block_dim=block_dim(device), max_workers=workers)
    _loaded.update((place, name) for name in missing)


def compile_modules(names: Sequence[str], arch: int, folder: Path | None = None) -> list[Path]:
    """Compile the named modules for a CUDA architecture, such as 90 for sm_90; no GPU is needed.

    Args:
        names: of the modules.
        arch: compute capability times ten.
        folder: where to; None: Warp's kernel cache, where a process with such a GPU finds the files.

    Returns:
        The binary of each module.
    """

    def build(name: str) -> Path:
        module = find_module(name)
        before = module.options["block_dim"]
        module.options["block_dim"] = CUDA_BLOCK_DIM  # part of what the cache's names are made of
        try:
            return Path(wp.compile_aot_module(module, arch=arch, module_dir=folder, use_ptx=False)[0])
        finally:
            module.options["block_dim"] = before

    with ThreadPoolExecutor(max(1, min(len(names), os.cpu_count() or 1))) as pool:
        return list(pool.map(build, names))
