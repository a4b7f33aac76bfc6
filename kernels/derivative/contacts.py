"""What contacts add to the linearized dynamics.

No Jacobian is needed: a column is the relative motion that one dof gives, the wrench that answers to it (``touch.py``), and that wrench's work on each dof.
"""

import warp as wp

from newtonish.kernels.derivative.algebra import bottom, carried, carried_force, join, real, top, vec6d, wide6
from newtonish.kernels.derivative.materials import surface_change
from newtonish.kernels.derivative.motion import act_on_body
from newtonish.kernels.derivative.touch import (
    Touch,
    about,
    along_axes,
    answer_of,
    at_contact,
    axes_of,
    moves,
    pushes,
    to_world,
    touch_of,
    wrench_of,
)
from newtonish.kernels.derivative.witness import Witness, displaced, is_known
from newtonish.kernels.derivative.witnesses import contact_count
from newtonish.kernels.derivative.work import work_on
from newtonish.kernels.derivative.workspace import Linear, LinearMotion
from newtonish.kernels.math.world import lanes
from newtonish.kernels.structs.data import Com, Contact, Efc, Kinematics, Status
from newtonish.kernels.structs.model import Body, Dof, Geom, Option, Size, Tree


@wp.func
def _turned(omega: wp.vec3d, pair: vec6d) -> vec6d:
    """Change of two vectors that turn along."""
    return join(wp.cross(omega, top(pair)), wp.cross(omega, bottom(pair)))


@wp.func
def note_blind_contact(contact: Contact, linear: Linear, found: Witness, w: int, c: int):
    """Note a contact whose geometry is unknown, if it is the first."""
    if not is_known(found) and linear.blind[w] == 0:
        linear.blind[w] = 1 + c
        linear.pair[w] = contact.geom[w, c]


@wp.func
def contact_loads(
    opt: Option, tree: Tree, body: Body, geom: Geom, com: Com, contact: Contact, efc: Efc, status: Status, linear: Linear, motion: LinearMotion, w: int,
):  # fmt: skip
    """Let all contacts act on their bodies, and note the first whose geometry is unknown; one lane calls it."""
    linear.blind[w] = 0
    for c in range(contact_count(motion, status, w)):
        if contact.efc_address[w, c] >= 0:
            found = motion.witness[w, c]
            touch = touch_of(opt, tree, body, geom, com, contact, efc, motion, found, w, c)
            if pushes(touch):
                note_blind_contact(contact, linear, found, w, c)
            wrench = to_world(axes_of(found), wrench_of(touch))
            act_on_body(body, com, motion, top(wrench), bottom(wrench), found.pos, w, touch.body2)
            act_on_body(body, com, motion, -top(wrench), -bottom(wrench), found.pos, w, touch.body1)


@wp.struct
class Column:
    """What one dof does to a contact's wrench on the second body."""

    resisted: vec6d  # by acceleration and by velocity, with opposite sign, along the contact's axes
    held: vec6d
    answer: vec6d  # by position, along axes that stay where they are
    turned: vec6d  # in the world, about where the contact was: what the motion of axes and point adds


