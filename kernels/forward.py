"""The table of contents of a step: which stage follows which.

``forward`` computes accelerations from a state; ``step`` also moves the state by one time step. Both launch a few fused
kernels on every world, allocate nothing, do not look at results, and can therefore be captured.
MuJoCo: mj_forward and mj_step, computation chapter, section "Simulation pipeline".
"""

from __future__ import annotations

from typing import Any

from newtonish.kernels.collision.stage import collision
from newtonish.kernels.discrete.options import is_discrete, row_options, with_flag
from newtonish.kernels.enums import DisableBit, IntegratorType, SolverType, Stage
from newtonish.kernels.later import fused
from newtonish.kernels.launch import launch
from newtonish.kernels.optional import (
    adhesion_force,
    advance_laws,
    call,
    delayed_controls,
    diagnose,
    equality,
    exact_diagonal,
    fwd_acceleration,
    implicit_rows,
    insert_history,
    law_transmission,
    laws_and_acceleration,
    material_rows,
    remember_tendons,
    rungekutta4,
    settle,
    solve_in_metric,
    springs,
    tendon,
    user_forces,
    with_controls,
)
from newtonish.kernels.reset import autoreset
from newtonish.kernels.sensor_stage import ACCELERATION, POSITION, VELOCITY, sensor_stage

# sensors that depend on what is not skipped
STAGES_AFTER = (POSITION | VELOCITY | ACCELERATION, VELOCITY | ACCELERATION, ACCELERATION)
SOLVERS = {SolverType.NEWTON: "solve", SolverType.CG: "solve_cg", SolverType.PGS: "solve_pgs"}


def position_stage(m: Any, d: Any) -> None:
    """Kinematics, centre of mass, mass matrix, its factor, transmission; then contacts.

    Reads   d.state. Writes d.kin, d.com, d.mass, d.drive (length, moment), d.ten, d.contact.
    MuJoCo  mj_fwdPosition without the constraint rows.
    """
    pose_stage(m, d)
    collision(m, d)


def pose_stage(m: Any, d: Any) -> None:
    """The position stage without contacts."""
    groups = [m.size, m.tree, m.body, m.jnt, m.dof, m.geom, m.site, m.actuator, m.tendon]
    kernel = fused("position_joints" if "position" in m.simple else "position")
    launch(kernel, d, [*groups, d.state, d.kin, d.com, d.mass, d.drive, d.ten])
    law_transmission(m, d)


def constraint_stage(m: Any, d: Any) -> None:
    """Constraint rows with their reference accelerations.

    Reads   d.state, d.kin, d.com, d.ten, d.contact, and d.vel for equality constraints. Writes d.efc, d.status.
    MuJoCo  mj_makeConstraint and mj_referenceConstraint.
    """
    opt = row_options(m)
    equality(m, d)
    groups = [m.size, opt, m.tree, m.body, m.jnt, m.dof, m.geom]
    if "constraint" in m.simple:
        launch(fused("constraint_joints"), d, [*groups, d.state, d.com, d.contact, d.efc, d.status])
    else:
        groups += [m.tendon, d.state, d.kin, d.com, d.ten, d.contact]
        launch(fused("constraint"), d, [*groups, d.efc, d.status])
    if is_discrete(m):
        implicit_rows(m, d)
    else:
        exact_diagonal(m, d)
        material_rows(m, d)


def smooth_stage(m: Any, d: Any, share: float = 0.0) -> None:
    """Velocities, passive, bias and actuator forces, and the acceleration they give without constraints.

    Reads   d.state and the position stage. Writes d.vel, d.frc, d.drive (velocity, force, act_dot).
    MuJoCo  mj_fwdVelocity, mj_fwdActuation, mj_fwdAcceleration.

    Args:
        m: model.
        d: data.
        share: of the time step, for delayed controls at the stages of an integrator.
    """
    if m.size.nfluid > 0:
        groups = [m.size, m.opt, m.tree, m.body, m.jnt, m.dof, m.geom, d.state, d.kin, d.com, d.vel, d.frc, d.scratch]
        launch(fused("fluid"), d, groups)
    adhesion_force(m, d)
    jnt, tendon = springs(m, d)
    state = delayed_controls(m, d, share)
    groups = [m.size, m.opt, m.tree, m.body, jnt, m.dof]
    if "smooth" in m.simple:
        groups += [m.actuator, tendon, state, d.kin, d.com, d.mass, d.vel, d.frc, d.drive, d.ten, d.scratch]
        launch(fused("smooth_motors"), d, groups)
    else:
        groups += [m.geom, m.site, m.actuator, tendon, state, d.kin, d.com, d.mass, d.vel, d.frc, d.drive, d.ten]
        launch(fused("smooth"), d, [*groups, d.contact, d.status, d.scratch])
    user_forces(m, d, state, share)
    laws_and_acceleration(m, d, state)


