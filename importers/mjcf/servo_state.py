"""Servos with several controls, and DC motors, in MuJoCo's general form."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any

from newtonish.common.actuator_parameters import Affine, DCMotorBias, DCMotorDyn, DCMotorGain, PIDDyn, PIDGain
from newtonish.common.enums import DynType, GainType
from newtonish.diagnostics import Diagnostics
from newtonish.mjcf.language.read import Node

if TYPE_CHECKING:
    from newtonish.importers.mjcf.actuator_state import ActuatorState

__all__ = ["input_spec", "write_dcmotor", "write_orientation", "write_pid"]

BITS = {"pos": 1, "vel": 2, "ff": 4, "voltage": 8, "pressure": 32}
ALONE = {"none": 16, "expmap": 1, "quat": 2}


def input_spec(node: Node, log: Diagnostics) -> int | None:
    """MuJoCo's number for the attribute ``input``; None if it is not written."""
    words = node.values.get("input")
    if words is None:
        return None
    if len(words) == 1 and words[0] in ALONE:
        return ALONE[words[0]]
    bits = [BITS.get(word, 0) for word in words]
    if any(b <= a for a, b in itertools.pairwise([0, *bits])):
        allowed = "none, expmap or quat, or some of pos vel ff voltage in this order"
        log.problem(node.at("input"), f"{node.label}, input", " ".join(words), allowed, "correct it")
        return 0
    return sum(bits)


def _feedback(state: ActuatorState, node: Node, kp: float, log: Diagnostics) -> None:
    """Bias of a servo with gain ``kp``, with damping or a damping ratio."""
    values, third = node.values, state.biasprm[Affine.VELOCITY]
    if "kv" in values and "dampratio" in values:
        log.problem(node.at("dampratio"), node.label, "kv and dampratio together", "one of them", "keep one")
    for name, sign in (("kv", -1.0), ("dampratio", 1.0)):
        if name in values:
            _not_negative(node, name, values[name], log)
            third = sign * values[name]
    state.biasprm = [0.0, -kp, third] + [0.0] * 7


def _not_negative(node: Node, name: str, number: float, log: Diagnostics) -> None:
    if not 0 <= number < math.inf:
        log.problem(node.at(name), f"{node.label}, {name}", str(number), "not below zero", "correct it")


def write_orientation(state: ActuatorState, node: Node, log: Diagnostics) -> None:
    """Gains of an ``orientation`` element."""
    kp = node.values.get("kp", state.gainprm[Affine.CONSTANT])
    _feedback(state, node, kp, log)
    state.gainprm = [kp] + [0.0] * 9
    state.dyntype, state.gaintype, state.biastype = 0, GainType.SO3, GainType.SO3
    state.dynprm = [1.0] + [0.0] * 9
    spec = input_spec(node, log)
    state.ctrlspec = state.ctrlspec if spec is None else spec


def write_pid(state: ActuatorState, node: Node, log: Diagnostics) -> None:
    """Gains of a ``pid`` element."""
    values = node.values
    inherited = state.dyntype == DynType.PID
    kp = values.get("kp", -state.biasprm[Affine.LENGTH] if state.gaintype == GainType.PID else 1.0)
    ki = values.get("ki", state.gainprm[PIDGain.KI] if inherited else 0.0)
    most = values.get("imax", state.dynprm[PIDDyn.IMAX] if inherited else 0.0)
    slew = values.get("slewmax", state.dynprm[PIDDyn.SLEWMAX] if inherited else 0.0)
    for name, number in (("ki", ki), ("imax", most), ("slewmax", slew)):
        _not_negative(node, name, number, log)
    _feedback(state, node, kp, log)
    state.gaintype, state.biastype = GainType.PID, 1
    state.dyntype = DynType.PID if ki != 0 or slew > 0 else 0
    state.gainprm = [ki] + [0.0] * 9
    state.dynprm = [most if ki != 0 else 0.0, slew] + [0.0] * 8
    spec = input_spec(node, log)
    state.ctrlspec = state.ctrlspec if spec is None else spec
    if "posrange" in values:
        state.plain["ctrlrange"] = values["posrange"]
        if values.get("inheritrange", 0.0) > 0:
            given = "posrange and inheritrange together"
            log.problem(node.at("inheritrange"), node.label, given, "one of them", "keep one")


def _parts(node: Node, name: str, inherited: list[float]) -> list[float]:
    """The numbers of an attribute; those that are not written stand as inherited."""
    given: list[Any] = node.values.get(name, [])
    return [*given, *inherited[len(given) :]]


