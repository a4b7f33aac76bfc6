"""Equality rows between two bodies: connect (three rows hold two points together), weld (three more hold two frames).

The error of a weld's orientation is the vector part of conj(q2) q1, which is half the angle times the axis when small,
times ``torquescale``. The reference acceleration also cancels what the rows would accelerate by at constant qvel (the
time derivative of the Jacobian times qvel), so that a fast mechanism stays closed. Method: MuJoCo's documentation,
chapter Computation, "Equality"; acceleration of a point of a moving body: Featherstone 2008, ch. 2.
"""

import warp as wp

from newtonish.common.enums import ObjType
from newtonish.kernels.constants import EQUALITY
from newtonish.kernels.constraint.row import add_entry, clear_jacobian, impedance, reference, write_row
from newtonish.kernels.constraint.weightless import regularization_of
from newtonish.kernels.math.quat import quat_conj, quat_mul, quat_rotate
from newtonish.kernels.math.world import fresh, per_world
from newtonish.kernels.structs.data import Com, Efc, Kinematics, State, Velocity
from newtonish.kernels.structs.model import Body, Dof, Equality, Option, Site, Tree

OBJ_SITE = wp.constant(int(ObjType.SITE))


@wp.struct
class End:
    """One of the two frames that an equality holds together: its body, its point [m] and its orientation in the world."""

    body: int
    pos: wp.vec3
    quat: wp.vec4


@wp.func
def body_of(site: Site, eq: Equality, obj: int, e: int) -> int:
    """The body of ``obj``, one of the two objects of equality ``e``."""
    b = obj
    if eq.objtype[e] == OBJ_SITE:
        b = site.bodyid[obj]
    return b


@wp.func
def end_of(body: Body, site: Site, eq: Equality, kin: Kinematics, w: int, e: int, weld: bool, second: bool) -> End:
    """One of the frames of equality ``e``: a site, or an anchor on a body; those of a weld are stored the other way round."""
    end = End()
    obj = wp.where(second, eq.obj2id[e], eq.obj1id[e])
    end.body = body_of(site, eq, obj, e)
    if eq.objtype[e] == OBJ_SITE:
        end.pos = kin.site_xpos[w, obj]
        end.quat = quat_mul(kin.xquat[w, end.body], site.quat[per_world(site.quat.shape[0], w), obj])
    else:
        end.quat = kin.xquat[w, obj]
        data = eq.data[per_world(eq.data.shape[0], w), e]
        anchor = wp.vec3(data[0], data[1], data[2])
        if weld != second:
            anchor = wp.vec3(data[3], data[4], data[5])
        end.pos = kin.xpos[w, obj] + quat_rotate(end.quat, anchor)
        if weld and not second:
            end.quat = quat_mul(end.quat, wp.vec4(data[6], data[7], data[8], data[9]))
    return end


@wp.func
def _between(left: wp.vec4, a: wp.vec3, right: wp.vec4) -> wp.vec3:
    """Vector part of the quaternion product left * (0, a) * right."""
    q = quat_mul(quat_mul(left, wp.vec4(0.0, a[0], a[1], a[2])), right)
    return wp.vec3(q[1], q[2], q[3])


@wp.func
def _add_motion(efc: Efc, w: int, r: int, velocity: wp.vec3, acceleration: wp.vec3):
    """Add to ``vel`` and ``aref`` of three rows: what is gathered there needs no registers meanwhile."""
    for c in range(3):
        v = fresh(w)
        k = fresh(r) + c
        efc.vel[v, k] = efc.vel[v, k] + velocity[c]
        efc.aref[v, k] = efc.aref[v, k] + acceleration[c]


@wp.func
def _three(values: wp.array2d(dtype=float), w: int, r: int) -> wp.vec3:
    v = fresh(w)
    k = fresh(r)
    return wp.vec3(values[v, k], values[v, k + 1], values[v, k + 2])


@wp.func
def _refer(efc: Efc, w: int, r: int, velocity: wp.vec3, remaining: wp.vec3, damping: float, stiffness: float):
    """Velocity and reference acceleration of three rows, of which ``remaining`` is cancelled."""
    for c in range(3):
        v = fresh(w)
        k = fresh(r) + c
        efc.vel[v, k] = velocity[c]
        efc.aref[v, k] = -damping * velocity[c] - stiffness * efc.pos[v, k] - remaining[c]


@wp.func
def _add_body(
    tree: Tree, body: Body, state: State, com: Com, vel: Velocity, efc: Efc, w: int, end: End, sign: float, turn: wp.mat33,
    weld: bool, r: int,
):  # fmt: skip
    """Add the Jacobian of one body to the rows (its rotation mapped by ``turn``), and its motion, as it is, to ``vel`` and ``aref``.

    The first three rows have the motion of the point, those of a weld's orientation that of the body: velocity in ``vel``, in ``aref`` the
    acceleration that remains if qacc is zero.
    """
    b = end.body
    offset = end.pos - com.subtree_com[w, body.rootid[b]]
    # sums over the dofs that move the body; the acceleration is about the origin of the body's spatial vectors
    turning = wp.vec3()
    linear = wp.vec3()
    for k in range(tree.chain_adr[b], tree.chain_adr[b + 1]):
        i = tree.chain_dofid[k]
        v = fresh(w)
        axis = com.cdof[v, i]
        rate = vel.cdof_dot[v, i]
        speed = state.qvel[v, i]
        rotation = wp.spatial_top(axis)
        moved = sign * (wp.spatial_bottom(axis) + wp.cross(rotation, offset))
        for c in range(3):
            add_entry(efc, v, fresh(r) + c, i, moved[c])
        if weld:
            turned = turn * (sign * rotation)
            for c in range(3):
                add_entry(efc, v, fresh(r) + 3 + c, i, turned[c])
        turning += speed * wp.spatial_top(rate)
        linear += speed * wp.spatial_bottom(rate)
    cvel = vel.cvel[w, b]
    omega = wp.spatial_top(cvel)
    velocity = wp.spatial_bottom(cvel) + wp.cross(omega, offset)
    _add_motion(efc, fresh(w), r, sign * velocity, sign * (linear + wp.cross(turning, offset) + wp.cross(omega, velocity)))
    if weld:
        _add_motion(efc, fresh(w), r + 3, sign * omega, sign * turning)


