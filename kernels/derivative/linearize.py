"""The step linearized at the solver's minimum, after ``forward``: derivatives of the residual, and the factors of both matrices.

With the residual r(q, v, a) = 0 a change of the inputs by dz changes the acceleration by da = -H^-1 (dr/dz) dz, whatever the solver did to find a: the
derivative is that of the minimum. Then K acc = M a gives that of the integrator, whose matrix K holds what is taken at the end of the step.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.enums import DisableBit, IntegratorType
from newtonish.kernels.derivative.adhesion_bends import adhesion_bends
from newtonish.kernels.derivative.algebra import real
from newtonish.kernels.derivative.body_equalities import bond_columns, bond_loads
from newtonish.kernels.derivative.contacts import contact_columns_world, contact_loads
from newtonish.kernels.derivative.delayed_controls import forget_delayed
from newtonish.kernels.derivative.discrete_metric import discrete_metric
from newtonish.kernels.derivative.forces import (
    RK4,
    actuator_columns_world,
    actuator_slopes_world,
    joint_columns_world,
    tendon_columns_world,
)
from newtonish.kernels.derivative.held_medium import held_medium, hold_medium
from newtonish.kernels.derivative.held_slopes import held_slopes
from newtonish.kernels.derivative.implicit_system import implicit_system
from newtonish.kernels.derivative.integrator import IMPLICITFAST, factor_hessian_world, subtract_medium
from newtonish.kernels.derivative.inverse_columns import dense_mass_world, inverse_columns_world
from newtonish.kernels.derivative.law_slopes import law_slopes
from newtonish.kernels.derivative.loads import applied_columns_world, applied_loads
from newtonish.kernels.derivative.medium import medium_columns, medium_loads
from newtonish.kernels.derivative.metric_changes import metric_changes
from newtonish.kernels.derivative.motion import body_motions_world, subtrees_world
from newtonish.kernels.derivative.orientation_slopes import orientation_slopes
from newtonish.kernels.derivative.output_bends import output_bends
from newtonish.kernels.derivative.polynomials import damper_bend
from newtonish.kernels.derivative.resistance import resistance
from newtonish.kernels.derivative.response import DISCRETE
from newtonish.kernels.derivative.scalar_rows import row_bends, scalar_rows_world
from newtonish.kernels.derivative.shared_limits import shared_limits
from newtonish.kernels.derivative.solves import copy_matrix, factor_world, multiply_columns, solve_columns
from newtonish.kernels.derivative.tendon_bends import tendon_bends
from newtonish.kernels.derivative.withheld_weight import withheld_weight
from newtonish.kernels.derivative.witnesses import find_witnesses_world
from newtonish.kernels.derivative.workspace import Linear, LinearMotion, Workspace
from newtonish.kernels.history.stage import springs, with_controls
from newtonish.kernels.integrate.derivative import deriv_smooth_vel_world
from newtonish.kernels.integrate.euler import damping_slope
from newtonish.kernels.math.world import lane_index, lanes, per_world, sync, world_index, worlds_per_thread
from newtonish.kernels.runtime.launch import launch, through_worlds
from newtonish.kernels.structs.data import (
    Com,
    Contact,
    Drive,
    Efc,
    Force,
    Kinematics,
    Mass,
    Solve,
    State,
    Status,
    TendonState,
)
from newtonish.kernels.structs.model import Actuator, Body, Dof, Equality, Geom, HeightField, Hull, Joint, Option, Size, Tendon, Tree
from newtonish.kernels.tendon.derivative import tendon_damping_world


@wp.func
def _damping_is_implicit(opt: Option) -> bool:
    """Whether the integrator takes damping at the end of the step."""
    disabled = DisableBit.DAMPER | DisableBit.EULERDAMP
    if opt.integrator == IMPLICITFAST:
        disabled = DisableBit.DAMPER
    return opt.integrator != DISCRETE and (opt.disableflags & disabled) == 0


@wp.func
def _through_integrator_world(
    size: Size, opt: Option, jnt: Joint, dof: Dof, actuator: Actuator, tendon: Tendon, state: State, mass: Mass, frc: Force, drive: Drive,
    ten: TendonState, sol: Solve, linear: Linear, dt: wp.float64, w: int, lane: int,
):  # fmt: skip
    """Factor of K, and the acceleration that the integrator makes of the solver's in ``linear.one``; begins and ends with a barrier."""
    sync()
    copy_matrix(linear.K, linear.M, size.nv, w)
    sync()
    if opt.integrator == IMPLICITFAST:
        deriv_smooth_vel_world(size, opt, jnt, dof, actuator, state, mass, frc, drive, w, lane)
        tendon_damping_world(size, opt, dof, tendon, ten, mass, w, lane)
        for i in range(lane, size.nv, lanes()):
            for k in range(dof.M_rowadr[i], dof.M_rowadr[i] + dof.M_rownnz[i]):
                j = dof.M_colind[k]
                linear.K[w, i, j] = linear.K[w, i, j] - dt * real(mass.qDeriv[w, k])
        subtract_medium(linear, dt, w, lane)
    elif _damping_is_implicit(opt):
        for i in range(lane, size.nv, lanes()):
            linear.K[w, i, i] = linear.K[w, i, i] + dt * real(damping_slope(dof, state, w, i))
    factor_world(linear.K, size.nv, w)
    for i in range(lane, size.nv, lanes()):
        linear.another[w, i, 0] = real(sol.qacc[w, i])
    sync()
    multiply_columns(linear.M, linear.another, linear.one, size.nv, w)
    solve_columns(linear.K, linear.one, size.nv, w)
    sync()


