"""What rows with a Jacobian of joints or fixed tendons add to the linearized dynamics: equalities, dry friction, limits.

Their Jacobian is constant, but for the leader's entry of a polynomial equality and the axis of a ball joint's limit.
"""

import warp as wp

from newtonish.common.enums import EqType, JointType
from newtonish.kernels.constants import EQUALITY, FRICTION_DOF, FRICTION_TENDON, LIMIT_JOINT, LIMIT_TENDON, QUADRATIC
from newtonish.kernels.constraint.row import is_sparse, jacobian_entry
from newtonish.kernels.derivative.algebra import real, rotation_change, rotation_vector
from newtonish.kernels.derivative.response import Response, response_of
from newtonish.kernels.derivative.workspace import Linear
from newtonish.kernels.math.world import lanes, per_world
from newtonish.kernels.structs.data import Efc, Solve, State, Status, TendonState
from newtonish.kernels.structs.model import Dof, Equality, Joint, Option, Size, Tendon

EQ_JOINT = wp.constant(int(EqType.JOINT))
EQ_TENDON = wp.constant(int(EqType.TENDON))
JOINT_BALL = wp.constant(int(JointType.BALL))


@wp.func
def is_scalar(eq: Equality, efc: Efc, w: int, r: int) -> bool:
    """Whether row ``r`` is one of those of this file."""
    kind = efc.type[w, r]
    result = kind == FRICTION_DOF or kind == FRICTION_TENDON or kind == LIMIT_JOINT or kind == LIMIT_TENDON
    if kind == EQUALITY:
        what = eq.type[efc.id[w, r]]
        result = what == EQ_JOINT or what == EQ_TENDON
    return result


@wp.func
def work_of_row(size: Size, efc: Efc, linear: Linear, w: int, r: int) -> wp.float64:
    """Row ``r`` of J times the adjoint of the residual."""
    total = real(0.0)
    if is_sparse(efc):
        for k in range(efc.J_rowadr[w, r], efc.J_rowadr[w, r] + efc.J_rownnz[w, r]):
            total += real(efc.J[w, 0, k]) * linear.another[w, efc.J_colind[w, k], 0]
    else:
        for i in range(size.nv):
            total += real(efc.J[w, r, i]) * linear.another[w, i, 0]
    return total


@wp.func
def row_response(opt: Option, jnt: Joint, dof: Dof, tendon: Tendon, eq: Equality, efc: Efc, w: int, r: int) -> Response:
    """Slopes of row ``r``."""
    kind = efc.type[w, r]
    i = efc.id[w, r]
    timestep = opt.timestep[per_world(opt.timestep.shape[0], w)]
    solref = wp.vec2()
    x = efc.pos[w, r] - efc.margin[w, r]
    if kind == EQUALITY:
        solref = eq.solref[per_world(eq.solref.shape[0], w), i]
        solimp = eq.solimp[per_world(eq.solimp.shape[0], w), i]
    elif kind == FRICTION_DOF:
        solref = dof.solref[per_world(dof.solref.shape[0], w), i]
        solimp = dof.solimp[per_world(dof.solimp.shape[0], w), i]
    elif kind == FRICTION_TENDON:
        solref = tendon.solref_fri[per_world(tendon.solref_fri.shape[0], w), i]
        solimp = tendon.solimp_fri[per_world(tendon.solimp_fri.shape[0], w), i]
    elif kind == LIMIT_JOINT:
        solref = jnt.solref[per_world(jnt.solref.shape[0], w), i]
        solimp = jnt.solimp[per_world(jnt.solimp.shape[0], w), i]
    else:
        solref = tendon.solref_lim[per_world(tendon.solref_lim.shape[0], w), i]
        solimp = tendon.solimp_lim[per_world(tendon.solimp_lim.shape[0], w), i]
    found = response_of(opt, solref, solimp, x, kind, timestep)
    found.spring += found.sliding * real(efc.vel[w, r])
    if kind == FRICTION_DOF or kind == FRICTION_TENDON:  # have no position
        found.spring = real(0.0)
        found.growth = real(0.0)
    return found


@wp.func
def _curvature(eq: Equality, x: float, w: int, e: int) -> wp.float64:
    """Minus the second derivative of the polynomial of equality ``e``."""
    data = eq.data[per_world(eq.data.shape[0], w), e]
    return -real(2.0 * data[2] + x * (6.0 * data[3] + x * 12.0 * data[4]))


