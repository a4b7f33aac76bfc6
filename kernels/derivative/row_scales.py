"""How weights of rows change in the metric of integrator discrete.

The weight of a constraint is multiplied by how much less the metric gives way to its first row than the mass matrix: a sum over dofs of J_i^2 / M_ii,
divided by the same with the metric's diagonal, which is M's and a constant. With the row's J and with M the weight changes with position, and, at
equal residuals, the force of the whole constraint with it.
"""

import warp as wp

from newtonish.common.enums import EqType, JointType
from newtonish.kernels.constants import ELLIPTIC, EQUALITY, LIMIT_JOINT, MINVAL, QUADRATIC
from newtonish.kernels.constraint.material import row_adhesion
from newtonish.kernels.constraint.row import jacobian_entry
from newtonish.kernels.derivative.algebra import at_point, carried, inertia_times, real, top, vec6d, wide, wide6
from newtonish.kernels.derivative.bends import turns_with
from newtonish.kernels.derivative.body_equalities import Bond, bond_of, rows_of, turned, turned_change
from newtonish.kernels.derivative.metric_bends import note_rescaling
from newtonish.kernels.derivative.scalar_rows import ball_turn, is_scalar, leader_curvature
from newtonish.kernels.derivative.touch import CONE, last_dof, moves
from newtonish.kernels.derivative.witness import Witness, displaced
from newtonish.kernels.derivative.witnesses import contact_count
from newtonish.kernels.derivative.workspace import Linear, LinearMotion
from newtonish.kernels.integrate.discrete.rows import CONTACT
from newtonish.kernels.math.world import assume_nonnegative, lanes, sync
from newtonish.kernels.structs.data import Com, Contact, Efc, Kinematics, State, Status, TendonState
from newtonish.kernels.structs.metric import Metric
from newtonish.kernels.structs.model import Body, Dof, Equality, Geom, Joint, Option, Site, Size, Tendon, Tree

EQ_JOINT = wp.constant(int(EqType.JOINT))
JOINT_BALL = wp.constant(int(JointType.BALL))


@wp.func
def answering_force(opt: Option, contact: Contact, efc: Efc, w: int, first: int, r: int) -> wp.float64:
    """Change of the force of row ``r`` with the logarithm of the weight that all rows from ``first`` on have, at equal residuals.

    It is the force itself, but for what holds up the pull of a contact, which does not grow.
    """
    force = real(efc.force[w, r])
    if efc.type[w, r] >= CONTACT:
        c = efc.id[w, r]
        pull = real(contact.adhesion[w, c])
        if pull != real(0.0) and efc.state[w, r] == CONE:
            mu = real(contact.mu[w, c])
            force = force * (real(1.0) - pull / ((real(1.0) + mu * mu) * real(efc.force[w, first])))
        elif pull != real(0.0) and efc.state[w, r] == QUADRATIC:
            force -= real(row_adhesion(opt, contact, w, c, r - first))
    return force


@wp.func
def prepare_scale_world(
    size: Size, opt: Option, contact: Contact, efc: Efc, efm: Metric, linear: Linear, first: int, last: int, w: int, lane: int,
) -> bool:  # fmt: skip
    """Of the constraint with rows ``first`` to ``last`` - 1: its force in ``linear.one``, and how its weight answers to the first row, to the
    mass matrix and to what the metric adds to that, in ``linear.another``, ``linear.bar_q`` and ``linear.bar_v``; False: it does not."""
    bare = real(0.0)
    stiff = real(0.0)
    pushed = real(0.0)
    for i in range(size.nv):
        at = real(jacobian_entry(efc, w, first, i))
        bare += at * at / linear.M[w, i, i]
        stiff += at * at / (linear.M[w, i, i] + real(efm.sdiag[w, i]))
    for r in range(first, last):
        pushed += wp.abs(real(efc.force[w, r]))
    answers = bare > real(MINVAL) and stiff != bare and pushed > real(0.0)
    sync()
    if answers:
        for i in range(lane, size.nv, lanes()):
            at = real(jacobian_entry(efc, w, first, i))
            mass = linear.M[w, i, i]
            whole = mass + real(efm.sdiag[w, i])
            linear.another[w, i, 0] = real(2.0) * at * (real(1.0) / (mass * bare) - real(1.0) / (whole * stiff))
            linear.bar_v[w, i, 0] = at * at / (whole * whole * stiff)
            linear.bar_q[w, i, 0] = linear.bar_v[w, i, 0] - at * at / (mass * mass * bare)
            force = real(0.0)
            for r in range(first, last):
                force += real(jacobian_entry(efc, w, r, i)) * answering_force(opt, contact, efc, w, first, r)
            linear.one[w, i, 0] = force
    sync()
    return answers


