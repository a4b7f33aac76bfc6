"""What contacts add to the linearized dynamics.

A contact has ``dim`` axes: normal, two tangents, spin, two rolls. Its wrench in these axes is a function of the relative motion of its bodies,
and so is its derivative, one symmetric matrix C of the axes whatever the cone: sums of active edges, or the curvature of an elliptic cone.
No Jacobian is needed: a column is the relative motion that one dof gives, the wrench that answers to it, and that wrench's work on each dof.
"""

import warp as wp

from newtonish.common.enums import ConstraintState
from newtonish.kernels.constants import ELLIPTIC
from newtonish.kernels.constraint.row import reference
from newtonish.kernels.derivative.algebra import at_point, bottom, carried, carried_force, join, mat66d, real, top, vec6d, wide, wide6
from newtonish.kernels.derivative.motion import act_on_body
from newtonish.kernels.derivative.response import response
from newtonish.kernels.derivative.witness import Witness, displaced, is_known, witness_of
from newtonish.kernels.derivative.workspace import Linear, LinearMotion
from newtonish.kernels.math.world import assume_nonnegative, lanes, per_world
from newtonish.kernels.structs.data import Com, Contact, Efc, Kinematics, Status
from newtonish.kernels.structs.model import Body, Dof, Geom, HeightField, Hull, Option, Size, Tree

QUADRATIC = wp.constant(int(ConstraintState.QUADRATIC))
CONE = wp.constant(int(ConstraintState.CONE))


@wp.struct
class Touch:
    """A contact with rows."""

    body1: int
    body2: int
    last1: int  # last dof that moves the body; -1: none
    last2: int
    center1: wp.vec3d  # centre of mass of the tree
    center2: wp.vec3d
    dim: int
    force: vec6d  # along its axes
    C: mat66d  # derivative of the force by the residuals, with opposite sign
    damper: wp.float64  # ds/d(J v) of the normal, and of the other axes
    slide_damper: wp.float64
    spring: wp.float64
    growth: wp.float64


@wp.func
def last_dof(tree: Tree, b: int) -> int:
    """Last dof that moves body ``b``; -1: none."""
    end = tree.chain_adr[b + 1]
    found = wp.int32(-1)
    if end > tree.chain_adr[b]:
        found = tree.chain_dofid[end - 1]
    return found


@wp.func
def moves(dof: Dof, k: int, last: int) -> bool:
    """Whether dof ``k`` moves a body whose last dof is ``last``."""
    return last >= k and last <= dof.lastid[k]


@wp.func
def _pyramid(touch: Touch, contact: Contact, efc: Efc, w: int, c: int, r: int) -> Touch:
    """Force and curvature of the edges normal +- friction * axis that push."""
    for axis in range(1, touch.dim):
        mu = real(contact.friction[w, c][axis - 1])
        for side in range(2):
            row = r + 2 * (axis - 1) + side
            signed = wp.where(side == 0, mu, -mu)
            force = real(efc.force[w, row])
            touch.force[0] = touch.force[0] + force
            touch.force[axis] = touch.force[axis] + signed * force
            if force > real(0.0):
                weight = real(efc.D[w, row])
                touch.C[0, 0] = touch.C[0, 0] + weight
                touch.C[0, axis] = touch.C[0, axis] + weight * signed
                touch.C[axis, 0] = touch.C[axis, 0] + weight * signed
                touch.C[axis, axis] = touch.C[axis, axis] + weight * signed * signed
    return touch


