"""What connect and weld equalities add to the linearized dynamics.

Their residual is that of an oscillator, s = y'' + b y' + k d y, for the error y of two points and of the vector part of their relative quaternion, whose
second derivatives the rows contain whole. Quaternion products are differentiated as they stand: q1 turned by a in the world becomes q1 + (0, a) q1 / 2.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.constants import CONNECT, EQUALITY, WELD
from newtonish.kernels.constraint.equality_bodies import end_of
from newtonish.kernels.derivative.algebra import at_point, bottom, carried, carried_force, join, real, top, vec6d, wide, wide6
from newtonish.kernels.derivative.motion import act_on_body
from newtonish.kernels.derivative.response import Response, response_of
from newtonish.kernels.derivative.touch import about, last_dof, moves
from newtonish.kernels.derivative.work import work_on
from newtonish.kernels.derivative.workspace import Linear, LinearMotion, Workspace
from newtonish.kernels.math.world import lane_index, lanes, per_world, world_index, worlds_per_thread
from newtonish.kernels.runtime.launch import launch, through_worlds
from newtonish.kernels.structs.data import Com, Efc, Kinematics, Status
from newtonish.kernels.structs.model import Body, Dof, Equality, Option, Site, Size, Tree


@wp.struct
class Bond:
    """Two frames that an equality holds together, and how they move."""

    body1: int
    body2: int
    last1: int
    last2: int
    arm1: wp.vec3d  # of the points, from the centres of mass of their trees
    arm2: wp.vec3d
    quat1: wp.vec4d
    quat2: wp.vec4d
    scale: wp.float64  # of the rotation's error; 0: a connect
    force: vec6d  # of the rows: on the point, then on the rotation
    weight: vec6d  # 1/R of the rows
    slopes: Response
    stiffness: wp.float64  # k d
    error: vec6d
    size: wp.float64  # length of the error
    rate: vec6d  # velocity of the rows
    drift: vec6d  # what they accelerate by at constant velocity


@wp.struct
class Ends:
    """Changes of one end: point, rotation, velocity of both and acceleration of both."""

    moved: vec6d
    velocity: vec6d
    acceleration: vec6d
    pushed: vec6d  # of the part of the acceleration that qacc makes


@wp.func
def _product(a: wp.vec4d, b: wp.vec4d) -> wp.vec4d:
    u = wp.vec3d(a[1], a[2], a[3])
    v = wp.vec3d(b[1], b[2], b[3])
    rest = a[0] * v + b[0] * u + wp.cross(u, v)
    return wp.vec4d(a[0] * b[0] - wp.dot(u, v), rest[0], rest[1], rest[2])


@wp.func
def _vector(a: wp.vec3d) -> wp.vec4d:
    return wp.vec4d(real(0.0), a[0], a[1], a[2])


@wp.func
def _between(bond: Bond, middle: wp.vec4d) -> wp.vec3d:
    """Half the scale times the vector part of conj(q2) middle q1."""
    back = wp.vec4d(bond.quat2[0], -bond.quat2[1], -bond.quat2[2], -bond.quat2[3])
    q = _product(_product(back, middle), bond.quat1)
    return real(0.5) * bond.scale * wp.vec3d(q[1], q[2], q[3])


@wp.func
def turned(bond: Bond, a: wp.vec3d) -> wp.vec3d:
    """Rate of the rotation's error at a relative angular velocity ``a``."""
    return _between(bond, _vector(a))


@wp.func
def turned_change(bond: Bond, a: wp.vec3d, turn1: wp.vec3d, turn2: wp.vec3d) -> wp.vec3d:
    """Change of ``turned`` with ``a`` held while both frames turn."""
    middle = real(0.5) * (_product(_vector(a), _vector(turn1)) - _product(_vector(turn2), _vector(a)))
    return _between(bond, middle)


@wp.func
def _wide4(q: wp.vec4) -> wp.vec4d:
    return wp.normalize(wp.vec4d(real(q[0]), real(q[1]), real(q[2]), real(q[3])))


@wp.func
def rows_of(eq: Equality, efc: Efc, w: int, r: int) -> int:
    """Rows of the equality whose first is ``r``: 3 of a connect, 6 of a weld, 1 of others."""
    kind = eq.type[efc.id[w, r]]
    return wp.where(kind == CONNECT, 3, wp.where(kind == WELD, 6, 1))


