"""The table of contents of a step: which stage follows which.

``forward`` computes accelerations from a state; ``step`` also moves the state by one time step. The stages launch a few
fused kernels on every world, allocate nothing, do not look at results, and can therefore be captured. Each is in a
``stage.py`` of its folder, which has no kernels itself and imports those of a model when they are first needed:
registering a kernel with Warp takes about a millisecond, as its source and that of all it calls are read and parsed.
MuJoCo: mj_forward and mj_step, computation chapter, section "Simulation pipeline".
"""

from __future__ import annotations

from typing import Any

from newtonish.common.enums import IntegratorType, Stage
from newtonish.kernels.collision.stage import collision
from newtonish.kernels.constraint.stage import make_constraint
from newtonish.kernels.forces.stage import advance_laws, velocity_stage
from newtonish.kernels.guard.stage import after_integration, before_solution
from newtonish.kernels.history.stage import insert_history, remember_tendons, settle
from newtonish.kernels.integrate.stage import advance
from newtonish.kernels.reset import autoreset
from newtonish.kernels.runtime.stage import call, diagnose, has_control_callback
from newtonish.kernels.sensor.stage import ACCELERATION, POSITION, VELOCITY, sensor_stage
from newtonish.kernels.sleep.stage import fall_asleep, lie_still, still_forces, still_solution, wake
from newtonish.kernels.smooth.stage import position_stage, reactions, tendon_velocities
from newtonish.kernels.solver.stage import solver_stage

# sensors that depend on what is not skipped
STAGES_AFTER = (POSITION | VELOCITY | ACCELERATION, VELOCITY | ACCELERATION, ACCELERATION)


def step(m: Any, d: Any) -> None:
    """Advance every world by one time step. MuJoCo: mj_step."""
    wake(m, d)
    position_stage(m, d)
    collision(m, d)
    velocity_stage(m, d)
    make_constraint(m, d)
    control(m, d)
    before_solution(m, d)
    constrained(m, d)
    reactions(m, d)
    sensor_stage(m, d, _last_sensors(m))
    diagnose(m, d)
    integrate(m, d)


def forward(m: Any, d: Any, skipstage: int = Stage.NONE, skipsensor: bool = False) -> None:
    """Accelerations, sensors and energy, from the state and the inputs. MuJoCo: mj_forward, mj_forwardSkip.

    Args:
        m: model.
        d: data.
        skipstage: ``Stage`` up to which the results are those of the present state already.
        skipsensor: leave sensors and energy as they are.
    """
    wake(m, d)
    if skipstage < Stage.POS:
        position_stage(m, d)
        collision(m, d)
    elif skipstage == Stage.POS:
        tendon_velocities(m, d)
    velocity_stage(m, d)
    if skipstage < Stage.VEL:
        make_constraint(m, d)
    control(m, d, sensors=skipstage < Stage.VEL and not skipsensor)
    before_solution(m, d)
    constrained(m, d)
    reactions(m, d)
    if not skipsensor:
        sensor_stage(m, d, _last_sensors(m, skipstage))


def dynamics(m: Any, d: Any, fraction: float = 0.0) -> None:
    """Accelerations and everything they depend on, without sensors, a fraction of the time step after the state's time."""
    position_stage(m, d)
    collision(m, d)
    velocity_stage(m, d, fraction)
    make_constraint(m, d)
    control(m, d, fraction, sensors=False)
    constrained(m, d)


def constrained(m: Any, d: Any) -> None:
    """Constraint forces and acceleration; none of trees asleep."""
    still_forces(m, d)
    solver_stage(m, d)
    still_solution(m, d)


def control(m: Any, d: Any, fraction: float = 0.0, sensors: bool = True) -> None:
    """Let the user's function set controls and applied forces, if there is one, and do what they do to the forces.

    Args:
        m: model.
        d: data.
        fraction: of the time step that has passed, at the stages of an integrator.
        sensors: evaluate those that the function may read first: of positions and velocities.
    """
    if has_control_callback(m):
        if sensors:
            sensor_stage(m, d, POSITION | VELOCITY)
        call(m, d, m.callback.control, fraction)
        velocity_stage(m, d, fraction)


def _last_sensors(m: Any, skipstage: int = Stage.NONE) -> int:
    """Sensors that remain to be evaluated after the accelerations: a function for the controls has had some before."""
    return ACCELERATION if has_control_callback(m) else STAGES_AFTER[skipstage]


def integrate(m: Any, d: Any) -> None:
    """Move the state by one time step with the model's integrator, after ``forward``; buffers and springs follow."""
    if m.opt.integrator == IntegratorType.RK4:
        remember_tendons(m, d)
        rungekutta4(m, d)
        settle(m, d)
        lie_still(m, d)
        after_integration(m, d)
    else:
        integrate_once(m, d)


def integrate_once(m: Any, d: Any) -> None:
    """The same with the one evaluation that there is; Euler's method in place of RK4, which needs three more."""
    remember_tendons(m, d)
    insert_history(m, d)
    advance_laws(m, d)
    fall_asleep(m, d)
    advance(m, d)
    settle(m, d)
    lie_still(m, d)
    after_integration(m, d)


def rungekutta4(m: Any, d: Any) -> None:
    """Move the state with four evaluations of the dynamics, which read the buffers as the last step left them."""
    from newtonish.kernels.integrate.rk4 import rungekutta4, show_last_stage

    rungekutta4(m, d, dynamics, before_advance)
    advance_laws(m, d)
    if m.size.nout > 0:
        show_last_stage(m, d)
    autoreset(m, d)


def before_advance(m: Any, d: Any) -> None:
    """After all evaluations of a step, before the state moves."""
    insert_history(m, d)
    fall_asleep(m, d)


def step1(m: Any, d: Any) -> None:
    """The part of a step before controls are needed: positions, contacts, rows, velocities. MuJoCo: mj_step1."""
    wake(m, d)
    position_stage(m, d)
    collision(m, d)
    velocity_stage(m, d)
    make_constraint(m, d)
    sensor_stage(m, d, POSITION | VELOCITY)
    control(m, d, sensors=False)


def step2(m: Any, d: Any) -> None:
    """The part of a step that uses the controls, after ``step1``. MuJoCo: mj_step2, which takes Euler's method for RK4."""
    velocity_stage(m, d)
    before_solution(m, d)
    constrained(m, d)
    reactions(m, d)
    sensor_stage(m, d, ACCELERATION)
    diagnose(m, d)
    integrate_once(m, d)