@wp.func
def _by_mass(jnt: Joint, dof: Dof, com: Com, linear: Linear, motion: LinearMotion, w: int, k: int) -> wp.float64:
    """Change of the logarithm of the weight with M's diagonal: dof ``k`` moves its subtree below the dofs that move it."""
    axis = wide6(com.cdof[w, k])
    inertia = motion.inertia[w, dof.bodyid[k]]
    total = real(0.0)
    i = dof.parentid[k]
    while i >= 0:
        if linear.bar_q[w, i, 0] != real(0.0) and not turns_with(jnt, dof, i, k):
            above = wide6(com.cdof[w, i])
            total -= real(2.0) * linear.bar_q[w, i, 0] * wp.dot(inertia_times(inertia, above), carried(axis, above))
        i = dof.parentid[i]
    return total


@wp.func
def _add(size: Size, linear: Linear, change: wp.float64, w: int, k: int):
    """Column ``k`` of Gq, where the logarithm of the weight changes by ``change``."""
    if change != real(0.0):
        for j in range(size.nv):
            linear.Gq[w, j, k] = linear.Gq[w, j, k] - linear.one[w, j, 0] * change


@wp.func
def _by_own_row(jnt: Joint, tendon: Tendon, eq: Equality, state: State, ten: TendonState, efc: Efc, linear: Linear, w: int, r: int, k: int) -> wp.float64:
    """The same with J, of a row of joints or tendons."""
    total = real(0.0)
    i = efc.id[w, r]
    if efc.type[w, r] == EQUALITY:
        leader = eq.obj2id[i]
        if leader >= 0:
            bend = leader_curvature(jnt, tendon, eq, state, ten, w, i)
            if eq.type[i] == EQ_JOINT:
                if jnt.dofadr[leader] == k:
                    total = bend * linear.another[w, k, 0]
            else:
                at = real(0.0)
                along = real(0.0)
                for n in range(tendon.J_rowadr[leader], tendon.J_rowadr[leader] + tendon.J_rownnz[leader]):
                    if tendon.J_colind[n] == k:
                        at = real(ten.J[w, n])
                    along += real(ten.J[w, n]) * linear.another[w, tendon.J_colind[n], 0]
                total = bend * at * along
    elif efc.type[w, r] == LIMIT_JOINT:
        if jnt.type[i] == JOINT_BALL and k >= jnt.dofadr[i] and k < jnt.dofadr[i] + 3:
            v = jnt.dofadr[i]
            turned = ball_turn(jnt, state, w, i, k - v)
            for axis in range(3):
                total -= turned[axis] * linear.another[w, v + axis, 0]
    return total


@wp.func
def scalar_scales_world(
    size: Size, opt: Option, jnt: Joint, dof: Dof, tendon: Tendon, eq: Equality, state: State, com: Com, ten: TendonState, contact: Contact, efc: Efc, efm: Metric,
    status: Status, linear: Linear, motion: LinearMotion, w: int, lane: int,
):  # fmt: skip
    """Equalities, friction and limits of joints and tendons; begins and ends with a barrier."""
    sync()
    for r in range(wp.min(status.nefc[w], efc.type.shape[1])):
        if is_scalar(eq, efc, w, r) and (efc.type[w, r] == EQUALITY or efc.state[w, r] == QUADRATIC):
            if prepare_scale_world(size, opt, contact, efc, efm, linear, r, r + 1, w, lane):
                for k in range(lane, size.nv, lanes()):
                    change = _by_mass(jnt, dof, com, linear, motion, w, k) + _by_own_row(jnt, tendon, eq, state, ten, efc, linear, w, r, k)
                    _add(size, linear, change, w, k)
                    note_rescaling(size, efc, linear, change, w, r, k)
            sync()


@wp.func
def _seen(tree: Tree, jnt: Joint, dof: Dof, com: Com, linear: Linear, w: int, b: int, k: int) -> vec6d:
    """Motion of body ``b`` if dofs moved by ``linear.another``; ``k`` >= 0: by those alone whose axes turn with that dof."""
    total = vec6d()
    for at in range(tree.chain_adr[b], tree.chain_adr[b + 1]):
        j = assume_nonnegative(tree.chain_dofid[at])
        if k < 0 or turns_with(jnt, dof, j, k):
            total += wide6(com.cdof[w, j]) * linear.another[w, j, 0]
    return total