@wp.func
def bond_of(opt: Option, tree: Tree, body: Body, site: Site, eq: Equality, kin: Kinematics, com: Com, efc: Efc, w: int, r: int) -> Bond:
    """The equality whose rows begin at ``r``."""
    e = efc.id[w, r]
    weld = eq.type[e] == WELD
    one = end_of(body, site, eq, kin, w, e, weld, False)
    two = end_of(body, site, eq, kin, w, e, weld, True)
    bond = Bond()
    bond.body1 = one.body
    bond.body2 = two.body
    bond.last1 = last_dof(tree, one.body)
    bond.last2 = last_dof(tree, two.body)
    bond.arm1 = wide(one.pos) - wide(com.subtree_com[w, body.rootid[one.body]])
    bond.arm2 = wide(two.pos) - wide(com.subtree_com[w, body.rootid[two.body]])
    bond.quat1 = _wide4(one.quat)
    bond.quat2 = _wide4(two.quat)
    rows = wp.int32(3)
    if weld:
        rows = 6
        bond.scale = real(eq.data[per_world(eq.data.shape[0], w), e][10])
    for k in range(rows):
        bond.force[k] = real(efc.force[w, r + k])
        bond.weight[k] = real(efc.D[w, r + k])
        bond.error[k] = real(efc.pos[w, r + k])
    bond.size = wp.sqrt(wp.dot(bond.error, bond.error))
    solref = eq.solref[per_world(eq.solref.shape[0], w), e]
    solimp = eq.solimp[per_world(eq.solimp.shape[0], w), e]
    timestep = opt.timestep[per_world(opt.timestep.shape[0], w)]
    bond.slopes = response_of(opt, solref, solimp, float(bond.size), EQUALITY, timestep)
    bond.stiffness = bond.slopes.stiffness
    for k in range(rows):
        bond.rate[k] = real(efc.vel[w, r + k])
        asked = bond.stiffness * bond.error[k] + bond.slopes.damper * bond.rate[k]
        bond.drift[k] = (-real(efc.aref[w, r + k]) - asked) / bond.slopes.share
    return bond


@wp.func
def torque_of_bond(bond: Bond) -> wp.vec3d:
    """Torque on the first body of the rows of the rotation: the transpose of ``turned``."""
    f = bottom(bond.force)
    x = turned(bond, wp.vec3d(real(1.0), real(0.0), real(0.0)))
    y = turned(bond, wp.vec3d(real(0.0), real(1.0), real(0.0)))
    z = turned(bond, wp.vec3d(real(0.0), real(0.0), real(1.0)))
    return wp.vec3d(wp.dot(f, x), wp.dot(f, y), wp.dot(f, z))


@wp.func
def _torque_change(bond: Bond, turn1: wp.vec3d, turn2: wp.vec3d) -> wp.vec3d:
    """Change of ``torque_of_bond`` with the force held."""
    f = bottom(bond.force)
    x = turned_change(bond, wp.vec3d(real(1.0), real(0.0), real(0.0)), turn1, turn2)
    y = turned_change(bond, wp.vec3d(real(0.0), real(1.0), real(0.0)), turn1, turn2)
    z = turned_change(bond, wp.vec3d(real(0.0), real(0.0), real(1.0)), turn1, turn2)
    return wp.vec3d(wp.dot(f, x), wp.dot(f, y), wp.dot(f, z))


@wp.func
def torque_by(bond: Bond, f: wp.vec3d) -> wp.vec3d:
    """``torque_of_bond`` with another force ``f`` of the rows of the rotation."""
    other = bond
    other.force = join(wp.vec3d(), f)
    return torque_of_bond(other)


@wp.func
def at_end(field: vec6d, arm: wp.vec3d) -> vec6d:
    """A motion at the end's point: of the point, then the rotation."""
    return join(at_point(field, arm), top(field))


