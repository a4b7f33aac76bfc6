"""What spatial tendons add to the linearized dynamics: their moments change as dofs move.

A tendon pulls at the ends of its straight segments, and the point where it touches a wrapping geom slides along it (``wrap_change.py``). With the change of
the moment, column by column, go that of the velocity, and that of the acceleration that rows of limits, friction and equalities see.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.enums import ConstraintState, DisableBit, TrnType
from newtonish.kernels.constants import EQUALITY, MINVAL
from newtonish.kernels.constraint.row import jacobian_entry
from newtonish.kernels.derivative.algebra import at_point, real, vec8d, wide, wide6, wide33
from newtonish.kernels.derivative.bends import Anchor, add_bend, add_bent_product, add_to_activations, anchored, bend_by, clear_bend, fill_arm, rate_of
from newtonish.kernels.derivative.held_slopes import slope_of_actuator, slope_of_tendon
from newtonish.kernels.derivative.metric_bends import add_bent_hold, add_bent_inertia, geared, note_rescaling, rescaled_by_bend
from newtonish.kernels.derivative.pull_bars import has_no_inertia, paths_are_swept
from newtonish.kernels.derivative.response import DISCRETE
from newtonish.kernels.derivative.scalar_rows import row_response
from newtonish.kernels.derivative.tendon_inertia import path_rate
from newtonish.kernels.derivative.tendon_rows import share_of_row
from newtonish.kernels.derivative.touch import last_dof, moves
from newtonish.kernels.derivative.workspace import Linear, LinearMotion, Workspace
from newtonish.kernels.derivative.wrap_change import slide, touching
from newtonish.kernels.forces.actuation import controls_are_bad
from newtonish.kernels.forces.tendon import tendon_damper, tendon_spring
from newtonish.kernels.linalg.chains import common_dofs
from newtonish.kernels.math.world import lane_index, lanes, per_world, sync, world_index, worlds_per_thread
from newtonish.kernels.runtime.launch import launch, through_worlds
from newtonish.kernels.structs.data import Com, Drive, Efc, Force, Kinematics, Solve, State, Status, TendonState
from newtonish.kernels.structs.metric import Metric
from newtonish.kernels.structs.model import Actuator, Body, Dof, Equality, Geom, Joint, Option, Site, Size, Tendon, Tree
from newtonish.kernels.tendon.derivative import tendon_damping_slope
from newtonish.kernels.tendon.spatial import PULLEY
from newtonish.kernels.tendon.tendon import SPATIAL

SITE = wp.constant(3)  # mjWRAP_SITE
QUADRATIC = wp.constant(int(ConstraintState.QUADRATIC))
ON_TENDON = wp.constant(int(TrnType.TENDON))


@wp.func
def _segment(
    tree: Tree, jnt: Joint, dof: Dof, com: Com, linear: Linear, start: Anchor, end: Anchor, scale: wp.float64, w: int, k: int,
):  # fmt: skip
    """A straight segment between two points, which pulls at both bodies."""
    gap = end.point - start.point
    length = wp.length(gap)
    if start.body != end.body and length >= real(MINVAL):
        direction = gap / length
        apart = end.moved - start.moved
        turned = (apart - wp.dot(direction, apart) * direction) / length
        common = common_dofs(tree, start.body, end.body)
        bend_by(tree, jnt, dof, com, linear, start, -scale * direction, wp.vec3d(), -scale * turned, wp.vec3d(), common, w, k)
        bend_by(tree, jnt, dof, com, linear, end, scale * direction, wp.vec3d(), scale * turned, wp.vec3d(), common, w, k)


@wp.func
def _path_bend(
    size: Size, tree: Tree, body: Body, jnt: Joint, dof: Dof, geom: Geom, site: Site, tendon: Tendon, kin: Kinematics, com: Com, ten: TendonState,
    linear: Linear, w: int, t: int, k: int,
):  # fmt: skip
    """Change of the Jacobian of tendon ``t`` as dof ``k`` moves."""
    clear_bend(size, linear, w, k)
    at = ten.wrapadr[w, t]
    end = at + ten.wrapnum[w, t]
    on = wp.bool(False)  # whether there is a point before
    before = Anchor()
    for i in range(tendon.adr[t], tendon.adr[t] + tendon.num[t]):
        kind = tendon.wrap_type[i]
        item = tendon.wrap_objid[i]
        scale = real(tendon.wrap_scale[per_world(tendon.wrap_scale.shape[0], w), i])
        if kind == PULLEY:
            on = False
            at += 1
        elif kind == SITE:
            here = anchored(tree, body, dof, com, wide(kin.site_xpos[w, item]), w, site.bodyid[item], k)
            if on:
                _segment(tree, jnt, dof, com, linear, before, here, scale, w, k)
            before = here
            on = True
            at += 1
        elif at < end:
            if ten.wrap_obj[w, at] == item:
                after = tendon.wrap_objid[i + 1]
                beyond = anchored(tree, body, dof, com, wide(kin.site_xpos[w, after]), w, site.bodyid[after], k)
                g = geom.bodyid[item]
                radius = geom.size[per_world(geom.size.shape[0], w), item][0]
                side = tendon.wrap_sideid[i]
                inside = wp.bool(False)
                if side >= 0:
                    inside = wp.length(kin.site_xpos[w, side] - kin.geom_xpos[w, item]) < radius
                # as seen from the geom
                mat = wide33(kin.geom_xmat[w, item])
                back = wp.transpose(mat)
                pos = wide(kin.geom_xpos[w, item])
                x0 = back * (before.point - pos)
                x1 = back * (beyond.point - pos)
                found = touching(kind, inside, x0, x1, back * (wide(ten.wrap_xpos[w, at]) - pos), back * (wide(ten.wrap_xpos[w, at + 1]) - pos), real(radius))
                first = anchored(tree, body, dof, com, pos + mat * found.first, w, g, k)
                second = anchored(tree, body, dof, com, pos + mat * found.second, w, g, k)
                moved0 = before.moved
                moved1 = beyond.moved
                if moves(dof, k, last_dof(tree, g)):
                    axis = wide6(com.cdof[w, k])
                    center = first.point - first.arm
                    moved0 = moved0 - at_point(axis, before.point - center)
                    moved1 = moved1 - at_point(axis, beyond.point - center)
                shift = slide(found, back * moved0, back * moved1)
                first.moved = first.moved + mat * shift.first
                second.moved = second.moved + mat * shift.second
                _segment(tree, jnt, dof, com, linear, before, first, scale, w, k)
                before = second
                at += 2


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
    for a in range(size.nactuator):
        if actuator.trntype[a] == ON_TENDON and actuator.trnid[a][0] == t:
            o = actuator.outadr[a]
            gear = real(actuator.gear[per_world(actuator.gear.shape[0], w), o][0])
            found.driven += gear * real(drive.actuator_force[w, o])
            found.driven_slope += gear * gear * linear.force_velocity[w, a]
            slope = slope_of_actuator(opt, jnt, actuator, state, frc, drive, zero_controls, w, a)
            found.held += gear * gear * slope.value
            found.held_bend += gear * gear * gear * slope.by_velocity
            if opt.integrator == DISCRETE:
                found.firm += geared(linear.act_firm[w, a], gear)
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
def _move_activations(size: Size, actuator: Actuator, linear: Linear, speed: wp.float64, w: int, t: int, k: int):
    """What a change of the tendon's velocity does to activations of actuators with a law of their own."""
    for a in range(size.nactuator):
        if actuator.trntype[a] == ON_TENDON and actuator.trnid[a][0] == t:
            gear = real(actuator.gear[per_world(actuator.gear.shape[0], w), actuator.outadr[a]][0])
            add_to_activations(actuator, linear, real(0.0), gear * speed, w, a, k)


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
        for t in range(size.ntendon):
            if tendon.type[t] == SPATIAL and not (without and has_no_inertia(tendon, w, t)):
                pull = _pull_of(size, opt, jnt, actuator, tendon, eq, state, frc, drive, ten, efc, status, linear, zero_controls, w, t)
                first = tendon.J_rowadr[t]
                last = first + tendon.J_rownnz[t]
                fill_arm(size, linear, tendon.J_colind, ten.J, first, last, w, lane)
                for i in range(lane, size.nv, lanes()):
                    linear.held[w, i] = real(sol.qacc[w, i])
                sync()
                for c in range(first + lane, last, lanes()):
                    k = tendon.J_colind[c]
                    _path_bend(size, tree, body, jnt, dof, geom, site, tendon, kin, com, ten, linear, w, t, k)
                    add_bend(size, linear, linear.Gq, -pull.force, -pull.driven, w, k)
                    speed = rate_of(size, linear, state.qvel, w, k)
                    acceleration = rate_of(size, linear, sol.qacc, w, k)
                    for n in range(first, last):
                        j = tendon.J_colind[n]
                        answer = pull.damper
                        if linear.left[w, j] != 0:
                            answer -= pull.driven_slope
                        linear.Gq[w, j, k] = linear.Gq[w, j, k] + answer * speed * real(ten.J[w, n])
                    add_bent_product(size, opt, jnt, dof, linear, linear.Xq, linear.acc, dt * pull.held, dt * pull.held_bend * speed, w, k)
                    if opt.integrator == DISCRETE:
                        add_bent_hold(size, linear, pull.firm, dt, real(0.0), speed, w, k)
                        add_bent_inertia(size, linear, pull.inertia, w, k)
                    if linear.tendon_rate.shape[1] > 0:
                        linear.tendon_rate[w, t, k] = speed
                        linear.tendon_push[w, t, k] = acceleration
                    if size.nlaw > 0:
                        _move_activations(size, actuator, linear, speed, w, t, k)
                    if pull.rows > 0:
                        _add_rows(size, opt, jnt, dof, tendon, eq, ten, efc, efm, status, linear, speed, acceleration, w, t, k)
                    if pull.inertia != real(0.0):
                        _add_inertia(size, opt, tree, body, jnt, dof, site, tendon, kin, com, ten, sol, linear, motion, pull.inertia, acceleration, w, t, k)


through_worlds(_tendon_bends)


def tendon_bends(m: Any, d: Any, tendon: Tendon, state: State, work: Workspace, swept: bool) -> None:
    """Add the changing moments of spatial tendons to the derivatives of the residual, after all slopes of forces are known.

    Reads   m; ``tendon`` (with the present rest of springs), ``state`` (with the controls that act), d.kin, d.com, d.drive, d.ten, d.efc, d.efm, d.sol.qacc, work.linear (left, force_velocity, acc, speed, ten_firm, act_firm), work.motion
    Writes  work.linear.Gq, Gv, Xq, bend, arm, held, stiffer, heavier
    """
    groups = [m.size, m.opt, m.tree, m.body, m.jnt, m.dof, m.geom, m.site, m.actuator, tendon, m.eq, state, d.kin, d.com]
    launch(_tendon_bends, d, [*groups, d.frc, d.drive, d.ten, d.efc, d.efm, d.sol, d.status, work.linear, work.motion, swept])
