"""Adjoints of position and velocity through forces along moments: springs and dampers of tendons, actuators, and the turning of spatial tendons.

With the adjoint ``lam`` of the residual the cost has, of a force f along a moment m, f m lam. By the force's slopes it is the moment times a number. Where the
moment turns, all that a tendon has of it, f lam, what dampers see of the velocity and rows of the acceleration, is one vector y: the cost is m y, and one
visit of the path tells its derivative (``path_bars.py``), with no matrix for each tendon.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.enums import DisableBit, EqType
from newtonish.kernels.constants import EQUALITY, FRICTION_TENDON, LIMIT_TENDON, ON_TENDON, QUADRATIC
from newtonish.kernels.derivative.algebra import real
from newtonish.kernels.derivative.cotangent import Cotangent
from newtonish.kernels.derivative.forces import tendon_slopes, work_of_output
from newtonish.kernels.derivative.integrator import IMPLICITFAST
from newtonish.kernels.derivative.path_bars import add_path
from newtonish.kernels.derivative.scalar_rows import row_response, work_of_row
from newtonish.kernels.derivative.tendon_rows import share_of_row
from newtonish.kernels.derivative.workspace import Linear, LinearMotion, Workspace
from newtonish.kernels.forces.tendon import tendon_damper, tendon_spring
from newtonish.kernels.math.world import lane_index, per_world, sync, world_index, worlds_per_thread
from newtonish.kernels.runtime.launch import launch, through_worlds
from newtonish.kernels.structs.data import Com, Drive, Efc, Kinematics, Status, TendonState
from newtonish.kernels.structs.model import Actuator, Body, Dof, Equality, Geom, Joint, Option, Site, Size, Tendon
from newtonish.kernels.tendon.tendon import SPATIAL

EQ_TENDON = wp.constant(int(EqType.TENDON))


@wp.func
def paths_are_swept(size: Size, opt: Option, linear: Linear, w: int) -> bool:
    """Whether spatial tendons without inertia need no columns in an adjoint: no limit of a joint holds forces back, no slope is in the integrator's matrix, no law has activations that follow velocity."""
    swept = size.nlaw == 0 and opt.integrator != IMPLICITFAST
    for i in range(size.nv):
        swept = swept and linear.left[w, i] != 0
    return swept


@wp.func
def has_no_inertia(tendon: Tendon, w: int, t: int) -> bool:
    return tendon.armature[per_world(tendon.armature.shape[0], w), t] == 0.0


@wp.func
def _add_tendon(opt: Option, tendon: Tendon, ten: TendonState, linear: Linear, w: int, t: int, visited: bool) -> wp.vec3d:
    """Add what spring and damper do by length and velocity; returns their share in y. The path of a tendon that is ``visited`` hands over what the velocity does."""
    share = wp.vec3d()
    slopes = tendon_slopes(opt, tendon, ten, w, t)
    if (opt.disableflags & DisableBit.SPRING) == 0:
        share[0] = real(tendon_spring(tendon, ten, w, t))
    if (opt.disableflags & DisableBit.DAMPER) == 0:
        share[0] = share[0] + real(tendon_damper(tendon, ten, w, t))
    if slopes[0] != 0.0 or slopes[1] != 0.0:
        first = tendon.J_rowadr[t]
        last = first + tendon.J_rownnz[t]
        work = real(0.0)
        for n in range(first, last):
            work += real(ten.J[w, n]) * linear.another[w, tendon.J_colind[n], 0]
        by_length = -real(slopes[0]) * work
        by_velocity = -real(slopes[1]) * work
        share[1] = by_velocity
        for n in range(first, last):
            j = tendon.J_colind[n]
            at = real(ten.J[w, n])
            linear.bar_q[w, j, 0] = linear.bar_q[w, j, 0] + by_length * at
            if not visited:
                linear.bar_v[w, j, 0] = linear.bar_v[w, j, 0] + by_velocity * at
    return share


@wp.func
def _add_actuator(actuator: Actuator, tendon: Tendon, drive: Drive, linear: Linear, cotangent: Cotangent, swept: bool, w: int, a: int):
    """Add what the force of actuator ``a`` does by length and velocity, and its share in y to that of its tendon."""
    o = actuator.outadr[a]
    first = drive.moment_rowadr[w, o]
    last = first + drive.moment_rownnz[w, o]
    by_length = real(0.0)
    by_velocity = real(0.0)
    if actuator.law[a] == 0:  # others have columns in law_slopes.py
        by_length = linear.force_length[w, a]
        by_velocity = linear.force_velocity[w, a]
    if by_length != real(0.0) or by_velocity != real(0.0):
        work = work_of_output(drive, linear, w, o)
        by_length = by_length * work
        by_velocity = by_velocity * work
    visited = wp.bool(False)
    if actuator.trntype[a] == ON_TENDON:
        t = actuator.trnid[a][0]
        if tendon.type[t] == SPATIAL and swept:
            visited = has_no_inertia(tendon, w, t)
            gear = real(actuator.gear[per_world(actuator.gear.shape[0], w), o][0])
            cotangent.pull[w, t] = cotangent.pull[w, t] + gear * wp.vec3d(real(drive.actuator_force[w, o]), by_velocity, real(0.0))
    if visited:
        by_velocity = real(0.0)
    if by_length != real(0.0) or by_velocity != real(0.0):
        for n in range(first, last):
            j = drive.moment_colind[w, n]
            at = real(drive.actuator_moment[w, n])
            linear.bar_q[w, j, 0] = linear.bar_q[w, j, 0] + by_length * at
            linear.bar_v[w, j, 0] = linear.bar_v[w, j, 0] + by_velocity * at


