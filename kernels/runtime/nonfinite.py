"""Worlds that meet a number that is not finite where it would be lost: in a geom that then touches nothing, or in a row that then does not act.

Contacts and rows are found by comparisons, and forces are bounded by minima, which NaN passes unseen: a world with one NaN among its
geoms' sizes or in a row would go on without contacts, or without constraints. The stages note what they met for the automatic reset,
which puts the world back and keeps what it was for. MuJoCo has NaN accelerations then, ``mjWARN_BADQACC`` and its reset.
"""

import warp as wp

from newtonish.common.constants import MAXVAL
from newtonish.common.enums import ConstraintType, NonfiniteType
from newtonish.kernels.math.finite import nonfinite_floats, nonfinite_fours, nonfinite_vectors
from newtonish.kernels.math.world import per_world, sum_lanes_int
from newtonish.kernels.structs.data import Contact, Efc, Kinematics, Solve, State, Status
from newtonish.kernels.structs.model import Body, Geom, Pair, Size

SHARE = wp.constant(1 << 24)  # numbers of entities
MAXIMUM = wp.constant(MAXVAL)  # MuJoCo's mjMAXVAL: larger coordinates, velocities or accelerations count as bad

QACC = wp.constant(int(NonfiniteType.QACC))
QVEL = wp.constant(int(NonfiniteType.QVEL))
QPOS = wp.constant(int(NonfiniteType.QPOS))
ACT = wp.constant(int(NonfiniteType.ACT))
FIRST_ROW = wp.constant(int(NonfiniteType.EQUALITY))  # kinds of rows follow in the order of ConstraintType
CONTACT = wp.constant(int(NonfiniteType.CONTACT))
FRICTIONLESS = wp.constant(int(ConstraintType.CONTACT_FRICTIONLESS))
PAIR = wp.constant(int(NonfiniteType.PAIR))
GEOM = wp.constant(int(NonfiniteType.GEOM))
QFRC_APPLIED = wp.constant(int(NonfiniteType.QFRC_APPLIED))
XFRC_APPLIED = wp.constant(int(NonfiniteType.XFRC_APPLIED))
MOCAP_POS = wp.constant(int(NonfiniteType.MOCAP_POS))
MOCAP_QUAT = wp.constant(int(NonfiniteType.MOCAP_QUAT))


@wp.func
def is_bad(x: float) -> bool:
    """Not a number, infinite or absurdly large; written so that NaN is bad."""
    return not (wp.abs(x) <= MAXIMUM)


@wp.func
def _is_finite(x: float) -> bool:
    return x - x == 0.0


@wp.func(inline=False)
def _bad_geom(geom: Geom, kin: Kinematics, ngeom: int, w: int) -> int:
    """The first geom that is not finite, or ``ngeom``."""
    g = wp.int32(0)
    found = bool(False)
    while g < ngeom and not found:
        pos = kin.geom_xpos[w, g]
        size = geom.size[per_world(geom.size.shape[0], w), g]
        share = geom.margin[per_world(geom.margin.shape[0], w), g] + geom.gap[per_world(geom.gap.shape[0], w), g]
        share += geom.rbound[per_world(geom.rbound.shape[0], w), g]
        quat = geom.quat[per_world(geom.quat.shape[0], w), g]
        total = quat[0] + quat[1] + quat[2] + quat[3] + pos[0] + pos[1] + pos[2] + size[0] + size[1] + size[2] + share
        found = not _is_finite(total)
        if not found:
            g += 1
    return g


@wp.func(inline=False)
def _bad_pair(pair: Pair, npair: int, w: int) -> int:
    """The first explicit pair whose margin or gap is not finite, or ``npair``."""
    k = wp.int32(0)
    found = bool(False)
    while k < npair and not found:
        share = pair.margin[per_world(pair.margin.shape[0], w), k] + pair.gap[per_world(pair.gap.shape[0], w), k]
        found = not _is_finite(share)
        if not found:
            k += 1
    return k