@wp.func
def _turn(scale: float, quat1: wp.vec4, quat2: wp.vec4) -> wp.mat33:
    """The matrix by which the rows of a weld's orientation see a relative rotation."""
    inverse2 = quat_conj(quat2)
    x = _between(inverse2, wp.vec3(1.0, 0.0, 0.0), quat1)
    y = _between(inverse2, wp.vec3(0.0, 1.0, 0.0), quat1)
    z = _between(inverse2, wp.vec3(0.0, 0.0, 1.0), quat1)
    return (0.5 * scale) * wp.matrix_from_cols(x, y, z)


@wp.func
def _refer_rows(opt: Option, site: Site, eq: Equality, vel: Velocity, efc: Efc, turn: wp.mat33, w: int, e: int, r: int, weld: bool) -> float:
    """Turn what the bodies have left in ``vel`` and ``aref`` into velocity and reference acceleration; returns the impedance."""
    angle = wp.vec3()
    if weld:
        angle = _three(efc.pos, w, r + 3)
    solimp = eq.solimp[per_world(eq.solimp.shape[0], w), e]
    imp = impedance(solimp, wp.sqrt(wp.length_sq(_three(efc.pos, w, r)) + wp.length_sq(angle)))
    solref = eq.solref[per_world(eq.solref.shape[0], w), e]
    kb = reference(solref, solimp, opt.timestep[per_world(opt.timestep.shape[0], w)], opt.disableflags)
    _refer(efc, w, r, _three(efc.vel, w, r), _three(efc.aref, w, r), kb[1], kb[0] * imp)
    if weld:
        spin = _three(efc.vel, w, r + 3)
        # second derivative of conj(q2) q1 at constant joint velocities, by the product rule
        omega1 = wp.spatial_top(vel.cvel[w, body_of(site, eq, eq.obj1id[e], e)])
        omega2 = wp.spatial_top(vel.cvel[w, body_of(site, eq, eq.obj2id[e], e)])
        bend = turn * (_three(efc.aref, w, r + 3) + wp.cross(omega1, omega2))
        bend -= (0.25 * wp.length_sq(spin)) * angle
        _refer(efc, w, r + 3, turn * spin, bend, kb[1], kb[0] * imp)
    return imp


@wp.func
def _weigh(opt: Option, dof: Dof, efc: Efc, w: int, first: int, invweight: float, imp: float):
    """D of three rows from ``first`` on that share an inverse weight and have their Jacobians."""
    R = regularization_of(opt, dof, efc, w, first, 3, invweight, imp)
    for c in range(3):
        efc.D[w, first + c] = 1.0 / R[c]


@wp.func
def body_equality(
    opt: Option, tree: Tree, body: Body, dof: Dof, site: Site, eq: Equality, state: State, kin: Kinematics, com: Com,
    vel: Velocity, efc: Efc, w: int, e: int, r: int, weld: bool,
):  # fmt: skip
    """Rows ``r`` to ``r + 2`` of a connect, to ``r + 5`` of a weld.

    What a part needs of another lies in the rows, and addresses are worked out anew, so that none of it is in registers meanwhile.
    """
    one = end_of(body, site, eq, kin, w, e, weld, False)
    two = end_of(body, site, eq, kin, w, e, weld, True)
    error = one.pos - two.pos
    for c in range(3):
        write_row(efc, fresh(w), fresh(r) + c, EQUALITY, e, error[c], 0.0, 0.0, 0.0, 0.0, 0.0)
    turn = wp.mat33()
    if weld:
        scale = eq.data[per_world(eq.data.shape[0], w), e][10]
        turn = _turn(scale, one.quat, two.quat)
        relative = quat_mul(quat_conj(two.quat), one.quat)
        for c in range(3):
            write_row(efc, fresh(w), fresh(r) + 3 + c, EQUALITY, e, scale * relative[1 + c], 0.0, 0.0, 0.0, 0.0, 0.0)
    clear_jacobian(efc, fresh(w), fresh(r), wp.where(weld, 6, 3))
    _add_body(tree, body, state, com, vel, efc, fresh(w), end_of(body, site, eq, kin, fresh(w), fresh(e), weld, False), 1.0, turn, weld, r)
    _add_body(tree, body, state, com, vel, efc, fresh(w), end_of(body, site, eq, kin, fresh(w), fresh(e), weld, True), -1.0, turn, weld, r)
    imp = _refer_rows(opt, site, eq, vel, efc, turn, fresh(w), fresh(e), fresh(r), weld)
    # D last: what the other columns follow from is not held while rows are weighed
    world = per_world(body.invweight0.shape[0], fresh(w))
    e = fresh(e)
    weight = body.invweight0[world, body_of(site, eq, eq.obj1id[e], e)] + body.invweight0[world, body_of(site, eq, eq.obj2id[e], e)]
    for part in range(wp.where(weld, 2, 1)):
        _weigh(opt, dof, efc, fresh(w), fresh(r) + 3 * part, wp.where(part == 0, weight[0], weight[1]), imp)
