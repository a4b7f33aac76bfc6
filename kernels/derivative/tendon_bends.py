"""What spatial tendons add to the linearized dynamics: their moments change as dofs move.

A tendon pulls at the ends of its straight segments, and the point where it touches a wrapping geom slides along it (``wrap_change.py``). With the change of
the moment, column by column, go that of the velocity, and that of the acceleration that rows of limits, friction and equalities see.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.enums import DisableBit
from newtonish.kernels.constants import EQUALITY, ON_TENDON, QUADRATIC
from newtonish.kernels.constraint.row import jacobian_entry
from newtonish.kernels.derivative.algebra import real, vec8d
from newtonish.kernels.derivative.bends import add_bent_product, add_to_activations, fill_arm
from newtonish.kernels.derivative.held_slopes import slope_of_actuator, slope_of_tendon
from newtonish.kernels.derivative.metric_bends import add_bent_hold, add_bent_inertia, geared, note_rescaling, rescaled_by_bend
from newtonish.kernels.derivative.path_bends import bend_straights, bend_wraps, settle_wraps
from newtonish.kernels.derivative.pull_bars import has_no_inertia, paths_are_swept
from newtonish.kernels.derivative.response import DISCRETE
from newtonish.kernels.derivative.scalar_rows import row_response
from newtonish.kernels.derivative.solves import clear_matrix
from newtonish.kernels.derivative.tendon_inertia import path_rate
from newtonish.kernels.derivative.tendon_rows import share_of_row
from newtonish.kernels.derivative.workspace import Linear, LinearMotion, Workspace
from newtonish.kernels.forces.actuation import controls_are_bad
from newtonish.kernels.forces.tendon import tendon_damper, tendon_spring
from newtonish.kernels.math.world import lane_index, lanes, per_world, sync, world_index, worlds_per_thread
from newtonish.kernels.runtime.launch import launch, through_worlds
from newtonish.kernels.structs.data import Com, Drive, Efc, Force, Kinematics, Solve, State, Status, TendonState
from newtonish.kernels.structs.metric import Metric
from newtonish.kernels.structs.model import Actuator, Body, Dof, Equality, Geom, Joint, Option, Site, Size, Tendon, Tree
from newtonish.kernels.tendon.derivative import tendon_damping_slope
from newtonish.kernels.tendon.tendon import SPATIAL


@wp.struct
class Pull:
    """Forces along a tendon, positive where they push its ends apart, and their slopes by its velocity."""

    force: wp.float64  # of spring, damper and rows
    damper: wp.float64  # slope of the damper, with opposite sign
    driven: wp.float64  # force of actuators
    driven_slope: wp.float64
    held: wp.float64  # slope of all that implicitfast takes, and its change
    held_bend: wp.float64
    firm: vec8d  # what the metric of discrete has of all
    inertia: wp.float64
    rows: int  # that the tendon has a share of


@wp.func
def _pull_of(
    size: Size, opt: Option, jnt: Joint, actuator: Actuator, tendon: Tendon, eq: Equality, state: State, frc: Force, drive: Drive,
    ten: TendonState, efc: Efc, status: Status, linear: Linear, zero_controls: bool, w: int, t: int,
) -> Pull:  # fmt: skip
    """What pulls along tendon ``t``."""
    found = Pull()
    found.inertia = real(tendon.armature[per_world(tendon.armature.shape[0], w), t])
    if (opt.disableflags & DisableBit.SPRING) == 0:
        found.force += real(tendon_spring(tendon, ten, w, t))
    if (opt.disableflags & DisableBit.DAMPER) == 0:
        found.force += real(tendon_damper(tendon, ten, w, t))
        found.damper = real(tendon_damping_slope(tendon, ten, w, t))
    slope = slope_of_tendon(opt, tendon, ten, w, t)
    found.held = slope.value
    found.held_bend = slope.by_velocity
    if opt.integrator == DISCRETE:
        found.firm = linear.ten_firm[w, t]
    a = linear.ten_actuator[w, t]
    while a >= 0:
        o = actuator.outadr[a]
        gear = real(actuator.gear[per_world(actuator.gear.shape[0], w), o][0])
        found.driven += gear * real(drive.actuator_force[w, o])
        found.driven_slope += gear * gear * linear.force_velocity[w, a]
        slope = slope_of_actuator(opt, jnt, actuator, state, frc, drive, zero_controls, w, a)
        found.held += gear * gear * slope.value
        found.held_bend += gear * gear * gear * slope.by_velocity
        if opt.integrator == DISCRETE:
            found.firm += geared(linear.act_firm[w, a], gear)
        a = linear.next_actuator[w, a]
    for r in range(wp.min(status.nefc[w], efc.type.shape[1])):
        share = share_of_row(tendon, eq, ten, efc, w, t, r)
        if share != real(0.0):
            found.force += share * real(efc.force[w, r])
            found.rows += 1
    return found


@wp.func
def _add_rows(
    size: Size, opt: Option, jnt: Joint, dof: Dof, tendon: Tendon, eq: Equality, ten: TendonState, efc: Efc, efm: Metric, status: Status, linear: Linear,
    speed: wp.float64, acceleration: wp.float64, w: int, t: int, k: int,
):  # fmt: skip
    """What rows of tendon ``t`` see of the changes of its velocity and acceleration."""
    for r in range(wp.min(status.nefc[w], efc.type.shape[1])):
        share = share_of_row(tendon, eq, ten, efc, w, t, r)
        if share != real(0.0) and (efc.type[w, r] == EQUALITY or efc.state[w, r] == QUADRATIC):
            slopes = row_response(opt, jnt, dof, tendon, eq, efc, w, r)
            answer = real(efc.D[w, r]) * share * (acceleration + slopes.damper * speed)
            if opt.integrator == DISCRETE:
                change = rescaled_by_bend(size, efc, efm, linear, share, w, r, k)
                answer -= real(efc.force[w, r]) * change
                note_rescaling(size, efc, linear, change, w, r, k)
            for j in range(size.nv):
                linear.Gq[w, j, k] = linear.Gq[w, j, k] + answer * real(jacobian_entry(efc, w, r, j))


@wp.func
def _add_inertia(
    size: Size, opt: Option, tree: Tree, body: Body, jnt: Joint, dof: Dof, site: Site, tendon: Tendon, kin: Kinematics, com: Com, ten: TendonState, sol: Solve,
    linear: Linear, motion: LinearMotion, inertia: wp.float64, acceleration: wp.float64, w: int, t: int, k: int,
):  # fmt: skip
    """Inertia of tendon ``t``: its share of the mass matrix, and its bias force."""
    add_bent_product(size, opt, jnt, dof, linear, linear.Gq, linear.held, inertia, real(0.0), w, k)
    add_bent_product(size, opt, jnt, dof, linear, linear.Xq, linear.held, inertia, real(0.0), w, k)
    add_bent_product(size, opt, jnt, dof, linear, linear.Xq, linear.acc, -inertia, real(0.0), w, k)
    rate = path_rate(tree, body, dof, site, tendon, kin, com, motion, w, t, k)
    first = tendon.J_rowadr[t]
    last = first + tendon.J_rownnz[t]
    bias = rate[0]
    for n in range(first, last):
        bias -= real(ten.J[w, n]) * real(sol.qacc[w, tendon.J_colind[n]])
    for n in range(first, last):
        j = tendon.J_colind[n]
        at = real(ten.J[w, n])
        linear.Gq[w, j, k] = linear.Gq[w, j, k] + inertia * (linear.bend[w, j, k] * bias + at * (rate[1] - acceleration))
        linear.Gv[w, j, k] = linear.Gv[w, j, k] + inertia * at * rate[2]


@wp.func
def _move_activations(actuator: Actuator, linear: Linear, speed: wp.float64, w: int, t: int, k: int):
    """What a change of the tendon's velocity does to activations of actuators with a law of their own."""
    a = linear.ten_actuator[w, t]
    while a >= 0:
        gear = real(actuator.gear[per_world(actuator.gear.shape[0], w), actuator.outadr[a]][0])
        add_to_activations(actuator, linear, real(0.0), gear * speed, w, a, k)
        a = linear.next_actuator[w, a]


