"""What a model may have for analytic derivatives: everything else is named, never left out."""

from __future__ import annotations

from typing import Any

from newtonish.common.enums import (
    BiasType,
    DynType,
    EnableBit,
    ForceLaw,
    GainType,
    TrnType,
)
from newtonish.errors import UnsupportedError, problem, raise_all
from newtonish.kernels.structs.container import Model

__all__ = ["check_differentiable", "check_forgetful"]

_REMEDY = "use transition_fd, which differentiates all that is simulated"


def check_differentiable(name: str, m: Model) -> None:
    """Raise ``UnsupportedError`` with everything of the model that ``name`` has no derivative of."""
    raise_all(UnsupportedError, name, _options(m) + _actuators(m))


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
    if m.opt.noslip_iterations > 0:
        found.append(_refused("m.opt.noslip_iterations", str(m.opt.noslip_iterations), "0: the end of the suppression is no minimum"))
    for bit in (EnableBit.SLEEP, EnableBit.DIAGEXACT, EnableBit.SPECULATIVE):
        if m.opt.enableflags & bit:
            found.append(_refused("m.opt.enableflags", bit.name or "", "that flag off"))
    found += [_refused(f"m.callback.{key}", "a function", "None") for key in ("control", "passive") if getattr(m.callback, key) is not None]
    return found


def _actuators(m: Model) -> list[str]:
    """Actuators whose force or moment is not affine."""
    if not m.size.nactuator:
        return []
    found = []
    arrays = {name: getattr(m, f"actuator_{name}").numpy() for name in ("trntype", "gaintype", "biastype", "dyntype", "law")}
    trnid, outadr, gear = (getattr(m, f"actuator_{name}").numpy() for name in ("trnid", "outadr", "gear"))
    allowed = {
        "dyntype": (DynType.NONE, DynType.INTEGRATOR, DynType.FILTER, DynType.FILTEREXACT, DynType.MUSCLE),
        "gaintype": (GainType.FIXED, GainType.AFFINE, GainType.MUSCLE),
        "biastype": (BiasType.NONE, BiasType.AFFINE, BiasType.MUSCLE),
        "trntype": (TrnType.JOINT, TrnType.JOINTINPARENT, TrnType.SLIDERCRANK, TrnType.TENDON, TrnType.SITE, TrnType.BODY),
    }
    for a in range(m.size.nactuator):
        label = f"actuator {_name(m, 'actuator', a)}"
        if arrays["trntype"][a] == TrnType.TENDON and m.tendon_actfrclimited.numpy()[trnid[a, 0]] and not gear[:, outadr[a], 0].all():
            found.append(_refused(f"{label}, gear", "0, on a tendon that limits the force of its actuators", "another gear"))
        if arrays["law"][a]:
            if arrays["law"][a] == ForceLaw.USER:
                found.append(_refused(label, "functions of the user's", "types of MuJoCo's own"))
            continue
        for key, kinds in allowed.items():
            if arrays[key][a] not in tuple(map(int, kinds)):
                found.append(_refused(f"{label}, {key}", str(type(kinds[0])(int(arrays[key][a])).name), ", ".join(k.name for k in kinds)))
    return found


def _name(m: Any, kind: str, number: int) -> str:
    """An object by its name, or its number."""
    names = m.names.get(kind, [])
    return repr(names[number]) if number < len(names) and names[number] else str(number)