@wp.func
def _elliptic(touch: Touch, contact: Contact, efc: Efc, w: int, c: int, r: int, slip: vec6d) -> Touch:
    """Force and curvature of an elliptic cone; ``slip``: residuals along its axes.

    Within the cone the cost is Dm (N - mu T)^2 / 2, N the normal residual times mu, T the length of the others times their friction. N - mu T is
    taken from the normal force, which is exact where the residuals are small differences.
    """
    for axis in range(touch.dim):
        touch.force[axis] = real(efc.force[w, r + axis])
    zone = efc.state[w, r]
    if zone == QUADRATIC:
        for axis in range(touch.dim):
            touch.C[axis, axis] = real(efc.D[w, r + axis])
    elif zone == CONE:
        mu = real(contact.mu[w, c])
        Dm = real(efc.D[w, r]) / (mu * mu * (real(1.0) + mu * mu))
        gap = -touch.force[0] / (mu * Dm)
        unit = vec6d()
        T = real(0.0)
        for axis in range(1, touch.dim):
            scale = real(contact.friction[w, c][axis - 1])
            unit[axis] = -touch.force[axis] / (touch.force[0] * scale)
            T += unit[axis] * scale * slip[axis]
        T = wp.max(T, real(1.0e-12))
        ratio = mu * (gap + mu * T) / T
        touch.C[0, 0] = Dm * mu * mu
        for i in range(1, touch.dim):
            si = real(contact.friction[w, c][i - 1])
            touch.C[0, i] = -Dm * mu * mu * si * unit[i]
            touch.C[i, 0] = touch.C[0, i]
            for j in range(1, touch.dim):
                sj = real(contact.friction[w, c][j - 1])
                touch.C[i, j] = Dm * ratio * unit[i] * unit[j] * si * sj
            touch.C[i, i] = touch.C[i, i] + Dm * (mu * mu - ratio) * si * si
    return touch


@wp.func
def _relative(motion: wp.array2d(dtype=vec6d), touch: Touch, found: Witness, w: int) -> vec6d:
    """Motion of the second body relative to the first at the contact: of the point, then the rotation."""
    one = motion[w, touch.body1]
    two = motion[w, touch.body2]
    moved = at_point(two, found.pos - touch.center2) - at_point(one, found.pos - touch.center1)
    return join(moved, top(two) - top(one))


@wp.func
def _along_axes(found: Witness, relative: vec6d) -> vec6d:
    """A motion of point and rotation, along the contact's axes."""
    moved = top(relative)
    turned = bottom(relative)
    n = found.normal
    s = found.tangent1
    t = found.tangent2
    return vec6d(wp.dot(n, moved), wp.dot(s, moved), wp.dot(t, moved), wp.dot(n, turned), wp.dot(s, turned), wp.dot(t, turned))


@wp.func
def _to_world(found: Witness, wrench: vec6d) -> vec6d:
    """Force and torque in the world of a wrench along the contact's axes."""
    n = found.normal
    s = found.tangent1
    t = found.tangent2
    return join(wrench[0] * n + wrench[1] * s + wrench[2] * t, wrench[3] * n + wrench[4] * s + wrench[5] * t)


@wp.func
def touch_of(
    opt: Option, tree: Tree, body: Body, geom: Geom, com: Com, contact: Contact, efc: Efc, motion: LinearMotion, found: Witness, w: int, c: int,
) -> Touch:  # fmt: skip
    """Force and slopes of contact ``c``, which has rows."""
    r = contact.efc_address[w, c]
    geoms = contact.geom[w, c]
    timestep = opt.timestep[per_world(opt.timestep.shape[0], w)]
    solimp = contact.solimp[w, c]
    touch = Touch()
    touch.body1 = geom.bodyid[geoms[0]]
    touch.body2 = geom.bodyid[geoms[1]]
    touch.last1 = last_dof(tree, touch.body1)
    touch.last2 = last_dof(tree, touch.body2)
    touch.center1 = wide(com.subtree_com[w, body.rootid[touch.body1]])
    touch.center2 = wide(com.subtree_com[w, body.rootid[touch.body2]])
    touch.dim = contact.dim[w, c]
    slopes = response(contact.solref[w, c], solimp, contact.dist[w, c] - contact.includemargin[w, c], timestep, opt.disableflags)
    touch.spring = slopes.spring
    touch.damper = slopes.damper
    touch.slide_damper = slopes.damper
    touch.growth = slopes.growth
    if touch.dim == 1:
        touch.force[0] = real(efc.force[w, r])
        if touch.force[0] > real(0.0):
            touch.C[0, 0] = real(efc.D[w, r])
    elif opt.cone == ELLIPTIC:
        friction_ref = contact.solreffriction[w, c]
        if friction_ref[0] != 0.0 or friction_ref[1] != 0.0:
            touch.slide_damper = real(reference(friction_ref, solimp, timestep, opt.disableflags)[1])
        slip = _along_axes(found, _relative(motion.L, touch, found, w))
        for axis in range(1, touch.dim):
            slip[axis] = slip[axis] - real(efc.aref[w, r + axis])
        touch = _elliptic(touch, contact, efc, w, c, r, slip)
    else:
        touch = _pyramid(touch, contact, efc, w, c, r)
    return touch


