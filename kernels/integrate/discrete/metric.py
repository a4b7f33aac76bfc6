"""The effective metric of the integrator ``discrete``: M + h D + h^2 K, with D and K of all smooth forces that allow it.

D and K are the damping and the stiffness of joints, tendons, actuators and the medium, each clamped to where it takes energy.
Joints and the medium fit in M's sparsity (``efm.M``); a tendon or an actuator adds scale J' J, which the solvers' dense
matrix takes (``add_couplings``) and the sparse factor replaces by its diagonal. Springs act as at the end of the step: the
force is lessened by h K qvel. With the metric known, R of each row is scaled by how much less the metric gives way than M.
Method: MuJoCo 4.0's documentation, chapter Computation, "Numerical integration" and "Parameters".
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.enums import DisableBit, JointType, SolverType
from newtonish.kernels.constants import MINVAL, PASSIVE
from newtonish.kernels.constraint.material import row_adhesion
from newtonish.kernels.forces.actuation import controls_are_bad
from newtonish.kernels.forces.fluid import DRAG
from newtonish.kernels.history.stage import springs, with_controls
from newtonish.kernels.integrate.body_slope import add_body_slopes_world, body_slopes_world
from newtonish.kernels.integrate.derivative import actuator_slope
from newtonish.kernels.integrate.discrete.rows import CONTACT
from newtonish.kernels.integrate.discrete.slopes import actuator_stiffness, joint_stiffness, tendon_scales
from newtonish.kernels.integrate.euler import damping_slope
from newtonish.kernels.linalg.dense import copy_vector, dense_symmetric, load_vector
from newtonish.kernels.linalg.hessian import hessian_begin, hessian_factor, hessian_solve
from newtonish.kernels.linalg.sparse_ltdl import ltdl_factor, ltdl_solve
from newtonish.kernels.math.world import lanes, per_world, scratch_slot, sum_lanes_int, sync
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.structs.data import (
    Com,
    Contact,
    Drive,
    Efc,
    Force,
    ImplicitState,
    Kinematics,
    Mass,
    Solve,
    State,
    Status,
    TendonState,
    Velocity,
)
from newtonish.kernels.structs.metric import Metric
from newtonish.kernels.structs.model import Actuator, Body, Dof, Geom, Joint, Option, Size, Tendon, Tree

PGS = wp.constant(int(SolverType.PGS))


@wp.func
def _joints(size: Size, opt: Option, jnt: Joint, dof: Dof, state: State, mass: Mass, frc: Force, efm: Metric, h: float, w: int, lane: int):
    """``efm.M`` = M + h D + h^2 K of the joints; ``efm.force`` = smooth force - h K qvel."""
    for k in range(lane, size.nC, lanes()):
        efm.M[w, k] = mass.M[w, k]
    sync()
    springs = (opt.disableflags & DisableBit.SPRING) == 0
    dampers = (opt.disableflags & DisableBit.DAMPER) == 0
    for j in range(lane, size.njnt, lanes()):
        stiffness = wp.vec2()
        if springs:
            stiffness = joint_stiffness(jnt, state, w, j)
        first = jnt.dofadr[j]
        last = wp.where(j + 1 < size.njnt, jnt.dofadr[wp.min(j + 1, size.njnt - 1)], size.nv)
        for i in range(first, last):
            turning = jnt.type[j] == JointType.BALL or (jnt.type[j] == JointType.FREE and i >= first + 3)
            spring = wp.where(turning, stiffness[1], stiffness[0])
            damper = wp.float32(0.0)
            if dampers:
                damper = wp.max(0.0, damping_slope(dof, state, w, i))
            at = dof.M_rowadr[i] + dof.M_rownnz[i] - 1
            efm.M[w, at] = efm.M[w, at] + h * damper + h * h * spring
            efm.force[w, i] = frc.qfrc_smooth[w, i] - h * spring * state.qvel[w, i]
    sync()


@wp.func
def _tendons(size: Size, opt: Option, tendon: Tendon, ten: TendonState, efm: Metric, h: float, w: int, lane: int) -> int:
    """``efm.ts`` and the springs' share of ``efm.force``; returns 1 in a lane that found a term."""
    found = wp.int32(0)
    for t in range(lane, size.ntendon, lanes()):
        scales = wp.vec2()
        if opt.solver != PGS:
            scales = tendon_scales(opt, tendon, ten, w, t)
        efm.ts[w, t] = h * h * scales[0] + h * scales[1]
        if efm.ts[w, t] != 0.0:
            found = 1
    sync()
    if lane == 0:  # tendons may share dofs
        for t in range(size.ntendon):
            if efm.ts[w, t] != 0.0:
                pull = h * tendon_scales(opt, tendon, ten, w, t)[0] * ten.velocity[w, t]
                for k in range(tendon.J_rowadr[t], tendon.J_rowadr[t] + tendon.J_rownnz[t]):
                    i = tendon.J_colind[k]
                    efm.force[w, i] = efm.force[w, i] - pull * ten.J[w, k]
    sync()
    return found


