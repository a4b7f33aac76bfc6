"""Integrators, solvers, options and flags."""

from features.table import ARM, BALL, GROUND, Feature, model

_TAIL = "<actuator><position joint='shoulder' kp='5' kv='.3' ctrllimited='true' ctrlrange='-.3 .3'/></actuator>"
_WORLD = GROUND + BALL + ARM.replace('damping=".1"', 'damping=".1" frictionloss=".05" stiffness="1"')


def _feature(group: str, name: str, option: str, world: str = _WORLD) -> Feature:
    return Feature(group, name, model(world, option=option, tail=_TAIL))


INTEGRATORS = [_feature("Integrators", name, f"integrator='{name}'") for name in ("Euler", "RK4", "implicit", "implicitfast", "discrete")]
SOLVERS = [
    _feature("Solvers", f"{name}, {cone}", f"solver='{name}' cone='{cone}' iterations='200'")
    for name in ("Newton", "CG", "PGS")
    for cone in ("pyramidal", "elliptic")
]
SOLVERS += [
    _feature("Solvers", "noslip", "noslip_iterations='10' cone='elliptic'"),
    _feature("Solvers", "jacobian dense", "jacobian='dense'"),
    _feature("Solvers", "jacobian sparse", "jacobian='sparse'"),
    _feature("Solvers", "tolerance, iterations", "tolerance='1e-6' iterations='50' ls_iterations='30' ls_tolerance='.02'"),
]
_DISABLE = (
    "constraint", "equality", "frictionloss", "limit", "contact", "spring", "damper", "gravity", "clampctrl", "warmstart",
    "filterparent", "actuation", "refsafe", "sensor", "midphase", "nativeccd", "eulerdamp", "autoreset", "island", "multiccd",
)  # fmt: skip
_ENABLE = ("energy", "fwdinv", "invdiscrete", "sleep", "diagexact")
FLAGS = [_feature("Flags", f"{name} disabled", f"|{name}='disable'") for name in _DISABLE]
FLAGS += [_feature("Flags", f"{name} enabled", f"|{name}='enable'") for name in _ENABLE]
FLAGS.append(_feature("Flags", "ipc enabled", "integrator='discrete'|ipc='enable'"))
VALUES = [
    _feature("Options", "timestep, gravity", "timestep='.004' gravity='1 2 -9'"),
    _feature("Options", "ccd_iterations, ccd_tolerance", "ccd_iterations='40' ccd_tolerance='1e-6'"),
]
_FLEX = "<flexcomp type='grid' name='cloth' count='3 3 1' spacing='.1 .1 .1' pos='0 0 2' dim='2' mass='1' radius='.01'><edge equality='true'/></flexcomp>"
OUTSIDE = [
    Feature("Not rigid", "flex", model(_FLEX)),
]
FEATURES = [*VALUES, *INTEGRATORS, *SOLVERS, *FLAGS, *OUTSIDE]
