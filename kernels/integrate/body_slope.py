"""Derivatives of forces by velocity, body by body: Coriolis forces and the medium.

With S_k the motion axis of dof k, v_b the spatial velocity of body b and I_b its inertia, the force that the
Newton-Euler recursion finds for b changes with the velocity of a dof k above it by I_b (W_k + S_k x v_b) +
S_k x* (I_b v_b) + v_b x* (I_b S_k), where W_k = 2 dS_k/dt - S_k x (velocity of the ball joint of k). All but W_k is linear
in S_k with a matrix of the body alone, so that one 6 by 6 matrix of the subtree below the deeper dof gives each element of
the derivative: dc_i/dv_k = S_i . (I W_k + B S_k). Derivation from Featherstone 2008, ch. 5, by the product rule.
"""

import warp as wp

from newtonish.common.enums import DisableBit, JointType
from newtonish.kernels.forces.fluid import SYMMETRIC, WHOLE, add_body_fluid_slope
from newtonish.kernels.integrate.free_body import is_free_body
from newtonish.kernels.math.spatial import cross_force, cross_motion, inertia_mul
from newtonish.kernels.math.world import fresh, lanes, per_world, sync
from newtonish.kernels.structs.data import Com, ImplicitState, Kinematics, Mass, State, Velocity
from newtonish.kernels.structs.model import Body, Dof, Geom, Implicit, Joint, Option, Size, Tree

NO_PASSIVE = wp.constant(int(DisableBit.SPRING | DisableBit.DAMPER))  # then the medium has no effect either


@wp.func_native(
    """
    float* matrix = (float*)((char*)slope.data + (size_t)w * slope.strides[0] + (size_t)b * slope.strides[1]);
    for (int i = 0; i < 6; i++) matrix[6 * i + k] -= column[i];
"""
)
def _subtract_column(slope: wp.array2d(dtype=wp.spatial_matrix), w: int, b: int, k: int, column: wp.spatial_vector):
    """Subtract from column ``k`` of a matrix in memory."""
    ...


@wp.func
def _subtract_coriolis(com: Com, vel: Velocity, imp: ImplicitState, w: int, b: int):
    """Subtract the matrix B of one body from ``imp.slope``, column by column: all of it is more than a lane of a GPU has registers for."""
    inertia = com.cinert[w, b]
    velocity = vel.cvel[w, b]
    momentum = inertia_mul(inertia, velocity)
    columns = wp.int32(6)  # a variable: not unrolled
    for k in range(columns):
        turn = wp.vec3(wp.where(k == 0, 1.0, 0.0), wp.where(k == 1, 1.0, 0.0), wp.where(k == 2, 1.0, 0.0))
        move = wp.vec3(wp.where(k == 3, 1.0, 0.0), wp.where(k == 4, 1.0, 0.0), wp.where(k == 5, 1.0, 0.0))
        axis = wp.spatial_vector(turn, move)
        column = inertia_mul(inertia, cross_motion(axis, velocity))
        column += cross_force(axis, momentum) + cross_force(velocity, inertia_mul(inertia, axis))
        _subtract_column(imp.slope, w, b, k, column)


@wp.func
def body_slopes_world(
    size: Size, opt: Option, tree: Tree, body: Body, jnt: Joint, dof: Dof, geom: Geom, kin: Kinematics, com: Com,
    vel: Velocity, imp: ImplicitState, coriolis: int, part: int, w: int, lane: int,
):  # fmt: skip
    """Fill ``imp.slope``: the medium's slope, less the Coriolis matrix if ``coriolis``, summed over each subtree.

    Of the medium's slope that ``part`` (see ``forces.fluid``); of trees that are one free body the whole for the symmetric part.
    """
    for b in range(lane, size.nbody, lanes()):
        imp.slope[w, b] = wp.spatial_matrix()
        if size.nfluid > 0 and (opt.disableflags & NO_PASSIVE) != NO_PASSIVE:
            kept = wp.int32(part)
            if part == SYMMETRIC and b > 0:
                j = body.jntadr[body.rootid[b]]
                if j >= 0:
                    if is_free_body(size, jnt, dof, j):
                        kept = WHOLE  # free bodies keep the whole derivative
            add_body_fluid_slope(opt, body, geom, kin, com, vel, kept, imp.slope, fresh(w), fresh(b))
        if coriolis != 0:
            _subtract_coriolis(com, vel, imp, fresh(w), fresh(b))
    sync()
    for back in range(1, size.nlevel - 1):
        level = size.nlevel - 1 - back
        for k in range(tree.level_adr[level] + lane, tree.level_adr[level + 1], lanes()):
            b = tree.level_bodyid[k]
            total = imp.slope[w, b]
            for c in range(tree.child_adr[b], tree.child_adr[b + 1]):
                total += imp.slope[w, tree.child_bodyid[c]]
            imp.slope[w, b] = total
        sync()


@wp.func
def add_body_slopes_world(size: Size, dof: Dof, com: Com, imp: ImplicitState, qDeriv: wp.array2d(dtype=float), w: int, lane: int):
    """Add cdof . slope cdof to qDeriv, in M's sparsity, for symmetric slopes."""
    for i in range(lane, size.nv, lanes()):
        row = com.cdof[w, i] * imp.slope[w, dof.bodyid[i]]
        for k in range(dof.M_rowadr[i], dof.M_rowadr[i] + dof.M_rownnz[i]):
            qDeriv[w, k] = qDeriv[w, k] + wp.dot(row, com.cdof[w, dof.M_colind[k]])
    sync()


@wp.func
def _axis_rate(jnt: Joint, dof: Dof, state: State, com: Com, vel: Velocity, w: int, k: int) -> wp.spatial_vector:
    """W_k of the head of the file."""
    rate = 2.0 * vel.cdof_dot[w, k]
    j = dof.jntid[k]
    kind = jnt.type[j]
    if kind == JointType.FREE or kind == JointType.BALL:
        first = jnt.dofadr[j]
        if kind == JointType.FREE:
            first += 3
        if k >= first:
            turning = wp.spatial_vector()
            for a in range(first, first + 3):
                turning += com.cdof[w, a] * state.qvel[w, a]
            rate -= cross_motion(com.cdof[w, k], turning)
        else:
            rate = wp.spatial_vector()
    return rate


@wp.func
def implicit_matrix_world(
    size: Size, opt: Option, jnt: Joint, dof: Dof, impl: Implicit, state: State, com: Com, mass: Mass, vel: Velocity,
    imp: ImplicitState, w: int, lane: int,
):  # fmt: skip
    """Fill ``imp.qLU`` = M - h (qDeriv + body slopes), both triangles; returns with a barrier."""
    dt = opt.timestep[per_world(opt.timestep.shape[0], w)]
    for i in range(lane, size.nv, lanes()):
        axis = com.cdof[w, i]
        for e in range(impl.D_rowadr[i], impl.D_rowadr[i] + impl.D_rownnz[i]):
            k = impl.D_colind[e]
            deeper = dof.bodyid[wp.max(i, k)]
            force = inertia_mul(mass.crb[w, deeper], _axis_rate(jnt, dof, state, com, vel, w, k))
            force -= imp.slope[w, deeper] * com.cdof[w, k]
            element = dt * wp.dot(axis, force)
            entry = impl.mapM2D[e]
            if entry >= 0:
                element += mass.M[w, entry] - dt * mass.qDeriv[w, entry]
            imp.qLU[w, e] = element
    sync()
