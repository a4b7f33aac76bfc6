"""What of an ``MjModel`` the kernels do not simulate yet: found at the border, listed whole, never dropped in silence."""

from __future__ import annotations

import warnings
from enum import IntEnum
from typing import Any

import numpy as np

from newtonish.errors import NewtonishWarning, UnsupportedError, problem
from newtonish.kernels.collision.filter import unsupported_pairs
from newtonish.kernels.enums import (
    BiasType,
    DynType,
    EnableBit,
    GainType,
    IntegratorType,
    SolverType,
    TrnType,
)
from newtonish.mjw.matching import INTEGRATORS
from newtonish.mjw.tree import JOINT_WRAP

GAINS = (GainType.FIXED, GainType.AFFINE)
BIASES = (BiasType.NONE, BiasType.AFFINE)
_SUPPORTED_DYN = (DynType.NONE, DynType.INTEGRATOR, DynType.FILTER, DynType.FILTEREXACT)
_COUNTS = {
    "neq": "equality constraints",
    "nflex": "flexes",
    "nplugin": "plugins",
    "nplastic": "plastic springs",
}


def check_supported(mjm: Any, *, strict: bool) -> None:
    """Raise ``UnsupportedError`` (strict) or warn once with everything of ``mjm`` that is not simulated."""
    if int(getattr(mjm, "nsensor", 0)):
        text = problem("sensors", str(int(mjm.nsensor)), "none yet", "read the arrays of Data instead")
        warnings.warn(text, NewtonishWarning, stacklevel=3)
    problems = unsupported(mjm)
    if not problems:
        return
    text = "the model has parts that are not simulated:\n  " + "\n  ".join(problems)
    if strict:
        raise UnsupportedError(text)
    warnings.warn(text, NewtonishWarning, stacklevel=3)


def unsupported(mjm: Any) -> list[str]:
    """One four-part line for each thing that is not simulated; empty if everything is."""
    problems = []
    for count, what in _COUNTS.items():
        number = int(getattr(mjm, count, 0))
        if number:
            problems.append(problem(what, f"{number}", "none", "remove them, or pass strict=False to leave them out"))
    problems += [text for _, text in unsimulated_options(mjm)] + _actuators(mjm) + _bodies(mjm) + _tendons(mjm)
    problems += [
        problem(f"contacts of {p.name1} and {p.name2}", f"{p.type1} and {p.type2}", p.allowed, p.remedy)
        for p in unsupported_pairs(mjm)
    ]
    return problems


def _tendons(mjm: Any) -> list[str]:
    """Spatial tendons that act on the model (one that only measures a length changes nothing), and armature."""
    fields = ("stiffness", "stiffnesspoly", "damping", "dampingpoly", "frictionloss", "limited")
    count, problems = int(mjm.ntendon), []
    if count == 0:
        return problems

    def acts(field: str) -> np.ndarray:
        return (np.asarray(getattr(mjm, f"tendon_{field}", np.zeros(count))).reshape(count, -1) != 0).any(axis=1)

    spatial = np.array([mjm.wrap_type[adr] != JOINT_WRAP for adr in np.asarray(mjm.tendon_adr)])
    pulling = spatial & np.any([acts(field) for field in fields], axis=0)
    remedy = "remove them, or pass strict=False to leave them out"
    if pulling.any():
        problems.append(problem("spatial tendons", str(int(pulling.sum())), "fixed tendons", remedy))
    for field in ("armature", "actfrclimited"):
        if acts(field).any():
            problems.append(problem(f"tendons with {field}", str(int(acts(field).sum())), "none yet", remedy))
    return problems


def unsimulated_options(mjm: Any) -> list[tuple[str, str]]:
    """Options that are not simulated: the name of each and a four-part line."""
    opt, problems = mjm.opt, []
    if opt.integrator not in INTEGRATORS:
        given, remedy = _name(IntegratorType, opt.integrator).lower(), "choose one of these; implicitfast is the nearest"
        problems.append(("integrator", problem("option integrator", given, "euler, RK4, implicitfast", remedy)))
    if opt.solver != SolverType.NEWTON:
        given, remedy = _name(SolverType, opt.solver), "set solver='Newton'; it minimises the same cost"
        problems.append(("solver", problem("option solver", given, "Newton", remedy)))
    if opt.noslip_iterations:
        given = str(opt.noslip_iterations)
        problems.append(("noslip_iterations", problem("option noslip_iterations", given, "0", "set it to 0")))
    for name in ("density", "viscosity"):
        value = float(getattr(opt, name))
        if value:
            problems.append((name, problem(f"option {name}", f"{value:g}", "0", "set it to 0: there is no medium yet")))
    for bit in (EnableBit.INVDISCRETE, EnableBit.SLEEP, EnableBit.DIAGEXACT, EnableBit.IPC, EnableBit.SPECULATIVE):
        if opt.enableflags & bit:
            name = bit.name.lower()
            problems.append((name, problem(f"option flag {name}", "enable", "disable", "switch the flag off")))
    return problems


def _name(enum: type[IntEnum], number: Any) -> str:
    """Name of an enumeration's member, or the number that is none."""
    return enum(int(number)).name if int(number) in list(enum) else str(int(number))


def _actuators(mjm: Any) -> list[str]:
    problems = []
    for i in range(int(mjm.nactuator)):
        kinds = [
            ("transmission", TrnType, mjm.actuator_trntype[i], (TrnType.JOINT, TrnType.JOINTINPARENT)),
            ("dyntype", DynType, mjm.actuator_dyntype[i], _SUPPORTED_DYN),
            ("gaintype", GainType, mjm.actuator_gaintype[i], GAINS),
            ("biastype", BiasType, mjm.actuator_biastype[i], BIASES),
        ]
        for what, enum, given, allowed in kinds:
            if given not in allowed:
                names = ", ".join(a.name.lower() for a in allowed)
                name = _name(enum, given).lower()
                problems.append(problem(f"actuator {i}: {what}", name, names, "use a general actuator of these kinds"))
        history = np.asarray(getattr(mjm, "actuator_history", np.zeros((0, 2))))
        if len(history) > i and history[i][0] > 0:
            problems.append(problem(f"actuator {i}: delay", "a delay", "none", "remove the delay"))
    return problems


def _bodies(mjm: Any) -> list[str]:
    problems = []
    for flag, what in (("flg_adhesion", "contact adhesion"), ("flg_surfacevel", "surface velocity of geoms")):
        if getattr(mjm, flag, False):
            problems.append(problem(what, "a value", "none", "remove the attribute"))
    for field, what in (("actuator_damping", "actuator damping"), ("actuator_armature", "actuator armature")):
        if np.any(np.asarray(getattr(mjm, field, 0.0)) != 0.0):
            problems.append(problem(what, "a value", "0", "put it on the joint"))
    return problems
