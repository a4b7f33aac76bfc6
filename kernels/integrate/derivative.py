"""Derivatives of smooth forces by velocity, in the sparsity of the mass matrix: damping and actuators.

Terms that M's sparsity has no place for are left out, as is the derivative of Coriolis forces, so that the matrix stays
symmetric and its factor free of fill-in. Method: MuJoCo documentation, chapter Computation (implicitfast).
"""

import warp as wp

from newtonish.common.actuator_parameters import Affine
from newtonish.common.enums import BiasType, DisableBit, ForceLaw, GainType, TrnType
from newtonish.kernels.forces.actuation import (
    actuator_disabled,
    clamped_control,
    controls_are_bad,
    next_activation,
)
from newtonish.kernels.forces.muscle import muscle_gain_slope
from newtonish.kernels.integrate.euler import damping_slope
from newtonish.kernels.math.world import assume_nonnegative, lanes, per_world, sync
from newtonish.kernels.structs.data import Drive, Force, Mass, State
from newtonish.kernels.structs.model import Actuator, Dof, Joint, Option, Size


@wp.func
def _is_clamped(jnt: Joint, actuator: Actuator, frc: Force, drive: Drive, w: int, a: int) -> bool:
    """A limit holds the force of actuator ``a``, or all actuator force on its joint or tendon: velocity does not change it."""
    clamped = wp.bool(False)
    own = actuator.law[a] == ForceLaw.DCMOTOR or actuator.law[a] == ForceLaw.SO3  # has seen to its own limits
    if actuator.forcelimited[a] != 0 and not own:
        force = drive.actuator_force[w, actuator.outadr[a]]
        limits = actuator.forcerange[per_world(actuator.forcerange.shape[0], w), a]
        clamped = force <= limits[0] or force >= limits[1]
    if actuator.trntype[a] == TrnType.TENDON and not own:
        clamped = clamped or drive.held[w, actuator.outadr[a]] != 0
    j = actuator.trnid[a][0]
    if actuator.trntype[a] == TrnType.JOINT or actuator.trntype[a] == TrnType.JOINTINPARENT:
        if jnt.actfrclimited[j] != 0:
            total = frc.qfrc_actuator[w, jnt.dofadr[j]]
            total_limits = jnt.actfrcrange[per_world(jnt.actfrcrange.shape[0], w), j]
            clamped = clamped or total <= total_limits[0] or total >= total_limits[1]
    return clamped


@wp.func
def actuator_input(opt: Option, actuator: Actuator, state: State, drive: Drive, zero_controls: bool, w: int, a: int) -> float:
    """What the gain of actuator ``a`` is multiplied by: its activation or its control."""
    value = wp.float32(0.0)
    adr = actuator.actadr[a]
    if adr >= 0:
        adr = adr + actuator.actnum[a] - 1
        value = state.act[w, adr]
        if actuator.actearly[a] != 0:
            value = next_activation(opt, actuator, value, drive.act_dot[w, adr], w, a)
    elif actuator.ctrlnum[a] > 0 and not zero_controls:
        value = clamped_control(opt, actuator, state, w, actuator.ctrladr[a])
    return value


@wp.func
def holds_still(opt: Option, jnt: Joint, actuator: Actuator, frc: Force, drive: Drive, w: int, a: int) -> bool:
    """The force of actuator ``a`` does not change with its motion: it is switched off, or at a limit."""
    return actuator_disabled(opt, actuator, a) or _is_clamped(jnt, actuator, frc, drive, w, a)


@wp.func
def actuator_slope(
    opt: Option, jnt: Joint, actuator: Actuator, state: State, frc: Force, drive: Drive, zero_controls: bool,
    w: int, a: int,
) -> float:  # fmt: skip
    """Derivative of the force of actuator ``a`` by its velocity."""
    gain = wp.float32(0.0)
    if actuator.gaintype[a] == GainType.AFFINE:
        gain = actuator.gainprm[per_world(actuator.gainprm.shape[0], w), a][Affine.VELOCITY]
    elif actuator.gaintype[a] == GainType.MUSCLE:
        o = actuator.outadr[a]
        prm = actuator.gainprm[per_world(actuator.gainprm.shape[0], w), a]
        span = actuator.lengthrange[per_world(actuator.lengthrange.shape[0], w), o]
        acc0 = actuator.acc0[per_world(actuator.acc0.shape[0], w), o]
        gain = muscle_gain_slope(prm, drive.actuator_length[w, o], drive.actuator_velocity[w, o], span, acc0)
    slope = wp.float32(0.0)
    if actuator.biastype[a] == BiasType.AFFINE:
        slope = actuator.biasprm[per_world(actuator.biasprm.shape[0], w), a][Affine.VELOCITY]
    if gain != 0.0:
        slope += gain * actuator_input(opt, actuator, state, drive, zero_controls, w, a)
    if actuator.law[a] == ForceLaw.DCMOTOR or actuator.law[a] == ForceLaw.SO3:
        slope = drive.law_slope[w, a]
    if holds_still(opt, jnt, actuator, frc, drive, w, a):
        slope = 0.0
    return slope


