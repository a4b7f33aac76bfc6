"""How moments change as dofs move: those of tendons and of actuators whose transmission turns.

A moment is the work that some wrenches on bodies do on each dof. As dof k moves, the wrenches change in the world, and so do the axes that turn along with the
dof. Column k of ``linear.bend`` holds the change of one moment; the next one takes its place.
"""

import warp as wp

from newtonish.common.enums import JointType
from newtonish.kernels.derivative.algebra import at_point, carried_force, join, real, top, vec6d, wide, wide6
from newtonish.kernels.derivative.integrator import are_coupled
from newtonish.kernels.derivative.touch import last_dof, moves
from newtonish.kernels.derivative.workspace import Linear
from newtonish.kernels.math.world import lanes, sync
from newtonish.kernels.structs.data import Com, Drive
from newtonish.kernels.structs.model import Actuator, Body, Dof, Joint, Option, Size, Tree


@wp.struct
class Anchor:
    """A point of a body, and what a dof does to both."""

    body: int
    point: wp.vec3d
    arm: wp.vec3d  # from the centre of mass of the body's tree
    moved: wp.vec3d  # change of the point in the world
    turn: wp.vec3d  # rotation of the body


@wp.func
def first_turning(jnt: Joint, dof: Dof, k: int) -> int:
    """First dof whose axis turns as dof ``k`` moves; the others follow, up to the last that it moves. Rotations of one ball turn each other."""
    joint = dof.jntid[k]
    kind = jnt.type[joint]
    first = jnt.dofadr[joint]
    if kind == JointType.FREE:
        first += 3
    result = k + 1
    if (kind == JointType.FREE or kind == JointType.BALL) and k >= first:
        result = first
    return result


@wp.func
def turns_with(jnt: Joint, dof: Dof, j: int, k: int) -> bool:
    """Whether the axis of dof ``j`` turns as dof ``k`` moves; one of the two moves the other."""
    return j >= first_turning(jnt, dof, k) and j <= dof.lastid[k]


@wp.func
def anchored(tree: Tree, body: Body, dof: Dof, com: Com, point: wp.vec3d, w: int, b: int, k: int) -> Anchor:
    """A point that is fixed to body ``b``, as dof ``k`` moves."""
    found = Anchor()
    found.body = b
    found.point = point
    found.arm = point - wide(com.subtree_com[w, body.rootid[b]])
    if moves(dof, k, last_dof(tree, b)):
        axis = wide6(com.cdof[w, k])
        found.moved = at_point(axis, found.arm)
        found.turn = top(axis)
    return found


@wp.func
def clear_bend(size: Size, linear: Linear, w: int, k: int):
    """No change of the moment yet."""
    for j in range(size.nv):
        linear.bend[w, j, k] = real(0.0)


@wp.func_native("""
    double* to = (double*)((char*)bend.data + (size_t)w * bend.strides[0]) + k;
    const float* axes = (const float*)((const char*)cdof.data + (size_t)w * cdof.strides[0]);
    const int n = bend.shape[2];
    for (int at = first; at < last; at++) {
        const int j = dofs.data[at];
        const float* axis = axes + 6 * j;
        const double* felt = j >= turning && j <= moved ? turned.c : change.c;
        double sum = 0.0;
        for (int i = 0; i < 6; i++) sum += axis[i] * felt[i];
        to[j * n] += sum;
    }
""")
def _add_work(
    bend: wp.array3d(dtype=wp.float64), cdof: wp.array2d(dtype=wp.spatial_vector), dofs: wp.array(dtype=int), first: int, last: int,
    change: vec6d, turned: vec6d, turning: int, moved: int, w: int, k: int,
):  # fmt: skip
    """Add the work of ``change`` on dofs of a chain to column ``k``, and that of ``turned`` on those from ``turning`` to ``moved``."""
    ...


@wp.func
def bend_by(
    tree: Tree, jnt: Joint, dof: Dof, com: Com, linear: Linear, at: Anchor, force: wp.vec3d, torque: wp.vec3d, dforce: wp.vec3d, dtorque: wp.vec3d,
    common: int, w: int, k: int,
):  # fmt: skip
    """Add the change of the work of a force at ``at`` and a torque, from dof ``common`` of the body's chain on, to column ``k``."""
    wrench = join(torque + wp.cross(at.arm, force), force)
    change = join(dtorque + wp.cross(at.moved, force) + wp.cross(at.arm, dforce), dforce)
    turned = change - carried_force(wide6(com.cdof[w, k]), wrench)
    first = tree.chain_adr[at.body] + common
    last = tree.chain_adr[at.body + 1]
    _add_work(linear.bend, com.cdof, tree.chain_dofid, first, last, change, turned, first_turning(jnt, dof, k), dof.lastid[k], w, k)


