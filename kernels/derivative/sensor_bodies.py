"""Derivatives of sensors of many bodies: of subtrees, energies, forces between bodies, and touch."""

import warp as wp

from newtonish.common.enums import DisableBit, SensorType
from newtonish.kernels.constants import MINVAL
from newtonish.kernels.derivative.algebra import (
    at_point,
    bottom,
    carried,
    carried_force,
    inertia_times,
    join,
    real,
    top,
    vec6d,
    vec10d,
    wide,
    wide6,
    wide_matrix,
)
from newtonish.kernels.derivative.contacts import column_by
from newtonish.kernels.derivative.sensor_frames import BY_ACCELERATION, BY_POSITION, BY_VELOCITY, Change, arm_of, body_change, velocity_change
from newtonish.kernels.derivative.touch import about, axes_of, moves, pushes, to_world, touch_of, wrench_of
from newtonish.kernels.derivative.witnesses import contact_count
from newtonish.kernels.derivative.workspace import Linear, LinearMotion
from newtonish.kernels.math.world import per_world
from newtonish.kernels.sensor.ray import ray_shape
from newtonish.kernels.structs.data import Com, Contact, Efc, Force, Kinematics, Sense, State, Status
from newtonish.kernels.structs.model import Body, Dof, Geom, Option, Sensor, Site, Size, Tree


@wp.func
def end_of_subtree(size: Size, body: Body, b: int) -> int:
    """One past the last body of the subtree of body ``b``, whose bodies follow it."""
    end = b + 1
    while end < size.nbody:
        if body.parentid[end] < b:
            break
        end += 1
    return end


@wp.func
def _inertia_of(com: Com, w: int, b: int) -> vec10d:
    inertia = vec10d()
    for i in range(10):
        inertia[i] = real(com.cinert[w, b][i])
    return inertia


@wp.func
def _momentum_change(
    size: Size, tree: Tree, body: Body, dof: Dof, kin: Kinematics, com: Com, motion: LinearMotion, kind: int, w: int, b: int, k: int, mode: int,
) -> wp.vec3d:  # fmt: skip
    """Change of the centre of mass of a subtree, of its velocity, or of the angular momentum about it."""
    mass_w = per_world(body.mass.shape[0], w)
    center = wide(com.subtree_com[w, b])
    moved = wp.vec3d()
    rate = wp.vec3d()
    momentum = wp.vec3d()
    turning = wp.vec3d()
    for c in range(b, end_of_subtree(size, body, b)):
        mass = real(body.mass[mass_w, c])
        if mass > real(0.0):
            change = body_change(tree, dof, com, motion, w, c, k, mode)
            V = motion.V[w, c]
            arm = arm_of(body, com, wide(kin.xipos[w, c]), w, c)
            shift = at_point(change.moved, arm)
            dv = velocity_change(V, change, arm, shift)
            moved += mass * shift
            rate += mass * dv
            momentum += mass * at_point(V, arm)
            if kind == SensorType.SUBTREEANGMOM:
                axes = wide_matrix(kin.ximat[w, c])
                moments = wide(body.inertia[per_world(body.inertia.shape[0], w), c])
                omega = top(V)
                turn = top(change.moved)
                spin = axes * wp.cw_mul(moments, wp.transpose(axes) * omega)
                spun = axes * wp.cw_mul(moments, wp.transpose(axes) * (top(change.V) - wp.cross(turn, omega)))
                turning += wp.cross(turn, spin) + spun + mass * (wp.cross(shift, at_point(V, arm)) + wp.cross(wide(kin.xipos[w, c]) - center, dv))
    whole = real(wp.max(MINVAL, body.subtreemass[per_world(body.subtreemass.shape[0], w), b]))
    result = moved / whole
    if kind == SensorType.SUBTREELINVEL:
        result = rate / whole
    elif kind == SensorType.SUBTREEANGMOM:
        result = turning - wp.cross(moved / whole, momentum)
    return result


