"""What the derivatives of inverse dynamics need of each body and dof: one pass to the leaves, one back.

A small change of dof k by dq displaces all that the dof moves by ``axis dq``, like one rigid body. Seen from that body nothing changes but
the velocity of what carries it, which appears turned backwards: by ``u = base_V x axis``, the same for all of the subtree, where ``base_V``
is the velocity of what the dof does not turn. Accelerations change by ``c + u x V``, forces by ``inertia c + B u``, so that one matrix B
for each subtree serves all columns; of u it takes the rotation alone, as bias forces do not know a common linear velocity. Method: Carpentier and Mansard, Analytical derivatives of rigid body dynamics algorithms, RSS 2018,
here in the com-based frame, for joints of several dofs and coordinates whose axes turn along (ball) or do not (translations of free joints).
"""

import warp as wp

from newtonish.common.enums import JointType
from newtonish.kernels.derivative.algebra import (
    carried,
    carried_force,
    inertia_times,
    join,
    mat63d,
    real,
    vec6d,
    vec10d,
    wide,
    wide6,
)
from newtonish.kernels.derivative.workspace import Linear, LinearMotion
from newtonish.kernels.math.world import assume_nonnegative, lanes, sync
from newtonish.kernels.smooth.acceleration import world_acceleration
from newtonish.kernels.structs.data import Com
from newtonish.kernels.structs.model import Body, Joint, Option, Size, Tree


@wp.func
def _write_dof(motion: LinearMotion, w: int, i: int, axis: vec6d, V: vec6d, A: vec6d, L: vec6d, X: vec6d, after: vec6d):
    """What follows from the motion (V, A, L, X) that dof ``i`` does not turn, and from the velocity after its joint."""
    u = carried(V, axis)
    motion.base_V[w, i] = V
    motion.base_L[w, i] = L
    motion.u[w, i] = u
    motion.c[w, i] = carried(A, axis) - carried(u, V)
    motion.cx[w, i] = carried(X, axis)
    motion.e[w, i] = carried(V + after, axis)


@wp.func
def _body_motion(body: Body, jnt: Joint, com: Com, linear: Linear, motion: LinearMotion, w: int, b: int):
    """Motion of body ``b`` and of what its dofs carry, once its parent's is known."""
    parent = assume_nonnegative(body.parentid[b])
    V = motion.V[w, parent]
    A = motion.A[w, parent]
    L = motion.L[w, parent]
    X = motion.X[w, parent]
    adr = body.jntadr[b]
    for j in range(adr, adr + body.jntnum[b]):
        kind = jnt.type[assume_nonnegative(j)]
        first = assume_nonnegative(jnt.dofadr[assume_nonnegative(j)])
        number = wp.int32(1)
        if kind == JointType.FREE or kind == JointType.BALL:
            number = 3
        if kind == JointType.FREE:
            for k in range(3):
                axis = wide6(com.cdof[w, first + k])
                V += axis * linear.rate[w, first + k]
                A += axis * linear.push[w, first + k]
                L += axis * linear.push[w, first + k]
                X += axis * (linear.push[w, first + k] - linear.acc[w, first + k])
            for k in range(3):
                _write_dof(motion, w, first + k, wide6(com.cdof[w, first + k]), V, A, L, X, V)
            first += 3
        before = V
        base_A = A
        base_L = L
        base_X = X
        for k in range(first, first + number):
            axis = wide6(com.cdof[w, k])
            V += axis * linear.rate[w, k]
            A += axis * linear.push[w, k] + carried(before, axis) * linear.rate[w, k]
            L += axis * linear.push[w, k]
            X += axis * (linear.push[w, k] - linear.acc[w, k])
        if number == 1:  # a dof does not turn itself
            before = V
            base_A = A
            base_L = L
            base_X = X
        for k in range(first, first + number):
            _write_dof(motion, w, k, wide6(com.cdof[w, k]), before, base_A, base_L, base_X, V)
    motion.V[w, b] = V
    motion.A[w, b] = A
    motion.L[w, b] = L
    motion.X[w, b] = X


