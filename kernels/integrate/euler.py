"""Semi-implicit Euler integrator; the damping of joints is taken at the end of the step.

(M + h B) qacc' = qfrc_smooth + qfrc_constraint, where B is the slope of the damping force by velocity; without damping,
or if that is disabled, qacc' is the solver's acceleration. Method: MuJoCo documentation, chapter Computation.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.enums import DisableBit
from newtonish.kernels.history.stage import with_controls
from newtonish.kernels.integrate.advance import advance_world
from newtonish.kernels.linalg.sparse_ltdl import copy_shifted, ltdl_factor, ltdl_solve
from newtonish.kernels.math.polynomial import poly_slope
from newtonish.kernels.math.world import lanes, per_world, sum_lanes_int, sync
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.structs.data import Drive, Force, Mass, Scratch, Solve, State
from newtonish.kernels.structs.model import Actuator, Dof, Joint, Option, Size


@wp.func
def damping_slope(dof: Dof, state: State, w: int, i: int) -> float:
    """Derivative of the damping force on dof ``i`` by its velocity, with opposite sign."""
    linear = dof.damping[per_world(dof.damping.shape[0], w), i]
    poly = dof.dampingpoly[per_world(dof.dampingpoly.shape[0], w), i]
    return poly_slope(linear, poly, wp.abs(state.qvel[w, i]))


@wp.func
def _is_damped(size: Size, opt: Option, dof: Dof, w: int, lane: int) -> bool:
    """Some dof has damping, and it is to be integrated implicitly. All lanes call it."""
    damped = wp.int32(0)
    if (opt.disableflags & (DisableBit.EULERDAMP | DisableBit.DAMPER)) == 0:
        linear_w = per_world(dof.damping.shape[0], w)
        poly_w = per_world(dof.dampingpoly.shape[0], w)
        for i in range(lane, size.nv, lanes()):
            poly = dof.dampingpoly[poly_w, i]
            if dof.damping[linear_w, i] != 0.0 or poly[0] != 0.0 or poly[1] != 0.0:
                damped = 1
    return sum_lanes_int(damped) > 0


@wp.func
def solve_modified_world(size: Size, dof: Dof, mass: Mass, frc: Force, sol: Solve, scratch: Scratch, w: int, lane: int):
    """Factorise ``mass.qH`` and solve for the acceleration that all forces give it, into ``scratch.qvel``."""
    for i in range(lane, size.nv, lanes()):
        scratch.qvel[w, i] = frc.qfrc_smooth[w, i] + sol.qfrc_constraint[w, i]
    sync()
    ltdl_factor(dof.M_rownnz, dof.M_rowadr, dof.M_colind, mass.qH, mass.qH, mass.qHDiagInv, size.nv, w)
    ltdl_solve(dof.M_rownnz, dof.M_rowadr, dof.M_colind, mass.qH, mass.qHDiagInv, scratch.qvel, size.nv, w)


@wp.func
def euler_world(
    size: Size, opt: Option, jnt: Joint, dof: Dof, actuator: Actuator, state: State, mass: Mass, frc: Force,
    drive: Drive, sol: Solve, scratch: Scratch, w: int, lane: int,
):  # fmt: skip
    """Advance one world by Euler's method."""
    dt = opt.timestep[per_world(opt.timestep.shape[0], w)]
    if _is_damped(size, opt, dof, w, lane):
        for i in range(lane, size.nv, lanes()):
            mass.qHDiagInv[w, i] = dt * damping_slope(dof, state, w, i)  # until the factor needs the place
        sync()
        copy_shifted(dof.M_rownnz, dof.M_rowadr, mass.M, mass.qHDiagInv, mass.qH, size.nv, w)
        solve_modified_world(size, dof, mass, frc, sol, scratch, w, lane)
    else:
        for i in range(lane, size.nv, lanes()):
            scratch.qvel[w, i] = sol.qacc[w, i]
        sync()
    # one call for both: it is long once it is inlined
    advance_world(size, opt, jnt, actuator, state, drive, sol, scratch.qvel, state.qvel, w, lane)


@wp.kernel
def _euler(
    size: Size, opt: Option, jnt: Joint, dof: Dof, actuator: Actuator, state: State, mass: Mass, frc: Force,
    drive: Drive, sol: Solve, scratch: Scratch,
):  # fmt: skip
    w, lane = wp.tid()
    euler_world(size, opt, jnt, dof, actuator, state, mass, frc, drive, sol, scratch, w, lane)


def euler(m: Any, d: Any) -> None:
    """Advance all worlds by one time step with the semi-implicit Euler method.

    Reads   m.opt, m.jnt, m.dof, m.actuator; d.mass.M, d.frc.qfrc_smooth, d.sol (qacc, qfrc_constraint), d.drive.act_dot
    Writes  d.state (time, qpos, qvel, act, qacc_warmstart); d.mass.qH, qHDiagInv, d.scratch.qvel
    MuJoCo  mj_Euler.
    """
    inputs = [m.size, m.opt, m.jnt, m.dof, m.actuator, with_controls(m, d), d.mass, d.frc, d.drive, d.sol, d.scratch]
    launch(_euler, d, inputs)