@wp.func
def _energy_change(
    size: Size, opt: Option, tree: Tree, body: Body, dof: Dof, state: State, kin: Kinematics, com: Com, frc: Force, linear: Linear, motion: LinearMotion,
    kind: int, w: int, k: int, mode: int,
) -> wp.float64:  # fmt: skip
    """Change of the potential or kinetic energy."""
    found = real(0.0)
    first = dof.bodyid[k]
    axis = wide6(com.cdof[w, k])
    if kind == SensorType.E_KINETIC and mode == BY_VELOCITY:
        for j in range(size.nv):
            found += linear.M[w, k, j] * real(state.qvel[w, j])
    elif mode == BY_POSITION:
        if kind == SensorType.E_POTENTIAL:
            if (opt.disableflags & DisableBit.SPRING) == 0:
                found = -real(frc.qfrc_spring[w, k])
            if (opt.disableflags & DisableBit.GRAVITY) == 0:
                gravity = wide(opt.gravity[per_world(opt.gravity.shape[0], w)])
                for b in range(first, end_of_subtree(size, body, first)):
                    mass = real(body.mass[per_world(body.mass.shape[0], w), b])
                    found -= mass * wp.dot(gravity, at_point(axis, arm_of(body, com, wide(kin.xipos[w, b]), w, b)))
        else:  # momenta turn along with velocities, but for the velocity that the dof does not turn
            turned = carried(axis, motion.base_V[w, k])
            for b in range(first, end_of_subtree(size, body, first)):
                found -= wp.dot(inertia_times(_inertia_of(com, w, b), motion.V[w, b]), turned)
    return found


@wp.struct
class ContactChange:
    """Change of a contact's force: its normal part, and force and torque in the world about where it acted."""

    normal: wp.float64
    wrench: vec6d


@wp.func(inline=False)
def _contact_change(
    opt: Option, tree: Tree, body: Body, dof: Dof, geom: Geom, kin: Kinematics, com: Com, contact: Contact, efc: Efc, motion: LinearMotion,
    w: int, c: int, k: int, mode: int,
) -> ContactChange:  # fmt: skip
    """Change of the force of contact ``c``, on its second geom."""
    result = ContactChange()
    found = motion.witness[w, c]
    touch = touch_of(opt, tree, body, geom, com, contact, efc, motion, found, w, c)
    on1 = moves(dof, k, touch.last1)
    on2 = moves(dof, k, touch.last2)
    if pushes(touch) and (on1 or on2):
        axes = axes_of(found)
        column = column_by(geom, kin, motion, touch, found, axes, to_world(axes, wrench_of(touch)), wide6(com.cdof[w, k]), on1, on2, w, k)
        answer = -column.resisted
        if mode == BY_VELOCITY:
            answer = -column.held
        elif mode == BY_POSITION:
            answer = column.answer
            result.wrench = column.turned
        result.normal = answer[0]
        result.wrench = result.wrench + to_world(axes, answer)
    return result


@wp.func
def _touches(geom: Geom, site: Site, kin: Kinematics, contact: Contact, w: int, i: int, c: int) -> bool:
    """Whether the touch sensor of site ``i`` feels contact ``c``: as it is measured, and at its edge as on this side of it."""
    geoms = contact.geom[w, c]
    carrier = site.bodyid[i]
    second = geom.bodyid[geoms[1]] == carrier
    felt = second or geom.bodyid[geoms[0]] == carrier
    if felt:
        frame = contact.frame[w, c]
        normal = wp.vec3(frame[0, 0], frame[0, 1], frame[0, 2])
        if second:
            normal = -normal
        to_site = wp.transpose(kin.site_xmat[w, i])
        size = site.size[per_world(site.size.shape[0], w), i]
        felt = ray_shape(site.type[i], size, to_site * (contact.pos[w, c] - kin.site_xpos[w, i]), to_site * normal)[3] >= 0.0
    return felt


