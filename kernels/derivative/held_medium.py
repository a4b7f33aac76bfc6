"""What integrators take of a medium's forces at the end of the step, and how that changes.

The matrix of an implicit integrator has -h D, the metric of discrete too, with D the part of the slopes of the medium's forces that the integrator takes:
entry (i, k) is S_i . D_b S_k with the axes S and the slope D_b of the subtree below the deeper dof. So D times an acceleration is, like a force of
the medium, a sum of wrenches on bodies, y_b = D_b A_b with the sum A_b of axes times accelerations. Seen from the body, D_b is a function of its velocity
relative to the medium, and A_b changes where a dof turns what carries it: columns are those of ``medium.py``, with one more change. Where the mass
matrix has no place for two dofs of one body, each dof has an A_b of its own.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.derivative.algebra import carried, carried_force, mat66d, real, vec6d, wide6
from newtonish.kernels.derivative.bends import turns_with
from newtonish.kernels.derivative.drag_bends import body_fluid_bend
from newtonish.kernels.derivative.integrator import IMPLICIT
from newtonish.kernels.derivative.medium import is_off, seen_wind
from newtonish.kernels.derivative.response import DISCRETE
from newtonish.kernels.derivative.workspace import Linear, LinearMotion, Workspace
from newtonish.kernels.forces.fluid import DRAG, SYMMETRIC, WHOLE, body_fluid_slope
from newtonish.kernels.integrate.free_body import is_free_body
from newtonish.kernels.math.world import assume_nonnegative, lane_index, lanes, per_world, sync, world_index, worlds_per_thread
from newtonish.kernels.runtime.launch import launch, through_worlds
from newtonish.kernels.structs.data import Com, Kinematics, Velocity
from newtonish.kernels.structs.model import Body, Dof, Geom, Joint, Option, Size, Tree


@wp.func
def _part(size: Size, opt: Option, body: Body, jnt: Joint, dof: Dof, b: int) -> int:
    """Which part of the slope on body ``b`` the integrator takes."""
    part = wp.int32(SYMMETRIC)
    if opt.integrator == IMPLICIT:
        part = WHOLE
    elif opt.integrator == DISCRETE:
        part = DRAG
    else:
        j = body.jntadr[body.rootid[b]]
        if j >= 0:
            if is_free_body(size, jnt, dof, j):
                part = WHOLE
    return part


@wp.func
def _has_place(size: Size, opt: Option, jnt: Joint, dof: Dof, i: int, j: int) -> bool:
    """Whether the matrix has an entry for dofs ``i`` and ``j``, one of which moves the other."""
    low = wp.max(i, j)
    placed = i == j or opt.integrator == IMPLICIT or dof.M_rownnz[low] > 1
    if not placed and opt.integrator != DISCRETE:
        placed = is_free_body(size, jnt, dof, dof.jntid[low])
    return placed


@wp.func
def is_alone(size: Size, opt: Option, jnt: Joint, dof: Dof, i: int) -> bool:
    """Whether dof ``i`` has a place with itself only, although others move its body."""
    other = wp.where(dof.lastid[i] > i, dof.lastid[i], dof.parentid[i])
    return other >= 0 and not _has_place(size, opt, jnt, dof, i, other)


@wp.func
def _along(motion: LinearMotion, w: int, b: int, change: vec6d) -> mat66d:
    """Change of the slope of the subtree of body ``b`` with a velocity."""
    total = mat66d()
    for j in range(6):
        total += change[j] * motion.held_bend[w, b, j]
    return total


@wp.func
def _diagonal_change(opt: Option, jnt: Joint, dof: Dof, com: Com, motion: LinearMotion, w: int, i: int, k: int) -> wp.float64:
    """Change of S_i . D S_i with the position of dof ``k``; one of the two dofs moves the other."""
    axis = wide6(com.cdof[w, k])
    felt = wide6(com.cdof[w, i])
    b = dof.bodyid[wp.max(i, k)]
    total = wp.dot(felt, _along(motion, w, b, motion.u[w, k] + seen_wind(opt, axis, w)) * felt)
    if k > i and not turns_with(jnt, dof, i, k):
        total += real(2.0) * wp.dot(felt, motion.held_all[w, b] * carried(felt, axis))
    return total


@wp.func
def _diagonal_rate(dof: Dof, com: Com, motion: LinearMotion, w: int, i: int, k: int) -> wp.float64:
    """The same with its velocity."""
    felt = wide6(com.cdof[w, i])
    return wp.dot(felt, _along(motion, w, dof.bodyid[wp.max(i, k)], wide6(com.cdof[w, k])) * felt)


@wp.kernel
def _hold_medium(
    size: Size, opt: Option, tree: Tree, body: Body, jnt: Joint, dof: Dof, geom: Geom, kin: Kinematics, com: Com, vel: Velocity,
    linear: Linear, motion: LinearMotion, nworld: int,
):  # fmt: skip
    """Slopes of all bodies and what they are in the integrator's matrix."""
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        for b in range(lane, size.nbody, lanes()):
            slope = mat66d()
            if b > 0 and body.fluid[b] != 0 and not is_off(opt):
                found = body_fluid_slope(opt, body, geom, kin, com, vel, _part(size, opt, body, jnt, dof, b), w, b)
                for i in range(6):
                    for j in range(6):
                        slope[i, j] = real(found[i, j])
            motion.held[w, b] = slope
            motion.held_all[w, b] = slope
        sync()
        for back in range(1, size.nlevel - 1):
            level = size.nlevel - 1 - back
            for n in range(assume_nonnegative(tree.level_adr[level]) + lane, tree.level_adr[level + 1], lanes()):
                b = tree.level_bodyid[n]
                for c in range(tree.child_adr[b], tree.child_adr[b + 1]):
                    motion.held_all[w, b] = motion.held_all[w, b] + motion.held_all[w, tree.child_bodyid[c]]
            sync()
        for k in range(lane, size.nv, lanes()):
            for i in range(size.nv):
                entry = real(0.0)
                if wp.max(i, k) <= dof.lastid[wp.min(i, k)] and _has_place(size, opt, jnt, dof, i, k):
                    entry = wp.dot(wide6(com.cdof[w, i]), motion.held_all[w, dof.bodyid[wp.max(i, k)]] * wide6(com.cdof[w, k]))
                linear.medium[w, i, k] = entry
        sync()


