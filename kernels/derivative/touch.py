"""A contact with rows: its force along its axes, and how that answers to the relative motion of its bodies.

A contact has ``dim`` axes: normal, two tangents, spin, two rolls. Its wrench in these axes is a function of the relative motion of its bodies,
and so is its derivative, one symmetric matrix C of the axes whatever the cone: sums of active edges, or the curvature of an elliptic cone.
"""

import warp as wp

from newtonish.common.enums import ConstraintState
from newtonish.kernels.constants import ELLIPTIC, QUADRATIC
from newtonish.kernels.derivative.algebra import at_point, bottom, join, mat66d, real, top, vec6d, wide
from newtonish.kernels.derivative.materials import held_up, pull_of, surface_moves
from newtonish.kernels.derivative.response import DISCRETE, response_of, slide_damper_of
from newtonish.kernels.derivative.witness import Witness
from newtonish.kernels.derivative.workspace import LinearMotion
from newtonish.kernels.math.world import per_world
from newtonish.kernels.structs.data import Com, Contact, Efc
from newtonish.kernels.structs.field import vec5
from newtonish.kernels.structs.model import Body, Dof, Geom, Option, Tree

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
    sliding: wp.float64  # what the velocity of a row adds to its spring; of a cone, of the normal alone
    growth: wp.float64
    pull: wp.float64  # along the normal, whatever the rows do
    hold: wp.float64  # what the rows ask for to hold it up
    flows: bool  # a surface moves
    geoms: wp.vec2i


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


# Native, since Warp copies the whole of a matrix in a struct to change one entry.
@wp.func_native("""
    const float* forces = (const float*)((const char*)force.data + (size_t)w * force.strides[0]) + r;
    const float* weights = (const float*)((const char*)D.data + (size_t)w * D.strides[0]) + r;
    for (int axis = 1; axis < touch.dim; axis++)
        for (int side = 0; side < 2; side++) {
            const int row = 2 * (axis - 1) + side;
            const double mu = side == 0 ? friction.c[axis - 1] : -friction.c[axis - 1];
            const double f = forces[row];
            touch.force.c[0] += f;
            touch.force.c[axis] += mu * f;
            if (f > 0.0) {
                const double weight = weights[row];
                touch.C.data[0][0] += weight;
                touch.C.data[0][axis] += weight * mu;
                touch.C.data[axis][0] += weight * mu;
                touch.C.data[axis][axis] += weight * mu * mu;
            }
        }
""")
def _pyramid(touch: wp.ref[Touch], friction: vec5, force: wp.array2d(dtype=float), D: wp.array2d(dtype=float), w: int, r: int):
    """Force and curvature of the edges normal +- friction * axis that push."""
    ...


@wp.func_native("""
    // the gap N - mu T from the normal force, which is exact where the residuals are small differences
    const double Dm = weight / (mu * mu * (1.0 + mu * mu));
    const double gap = -touch.force.c[0] / (mu * Dm);
    double unit[6], scale[6], T = 0.0;
    for (int axis = 1; axis < touch.dim; axis++) {
        scale[axis] = friction.c[axis - 1];
        unit[axis] = -touch.force.c[axis] / (touch.force.c[0] * scale[axis]);
        T += unit[axis] * scale[axis] * slip.c[axis];
    }
    if (!(T > 1.0e-12)) T = 1.0e-12;
    const double ratio = mu * (gap + mu * T) / T;
    touch.C.data[0][0] = Dm * mu * mu;
    for (int i = 1; i < touch.dim; i++) {
        touch.C.data[0][i] = touch.C.data[i][0] = -Dm * mu * mu * scale[i] * unit[i];
        for (int j = 1; j < touch.dim; j++) touch.C.data[i][j] = Dm * ratio * unit[i] * unit[j] * scale[i] * scale[j];
        touch.C.data[i][i] += Dm * (mu * mu - ratio) * scale[i] * scale[i];
    }
""")
def _cone(touch: wp.ref[Touch], friction: vec5, mu: wp.float64, weight: wp.float64, slip: vec6d):
    """Curvature of the middle zone of an elliptic cone; ``weight``: D of its normal, ``slip``: residuals along its axes.

    The cost is Dm (N - mu T)^2 / 2, N the normal residual times mu, T the length of the others times their friction.
    """
    ...


