"""What a model may have for analytic derivatives: everything else is named, never left out."""

from __future__ import annotations

from typing import Any

import numpy as np

from newtonish.common.enums import (
    BiasType,
    DynType,
    EnableBit,
    GainType,
    IntegratorType,
    JointType,
    TrnType,
)
from newtonish.errors import UnsupportedError, problem, raise_all
from newtonish.kernels.structs.container import Model

__all__ = ["check_differentiable", "check_forgetful"]

_INTEGRATORS = (IntegratorType.EULER, IntegratorType.RK4, IntegratorType.IMPLICITFAST)
_REMEDY = "use transition_fd, which differentiates all that is simulated"


def check_differentiable(name: str, m: Model) -> None:
    """Raise ``UnsupportedError`` with everything of the model that ``name`` has no derivative of."""
    raise_all(UnsupportedError, name, _options(m) + _forces(m) + _actuators(m) + _integration(m))


def check_forgetful(name: str, m: Model) -> None:
    """Raise ``UnsupportedError`` if steps remember more than states that ``name`` has derivatives by."""
    numbers = {"delays": m.hist.nhistory, "springs that yield": m.hist.nplastic}
    raise_all(
        UnsupportedError,
        name,
        [_refused(what, str(number), "none: gradients do not go through what is remembered") for what, number in numbers.items() if number],
    )


def _refused(what: str, given: str, allowed: str) -> str:
    return problem(what, given, allowed, _REMEDY)


def _options(m: Model) -> list[str]:
    """Options and switches of the whole step."""
    found = []
    if m.opt.integrator not in _INTEGRATORS:
        allowed = ", ".join(kind.name for kind in _INTEGRATORS)
        found.append(_refused("m.opt.integrator", IntegratorType(m.opt.integrator).name, allowed))
    if m.opt.noslip_iterations > 0:
        found.append(_refused("m.opt.noslip_iterations", str(m.opt.noslip_iterations), "0: the end of the suppression is no minimum"))
    for bit in (EnableBit.SLEEP, EnableBit.DIAGEXACT, EnableBit.SPECULATIVE, EnableBit.INVDISCRETE):
        if m.opt.enableflags & bit:
            found.append(_refused("m.opt.enableflags", bit.name or "", "that flag off"))
    found += [_refused(f"m.callback.{key}", "a function", "None") for key in ("control", "passive") if getattr(m.callback, key) is not None]
    return found


def _forces(m: Model) -> list[str]:
    """Forces and rows without a derivative here."""
    numbers = {
        "contacts that can pull": m.size.flg_adhesion,
        "surfaces that move": m.size.flg_surfacevel,
        "constraints that are springs in motion too": m.size.flg_spring,
        "geoms with gains in units of force": m.nforced,
    }
    found = [_refused(what, str(number), "none") for what, number in numbers.items() if number]
    return found


def _actuators(m: Model) -> list[str]:
    """Actuators whose force or moment is not affine."""
    if not m.size.nactuator:
        return []
    found = []
    arrays = {name: getattr(m, f"actuator_{name}").numpy() for name in ("trntype", "gaintype", "biastype", "dyntype", "law")}
    allowed = {
        "dyntype": (DynType.NONE, DynType.INTEGRATOR, DynType.FILTER, DynType.FILTEREXACT, DynType.MUSCLE),
        "gaintype": (GainType.FIXED, GainType.AFFINE, GainType.MUSCLE),
        "biastype": (BiasType.NONE, BiasType.AFFINE, BiasType.MUSCLE),
        "trntype": (TrnType.JOINT, TrnType.JOINTINPARENT, TrnType.SLIDERCRANK, TrnType.TENDON, TrnType.SITE),
    }
    for a in range(m.size.nactuator):
        label = f"actuator {_name(m, 'actuator', a)}"
        if arrays["law"][a]:
            found.append(_refused(label, "a force law of its own", "gain times input plus bias"))
            continue
        for key, kinds in allowed.items():
            if arrays[key][a] not in tuple(map(int, kinds)):
                found.append(_refused(f"{label}, {key}", str(type(kinds[0])(int(arrays[key][a])).name), ", ".join(k.name for k in kinds)))
    return found


def _integration(m: Model) -> list[str]:
    """What implicitfast takes at the end of the step and has no second derivative of here."""
    if m.opt.integrator != IntegratorType.IMPLICITFAST:
        return []
    found = []
    if m.size.nfluid:
        found.append(_refused("bodies in a medium, with implicitfast", str(m.size.nfluid), "none, or the integrator EULER or RK4"))
    types, dofs, trees = m.jnt_type.numpy(), m.jnt_dofadr.numpy(), m.tree_dofnum.numpy()
    tree_of = m.dof_treeid.numpy()
    for j in np.flatnonzero(types == JointType.FREE).tolist():
        if trees[tree_of[dofs[j]]] == 6:
            found.append(_refused(f"joint {_name(m, 'jnt', j)}", "a body alone on a free joint, with implicitfast", "the integrator Euler, or no such body"))
    return found


def _name(m: Any, kind: str, number: int) -> str:
    """An object by its name, or its number."""
    names = m.names.get(kind, [])
    return repr(names[number]) if number < len(names) and names[number] else str(number)
