"""Integrator ``implicitfast`` within a medium: the symmetric part of the medium's derivative is added.

Trees that are one free body get the whole derivative, as they do for gyroscopic forces. A file of its own, so that models
without a medium neither compile nor run any of it. Method: MuJoCo documentation, chapter Computation.
"""

import warp as wp

from newtonish.kernels.forces.fluid import SYMMETRIC
from newtonish.kernels.integrate.advance import advance_world
from newtonish.kernels.integrate.body_slope import add_body_slopes_world, body_slopes_world
from newtonish.kernels.integrate.derivative import deriv_smooth_vel_world
from newtonish.kernels.integrate.euler import solve_modified_world
from newtonish.kernels.integrate.free_body import Blocks, free_body_matrix, is_free_body, solve_free_body, with_tendons
from newtonish.kernels.math.world import lanes, per_world, sync
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
    Joint,
    Option,
    Size,
    Tendon,
    Tree,
)
from newtonish.kernels.tendon.derivative import tendon_damping_world


@wp.func
def with_medium(blocks: Blocks, com: Com, imp: ImplicitState, dt: float, w: int, b: int, v: int) -> Blocks:
    """Add the medium's slope to the matrix of free body ``b`` with dofs from ``v`` on."""
    slope = imp.slope[w, b]
    for row in range(3):
        move = com.cdof[w, v + row] * slope
        turn = com.cdof[w, v + 3 + row] * slope
        for col in range(3):
            blocks.tt[row, col] = blocks.tt[row, col] - dt * wp.dot(move, com.cdof[w, v + col])
            blocks.tr[row, col] = blocks.tr[row, col] - dt * wp.dot(move, com.cdof[w, v + 3 + col])
            blocks.rt[row, col] = blocks.rt[row, col] - dt * wp.dot(turn, com.cdof[w, v + col])
            blocks.rr[row, col] = blocks.rr[row, col] - dt * wp.dot(turn, com.cdof[w, v + 3 + col])
    return blocks


@wp.func
def fast_system_world(
    size: Size, opt: Option, tree: Tree, body: Body, jnt: Joint, dof: Dof, geom: Geom, actuator: Actuator,
    tendon: Tendon, state: State, kin: Kinematics, com: Com, mass: Mass, vel: Velocity, frc: Force, drive: Drive,
    ten: TendonState, imp: ImplicitState, w: int, lane: int,
):  # fmt: skip
    """Symmetric matrix of the step in ``mass.qH``; the rows of free bodies hold M."""
    dt = opt.timestep[per_world(opt.timestep.shape[0], w)]
    deriv_smooth_vel_world(size, opt, jnt, dof, actuator, state, mass, frc, drive, w, lane)
    tendon_damping_world(size, opt, dof, tendon, ten, mass, w, lane)
    if size.nfluid > 0:
        body_slopes_world(size, opt, tree, body, jnt, dof, geom, kin, com, vel, imp, 0, SYMMETRIC, w, lane)
        add_body_slopes_world(size, dof, com, imp, mass.qDeriv, w, lane)
    for k in range(lane, size.nC, lanes()):
        mass.qH[w, k] = mass.M[w, k] - dt * mass.qDeriv[w, k]
    sync()
    for j in range(lane, size.njnt, lanes()):
        if is_free_body(size, jnt, dof, j):
            for i in range(jnt.dofadr[j], jnt.dofadr[j] + 6):
                for k in range(dof.M_rowadr[i], dof.M_rowadr[i] + dof.M_rownnz[i]):
                    mass.qH[w, k] = mass.M[w, k]
    sync()


@wp.func
def implicitfast_fluid_world(
    size: Size, opt: Option, tree: Tree, body: Body, jnt: Joint, dof: Dof, geom: Geom, actuator: Actuator,
    tendon: Tendon, state: State, kin: Kinematics, com: Com, mass: Mass, vel: Velocity, frc: Force, drive: Drive,
    ten: TendonState, sol: Solve, scratch: Scratch, imp: ImplicitState, w: int, lane: int,
):  # fmt: skip
    """Advance one world by the implicitfast method."""
    dt = opt.timestep[per_world(opt.timestep.shape[0], w)]
    fast_system_world(
        size, opt, tree, body, jnt, dof, geom, actuator, tendon, state, kin, com, mass, vel, frc, drive, ten, imp, w,
        lane
    )  # fmt: skip
    solve_modified_world(size, dof, mass, frc, sol, scratch, w, lane)
    for j in range(lane, size.njnt, lanes()):
        if is_free_body(size, jnt, dof, j):
            v = jnt.dofadr[j]
            blocks = free_body_matrix(size, opt, jnt, dof, actuator, state, kin, com, mass, drive, w, j)
            blocks = with_tendons(blocks, size, opt, tendon, ten, dt, w, v)
            blocks = with_medium(blocks, com, imp, dt, w, jnt.bodyid[j], v)
            solve_free_body(blocks, frc, sol, scratch, w, v)
    sync()
    advance_world(size, opt, jnt, actuator, state, drive, sol, scratch.qvel, state.qvel, w, lane)