through_worlds(_hold_medium)


@wp.func
def _load(
    size: Size, opt: Option, body: Body, jnt: Joint, dof: Dof, geom: Geom, kin: Kinematics, com: Com, vel: Velocity, motion: LinearMotion,
    w: int, b: int,
):  # fmt: skip
    """Wrench of body ``b``, its slope by velocity, and how the slope of the medium's force changes."""
    acting = body.fluid[b] != 0 and not is_off(opt)
    # accelerations of the integrator: those that it was given less those that it took away
    acceleration = motion.L[w, b] - motion.X[w, b]
    slope = mat66d()
    for j in range(6):
        bend = mat66d()
        if acting:
            unit = wp.spatial_vector()
            unit[j] = 1.0
            found = body_fluid_bend(opt, body, geom, kin, com, vel, _part(size, opt, body, jnt, dof, b), unit, w, b)
            for i in range(6):
                for k in range(6):
                    bend[i, k] = real(found[i, k])
        motion.held_bend[w, b, j] = bend
        column = bend * acceleration
        for i in range(6):
            slope[i, j] = column[i]
    motion.held_force[w, b] = motion.held[w, b] * acceleration
    motion.held_slope[w, b] = slope


@wp.func
def _columns(
    size: Size, opt: Option, jnt: Joint, dof: Dof, com: Com, linear: Linear, motion: LinearMotion, by_position: wp.array3d(dtype=wp.float64),
    by_velocity: wp.array3d(dtype=wp.float64), factor: wp.float64, w: int, k: int,
):  # fmt: skip
    """Add ``factor`` times column ``k`` of the derivatives of D times the acceleration."""
    axis = wide6(com.cdof[w, k])
    change = motion.u[w, k] + seen_wind(opt, axis, w)
    turned = carried(motion.base_L[w, k], axis) - motion.cx[w, k]  # change of the acceleration, as seen by what turns
    b = dof.bodyid[k]
    seen = motion.held_slope[w, b] * change + motion.held_all[w, b] * turned
    felt_rate = motion.held_slope[w, b] * axis
    alone = is_alone(size, opt, jnt, dof, k)
    i = dof.lastid[k]
    while i >= 0:
        felt = wide6(com.cdof[w, i])
        position = real(0.0)
        velocity = real(0.0)
        if alone:
            position = linear.acc[w, i] * _diagonal_change(opt, jnt, dof, com, motion, w, i, k)
            velocity = linear.acc[w, i] * _diagonal_rate(dof, com, motion, w, i, k)
        else:
            own = dof.bodyid[i]
            if i > k:
                position = wp.dot(felt, motion.held_slope[w, own] * change + motion.held_all[w, own] * turned)
                velocity = wp.dot(felt, motion.held_slope[w, own] * axis)
            else:
                position = wp.dot(felt, seen)
                if not turns_with(jnt, dof, i, k):
                    position += wp.dot(felt, carried_force(axis, motion.held_force[w, b]))
                velocity = wp.dot(felt, felt_rate)
        by_position[w, i, k] = by_position[w, i, k] + factor * position
        by_velocity[w, i, k] = by_velocity[w, i, k] + factor * velocity
        i = wp.where(i > k, i - 1, dof.parentid[i])


