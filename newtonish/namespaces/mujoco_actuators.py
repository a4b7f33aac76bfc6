"""How many controls, force outputs and activations a row of the ``mujoco:actuator`` table has: numbers that follow from its kind."""

from __future__ import annotations

from collections.abc import Sequence

from newtonish.common.actuator_laws import law_of_gain
from newtonish.common.actuator_parameters import DCMotorDyn, DCMotorGain, PIDDyn, PIDGain
from newtonish.common.enums import DynType, GainType

__all__ = ["SO3_JOINT", "SO3_SITE", "activations", "controls", "outputs"]

SO3_JOINT, SO3_SITE = 6, 7
"""``actuator_trntype`` of servos of orientations, beyond Newton's numbers."""

INPUTS = (1, 2, 4, 8)


def signature(gaintype: int, ctrlspec: int) -> int:
    """The input signature in force; 0 takes the default of the gain."""
    law = law_of_gain(gaintype)
    return ctrlspec or (law.inputs if law is not None else 0)


def controls(gaintype: int, ctrlspec: int) -> int:
    """Number of controls."""
    spec = signature(gaintype, ctrlspec)
    if gaintype == GainType.SO3:
        return 4 if spec == 2 else 3
    law = law_of_gain(gaintype)
    return sum((spec & bit) != 0 for bit in INPUTS) if law is not None and law.adds_inputs else 1


def outputs(trntype: int) -> int:
    """Number of force outputs."""
    return 3 if trntype in (SO3_JOINT, SO3_SITE) else 1


def activations(dyntype: int, gaintype: int, dynprm: Sequence[float], gainprm: Sequence[float]) -> int:
    """Number of activations if the row does not say it."""
    if dyntype == DynType.DCMOTOR:
        thermal, bristles = dynprm[DCMotorDyn.THERMAL_RESISTANCE], dynprm[DCMotorDyn.BRISTLE_STIFFNESS]
        enabling = (dynprm[DCMotorDyn.SLEWMAX], gainprm[DCMotorGain.KI], thermal, bristles, dynprm[DCMotorDyn.TIMECONST])
        return sum(x > 0 for x in enabling)
    if dyntype == DynType.PID:
        return int(dynprm[PIDDyn.SLEWMAX] > 0) + int(gainprm[PIDGain.KI] > 0)
    return (3 if gaintype == GainType.SO3 else 1) if dyntype != 0 else 0