@wp.func
def _share_row(
    size: Size, opt: Option, jnt: Joint, dof: Dof, tendon: Tendon, eq: Equality, ten: TendonState, efc: Efc, linear: Linear, cotangent: Cotangent,
    w: int, r: int, t: int,
):  # fmt: skip
    """Add the share in y that row ``r`` has for tendon ``t``; what it does by velocity is in the matrices."""
    share = real(0.0)
    if tendon.type[t] == SPATIAL:
        share = share_of_row(tendon, eq, ten, efc, w, t, r)
    if share != real(0.0) and has_no_inertia(tendon, w, t):
        found = wp.vec3d(share * real(efc.force[w, r]), real(0.0), real(0.0))
        if efc.type[w, r] == EQUALITY or efc.state[w, r] == QUADRATIC:
            found[2] = -real(efc.D[w, r]) * share * work_of_row(size, efc, linear, w, r)
            found[1] = found[2] * row_response(opt, jnt, dof, tendon, eq, efc, w, r).damper
            for n in range(tendon.J_rowadr[t], tendon.J_rowadr[t] + tendon.J_rownnz[t]):
                j = tendon.J_colind[n]
                linear.bar_v[w, j, 0] = linear.bar_v[w, j, 0] - found[1] * real(ten.J[w, n])
        cotangent.pull[w, t] = cotangent.pull[w, t] + found


@wp.func
def _share_rows(
    size: Size, opt: Option, jnt: Joint, dof: Dof, tendon: Tendon, eq: Equality, ten: TendonState, efc: Efc, status: Status, linear: Linear,
    cotangent: Cotangent, w: int,
):  # fmt: skip
    """The same of all rows."""
    for r in range(wp.min(status.nefc[w], efc.type.shape[1])):
        kind = efc.type[w, r]
        item = efc.id[w, r]
        if kind == FRICTION_TENDON or kind == LIMIT_TENDON:
            _share_row(size, opt, jnt, dof, tendon, eq, ten, efc, linear, cotangent, w, r, item)
        elif kind == EQUALITY:
            if eq.type[item] == EQ_TENDON:
                leader = eq.obj2id[item]
                _share_row(size, opt, jnt, dof, tendon, eq, ten, efc, linear, cotangent, w, r, eq.obj1id[item])
                if leader >= 0 and leader != eq.obj1id[item]:
                    _share_row(size, opt, jnt, dof, tendon, eq, ten, efc, linear, cotangent, w, r, leader)


@wp.kernel
def _gather_pulls(
    size: Size, opt: Option, body: Body, jnt: Joint, dof: Dof, geom: Geom, site: Site, actuator: Actuator, tendon: Tendon, eq: Equality, kin: Kinematics,
    com: Com, drive: Drive, ten: TendonState, efc: Efc, status: Status, linear: Linear, motion: LinearMotion, cotangent: Cotangent, nworld: int,
):  # fmt: skip
    """Add tendons and actuators; forces share dofs and bodies, so that one lane adds them, in their order."""
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        if lane == 0:
            swept = paths_are_swept(size, opt, linear, w)
            for t in range(size.ntendon):
                visited = swept and tendon.type[t] == SPATIAL and has_no_inertia(tendon, w, t)
                cotangent.pull[w, t] = _add_tendon(opt, tendon, ten, linear, w, t, visited)
            for a in range(size.nactuator):
                _add_actuator(actuator, tendon, drive, linear, cotangent, swept, w, a)
            if swept and size.ntendon > 0:
                _share_rows(size, opt, jnt, dof, tendon, eq, ten, efc, status, linear, cotangent, w)
                for t in range(size.ntendon):
                    share = cotangent.pull[w, t]
                    if tendon.type[t] == SPATIAL and has_no_inertia(tendon, w, t) and wp.dot(share, share) != real(0.0):
                        add_path(body, geom, site, tendon, kin, com, ten, motion, cotangent, share, w, t)
        sync()


through_worlds(_gather_pulls)


def pull_bars(m: Any, d: Any, tendon: Tendon, work: Workspace) -> None:
    """Add tendons and actuators to an adjoint whose matrices are without them, before bodies are summed.

    Reads   m; ``tendon`` (with the present rest of springs), d.kin, d.com, d.drive, d.ten, d.efc, work.linear (another, left, force_length, force_velocity), work.motion
    Writes  work.linear.bar_q, bar_v; work.cotangent (pull, bar_lam, bar_V, bar_L, turned)
    """
    groups = [m.size, m.opt, m.body, m.jnt, m.dof, m.geom, m.site, m.actuator, tendon, m.eq, d.kin, d.com, d.drive, d.ten, d.efc, d.status]
    launch(_gather_pulls, d, [*groups, work.linear, work.motion, work.cotangent])