@wp.func
def fill_arm(size: Size, linear: Linear, columns: wp.array(dtype=int), values: wp.array2d(dtype=float), first: int, last: int, w: int, lane: int):
    """The sparse row of a moment from ``first`` to ``last``, into ``linear.arm``; begins and ends with a barrier."""
    sync()
    for i in range(lane, size.nv, lanes()):
        linear.arm[w, i] = real(0.0)
    sync()
    for n in range(first + lane, last, lanes()):
        linear.arm[w, columns[n]] = real(values[w, n])
    sync()


@wp.func
def fill_arm_of_output(size: Size, linear: Linear, drive: Drive, w: int, o: int, lane: int):
    """The same for output ``o`` of the actuators."""
    sync()
    for i in range(lane, size.nv, lanes()):
        linear.arm[w, i] = real(0.0)
    sync()
    first = drive.moment_rowadr[w, o]
    for n in range(first + lane, first + drive.moment_rownnz[w, o], lanes()):
        linear.arm[w, drive.moment_colind[w, n]] = real(drive.actuator_moment[w, n])
    sync()


@wp.func
def rate_of(size: Size, linear: Linear, values: wp.array2d(dtype=float), w: int, k: int) -> wp.float64:
    """Change of the moment times ``values``: of the velocity, if these are qvel."""
    total = real(0.0)
    for j in range(size.nv):
        total += linear.bend[w, j, k] * real(values[w, j])
    return total


@wp.func
def add_bend(size: Size, linear: Linear, target: wp.array3d(dtype=wp.float64), tension: wp.float64, driven: wp.float64, w: int, k: int):
    """Add forces along the changing moment to column ``k``; that of actuators, ``driven``, only where joints leave it free to change."""
    if tension != real(0.0) or driven != real(0.0):
        for j in range(size.nv):
            change = linear.bend[w, j, k]
            if change != real(0.0):
                force = tension
                if linear.left[w, j] != 0:
                    force += driven
                target[w, j, k] = target[w, j, k] + force * change


@wp.func
def add_bent_product(
    size: Size, opt: Option, jnt: Joint, dof: Dof, linear: Linear, target: wp.array3d(dtype=wp.float64), of: wp.array2d(dtype=wp.float64),
    weight: wp.float64, dweight: wp.float64, w: int, k: int,
):  # fmt: skip
    """Add the change of ``weight`` m m' ``of`` to column ``k``, of those products that the integrator's matrix has a place for; m is in ``linear.arm``."""
    if weight != real(0.0) or dweight != real(0.0):
        for i in range(size.nv):
            mi = linear.arm[w, i]
            di = linear.bend[w, i, k]
            if mi != real(0.0) or di != real(0.0):
                total = real(0.0)
                for j in range(size.nv):
                    mj = linear.arm[w, j]
                    dj = linear.bend[w, j, k]
                    if (mj != real(0.0) or dj != real(0.0)) and are_coupled(size, opt, jnt, dof, i, j):
                        total += (dweight * mi * mj + weight * (di * mj + mi * dj)) * of[w, j]
                target[w, i, k] = target[w, i, k] + total


@wp.func
def add_to_activations(actuator: Actuator, linear: Linear, farther: wp.float64, faster: wp.float64, w: int, a: int, k: int):
    """Changes of length and velocity of actuator ``a`` with dof ``k``, but for those of a constant moment, move the activations of its own law."""
    if linear.act_length.shape[1] > 0 and actuator.law[a] != 0:
        for z in range(actuator.actadr[a], actuator.actadr[a] + actuator.actnum[a]):
            linear.Az[w, z, k] = linear.Az[w, z, k] + linear.act_length[w, z] * farther + linear.act_velocity[w, z] * faster
            if linear.Ez.shape[1] > 0:
                linear.Ez[w, z, k] = linear.Ez[w, z, k] + linear.end_velocity[w, z] * faster
