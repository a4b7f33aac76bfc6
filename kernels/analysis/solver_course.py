"""Cost, gradient and active rows of a solution of the constraint solver, read from its results."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from newtonish.common.enums import ConstraintState
from newtonish.kernels.linalg.dense import load_vector
from newtonish.kernels.linalg.sparse_ltdl import symmetric_mul
from newtonish.kernels.math.world import lanes, scratch_slot, sum_lanes, sum_lanes_int, sync
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.solver.jacobian import jacobian_times, transposed_times_force
from newtonish.kernels.solver.rows import rows_cost, world_rows
from newtonish.kernels.structs.data import Contact, Efc, Force, Mass, Solve, Status
from newtonish.kernels.structs.model import Dof, Option, Size

SATISFIED = wp.constant(int(ConstraintState.SATISFIED))


@wp.kernel
def _measure(
    size: Size, opt: Option, dof: Dof, mass: Mass, frc: Force, contact: Contact, efc: Efc, sol: Solve, status: Status,
    cost: wp.array(dtype=float), gradient: wp.array(dtype=float), nactive: wp.array(dtype=int),
):  # fmt: skip
    w, lane = wp.tid()
    slot = scratch_slot(w)
    nefc = status.nefc[w]
    load_vector(sol.x, sol.qacc, size.nv, w, slot)
    jacobian_times(efc, sol.x, sol.Jaref, nefc, w)
    transposed_times_force(efc, sol.JTf, nefc, w)
    symmetric_mul(dof.M_rownnz, dof.M_rowadr, dof.M_colind, mass.M, sol.qacc, sol.Ma, size.nv, w)
    sync()
    gauss = wp.float32(0.0)
    trace = wp.float32(0.0)
    square = wp.float32(0.0)
    for i in range(lane, size.nv, lanes()):
        trace += mass.M[w, dof.M_rowadr[i] + dof.M_rownnz[i] - 1]  # the diagonal ends a row
        missing = sol.Ma[w, i] - frc.qfrc_smooth[w, i]
        gauss += 0.5 * missing * (sol.qacc[w, i] - frc.qacc_smooth[w, i])
        slope = missing - sol.JTf[slot, i]
        square += slope * slope
    pushing = wp.int32(0)
    for r in range(lane, nefc, lanes()):
        if efc.state[w, r] != SATISFIED:
            pushing += 1
    total = sum_lanes(gauss)
    if nefc > 0:
        total += rows_cost(world_rows(opt, contact, status, w), contact, efc, sol.Jaref, slot)
    inertia = sum_lanes(trace)
    length = wp.sqrt(sum_lanes(square))
    count = sum_lanes_int(pushing)
    if lane == 0:
        cost[w] = total / inertia
        gradient[w] = length / inertia
        nactive[w] = count


def measure_solution(m: Any, d: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Cost and norm of its gradient, both over the trace of the mass matrix, and number of active rows of each world, after ``solver_stage``."""
    cost, gradient = (wp.zeros(d.nworld, dtype=float, device=d.device) for _ in range(2))
    nactive = wp.zeros(d.nworld, dtype=int, device=d.device)
    inputs = [m.size, m.opt, m.dof, d.mass, d.frc, d.contact, d.efc, d.sol, d.status, cost, gradient, nactive]
    launch(_measure, d, inputs)
    return cost.numpy(), gradient.numpy(), nactive.numpy()
