"""The generalized force of all actuators: their moments times their forces, within the limits of the joints.

Method: MuJoCo documentation, chapter Computation (actuation model).
"""

import warp as wp

from newtonish.common.enums import DisableBit
from newtonish.kernels.math.world import are_apart, assume_nonnegative, lanes, per_world, sync
from newtonish.kernels.structs.data import Drive, Force
from newtonish.kernels.structs.model import Dof, Joint, Option, Size


@wp.func
def _add_moment(frc: Force, drive: Drive, w: int, o: int):
    """Add what output ``o`` of an actuator gives to the generalized force."""
    adr = assume_nonnegative(drive.moment_rowadr[w, o])
    force = drive.actuator_force[w, o]
    for k in range(adr, adr + drive.moment_rownnz[w, o]):
        i = assume_nonnegative(drive.moment_colind[w, k])
        frc.qfrc_actuator[w, i] = frc.qfrc_actuator[w, i] + drive.actuator_moment[w, k] * force


@wp.func
def _add_side_by_side(size: Size, frc: Force, drive: Drive, w: int, lane: int):
    """All outputs, as many at a time as there are lanes, and a barrier; in turn by the first lane where each of these has not one dof that none else has."""
    for first in range(0, size.nout, lanes()):
        own = wp.int32(-1)
        if first + lane < size.nout:
            own = -2
            if drive.moment_rownnz[w, first + lane] == 1:
                own = drive.moment_colind[w, drive.moment_rowadr[w, first + lane]]
        begin = first + lane
        end = wp.min(begin + 1, size.nout)
        if not are_apart(own):
            end = wp.where(lane == 0, wp.min(first + lanes(), size.nout), begin)
        for o in range(begin, end):
            _add_moment(frc, drive, w, o)
        sync()


@wp.func
def generalized_force_world(size: Size, opt: Option, jnt: Joint, dof: Dof, frc: Force, drive: Drive, w: int, lane: int):
    """Moments times forces, plus compensation of gravity by actuators, within the limits of the joints."""
    for i in range(lane, size.nv, lanes()):
        frc.qfrc_actuator[w, i] = 0.0
    sync()
    # several actuators may share a dof: one lane adds them, so that the order of the sum is fixed
    if lanes() > 1:
        _add_side_by_side(size, frc, drive, w, lane)
    else:
        for o in range(size.nout):
            _add_moment(frc, drive, w, o)
    range_w = per_world(jnt.actfrcrange.shape[0], w)
    compensated = (opt.disableflags & DisableBit.GRAVITY) == 0
    for i in range(lane, size.nv, lanes()):
        j = assume_nonnegative(dof.jntid[i])
        if compensated and jnt.actgravcomp[j] != 0:
            frc.qfrc_actuator[w, i] = frc.qfrc_actuator[w, i] + frc.qfrc_gravcomp[w, i]
        if jnt.actfrclimited[j] != 0:
            limits = jnt.actfrcrange[range_w, j]
            frc.qfrc_actuator[w, i] = wp.clamp(frc.qfrc_actuator[w, i], limits[0], limits[1])
