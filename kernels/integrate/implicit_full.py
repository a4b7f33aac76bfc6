"""Implicit-in-velocity integrator ``implicit``, with the whole unsymmetric derivative of the smooth forces.

(M - h dF/dv) qacc' = qfrc_smooth + qfrc_constraint, where F has actuators, dampers, the medium and Coriolis forces.
Method: MuJoCo documentation, chapter Computation, "Numerical integration".
"""

from __future__ import annotations

import warp as wp

from newtonish.common.enums import DisableBit
from newtonish.kernels.forces.fluid import WHOLE
from newtonish.kernels.integrate.advance import advance_world
from newtonish.kernels.integrate.body_slope import body_slopes_world, implicit_matrix_world
from newtonish.kernels.integrate.derivative import deriv_smooth_vel_world
from newtonish.kernels.linalg.sparse_lu import lu_solve
from newtonish.kernels.math.world import fresh, lanes, per_world, sync
from newtonish.kernels.structs.data import (
    Com,
    Drive,
    Force,
    ImplicitState,
    Kinematics,
    Mass,
    Scratch,
    Solve,
    State,
    TendonState,
    Velocity,
)
from newtonish.kernels.structs.model import (
    Actuator,
    Body,
    Dof,
    Geom,
    Implicit,
    Joint,
    Option,
    Size,
    Tendon,
    Tree,
)
from newtonish.kernels.tendon.derivative import tendon_damping_slope, tendon_damping_world


@wp.func
def _add_outside_of_mass(impl: Implicit, drive: Drive, imp: ImplicitState, scale: float, w: int, o: int):
    """Add scale times moment times moment' of output ``o`` where M has no entries, which ``mass.qDeriv`` left out."""
    first = drive.moment_rowadr[w, o]
    last = first + drive.moment_rownnz[w, o]
    for a in range(first, last):
        i = drive.moment_colind[w, a]
        for e in range(impl.D_rowadr[i], impl.D_rowadr[i] + impl.D_rownnz[i]):
            if impl.mapM2D[e] < 0:
                for b in range(first, last):
                    if drive.moment_colind[w, b] == impl.D_colind[e]:
                        product = drive.actuator_moment[w, a] * drive.actuator_moment[w, b]
                        imp.qLU[w, e] = imp.qLU[w, e] + scale * product


@wp.func
def _add_tendon_outside_of_mass(impl: Implicit, tendon: Tendon, ten: TendonState, imp: ImplicitState, scale: float, w: int, t: int):
    """Add scale times J' J of tendon ``t`` where M has no entries but the rows of a chain do."""
    first = tendon.J_rowadr[t]
    last = first + tendon.J_rownnz[t]
    for a in range(first, last):
        i = tendon.J_colind[a]
        for e in range(impl.D_rowadr[i], impl.D_rowadr[i] + impl.D_rownnz[i]):
            if impl.mapM2D[e] < 0:
                for b in range(first, last):
                    if tendon.J_colind[b] == impl.D_colind[e]:
                        imp.qLU[w, e] = imp.qLU[w, e] + scale * ten.J[w, a] * ten.J[w, b]


@wp.func
def implicit_system_world(
    size: Size, opt: Option, tree: Tree, body: Body, jnt: Joint, dof: Dof, geom: Geom, actuator: Actuator,
    tendon: Tendon, impl: Implicit, state: State, kin: Kinematics, com: Com, mass: Mass, vel: Velocity, frc: Force,
    drive: Drive, ten: TendonState, imp: ImplicitState, w: int, lane: int,
):  # fmt: skip
    """Matrix of the step in ``imp.qLU``."""
    deriv_smooth_vel_world(size, opt, jnt, dof, actuator, state, mass, frc, drive, w, lane)
    tendon_damping_world(size, opt, dof, tendon, ten, mass, w, lane)
    body_slopes_world(size, opt, tree, body, jnt, dof, geom, kin, com, vel, imp, 1, WHOLE, fresh(w), fresh(lane))
    implicit_matrix_world(size, opt, jnt, dof, impl, state, com, mass, vel, imp, fresh(w), fresh(lane))
    dt = opt.timestep[per_world(opt.timestep.shape[0], w)]
    if size.ntendon > 0 and (opt.disableflags & DisableBit.DAMPER) == 0 and impl.nD > size.nC:
        if lane == 0:  # tendons may share dofs
            for t in range(size.ntendon):
                slope = tendon_damping_slope(tendon, ten, w, t)
                if slope != 0.0:
                    _add_tendon_outside_of_mass(impl, tendon, ten, imp, dt * slope, w, t)
        sync()
    if (opt.disableflags & DisableBit.ACTUATION) == 0 and impl.nD > size.nC:
        if lane == 0:  # actuators may share a dof
            for a in range(size.nactuator):
                slope = drive.slope[w, a]
                if slope != 0.0:
                    for k in range(actuator.outnum[a]):
                        _add_outside_of_mass(impl, drive, imp, -dt * slope, w, actuator.outadr[a] + k)
        sync()


@wp.func
def implicit_world(
    size: Size, opt: Option, tree: Tree, body: Body, jnt: Joint, dof: Dof, geom: Geom, actuator: Actuator,
    tendon: Tendon, impl: Implicit, state: State, kin: Kinematics, com: Com, mass: Mass, vel: Velocity, frc: Force,
    drive: Drive, ten: TendonState, sol: Solve, scratch: Scratch, imp: ImplicitState, w: int, lane: int,
):  # fmt: skip
    """Advance one world by the implicit method."""
    implicit_system_world(
        size, opt, tree, body, jnt, dof, geom, actuator, tendon, impl, state, kin, com, mass, vel, frc, drive, ten, imp,
        w, lane
    )  # fmt: skip
    for i in range(lane, size.nv, lanes()):
        scratch.qvel[w, i] = frc.qfrc_smooth[w, i] + sol.qfrc_constraint[w, i]
    sync()
    lu_solve(impl.D_rownnz, impl.D_rowadr, impl.D_diag, impl.D_colind, imp.qLU, scratch.qvel, size.nv, w)
    advance_world(size, opt, jnt, actuator, state, drive, sol, scratch.qvel, state.qvel, fresh(w), fresh(lane))
