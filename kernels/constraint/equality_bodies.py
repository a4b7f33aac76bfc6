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
class Ends:
    """The two frames that an equality holds together: bodies, points [m] and orientations in the world."""

    body1: int
    body2: int
    pos1: wp.vec3
    pos2: wp.vec3
    quat1: wp.vec4
    quat2: wp.vec4


@wp.struct
class Motion:
    """Velocity of one body relative to another, and the relative acceleration that remains if qacc is zero."""

    velocity: wp.vec3  # of the points
    spin: wp.vec3
    acceleration: wp.vec3  # of the points
    angular: wp.vec3


@wp.func
def ends_of(body: Body, site: Site, eq: Equality, kin: Kinematics, w: int, e: int, weld: bool) -> Ends:
    """Frames of equality ``e``: two sites, or an anchor on each body; those of a weld are stored the other way round."""
    ends = Ends()
    one = eq.obj1id[e]
    two = eq.obj2id[e]
    data = eq.data[per_world(eq.data.shape[0], w), e]
    if eq.objtype[e] == OBJ_SITE:
        ends.body1 = site.bodyid[one]
        ends.body2 = site.bodyid[two]
        ends.pos1 = kin.site_xpos[w, one]
        ends.pos2 = kin.site_xpos[w, two]
        world = per_world(site.quat.shape[0], w)
        ends.quat1 = quat_mul(kin.xquat[w, ends.body1], site.quat[world, one])
        ends.quat2 = quat_mul(kin.xquat[w, ends.body2], site.quat[world, two])
    else:
        ends.body1 = one
        ends.body2 = two
        ends.quat1 = kin.xquat[w, one]
        ends.quat2 = kin.xquat[w, two]
        first = wp.vec3(data[0], data[1], data[2])
        second = wp.vec3(data[3], data[4], data[5])
        ends.pos1 = kin.xpos[w, one] + quat_rotate(ends.quat1, wp.where(weld, second, first))
        ends.pos2 = kin.xpos[w, two] + quat_rotate(ends.quat2, wp.where(weld, first, second))
        if weld:
            ends.quat1 = quat_mul(ends.quat1, wp.vec4(data[6], data[7], data[8], data[9]))
    return ends


@wp.func
def _between(left: wp.vec4, a: wp.vec3, right: wp.vec4) -> wp.vec3:
    """Vector part of the quaternion product left * (0, a) * right."""
    q = quat_mul(quat_mul(left, wp.vec4(0.0, a[0], a[1], a[2])), right)
    return wp.vec3(q[1], q[2], q[3])


@wp.func
def _add_body(
    tree: Tree, body: Body, state: State, com: Com, vel: Velocity, efc: Efc, w: int, b: int, point: wp.vec3, sign: float,
    turn: wp.mat33, weld: bool, r: int, motion: Motion,
) -> Motion:  # fmt: skip
    """Add the Jacobian of one body to the rows (its rotation mapped by ``turn``), and its motion to ``motion``."""
    offset = point - com.subtree_com[w, body.rootid[b]]
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
            add_entry(efc, v, r + c, i, moved[c])
        if weld:
            turned = turn * (sign * rotation)
            for c in range(3):
                add_entry(efc, v, r + 3 + c, i, turned[c])
        turning += speed * wp.spatial_top(rate)
        linear += speed * wp.spatial_bottom(rate)
    cvel = vel.cvel[w, b]
    omega = wp.spatial_top(cvel)
    velocity = wp.spatial_bottom(cvel) + wp.cross(omega, offset)
    result = Motion()
    result.velocity = motion.velocity + sign * velocity
    result.spin = motion.spin + sign * omega
    result.acceleration = motion.acceleration + sign * (linear + wp.cross(turning, offset) + wp.cross(omega, velocity))
    result.angular = motion.angular + sign * turning
    return result


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
    """Rows ``r`` to ``r + 2`` of a connect, to ``r + 5`` of a weld."""
    ends = ends_of(body, site, eq, kin, w, e, weld)
    scale = eq.data[per_world(eq.data.shape[0], w), e][10]
    inverse2 = quat_conj(ends.quat2)
    turn = wp.mat33()
    rows = wp.int32(3)
    error = ends.pos1 - ends.pos2
    angle = wp.vec3()
    relative = wp.vec4()
    if weld:
        rows = 6
        x = _between(inverse2, wp.vec3(1.0, 0.0, 0.0), ends.quat1)
        y = _between(inverse2, wp.vec3(0.0, 1.0, 0.0), ends.quat1)
        z = _between(inverse2, wp.vec3(0.0, 0.0, 1.0), ends.quat1)
        turn = (0.5 * scale) * wp.matrix_from_cols(x, y, z)
        relative = quat_mul(inverse2, ends.quat1)
        angle = scale * wp.vec3(relative[1], relative[2], relative[3])
    clear_jacobian(efc, w, r, rows)
    motion = Motion()
    motion = _add_body(tree, body, state, com, vel, efc, w, ends.body1, ends.pos1, 1.0, turn, weld, r, motion)
    motion = _add_body(tree, body, state, com, vel, efc, w, ends.body2, ends.pos2, -1.0, turn, weld, r, motion)

    solref = eq.solref[per_world(eq.solref.shape[0], w), e]
    solimp = eq.solimp[per_world(eq.solimp.shape[0], w), e]
    kb = reference(solref, solimp, opt.timestep[per_world(opt.timestep.shape[0], w)], opt.disableflags)
    imp = impedance(solimp, wp.sqrt(wp.length_sq(error) + wp.length_sq(angle)))
    world = per_world(body.invweight0.shape[0], w)
    weight = body.invweight0[world, ends.body1] + body.invweight0[world, ends.body2]
    for c in range(3):
        aref = -kb[1] * motion.velocity[c] - kb[0] * imp * error[c] - motion.acceleration[c]
        write_row(efc, fresh(w), r + c, EQUALITY, e, error[c], 0.0, 0.0, motion.velocity[c], aref, 0.0)
    if weld:
        spin = turn * motion.spin
        # second derivative of conj(q2) q1 at constant joint velocities, by the product rule
        omega1 = wp.spatial_top(vel.cvel[w, ends.body1])
        omega2 = wp.spatial_top(vel.cvel[w, ends.body2])
        bend = turn * (motion.angular + wp.cross(omega1, omega2))
        bend -= (0.25 * wp.length_sq(motion.spin)) * angle
        for c in range(3):
            aref = -kb[1] * spin[c] - kb[0] * imp * angle[c] - bend[c]
            write_row(efc, fresh(w), r + 3 + c, EQUALITY, e, angle[c], 0.0, 0.0, spin[c], aref, 0.0)
    # D last: what the other columns follow from is not held while rows are weighed
    for part in range(wp.where(weld, 2, 1)):
        _weigh(opt, dof, efc, w, r + 3 * part, wp.where(part == 0, weight[0], weight[1]), imp)
