"""Features of an ``MjModel`` that the kernels do not simulate yet: all are reported, none is dropped silently."""

from __future__ import annotations

import warnings
from enum import IntEnum
from typing import Any

import numpy as np

from newtonish.common.actuator_laws import LAWS
from newtonish.common.enums import (
    BiasType,
    DisableBit,
    DynType,
    EnableBit,
    EqType,
    GainType,
    GeomType,
    IntegratorType,
    TrnType,
)
from newtonish.errors import NewtonishWarning, UnsupportedError, problem
from newtonish.kernels.collision.filter import geom_pairs, searched_pairs, unsupported_pairs
from newtonish.kernels.structs.collision import MOST_ITERATIONS
from newtonish.mjw.capacity import ROWS_OF_EQUALITY
from newtonish.mjw.distance_fields import GeomFields, geom_fields
from newtonish.mjw.matching import INTEGRATORS
from newtonish.mjw.record import ModelRecord, read_model
from newtonish.mjw.tables.sensors import unsupported_sensors
from newtonish.mjw.user_actuation import UserActuation, user_parts

_GAINS_OF_BIAS = {row.bias: row.gain for row in LAWS.values() if row.bias is not None}
DEFAULT_CCD_TOLERANCE = 1e-6  # [m]
_COUNTS = {
    "nflex": "flexes",
    "nplugin": "plugins",
}


def check_supported(record: ModelRecord, *, strict: bool, actuation: UserActuation | None = None, fields: GeomFields | None = None) -> None:
    """Raise ``UnsupportedError`` (strict) or warn once with everything of ``record`` that is not simulated.

    What only saves work in MuJoCo is a warning in both cases.
    """
    for note in approximated(record):
        warnings.warn(note, NewtonishWarning, stacklevel=3)
    problems = unsupported(record, actuation, fields)
    if not problems:
        return
    text = "the model has parts that are not simulated:\n  " + "\n  ".join(problems)
    if strict:
        raise UnsupportedError(text)
    warnings.warn(text, NewtonishWarning, stacklevel=3)


def approximated(mjm: Any) -> list[str]:
    """One four-part line for each thing that is simulated in another way than asked for, without harm to the physics."""
    return _searched_otherwise(read_model(mjm))


def _searched_otherwise(record: ModelRecord) -> list[str]:
    """Options of the search for convex contacts that ask for a coarser or longer one than there is."""
    legacy = bool(record.opt.disableflags & DisableBit.NATIVECCD)
    loose = record.opt.ccd_tolerance > DEFAULT_CCD_TOLERANCE
    more = record.opt.ccd_iterations > MOST_ITERATIONS
    number = searched_pairs(record) if legacy or loose or more else 0
    notes = []
    if number and legacy:
        allowed = "enable: closest points and least depths, where MuJoCo's other library finds greater depths"
        remedy = "leave the flag on, in MuJoCo too, to compare contacts"
        notes.append(problem("option flag nativeccd", f"disable, with {number} pairs of convex geoms", allowed, remedy))
    if number and loose:
        given, allowed = f"{record.opt.ccd_tolerance:g}", f"{DEFAULT_CCD_TOLERANCE:g} or less: the search ends at float32's rounding"
        notes.append(problem("option ccd_tolerance", given, allowed, "leave it out: contacts are more exact than asked for"))
    if number and more:
        allowed = f"{MOST_ITERATIONS} or fewer: what they leave is found by descent, to 5 µm of the depth"
        notes.append(problem("option ccd_iterations", f"{record.opt.ccd_iterations}", allowed, "leave it out"))
    return notes


def unsupported(mjm: Any, actuation: UserActuation | None = None, fields: GeomFields | None = None) -> list[str]:
    """One four-part line for each thing that is not simulated; empty if everything is."""
    record = read_model(mjm)
    fields = fields or geom_fields(record, None)
    record.without_field = frozenset(fields.missing)
    problems = []
    for count, what in _COUNTS.items():
        number = _plugins(record) if count == "nplugin" else int(getattr(record, count))
        if number:
            problems.append(problem(what, f"{number}", "none", "remove them, or pass strict=False to leave them out"))
    problems += unsupported_sensors(record)
    problems += [text for _, text in unsimulated_options(record)] + _actuators(record, actuation)
    problems += _equalities(record) + _fields(record, fields)
    problems += [problem(f"contacts of {p.name1} and {p.name2}", f"{p.type1} and {p.type2}", p.allowed, p.remedy) for p in unsupported_pairs(record)]
    return problems