@wp.func
def column_by(
    geom: Geom, kin: Kinematics, motion: LinearMotion, touch: Touch, found: Witness, axes: wp.mat33d, wrench: vec6d, axis: vec6d, on1: bool, on2: bool,
    w: int, k: int,
) -> Column:  # fmt: skip
    """The column of dof ``k``, which moves the first body, the second or both."""
    arm1 = found.pos - touch.center1
    arm2 = found.pos - touch.center2
    L1 = motion.L[w, touch.body1]
    L2 = motion.L[w, touch.body2]
    V1 = motion.V[w, touch.body1]
    V2 = motion.V[w, touch.body2]
    base_L = motion.base_L[w, k]
    base_V = motion.base_V[w, k]
    one = vec6d()
    two = vec6d()
    change_a = vec6d()
    change_v = vec6d()
    if on1:
        one = at_contact(axis, arm1)
        change_a = -at_contact(carried(axis, L1 - base_L), arm1)
        change_v = -at_contact(carried(axis, V1 - base_V), arm1)
    if on2:
        two = at_contact(axis, arm2)
        change_a += at_contact(carried(axis, L2 - base_L), arm2)
        change_v += at_contact(carried(axis, V2 - base_V), arm2)
    column = Column()
    # a motion of the dof is resisted, whether velocity or acceleration
    rate = along_axes(axes, two - one)
    damped = rate * touch.slide_damper
    damped[0] = rate[0] * touch.damper
    column.resisted = answer_of(touch, rate)
    column.held = answer_of(touch, damped)
    # a displacement changes distance, frame and point, and the motion seen there
    moved = displaced(found, top(one), bottom(one), top(two), bottom(two))
    seen_a = at_contact(L2, arm2) - at_contact(L1, arm1)
    seen_v = at_contact(V2, arm2) - at_contact(V1, arm1)
    change_a += join(wp.cross(bottom(seen_a), moved.pos), wp.vec3d()) - _turned(moved.turn, seen_a)
    change_v += join(wp.cross(bottom(seen_v), moved.pos), wp.vec3d()) - _turned(moved.turn, seen_v)
    along_a = along_axes(axes, change_a)
    along_v = along_axes(axes, change_v)
    if touch.flows:
        flow = along_axes(axes, surface_change(geom, kin, w, touch.geoms, found.pos, top(one), bottom(one), top(two), bottom(two), moved.pos, moved.turn))
        for i in range(1, wp.min(touch.dim, 4)):  # not along the normal, nor rolling
            along_v[i] += flow[i]
    residual = along_a + touch.slide_damper * along_v
    residual[0] = along_a[0] + touch.damper * along_v[0] + (touch.spring + touch.growth * touch.hold) * moved.dist
    if touch.sliding != real(0.0):
        residual += (touch.sliding * moved.dist) * along_axes(axes, seen_v)
    column.answer = touch.growth * moved.dist * touch.force - answer_of(touch, residual)
    column.turned = _turned(moved.turn, wrench) + join(wp.vec3d(), wp.cross(moved.pos, top(wrench)))  # the torque of a force that acts elsewhere
    return column


@wp.func
def _columns_of(
    size: Size, tree: Tree, dof: Dof, geom: Geom, kin: Kinematics, com: Com, linear: Linear, motion: LinearMotion, touch: Touch, found: Witness, w: int, lane: int,
):  # fmt: skip
    """What a contact adds to all columns of H, Gq and Gv."""
    axes = axes_of(found)
    arm1 = found.pos - touch.center1
    arm2 = found.pos - touch.center2
    wrench = to_world(axes, wrench_of(touch))
    for k in range(lane, size.nv, lanes()):
        on1 = moves(dof, k, touch.last1)
        on2 = moves(dof, k, touch.last2)
        if on1 or on2:
            axis = wide6(com.cdof[w, k])
            column = column_by(geom, kin, motion, touch, found, axes, wrench, axis, on1, on2, w, k)
            resisted = to_world(axes, column.resisted)
            held = to_world(axes, column.held)
            change = to_world(axes, column.answer) + column.turned
            # where the dof moves the body, a wrench that moves along is in the derivative of the inverse dynamics
            along1 = vec6d()
            along2 = vec6d()
            if on1:
                along1 = carried_force(axis, about(wrench, arm1))
            if on2:
                along2 = carried_force(axis, about(wrench, arm2))
            if touch.last1 >= 0:
                work_on(tree, com, linear, -about(resisted, arm1), -about(held, arm1), about(change, arm1) - along1, w, touch.body1, k)
            if touch.last2 >= 0:
                work_on(tree, com, linear, about(resisted, arm2), about(held, arm2), along2 - about(change, arm2), w, touch.body2, k)


@wp.func
def contact_columns_world(
    size: Size, opt: Option, tree: Tree, body: Body, dof: Dof, geom: Geom, kin: Kinematics, com: Com, contact: Contact, efc: Efc, status: Status,
    linear: Linear, motion: LinearMotion, w: int, lane: int,
):  # fmt: skip
    """Add all contacts to the columns of H, Gq and Gv; each lane has columns of its own."""
    for c in range(contact_count(motion, status, w)):
        if contact.efc_address[w, c] >= 0:
            found = motion.witness[w, c]
            touch = touch_of(opt, tree, body, geom, com, contact, efc, motion, found, w, c)
            if pushes(touch):
                _columns_of(size, tree, dof, geom, kin, com, linear, motion, touch, found, w, lane)
