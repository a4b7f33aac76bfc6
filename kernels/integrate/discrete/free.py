"""Free bodies, and inverse dynamics, in the metric of the integrator ``discrete``.

The derivative of gyroscopic forces has no place in a positive definite metric. A tree that is one free body, with no
row, tendon or actuator in the metric on it, is solved apart with that derivative, as ``implicitfast`` does.
Method: MuJoCo 4.0's documentation, chapter Computation, "Gyroscopic derivatives for free bodies".
"""

from __future__ import annotations

import warp as wp

from newtonish.kernels.integrate.free_body import Blocks, gyroscopic_blocks, is_free_body, solve_blocks
from newtonish.kernels.linalg.dense import copy_vector, load_vector, mul_rows, mul_rows_transposed
from newtonish.kernels.linalg.sparse_ltdl import symmetric_mul
from newtonish.kernels.math.world import lanes, per_world, scratch_slot, sync
from newtonish.kernels.solver.rows import rows_update, world_rows
from newtonish.kernels.structs.data import (
    Com,
    Contact,
    Drive,
    Efc,
    Force,
    Kinematics,
    Mass,
    Solve,
    State,
    Status,
    TendonState,
)
from newtonish.kernels.structs.metric import Metric
from newtonish.kernels.structs.model import Actuator, Dof, Joint, Option, Size, Tendon


@wp.func
def _is_apart(size: Size, actuator: Actuator, tendon: Tendon, drive: Drive, efc: Efc, efm: Metric, status: Status, w: int, v: int) -> bool:
    """Nothing couples the six dofs from ``v`` on: no row, tendon or actuator in the metric."""
    for r in range(status.nefc[w]):
        for i in range(v, v + 6):
            if efc.J[w, r, i] != 0.0:
                return False
    for t in range(size.ntendon):
        if efm.ts[w, t] != 0.0:
            for k in range(tendon.J_rowadr[t], tendon.J_rowadr[t] + tendon.J_rownnz[t]):
                if tendon.J_colind[k] >= v and tendon.J_colind[k] < v + 6:
                    return False
    for a in range(size.nactuator):
        if efm.act[w, a] != 0.0:
            for o in range(actuator.outadr[a], actuator.outadr[a] + actuator.outnum[a]):
                for e in range(drive.moment_rowadr[w, o], drive.moment_rowadr[w, o] + drive.moment_rownnz[w, o]):
                    i = drive.moment_colind[w, e]
                    if i >= v and i < v + 6 and drive.actuator_moment[w, e] != 0.0:  # that of contacts has a place for every dof
                        return False
    return True


@wp.func
def _entry(dof: Dof, efm: Metric, w: int, i: int, j: int) -> float:
    """Entry (i, j) of ``efm.M`` among the dofs of one free body; rows of simple bodies hold the diagonal only."""
    low = wp.max(i, j)
    k = dof.M_rowadr[low] + dof.M_rownnz[low] - 1 - wp.abs(i - j)
    value = wp.float32(0.0)
    if k >= dof.M_rowadr[low]:
        value = efm.M[w, k]
    return value


@wp.func
def _matrix(jnt: Joint, dof: Dof, kin: Kinematics, com: Com, mass: Mass, state: State, efm: Metric, h: float, w: int, j: int) -> Blocks:
    """Matrix of the step of the free body that joint ``j`` moves."""
    v = jnt.dofadr[j]
    blocks = gyroscopic_blocks(kin, com, mass, state, w, jnt.bodyid[j], v, h)
    for row in range(3):
        for col in range(3):
            blocks.tt[row, col] = blocks.tt[row, col] + _entry(dof, efm, w, v + row, v + col)
            blocks.tr[row, col] = blocks.tr[row, col] + _entry(dof, efm, w, v + row, v + 3 + col)
            blocks.rt[row, col] = blocks.rt[row, col] + _entry(dof, efm, w, v + 3 + row, v + col)
            blocks.rr[row, col] = blocks.rr[row, col] + _entry(dof, efm, w, v + 3 + row, v + 3 + col)
    return blocks


