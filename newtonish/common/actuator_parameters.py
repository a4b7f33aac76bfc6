"""What the numbers of an actuator's ``gainprm``, ``biasprm`` and ``dynprm`` are, by kind of gain, bias and activation.

Each class names the places of one vector of MuJoCo's; what a vector has beyond them counts for nothing. Source: MuJoCo
documentation, XML Reference, actuator (general, muscle, dcmotor, pid, orientation).
"""

from enum import IntEnum


class Affine(IntEnum):
    """``gainprm`` and ``biasprm`` of the affine kinds; a fixed gain and the gain of an orientation have the constant alone.

    The value is ``CONSTANT + LENGTH * length + VELOCITY * velocity``. A servo with the gains kp and kv has the bias
    (0, -kp, -kv).
    """

    CONSTANT = 0
    LENGTH = 1
    VELOCITY = 2


class FilterDyn(IntEnum):
    """``dynprm`` of the first-order filters."""

    TIMECONST = 0  # [s]


class MuscleDyn(IntEnum):
    """``dynprm`` of a muscle."""

    ACTIVATION = 0  # time constant of activation [s]
    DEACTIVATION = 1  # time constant of deactivation [s]
    SMOOTHING = 2  # width of the switch between the two


class Muscle(IntEnum):
    """``gainprm`` and ``biasprm`` of a muscle."""

    RANGE_LOW = 0  # operating range of lengths, in optimal lengths
    RANGE_HIGH = 1
    FORCE = 2  # largest active force [N]; below zero: from SCALE
    SCALE = 3  # largest active force times the acceleration of a unit force
    LMIN = 4  # lengths outside of which there is no active force, in optimal lengths
    LMAX = 5
    VMAX = 6  # shortening speed at which the active force is zero, in optimal lengths per second
    FPMAX = 7  # passive force at LMAX, in largest active forces
    FVMAX = 8  # active force at the largest lengthening speed, in largest active forces


class PIDDyn(IntEnum):
    """``dynprm`` of a PID servo."""

    IMAX = 0  # largest integral of the position error
    SLEWMAX = 1  # largest rate of the set point


class PIDGain(IntEnum):
    """``gainprm`` of a PID servo; its kp and kv are in the affine bias."""

    KI = 0


class DCMotorDyn(IntEnum):
    """``dynprm`` of a DC motor."""

    TIMECONST = 0  # inductance by resistance [s]
    CURRENT_RATE = 1  # largest rate of the current [A/s]
    THERMAL_RESISTANCE = 2  # [K/W]
    HEAT_CAPACITY = 3  # [J/K]
    AMBIENT = 4  # temperature
    BRISTLE_STIFFNESS = 5  # of the LuGre friction
    BRISTLE_DAMPING = 6
    SLEWMAX = 7  # largest rate of the set point
    IMAX = 8  # largest integral of the position error


class DCMotorGain(IntEnum):
    """``gainprm`` of a DC motor."""

    RESISTANCE = 0  # of the winding at the reference temperature [Ohm]
    MOTORCONST = 1  # torque by current, and voltage by velocity
    RESISTANCE_SLOPE = 2  # relative change of the resistance by temperature [1/K]
    REFERENCE = 3  # temperature
    KP = 4  # of the controller
    KI = 5
    KD = 6
    VMAX = 7  # largest voltage of the controller [V]


class DCMotorBias(IntEnum):
    """``biasprm`` of a DC motor."""

    COGGING_AMPLITUDE = 0
    COGGING_POLES = 1
    COGGING_PHASE = 2  # [rad]
    COULOMB = 3  # LuGre friction: that of sliding, that of sticking, Stribeck velocity
    STATIC = 4
    STRIBECK = 5