@wp.func
def _integrator_world(
    size: Size, opt: Option, jnt: Joint, dof: Dof, actuator: Actuator, tendon: Tendon, state: State, mass: Mass, frc: Force, drive: Drive,
    ten: TendonState, sol: Solve, linear: Linear, w: int, lane: int,
):  # fmt: skip
    """Factor of K and the acceleration that the integrator makes of the solver's; returns with a barrier."""
    dt = real(opt.timestep[per_world(opt.timestep.shape[0], w)])
    if opt.integrator == RK4:  # whose stages take accelerations as they are
        for i in range(lane, size.nv, lanes()):
            linear.one[w, i, 0] = real(sol.qacc[w, i])
        sync()
    else:
        _through_integrator_world(size, opt, jnt, dof, actuator, tendon, state, mass, frc, drive, ten, sol, linear, dt, w, lane)
    poly_w = per_world(dof.dampingpoly.shape[0], w)
    for i in range(lane, size.nv, lanes()):
        acc = linear.one[w, i, 0]
        speed = real(state.qvel[w, i])
        bend = real(0.0)
        if _damping_is_implicit(opt):
            bend = damper_bend(dof.dampingpoly[poly_w, i], speed)
        linear.acc[w, i] = acc
        linear.speed[w, i] = speed + dt * acc
        linear.rate[w, i] = speed
        linear.push[w, i] = real(sol.qacc[w, i])
        linear.kv[w, i] = dt * bend * acc
    sync()


@wp.kernel
def _remember_start(size: Size, state: State, linear: Linear, nworld: int):
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        for i in range(lane, size.nv, lanes()):
            linear.warm[w, i] = state.qacc_warmstart[w, i]


through_worlds(_remember_start)


@wp.kernel
def _integrator(
    size: Size, opt: Option, jnt: Joint, dof: Dof, actuator: Actuator, tendon: Tendon, state: State, mass: Mass, frc: Force, drive: Drive,
    ten: TendonState, sol: Solve, linear: Linear, nworld: int,
):  # fmt: skip
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        for i in range(lane, size.nv, lanes()):
            state.qacc_warmstart[w, i] = linear.warm[w, i]
        dense_mass_world(size, dof, mass, linear, w, lane)
        _integrator_world(size, opt, jnt, dof, actuator, tendon, state, mass, frc, drive, ten, sol, linear, w, lane)


through_worlds(_integrator)


@wp.kernel
def _motions(
    size: Size, opt: Option, tree: Tree, body: Body, jnt: Joint, geom: Geom, hull: Hull, hfield: HeightField, state: State, kin: Kinematics, com: Com,
    contact: Contact, efc: Efc, status: Status, linear: Linear, motion: LinearMotion, nworld: int,
):  # fmt: skip
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        body_motions_world(size, opt, tree, body, jnt, com, linear, motion, w, lane)
        find_witnesses_world(opt, geom, hull, hfield, kin, contact, status, motion, w, lane)
        if lane == 0:
            contact_loads(opt, tree, body, geom, com, contact, efc, status, linear, motion, w)
            applied_loads(size, opt, body, state, kin, com, motion, w)


through_worlds(_motions)


@wp.kernel
def _columns(
    size: Size, opt: Option, tree: Tree, body: Body, jnt: Joint, dof: Dof, geom: Geom, state: State, kin: Kinematics, com: Com, contact: Contact, efc: Efc,
    status: Status, linear: Linear, motion: LinearMotion, nworld: int,
):  # fmt: skip
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        subtrees_world(size, tree, body, com, motion, w, lane)
        inverse_columns_world(size, jnt, dof, com, linear, motion, w, lane)
        applied_columns_world(size, opt, tree, body, dof, state, kin, com, linear, w, lane)
        contact_columns_world(size, opt, tree, body, dof, geom, kin, com, contact, efc, status, linear, motion, w, lane)


through_worlds(_columns)


