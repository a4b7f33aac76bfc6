"""Parts of a step under mujoco_warp's names: its stages by what they depend on, and its integrators.

Each runs the kernels that ``forward`` and ``step`` run, on all cores, so that the parts in their order give the same bits.
"""

from __future__ import annotations

from newtonish.arguments import checked
from newtonish.common.enums import IntegratorType
from newtonish.errors import ModelError, problem
from newtonish.kernels import forward as pipeline
from newtonish.kernels.history.stage import remember_tendons, settle
from newtonish.kernels.smooth.camlight import camlight
from newtonish.kernels.smooth.com import com_pos
from newtonish.kernels.smooth.com_vel import com_vel
from newtonish.kernels.smooth.kinematics import kinematics
from newtonish.kernels.structs.container import Data, Model
from newtonish.kernels.tendon.tendon import tendon
from newtonish.mjw.replay import run

__all__ = ["discrete", "fwd_kinematics", "fwd_position", "fwd_velocity", "rungekutta4"]


def _kinematics(m: Model, d: Data) -> None:
    kinematics(m, d)
    com_pos(m, d)
    camlight(m, d)
    tendon(m, d)


def _position(m: Model, d: Data) -> None:
    pipeline.position_stage(m, d)
    pipeline.collision(m, d)
    camlight(m, d)
    com_vel(m, d)  # rows of equality constraints have velocities
    pipeline.make_constraint(m, d)


def _velocity(m: Model, d: Data) -> None:
    pipeline.tendon_velocities(m, d)
    pipeline.velocity_stage(m, d)
    pipeline.make_constraint(m, d)


def _rungekutta4(m: Model, d: Data) -> None:
    remember_tendons(m, d)
    pipeline.rungekutta4(m, d)
    settle(m, d)


def _discrete(m: Model, d: Data) -> None:
    pipeline.integrate(m, d)


_rungekutta4.__dict__["begins_with_solution"] = _discrete.__dict__["begins_with_solution"] = True


def fwd_kinematics(m: Model, d: Data) -> None:
    """Poses of bodies, geoms, sites, cameras and lights, and paths of tendons, for ``d.qpos``.

    Reads   d.state. Writes d.kin, d.com, d.camlight, d.ten.
    MuJoCo  mj_fwdKinematics.
    """
    run(_kinematics, m, d)


def fwd_position(m: Model, d: Data, factorize: bool = True) -> None:
    """All that depends on positions: poses, mass matrix and its factor, transmissions, contacts, constraint rows.

    Args:
        m: model.
        d: data.
        factorize: taken as in mujoco_warp; the mass matrix is always factored, by the kernel that computes it.

    Reads   d.state. Writes d.kin, d.camlight, d.com, d.mass, d.drive (length, moment), d.ten, d.contact, d.efc.
    MuJoCo  mj_fwdPosition. Rows have their reference accelerations already, for the velocities of the call.
    """
    run(_position, m, d)


def fwd_velocity(m: Model, d: Data) -> None:
    """All that depends on velocities, after ``fwd_position``: body velocities, passive and bias forces, references of rows.

    Reads   d.state and what ``fwd_position`` writes. Writes d.vel, d.frc, d.ten (velocity), d.drive, d.efc (vel, aref).
    MuJoCo  mj_fwdVelocity. Actuator forces and the smooth acceleration for the present controls come from the same kernel.
    """
    run(_velocity, m, d)


def rungekutta4(m: Model, d: Data) -> None:
    """Advance all worlds by one time step with the Runge-Kutta method of 4th order, after ``forward``. MuJoCo: mj_RungeKutta."""
    run(_rungekutta4, m, d)


@checked
def discrete(m: Model, d: Data) -> None:
    """Advance all worlds by one time step of the integrator ``discrete``, after ``forward`` with this integrator.

    Raises:
        ModelError: ``m.opt.integrator`` is another one, whose acceleration is not that of a whole step.
    """
    if m.opt.integrator != IntegratorType.DISCRETE:
        given = f"integrator {IntegratorType(int(m.opt.integrator)).name.lower()}"
        remedy = "set m.opt.integrator = IntegratorType.DISCRETE before forward, or call step"
        raise ModelError(problem("discrete: m", given, "integrator discrete", remedy))
    run(_discrete, m, d)