@wp.func
def _metric(size: Size, opt: Option, jnt: Joint, dof: Dof, com: Com, linear: Linear, motion: LinearMotion, dt: wp.float64, w: int, k: int):
    """Column ``k`` of the metric itself, in H, and of the changes of its diagonal."""
    for i in range(size.nv):
        linear.H[w, i, k] = linear.H[w, i, k] - dt * linear.medium[w, i, k]
    i = dof.lastid[k]
    while i >= 0:
        linear.stiffer[w, i, k] = linear.stiffer[w, i, k] - dt * _diagonal_change(opt, jnt, dof, com, motion, w, i, k)
        linear.stiffer[w, i, size.nv + k] = linear.stiffer[w, i, size.nv + k] - dt * _diagonal_rate(dof, com, motion, w, i, k)
        i = wp.where(i > k, i - 1, dof.parentid[i])


@wp.kernel
def _held_medium(
    size: Size, opt: Option, tree: Tree, body: Body, jnt: Joint, dof: Dof, geom: Geom, kin: Kinematics, com: Com, vel: Velocity,
    linear: Linear, motion: LinearMotion, nworld: int,
):  # fmt: skip
    """Wrenches of all bodies at the integrator's acceleration, summed over subtrees, and the columns of what they are on dofs."""
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        dt = real(opt.timestep[per_world(opt.timestep.shape[0], w)])
        for b in range(1 + lane, size.nbody, lanes()):
            _load(size, opt, body, jnt, dof, geom, kin, com, vel, motion, w, b)
        sync()
        for back in range(1, size.nlevel - 1):
            level = size.nlevel - 1 - back
            for n in range(assume_nonnegative(tree.level_adr[level]) + lane, tree.level_adr[level + 1], lanes()):
                b = tree.level_bodyid[n]
                for c in range(tree.child_adr[b], tree.child_adr[b + 1]):
                    child = tree.child_bodyid[c]
                    motion.held_force[w, b] = motion.held_force[w, b] + motion.held_force[w, child]
                    motion.held_slope[w, b] = motion.held_slope[w, b] + motion.held_slope[w, child]
                    for j in range(6):
                        motion.held_bend[w, b, j] = motion.held_bend[w, b, j] + motion.held_bend[w, child, j]
            sync()
        for k in range(lane, size.nv, lanes()):
            if opt.integrator == DISCRETE:
                _columns(size, opt, jnt, dof, com, linear, motion, linear.Gq, linear.Gv, -dt, w, k)
                _metric(size, opt, jnt, dof, com, linear, motion, dt, w, k)
            else:
                _columns(size, opt, jnt, dof, com, linear, motion, linear.Xq, linear.Xv, dt, w, k)


through_worlds(_held_medium)


def hold_medium(m: Any, d: Any, work: Workspace) -> None:
    """What the integrator takes of the slopes of the medium's forces, after ``forward``.

    Reads   m; d.kin, d.com, d.vel.cvel
    Writes  work.linear.medium; work.motion.held, held_all
    MuJoCo  mjd_passive_vel, the fluid part.
    """
    groups = [m.size, m.opt, m.tree, m.body, m.jnt, m.dof, m.geom, d.kin, d.com, d.vel]
    launch(_hold_medium, d, [*groups, work.linear, work.motion])


def held_medium(m: Any, d: Any, work: Workspace) -> None:
    """Add the changes of what the integrator takes, to Xq and Xv; with discrete to Gq, Gv and the metric's diagonal, and what it takes to H.

    Reads   m; d.kin, d.com, d.vel.cvel; work.linear.acc, medium; work.motion (after ``medium_columns``)
    Writes  work.linear.Xq, Xv or H, Gq, Gv, stiffer; work.motion.held_bend, held_force, held_slope
    MuJoCo  no equivalent.
    """
    groups = [m.size, m.opt, m.tree, m.body, m.jnt, m.dof, m.geom, d.kin, d.com, d.vel]
    launch(_held_medium, d, [*groups, work.linear, work.motion])
