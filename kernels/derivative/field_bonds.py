"""What connects and welds do to gradients by fields of the model: by where their ends are, and by how the bodies at their ends move.

As with contacts, a bond's share of the cost is ``y f(s)``, y its rows' motion lam. Its changes are those of ``body_equalities.py``, one unit after the other.
"""

import warp as wp

from newtonish.kernels.constants import WELD
from newtonish.kernels.constraint.equality_bodies import OBJ_SITE
from newtonish.kernels.derivative.algebra import at_point, bottom, join, real, top, vec6d, wide_matrix
from newtonish.kernels.derivative.body_equalities import Bond, Ends, at_end, bond_of, residual_change, rows_of, torque_of_bond, turned, turned_change
from newtonish.kernels.derivative.cotangent import Cotangent, FieldBars
from newtonish.kernels.derivative.quaternions import quaternion_bar
from newtonish.kernels.derivative.row_bars import narrow3
from newtonish.kernels.derivative.touch import about
from newtonish.kernels.derivative.workspace import LinearMotion
from newtonish.kernels.math.world import lanes, per_world
from newtonish.kernels.structs.data import Com, Efc, Kinematics, Status
from newtonish.kernels.structs.field import vec12
from newtonish.kernels.structs.model import Body, Equality, Option, Site, Size, Tree


@wp.func
def _end_of(motion: LinearMotion, moved: vec6d, dV: vec6d, dA: vec6d, arm: wp.vec3d, w: int, b: int) -> Ends:
    """Changes of an end that is displaced in its body by ``moved`` (point, rotation), whose body's velocity and acceleration change."""
    V = motion.V[w, b]
    alpha = top(motion.A[w, b])
    shift = top(moved)
    dpoint = at_point(dV, arm) + wp.cross(top(V), shift)
    found = Ends()
    found.moved = moved
    found.velocity = join(dpoint, top(dV))
    push = at_point(dA, arm) + wp.cross(alpha, shift) + wp.cross(top(dV), at_point(V, arm)) + wp.cross(top(V), dpoint)
    found.acceleration = join(push, top(dA))
    return found


@wp.func
def _cost_change(motion: LinearMotion, bond: Bond, y: vec6d, spin: wp.vec3d, dlam: wp.vec3d, one: Ends, two: Ends, w: int) -> wp.float64:
    """Change of ``y f``; ``spin``: relative rotation of lam, ``dlam``: what the shift of the ends adds to its relative motion."""
    moved = one.moved - two.moved
    row = join(top(moved), turned(bond, bottom(moved)))
    residual = residual_change(motion, bond, one, two, w)
    farther = real(0.0)
    if bond.size > real(0.0):
        farther = wp.dot(bond.error, row) / bond.size
        residual += bond.error * ((bond.slopes.spring - bond.stiffness) / bond.size * farther)
    dy = join(dlam, turned_change(bond, spin, bottom(one.moved), bottom(two.moved)))
    return bond.slopes.growth * farther * wp.dot(y, bond.force) - wp.dot(wp.cw_mul(bond.weight, y), residual) + wp.dot(bond.force, dy)


@wp.func
def _ends_bars(motion: LinearMotion, cotangent: Cotangent, bond: Bond, y: vec6d, w: int, e: int):
    """Gradients by displacement and motion of both ends."""
    lam1 = cotangent.lam[w, bond.body1]
    lam2 = cotangent.lam[w, bond.body2]
    spin = top(lam1) - top(lam2)
    wrench = join(top(bond.force), torque_of_bond(bond))
    sides = wp.int32(2)
    for side in range(sides):
        first = side == 0
        b = wp.where(first, bond.body1, bond.body2)
        arm = wp.where(first, bond.arm1, bond.arm2)
        turning = wp.where(first, top(lam1), top(lam2))
        sign = wp.where(first, real(1.0), real(-1.0))
        place = vec6d()
        by_V = vec6d()
        by_A = vec6d()
        axes = wp.int32(6)
        for i in range(axes):
            unit = vec6d()
            unit[i] = real(1.0)
            kinds = wp.int32(3)
            for kind in range(kinds):
                moved = vec6d()
                dV = vec6d()
                dA = vec6d()
                if kind == 0:
                    moved = at_end(unit, arm)
                elif kind == 1:
                    dV = unit
                else:
                    dA = unit
                end = _end_of(motion, moved, dV, dA, arm, w, b)
                one = Ends()
                two = Ends()
                if first:
                    one = end
                else:
                    two = end
                change = _cost_change(motion, bond, y, spin, sign * wp.cross(turning, top(moved)), one, two, w)
                if kind == 0:
                    place[i] = change
                elif kind == 1:
                    by_V[i] = change
                else:
                    by_A[i] = change
        at = 2 * e + side
        cotangent.end[w, at] = place
        cotangent.end_V[w, at] = by_V
        cotangent.end_A[w, at] = by_A
        cotangent.end_lam[w, at] = sign * about(wrench, arm)