def write_dcmotor(state: ActuatorState, node: Node, log: Diagnostics) -> None:
    """Parameters of a ``dcmotor`` element from those of its data sheet."""
    own = state.gaintype == GainType.DCMOTOR
    dyn, gain, bias = (p if own else [0.0] * 10 for p in (state.dynprm, state.gainprm, state.biasprm))
    spec = input_spec(node, log)
    state.ctrlspec = (state.ctrlspec if own else 0) if spec is None else spec
    torque_const, emf_const = _parts(node, "motorconst", [gain[DCMotorGain.MOTORCONST], 0.0])
    volt, stall, speed = _parts(node, "nominal", [0.0] * 3)
    if min(torque_const, emf_const) < 0:
        given = f"{torque_const} {emf_const}"
        log.problem(node.at("motorconst"), f"{node.label}, motorconst", given, "not below zero", "correct it")
    if speed > 0 and emf_const == 0:
        emf_const = volt / speed
    both = torque_const > 0 and emf_const > 0
    constant = math.sqrt(torque_const * emf_const) if both else max(torque_const, emf_const)
    resistance = node.values.get("resistance", gain[DCMotorGain.RESISTANCE])
    if resistance == 0 and stall > 0:
        resistance = constant * volt / stall
    for what, number, needed in (
        ("motorconst", constant, state.ctrlspec != ALONE["none"]),
        ("resistance", resistance, True),
    ):
        if needed and not 0 < number < math.inf:
            remedy = f"write {what}, or all of nominal"
            log.problem(node.at(what), f"{node.label}, {what}", str(number), "a positive number", remedy)
            return
    inductance, electric = _parts(node, "inductance", [0.0, dyn[DCMotorDyn.TIMECONST]])
    if "inductance" in node.values and len(node.values["inductance"]) == 1 and inductance == 0:
        electric = 0.0
    _not_negative(node, "inductance", min(inductance, electric), log)
    electric = inductance / resistance if inductance > 0 else electric
    torque, current, rate = _parts(node, "saturation", [0.0, 0.0, dyn[DCMotorDyn.CURRENT_RATE]])
    if "saturation" in node.values:
        for name in ("forcerange", "forcelimited"):
            state.plain.pop(name, None)
        torque = torque if torque > 0 else constant * current
        if torque > 0:
            state.plain["forcerange"] = [-torque, torque]
    inherited = [dyn[DCMotorDyn.THERMAL_RESISTANCE], dyn[DCMotorDyn.HEAT_CAPACITY], 0.0]
    inherited += [gain[DCMotorGain.RESISTANCE_SLOPE], gain[DCMotorGain.REFERENCE], dyn[DCMotorDyn.AMBIENT]]
    heat = _thermal(node, inherited, log)
    bristles = [dyn[DCMotorDyn.BRISTLE_STIFFNESS], dyn[DCMotorDyn.BRISTLE_DAMPING]]
    friction = _parts(node, "lugre", [*bristles, *bias[DCMotorBias.COULOMB : len(DCMotorBias)]])
    friction = friction if friction[0] > 0 else [0.0] * 5
    cogging = _parts(node, "cogging", bias[: DCMotorBias.COULOMB])
    inherited = [*gain[DCMotorGain.KP : DCMotorGain.VMAX], dyn[DCMotorDyn.SLEWMAX], dyn[DCMotorDyn.IMAX]]
    kp, ki, kd, slew, windup, volts = _parts(node, "controller", [*inherited, gain[DCMotorGain.VMAX]])
    state.dynprm = [electric, rate, heat[0], heat[1], heat[5], *friction[:2], slew, windup, 0.0]
    state.gainprm = [resistance, constant, heat[3], heat[4], kp, ki, kd, volts, 0.0, 0.0]
    state.biasprm = [*cogging, *friction[2:], 0.0, 0.0, 0.0, 0.0]
    state.dyntype, state.gaintype, state.biastype = DynType.DCMOTOR, GainType.DCMOTOR, GainType.DCMOTOR
    state.plain["actearly"] = True


def _thermal(node: Node, inherited: list[float], log: Diagnostics) -> list[float]:
    """Thermal resistance, heat capacity, (their product), coefficient, reference and ambient; zeros without a model."""
    resistance, capacity, product, *rest = _parts(node, "thermal", inherited)
    if not (resistance or capacity or product):
        return [0.0] * 6
    if resistance > 0 and product > 0:
        capacity = product / resistance
    elif capacity > 0 and product > 0:
        resistance = product / capacity
    if not (resistance > 0 and capacity > 0):
        given = " ".join(f"{x:g}" for x in (resistance, capacity, product))
        allowed = "two of resistance, capacitance and timeconst above zero"
        log.problem(node.at("thermal"), f"{node.label}, thermal", given, allowed, "correct it")
    return [resistance, capacity, product, *rest]