@wp.func
def end_change(motion: LinearMotion, axis: vec6d, arm: wp.vec3d, by_position: bool, w: int, b: int, k: int) -> Ends:
    """Changes of an end on body ``b``, which dof ``k`` moves, by the dof's position or velocity."""
    V = motion.V[w, b]
    A = motion.A[w, b] - motion.A[w, 0]
    L = motion.L[w, b]
    found = Ends()
    dV = vec6d()
    dA = vec6d()
    dL = vec6d()
    if by_position:
        dL = carried(axis, L - motion.base_L[w, k])
        found.moved = at_end(axis, arm)
        dV = carried(axis, V - motion.base_V[w, k])
        dA = carried(axis, motion.A[w, b]) + motion.c[w, k] + carried(motion.u[w, k], V)
    else:
        dV = axis
        dA = motion.e[w, k] + carried(axis, V)
    shift = top(found.moved)
    point = at_point(V, arm)
    dpoint = at_point(dV, arm) + wp.cross(top(V), shift)
    found.velocity = join(dpoint, top(dV))
    linear = at_point(dA, arm) + wp.cross(top(A), shift) + wp.cross(top(dV), point) + wp.cross(top(V), dpoint)
    found.acceleration = join(linear, top(dA))
    found.pushed = join(at_point(dL, arm) + wp.cross(top(L), shift), top(dL))
    return found


@wp.func
def residual_change(motion: LinearMotion, bond: Bond, one: Ends, two: Ends, w: int) -> vec6d:
    """Change of the residuals, but for that of the impedance."""
    b = bond.slopes.damper
    moved = one.moved - two.moved
    rate = one.velocity - two.velocity
    change = one.acceleration - two.acceleration
    share = bond.slopes.share
    pushed = (one.pushed - two.pushed) * (real(1.0) - share)
    point = share * top(change) + top(pushed) + b * top(rate) + bond.stiffness * top(moved)
    turn = wp.vec3d()
    if bond.scale != real(0.0):
        omega1 = top(motion.V[w, bond.body1])
        omega2 = top(motion.V[w, bond.body2])
        spin = omega1 - omega2
        alpha = top(motion.A[w, bond.body1]) - top(motion.A[w, bond.body2]) + wp.cross(omega1, omega2)
        turn1 = bottom(one.moved)
        turn2 = bottom(two.moved)
        angle = bottom(bond.error)
        dangle = turned(bond, bottom(moved))
        drate = turned_change(bond, spin, turn1, turn2) + turned(bond, bottom(rate))
        dalpha = bottom(change) + wp.cross(bottom(one.velocity), omega2) + wp.cross(omega1, bottom(two.velocity))
        turn = turned_change(bond, alpha, turn1, turn2) + turned(bond, dalpha)
        turn -= real(0.5) * wp.dot(spin, bottom(rate)) * angle + real(0.25) * wp.dot(spin, spin) * dangle
        if share != real(1.0):
            push = top(motion.L[w, bond.body1]) - top(motion.L[w, bond.body2])
            turn = share * turn + (real(1.0) - share) * turned_change(bond, push, turn1, turn2) + turned(bond, bottom(pushed))
        turn += b * drate + bond.stiffness * dangle
    return join(point, turn)


@wp.func
def _column(
    tree: Tree, com: Com, linear: Linear, motion: LinearMotion, bond: Bond, on1: bool, on2: bool, w: int, k: int,
):  # fmt: skip
    """What a bond adds to column ``k`` of H, Gq and Gv."""
    axis = wide6(com.cdof[w, k])
    one = Ends()
    two = Ends()
    one_v = Ends()
    two_v = Ends()
    if on1:
        one = end_change(motion, axis, bond.arm1, True, w, bond.body1, k)
        one_v = end_change(motion, axis, bond.arm1, False, w, bond.body1, k)
    if on2:
        two = end_change(motion, axis, bond.arm2, True, w, bond.body2, k)
        two_v = end_change(motion, axis, bond.arm2, False, w, bond.body2, k)
    moved = one.moved - two.moved
    row = join(top(moved), turned(bond, bottom(moved)))  # of J
    residual = residual_change(motion, bond, one, two, w)
    farther = real(0.0)
    if bond.size > real(0.0):
        farther = wp.dot(bond.error, row) / bond.size
        # the impedance is that of the length of the whole error
        rise = bond.slopes.spring - bond.stiffness
        residual += bond.error * (rise / bond.size * farther)
        residual += (bond.rate * bond.slopes.sliding + bond.drift * bond.slopes.share_slope) * farther
    answer = bond.slopes.growth * farther * bond.force - wp.cw_mul(bond.weight, residual)
    resisted = wp.cw_mul(bond.weight, row)
    held = wp.cw_mul(bond.weight, residual_change(motion, bond, one_v, two_v, w))
    wrench = join(top(bond.force), torque_of_bond(bond))
    bend = _torque_change(bond, bottom(one.moved), bottom(two.moved))
    for side in range(2):
        b = wp.where(side == 0, bond.body1, bond.body2)
        sign = wp.where(side == 0, real(1.0), real(-1.0))
        arm = wp.where(side == 0, bond.arm1, bond.arm2)
        shift = wp.where(side == 0, top(one.moved), top(two.moved))
        along = vec6d()
        if (side == 0 and on1) or (side == 1 and on2):
            along = carried_force(axis, about(wrench, arm))
        change = join(top(answer), torque_by(bond, bottom(answer)) + bend + wp.cross(shift, top(wrench)))
        by_acceleration = about(join(top(resisted), torque_by(bond, bottom(resisted))), arm)
        by_velocity = about(join(top(held), torque_by(bond, bottom(held))), arm)
        work_on(tree, com, linear, sign * by_acceleration, sign * by_velocity, sign * (along - about(change, arm)), w, b, k)


