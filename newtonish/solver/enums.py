"""Enumerations nested in SolverMuJoCo: numbers as in Newton, for the arrays of the ``mujoco`` namespace."""

from enum import IntEnum

__all__ = ["CtrlSource", "CtrlType", "EqType", "SleepPolicy", "TrnType"]


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

    CONNECT = 0
    WELD = 1
    JOINT = 2
    TENDON = 3


class SleepPolicy(IntEnum):
    """Whether a tree may sleep (``model.mujoco.sleep_policy``)."""

    AUTO = 0
    NEVER = 3
    ALLOWED = 4
    INIT = 5
