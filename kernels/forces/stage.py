"""The stage of velocities and forces, of all but those of constraints, and what some actuators need besides."""

from __future__ import annotations

from typing import Any

from newtonish.kernels.constraint.stage import adhesion_force
from newtonish.kernels.history.stage import delayed_controls, springs
from newtonish.kernels.runtime.stage import call, has_passive_callback


def velocity_stage(m: Any, d: Any, fraction: float = 0.0) -> None:
    """Velocities, passive, bias and actuator forces, and the acceleration they give without constraints.

    Reads   d.state and the position stage. Writes d.vel, d.frc, d.drive (velocity, force, act_dot).
    MuJoCo  mj_fwdVelocity, mj_fwdActuation, mj_fwdAcceleration, and the callback mjcb_passive.

    Args:
        m: model.
        d: data.
        fraction: of the time step that has passed, at the stages of an integrator.
    """
    fluid(m, d)
    adhesion_force(m, d)
    jnt, tendon = springs(m, d)
    state = delayed_controls(m, d, fraction)
    if m.simple.smooth:
        from newtonish.kernels.fused.smooth_motors import launch_smooth_motors

        launch_smooth_motors(m, d, jnt, tendon, state)
    else:
        from newtonish.kernels.fused.smooth import launch_smooth

        launch_smooth(m, d, jnt, tendon, state)
    user_forces(m, d, state, fraction)
    laws_and_acceleration(m, d, state)
    passive_callback(m, d, fraction)


def fluid(m: Any, d: Any) -> None:
    """Forces of the medium, if it has a density or a viscosity."""
    if m.size.nfluid > 0:
        from newtonish.kernels.fused.fluid import launch_fluid

        launch_fluid(m, d)


def passive_callback(m: Any, d: Any, fraction: float) -> None:
    """Passive forces of the user's, if there are any, and the acceleration with them. MuJoCo: mjcb_passive."""
    if has_passive_callback(m):
        from newtonish.kernels.forces.acceleration import fwd_acceleration

        call(m, d, m.callback.passive, fraction)
        fwd_acceleration(m, d)


def user_forces(m: Any, d: Any, state: Any, fraction: float = 0.0) -> None:
    """Forces and activation rates of actuators with functions of the user's; ``state`` has the controls."""
    if m.user_actuation is not None:
        from newtonish.kernels.forces import user

        user.user_forces(m, d, state, fraction)


def law_transmission(m: Any, d: Any) -> None:
    """Lengths and moments of servos of orientations."""
    if m.size.nso3 > 0:
        from newtonish.kernels.forces import laws

        laws.law_transmission(m, d)


def fwd_laws(m: Any, d: Any) -> None:
    """Forces of DC motors, PID servos, servos of orientations and actuators with functions of the user's."""
    if m.size.nlaw > 0:
        from newtonish.kernels.forces import laws

        laws.fwd_laws(m, d)


def laws_and_acceleration(m: Any, d: Any, state: Any) -> None:
    """The same with the acceleration; ``state`` has the controls."""
    if m.size.nlaw > 0:
        from newtonish.kernels.forces import laws

        laws.laws_and_acceleration(m, d, state)


def advance_laws(m: Any, d: Any) -> None:
    """Activations of actuators with a law of their own, one time step later."""
    if m.size.nlaw > 0 and m.size.na > 0:
        from newtonish.kernels.forces import laws

        laws.advance_laws(m, d)