def solver_stage(m: Any, d: Any) -> None:
    """Constraint forces and acceleration.

    Reads   d.mass, d.frc, d.efc, d.contact, d.state.qacc_warmstart. Writes d.sol, d.efc.force, d.efc.state.
    MuJoCo  mj_fwdConstraint.
    """
    if is_discrete(m):
        solve_in_metric(m, d)
        return
    groups = [m.size, m.opt, m.dof, d.state, d.mass, d.frc, d.contact, d.efc, d.sol, d.status]
    if d.sparse and m.opt.solver != SolverType.PGS:
        more = [d.state, d.mass, d.frc, d.contact, d.efc, d.sol, d.isl, d.status, int(m.opt.solver)]
        launch(fused("solve_islands"), d, [m.size, m.opt, m.tree, m.dof, *more])
    else:
        launch(fused(SOLVERS[SolverType(m.opt.solver)]), d, groups)
    if m.opt.solver != SolverType.NEWTON:
        refine(m, d, m.opt.solver)
    if m.opt.noslip_iterations > 0:
        launch(fused("noslip"), d, groups)


def refine(m: Any, d: Any, solver: int) -> None:
    """Last steps after conjugate gradients or Gauss-Seidel, in worlds where float32 ended them (``newtonish.kernels.solver.refine``)."""
    groups = [d.state, d.mass, d.frc, d.contact, d.efc, d.sol]
    if d.sparse:
        launch(fused("refine_islands"), d, [m.size, m.opt, m.tree, m.dof, *groups, d.isl, d.status, int(solver)])
    else:
        launch(fused("refine"), d, [m.size, m.opt, m.dof, *groups, d.status])


def velocity_stage(m: Any, d: Any, share: float = 0.0) -> None:
    """Velocities and all forces but those of constraints, with the passive forces of the user's."""
    smooth_stage(m, d, share)
    if m.callback.passive is not None:
        call(m, d, m.callback.passive, share)
        fwd_acceleration(m, d)


def control(m: Any, d: Any, share: float = 0.0) -> None:
    """Let the user's function set controls and applied forces, if there is one, and do what they do to the forces."""
    if m.callback.control is not None:
        call(m, d, m.callback.control, share)
        velocity_stage(m, d, share)


def dynamics(m: Any, d: Any, share: float = 0.0, skipstage: int = Stage.NONE) -> None:
    """Accelerations and everything they depend on, without sensors. MuJoCo: mj_forwardSkip with ``skipsensor``.

    Args:
        m: model.
        d: data.
        share: of the time step that has passed, at the stages of an integrator.
        skipstage: ``Stage`` whose results are those of the present state already.
    """
    if skipstage < Stage.POS:
        position_stage(m, d)
    velocity_stage(m, d, share)
    if skipstage < Stage.VEL:
        constraint_stage(m, d)
    control(m, d, share)
    solver_stage(m, d)


def forward(m: Any, d: Any) -> None:
    """Accelerations, sensors and energy, from the state and the inputs. MuJoCo: mj_forward."""
    forward_skip(m, d, Stage.NONE, False)


def tendon_velocities(m: Any, d: Any) -> None:
    """Velocities of tendons, which the position stage computes, for another velocity in the same position."""
    if m.size.ntendon > 0:
        tendon(m, d)


