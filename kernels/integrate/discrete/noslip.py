"""Slip suppression in the metric of the integrator ``discrete``.

Its sweeps need the inverse of the metric, of which there is a sparse factor without the couplings of tendons and
actuators. The sweeps see that part alone, from the acceleration it gives the main solver's forces; the acceleration of
their result is that of the whole metric. Method: MuJoCo 4.0's documentation, chapter Computation, "Discrete-time".
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.fused.noslip import noslip_kernel
from newtonish.kernels.integrate.discrete.metric import load_metric
from newtonish.kernels.linalg.dense import copy_vector, load_vector
from newtonish.kernels.linalg.hessian import hessian_begin, hessian_factor, hessian_solve
from newtonish.kernels.math.world import lanes, scratch_slot, sync
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.solver.dual import acceleration_of_forces
from newtonish.kernels.structs.data import Drive, Efc, Force, Mass, Solve, State, Status, TendonState
from newtonish.kernels.structs.metric import Metric
from newtonish.kernels.structs.model import Actuator, Dof, Size, Tendon


@wp.kernel
def begin_noslip_kernel(size: Size, dof: Dof, mass: Mass, frc: Force, efc: Efc, sol: Solve, status: Status):
    """``sol.qacc`` of the forces in the sparse part of the metric."""
    w, lane = wp.tid()
    if status.nefc[w] > 0:
        acceleration_of_forces(size, dof, mass, frc, efc, sol, status, w, lane)


@wp.kernel
def end_noslip_kernel(
    size: Size, dof: Dof, actuator: Actuator, tendon: Tendon, state: State, mass: Mass, frc: Force, drive: Drive,
    ten: TendonState, efm: Metric, sol: Solve, status: Status,
):  # fmt: skip
    """``sol.qacc`` of the forces in the whole metric."""
    w, lane = wp.tid()
    slot = scratch_slot(w)
    if status.nefc[w] > 0:
        load_metric(size, dof, actuator, tendon, drive, ten, efm, sol, w, lane)
        hessian_begin(sol.H, sol.M, size.nv, slot)
        hessian_factor(sol.H, sol.Hdiaginv, mass.qLDiagInv, size.nv, w, slot)
        load_vector(sol.search, sol.qfrc_constraint, size.nv, w, slot)
        hessian_solve(sol.H, sol.Hdiaginv, sol.search, size.nv, slot)
        copy_vector(sol.qacc, w, sol.search, slot, size.nv)
        for i in range(lane, size.nv, lanes()):
            sol.qacc[w, i] = sol.qacc[w, i] + frc.qacc_smooth[w, i]
            state.qacc_warmstart[w, i] = sol.qacc[w, i]
        sync()


def noslip_in_metric(m: Any, d: Any, mass: Any, frc: Any) -> None:
    """Suppress slip after a primal solver; ``mass`` and ``frc`` are those of the sparse part of the metric."""
    launch(begin_noslip_kernel, d, [m.size, m.dof, mass, frc, d.efc, d.sol, d.status])
    launch(noslip_kernel, d, [m.size, m.opt, m.dof, d.state, mass, frc, d.contact, d.efc, d.sol, d.status])
    groups = [m.size, m.dof, m.actuator, m.tendon, d.state, d.mass, frc, d.drive, d.ten, d.efm, d.sol, d.status]
    launch(end_noslip_kernel, d, groups)