@wp.func
def _body_forces(com: Com, motion: LinearMotion, w: int, b: int):
    """Force that moves body ``b`` alone, and its change with a velocity added to the body."""
    inertia = vec10d()
    for k in range(10):
        inertia[k] = real(com.cinert[w, b][k])
    V = motion.V[w, b]
    momentum = inertia_times(inertia, V)
    motion.inertia[w, b] = inertia
    motion.F[w, b] = inertia_times(inertia, motion.A[w, b]) + carried_force(V, momentum)
    motion.FX[w, b] = inertia_times(inertia, motion.X[w, b])
    matrix = mat63d()
    for k in range(3):
        unit = vec6d()
        unit[k] = real(1.0)
        change = inertia_times(inertia, carried(unit, V)) + carried_force(unit, momentum) + carried_force(V, inertia_times(inertia, unit))
        for i in range(6):
            matrix[i, k] = change[i]
    motion.B[w, b] = matrix


@wp.func
def _world_motion(opt: Option, motion: LinearMotion, w: int, lane: int):
    """Motion of the world's body; returns with a barrier."""
    if lane == 0:
        motion.V[w, 0] = vec6d()
        motion.A[w, 0] = wide6(world_acceleration(opt, w))
        motion.L[w, 0] = vec6d()
        motion.X[w, 0] = vec6d()
    sync()


@wp.func
def body_velocities_world(
    size: Size, opt: Option, tree: Tree, body: Body, jnt: Joint, com: Com, linear: Linear, motion: LinearMotion, w: int, lane: int,
):  # fmt: skip
    """Motions of all bodies, at the velocity ``linear.rate`` and the acceleration ``linear.push``; returns with a barrier."""
    _world_motion(opt, motion, w, lane)
    for level in range(1, size.nlevel):
        for k in range(assume_nonnegative(tree.level_adr[level]) + lane, tree.level_adr[level + 1], lanes()):
            _body_motion(body, jnt, com, linear, motion, w, assume_nonnegative(tree.level_bodyid[k]))
        sync()


@wp.func
def body_motions_world(
    size: Size, opt: Option, tree: Tree, body: Body, jnt: Joint, com: Com, linear: Linear, motion: LinearMotion, w: int, lane: int,
):  # fmt: skip
    """The same, and the forces on each body alone."""
    _world_motion(opt, motion, w, lane)
    for level in range(1, size.nlevel):
        for k in range(assume_nonnegative(tree.level_adr[level]) + lane, tree.level_adr[level + 1], lanes()):
            b = assume_nonnegative(tree.level_bodyid[k])
            _body_motion(body, jnt, com, linear, motion, w, b)
            _body_forces(com, motion, w, b)
        sync()


@wp.func
def act_on_body(body: Body, com: Com, motion: LinearMotion, force: wp.vec3d, torque: wp.vec3d, point: wp.vec3d, w: int, b: int):
    """Let a force that acts on body ``b`` at a point of the world take part in moving it."""
    offset = point - wide(com.subtree_com[w, body.rootid[b]])
    motion.F[w, b] = motion.F[w, b] - join(torque + wp.cross(offset, force), force)


@wp.func
def subtrees_world(size: Size, tree: Tree, body: Body, com: Com, motion: LinearMotion, w: int, lane: int):
    """Sum forces and inertias over subtrees, once everything that acts on bodies is known; begins and ends with a barrier."""
    sync()
    for back in range(1, size.nlevel - 1):
        level = size.nlevel - 1 - back
        for k in range(assume_nonnegative(tree.level_adr[level]) + lane, tree.level_adr[level + 1], lanes()):
            b = assume_nonnegative(tree.level_bodyid[k])
            for c in range(assume_nonnegative(tree.child_adr[b]), tree.child_adr[b + 1]):
                child = assume_nonnegative(tree.child_bodyid[c])
                motion.F[w, b] = motion.F[w, b] + motion.F[w, child]
                motion.FX[w, b] = motion.FX[w, b] + motion.FX[w, child]
                motion.inertia[w, b] = motion.inertia[w, b] + motion.inertia[w, child]
                motion.B[w, b] = motion.B[w, b] + motion.B[w, child]
        sync()
    for level in range(1, size.nlevel):
        for k in range(assume_nonnegative(tree.level_adr[level]) + lane, tree.level_adr[level + 1], lanes()):
            b = assume_nonnegative(tree.level_bodyid[k])
            adr = body.dofadr[b]
            for i in range(adr, adr + body.dofnum[b]):
                axis = wide6(com.cdof[w, assume_nonnegative(i)])
                motion.IS[w, i] = inertia_times(motion.inertia[w, b], axis)
                motion.BS[w, i] = wp.transpose(motion.B[w, b]) * axis
    sync()
