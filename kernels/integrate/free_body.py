"""Free bodies in the implicit integrators: a full 6 by 6 system each, with the derivative of gyroscopic forces.

A body that spins fast gains energy if its gyroscopic torque is taken from the start of the step. For a tree that is one
free rigid body MuJoCo 4 therefore solves (M + h dc/dv - h dF/dv) a = f with the whole, unsymmetric derivative of the
bias force c, at the price of six unknowns. Derivation: c = (m w x (w x s), R' (w x I w + m s x (w x (w x s)))) for
angular velocity w = R v, s the offset of the centre of mass and I the inertia about it, all in world axes.
"""

import warp as wp

from newtonish.common.enums import DisableBit, JointType
from newtonish.kernels.integrate.euler import damping_slope
from newtonish.kernels.math.polynomial import poly_slope
from newtonish.kernels.math.world import fresh, lanes, per_world, sync
from newtonish.kernels.structs.data import Com, Drive, Force, Kinematics, Mass, Scratch, Solve, State, TendonState
from newtonish.kernels.structs.model import Actuator, Dof, Joint, Option, Size, Tendon


@wp.struct
class Blocks:
    """A 6 by 6 matrix over (translation, rotation) of a free joint."""

    tt: wp.mat33
    tr: wp.mat33
    rt: wp.mat33
    rr: wp.mat33


@wp.func
def solve_blocks(blocks: Blocks, force: wp.spatial_vector) -> wp.spatial_vector:
    """Acceleration of a free body, translation first, under a generalized force."""
    # eliminate the translation, whose block is close to the mass times the identity
    inverse = wp.inverse(blocks.tt)
    eliminate = blocks.rt * inverse
    reduced = wp.spatial_bottom(force) - eliminate * wp.spatial_top(force)
    turn = wp.inverse(blocks.rr - eliminate * blocks.tr) * reduced
    return wp.spatial_vector(inverse * (wp.spatial_top(force) - blocks.tr * turn), turn)


@wp.func
def is_free_body(size: Size, jnt: Joint, dof: Dof, j: int) -> bool:
    """Joint ``j`` is free and moves all that its tree has: no other dof belongs to the tree."""
    alone = wp.bool(False)
    if jnt.type[j] == JointType.FREE:
        after = jnt.dofadr[j] + 6
        alone = after == size.nv
        if not alone:
            alone = dof.treeid[after] != dof.treeid[after - 1]
    return alone


@wp.func
def gyroscopic_blocks(kin: Kinematics, com: Com, mass: Mass, state: State, w: int, b: int, v: int, dt: float) -> Blocks:
    """dt times the derivative of the bias force of free body ``b`` by the velocity that begins at ``v``."""
    composite = mass.crb[w, b]
    m = composite[9]
    inertia = wp.mat33(
        composite[0], composite[3], composite[4],
        composite[3], composite[1], composite[5],
        composite[4], composite[5], composite[2],
    )  # fmt: skip
    rot = kin.xmat[w, b]
    s = com.subtree_com[w, b] - kin.xpos[w, b]
    omega = rot * wp.vec3(state.qvel[w, v + 3], state.qvel[w, v + 4], state.qvel[w, v + 5])
    # derivatives by omega of w x (w x s) and of w x I w
    centripetal = -wp.skew(wp.cross(omega, s)) - wp.skew(omega) * wp.skew(s)
    gyroscopic = wp.skew(omega) * inertia - wp.skew(inertia * omega)
    blocks = Blocks()
    blocks.tr = (dt * m) * centripetal * rot
    blocks.rr = dt * wp.transpose(rot) * (gyroscopic + m * wp.skew(s) * centripetal) * rot
    return blocks


@wp.func
def _mass_row(dof: Dof, mass: Mass, w: int, v: int, i: int) -> wp.spatial_vector:
    """Entries (i, j), j <= i, of M among the dofs of one free body, from ``v`` on; rows of simple bodies hold the diagonal only."""
    first = dof.M_rowadr[v + i]
    column = first + dof.M_rownnz[v + i] - 1 - i
    row = wp.spatial_vector()
    for j in range(6):
        if j <= i and column + j >= first:
            row[j] = mass.M[w, column + j]
    return row


@wp.func
def _moment(drive: Drive, w: int, adr: int) -> wp.vec3:
    return wp.vec3(drive.actuator_moment[w, adr], drive.actuator_moment[w, adr + 1], drive.actuator_moment[w, adr + 2])


@wp.func
def _row_of_body(drive: Drive, w: int, o: int, v: int) -> int:
    """Entry of dof ``v`` in the moment row of output ``o``, followed by those of the body's other dofs; -1: none."""
    found = wp.int32(-1)
    first = drive.moment_rowadr[w, o]
    for k in range(first, first + drive.moment_rownnz[w, o]):
        if drive.moment_colind[w, k] == v:
            found = k
    return found