@wp.func
def _add_outer_product(dof: Dof, mass: Mass, drive: Drive, slope: float, w: int, o: int):
    """Add slope times moment times moment' of output ``o`` to qDeriv, where M has entries."""
    first = assume_nonnegative(drive.moment_rowadr[w, o])
    last = first + drive.moment_rownnz[w, o]
    if last == first + 1:  # one dof, as most actuators have: no need to look for the places in M's rows
        only = assume_nonnegative(drive.moment_colind[w, first])
        moment = drive.actuator_moment[w, first]
        diagonal = assume_nonnegative(dof.M_rowadr[only] + dof.M_rownnz[only] - 1)
        mass.qDeriv[w, diagonal] = mass.qDeriv[w, diagonal] + slope * moment * moment
        last = first
    for a in range(first, last):
        i = drive.moment_colind[w, a]
        scaled = slope * drive.actuator_moment[w, a]
        adr = dof.M_rowadr[i]
        for k in range(adr, adr + dof.M_rownnz[i]):
            for b in range(first, a + 1):
                if drive.moment_colind[w, b] == dof.M_colind[k]:
                    mass.qDeriv[w, k] = mass.qDeriv[w, k] + scaled * drive.actuator_moment[w, b]


@wp.func
def _deriv_damping_world(size: Size, opt: Option, dof: Dof, state: State, mass: Mass, w: int, lane: int):
    """Fill ``mass.qDeriv`` of one world with that of the dampers in joints; returns with a barrier."""
    for k in range(lane, size.nC, lanes()):
        mass.qDeriv[w, k] = 0.0
    sync()
    if (opt.disableflags & DisableBit.DAMPER) == 0:
        for i in range(lane, size.nv, lanes()):
            mass.qDeriv[w, assume_nonnegative(dof.M_rowadr[i] + dof.M_rownnz[i] - 1)] = -damping_slope(dof, state, w, i)
        sync()


@wp.func
def deriv_motors_world(
    size: Size, opt: Option, jnt: Joint, dof: Dof, actuator: Actuator, state: State, mass: Mass, frc: Force,
    drive: Drive, w: int, lane: int,
):  # fmt: skip
    """As ``deriv_smooth_vel_world``, for motors and servos of which no two act on one joint."""
    _deriv_damping_world(size, opt, dof, state, mass, w, lane)
    if (opt.disableflags & DisableBit.ACTUATION) == 0:
        for a in range(lane, size.nactuator, lanes()):
            if actuator.biastype[a] == BiasType.AFFINE:
                slope = actuator.biasprm[per_world(actuator.biasprm.shape[0], w), a][Affine.VELOCITY]
                if slope != 0.0 and not holds_still(opt, jnt, actuator, frc, drive, w, a):
                    _add_outer_product(dof, mass, drive, slope, w, assume_nonnegative(actuator.outadr[a]))
        sync()


@wp.func
def deriv_smooth_vel_world(
    size: Size, opt: Option, jnt: Joint, dof: Dof, actuator: Actuator, state: State, mass: Mass, frc: Force,
    drive: Drive, w: int, lane: int,
):  # fmt: skip
    """Fill ``mass.qDeriv`` of one world, and ``drive.slope`` unless actuation is disabled; returns with a barrier."""
    _deriv_damping_world(size, opt, dof, state, mass, w, lane)
    if (opt.disableflags & DisableBit.ACTUATION) == 0:
        zero_controls = controls_are_bad(size, opt, actuator, state, w, lane)
        for a in range(lane, size.nactuator, lanes()):
            drive.slope[w, a] = actuator_slope(opt, jnt, actuator, state, frc, drive, zero_controls, w, a)
        sync()
        # actuators may share a dof: one lane adds them, in a fixed order
        if lane == 0:
            for a in range(size.nactuator):
                slope = drive.slope[w, a]
                if slope != 0.0:
                    for k in range(actuator.outnum[a]):
                        _add_outer_product(dof, mass, drive, slope, w, assume_nonnegative(actuator.outadr[a]) + k)
        sync()