@wp.func
def _inner_force_change(
    size: Size, opt: Option, tree: Tree, body: Body, dof: Dof, geom: Geom, state: State, kin: Kinematics, com: Com, contact: Contact, efc: Efc,
    status: Status, motion: LinearMotion, w: int, b: int, k: int, mode: int,
) -> vec6d:  # fmt: skip
    """Change of the force and torque between body ``b`` and its parent: what moves the subtree less what acts on it from outside."""
    total = vec6d()
    end = end_of_subtree(size, body, b)
    for c in range(b, end):
        change = body_change(tree, dof, com, motion, w, c, k, mode)
        inertia = _inertia_of(com, w, c)
        V = motion.V[w, c]
        A = motion.A[w, c]
        s = change.moved
        momentum = inertia_times(inertia, V)
        dV = change.V - carried(s, V)
        dA = change.A - carried(s, A)
        total += carried_force(s, inertia_times(inertia, A) + carried_force(V, momentum))
        total += inertia_times(inertia, dA) + carried_force(dV, momentum) + carried_force(V, inertia_times(inertia, dV))
        if mode == BY_POSITION:
            load = wide6(state.xfrc_applied[w, c])
            arm = arm_of(body, com, wide(kin.xipos[w, c]), w, c)
            total -= join(wp.cross(at_point(s, arm), wp.vec3d(load[0], load[1], load[2])), wp.vec3d())
    for c in range(contact_count(motion, status, w)):
        if contact.efc_address[w, c] >= 0:
            geoms = contact.geom[w, c]
            body1 = geom.bodyid[geoms[0]]
            body2 = geom.bodyid[geoms[1]]
            inside1 = body1 >= b and body1 < end
            inside2 = body2 >= b and body2 < end
            if inside1 != inside2:
                answer = _contact_change(opt, tree, body, dof, geom, kin, com, contact, efc, motion, w, c, k, mode)
                arm = arm_of(body, com, wide(contact.pos[w, c]), w, b)
                total -= wp.where(inside2, real(1.0), real(-1.0)) * about(answer.wrench, arm)
    return total


@wp.func
def body_sensor_change(
    size: Size, opt: Option, tree: Tree, body: Body, dof: Dof, geom: Geom, site: Site, sensor: Sensor, state: State, kin: Kinematics,
    com: Com, frc: Force, contact: Contact, efc: Efc, status: Status, sense: Sense, linear: Linear, motion: LinearMotion, w: int, s: int, k: int, mode: int,
) -> wp.vec4d:  # fmt: skip
    """Change of the numbers of sensor ``s``, of a type of this file."""
    kind = sensor.type[s]
    i = sensor.objid[s]
    found = wp.vec3d()
    if kind == SensorType.SUBTREECOM or kind == SensorType.SUBTREELINVEL or kind == SensorType.SUBTREEANGMOM:
        if mode != BY_ACCELERATION:
            found = _momentum_change(size, tree, body, dof, kin, com, motion, kind, w, i, k, mode)
    elif kind == SensorType.E_POTENTIAL or kind == SensorType.E_KINETIC:
        found[0] = _energy_change(size, opt, tree, body, dof, state, kin, com, frc, linear, motion, kind, w, k, mode)
    elif kind == SensorType.TOUCH:
        for c in range(contact_count(motion, status, w)):
            if contact.efc_address[w, c] >= 0:
                if _touches(geom, site, kin, contact, w, i, c):
                    found[0] = found[0] + _contact_change(opt, tree, body, dof, geom, kin, com, contact, efc, motion, w, c, k, mode).normal
    elif kind == SensorType.FORCE or kind == SensorType.TORQUE:
        b = site.bodyid[i]
        rate = _inner_force_change(size, opt, tree, body, dof, geom, state, kin, com, contact, efc, status, motion, w, b, k, mode)
        change = Change()
        if mode == BY_POSITION:
            change = body_change(tree, dof, com, motion, w, b, k, mode)
        whole = wide6(sense.cfrc_int[w, b])
        arm = arm_of(body, com, wide(kin.site_xpos[w, i]), w, b)
        seen = bottom(whole)
        dseen = bottom(rate)
        if kind == SensorType.TORQUE:
            seen = top(whole) - wp.cross(arm, bottom(whole))
            dseen = top(rate) - wp.cross(arm, bottom(rate)) - wp.cross(at_point(change.moved, arm), bottom(whole))
        found = wp.transpose(wide_matrix(kin.site_xmat[w, i])) * (dseen - wp.cross(top(change.moved), seen))
    return wp.vec4d(found[0], found[1], found[2], real(0.0))
