"""The last stage of a step: integrators with one evaluation of the dynamics, which end with the automatic reset."""

from __future__ import annotations

from typing import Any

from newtonish.common.enums import DisableBit, IntegratorType
from newtonish.kernels.history.stage import with_controls
from newtonish.kernels.integrate.discrete.options import is_discrete, with_flag


def advance(m: Any, d: Any) -> None:
    """Positions, velocities, activations and time, one time step later; worlds that are no longer finite are reset.

    Reads   d.kin, d.com, d.mass, d.vel, d.frc, d.drive, d.ten, d.sol. Writes d.state, d.status.nonfinite.
    MuJoCo  mj_Euler, mj_implicit; with integrator ``discrete`` the end of its step.
    """
    state = with_controls(m, d)
    if m.opt.integrator == IntegratorType.IMPLICITFAST and m.size.nfluid > 0:
        from newtonish.kernels.fused.implicitfast_fluid import launch_implicitfast_fluid

        launch_implicitfast_fluid(m, d, state)
    elif m.opt.integrator == IntegratorType.IMPLICITFAST and m.simple.implicitfast:
        from newtonish.kernels.fused.implicitfast_joints import launch_implicitfast_joints

        launch_implicitfast_joints(m, d, state)
    elif m.opt.integrator == IntegratorType.IMPLICITFAST:
        from newtonish.kernels.fused.implicitfast import launch_implicitfast

        launch_implicitfast(m, d, state)
    elif m.opt.integrator == IntegratorType.IMPLICIT:
        from newtonish.kernels.fused.implicit import launch_implicit

        launch_implicit(m, d, state)
    else:
        from newtonish.kernels.fused.euler import launch_euler

        # the acceleration of discrete is the whole step's already
        opt = with_flag(m, DisableBit.EULERDAMP) if is_discrete(m) else m.opt
        launch_euler(m, d, opt, state)