@wp.func
def leader_curvature(jnt: Joint, tendon: Tendon, eq: Equality, state: State, ten: TendonState, w: int, e: int) -> wp.float64:
    """Change of the leader's share in the Jacobian of a coupling of joints or tendons, by its position or length."""
    leader = eq.obj2id[e]
    x = wp.float32(0.0)
    if eq.type[e] == EQ_JOINT:
        x = state.qpos[w, jnt.qposadr[leader]] - jnt.qpos0[per_world(jnt.qpos0.shape[0], w), jnt.qposadr[leader]]
    else:
        x = ten.length[w, leader] - tendon.length0[per_world(tendon.length0.shape[0], w), leader]
    return _curvature(eq, x, w, e)


@wp.func
def _rotation_of_ball(jnt: Joint, state: State, w: int, j: int) -> wp.vec3d:
    """Rotation vector of ball joint ``j``."""
    q = jnt.qposadr[j]
    quat = wp.normalize(wp.vec4d(real(state.qpos[w, q]), real(state.qpos[w, q + 1]), real(state.qpos[w, q + 2]), real(state.qpos[w, q + 3])))
    return rotation_vector(quat)


@wp.func
def ball_turn(jnt: Joint, state: State, w: int, j: int, k: int) -> wp.vec3d:
    """Change of the direction of the rotation vector of ball joint ``j`` by its dof ``k``, 0 to 2."""
    rotation = _rotation_of_ball(jnt, state, w, j)
    angle = wp.length(rotation)
    turned = wp.vec3d()
    if angle > real(1.0e-12):
        axis = rotation / angle
        unit = wp.vec3d()
        unit[k] = real(1.0)
        change = rotation_change(rotation, unit)
        turned = (change - wp.dot(change, axis) * axis) / angle
    return turned


@wp.func
def _bend_of_equality(
    jnt: Joint, eq: Equality, state: State, sol: Solve, linear: Linear, weight: wp.float64, force: wp.float64, damper: wp.float64, efc: Efc, w: int, r: int
):
    """The second derivative of the polynomial of a joint equality: its leader's entry of J changes with the leader."""
    e = efc.id[w, r]
    leader = eq.obj2id[e]
    if leader >= 0:
        bend = _curvature(eq, state.qpos[w, jnt.qposadr[leader]] - jnt.qpos0[per_world(jnt.qpos0.shape[0], w), jnt.qposadr[leader]], w, e)
        k = jnt.dofadr[leader]
        i = jnt.dofadr[eq.obj1id[e]]
        seen = bend * (real(sol.qacc[w, k]) + damper * real(state.qvel[w, k])) * weight
        linear.Gq[w, i, k] = linear.Gq[w, i, k] + real(jacobian_entry(efc, w, r, i)) * seen
        linear.Gq[w, k, k] = linear.Gq[w, k, k] + real(jacobian_entry(efc, w, r, k)) * seen - bend * force


@wp.func
def _bend_of_ball(jnt: Joint, state: State, sol: Solve, linear: Linear, weight: wp.float64, force: wp.float64, damper: wp.float64, efc: Efc, w: int, r: int):
    """The turning axis of a ball joint at its limit, along which its row acts."""
    j = efc.id[w, r]
    v = jnt.dofadr[j]
    rotation = _rotation_of_ball(jnt, state, w, j)
    axis = rotation / wp.max(wp.length(rotation), real(1.0e-12))
    for k in range(3):
        turned = ball_turn(jnt, state, w, j, k)
        seen = real(0.0)
        for i in range(3):
            seen -= turned[i] * (real(sol.qacc[w, v + i]) + damper * real(state.qvel[w, v + i]))
        for i in range(3):
            linear.Gq[w, v + i, v + k] = linear.Gq[w, v + i, v + k] - axis[i] * weight * seen + turned[i] * force


