"""Forces of spatial tendons on the bodies along their paths, for the forces between bodies.

The tension of a tendon is that of its spring and damper, of its actuators, of its rows (friction loss, limits, equality)
and of its armature, minus mass times the acceleration of its length. It acts at both ends of each straight segment that
joins two bodies, along the segment, divided by the pulley's divisor. Fixed tendons act through their joints.
MuJoCo: mj_rnePostConstraint, documentation of the function.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.enums import ConstraintType, DisableBit, EqType
from newtonish.kernels.constants import MINVAL, ON_TENDON
from newtonish.kernels.constraint.equality import polynomial
from newtonish.kernels.constraint.row import jacobian_entry
from newtonish.kernels.forces.tendon import tendon_damper, tendon_spring
from newtonish.kernels.history.stage import springs
from newtonish.kernels.math.world import lanes, per_world, sync
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.smooth.acceleration import body_accelerations_world
from newtonish.kernels.structs.data import (
    Com,
    Drive,
    Efc,
    Kinematics,
    Sense,
    Solve,
    State,
    Status,
    TendonState,
    Velocity,
)
from newtonish.kernels.structs.model import Actuator, Body, Equality, Geom, Option, Site, Size, Tendon, Tree
from newtonish.kernels.tendon.bias import length_rate
from newtonish.kernels.tendon.spatial import PULLEY, SITE
from newtonish.kernels.tendon.tendon import SPATIAL

EQUALITY_ROW = wp.constant(int(ConstraintType.EQUALITY))
FRICTION_ROW = wp.constant(int(ConstraintType.FRICTION_TENDON))
LIMIT_ROW = wp.constant(int(ConstraintType.LIMIT_TENDON))
EQUALITY_OF_TENDONS = wp.constant(int(EqType.TENDON))


@wp.func
def _row_tension(tendon: Tendon, eq: Equality, ten: TendonState, efc: Efc, w: int, t: int, r: int) -> float:
    """What row ``r`` adds to the tension of tendon ``t``: its force times the derivative of the row by the length."""
    kind = efc.type[w, r]
    item = efc.id[w, r]
    force = efc.force[w, r]
    tension = wp.float32(0.0)
    if kind == FRICTION_ROW and item == t:
        tension = force
    elif kind == LIMIT_ROW and item == t:
        # the row of the upper limit has the opposite of the tendon's Jacobian
        along = wp.float32(0.0)
        for k in range(tendon.J_rowadr[t], tendon.J_rowadr[t] + tendon.J_rownnz[t]):
            along += ten.J[w, k] * jacobian_entry(efc, w, r, tendon.J_colind[k])
        tension = wp.where(along >= 0.0, force, -force)
    elif kind == EQUALITY_ROW:
        if eq.type[item] == EQUALITY_OF_TENDONS:
            leader = eq.obj2id[item]
            if eq.obj1id[item] == t:
                tension = force
            if leader == t:
                data = eq.data[per_world(eq.data.shape[0], w), item]
                start = tendon.length0[per_world(tendon.length0.shape[0], w), leader]
                tension -= polynomial(data, ten.length[w, leader] - start)[1] * force
    return tension


@wp.func
def _tension(
    size: Size, opt: Option, body: Body, site: Site, actuator: Actuator, tendon: Tendon, eq: Equality, kin: Kinematics,
    com: Com, vel: Velocity, drive: Drive, ten: TendonState, efc: Efc, status: Status, w: int, t: int,
) -> float:  # fmt: skip
    """Force along tendon ``t``; positive pushes its ends apart."""
    total = wp.float32(0.0)
    if (opt.disableflags & DisableBit.SPRING) == 0:
        total += tendon_spring(tendon, ten, w, t)
    if (opt.disableflags & DisableBit.DAMPER) == 0:
        total += tendon_damper(tendon, ten, w, t)
    for a in range(size.nactuator):
        if actuator.trntype[a] == ON_TENDON and actuator.trnid[a][0] == t:
            o = actuator.outadr[a]
            gear = actuator.gear[per_world(actuator.gear.shape[0], w), o]
            total += gear[0] * drive.actuator_force[w, o]
    for r in range(wp.min(status.nefc[w], efc.type.shape[1])):
        total += _row_tension(tendon, eq, ten, efc, w, t, r)
    armature = tendon.armature[per_world(tendon.armature.shape[0], w), t]
    if armature != 0.0:
        total -= armature * length_rate(body, site, tendon, kin, com, vel, w, t)
    return total


@wp.func
def _pull(body: Body, com: Com, sense: Sense, w: int, b: int, x: wp.vec3, force: wp.vec3):
    """Add a force that acts at ``x`` to body ``b``."""
    arm = x - com.subtree_com[w, body.rootid[b]]
    sense.cfrc_tendon[w, b] = sense.cfrc_tendon[w, b] + wp.spatial_vector(wp.cross(arm, force), force)


@wp.func
def _pull_along_path(
    body: Body, geom: Geom, site: Site, tendon: Tendon, com: Com, ten: TendonState, sense: Sense, w: int, t: int,
    tension: float,
):  # fmt: skip
    """Let tendon ``t`` pull at the bodies of its path; only ends of segments between different bodies feel it."""
    at = ten.wrapadr[w, t]
    end = at + ten.wrapnum[w, t]
    scale_w = per_world(tendon.wrap_scale.shape[0], w)
    previous = wp.int32(-1)
    x0 = wp.vec3(0.0, 0.0, 0.0)
    for k in range(tendon.adr[t], tendon.adr[t] + tendon.num[t]):
        kind = tendon.wrap_type[k]
        item = tendon.wrap_objid[k]
        points = wp.int32(0)
        b = wp.int32(0)
        if kind == PULLEY:
            previous = -1
            at += 1
        elif kind == SITE:
            points = 1
            b = site.bodyid[item]
        elif at < end:
            if ten.wrap_obj[w, at] == item:
                points = 2
                b = geom.bodyid[item]
        for _i in range(points):
            x1 = ten.wrap_xpos[w, at]
            gap = x1 - x0
            length = wp.length(gap)
            if previous >= 0 and b != previous and length >= MINVAL:
                force = (tendon.wrap_scale[scale_w, k] * tension / length) * gap
                _pull(body, com, sense, w, b, x1, force)
                _pull(body, com, sense, w, previous, x0, -force)
            previous = b
            x0 = x1
            at += 1


@wp.kernel
def _reaction(
    size: Size, opt: Option, tree: Tree, body: Body, geom: Geom, site: Site, actuator: Actuator, tendon: Tendon,
    eq: Equality, state: State, kin: Kinematics, com: Com, vel: Velocity, drive: Drive, ten: TendonState, efc: Efc,
    sol: Solve, status: Status, sense: Sense,
):  # fmt: skip
    """Forces of all spatial tendons on all bodies of a world, in ``sense.cfrc_tendon``."""
    w, lane = wp.tid()
    for i in range(lane, size.nbody, lanes()):
        sense.cfrc_tendon[w, i] = wp.spatial_vector()
    if size.ntenarmature > 0:
        body_accelerations_world(size, opt, tree, body, state, com, vel, sol, w, lane)
    sync()
    if lane == 0:  # tendons share bodies: one lane adds them, so that the order of the sum is fixed
        for t in range(size.ntendon):
            if tendon.type[t] == SPATIAL:
                tension = _tension(size, opt, body, site, actuator, tendon, eq, kin, com, vel, drive, ten, efc, status, w, t)
                if tension != 0.0:
                    _pull_along_path(body, geom, site, tendon, com, ten, sense, w, t, tension)


def tendon_reaction(m: Any, d: Any) -> None:
    """Forces that spatial tendons exert on bodies, after ``solve``.

    Reads   m.tendon, m.actuator, m.eq; d.ten, d.drive.actuator_force, d.efc, d.sol.qacc
    Writes  d.cfrc_tendon, about each tree's centre of mass, rotation first; d.vel.cacc if a tendon has armature
    MuJoCo  part of mj_rnePostConstraint.
    """
    _, tendon = springs(m, d)
    model = [m.size, m.opt, m.tree, m.body, m.geom, m.site, m.actuator, tendon, m.eq]
    data = [d.state, d.kin, d.com, d.vel, d.drive, d.ten, d.efc, d.sol, d.status, d.sense]
    launch(_reaction, d, [*model, *data])