@wp.func
def free_body_matrix(
    size: Size, opt: Option, jnt: Joint, dof: Dof, actuator: Actuator, state: State, kin: Kinematics, com: Com,
    mass: Mass, drive: Drive, w: int, j: int,
) -> Blocks:  # fmt: skip
    """Matrix of the implicit step of the free body that joint ``j`` moves, after ``deriv_smooth_vel_world``, which fills ``drive.slope``."""
    dt = opt.timestep[per_world(opt.timestep.shape[0], w)]
    v = jnt.dofadr[j]
    blocks = gyroscopic_blocks(kin, com, mass, state, w, jnt.bodyid[j], v, dt)
    for row in range(3):
        move = _mass_row(dof, mass, fresh(w), fresh(v), row)
        turn = _mass_row(dof, mass, fresh(w), fresh(v), 3 + row)
        for col in range(3):
            blocks.rt[row, col] = blocks.rt[row, col] + turn[col]
            blocks.tr[col, row] = blocks.tr[col, row] + turn[col]
            if col <= row:
                blocks.tt[row, col] = blocks.tt[row, col] + move[col]
                blocks.rr[row, col] = blocks.rr[row, col] + turn[3 + col]
            if col < row:
                blocks.tt[col, row] = blocks.tt[col, row] + move[col]
                blocks.rr[col, row] = blocks.rr[col, row] + turn[3 + col]
    if (opt.disableflags & DisableBit.DAMPER) == 0:
        for row in range(3):
            blocks.tt[row, row] = blocks.tt[row, row] + dt * damping_slope(dof, state, w, v + row)
            blocks.rr[row, row] = blocks.rr[row, row] + dt * damping_slope(dof, state, w, v + 3 + row)
    if (opt.disableflags & DisableBit.ACTUATION) == 0:
        for a in range(size.nactuator):
            if _row_of_body(drive, w, actuator.outadr[a], v) >= 0:
                slope = -dt * drive.slope[w, a]
                for k in range(actuator.outnum[a]):
                    adr = _row_of_body(drive, w, actuator.outadr[a] + k, v)
                    t = _moment(drive, w, adr)
                    r = _moment(drive, w, adr + 3)
                    blocks.tt += slope * wp.outer(t, t)
                    blocks.tr += slope * wp.outer(t, r)
                    blocks.rt += slope * wp.outer(r, t)
                    blocks.rr += slope * wp.outer(r, r)
    return blocks


@wp.func
def solve_free_body(blocks: Blocks, frc: Force, sol: Solve, scratch: Scratch, w: int, v: int):
    """Write the acceleration of the free body whose dofs begin at ``v`` to ``scratch.qvel``."""
    force = wp.spatial_vector()
    for k in range(6):
        force[k] = frc.qfrc_smooth[w, v + k] + sol.qfrc_constraint[w, v + k]
    acceleration = solve_blocks(blocks, force)
    for k in range(6):
        scratch.qvel[w, v + k] = acceleration[k]


@wp.func
def with_tendons(blocks: Blocks, size: Size, opt: Option, tendon: Tendon, ten: TendonState, dt: float, w: int, v: int) -> Blocks:
    """``blocks`` of the free body whose dofs begin at ``v``, with the dampers of tendons attached to it."""
    if size.ntendon > 0 and (opt.disableflags & DisableBit.DAMPER) == 0:
        for i in range(size.ntendon):
            linear = tendon.damping[per_world(tendon.damping.shape[0], w), i]
            poly = tendon.dampingpoly[per_world(tendon.dampingpoly.shape[0], w), i]
            slope = dt * poly_slope(linear, poly, wp.abs(ten.velocity[w, i]))
            adr = wp.int32(-1)
            for k in range(tendon.J_rowadr[i], tendon.J_rowadr[i] + tendon.J_rownnz[i]):
                if tendon.J_colind[k] == v:
                    adr = k
            if slope != 0.0 and adr >= 0:
                t = wp.vec3(ten.J[w, adr], ten.J[w, adr + 1], ten.J[w, adr + 2])
                r = wp.vec3(ten.J[w, adr + 3], ten.J[w, adr + 4], ten.J[w, adr + 5])
                blocks.tt += slope * wp.outer(t, t)
                blocks.tr += slope * wp.outer(t, r)
                blocks.rt += slope * wp.outer(r, t)
                blocks.rr += slope * wp.outer(r, r)
    return blocks


@wp.func
def solve_free_bodies_world(
    size: Size, opt: Option, jnt: Joint, dof: Dof, actuator: Actuator, tendon: Tendon, state: State, kin: Kinematics,
    com: Com, mass: Mass, frc: Force, drive: Drive, ten: TendonState, sol: Solve, scratch: Scratch, w: int, lane: int,
):  # fmt: skip
    """Replace the accelerations in ``scratch.qvel`` of all free bodies by the solution of their own systems."""
    for j in range(lane, size.njnt, lanes()):
        if is_free_body(size, jnt, dof, j):
            v = jnt.dofadr[j]
            blocks = free_body_matrix(size, opt, jnt, dof, actuator, state, kin, com, mass, drive, fresh(w), j)
            dt = opt.timestep[per_world(opt.timestep.shape[0], w)]
            blocks = with_tendons(blocks, size, opt, tendon, ten, dt, fresh(w), v)
            solve_free_body(blocks, frc, sol, scratch, fresh(w), v)
    sync()