@wp.func
def _data_bars(eq: Equality, kin: Kinematics, cotangent: Cotangent, bars: FieldBars, bond: Bond, y: vec6d, w: int, e: int):
    """Gradients by anchors, relative orientation and torque scale."""
    change = vec12()
    weld = eq.type[e] == WELD
    place1 = cotangent.end[w, 2 * e]
    place2 = cotangent.end[w, 2 * e + 1]
    if eq.objtype[e] != OBJ_SITE:
        by1 = narrow3(wp.transpose(wide_matrix(kin.xmat[w, bond.body1])) * bottom(place1))
        by2 = narrow3(wp.transpose(wide_matrix(kin.xmat[w, bond.body2])) * bottom(place2))
        for i in range(3):
            change[i] = wp.where(weld, by2[i], by1[i])
            change[3 + i] = wp.where(weld, by1[i], by2[i])
    if weld:
        data = eq.data[per_world(eq.data.shape[0], w), e]
        if eq.objtype[e] != OBJ_SITE:
            torque = top(place1) - wp.cross(bond.arm1, bottom(place1))
            q = bond.quat1
            turn = wp.quat_rotate_inv(wp.quatd(q[1], q[2], q[3], q[0]), torque)
            by_quat = quaternion_bar(wp.vec4(data[6], data[7], data[8], data[9]), turn)
            for i in range(4):
                change[6 + i] = by_quat[i]
        if bond.scale != real(0.0):
            farther = real(0.0)
            rise = real(0.0)
            angle = bottom(bond.error)
            if bond.size > real(0.0):
                farther = wp.dot(angle, angle) / bond.size
                rise = (bond.slopes.spring - bond.stiffness) / bond.size * farther
            by_scale = real(2.0) * wp.dot(bottom(y), bottom(bond.force))  # its rows' motion and residual are in proportion to it
            by_scale += bond.slopes.growth * farther * wp.dot(y, bond.force) - rise * wp.dot(wp.cw_mul(bond.weight, y), bond.error)
            change[10] = float(by_scale / bond.scale)
    bars.eq_data[w, e] = bars.eq_data[w, e] + change


@wp.func
def _begins(eq: Equality, efc: Efc, w: int, r: int) -> bool:
    """Whether the rows of a connect or weld begin at ``r``."""
    begins = wp.bool(True)
    if r > 0:
        begins = efc.id[w, r - 1] != efc.id[w, r]
    return begins and rows_of(eq, efc, w, r) > 1


@wp.func
def _motion_of(cotangent: Cotangent, bond: Bond, w: int) -> vec6d:
    """The motion lam of a bond's rows."""
    lam1 = cotangent.lam[w, bond.body1]
    lam2 = cotangent.lam[w, bond.body2]
    return join(at_point(lam1, bond.arm1) - at_point(lam2, bond.arm2), turned(bond, top(lam1) - top(lam2)))


@wp.func
def end_bars(
    size: Size, opt: Option, tree: Tree, body: Body, site: Site, eq: Equality, kin: Kinematics, com: Com, efc: Efc, status: Status,
    motion: LinearMotion, cotangent: Cotangent, w: int, lane: int,
):  # fmt: skip
    """Write what the ends of each connect and weld do; the lanes share them, as their rows begin."""
    for r in range(lane, wp.min(status.ne[w], efc.type.shape[1]), lanes()):
        if _begins(eq, efc, w, r):
            bond = bond_of(opt, tree, body, site, eq, kin, com, efc, w, r)
            _ends_bars(motion, cotangent, bond, _motion_of(cotangent, bond, w), w, efc.id[w, r])


@wp.func
def bond_bars(
    size: Size, opt: Option, tree: Tree, body: Body, site: Site, eq: Equality, kin: Kinematics, com: Com, efc: Efc, status: Status,
    motion: LinearMotion, cotangent: Cotangent, bars: FieldBars, w: int, lane: int,
):  # fmt: skip
    """Write what each connect and weld does; the lanes share them, as their rows begin."""
    for r in range(lane, wp.min(status.ne[w], efc.type.shape[1]), lanes()):
        if _begins(eq, efc, w, r):
            e = efc.id[w, r]
            bond = bond_of(opt, tree, body, site, eq, kin, com, efc, w, r)
            y = _motion_of(cotangent, bond, w)
            _ends_bars(motion, cotangent, bond, y, w, e)
            _data_bars(eq, kin, cotangent, bars, bond, y, w, e)


@wp.func
def clear_ends(size: Size, cotangent: Cotangent, w: int, lane: int):
    """Before ``bond_bars``: constraints without rows do nothing."""
    for at in range(lane, 2 * size.neq, lanes()):
        cotangent.end[w, at] = vec6d()
        cotangent.end_lam[w, at] = vec6d()
        cotangent.end_V[w, at] = vec6d()
        cotangent.end_A[w, at] = vec6d()
