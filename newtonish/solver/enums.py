"""Enumerations and names nested in solvers, with Newton's numbers: for the arrays of the ``mujoco`` namespace, and of observables.

Newton numbers transmissions in another order than MuJoCo (``newtonish.common.enums.TrnType``); the conversion translates them. Its kinds of
equality constraints have MuJoCo's numbers.
"""

from enum import IntEnum, IntFlag

from newtonish.common import enums

__all__ = ["BaseObservableKind", "CtrlSource", "CtrlType", "EqType", "ObservableKind", "OverflowBits", "SleepPolicy", "TrnType"]


class TrnType(IntEnum):
    """What an actuator acts on (``model.mujoco.actuator_trntype``)."""

    UNDEFINED = -1
    JOINT = 0
    JOINT_IN_PARENT = 1
    TENDON = 2
    SITE = 3
    BODY = 4
    SLIDERCRANK = 5


class CtrlSource(IntEnum):
    """Where an actuator's control comes from (``model.mujoco.ctrl_source``)."""

    JOINT_TARGET = 0
    CTRL_DIRECT = 1


class CtrlType(IntEnum):
    """What kind of actuator a row is (``model.mujoco.ctrl_type``)."""

    POSITION = 0
    VELOCITY = 1
    GENERAL = 2
    DCMOTOR = 3


class EqType(IntEnum):
    """Kind of an equality constraint (``model.mujoco.equality_constraint_type``)."""

    CONNECT = enums.EqType.CONNECT
    WELD = enums.EqType.WELD
    JOINT = enums.EqType.JOINT
    TENDON = enums.EqType.TENDON


class SleepPolicy(IntEnum):
    """Whether a tree may sleep (``model.mujoco.sleep_policy``)."""

    AUTO = enums.SleepPolicy.AUTO
    NEVER = enums.SleepPolicy.NEVER
    ALLOWED = enums.SleepPolicy.ALLOWED
    INIT = enums.SleepPolicy.INIT


class OverflowBits(IntFlag):
    """Bits of ``Observables.overflow`` beside those of ``newtonish.mjw.OverflowType``; they tell of contacts from outside."""

    CONTACT_PIPELINE = 1 << 16
    """More contacts were found than the container has room for."""
    SOLVER_NCONMAX = 1 << 17
    """A world was given more contacts than ``nconmax``."""


class BaseObservableKind:
    """Names of what a solver may report beside the new state."""

    BODY_QDD = "body_qdd"
    BODY_PARENT_F = "body_parent_f"
    CONTACT_F = "contact_f"


class ObservableKind(BaseObservableKind):
    """Those of SolverMuJoCo."""

    QFRC_ACTUATOR = "qfrc_actuator"
    QFRC_BIAS = "qfrc_bias"
    QFRC_CONSTRAINT = "qfrc_constraint"
    QFRC_FRICTIONLOSS = "qfrc_frictionloss"
    OVERFLOW = "overflow"