@wp.func
def _list_actuators(size: Size, actuator: Actuator, linear: Linear, w: int):
    """The actuators of each tendon, in their order; one lane calls it."""
    for t in range(size.ntendon):
        linear.ten_actuator[w, t] = -1
    for back in range(size.nactuator):
        a = size.nactuator - 1 - back
        if actuator.trntype[a] == ON_TENDON:
            t = actuator.trnid[a][0]
            linear.next_actuator[w, a] = linear.ten_actuator[w, t]
            linear.ten_actuator[w, t] = a


@wp.func_native("""
    const int n = Gq.shape[2];
    const double* change = (const double*)((const char*)bend.data + (size_t)w * bend.strides[0]) + k;
    double* to = (double*)((char*)Gq.data + (size_t)w * Gq.strides[0]) + k;
    const int* free = (const int*)((const char*)left.data + (size_t)w * left.strides[0]);
    const float* v = (const float*)((const char*)qvel.data + (size_t)w * qvel.strides[0]);
    const float* a = (const float*)((const char*)qacc.data + (size_t)w * qacc.strides[0]);
    const float* row = (const float*)((const char*)J.data + (size_t)w * J.strides[0]);
    double faster = 0.0, pushed = 0.0;
    for (int at = first; at < last; at++) {
        const int j = dofs.data[at];
        const double b = change[j * n];
        to[j * n] -= (free[j] != 0 ? force + driven : force) * b;
        faster += b * v[j];
        pushed += b * a[j];
    }
    if (damper != 0.0 || driven_slope != 0.0)
        for (int at = first; at < last; at++) {
            const int j = dofs.data[at];
            to[j * n] += (free[j] != 0 ? damper - driven_slope : damper) * faster * row[at];
        }
    return wp::vec_t<2, double>(faster, pushed);
""")
def _add_column(
    Gq: wp.array3d(dtype=wp.float64), bend: wp.array3d(dtype=wp.float64), left: wp.array2d(dtype=int), qvel: wp.array2d(dtype=float),
    qacc: wp.array2d(dtype=float), J: wp.array2d(dtype=float), dofs: wp.array(dtype=int), first: int, last: int, force: wp.float64, driven: wp.float64,
    damper: wp.float64, driven_slope: wp.float64, w: int, k: int,
) -> wp.vec2d:  # fmt: skip
    """Add forces along the change of a moment, and what dampers and actuators answer to that of the velocity, to column ``k``; returns the changes of velocity and acceleration."""
    ...