@wp.func
def note_geoms(size: Size, geom: Geom, pair: Pair, kin: Kinematics, contact: Contact, status: Status, bounded: int, w: int, slot: int, lane: int):
    """Note a geom or explicit pair of which a number is not finite that decides on contacts, or that there is none.

    Called by all lanes once the ``bounded`` geoms, all or none, have their bounds, in which are position, margin, gap and radius: what
    was noted before is of an earlier evaluation.
    """
    n = bounded
    bad = nonfinite_fours(contact.bound, slot, 4 * n)
    bad += nonfinite_vectors(geom.size, per_world(geom.size.shape[0], w), 3 * n)
    bad += nonfinite_fours(geom.quat, per_world(geom.quat.shape[0], w), 4 * n)
    if size.npair > 0 and n > 0:
        bad += nonfinite_floats(pair.margin, per_world(pair.margin.shape[0], w), size.npair)
        bad += nonfinite_floats(pair.gap, per_world(pair.gap.shape[0], w), size.npair)
    bad = sum_lanes_int(bad)
    if lane == 0:
        met = wp.int32(0)
        if bad > 0:
            g = _bad_geom(geom, kin, n, w)
            met = GEOM * SHARE + g
            if g == n:
                met = PAIR * SHARE + _bad_pair(pair, size.npair, w)
        status.nonfinite_met[w] = met


@wp.func(inline=False)
def _bad_row(contact: Contact, efc: Efc, nefc: int, w: int) -> int:
    """What the first row belongs to whose reference or weight is not finite."""
    r = wp.int32(0)
    while r < nefc - 1 and _is_finite(efc.aref[w, r] + efc.D[w, r]):
        r += 1
    kind = efc.type[w, r]
    owner = efc.id[w, r]
    met = (FIRST_ROW + kind) * SHARE + owner
    if kind >= FRICTIONLESS:
        met = CONTACT * SHARE + contact.geom[w, owner][0]
    return met


@wp.func(inline=False)
def _bad_state(size: Size, state: State, w: int) -> int:
    """The first coordinate or velocity at the start of the step that is not finite; 0: there is none."""
    met = wp.int32(0)
    for i in range(size.nv):
        if is_bad(state.qvel[w, i]) and met == 0:
            met = QVEL * SHARE + i
    for i in range(size.nq):
        if is_bad(state.qpos[w, i]) and met < QPOS * SHARE:
            met = QPOS * SHARE + i
    return met


@wp.func
def note_rows(size: Size, state: State, contact: Contact, efc: Efc, status: Status, nefc: int, w: int, lane: int):
    """Note a row of which a number is not finite, unless a geom was, or what makes both: a coordinate or a velocity.

    Called by all lanes, after a barrier.
    """
    padded = (nefc + 7) // 8 * 8  # zeros
    bad = sum_lanes_int(nonfinite_floats(efc.aref, w, padded) + nonfinite_floats(efc.D, w, padded))
    if lane == 0:
        met = status.nonfinite_met[w]
        if met < PAIR * SHARE:
            met = wp.int32(0)
            if bad > 0:
                met = _bad_row(contact, efc, nefc, w)
        if met != 0:
            cause = _bad_state(size, state, w)
            if cause != 0:
                met = cause
        status.nonfinite_met[w] = met


@wp.func(inline=False)
def origin_of_reset(size: Size, body: Body, state: State, sol: Solve, status: Status, w: int) -> int:
    """What a world is reset for: an input that is not finite, else what the step met, else the first bad number of its state."""
    origin = wp.int32(0)
    for i in range(size.nv):
        if is_bad(sol.qacc[w, i]) and origin == 0:
            origin = QACC * SHARE + i
    for i in range(size.nv):
        if is_bad(state.qvel[w, i]) and origin == 0:
            origin = QVEL * SHARE + i
    for i in range(size.nq):
        if is_bad(state.qpos[w, i]) and origin == 0:
            origin = QPOS * SHARE + i
    for i in range(size.na):
        if is_bad(state.act[w, i]) and origin == 0:
            origin = ACT * SHARE + i
    if status.nonfinite_met[w] != 0:
        origin = status.nonfinite_met[w]
    for i in range(size.nv):
        if is_bad(state.qfrc_applied[w, i]) and origin < QFRC_APPLIED * SHARE:
            origin = QFRC_APPLIED * SHARE + i
    for b in range(size.nbody):
        force = state.xfrc_applied[w, b]
        for k in range(6):
            if is_bad(force[k]) and origin < XFRC_APPLIED * SHARE:
                origin = XFRC_APPLIED * SHARE + b
        mocap = body.mocapid[b]
        if mocap >= 0:
            pos = state.mocap_pos[w, mocap]
            quat = state.mocap_quat[w, mocap]
            if is_bad(pos[0] + pos[1] + pos[2]) and origin < MOCAP_POS * SHARE:
                origin = MOCAP_POS * SHARE + b
            if is_bad(quat[0] + quat[1] + quat[2] + quat[3]) and origin < MOCAP_POS * SHARE:
                origin = MOCAP_QUAT * SHARE + b
    return origin