def _plugins(record: ModelRecord) -> int:
    """Instances of plugins that do something: those of distance fields are not among them, and those of meshes have done it."""
    if "geom_plugin" in record.absent:
        return record.nplugin
    used = np.unique(np.concatenate([record.body_plugin, record.actuator_plugin, record.sensor_plugin]))
    return int((used >= 0).sum())


def _fields(record: ModelRecord, fields: GeomFields) -> list[str]:
    """Geoms of type sdf that could collide and whose field is not known, and what does not go together with such geoms."""
    geom1, geom2, _, other = geom_pairs(record)
    meeting = {*geom1.tolist(), *geom2.tolist(), *other.ravel().tolist()}  # other: those whose field is not known, too
    problems = [text for g, text in fields.missing.items() if g in meeting]
    if not meeting & set(fields.of_geom):
        return problems
    meshes = (record.geom_type[geom1] == GeomType.MESH) & (record.geom_type[geom2] == GeomType.SDF)
    if meshes.any() and "geom_dataid" in record.batched:
        given = "another mesh in each world, and a geom of type sdf that it meets"
        problems.append(problem("geom_dataid", given, "one mesh for all worlds", "take the pair out, or give every world the same mesh"))
    for name, flag in (("sleep", EnableBit.SLEEP), ("speculative", EnableBit.SPECULATIVE)):
        if record.opt.enableflags & flag:
            problems.append(problem(f"option flag {name}", "enable with geoms of type sdf that collide", "disable with these", "switch the flag off"))
    return problems


def _equalities(record: ModelRecord) -> list[str]:
    """Equality constraints of other kinds than connect, weld, joint and tendon."""
    kinds = [int(kind) for kind in record.eq_type] if record.neq else []
    sleeps = bool(record.opt.enableflags & EnableBit.SLEEP)
    asleep = [
        problem(f"equality constraint {i}", "tendon with the flag sleep", "tendon without it, as in MuJoCo", "switch the flag off, or remove the constraint")
        for i, kind in enumerate(kinds)
        if kind == EqType.TENDON and sleeps
    ]
    return asleep + [
        problem(f"equality constraint {i}", _name(EqType, kind).lower(), "connect, weld, joint, tendon", "remove it")
        for i, kind in enumerate(kinds)
        if kind not in ROWS_OF_EQUALITY
    ]


def unsimulated_options(record: ModelRecord) -> list[tuple[str, str]]:
    """Options that are not simulated: the name of each and a four-part line."""
    opt, problems = record.opt, []
    if opt.integrator not in INTEGRATORS:
        names = ", ".join(kind.name.lower() for kind in INTEGRATORS)
        problems.append(("integrator", problem("option integrator", _name(IntegratorType, opt.integrator), names, "choose one of these")))
    if opt.enableflags & EnableBit.IPC:
        problems.append(("ipc", problem("option flag ipc", "enable", "disable", "switch the flag off")))
    return problems


def _name(enum: type[IntEnum], number: Any) -> str:
    """Name of an enumeration's member, or the number that is none."""
    return enum(int(number)).name if int(number) in list(enum) else str(int(number))


def _actuators(record: ModelRecord, actuation: UserActuation | None) -> list[str]:
    problems = []
    for i in range(record.nactuator):
        kinds = [
            ("transmission", TrnType, record.actuator_trntype[i]),
            ("dyntype", DynType, record.actuator_dyntype[i]),
            ("gaintype", GainType, record.actuator_gaintype[i]),
            ("biastype", BiasType, record.actuator_biastype[i]),
        ]
        for what, enum, given in kinds:
            if int(given) not in list(enum):
                names = ", ".join(a.name.lower() for a in enum)
                remedy = "use a general actuator of these kinds"
                problems.append(problem(f"actuator {i}: {what}", _name(enum, given).lower(), names, remedy))
        if needs_other_gain(record, i):
            bias, gain = (_name(e, g).lower() for _, e, g in (kinds[3], kinds[2]))
            given = f"gaintype {gain} with biastype {bias}"
            problems.append(problem(f"actuator {i}", given, "dcmotor and so3 with their own kind only", "use one kind for both"))
    for i, part in user_parts(record):
        if actuation is None or actuation.functions[part] is None:
            name = part.removesuffix("type")
            remedy = f"pass actuation=mjw.UserActuation({name}=...) with a Warp function"
            problems.append(problem(f"actuator {i}: {part}", "user, without a function", "user with a function", remedy))
    return problems


def needs_other_gain(record: ModelRecord, i: int) -> bool:
    """Actuator ``i`` has a gain or bias of a motor or of an orientation servo, but not both."""
    gain, bias = int(record.actuator_gaintype[i]), int(record.actuator_biastype[i])
    return any((bias == b) != (gain == g) for b, g in _GAINS_OF_BIAS.items())
