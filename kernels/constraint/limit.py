"""Rows of joint limits: one for each side of a slide or hinge joint that is within its margin, one for a ball joint.

Method: MuJoCo's documentation, chapter Computation, "Limit". A ball joint limits its rotation angle; the row acts along
the rotation axis, which is the same in the parent's and the child's frame.
"""

import warp as wp

from newtonish.common.enums import DisableBit, JointType
from newtonish.kernels.constants import BALL, LIMIT_JOINT, MINVAL
from newtonish.kernels.constraint.row import (
    append_entry,
    clear_jacobian,
    impedance,
    reference,
    regularization,
    write_row,
)
from newtonish.kernels.math.finite import at_least, below
from newtonish.kernels.math.quat import quat_normalize, quat_to_rotation_vector
from newtonish.kernels.math.world import assume_nonnegative, lanes, per_world, scan_lanes
from newtonish.kernels.structs.data import Efc, State
from newtonish.kernels.structs.model import Dof, Joint, Option, Size

DISABLED = wp.constant(int(DisableBit.LIMIT | DisableBit.CONSTRAINT))
SLIDE = wp.constant(int(JointType.SLIDE))


@wp.func
def _write_limit(opt: Option, jnt: Joint, dof: Dof, efc: Efc, w: int, j: int, r: int, dist: float, margin: float, vel: float):
    """Row ``r`` but its Jacobian: limit of joint ``j`` at distance ``dist``, which changes at the rate ``vel``."""
    timestep = opt.timestep[per_world(opt.timestep.shape[0], w)]
    solref = jnt.solref[per_world(jnt.solref.shape[0], w), j]
    solimp = jnt.solimp[per_world(jnt.solimp.shape[0], w), j]
    kb = reference(solref, solimp, timestep, opt.disableflags)
    imp = impedance(solimp, dist - margin)
    D = 1.0 / regularization(dof.invweight0[per_world(dof.invweight0.shape[0], w), jnt.dofadr[j]], imp)
    aref = -kb[1] * vel - kb[0] * imp * (dist - margin)
    write_row(efc, w, r, LIMIT_JOINT, j, dist, margin, D, vel, aref, 0.0)


@wp.func
def _ball_rotation(state: State, w: int, adr: int) -> wp.vec3:
    """Rotation vector [rad] of the ball joint whose quaternion starts at ``adr``."""
    q = wp.vec4(state.qpos[w, adr], state.qpos[w, adr + 1], state.qpos[w, adr + 2], state.qpos[w, adr + 3])
    return quat_to_rotation_vector(quat_normalize(q))


@wp.func
def _write_ball(opt: Option, jnt: Joint, dof: Dof, state: State, efc: Efc, w: int, j: int, r: int, dist: float, margin: float):
    adr = jnt.dofadr[j]
    rotation = _ball_rotation(state, w, jnt.qposadr[j])
    angle = wp.length(rotation)
    axis = wp.vec3(1.0, 0.0, 0.0)  # without rotation any axis will do; this is MuJoCo's
    if angle > MINVAL:
        axis = rotation / angle
    clear_jacobian(efc, w, r, 1)
    vel = wp.float32(0.0)
    for k in range(3):
        append_entry(efc, w, r, adr + k, -axis[k])
        vel -= axis[k] * state.qvel[w, adr + k]
    _write_limit(opt, jnt, dof, efc, w, j, r, dist, margin, vel)


@wp.func
def _write_side(
    opt: Option,
    jnt: Joint,
    dof: Dof,
    state: State,
    efc: Efc,
    w: int,
    j: int,
    r: int,
    dist: float,
    margin: float,
    sign: float,
):
    """Row ``r`` of a slide or hinge joint; ``sign``: +1 at the lower limit, -1 at the upper."""
    adr = jnt.dofadr[j]
    clear_jacobian(efc, w, r, 1)
    append_entry(efc, w, r, adr, sign)
    _write_limit(opt, jnt, dof, efc, w, j, r, dist, margin, sign * state.qvel[w, adr])


@wp.func
def limit_rows(size: Size, opt: Option, jnt: Joint, dof: Dof, state: State, efc: Efc, w: int, lane: int, start: int) -> int:
    """Write the limit rows from row ``start`` on; returns how many there would be with unlimited room."""
    room = efc.type.shape[1]
    count = wp.int32(0)
    last = size.njnt
    if (opt.disableflags & DISABLED) != 0:
        last = 0
    for first in range(0, last, lanes()):
        j = first + lane
        lower = wp.int32(0)
        upper = wp.int32(0)
        ball = wp.int32(0)
        low = wp.float32(0.0)
        high = wp.float32(0.0)
        margin = wp.float32(0.0)
        if j < last:  # nested, because Warp evaluates both sides of an `and`
            if jnt.limited[j] != 0:
                span = jnt.range[per_world(jnt.range.shape[0], w), j]
                margin = jnt.margin[per_world(jnt.margin.shape[0], w), j]
                kind = jnt.type[j]
                if kind >= SLIDE:
                    value = state.qpos[w, assume_nonnegative(jnt.qposadr[j])]
                    low = value - span[0]
                    high = span[1] - value
                    lower = int(below(low, margin))
                    upper = int(below(high, margin))
                elif kind == BALL:
                    high = at_least(span[1], span[0]) - wp.length(_ball_rotation(state, w, jnt.qposadr[j]))
                    ball = int(below(high, margin))
        active = lower + upper + ball
        place = scan_lanes(active)
        r = start + count + place[0]
        if ball == 1 and r < room:
            _write_ball(opt, jnt, dof, state, efc, w, j, r, high, margin)
        for k in range(wp.min(lower + upper, room - r)):  # one call for both sides: it is long once it is inlined
            at_lower = lower == 1 and k == 0
            dist = wp.where(at_lower, low, high)
            _write_side(opt, jnt, dof, state, efc, w, j, r + k, dist, margin, wp.where(at_lower, 1.0, -1.0))
        count += place[1]
    return count