@wp.func
def _by_contact(
    tree: Tree, body: Body, jnt: Joint, dof: Dof, com: Com, linear: Linear, found: Witness, slope: wp.float64, b1: int, b2: int, w: int, k: int,
) -> wp.float64:  # fmt: skip
    """The same with J of a contact, whose first row goes along the normal and ``slope`` times the first tangent."""
    on1 = moves(dof, k, last_dof(tree, b1))
    on2 = moves(dof, k, last_dof(tree, b2))
    total = real(0.0)
    if on1 or on2:
        axis = wide6(com.cdof[w, k])
        arm1 = found.pos - wide(com.subtree_com[w, body.rootid[b1]])
        arm2 = found.pos - wide(com.subtree_com[w, body.rootid[b2]])
        Y1 = _seen(tree, jnt, dof, com, linear, w, b1, -1)
        Y2 = _seen(tree, jnt, dof, com, linear, w, b2, -1)
        relative = at_point(Y2, arm2) - at_point(Y1, arm1)
        change = wp.vec3d()
        one = vec6d()
        two = vec6d()
        if on1:
            one = axis
            change -= at_point(carried(axis, _seen(tree, jnt, dof, com, linear, w, b1, k)), arm1)
        if on2:
            two = axis
            change += at_point(carried(axis, _seen(tree, jnt, dof, com, linear, w, b2, k)), arm2)
        moved = displaced(found, at_point(one, arm1), top(one), at_point(two, arm2), top(two))
        change += wp.cross(top(Y2) - top(Y1), moved.pos) - wp.cross(moved.turn, relative)
        total = wp.dot(found.normal + slope * found.tangent1, change)
    return total


@wp.func
def _by_bond(tree: Tree, jnt: Joint, dof: Dof, com: Com, linear: Linear, bond: Bond, axis_of_row: int, w: int, k: int) -> wp.float64:
    """The same with J of one row of a connect or weld, ``axis_of_row`` of its six."""
    on1 = moves(dof, k, bond.last1)
    on2 = moves(dof, k, bond.last2)
    total = real(0.0)
    if on1 or on2:
        axis = wide6(com.cdof[w, k])
        Y1 = _seen(tree, jnt, dof, com, linear, w, bond.body1, -1)
        Y2 = _seen(tree, jnt, dof, com, linear, w, bond.body2, -1)
        turn1 = wp.vec3d()
        turn2 = wp.vec3d()
        point = wp.vec3d()
        spin = wp.vec3d()
        if on1:
            change = carried(axis, _seen(tree, jnt, dof, com, linear, w, bond.body1, k))
            turn1 = top(axis)
            point += at_point(change, bond.arm1) + wp.cross(top(Y1), at_point(axis, bond.arm1))
            spin += top(change)
        if on2:
            change = carried(axis, _seen(tree, jnt, dof, com, linear, w, bond.body2, k))
            turn2 = top(axis)
            point -= at_point(change, bond.arm2) + wp.cross(top(Y2), at_point(axis, bond.arm2))
            spin -= top(change)
        if axis_of_row < 3:
            total = point[axis_of_row]
        else:
            rotation = turned_change(bond, top(Y1) - top(Y2), turn1, turn2) + turned(bond, spin)
            total = rotation[axis_of_row - 3]
    return total


@wp.func
def bond_scales_world(
    size: Size, opt: Option, tree: Tree, body: Body, jnt: Joint, dof: Dof, site: Site, eq: Equality, kin: Kinematics, com: Com, contact: Contact, efc: Efc,
    efm: Metric, status: Status, linear: Linear, motion: LinearMotion, w: int, lane: int,
):  # fmt: skip
    """Connects and welds, each of whose rows has a weight of its own; ends with a barrier."""
    r = wp.int32(0)
    last = wp.min(status.ne[w], efc.type.shape[1])
    while r < last:
        number = rows_of(eq, efc, w, r)
        if number > 1:
            bond = bond_of(opt, tree, body, site, eq, kin, com, efc, w, r)
            for c in range(number):
                if prepare_scale_world(size, opt, contact, efc, efm, linear, r + c, r + c + 1, w, lane):
                    for k in range(lane, size.nv, lanes()):
                        change = _by_mass(jnt, dof, com, linear, motion, w, k)
                        _add(size, linear, change + _by_bond(tree, jnt, dof, com, linear, bond, c, w, k), w, k)
                sync()
        r += number


@wp.func
def contact_scales_world(
    size: Size, opt: Option, tree: Tree, body: Body, jnt: Joint, dof: Dof, geom: Geom, com: Com, contact: Contact, efc: Efc, efm: Metric, status: Status, linear: Linear, motion: LinearMotion, w: int, lane: int,
):  # fmt: skip
    """Contacts, whose rows all have the weight of the first; ends with a barrier."""
    for c in range(contact_count(motion, status, w)):
        first = contact.efc_address[w, c]
        if first >= 0:
            count = contact.dim[w, c]
            slope = real(0.0)
            if count > 1 and opt.cone != ELLIPTIC:
                count = 2 * (count - 1)
                slope = real(contact.friction[w, c][0])
            if prepare_scale_world(size, opt, contact, efc, efm, linear, first, first + count, w, lane):
                found = motion.witness[w, c]
                b1 = geom.bodyid[contact.geom[w, c][0]]
                b2 = geom.bodyid[contact.geom[w, c][1]]
                for k in range(lane, size.nv, lanes()):
                    change = _by_mass(jnt, dof, com, linear, motion, w, k)
                    _add(size, linear, change + _by_contact(tree, body, jnt, dof, com, linear, found, slope, b1, b2, w, k), w, k)
            sync()