@wp.func
def _actuators(
    size: Size, opt: Option, jnt: Joint, actuator: Actuator, state: State, frc: Force, drive: Drive, efm: Metric, h: float,
    w: int, lane: int,
) -> int:  # fmt: skip
    """``efm.act`` and the actuators' share of ``efm.force``; returns 1 in a lane that found a term."""
    found = wp.int32(0)
    zero = controls_are_bad(size, opt, actuator, state, w, lane)
    if lane == 0:  # actuators may share dofs
        for a in range(size.nactuator):
            scale = wp.float32(0.0)
            if (opt.disableflags & DisableBit.ACTUATION) == 0 and opt.solver != PGS:
                b = wp.max(0.0, -actuator_slope(opt, jnt, actuator, state, frc, drive, zero, w, a))
                k = wp.max(0.0, -actuator_stiffness(opt, jnt, actuator, state, frc, drive, zero, w, a))
                scale = h * h * k + h * b
                if k > 0.0:
                    for o in range(actuator.outadr[a], actuator.outadr[a] + actuator.outnum[a]):
                        pull = h * k * drive.actuator_velocity[w, o]
                        for e in range(drive.moment_rowadr[w, o], drive.moment_rowadr[w, o] + drive.moment_rownnz[w, o]):
                            i = drive.moment_colind[w, e]
                            efm.force[w, i] = efm.force[w, i] - pull * drive.actuator_moment[w, e]
            efm.act[w, a] = scale
            if scale != 0.0:
                found = 1
    sync()
    return found


@wp.func
def _backbone(
    size: Size, dof: Dof, actuator: Actuator, tendon: Tendon, mass: Mass, drive: Drive, ten: TendonState, efm: Metric, w: int,
    lane: int,
):  # fmt: skip
    """Factor, in ``mass.qH``, of ``efm.M`` with the diagonals of the other terms; ``efm.sdiag``."""
    for k in range(lane, size.nC, lanes()):
        mass.qH[w, k] = efm.M[w, k]
    sync()
    if lane == 0:
        for t in range(size.ntendon):
            if efm.ts[w, t] != 0.0:
                for k in range(tendon.J_rowadr[t], tendon.J_rowadr[t] + tendon.J_rownnz[t]):
                    i = tendon.J_colind[k]
                    at = dof.M_rowadr[i] + dof.M_rownnz[i] - 1
                    mass.qH[w, at] = mass.qH[w, at] + efm.ts[w, t] * ten.J[w, k] * ten.J[w, k]
        for a in range(size.nactuator):
            if efm.act[w, a] != 0.0:
                for o in range(actuator.outadr[a], actuator.outadr[a] + actuator.outnum[a]):
                    for e in range(drive.moment_rowadr[w, o], drive.moment_rowadr[w, o] + drive.moment_rownnz[w, o]):
                        i = drive.moment_colind[w, e]
                        at = dof.M_rowadr[i] + dof.M_rownnz[i] - 1
                        moment = drive.actuator_moment[w, e]
                        mass.qH[w, at] = mass.qH[w, at] + efm.act[w, a] * moment * moment
    sync()
    for i in range(lane, size.nv, lanes()):
        at = dof.M_rowadr[i] + dof.M_rownnz[i] - 1
        efm.sdiag[w, i] = mass.qH[w, at] - mass.M[w, at]
    sync()
    ltdl_factor(dof.M_rownnz, dof.M_rowadr, dof.M_colind, mass.qH, mass.qH, mass.qHDiagInv, size.nv, w)


@wp.func
def _add_square(M: wp.array3d(dtype=float), scale: float, colind: wp.array(dtype=int), values: wp.array2d(dtype=float),
                first: int, last: int, w: int, slot: int):  # fmt: skip
    """Add ``scale`` times the outer product of a sparse row with itself to the dense matrix."""
    for a in range(first, last):
        for b in range(first, last):
            i = colind[a]
            j = colind[b]
            M[slot, i, j] = M[slot, i, j] + scale * values[w, a] * values[w, b]


@wp.func
def load_metric(
    size: Size, dof: Dof, actuator: Actuator, tendon: Tendon, drive: Drive, ten: TendonState, efm: Metric, sol: Solve, w: int,
    lane: int,
):  # fmt: skip
    """Fill ``sol.M`` with the whole metric."""
    slot = scratch_slot(w)
    dense_symmetric(sol.M, efm.M, dof.M_rownnz, dof.M_rowadr, dof.M_colind, size.nv, w, slot)
    if lane == 0:
        for t in range(size.ntendon):
            if efm.ts[w, t] != 0.0:
                first = tendon.J_rowadr[t]
                _add_square(sol.M, efm.ts[w, t], tendon.J_colind, ten.J, first, first + tendon.J_rownnz[t], w, slot)
        for a in range(size.nactuator):
            if efm.act[w, a] != 0.0:
                for o in range(actuator.outadr[a], actuator.outadr[a] + actuator.outnum[a]):
                    first = drive.moment_rowadr[w, o]
                    last = first + drive.moment_rownnz[w, o]
                    _add_square(sol.M, efm.act[w, a], drive.moment_colind[w], drive.actuator_moment, first, last, w, slot)
    sync()


