"""Rows of equality constraints, in the order of the constraints: connect, weld, joint, tendon.

A joint or tendon equality makes one coordinate a quartic polynomial of another, both counted from the reference pose;
without a second one it is held at a constant. Bodies: see ``equality_bodies``. Constraints that ``eq_active`` switches
off in a world have no rows there. Method: MuJoCo's documentation, chapter Computation, "Equality".
"""

import warp as wp

from newtonish.common.enums import DisableBit, EqType
from newtonish.kernels.constants import CONNECT, EQUALITY, WELD
from newtonish.kernels.constraint.equality_bodies import OBJ_SITE, body_equality
from newtonish.kernels.constraint.row import (
    add_entry,
    append_entry,
    clear_jacobian,
    impedance,
    reference,
    write_row,
)
from newtonish.kernels.constraint.weightless import regularization_of
from newtonish.kernels.math.world import lanes, per_world, scan_lanes
from newtonish.kernels.structs.data import Com, Efc, Kinematics, State, TendonState, Velocity
from newtonish.kernels.structs.field import vec12
from newtonish.kernels.structs.model import Body, Dof, Equality, Joint, Option, Site, Size, Tendon, Tree

JOINT = wp.constant(int(EqType.JOINT))
TENDON = wp.constant(int(EqType.TENDON))
DISABLED = wp.constant(int(DisableBit.EQUALITY | DisableBit.CONSTRAINT))


@wp.func
def _is_movable(body: Body, site: Site, tendon: Tendon, eq: Equality, e: int) -> bool:
    """Whether some dof moves what equality ``e`` holds together; MuJoCo makes no rows for what is fixed."""
    kind = eq.type[e]
    one = eq.obj1id[e]
    two = eq.obj2id[e]
    movable = wp.bool(True)
    if kind == CONNECT or kind == WELD:
        if eq.objtype[e] == OBJ_SITE:
            one = site.bodyid[one]
            two = site.bodyid[two]
        movable = body.weldid[one] != 0 or body.weldid[two] != 0
    elif kind == TENDON:
        movable = tendon.J_rownnz[one] > 0
        if two >= 0:
            movable = movable or tendon.J_rownnz[two] > 0
    return movable


@wp.func
def _row_count(body: Body, site: Site, tendon: Tendon, eq: Equality, state: State, neq: int, w: int, e: int) -> int:
    """Rows of equality ``e``; those that are switched off, or of kinds that are not simulated, have none."""
    count = wp.int32(0)
    if e < neq:
        if state.eq_active[w, e] and _is_movable(body, site, tendon, eq, e):
            kind = eq.type[e]
            if kind == CONNECT:
                count = 3
            elif kind == WELD:
                count = 6
            elif kind == JOINT or kind == TENDON:
                count = 1
    return count


@wp.func
def polynomial(data: vec12, x: float) -> wp.vec2:
    """Value and slope at ``x`` of the quartic with coefficients ``data[0:5]``."""
    value = data[0] + x * (data[1] + x * (data[2] + x * (data[3] + x * data[4])))
    slope = data[1] + x * (2.0 * data[2] + x * (3.0 * data[3] + x * 4.0 * data[4]))
    return wp.vec2(value, slope)


@wp.func
def _write_scalar(opt: Option, dof: Dof, eq: Equality, efc: Efc, w: int, e: int, r: int, error: float, weight: float, vel: float):
    """Everything but the Jacobian, which is there, of the only row of a joint or tendon equality."""
    solref = eq.solref[per_world(eq.solref.shape[0], w), e]
    solimp = eq.solimp[per_world(eq.solimp.shape[0], w), e]
    kb = reference(solref, solimp, opt.timestep[per_world(opt.timestep.shape[0], w)], opt.disableflags)
    imp = impedance(solimp, error)
    D = 1.0 / regularization_of(opt, dof, efc, w, r, 1, weight, imp)[0]
    write_row(efc, w, r, EQUALITY, e, error, 0.0, D, vel, -kb[1] * vel - kb[0] * imp * error, 0.0)