@wp.func
def pushes(touch: Touch) -> bool:
    """Whether a contact has a force; without one it does not answer to small changes either."""
    return wp.dot(touch.force, touch.force) > real(0.0)


@wp.func
def contact_loads(
    opt: Option, tree: Tree, body: Body, geom: Geom, hull: Hull, hfield: HeightField, kin: Kinematics, com: Com, contact: Contact, efc: Efc, status: Status,
    linear: Linear, motion: LinearMotion, w: int,
):  # fmt: skip
    """Let all contacts act on their bodies, and note the first whose geometry is unknown; one lane calls it."""
    linear.blind[w] = 0
    for c in range(wp.min(status.ncon[w], contact.dist.shape[1])):
        if contact.efc_address[w, c] >= 0:
            found = witness_of(opt, geom, hull, hfield, kin, contact, w, c)
            touch = touch_of(opt, tree, body, geom, com, contact, efc, motion, found, w, c)
            if pushes(touch) and not is_known(found) and linear.blind[w] == 0:
                linear.blind[w] = 1 + c
            wrench = _to_world(found, touch.force)
            act_on_body(body, com, motion, top(wrench), bottom(wrench), found.pos, w, touch.body2)
            act_on_body(body, com, motion, -top(wrench), -bottom(wrench), found.pos, w, touch.body1)


@wp.func
def about(wrench: vec6d, arm: wp.vec3d) -> vec6d:
    """A force (first) and torque at ``arm`` from the origin, about the origin, torque first."""
    return join(bottom(wrench) + wp.cross(arm, top(wrench)), top(wrench))


@wp.func
def work_on(tree: Tree, com: Com, target: wp.array3d(dtype=wp.float64), force: vec6d, w: int, b: int, k: int):
    """Add the generalized force of a wrench on body ``b`` to column ``k``."""
    for at in range(tree.chain_adr[b], tree.chain_adr[b + 1]):
        j = assume_nonnegative(tree.chain_dofid[at])
        target[w, j, k] = target[w, j, k] + wp.dot(wide6(com.cdof[w, j]), force)


@wp.func
def _changed_motion(
    fields: wp.array2d(dtype=vec6d), bases: wp.array2d(dtype=vec6d), touch: Touch, found: Witness, axis: vec6d, shift: wp.vec3d,
    on1: bool, on2: bool, w: int, k: int,
) -> vec6d:  # fmt: skip
    """Change of the relative motion at the contact if dof ``k`` moves and the point shifts."""
    relative = _relative(fields, touch, found, w)
    change = join(wp.cross(bottom(relative), shift), wp.vec3d())
    if on1:
        turned = carried(axis, fields[w, touch.body1] - bases[w, k])
        change -= join(at_point(turned, found.pos - touch.center1), top(turned))
    if on2:
        turned = carried(axis, fields[w, touch.body2] - bases[w, k])
        change += join(at_point(turned, found.pos - touch.center2), top(turned))
    return change