@wp.func_native("""
    const float* forces = (const float*)((const char*)force.data + (size_t)w * force.strides[0]) + r;
    const float* weights = (const float*)((const char*)D.data + (size_t)w * D.strides[0]) + r;
    for (int axis = 0; axis < touch.dim; axis++) {
        touch.force.c[axis] = forces[axis];
        if (quadratic) touch.C.data[axis][axis] = weights[axis];
    }
""")
def _rows(touch: wp.ref[Touch], force: wp.array2d(dtype=float), D: wp.array2d(dtype=float), quadratic: bool, w: int, r: int):
    """Forces of rows along the axes, and their weights where they are at rest."""
    ...


@wp.func
def axes_of(found: Witness) -> wp.mat33d:
    """Normal and tangents in the rows."""
    return wp.matrix_from_rows(found.normal, found.tangent1, found.tangent2)


@wp.func
def along_axes(axes: wp.mat33d, relative: vec6d) -> vec6d:
    """A motion of point and rotation, along the contact's axes."""
    return join(axes * top(relative), axes * bottom(relative))


@wp.func
def wrench_of(touch: Touch) -> vec6d:
    """What acts on the second body, along the contact's axes."""
    wrench = touch.force
    wrench[0] = wrench[0] - touch.pull
    return wrench


@wp.func
def to_world(axes: wp.mat33d, wrench: vec6d) -> vec6d:
    """Force and torque in the world of a wrench along the contact's axes."""
    return join(top(wrench) * axes, bottom(wrench) * axes)


@wp.func
def at_contact(turned: vec6d, arm: wp.vec3d) -> vec6d:
    """A motion at the contact: of the point, then the rotation."""
    return join(at_point(turned, arm), top(turned))


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
    slopes = response_of(opt, contact.solref[w, c], solimp, contact.dist[w, c] - contact.includemargin[w, c], efc.type[w, r], timestep)
    touch.spring = slopes.spring
    touch.sliding = slopes.sliding
    touch.damper = slopes.damper
    touch.slide_damper = slopes.damper
    touch.growth = slopes.growth
    touch.pull = pull_of(opt, contact, w, c)
    touch.hold = held_up(opt, contact, efc, w, c, r)
    touch.flows = surface_moves(geom, w, geoms)
    touch.geoms = geoms
    if touch.dim == 1:
        _rows(touch, efc.force, efc.D, efc.force[w, r] > 0.0, w, r)
    elif opt.cone == ELLIPTIC:
        touch.spring += touch.sliding * real(efc.vel[w, r])
        touch.sliding = real(0.0)
        friction_ref = contact.solreffriction[w, c]
        if friction_ref[0] != 0.0 or friction_ref[1] != 0.0 or opt.integrator == DISCRETE:
            touch.slide_damper = slide_damper_of(
                opt, wp.where(friction_ref[0] != 0.0 or friction_ref[1] != 0.0, friction_ref, contact.solref[w, c]), solimp, timestep
            )
        seen = at_contact(motion.L[w, touch.body2], found.pos - touch.center2) - at_contact(motion.L[w, touch.body1], found.pos - touch.center1)
        slip = along_axes(axes_of(found), seen)
        for axis in range(1, touch.dim):
            slip[axis] = slip[axis] - real(efc.aref[w, r + axis])
        zone = efc.state[w, r]
        _rows(touch, efc.force, efc.D, zone == QUADRATIC, w, r)
        if zone == CONE:
            _cone(touch, contact.friction[w, c], real(contact.mu[w, c]), real(efc.D[w, r]), slip)
    else:
        _pyramid(touch, contact.friction[w, c], efc.force, efc.D, w, r)
    return touch


@wp.func
def pushes(touch: Touch) -> bool:
    """Whether a contact has a force; without one it does not answer to small changes either."""
    return wp.dot(touch.force, touch.force) > real(0.0) or touch.pull != real(0.0)


@wp.func
def about(wrench: vec6d, arm: wp.vec3d) -> vec6d:
    """A force (first) and torque at ``arm`` from the origin, about the origin, torque first."""
    return join(bottom(wrench) + wp.cross(arm, top(wrench)), top(wrench))


@wp.func
def answer_of(touch: Touch, residual: vec6d) -> vec6d:
    """C times the residuals, of which a contact without torques has three."""
    result = vec6d()
    if touch.dim <= 3:
        for i in range(3):
            result[i] = touch.C[i, 0] * residual[0] + touch.C[i, 1] * residual[1] + touch.C[i, 2] * residual[2]
    else:
        result = touch.C * residual
    return result