@wp.kernel
def free_bodies_kernel(
    size: Size, opt: Option, jnt: Joint, dof: Dof, actuator: Actuator, tendon: Tendon, state: State, kin: Kinematics, com: Com,
    mass: Mass, drive: Drive, efc: Efc, efm: Metric, sol: Solve, status: Status,
):  # fmt: skip
    """Accelerations of the free bodies that nothing else is coupled with."""
    w, lane = wp.tid()
    h = opt.timestep[per_world(opt.timestep.shape[0], w)]
    for j in range(lane, size.njnt, lanes()):
        if is_free_body(size, jnt, dof, j):
            v = jnt.dofadr[j]
            if _is_apart(size, actuator, tendon, drive, efc, efm, status, w, v):
                blocks = _matrix(jnt, dof, kin, com, mass, state, efm, h, w, j)
                force = wp.spatial_vector()
                for k in range(6):
                    force[k] = efm.force[w, v + k]
                acceleration = solve_blocks(blocks, force)
                for k in range(6):
                    sol.qacc[w, v + k] = acceleration[k]


@wp.func
def _add_pull(
    result: wp.array2d(dtype=float), vec: wp.array2d(dtype=float), scale: float, colind: wp.array(dtype=int),
    values: wp.array2d(dtype=float), first: int, last: int, w: int,
):  # fmt: skip
    """Add ``scale`` times a sparse row times its product with ``vec``."""
    product = wp.float32(0.0)
    for k in range(first, last):
        product += values[w, k] * vec[w, colind[k]]
    for k in range(first, last):
        result[w, colind[k]] = result[w, colind[k]] + scale * product * values[w, k]


@wp.kernel
def inverse_discrete_kernel(
    size: Size, opt: Option, jnt: Joint, dof: Dof, actuator: Actuator, tendon: Tendon, state: State, kin: Kinematics, com: Com,
    mass: Mass, frc: Force, drive: Drive, ten: TendonState, contact: Contact, efc: Efc, efm: Metric, sol: Solve,
    status: Status,
):  # fmt: skip
    """Constraint forces and the applied force that gives ``sol.qacc`` in one step."""
    w, lane = wp.tid()
    slot = scratch_slot(w)
    nefc = status.nefc[w]
    h = opt.timestep[per_world(opt.timestep.shape[0], w)]
    load_vector(sol.x, sol.qacc, size.nv, w, slot)
    mul_rows(efc.J, sol.x, efc.aref, 1.0, sol.Jaref, nefc, 0, 0, w, slot)
    rows_update(world_rows(opt, contact, status, w), contact, efc, sol.Jaref, slot)
    mul_rows_transposed(efc.J, efc.force, sol.JTf, nefc, 0, 0, w, slot)
    copy_vector(sol.qfrc_constraint, w, sol.JTf, slot, size.nv)
    symmetric_mul(dof.M_rownnz, dof.M_rowadr, dof.M_colind, efm.M, sol.qacc, sol.Ma, size.nv, w)
    if lane == 0:
        for t in range(size.ntendon):
            if efm.ts[w, t] != 0.0:
                first = tendon.J_rowadr[t]
                _add_pull(sol.Ma, sol.qacc, efm.ts[w, t], tendon.J_colind, ten.J, first, first + tendon.J_rownnz[t], w)
        for a in range(size.nactuator):
            if efm.act[w, a] != 0.0:
                for o in range(actuator.outadr[a], actuator.outadr[a] + actuator.outnum[a]):
                    first = drive.moment_rowadr[w, o]
                    last = first + drive.moment_rownnz[w, o]
                    _add_pull(sol.Ma, sol.qacc, efm.act[w, a], drive.moment_colind[w], drive.actuator_moment, first, last, w)
    sync()
    for j in range(lane, size.njnt, lanes()):
        if is_free_body(size, jnt, dof, j):
            v = jnt.dofadr[j]
            if _is_apart(size, actuator, tendon, drive, efc, efm, status, w, v):
                blocks = _matrix(jnt, dof, kin, com, mass, state, efm, h, w, j)
                move = wp.vec3(sol.qacc[w, v], sol.qacc[w, v + 1], sol.qacc[w, v + 2])
                turn = wp.vec3(sol.qacc[w, v + 3], sol.qacc[w, v + 4], sol.qacc[w, v + 5])
                force = blocks.tt * move + blocks.tr * turn
                torque = blocks.rt * move + blocks.rr * turn
                for k in range(3):
                    sol.Ma[w, v + k] = force[k]
                    sol.Ma[w, v + 3 + k] = torque[k]
    sync()
    for i in range(lane, size.nv, lanes()):
        rest = frc.qfrc_bias[w, i] - frc.qfrc_passive[w, i] - sol.qfrc_constraint[w, i]
        spring = frc.qfrc_smooth[w, i] - efm.force[w, i]  # what the end of the step takes from the springs
        frc.qfrc_inverse[w, i] = sol.Ma[w, i] + rest + spring