@wp.kernel
def _forces(
    size: Size, opt: Option, jnt: Joint, dof: Dof, actuator: Actuator, tendon: Tendon, eq: Equality, state: State, frc: Force, drive: Drive,
    ten: TendonState, efc: Efc, sol: Solve, status: Status, linear: Linear, swept: bool, nworld: int,
):  # fmt: skip
    """Forces and scalar rows, and the Hessian's factor; ``swept``: tendons and actuators are in no columns."""
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        joint_columns_world(size, opt, jnt, dof, state, linear, w, lane)
        actuator_slopes_world(size, opt, jnt, dof, actuator, tendon, state, frc, drive, linear, w, lane)
        if not swept:
            tendon_columns_world(size, opt, tendon, ten, linear, w, lane)
            actuator_columns_world(size, actuator, drive, linear, w, lane)
        scalar_rows_world(size, opt, jnt, dof, tendon, eq, state, efc, sol, status, linear, w, lane)
        sync()
        if lane == 0:
            row_bends(opt, jnt, dof, tendon, eq, state, ten, efc, sol, status, linear, w)
        factor_hessian_world(opt, linear, size.nv, w)


through_worlds(_forces)


def remember_start(m: Any, d: Any, work: Workspace) -> None:
    """Before ``forward``, which leaves its solution as the next start: keep the present one, so that the same call gives the same bits.

    Reads   d.state.qacc_warmstart
    Writes  work.linear.warm
    """
    launch(_remember_start, d, [m.size, d.state, work.linear])


def _columns_of_bodies(m: Any, d: Any, work: Workspace) -> None:
    """Begin the matrices of the residual with what bodies and all between them do."""
    groups = [m.size, m.opt, m.tree, m.body, m.jnt, m.geom, m.hull, m.hfield, d.state, d.kin, d.com, d.contact, d.efc, d.status]
    launch(_motions, d, [*groups, work.linear, work.motion])
    if m.size.neq > 0:
        bond_loads(m, d, work)
    if m.size.nfluid > 0:
        medium_loads(m, d, work)
    groups = [m.size, m.opt, m.tree, m.body, m.jnt, m.dof, m.geom, d.state, d.kin, d.com, d.contact, d.efc, d.status]
    launch(_columns, d, [*groups, work.linear, work.motion])
    if m.size.neq > 0:
        bond_columns(m, d, work)
    if m.size.nfluid > 0:
        medium_columns(m, d, work)


def linearize(m: Any, d: Any, work: Workspace, swept: bool = False) -> None:
    """Derivatives of the residual and both factors, after ``remember_start`` and ``forward``.

    Reads   m; d.state, d.kin, d.com, d.mass, d.frc, d.drive, d.ten, d.contact, d.efc, d.sol
    Writes  work; d.state.qacc_warmstart (as it was), d.mass.qDeriv
    MuJoCo  no equivalent.

    Args:
        m: model.
        d: data.
        work: workspace.
        swept: whether only an adjoint is wanted that sweeps over bodies, contacts, connects, welds, tendons and actuators (``sweep.py``): Gq, Gv and Xq are then without them.
    """
    jnt, tendon = springs(m, d)
    state = with_controls(m, d)
    if work.needs.holds_medium:
        hold_medium(m, d, work)
    if work.needs.spins:
        implicit_system(m, d, tendon, state, work)
    else:
        launch(_integrator, d, [m.size, m.opt, m.jnt, m.dof, m.actuator, m.tendon, state, d.mass, d.frc, d.drive, d.ten, d.sol, work.linear])
    if swept:
        resistance(m, d, work)
    else:
        _columns_of_bodies(m, d, work)
    if m.opt.integrator == IntegratorType.DISCRETE:
        discrete_metric(m, d, jnt, tendon, state, work)
        if work.needs.holds_medium:
            held_medium(m, d, work)
    if m.size.ntenfrc > 0:
        shared_limits(m, d, state, work)
    groups = [m.size, m.opt, jnt, m.dof, m.actuator, tendon, m.eq, state, d.frc, d.drive, d.ten, d.efc, d.sol, d.status]
    launch(_forces, d, [*groups, work.linear, swept])
    if m.size.nlaw > 0:
        law_slopes(m, d, state, work)
        if m.size.nso3 > 0:
            orientation_slopes(m, d, state, work)
    if m.hist.nhistory > 0 and m.size.nu > 0:
        forget_delayed(m, d, work)
    if work.needs.curved:
        held_slopes(m, d, state, work)
        if work.needs.holds_medium:
            held_medium(m, d, work)
    if m.ntenspatial > 0:
        tendon_bends(m, d, tendon, state, work, swept)
    if work.needs.turns:
        output_bends(m, d, state, work)
    if m.size.nadhesion > 0:
        adhesion_bends(m, d, state, work)
    if work.needs.stiffens:
        metric_changes(m, d, jnt, tendon, state, work)
    if work.needs.compensates:
        withheld_weight(m, d, work)