@wp.func
def _column(tree: Tree, com: Com, linear: Linear, motion: LinearMotion, touch: Touch, found: Witness, on1: bool, on2: bool, w: int, k: int):
    """What a contact adds to column ``k`` of H, Gq and Gv."""
    axis = wide6(com.cdof[w, k])
    v1 = wp.vec3d()
    v2 = wp.vec3d()
    omega1 = wp.vec3d()
    omega2 = wp.vec3d()
    if on1:
        v1 = at_point(axis, found.pos - touch.center1)
        omega1 = top(axis)
    if on2:
        v2 = at_point(axis, found.pos - touch.center2)
        omega2 = top(axis)
    # a motion of the dof is resisted, whether velocity or acceleration
    rate = _along_axes(found, join(v2 - v1, omega2 - omega1))
    damped = rate * touch.slide_damper
    damped[0] = rate[0] * touch.damper
    resisted = touch.C * rate
    held = touch.C * damped
    # a displacement changes distance, frame and point, and the motion seen there
    moved = displaced(found, v1, omega1, v2, omega2)
    seen_a = _relative(motion.L, touch, found, w)
    seen_v = _relative(motion.V, touch, found, w)
    back_a = join(wp.cross(moved.turn, top(seen_a)), wp.cross(moved.turn, bottom(seen_a)))
    back_v = join(wp.cross(moved.turn, top(seen_v)), wp.cross(moved.turn, bottom(seen_v)))
    change_a = _along_axes(found, _changed_motion(motion.L, motion.base_L, touch, found, axis, moved.pos, on1, on2, w, k) - back_a)
    change_v = _along_axes(found, _changed_motion(motion.V, motion.base_V, touch, found, axis, moved.pos, on1, on2, w, k) - back_v)
    residual = change_a + touch.slide_damper * change_v
    residual[0] = change_a[0] + touch.damper * change_v[0] + touch.spring * moved.dist
    answer = touch.growth * moved.dist * touch.force - touch.C * residual
    wrench = _to_world(found, touch.force)
    change = _to_world(found, answer) + join(wp.cross(moved.turn, top(wrench)), wp.cross(moved.turn, bottom(wrench)))
    change += join(wp.vec3d(), wp.cross(moved.pos, top(wrench)))  # the torque of a force that acts elsewhere
    resisted = _to_world(found, resisted)
    held = _to_world(found, held)
    for side in range(2):
        b = wp.where(side == 0, touch.body1, touch.body2)
        sign = wp.where(side == 0, real(-1.0), real(1.0))
        arm = found.pos - wp.where(side == 0, touch.center1, touch.center2)
        along = vec6d()  # where the dof moves the body, a wrench that moves along is in the derivative of the inverse dynamics
        if (side == 0 and on1) or (side == 1 and on2):
            along = carried_force(axis, about(wrench, arm))
        work_on(tree, com, linear.H, sign * about(resisted, arm), w, b, k)
        work_on(tree, com, linear.Gv, sign * about(held, arm), w, b, k)
        work_on(tree, com, linear.Gq, sign * (along - about(change, arm)), w, b, k)


@wp.func
def contact_columns_world(
    size: Size, opt: Option, tree: Tree, body: Body, dof: Dof, geom: Geom, hull: Hull, hfield: HeightField, kin: Kinematics, com: Com, contact: Contact, efc: Efc,
    status: Status, linear: Linear, motion: LinearMotion, w: int, lane: int,
):  # fmt: skip
    """Add all contacts to the columns of H, Gq and Gv; each lane has columns of its own."""
    for c in range(wp.min(status.ncon[w], contact.dist.shape[1])):
        if contact.efc_address[w, c] >= 0:
            found = witness_of(opt, geom, hull, hfield, kin, contact, w, c)
            touch = touch_of(opt, tree, body, geom, com, contact, efc, motion, found, w, c)
            if pushes(touch):
                for k in range(lane, size.nv, lanes()):
                    on1 = moves(dof, k, touch.last1)
                    on2 = moves(dof, k, touch.last2)
                    if on1 or on2:
                        _column(tree, com, linear, motion, touch, found, on1, on2, w, k)