@wp.func
def _joint_equality(opt: Option, jnt: Joint, dof: Dof, eq: Equality, state: State, efc: Efc, w: int, e: int, r: int):
    """Row ``r``: joint 1 follows joint 2, or stays."""
    data = eq.data[per_world(eq.data.shape[0], w), e]
    follower = eq.obj1id[e]
    leader = eq.obj2id[e]
    world = per_world(jnt.qpos0.shape[0], w)
    world_dof = per_world(dof.invweight0.shape[0], w)
    q1 = jnt.qposadr[follower]
    i1 = jnt.dofadr[follower]
    error = state.qpos[w, q1] - jnt.qpos0[world, q1] - data[0]
    vel = state.qvel[w, i1]
    weight = dof.invweight0[world_dof, i1]
    clear_jacobian(efc, w, r, 1)
    append_entry(efc, w, r, i1, 1.0)
    if leader >= 0:
        q2 = jnt.qposadr[leader]
        i2 = jnt.dofadr[leader]
        wanted = polynomial(data, state.qpos[w, q2] - jnt.qpos0[world, q2])
        error += data[0] - wanted[0]
        vel -= wanted[1] * state.qvel[w, i2]
        weight += dof.invweight0[world_dof, i2]
        append_entry(efc, w, r, i2, -wanted[1])
    _write_scalar(opt, dof, eq, efc, w, e, r, error, weight, vel)


@wp.func
def _add_tendon(tendon: Tendon, ten: TendonState, efc: Efc, w: int, t: int, r: int, factor: float):
    """Add ``factor`` times the Jacobian of tendon ``t`` to row ``r``."""
    for k in range(tendon.J_rowadr[t], tendon.J_rowadr[t] + tendon.J_rownnz[t]):
        add_entry(efc, w, r, tendon.J_colind[k], factor * ten.J[w, k])


@wp.func
def _tendon_equality(opt: Option, dof: Dof, tendon: Tendon, eq: Equality, ten: TendonState, efc: Efc, w: int, e: int, r: int):
    """Row ``r``: the length of tendon 1 follows that of tendon 2, or stays."""
    data = eq.data[per_world(eq.data.shape[0], w), e]
    follower = eq.obj1id[e]
    leader = eq.obj2id[e]
    world = per_world(tendon.length0.shape[0], w)
    world_weight = per_world(tendon.invweight0.shape[0], w)
    error = ten.length[w, follower] - tendon.length0[world, follower] - data[0]
    vel = ten.velocity[w, follower]
    weight = tendon.invweight0[world_weight, follower]
    clear_jacobian(efc, w, r, 1)
    _add_tendon(tendon, ten, efc, w, follower, r, 1.0)
    if leader >= 0:
        wanted = polynomial(data, ten.length[w, leader] - tendon.length0[world, leader])
        error += data[0] - wanted[0]
        vel -= wanted[1] * ten.velocity[w, leader]
        weight += tendon.invweight0[world_weight, leader]
        _add_tendon(tendon, ten, efc, w, leader, r, -wanted[1])
    _write_scalar(opt, dof, eq, efc, w, e, r, error, weight, vel)


@wp.func
def equality_rows(
    size: Size, opt: Option, tree: Tree, body: Body, jnt: Joint, dof: Dof, site: Site, tendon: Tendon, eq: Equality,
    state: State, kin: Kinematics, com: Com, vel: Velocity, ten: TendonState, efc: Efc, w: int, lane: int,
) -> wp.vec2i:  # fmt: skip
    """Write the equality rows from row 0 on, a constraint whole or not at all.

    Returns the number of rows written and the number there would be with unlimited room.
    """
    room = efc.type.shape[1]
    count = wp.int32(0)
    if (opt.disableflags & DISABLED) == 0:
        e = wp.int32(lane)
        while e - lane < size.neq:
            rows = _row_count(body, site, tendon, eq, state, size.neq, w, e)
            place = scan_lanes(rows)
            r = count + place[0]
            count += place[1]
            if rows > 0 and r + rows <= room:
                kind = eq.type[e]
                if kind == JOINT:
                    _joint_equality(opt, jnt, dof, eq, state, efc, w, e, r)
                elif kind == TENDON:
                    _tendon_equality(opt, dof, tendon, eq, ten, efc, w, e, r)
                else:
                    body_equality(opt, tree, body, dof, site, eq, state, kin, com, vel, efc, w, e, r, kind == WELD)
            e += lanes()
    written = wp.int32(count)
    if count > room:  # once more: what is counted meanwhile has no register above
        e = wp.int32(0)
        written = wp.int32(0)
        rows = _row_count(body, site, tendon, eq, state, size.neq, w, e)
        while written + rows <= room:
            written += rows
            e += 1
            rows = _row_count(body, site, tendon, eq, state, size.neq, w, e)
    return wp.vec2i(written, count)