def forward_skip(m: Any, d: Any, skipstage: int, skipsensor: bool) -> None:
    """As ``forward``, without what depends on positions, or on positions and velocities, alone. MuJoCo: mj_forwardSkip."""
    if skipstage == Stage.POS:
        tendon_velocities(m, d)
    if m.callback.control is None:
        dynamics(m, d, 0.0, skipstage)
        if not skipsensor:
            sensor_stage(m, d, STAGES_AFTER[skipstage])
        return
    if skipstage < Stage.VEL:
        (step1 if skipstage < Stage.POS else velocities)(m, d, skipsensor)
    else:
        velocity_stage(m, d)
        control(m, d)
    solver_stage(m, d)
    if not skipsensor:
        sensor_stage(m, d, ACCELERATION)


def integrate(m: Any, d: Any) -> None:
    """Move the state by one time step with the integrator of the model, after ``forward``; buffers and springs follow."""
    if m.opt.integrator != IntegratorType.RK4:  # whose stages still read the buffers as they are
        insert_history(m, d)
    remember_tendons(m, d)
    _integrate(m, d)
    settle(m, d)


def _integrate(m: Any, d: Any) -> None:
    state = with_controls(m, d)
    if m.opt.integrator != IntegratorType.RK4:  # before the automatic reset, which ends each of these kernels
        advance_laws(m, d)
    if m.opt.integrator == IntegratorType.IMPLICITFAST and m.size.nfluid > 0:
        groups = [m.size, m.opt, m.tree, m.body, m.jnt, m.dof, m.geom, m.actuator, m.tendon, state, d.kin, d.com]
        groups += [d.mass, d.vel, d.frc, d.drive, d.ten, d.sol, d.scratch, d.imp, d.status]
        launch(fused("implicitfast_fluid"), d, groups)
    elif m.opt.integrator == IntegratorType.IMPLICITFAST:
        groups = [m.size, m.opt, m.body, m.jnt, m.dof, m.actuator, m.tendon, state, d.kin, d.com]
        groups += [d.mass, d.frc, d.drive, d.ten, d.sol, d.status, d.scratch]
        launch(fused("implicitfast"), d, groups)
    elif m.opt.integrator == IntegratorType.IMPLICIT:
        groups = [m.size, m.opt, m.tree, m.body, m.jnt, m.dof, m.geom, m.actuator, m.tendon, m.impl, state, d.kin]
        groups += [d.com, d.mass, d.vel, d.frc, d.drive, d.ten, d.sol, d.scratch, d.imp, d.status]
        launch(fused("implicit"), d, groups)
    elif m.opt.integrator == IntegratorType.RK4:
        rungekutta4(m, d, dynamics, insert_history)
        advance_laws(m, d)
        autoreset(m, d)
    else:
        opt = m.opt
        if is_discrete(m):  # its acceleration is the whole step's already
            opt = with_flag(m, DisableBit.EULERDAMP)
        groups = [m.size, opt, m.body, m.jnt, m.dof, m.actuator, state, d.mass, d.frc, d.drive, d.sol]
        launch(fused("euler"), d, [*groups, d.status, d.scratch])


def step(m: Any, d: Any) -> None:
    """Advance every world by one time step. MuJoCo: mj_step."""
    forward(m, d)
    diagnose(m, d)
    integrate(m, d)


def step1(m: Any, d: Any, skipsensor: bool = False) -> None:
    """The part of a step before controls are needed: positions, contacts, rows, velocities. MuJoCo: mj_step1."""
    position_stage(m, d)
    velocities(m, d, skipsensor)


def velocities(m: Any, d: Any, skipsensor: bool = False) -> None:
    """The same after the positions, with the sensors that a function for the controls may read, and that function."""
    velocity_stage(m, d)
    constraint_stage(m, d)
    if not skipsensor:
        sensor_stage(m, d, POSITION | VELOCITY)
    control(m, d)


def step2(m: Any, d: Any) -> None:
    """The part of a step that uses the controls, after ``step1``. MuJoCo: mj_step2 (Euler or implicitfast)."""
    velocity_stage(m, d)
    solver_stage(m, d)
    sensor_stage(m, d, ACCELERATION)
    diagnose(m, d)
    integrate(m, d)