@wp.func
def _bend_of_tendons(
    tendon: Tendon, eq: Equality, ten: TendonState, sol: Solve, linear: Linear, weight: wp.float64, force: wp.float64, damper: wp.float64, efc: Efc,
    w: int, r: int,
):  # fmt: skip
    """The same of a tendon equality: its share of the leader's Jacobian changes with the leader's length."""
    e = efc.id[w, r]
    leader = eq.obj2id[e]
    if leader >= 0:
        bend = _curvature(eq, ten.length[w, leader] - tendon.length0[per_world(tendon.length0.shape[0], w), leader], w, e)
        first = tendon.J_rowadr[leader]
        last = first + tendon.J_rownnz[leader]
        seen = damper * real(ten.velocity[w, leader])
        for n in range(first, last):
            seen += real(ten.J[w, n]) * real(sol.qacc[w, tendon.J_colind[n]])
        for n in range(first, last):
            k = tendon.J_colind[n]
            change = bend * real(ten.J[w, n])
            for i in range(linear.Gq.shape[1]):
                linear.Gq[w, i, k] = linear.Gq[w, i, k] + weight * change * seen * real(jacobian_entry(efc, w, r, i))
            for other in range(first, last):
                i = tendon.J_colind[other]
                linear.Gq[w, i, k] = linear.Gq[w, i, k] - force * change * real(ten.J[w, other])


@wp.func
def _add_product(linear: Linear, product: wp.float64, weight: wp.float64, damper: wp.float64, spring: wp.float64, w: int, j: int, k: int):
    linear.H[w, j, k] = linear.H[w, j, k] + weight * product
    linear.Gv[w, j, k] = linear.Gv[w, j, k] + damper * product
    linear.Gq[w, j, k] = linear.Gq[w, j, k] + spring * product


@wp.func
def scalar_rows_world(
    size: Size, opt: Option, jnt: Joint, dof: Dof, tendon: Tendon, eq: Equality, state: State, efc: Efc, sol: Solve, status: Status,
    linear: Linear, w: int, lane: int,
):  # fmt: skip
    """Add equality, friction and limit rows to the columns of H, Gq and Gv; one lane adds the bends of Jacobians afterwards, between barriers."""
    last = wp.min(status.nefc[w], efc.type.shape[1])
    for r in range(last):
        if is_scalar(eq, efc, w, r):
            weight = real(0.0)
            if efc.type[w, r] == EQUALITY or efc.state[w, r] == QUADRATIC:
                weight = real(efc.D[w, r])
            slopes = row_response(opt, jnt, dof, tendon, eq, efc, w, r)
            spring = weight * slopes.spring - real(efc.force[w, r]) * slopes.growth
            if is_sparse(efc):
                first = efc.J_rowadr[w, r]
                end = first + efc.J_rownnz[w, r]
                for c in range(first, end):
                    k = efc.J_colind[w, c]
                    if k % lanes() == lane:
                        for n in range(first, end):
                            product = real(efc.J[w, 0, n]) * real(efc.J[w, 0, c])
                            _add_product(linear, product, weight, weight * slopes.damper, spring, w, efc.J_colind[w, n], k)
            else:
                for k in range(lane, size.nv, lanes()):
                    at = real(efc.J[w, r, k])
                    if at != real(0.0):
                        for j in range(size.nv):
                            entry = efc.J[w, r, j]
                            if entry != 0.0:
                                _add_product(linear, real(entry) * at, weight, weight * slopes.damper, spring, w, j, k)


@wp.func
def row_bends(
    opt: Option, jnt: Joint, dof: Dof, tendon: Tendon, eq: Equality, state: State, ten: TendonState, efc: Efc, sol: Solve, status: Status, linear: Linear,
    w: int,
):  # fmt: skip
    """Add what the changing Jacobians of scalar rows do to Gq; one lane calls it."""
    for r in range(wp.min(status.nefc[w], efc.type.shape[1])):
        if is_scalar(eq, efc, w, r):
            kind = efc.type[w, r]
            weight = real(0.0)
            if kind == EQUALITY or efc.state[w, r] == QUADRATIC:
                weight = real(efc.D[w, r])
            force = real(efc.force[w, r])
            if kind == EQUALITY:
                if eq.type[efc.id[w, r]] == EQ_JOINT:
                    slopes = row_response(opt, jnt, dof, tendon, eq, efc, w, r)
                    _bend_of_equality(jnt, eq, state, sol, linear, weight, force, slopes.damper, efc, w, r)
                elif eq.type[efc.id[w, r]] == EQ_TENDON:
                    slopes = row_response(opt, jnt, dof, tendon, eq, efc, w, r)
                    _bend_of_tendons(tendon, eq, ten, sol, linear, weight, force, slopes.damper, efc, w, r)
            elif kind == LIMIT_JOINT:
                if jnt.type[efc.id[w, r]] == JOINT_BALL:
                    slopes = row_response(opt, jnt, dof, tendon, eq, efc, w, r)
                    _bend_of_ball(jnt, state, sol, linear, weight, force, slopes.damper, efc, w, r)