@wp.func
def _smooth_acceleration(
    size: Size, dof: Dof, actuator: Actuator, tendon: Tendon, mass: Mass, frc: Force, drive: Drive, ten: TendonState,
    efm: Metric, sol: Solve, coupled: int, w: int, lane: int,
):  # fmt: skip
    """``frc.qacc_smooth`` in the metric: by the sparse factor, or by a dense one if there are couplings."""
    slot = scratch_slot(w)
    if coupled == 0:
        copy_vector(frc.qacc_smooth, w, efm.force, w, size.nv)
        ltdl_solve(dof.M_rownnz, dof.M_rowadr, dof.M_colind, mass.qH, mass.qHDiagInv, frc.qacc_smooth, size.nv, w)
    else:
        load_metric(size, dof, actuator, tendon, drive, ten, efm, sol, w, lane)
        hessian_begin(sol.H, sol.M, size.nv, slot)
        hessian_factor(sol.H, sol.Hdiaginv, mass.qLDiagInv, size.nv, w, slot)
        load_vector(sol.search, efm.force, size.nv, w, slot)
        hessian_solve(sol.H, sol.Hdiaginv, sol.search, size.nv, slot)
        copy_vector(frc.qacc_smooth, w, sol.search, slot, size.nv)


@wp.func
def _scale_rows(size: Size, opt: Option, dof: Dof, mass: Mass, contact: Contact, efc: Efc, efm: Metric, status: Status, w: int, lane: int):
    """``efc.D`` and ``efc.aref`` in the metric; all rows of a contact are scaled like its first."""
    for r in range(lane, status.nefc[w], lanes()):
        first = r
        kind = efc.type[w, r]
        if kind >= CONTACT:
            first = contact.efc_address[w, efc.id[w, r]]
        stiff = wp.float32(0.0)
        bare = wp.float32(0.0)
        for i in range(size.nv):
            square = efc.J[w, first, i] * efc.J[w, first, i]
            if square > 0.0:
                m = mass.M[w, dof.M_rowadr[i] + dof.M_rownnz[i] - 1]
                bare += square / m
                stiff += square / (m + efm.sdiag[w, i])
        D = efm.D[w, r]
        if bare > MINVAL:
            D = D * bare / stiff
        efc.D[w, r] = D
        aref = efm.aref[w, r]
        if kind >= CONTACT and size.flg_adhesion != 0:
            aref += row_adhesion(opt, contact, w, efc.id[w, r], r - first) / D
        efc.aref[w, r] = aref
    sync()


@wp.kernel
def metric_kernel(
    size: Size, opt: Option, tree: Tree, body: Body, jnt: Joint, dof: Dof, geom: Geom, actuator: Actuator, tendon: Tendon,
    state: State, kin: Kinematics, com: Com, mass: Mass, vel: Velocity, frc: Force, drive: Drive, ten: TendonState,
    imp: ImplicitState, contact: Contact, efc: Efc, efm: Metric, sol: Solve, status: Status,
):  # fmt: skip
    """Metric, force, smooth acceleration and rows of one world."""
    w, lane = wp.tid()
    h = opt.timestep[per_world(opt.timestep.shape[0], w)]
    _joints(size, opt, jnt, dof, state, mass, frc, efm, h, w, lane)
    if size.nfluid > 0 and (opt.disableflags & PASSIVE) != PASSIVE:
        body_slopes_world(size, opt, tree, body, jnt, dof, geom, kin, com, vel, imp, 0, DRAG, w, lane)
        for b in range(lane, size.nbody, lanes()):
            imp.slope[w, b] = -h * imp.slope[w, b]
        sync()
        add_body_slopes_world(size, dof, com, imp, efm.M, w, lane)
    found = _tendons(size, opt, tendon, ten, efm, h, w, lane)
    found += _actuators(size, opt, jnt, actuator, state, frc, drive, efm, h, w, lane)
    coupled = sum_lanes_int(found)
    _backbone(size, dof, actuator, tendon, mass, drive, ten, efm, w, lane)
    _smooth_acceleration(size, dof, actuator, tendon, mass, frc, drive, ten, efm, sol, coupled, w, lane)
    _scale_rows(size, opt, dof, mass, contact, efc, efm, status, w, lane)


def metric(m: Any, d: Any) -> None:
    """The metric, the force and the smooth acceleration in it, and the rows scaled to it.

    Reads   all smooth stages, d.contact, d.efc, d.efm (D, aref). Writes d.efm, d.mass.qH, d.qacc_smooth, d.efc: D, aref
    MuJoCo  mj_effBuild, mj_effShift, mj_effActuation.
    """
    jnt, tendon = springs(m, d)
    groups = [m.size, m.opt, m.tree, m.body, jnt, m.dof, m.geom, m.actuator, tendon, with_controls(m, d), d.kin, d.com]
    groups += [d.mass, d.vel, d.frc, d.drive, d.ten, d.imp, d.contact, d.efc, d.efm, d.sol, d.status]
    launch(metric_kernel, d, groups)
