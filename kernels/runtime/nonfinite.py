"""Worlds that meet a number that is not finite where it would be lost: in a geom that then touches nothing, or in a row that then does not act.

Contacts and rows are found by comparisons, and forces are bounded by minima, which NaN passes unseen: a world with one NaN among its
geoms' sizes or in a row would go on without contacts, or without constraints. The stages note what they met for the automatic reset,
which puts the world back and keeps what it was for. MuJoCo has NaN accelerations then, ``mjWARN_BADQACC`` and its reset.

What looks for the culprit is compiled out of line and takes single arrays: a group by value would be copied in every world of every step,
since the copy is made where the caller takes the group and not where the culprit is looked for (docs/decisions/115.md).
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
def _bad_geom(
    geom_xpos: wp.array2d(dtype=wp.vec3), geom_size: wp.array2d(dtype=wp.vec3), geom_margin: wp.array2d(dtype=float), geom_gap: wp.array2d(dtype=float),
    geom_rbound: wp.array2d(dtype=float), geom_quat: wp.array2d(dtype=wp.vec4), ngeom: int, w: int,
) -> int:  # fmt: skip
    """The first geom that is not finite, or ``ngeom``."""
    g = wp.int32(0)
    found = bool(False)
    while g < ngeom and not found:
        pos = geom_xpos[w, g]
        size = geom_size[per_world(geom_size.shape[0], w), g]
        share = geom_margin[per_world(geom_margin.shape[0], w), g] + geom_gap[per_world(geom_gap.shape[0], w), g]
        share += geom_rbound[per_world(geom_rbound.shape[0], w), g]
        quat = geom_quat[per_world(geom_quat.shape[0], w), g]
        total = quat[0] + quat[1] + quat[2] + quat[3] + pos[0] + pos[1] + pos[2] + size[0] + size[1] + size[2] + share
        found = not _is_finite(total)
        if not found:
            g += 1
    return g


@wp.func(inline=False)
def _bad_pair(pair_margin: wp.array2d(dtype=float), pair_gap: wp.array2d(dtype=float), npair: int, w: int) -> int:
    """The first explicit pair whose margin or gap is not finite, or ``npair``."""
    k = wp.int32(0)
    found = bool(False)
    while k < npair and not found:
        share = pair_margin[per_world(pair_margin.shape[0], w), k] + pair_gap[per_world(pair_gap.shape[0], w), k]
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
            g = _bad_geom(kin.geom_xpos, geom.size, geom.margin, geom.gap, geom.rbound, geom.quat, n, w)
            met = GEOM * SHARE + g
            if g == n:
                met = PAIR * SHARE + _bad_pair(pair.margin, pair.gap, size.npair, w)
        status.nonfinite_met[w] = met


@wp.func(inline=False)
def _bad_row(
    aref: wp.array2d(dtype=float), D: wp.array2d(dtype=float), kinds: wp.array2d(dtype=int), owners: wp.array2d(dtype=int),
    contact_geom: wp.array2d(dtype=wp.vec2i), nefc: int, w: int,
) -> int:  # fmt: skip
    """What the first row belongs to whose reference or weight is not finite."""
    r = wp.int32(0)
    while r < nefc - 1 and _is_finite(aref[w, r] + D[w, r]):
        r += 1
    kind = kinds[w, r]
    owner = owners[w, r]
    met = (FIRST_ROW + kind) * SHARE + owner
    if kind >= FRICTIONLESS:
        met = CONTACT * SHARE + contact_geom[w, owner][0]
    return met


@wp.func(inline=False)
def _bad_state(qpos: wp.array2d(dtype=float), qvel: wp.array2d(dtype=float), nq: int, nv: int, w: int) -> int:
    """The first coordinate or velocity at the start of the step that is not finite; 0: there is none."""
    met = wp.int32(0)
    for i in range(nv):
        if is_bad(qvel[w, i]) and met == 0:
            met = QVEL * SHARE + i
    for i in range(nq):
        if is_bad(qpos[w, i]) and met < QPOS * SHARE:
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
                met = _bad_row(efc.aref, efc.D, efc.type, efc.id, contact.geom, nefc, w)
        if met != 0:
            cause = _bad_state(state.qpos, state.qvel, size.nq, size.nv, w)
            if cause != 0:
                met = cause
        status.nonfinite_met[w] = met


@wp.func(inline=False)
def _bad_number(
    qacc: wp.array2d(dtype=float), qvel: wp.array2d(dtype=float), qpos: wp.array2d(dtype=float), act: wp.array2d(dtype=float),
    nq: int, nv: int, na: int, w: int,
) -> int:  # fmt: skip
    """The first acceleration, velocity, coordinate or activation that is not finite, in this order; 0: there is none."""
    origin = wp.int32(0)
    for i in range(nv):
        if is_bad(qacc[w, i]) and origin == 0:
            origin = QACC * SHARE + i
    for i in range(nv):
        if is_bad(qvel[w, i]) and origin == 0:
            origin = QVEL * SHARE + i
    for i in range(nq):
        if is_bad(qpos[w, i]) and origin == 0:
            origin = QPOS * SHARE + i
    for i in range(na):
        if is_bad(act[w, i]) and origin == 0:
            origin = ACT * SHARE + i
    return origin


@wp.func(inline=False)
def _bad_input(
    qfrc_applied: wp.array2d(dtype=float), xfrc_applied: wp.array2d(dtype=wp.spatial_vector), mocapid: wp.array(dtype=int),
    mocap_pos: wp.array2d(dtype=wp.vec3), mocap_quat: wp.array2d(dtype=wp.vec4), nv: int, nbody: int, w: int,
) -> int:  # fmt: skip
    """The last kind of input that is not finite, and the first of its kind; 0: there is none."""
    origin = wp.int32(0)
    for i in range(nv):
        if is_bad(qfrc_applied[w, i]) and origin < QFRC_APPLIED * SHARE:
            origin = QFRC_APPLIED * SHARE + i
    for b in range(nbody):
        force = xfrc_applied[w, b]
        for k in range(6):
            if is_bad(force[k]) and origin < XFRC_APPLIED * SHARE:
                origin = XFRC_APPLIED * SHARE + b
        mocap = mocapid[b]
        if mocap >= 0:
            pos = mocap_pos[w, mocap]
            quat = mocap_quat[w, mocap]
            if is_bad(pos[0] + pos[1] + pos[2]) and origin < MOCAP_POS * SHARE:
                origin = MOCAP_POS * SHARE + b
            if is_bad(quat[0] + quat[1] + quat[2] + quat[3]) and origin < MOCAP_POS * SHARE:
                origin = MOCAP_QUAT * SHARE + b
    return origin


@wp.func
def origin_of_reset(size: Size, body: Body, state: State, sol: Solve, status: Status, w: int) -> int:
    """What a world is reset for: an input that is not finite, else what the step met, else the first bad number of its state."""
    origin = _bad_number(sol.qacc, state.qvel, state.qpos, state.act, size.nq, size.nv, size.na, w)
    if status.nonfinite_met[w] != 0:
        origin = status.nonfinite_met[w]
    given = _bad_input(state.qfrc_applied, state.xfrc_applied, body.mocapid, state.mocap_pos, state.mocap_quat, size.nv, size.nbody, w)
    return wp.where(given != 0, given, origin)