@wp.kernel
def _bond_loads(
    opt: Option, tree: Tree, body: Body, site: Site, eq: Equality, kin: Kinematics, com: Com, efc: Efc, status: Status, motion: LinearMotion, nworld: int,
):  # fmt: skip
    """Let all connects and welds act on their bodies."""
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        r = wp.int32(0)
        last = wp.where(lane == 0, wp.min(status.ne[w], efc.type.shape[1]), 0)
        while r < last:
            number = rows_of(eq, efc, w, r)
            if number > 1:
                bond = bond_of(opt, tree, body, site, eq, kin, com, efc, w, r)
                torque = torque_of_bond(bond)
                center1 = wide(com.subtree_com[w, body.rootid[bond.body1]])
                center2 = wide(com.subtree_com[w, body.rootid[bond.body2]])
                act_on_body(body, com, motion, top(bond.force), torque, center1 + bond.arm1, w, bond.body1)
                act_on_body(body, com, motion, -top(bond.force), -torque, center2 + bond.arm2, w, bond.body2)
            r += number


through_worlds(_bond_loads)


@wp.kernel
def _bond_columns(
    size: Size, opt: Option, tree: Tree, body: Body, dof: Dof, site: Site, eq: Equality, kin: Kinematics, com: Com, efc: Efc, status: Status,
    linear: Linear, motion: LinearMotion, nworld: int,
):  # fmt: skip
    """Add all connects and welds to the columns of H, Gq and Gv; each lane has columns of its own."""
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        r = wp.int32(0)
        last = wp.min(status.ne[w], efc.type.shape[1])
        while r < last:
            number = rows_of(eq, efc, w, r)
            if number > 1:
                bond = bond_of(opt, tree, body, site, eq, kin, com, efc, w, r)
                for k in range(lane, size.nv, lanes()):
                    on1 = moves(dof, k, bond.last1)
                    on2 = moves(dof, k, bond.last2)
                    if on1 or on2:
                        _column(tree, com, linear, motion, bond, on1, on2, w, k)
            r += number


through_worlds(_bond_columns)


def bond_loads(m: Any, d: Any, work: Workspace) -> None:
    """Let all connects and welds act on their bodies, before forces are summed over subtrees.

    Reads   m.opt, m.tree, m.body, m.site, m.eq; d.kin, d.com, d.efc
    Writes  work.motion.F
    """
    launch(_bond_loads, d, [m.opt, m.tree, m.body, m.site, m.eq, d.kin, d.com, d.efc, d.status, work.motion])


def bond_columns(m: Any, d: Any, work: Workspace) -> None:
    """Add all connects and welds to the derivatives of the residual, which others have begun.

    Reads   m.opt, m.tree, m.body, m.dof, m.site, m.eq; d.kin, d.com, d.efc, work.motion
    Writes  work.linear.H, Gq, Gv
    """
    groups = [m.size, m.opt, m.tree, m.body, m.dof, m.site, m.eq, d.kin, d.com, d.efc, d.status]
    launch(_bond_columns, d, [*groups, work.linear, work.motion])