@wp.func
def _clear_column(linear: Linear, dofs: wp.array(dtype=int), first: int, last: int, w: int, k: int):
    """Nothing in column ``k`` for the next tendon."""
    for n in range(first, last):
        linear.bend[w, dofs[n], k] = real(0.0)


@wp.kernel
def _tendon_bends(
    size: Size, opt: Option, tree: Tree, body: Body, jnt: Joint, dof: Dof, geom: Geom, site: Site, actuator: Actuator, tendon: Tendon,
    eq: Equality, state: State, kin: Kinematics, com: Com, frc: Force, drive: Drive, ten: TendonState, efc: Efc, efm: Metric, sol: Solve,
    status: Status, linear: Linear, motion: LinearMotion, swept: bool, nworld: int,
):  # fmt: skip
    """Add the changing moments of all spatial tendons to Gq; each lane has columns of its own. ``swept``: but for those that ``pull_bars.py`` has."""
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        dt = real(opt.timestep[per_world(opt.timestep.shape[0], w)])
        zero_controls = controls_are_bad(size, opt, actuator, state, w, lane)
        without = swept and paths_are_swept(size, opt, linear, w)
        if lane == 0:
            _list_actuators(size, actuator, linear, w)
        for i in range(lane, size.nv, lanes()):
            linear.held[w, i] = real(sol.qacc[w, i])
        clear_matrix(linear.bend, size.nv, w)
        sync()
        for t in range(size.ntendon):
            if tendon.type[t] == SPATIAL and not (without and has_no_inertia(tendon, w, t)):
                pull = _pull_of(size, opt, jnt, actuator, tendon, eq, state, frc, drive, ten, efc, status, linear, zero_controls, w, t)
                first = tendon.J_rowadr[t]
                last = first + tendon.J_rownnz[t]
                wraps = settle_wraps(geom, site, tendon, kin, ten, linear, w, t, lane)
                fill_arm(size, linear, tendon.J_colind, ten.J, first, last, w, lane)
                bend_straights(tree, body, jnt, dof, site, tendon, kin, com, ten, linear, w, t)
                for c in range(first, last):
                    k = tendon.J_colind[c]
                    if k % lanes() != lane:
                        continue
                    if wraps > 0:
                        bend_wraps(tree, body, jnt, dof, geom, site, tendon, kin, com, ten, linear, w, t, k)
                    rates = _add_column(
                        linear.Gq, linear.bend, linear.left, state.qvel, sol.qacc, ten.J, tendon.J_colind, first, last,
                        pull.force, pull.driven, pull.damper, pull.driven_slope, w, k,
                    )  # fmt: skip
                    speed = rates[0]
                    acceleration = rates[1]
                    add_bent_product(size, opt, jnt, dof, linear, linear.Xq, linear.acc, dt * pull.held, dt * pull.held_bend * speed, w, k)
                    if opt.integrator == DISCRETE:
                        add_bent_hold(size, linear, pull.firm, dt, real(0.0), speed, w, k)
                        add_bent_inertia(size, linear, pull.inertia, w, k)
                    if linear.tendon_rate.shape[1] > 0:
                        linear.tendon_rate[w, t, k] = speed
                        linear.tendon_push[w, t, k] = acceleration
                    if size.nlaw > 0:
                        _move_activations(actuator, linear, speed, w, t, k)
                    if pull.rows > 0:
                        _add_rows(size, opt, jnt, dof, tendon, eq, ten, efc, efm, status, linear, speed, acceleration, w, t, k)
                    if pull.inertia != real(0.0):
                        _add_inertia(size, opt, tree, body, jnt, dof, site, tendon, kin, com, ten, sol, linear, motion, pull.inertia, acceleration, w, t, k)
                    _clear_column(linear, tendon.J_colind, first, last, w, k)


through_worlds(_tendon_bends)


def tendon_bends(m: Any, d: Any, tendon: Tendon, state: State, work: Workspace, swept: bool) -> None:
    """Add the changing moments of spatial tendons to the derivatives of the residual, after all slopes of forces are known.

    Reads   m; ``tendon`` (with the present rest of springs), ``state`` (with the controls that act), d.kin, d.com, d.drive, d.ten, d.efc, d.efm, d.sol.qacc, work.linear (left, force_velocity, acc, speed, ten_firm, act_firm), work.motion
    Writes  work.linear.Gq, Gv, Xq, bend, arm, held, stiffer, heavier
    """
    groups = [m.size, m.opt, m.tree, m.body, m.jnt, m.dof, m.geom, m.site, m.actuator, tendon, m.eq, state, d.kin, d.com]
    launch(_tendon_bends, d, [*groups, d.frc, d.drive, d.ten, d.efc, d.efm, d.sol, d.status, work.linear, work.motion, swept])
