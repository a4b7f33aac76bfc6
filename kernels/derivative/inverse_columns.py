"""Derivatives of the inverse dynamics by position and velocity, a column for each dof, from what ``motion.py`` found."""

import warp as wp

from newtonish.common.enums import JointType
from newtonish.kernels.derivative.algebra import carried_force, inertia_times, real, top, wide6
from newtonish.kernels.derivative.solves import clear_matrix, copy_matrix
from newtonish.kernels.derivative.workspace import Linear, LinearMotion
from newtonish.kernels.math.world import assume_nonnegative, lanes, sync
from newtonish.kernels.structs.data import Com, Mass
from newtonish.kernels.structs.model import Dof, Joint, Size


@wp.func
def turns_along(jnt: Joint, dof: Dof, j: int, k: int) -> bool:
    """Whether the axis of dof ``j``, which comes no later than ``k`` in its chain, turns with ``k``: both are rotations of one ball."""
    joint = dof.jntid[k]
    kind = jnt.type[joint]
    first = jnt.dofadr[joint]
    if kind == JointType.FREE:
        first += 3
    rotations = kind == JointType.FREE or kind == JointType.BALL
    return rotations and dof.jntid[j] == joint and j >= first


@wp.func
def _column(jnt: Joint, dof: Dof, com: Com, linear: Linear, motion: LinearMotion, w: int, k: int):
    """Column ``k`` of Gq, Gv and Xq."""
    b = assume_nonnegative(dof.bodyid[k])
    axis = wide6(com.cdof[w, k])
    inertia = motion.inertia[w, b]
    matrix = motion.B[w, b]
    u = motion.u[w, k]
    c = motion.c[w, k]
    e = motion.e[w, k]
    cx = motion.cx[w, k]
    # dofs that this one moves see their subtrees change ...
    for j in range(k + 1, dof.lastid[k] + 1):
        linear.Gq[w, j, k] = wp.dot(motion.IS[w, j], c) + wp.dot(motion.BS[w, j], top(u))
        linear.Gv[w, j, k] = wp.dot(motion.IS[w, j], e) + wp.dot(motion.BS[w, j], top(axis))
        linear.Xq[w, j, k] = wp.dot(motion.IS[w, j], cx)
    # ... and those that move it, this one's subtree, which also turns
    seen = inertia_times(inertia, c) + matrix * top(u)
    turned = seen + carried_force(axis, motion.F[w, b])
    by_velocity = inertia_times(inertia, e) + matrix * top(axis)
    seen_x = inertia_times(inertia, cx)
    turned_x = seen_x + carried_force(axis, motion.FX[w, b])
    j = wp.int32(k)
    while j >= 0:
        other = wide6(com.cdof[w, j])
        linear.Gv[w, j, k] = wp.dot(other, by_velocity)
        if turns_along(jnt, dof, j, k):
            linear.Gq[w, j, k] = wp.dot(other, seen)
            linear.Xq[w, j, k] = wp.dot(other, seen_x)
        else:
            linear.Gq[w, j, k] = wp.dot(other, turned)
            linear.Xq[w, j, k] = wp.dot(other, turned_x)
        j = dof.parentid[j]


@wp.func
def inverse_columns_world(size: Size, jnt: Joint, dof: Dof, com: Com, linear: Linear, motion: LinearMotion, w: int, lane: int):
    """Begin the columns of H, Gq, Gv and Xq of one world; each lane has columns of its own."""
    copy_matrix(linear.H, linear.M, size.nv, w)
    clear_matrix(linear.Gq, size.nv, w)
    clear_matrix(linear.Gv, size.nv, w)
    clear_matrix(linear.Xq, size.nv, w)
    sync()
    for k in range(lane, size.nv, lanes()):
        _column(jnt, dof, com, linear, motion, w, k)


@wp.func
def dense_mass_world(size: Size, dof: Dof, mass: Mass, linear: Linear, w: int, lane: int):
    """The mass matrix, both triangles; returns without a barrier."""
    clear_matrix(linear.M, size.nv, w)
    sync()
    for i in range(lane, size.nv, lanes()):
        for k in range(dof.M_rowadr[i], dof.M_rowadr[i] + dof.M_rownnz[i]):
            j = dof.M_colind[k]
            linear.M[w, i, j] = real(mass.M[w, k])
            linear.M[w, j, i] = real(mass.M[w, k])
