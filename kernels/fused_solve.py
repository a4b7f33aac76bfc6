"""The constrained acceleration of a step, and the steps of the integrators."""

import warp as wp

from newtonish.kernels.integrate.euler import euler_world
from newtonish.kernels.integrate.implicit import implicitfast_world
from newtonish.kernels.reset import autoreset_world
from newtonish.kernels.solver.newton import solve_world
from newtonish.kernels.structs.data import (
    Com,
    Contact,
    Drive,
    Efc,
    Force,
    Kinematics,
    Mass,
    Scratch,
    Solve,
    State,
    Status,
)
from newtonish.kernels.structs.model import Actuator, Body, Dof, Joint, Option, Size


@wp.kernel
def solve_kernel(
    size: Size, opt: Option, dof: Dof, state: State, mass: Mass, frc: Force, contact: Contact, efc: Efc, sol: Solve,
    status: Status,
):  # fmt: skip
    """Constraint forces and acceleration."""
    w, lane = wp.tid()
    solve_world(size, opt, dof, state, mass, frc, contact, efc, sol, status, w, lane)


@wp.kernel
def euler_kernel(
    size: Size, opt: Option, body: Body, jnt: Joint, dof: Dof, actuator: Actuator, state: State, mass: Mass, frc: Force,
    drive: Drive, sol: Solve, status: Status, scratch: Scratch,
):  # fmt: skip
    """Semi-implicit Euler step; a world that is no longer finite starts anew."""
    w, lane = wp.tid()
    euler_world(size, opt, jnt, dof, actuator, state, mass, frc, drive, sol, scratch, w, lane)
    autoreset_world(size, opt, body, jnt, state, sol, status, w, lane)


@wp.kernel
def implicitfast_kernel(
    size: Size, opt: Option, body: Body, jnt: Joint, dof: Dof, actuator: Actuator, state: State, kin: Kinematics, com: Com,
    mass: Mass, frc: Force, drive: Drive, sol: Solve, status: Status, scratch: Scratch,
):  # fmt: skip
    """Implicit-in-velocity step; a world that is no longer finite starts anew."""
    w, lane = wp.tid()
    implicitfast_world(size, opt, jnt, dof, actuator, state, kin, com, mass, frc, drive, sol, scratch, w, lane)
    autoreset_world(size, opt, body, jnt, state, sol, status, w, lane)


@wp.kernel
def autoreset_kernel(size: Size, opt: Option, body: Body, jnt: Joint, state: State, sol: Solve, status: Status):
    """Reset worlds that are no longer finite, after a Runge-Kutta step."""
    w, lane = wp.tid()
    autoreset_world(size, opt, body, jnt, state, sol, status, w, lane)
